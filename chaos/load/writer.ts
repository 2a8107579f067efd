/** One of the many callers of a load: it writes and reads at random, and sends again what it has no answer to. */
import { setTimeout as sleep } from "node:timers/promises";
import { type HttpAnswer, isReplay, type Outcome, read } from "../../test/support/http-connection.ts";
import type { Random } from "../../test/support/random.ts";
import type { Violations } from "../chaos.ts";
import type { Fields } from "../operator.ts";
import { type Command, isReplayOf, type Partner, type Request } from "./partner.ts";

/** What a load met with, over all its businesses. Moments are by performance.now(). */
export class Tally {
  /** Writes that were acknowledged. */
  acknowledged = 0;
  /** Tries that left nobody knowing whether they took effect: lost connections, no answer in time, 503. */
  unknown = 0;
  /** Of these, how many had taken effect: the next try was answered from the first. */
  unknownButDone = 0;
  /** Requests that were not answered in time. */
  overdue = 0;
  /** Acknowledged writes that were sent again later, and answered as at first. */
  repeats = 0;
  /** The longest that any answer took, in milliseconds. */
  longest = 0;
  /** When the last request was answered with a success. */
  lastSuccessAt = 0;
  /** When the last write was acknowledged. */
  lastWriteAt = 0;
  /** When a request was last answered with service_unavailable. */
  lastUnavailableAt = 0;
}

/** What all writers that write to one business share. */
interface Shared {
  readonly partner: Partner;
  readonly port: number;
  /** Whose accounts every writer moves. */
  readonly contactIds: readonly number[];
  /** These two are shared by all businesses. */
  readonly tally: Tally;
  readonly violations: Violations;
}

interface Acknowledged {
  readonly command: Command;
  readonly answer: HttpAnswer;
}

const pauseMilliseconds = 50;
const rememberedWrites = 200;
const noMoney = "insufficient_balance";

export class Writer {
  readonly #number: number;
  readonly #random: Random;
  readonly #shared: Shared;
  readonly #ownMembers: number[] = [];
  readonly #ownSales: { sale_id: number; refundable: number }[] = [];
  readonly #ownBenefits: number[] = [];
  readonly #remembered: Acknowledged[] = [];
  #last: Acknowledged | undefined;
  #writes = 0;

  /** @param number also chooses the tier and the program that only this writer changes */
  constructor(number: number, random: Random, shared: Shared) {
    this.#number = number;
    this.#random = random;
    this.#shared = shared;
  }

  /** Does one thing, and does not rest before its outcome is known. */
  async step(): Promise<unknown> {
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

  #location(): number {
    return this.#random.pick(this.#shared.partner.business.locationIds);
  }

  async #post(): Promise<void> {
    const key = this.#nextKey();
    const wallet = this.#random.chance(0.5);
    const amount = 1 + this.#random.below(1000);
    const fields = {
      contact_id: this.#random.pick(this.#shared.contactIds),
      adjustment_type: this.#random.chance(0.6) ? "credit" : "debit",
      reason: key,
      ...(wallet ? { amount, location_id: this.#location() } : { points: amount }),
    };
    await this.#write(wallet ? "/sp/wallet/adjust" : "/sp/reward-points/adjust", key, fields, noMoney);
  }

  /** Records a sale, which wallet and points may pay a part of. */
  async #sell(): Promise<void> {
    const key = this.#nextKey();
    const amount = 100 + this.#random.below(5000);
    const fields = {
      contact_id: this.#random.pick(this.#shared.contactIds),
      location_id: this.#location(),
      amount,
      reference_id: key,
      ...(this.#random.chance(0.3) ? { use_wallet: 1 + this.#random.below(50) } : {}),
      ...(this.#random.chance(0.3) ? { use_points: 1 + this.#random.below(10) } : {}),
    };
    const data = await this.#write("/sp/sales/record", key, fields, noMoney, "rewards_disabled");
    if (data !== undefined) this.#ownSales.push({ sale_id: data.sale_id as number, refundable: amount });
  }

  /** Refunds a part of one of this writer's sales. */
  async #refund(): Promise<void> {
    const sale = this.#random.pick(this.#ownSales);
    if (sale === undefined || sale.refundable === 0) return this.#sell();
    const amount = this.#random.chance(0.3) ? sale.refundable : 1 + this.#random.below(sale.refundable);
    const { sale_id } = sale;
    const key = this.#nextKey();
    const fields = { sale_id, location_id: this.#location(), amount, reference_id: key };
    if (await this.#write("/sp/sales/refund", key, fields)) sale.refundable -= amount;
  }

  async #createMember(): Promise<void> {
    const last_name = this.#nextKey();
    const data = await this.#write("/sp/members/create", last_name, {
      first_name: "Ana",
      last_name,
      phone_number: `+34${100_000_000 + this.#number * 1_000_000 + this.#writes}`,
      email: `${last_name}@example.com`,
    });
    if (data !== undefined) this.#ownMembers.push(data.contact_id as number);
  }

