/** One of the many callers of a load: it writes and reads at random, and sends again what it has no answer to. */
import type { Violations } from "../chaos.ts";
import type { Random } from "../random.ts";
import { basePath } from "../service.ts";
import type { Books, Fields, Kept, Tally } from "./books.ts";
import { type Caller, type HttpAnswer, read } from "./caller.ts";

/** What all writers that write to one business share. */
export interface LoadTarget {
  readonly books: Books;
  /** These two are shared by all businesses. */
  readonly tally: Tally;
  readonly violations: Violations;
  /** Whose accounts every writer moves. */
  readonly contactIds: readonly number[];
  readonly locationIds: readonly number[];
  readonly voucherIds: readonly number[];
  /** The Authorization header; it may change. */
  authorization: string;
}

/** The records that only this writer changes. */
export interface WriterRecords {
  readonly tierId: number;
  readonly programId: number;
  /** The reward settings are one writer's. */
  readonly settings: boolean;
}

interface Acknowledged {
  readonly path: string;
  readonly text: string;
  readonly status: number;
  readonly body: string;
}

const pauseMilliseconds = 50;
const rememberedWrites = 200;

export class Writer {
  readonly #number: number;
  readonly #caller: Caller;
  readonly #random: Random;
  readonly #target: LoadTarget;
  readonly #records: WriterRecords;
  readonly #ownMembers: number[] = [];
  readonly #ownSales: { sale_id: number; contact_id: number; refundable: number }[] = [];
  readonly #ownBenefits: number[] = [];
  readonly #remembered: Acknowledged[] = [];
  #last: Acknowledged | undefined;
  #writes = 0;

  constructor(number: number, caller: Caller, random: Random, target: LoadTarget, records: WriterRecords) {
    this.#number = number;
    this.#caller = caller;
    this.#random = random;
    this.#target = target;
    this.#records = records;
  }

  /** Does one thing, and does not rest before its outcome is known. */
  async step(): Promise<void> {
    const dice = this.#random.below(1000);
    if (dice < 640) return this.#post();
    if (dice < 740) return this.#sell();
    if (dice < 800) return this.#refund();
    if (dice < 840) return this.#createMember();
    if (dice < 890) return this.#updateMember();
    if (dice < 892) return this.#changePassword();
    if (dice < 912) return this.#createBenefit();
    if (dice < 930) return this.#updateBenefit();
    if (dice < 945) return this.#updateDefinition();
    if (dice < 970) return this.#repeat(this.#random.pick(this.#remembered));
    return this.#read();
  }

