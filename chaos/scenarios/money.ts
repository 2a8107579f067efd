/**
 * Many callers move money between a few accounts through several processes: what the ledger then says must be one
 * order of all that was answered, in which no account was ever below zero and no money came or went.
 */
import { authorize, type Business, makeBusiness, Operator } from "../business.ts";
import { type Chaos, type Result, Violations } from "../chaos.ts";
import { Books } from "../load/books.ts";
import { Caller, type Outcome, read } from "../load/caller.ts";
import { compareBooks, exportedEntries } from "../load/comparison.ts";
import { type Random, randomFrom } from "../random.ts";
import { basePath } from "../service.ts";

export interface MoneySize {
  readonly movements: number;
  readonly writers: number;
  readonly accounts: number;
}

const openingBalance = 1000;
const overdueMilliseconds = 30_000;

/** @param port of a service with several processes */
export async function money(chaos: Chaos, port: number, size: MoneySize): Promise<Result> {
  const operator = new Operator(port);
  try {
    const business = await makeBusiness(operator, { locations: 2, tiers: 0, programs: 0, vouchers: 0 });
    const authorization = await authorize(port, business.credentials);
    const bank = new Bank(business, { port, authorization, size, seed: chaos.seed });
    await bank.open();
    await bank.trade((moved) => chaos.goesOn(moved >= size.movements));
    const { lost, doubled, wrong } = await compareBooks(operator, business, bank.books, bank.violations);
    const history = await bank.compareHistory(operator);
    const none = { promised: { exactly: 0 } };
    const created = history.total - size.accounts * openingBalance;
    return {
      violations: bank.violations.list(),
      figures: [
        { what: "movements", value: bank.books.postings.size, aim: size.movements },
        { what: "debits refused for want of money", value: bank.refusals.length },
        { what: "movements lost, doubled or changed", value: lost + doubled + wrong, ...none },
        { what: "money that came or went", value: created, ...none },
        { what: "balances below zero", value: history.negative, ...none },
        { what: "entries off the line of their account", value: history.offTheLine, ...none },
        { what: "answers out of their order in time", value: history.outOfOrder, ...none },
        { what: "refusals by a balance that was not", value: history.unfounded, ...none },
        { what: "pages read meanwhile", value: bank.pages },
      ],
    };
  } finally {
    operator.close();
  }
}

/** When a request was on its way, by performance.now(). */
interface Span {
  readonly sentAt: number;
  readonly answeredAt: number;
}

interface Refused extends Span {
  readonly contact_id: number;
  readonly amount: number;
  /** The balance that the refusal spoke of. */
  readonly balance: number;
}

interface History {
  /** The sum of all balances in the end. */
  readonly total: number;
  readonly negative: number;
  readonly offTheLine: number;
  readonly outOfOrder: number;
  readonly unfounded: number;
}

interface BankSettings {
  readonly port: number;
  readonly authorization: string;
  readonly size: MoneySize;
  readonly seed: number;
}

class Bank {
  readonly books = new Books();
  readonly violations = new Violations();
  readonly refusals: Refused[] = [];
  pages = 0;
  readonly #business: Business;
  readonly #settings: BankSettings;
  readonly #spans = new Map<string, Span>();
  readonly #contactIds: number[] = [];
  #keys = 0;

  constructor(business: Business, settings: BankSettings) {
    this.#business = business;
    this.#settings = settings;
  }