  async #updateMember(): Promise<unknown> {
    const contact_id = this.#random.pick(this.#ownMembers);
    if (contact_id === undefined) return this.#createMember();
    const last_name = this.#nextKey();
    const profile = this.#random.chance(0.5);
    const email = this.#random.chance(0.5) ? { email: `${last_name}@example.com` } : {};
    const birth = profile ? { date_of_birth: `19${10 + this.#random.below(90)}-04-17` } : {};
    const path = profile ? "/sp/members/profile/update" : "/sp/members/update";
    return this.#write(path, last_name, { contact_id, last_name, ...email, ...birth });
  }

  async #changePassword(): Promise<unknown> {
    const contact_id = this.#random.pick(this.#ownMembers);
    if (contact_id === undefined) return this.#createMember();
    const key = this.#nextKey();
    const fields = { contact_id, new_password: `long enough ${key}` };
    return this.#write("/sp/members/password/change", key, fields);
  }

  async #createBenefit(): Promise<void> {
    const key = this.#nextKey();
    const data = await this.#write("/sp/wallet/topup-benefits/create", key, {
      location_id: this.#location(),
      title: key,
      amount: 1 + this.#random.below(10_000),
      promo_amount: 5,
      status: "active",
    });
    if (data !== undefined) this.#ownBenefits.push(data.benefit_id as number);
  }

  async #updateBenefit(): Promise<unknown> {
    const benefit_id = this.#random.pick(this.#ownBenefits);
    if (benefit_id === undefined) return this.#createBenefit();
    const status = this.#random.pick(["active", "inactive"]);
    const fields = { benefit_id, promo_amount: this.#random.below(1000), status };
    return this.#write("/sp/wallet/topup-benefits/update", this.#nextKey(), fields);
  }

  /** The reward settings are one writer's. */
  #updateDefinition(): Promise<unknown> {
    const { tierIds, programIds } = this.#shared.partner.business;
    const key = this.#nextKey();
    const name = `name ${this.#writes}`;
    if (this.#number === 0) {
      const enable_rp = this.#random.chance(0.5);
      return this.#write("/sp/reward-settings/update", key, { enable_rp, rp_name: name });
    }
    if (this.#random.chance(0.5)) {
      const tier_id = tierIds[this.#number] as number;
      const fields = { tier_id, name, expiry: 1 + this.#random.below(1200) };
      return this.#write("/sp/member-tiers/update", key, fields);
    }
    const program_id = programIds[this.#number] as number;
    return this.#write("/sp/reward-programs/update", key, { program_id, membership_name: name });
  }

  async #read(): Promise<void> {
    const { contactIds, partner, violations } = this.#shared;
    const request = this.#random.pick<Request>([
      { path: "/sp/transactions/list", body: { contact_id: this.#random.pick(contactIds) } },
      { path: "/sp/transactions/list", body: { page: 1 + this.#random.below(5) } },
      { path: "/sp/members/list", body: {} },
      { path: "/sp/member-tiers/list", body: {} },
      { path: "/sp/vouchers/get", body: { voucher_id: this.#random.pick(partner.business.voucherIds) } },
    ]);
    const answer = await this.#send(request);
    if (typeof answer === "string" || answer.status === 503) return sleep(pauseMilliseconds);
    if (answer.status !== 200) violations.add(`${request.path} answered ${answer.status}: ${answer.body}`);
  }

  /** The key of the next write, which no other writer of the business uses. */
  #nextKey(): string {
    this.#writes += 1;
    return `writer-${this.#number}-${this.#writes}`;
  }

  /**
   * Writes, and sends the same again until the outcome is known.
   * @param expectedRefusals refusals that are no surprise
   * @returns what was acknowledged, or undefined when it was refused
   */
  async #write(
    path: string,
    idempotency_key: string,
    fields: Fields,
    ...expectedRefusals: readonly string[]
  ): Promise<Fields | undefined> {
    const { tally, violations } = this.#shared;
    const command = { path, body: { idempotency_key, ...fields } };
    const shown = JSON.stringify(command);
    for (let tries = 1; ; tries++) {
      const answer = await this.#send(command);
      if (typeof answer === "string" || answer.status >= 500) {
        tally.unknown += 1;
        if (typeof answer === "object" && answer.status !== 503) {
          violations.add(`${answer.status}: ${answer.body} to ${shown}`);
        }
        await sleep(pauseMilliseconds);
        continue;
      }
      if (answer.status >= 300) {
        const expected = expectedRefusals.includes(read(answer).error.code);
        if (!expected) violations.add(`refused ${shown} with ${answer.status} ${answer.body}`);
        return undefined;
      }
      const replayed = isReplay(answer);
      if (tries === 1 && replayed) violations.add(`replayed a new key: ${shown}`);
      if (tries > 1 && replayed) tally.unknownButDone += 1;
      tally.acknowledged += 1;
      tally.lastWriteAt = performance.now();
      const acknowledged = { command, answer };
      this.#remember(acknowledged);
      // What was acknowledged last is what a crash would lose first.
      if (tries > 1) await this.#repeat(this.#last);
      this.#last = acknowledged;
      return read<Fields>(answer).data;
    }
  }

  #remember(write: Acknowledged): void {
    if (this.#remembered.length < rememberedWrites) this.#remembered.push(write);
    else if (this.#random.chance(0.1)) this.#remembered[this.#random.below(rememberedWrites)] = write;
  }

  /** Sends an acknowledged write again: it must be answered as at first, and do nothing. */
  async #repeat(write: Acknowledged | undefined): Promise<void> {
    if (write === undefined) return;
    const { command, answer } = write;
    for (;;) {
      const again = await this.#send(command, false);
      if (typeof again === "string" || again.status === 503) {
        await sleep(pauseMilliseconds);
        continue;
      }
      this.#shared.tally.repeats += 1;
      if (isReplayOf(again, answer)) return;
      this.#shared.violations.add(
        `${JSON.stringify(command)} was answered with ${JSON.stringify(answer)}, then with ${JSON.stringify(again)}`,
      );
      return;
    }
  }

  /** @param keeps whether a success is noted; an earlier write is not noted again, as it may have been overtaken */
  async #send(request: Request, keeps = true): Promise<Outcome> {
    const { partner, port, tally } = this.#shared;
    const sentAt = performance.now();
    const outcome = await partner.send(port, request, keeps);
    const now = performance.now();
    tally.longest = Math.max(tally.longest, now - sentAt);
    if (outcome === "overdue") tally.overdue += 1;
    if (typeof outcome === "object") {
      if (outcome.status < 300) tally.lastSuccessAt = now;
      if (outcome.status === 503) tally.lastUnavailableAt = now;
    }
    return outcome;
  }
}