  async #post(): Promise<void> {
    const key = this.#nextKey();
    const contact_id = this.#random.pick(this.#target.contactIds);
    const amount = 1 + this.#random.below(1000);
    const credit = this.#random.chance(0.6);
    const type = credit ? "credit" : "debit";
    const wallet = this.#random.chance(0.5);
    const common = `"idempotency_key":"${key}","contact_id":${contact_id},"adjustment_type":"${type}","reason":"${key}"`;
    const answer = wallet
      ? await this.#write(
          "/sp/wallet/adjust",
          `{${common},"amount":${amount},"location_id":${this.#random.pick(this.#target.locationIds)}}`,
          "insufficient_balance",
        )
      : await this.#write(
          "/sp/reward-points/adjust",
          `{${common},"points":${amount}}`,
          "insufficient_balance",
        );
    if (answer === undefined) return;
    const { balance_after } = read<{ balance_after: number }>(answer).data;
    const account = wallet ? "wallet" : "points";
    this.#target.books.postings.set(key, {
      contact_id,
      account,
      amount: credit ? amount : -amount,
      balance_after,
    });
  }

  /** Records a sale, which wallet and points may pay a part of. */
  async #sell(): Promise<void> {
    const key = this.#nextKey();
    const sale = {
      contact_id: this.#random.pick(this.#target.contactIds),
      location_id: this.#random.pick(this.#target.locationIds),
      amount: 100 + this.#random.below(5000),
      reference_id: key,
      ...(this.#random.chance(0.3) ? { use_wallet: 1 + this.#random.below(50) } : {}),
      ...(this.#random.chance(0.3) ? { use_points: 1 + this.#random.below(10) } : {}),
    };
    const body = JSON.stringify({ idempotency_key: key, ...sale });
    const answer = await this.#write("/sp/sales/record", body, "insufficient_balance", "rewards_disabled");
    if (answer === undefined) return;
    const { sale_id, wallet_used, amount_due } = read<Record<string, number>>(answer).data;
    const { contact_id } = sale;
    const amount = (wallet_used as number) + (amount_due as number);
    this.#target.books.sales.set(key, { contact_id, event_type: "sale", amount });
    this.#ownSales.push({ sale_id: sale_id as number, contact_id, refundable: sale.amount });
  }

  /** Refunds a part of one of this writer's sales. */
  async #refund(): Promise<void> {
    const sale = this.#random.pick(this.#ownSales);
    if (sale === undefined || sale.refundable === 0) return this.#sell();
    const key = this.#nextKey();
    const amount = this.#random.chance(0.3) ? sale.refundable : 1 + this.#random.below(sale.refundable);
    const body = {
      idempotency_key: key,
      sale_id: sale.sale_id,
      location_id: this.#random.pick(this.#target.locationIds),
      amount,
      reference_id: key,
    };
    const answer = await this.#write("/sp/sales/refund", JSON.stringify(body));
    if (answer === undefined) return;
    const { money_back, wallet_back } = read<Record<string, number>>(answer).data;
    sale.refundable -= amount;
    const moved = (money_back as number) + (wallet_back as number);
    if (moved === 0) return;
    const { contact_id } = sale;
    this.#target.books.sales.set(key, { contact_id, event_type: "sale_refund", amount: -moved });
  }

  async #createMember(): Promise<void> {
    const key = this.#nextKey();
    const fields = {
      first_name: "Ana",
      last_name: key,
      phone_number: `+34${100_000_000 + this.#number * 1_000_000 + this.#writes}`,
      email: `${key}@example.com`,
    };
    const answer = await this.#write(
      "/sp/members/create",
      JSON.stringify({ idempotency_key: key, ...fields }),
    );
    this.#keep(answer, "contact_id", this.#target.books.members, { ...fields, active: true });
    if (answer !== undefined) this.#ownMembers.push(read<{ contact_id: number }>(answer).data.contact_id);
  }

  async #updateMember(): Promise<void> {
    const contact_id = this.#random.pick(this.#ownMembers);
    if (contact_id === undefined) return this.#createMember();
    const key = this.#nextKey();
    const profile = this.#random.chance(0.5);
    const change = {
      last_name: key,
      ...(this.#random.chance(0.5) ? { email: `${key}@example.com` } : {}),
      ...(profile ? { date_of_birth: `19${10 + this.#random.below(90)}-04-17` } : {}),
    };
    const path = profile ? "/sp/members/profile/update" : "/sp/members/update";
    await this.#update(path, "contact_id", contact_id, change, this.#target.books.members);
  }

  async #changePassword(): Promise<void> {
    const contact_id = this.#random.pick(this.#ownMembers);
    if (contact_id === undefined) return this.#createMember();
    const key = this.#nextKey();
    const body = { idempotency_key: key, contact_id, new_password: `long enough ${key}` };
    await this.#write("/sp/members/password/change", JSON.stringify(body));
  }

  async #createBenefit(): Promise<void> {
    const key = this.#nextKey();
    const fields = { title: key, amount: 1 + this.#random.below(10_000), promo_amount: 5, status: "active" };
    const location_id = this.#random.pick(this.#target.locationIds);
    const body = { idempotency_key: key, location_id, ...fields };
    const answer = await this.#write("/sp/wallet/topup-benefits/create", JSON.stringify(body));
    this.#keep(answer, "benefit_id", this.#target.books.benefits, fields);
    if (answer !== undefined) this.#ownBenefits.push(read<{ benefit_id: number }>(answer).data.benefit_id);
  }

  async #updateBenefit(): Promise<void> {
    const benefit_id = this.#random.pick(this.#ownBenefits);
    if (benefit_id === undefined) return this.#createBenefit();
    const change = {
      promo_amount: this.#random.below(1000),
      status: this.#random.pick(["active", "inactive"]),
    };
    const { benefits } = this.#target.books;
    await this.#update("/sp/wallet/topup-benefits/update", "benefit_id", benefit_id, change, benefits);
  }

  async #updateDefinition(): Promise<void> {
    const { books } = this.#target;
    const { tierId, programId, settings } = this.#records;
    const name = `name ${this.#writes}`;
    if (settings) {
      const change = { enable_rp: this.#random.chance(0.5), rp_name: name };
      const key = this.#nextKey();
      const body = JSON.stringify({ idempotency_key: key, ...change });
      const answer = await this.#write("/sp/reward-settings/update", body);
      if (answer !== undefined) books.settings = { ...books.settings, ...change };
    } else if (this.#random.chance(0.5)) {
      const change = { name, expiry: 1 + this.#random.below(1200) };
      await this.#update("/sp/member-tiers/update", "tier_id", tierId, change, books.tiers);
    } else {
      const change = { membership_name: name };
      await this.#update("/sp/reward-programs/update", "program_id", programId, change, books.programs);
    }
  }

  async #update(path: string, id: string, value: number, change: Fields, kept: Kept): Promise<void> {
    const body = { idempotency_key: this.#nextKey(), [id]: value, ...change };
    const answer = await this.#write(path, JSON.stringify(body));
    if (answer !== undefined) kept.set(value, { ...kept.get(value), ...change });
  }

  #keep(answer: HttpAnswer | undefined, id: string, kept: Kept, fields: Fields): void {
    if (answer === undefined) return;
    kept.set(read<Record<string, number>>(answer).data[id] as number, fields);
  }

  async #read(): Promise<void> {
    const { contactIds, voucherIds } = this.#target;
    const [path, body] = this.#random.pick([
      ["/sp/transactions/list", { contact_id: this.#random.pick(contactIds) }],
      ["/sp/transactions/list", { page: 1 + this.#random.below(5) }],
      ["/sp/members/list", {}],
      ["/sp/member-tiers/list", {}],
      ["/sp/vouchers/get", { voucher_id: this.#random.pick(voucherIds) }],
    ] as const);
    const answer = await this.#send(path, JSON.stringify(body));
    if (typeof answer === "string" || answer.status === 503) return pause();
    if (answer.status !== 200)
      this.#target.violations.add(`${path} answered ${answer.status}: ${answer.body}`);
    this.#target.tally.reads += 1;
  }

  #nextKey(): string {
    this.#writes += 1;
    return `writer-${this.#number}-${this.#writes}`;
  }

  /**
   * Writes, and sends the same again until the outcome is known.
   * @param expectedRefusals refusals that are no surprise
   * @returns the acknowledgement, or undefined when it was refused
   */
  async #write(
    path: string,
    text: string,
    ...expectedRefusals: readonly string[]
  ): Promise<HttpAnswer | undefined> {
    const { tally, violations } = this.#target;
    for (let tries = 1; ; tries++) {
      const answer = await this.#send(path, text);
      if (typeof answer === "string" || answer.status === 503 || answer.status >= 500) {
        tally.unknown += 1;
        if (typeof answer === "object" && answer.status !== 503) {
          violations.add(`${path} answered ${answer.status}: ${answer.body} to ${text}`);
        }
        await pause();
        continue;
      }
      if (answer.status < 300) {
        if (tries === 1 && answer.replayed) violations.add(`${path} replayed a new key: ${text}`);
        if (tries > 1 && answer.replayed) tally.unknownButDone += 1;
        tally.acknowledged += 1;
        tally.lastWriteAt = performance.now();
        this.#remember({ path, text, status: answer.status, body: answer.body });
        // What was acknowledged last is what a crash would lose first.
        if (tries > 1 && this.#last !== undefined) await this.#repeat(this.#last);
        this.#last = { path, text, status: answer.status, body: answer.body };
        return answer;
      }
      tally.refused += 1;
      const { code } = read(answer).error;
      if (!expectedRefusals.includes(code))
        violations.add(`${path} refused ${text} with ${answer.status} ${answer.body}`);
      return undefined;
    }
  }

  #remember(write: Acknowledged): void {
    if (this.#remembered.length < rememberedWrites) this.#remembered.push(write);
    else if (this.#random.chance(0.1)) this.#remembered[this.#random.below(rememberedWrites)] = write;
  }

  /** Sends an acknowledged write again: it must be answered as at first, and do nothing. */
  async #repeat(write: Acknowledged | undefined): Promise<void> {
    if (write === undefined) return;
    const { tally, violations } = this.#target;
    for (;;) {
      const answer = await this.#send(write.path, write.text);
      if (typeof answer === "string" || answer.status === 503) {
        await pause();
        continue;
      }
      tally.repeats += 1;
      const same = answer.replayed && answer.status === write.status && answer.body === write.body;
      if (!same) {
        violations.add(
          `${write.path} answered ${write.text} first with ${write.status} ${write.body}, ` +
            `then with ${answer.status} ${answer.body}${answer.replayed ? "" : ", not as a replay"}`,
        );
      }
      return;
    }
  }

  async #send(path: string, text: string) {
    const { tally, authorization } = this.#target;
    const sentAt = performance.now();
    const outcome = await this.#caller.post(basePath + path, text, authorization);
    const now = performance.now();
    if (now - sentAt > tally.longest) tally.longest = now - sentAt;
    if (outcome === "overdue") tally.overdue += 1;
    if (typeof outcome === "object") {
      if (outcome.status < 300) tally.lastSuccessAt = now;
      if (outcome.status === 503) tally.lastUnavailableAt = now;
    }
    return outcome;
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, pauseMilliseconds));
}
