/**
 * Many callers move money between a few accounts through several processes: what the ledger then says must be one
 * order of all that was answered, in which no account was ever below zero and no money came or went.
 */
import { type HttpAnswer, type Outcome, read, succeeded } from "../../test/support/http-connection.ts";
import { type Random, randomFrom } from "../../test/support/random.ts";
import { type Chaos, none, type Result, Violations } from "../chaos.ts";
import { Partner } from "../load/partner.ts";
import { Operator } from "../operator.ts";

export interface MoneySize {
  readonly movements: number;
  readonly writers: number;
  readonly accounts: number;
}

const openingBalance = 1000;

/** @param port of a service with several processes */
export async function money(chaos: Chaos, port: number, size: MoneySize): Promise<Result> {
  const operator = new Operator(chaos, port);
  const partner = await Partner.open(chaos, operator, port, { locations: 2 });
  const bank = new Bank(partner, port);
  await bank.open(size.accounts);
  const trades = Array.from({ length: size.writers }, (_, number) =>
    bank.trade(randomFrom(chaos.seed + number), () => chaos.goesOn(bank.moved >= size.movements)),
  );
  await Promise.all(trades);
  const { lost, doubled, wrong } = await partner.compare(bank.violations);
  const history = await bank.compareHistory(operator);
  return {
    violations: bank.violations.list(),
    figures: [
      { what: "movements", value: bank.moved, aim: size.movements },
      { what: "debits refused for want of money", value: bank.refusals.length },
      none("movements lost, doubled or changed", lost + doubled + wrong),
      none("money that came or went", history.total - size.accounts * openingBalance),
      none("balances below zero", history.negative),
      none("entries off the line of their account", history.offTheLine),
      none("answers out of their order in time", history.outOfOrder),
      none("refusals by a balance that was not", history.unfounded),
      { what: "pages read meanwhile", value: bank.pages },
    ],
  };
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

class Bank {
  readonly violations = new Violations();
  readonly refusals: Refused[] = [];
  pages = 0;
  readonly #partner: Partner;
  readonly #port: number;
  readonly #spans = new Map<string, Span>();
  readonly #contactIds: number[] = [];
  #keys = 0;

  constructor(partner: Partner, port: number) {
    this.#partner = partner;
    this.#port = port;
  }

  get moved(): number {
    return this.#partner.books.entries.size;
  }

  /** Makes the accounts, each with the same balance. */
  async open(accounts: number): Promise<void> {
    for (let nth = 0; nth < accounts; nth++) {
      const contactId = await this.#partner.member(this.#port, `account-${nth}`);
      this.#contactIds.push(contactId);
      await this.#move(contactId, openingBalance);
    }
  }

  /** Moves money between the accounts, one movement after the other, as long as it is to go on. */
  async trade(random: Random, goesOn: () => boolean): Promise<void> {
    while (goesOn()) {
      if (random.chance(0.05)) await this.#readPage(random.pick(this.#contactIds));
      else await this.#transfer(random);
    }
  }

  async #transfer(random: Random): Promise<void> {
    const from = random.pick(this.#contactIds);
    const to = random.pick(this.#contactIds);
    const amount = 1 + random.below(openingBalance);
    if (await this.#move(from, -amount)) await this.#move(to, amount);
  }

  /** @returns whether it was moved; false when there was too little */
  async #move(contact_id: number, amount: number): Promise<boolean> {
    this.#keys += 1;
    const key = `movement-${this.#keys}`;
    const location = this.#partner.business.locationIds[this.#keys % 2];
    const sentAt = performance.now();
    const command = this.#partner.adjustment(key, contact_id, amount, location);
    const outcome = await this.#partner.send(this.#port, command);
    const span = { sentAt, answeredAt: performance.now() };
    if (isConflict(outcome)) {
      const { code, details } = read(outcome).error;
      const balance = details.balance as number;
      this.refusals.push({ ...span, contact_id, amount: -amount, balance });
      if (code !== "insufficient_balance" || amount > 0 || balance < 0 || balance >= -amount) {
        this.violations.add(`${amount} to ${contact_id} was refused with ${outcome.body}`);
      }
      return false;
    }
    succeeded(key, outcome);
    this.#spans.set(key, span);
    return true;
  }

  /** A page is of one snapshot: the balances on it follow from one another. */
  async #readPage(contact_id: number): Promise<void> {
    const request = { path: "/sp/transactions/list", body: { contact_id, per_page: 100 } };
    const answer = succeeded(request.path, await this.#partner.send(this.#port, request));
    const { data } = read<{ amount: number; balance_after: number }[]>(answer);
    this.pages += 1;
    for (const [index, entry] of data.entries()) {
      const before = data[index + 1]?.balance_after;
      if (before === undefined || entry.balance_after - entry.amount === before) continue;
      this.violations.add(
        `a page of ${contact_id} has ${JSON.stringify(entry)} after a balance of ${before}`,
      );
    }
  }

  /** Goes through the ledger in the order of recording. */
  async compareHistory(operator: Operator): Promise<History> {
    const balances = new Map<number, number>();
    const entries: Recorded[] = [];
    let [negative, offTheLine] = [0, 0];
    for await (const entry of operator.entries(this.#partner.business.businessId)) {
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

function isConflict(outcome: Outcome): outcome is HttpAnswer {
  return typeof outcome === "object" && outcome.status === 409;
}