  /** Makes the accounts, each with the same balance. */
  async open(): Promise<void> {
    const { size, port } = this.#settings;
    const caller = new Caller(port, overdueMilliseconds);
    for (let nth = 0; nth < size.accounts; nth++) {
      const fields = { first_name: "Account", last_name: `${nth}`, phone_number: `+34${600_000_000 + nth}` };
      const made = await this.#post(caller, "/sp/members/create", {
        idempotency_key: `account-${nth}`,
        ...fields,
      });
      const { contact_id } = read<{ contact_id: number }>(succeeded(made)).data;
      this.#contactIds.push(contact_id);
      this.books.members.set(contact_id, fields);
      await this.#move(caller, contact_id, openingBalance);
    }
    caller.close();
  }

  /** Moves money between the accounts, in many writers, as long as it is to go on. */
  async trade(goesOn: (moved: number) => boolean): Promise<void> {
    const { size, seed, port } = this.#settings;
    const writers = Array.from({ length: size.writers }, async (_, number) => {
      const caller = new Caller(port, overdueMilliseconds);
      const random = randomFrom(seed + number);
      while (goesOn(this.books.postings.size)) {
        if (random.chance(0.05)) await this.#readPage(caller, random);
        else await this.#transfer(caller, random);
      }
      caller.close();
    });
    await Promise.all(writers);
  }

  async #transfer(caller: Caller, random: Random): Promise<void> {
    const from = random.pick(this.#contactIds);
    const to = random.pick(this.#contactIds);
    const amount = 1 + random.below(openingBalance);
    if (await this.#move(caller, from, -amount)) await this.#move(caller, to, amount);
  }

  /** @returns whether it was moved; false when there was too little */
  async #move(caller: Caller, contact_id: number, amount: number): Promise<boolean> {
    this.#keys += 1;
    const key = `movement-${this.#keys}`;
    const sentAt = performance.now();
    const outcome = await this.#post(caller, "/sp/wallet/adjust", {
      idempotency_key: key,
      contact_id,
      location_id: this.#business.locationIds[this.#keys % 2],
      amount: Math.abs(amount),
      adjustment_type: amount < 0 ? "debit" : "credit",
      reason: key,
    });
    const span = { sentAt, answeredAt: performance.now() };
    if (typeof outcome === "object" && outcome.status === 409) {
      const { code, details } = read(outcome).error;
      const balance = details.balance as number;
      this.refusals.push({ ...span, contact_id, amount: -amount, balance });
      if (code !== "insufficient_balance" || amount > 0 || balance < 0 || balance >= -amount) {
        this.violations.add(`${amount} to ${contact_id} was refused with ${outcome.body}`);
      }
      return false;
    }
    const { balance_after } = read<{ balance_after: number }>(succeeded(outcome)).data;
    this.books.postings.set(key, { contact_id, account: "wallet", amount, balance_after });
    this.#spans.set(key, span);
    return true;
  }

  /** A page is of one snapshot: the balances on it follow from one another. */
  async #readPage(caller: Caller, random: Random): Promise<void> {
    const contact_id = random.pick(this.#contactIds);
    const outcome = await this.#post(caller, "/sp/transactions/list", { contact_id, per_page: 100 });
    const { data } = read<{ amount: number; balance_after: number }[]>(succeeded(outcome));
    this.pages += 1;
    for (const [index, entry] of data.entries()) {
      const before = data[index + 1]?.balance_after;
      if (before === undefined || entry.balance_after - entry.amount === before) continue;
      this.violations.add(
        `a page of ${contact_id} has ${JSON.stringify(entry)} after a balance of ${before}`,
      );
    }
  }

  #post(caller: Caller, path: string, body: object): Promise<Outcome> {
    return caller.post(basePath + path, JSON.stringify(body), this.#settings.authorization);
  }

  /** Goes through the ledger in the order of recording. */
  async compareHistory(operator: Operator): Promise<History> {
    const balances = new Map<number, number>();
    const entries: Recorded[] = [];
    let [negative, offTheLine] = [0, 0];
    for await (const entry of exportedEntries(operator, this.#business.businessId)) {
      const { contact_id, amount, balance_after } = entry;
      if (balance_after < 0) negative += 1;
      if (balance_after !== (balances.get(contact_id) ?? 0) + amount) {
        offTheLine += 1;
        this.violations.add(`entry ${entry.entry_no} does not follow from the one before in its account`);
      }
      balances.set(contact_id, balance_after);
      const span = this.#spans.get(entry.reason ?? "");
      if (span !== undefined) entries.push({ ...span, entry_no: entry.entry_no, contact_id, balance_after });
    }
    const total = [...balances.values()].reduce((sum, balance) => sum + balance, 0);
    return {
      total,
      negative,
      offTheLine,
      outOfOrder: this.#countOutOfOrder(entries),
      unfounded: this.#countUnfounded(entries),
    };
  }

  /** A request that got its response before another was sent must come before it in the ledger. */
  #countOutOfOrder(entries: readonly Recorded[]): number {
    let count = 0;
    let earliestAnswer = Number.POSITIVE_INFINITY;
    for (const entry of entries.toReversed()) {
      if (earliestAnswer < entry.sentAt) {
        count += 1;
        this.violations.add(`entry ${entry.entry_no} was sent after a later entry had been answered`);
      }
      earliestAnswer = Math.min(earliestAnswer, entry.answeredAt);
    }
    return count;
  }

  /** The balance that a refusal spoke of must have been the account's while the request was on its way. */
  #countUnfounded(entries: readonly Recorded[]): number {
    // By account and balance: when that was the balance.
    const times = new Map<string, Span[]>();
    const open = new Map<number, { from: number; balance: number }>();
    const place = (contact_id: number, balance: number, span: Span) => {
      const name = `${contact_id} ${balance}`;
      times.set(name, [...(times.get(name) ?? []), span]);
    };
    for (const { contact_id, balance_after, sentAt, answeredAt } of entries) {
      const before = open.get(contact_id);
      // From when it may have been so at the earliest, until when it may have been so at the latest.
      if (before !== undefined) place(contact_id, before.balance, { sentAt: before.from, answeredAt });
      open.set(contact_id, { from: sentAt, balance: balance_after });
    }
    for (const [contact_id, { from, balance }] of open) {
      place(contact_id, balance, { sentAt: from, answeredAt: Number.POSITIVE_INFINITY });
    }
    let count = 0;
    for (const refusal of this.refusals) {
      const founded = times
        .get(`${refusal.contact_id} ${refusal.balance}`)
        ?.some(({ sentAt, answeredAt }) => sentAt < refusal.answeredAt && answeredAt > refusal.sentAt);
      if (founded === true) continue;
      count += 1;
      this.violations.add(`a debit was refused by a balance that was not: ${JSON.stringify(refusal)}`);
    }
    return count;
  }
}

interface Recorded extends Span {
  readonly entry_no: number;
  readonly contact_id: number;
  readonly balance_after: number;
}

function succeeded(outcome: Outcome) {
  if (typeof outcome === "object" && outcome.status < 300) return outcome;
  throw new Error(`no success: ${JSON.stringify(outcome)}`);
}
