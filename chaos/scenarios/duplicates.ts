/**
 * One idempotency key, sent many times at once to several processes: one effect, one answer to the byte, and
 * another body under the same key refused.
 */
import { authorize, type Business, makeBusiness, Operator } from "../business.ts";
import { type Chaos, type Result, Violations } from "../chaos.ts";
import { Caller, type HttpAnswer, type Outcome, read } from "../load/caller.ts";
import { exportedMembers, listed, verifyLedger } from "../load/comparison.ts";
import { type Random, randomFrom } from "../random.ts";
import { basePath } from "../service.ts";

export interface DuplicatesSize {
  readonly rounds: number;
  /** How many times a key is sent at once. */
  readonly copies: number;
}

const overdueMilliseconds = 30_000;

/** @param port of a service with several processes */
export async function duplicates(chaos: Chaos, port: number, size: DuplicatesSize): Promise<Result> {
  const operator = new Operator(port);
  const callers = Array.from({ length: size.copies }, () => new Caller(port, overdueMilliseconds));
  try {
    const business = await makeBusiness(operator, { locations: 2, tiers: 1, programs: 1, vouchers: 0 });
    const authorization = await authorize(port, business.credentials);
    const send = (nth: number, path: string, text: string) =>
      (callers[nth] as Caller).post(basePath + path, text, authorization);
    const rounds = new Rounds(operator, business, send, randomFrom(chaos.seed));
    await rounds.prepare();
    while (chaos.goesOn(rounds.done >= size.rounds)) {
      await rounds.play(size.copies);
      if (rounds.done % 200 === 0) chaos.say(`${rounds.done} rounds, ${rounds.violations.count} violations`);
    }
    await rounds.countEffects();
    await verifyLedger(operator, business.businessId, rounds.violations);
    return rounds.result(size);
  } finally {
    for (const caller of callers) caller.close();
    operator.close();
  }
}

type Body = Record<string, unknown>;

/** A write that a round sends: two bodies that would both be accepted, and what its answer must show. */
interface Write {
  readonly path: string;
  readonly status: number;
  readonly bodies: readonly [Body, Body];
  /** Looks at the one answer, given which of the bodies it is to. @returns whether it shows exactly one effect */
  readonly isOneEffect: (data: Record<string, unknown>, body: Body) => boolean;
}

class Rounds {
  readonly violations = new Violations();
  done = 0;
  readonly #operator: Operator;
  readonly #business: Business;
  readonly #send: (nth: number, path: string, text: string) => Promise<Outcome>;
  readonly #random: Random;
  #contactId = 0;
  #benefitId = 0;
  readonly #balances = { wallet: 0, points: 0 };
  #members = 1;
  #benefits = 1;
  #mixed = 0;
  #requests = 0;
  #unequal = 0;
  #unrefused = 0;
  #effectsAmiss = 0;

  constructor(
    operator: Operator,
    business: Business,
    send: (nth: number, path: string, text: string) => Promise<Outcome>,
    random: Random,
  ) {
    this.#operator = operator;
    this.#business = business;
    this.#send = send;
    this.#random = random;
  }

  async prepare(): Promise<void> {
    const member = { first_name: "Ana", last_name: "López", phone_number: "+34600000000" };
    this.#contactId = await this.#make("/sp/members/create", member, "contact_id");
    const location_id = this.#business.locationIds[0];
    const benefit = { title: "Benefit", amount: 100, location_id };
    this.#benefitId = await this.#make("/sp/wallet/topup-benefits/create", benefit, "benefit_id");
  }

  async #make(path: string, body: Body, id: string): Promise<number> {
    const outcome = await this.#send(
      0,
      path,
      JSON.stringify({ idempotency_key: `first ${path}`.replaceAll(" ", "-"), ...body }),
    );
    if (typeof outcome === "string" || outcome.status !== 201)
      throw new Error(`${path}: ${JSON.stringify(outcome)}`);
    return read<Record<string, number>>(outcome).data[id] as number;
  }

  async play(copies: number): Promise<void> {
    const write = await this.#nextWrite();
    const mixed = this.done % 2 === 1;
    const idempotency_key = `round-${this.done}`;
    const texts = write.bodies.map((body) => JSON.stringify({ idempotency_key, ...body }));
    const which = Array.from({ length: copies }, () => (mixed && this.#random.chance(0.5) ? 1 : 0));
    // All are written to their connections before the first answer can be read.
    const outcomes = await Promise.all(
      which.map((body, nth) => this.#send(nth, write.path, texts[body] as string)),
    );
    this.done += 1;
    if (mixed) this.#mixed += 1;
    this.#requests += copies;
    this.#judge(write, which, outcomes);
  }

  #judge(write: Write, which: readonly number[], outcomes: readonly Outcome[]): void {
    const at = `round ${this.done - 1}, ${write.path}`;
    const first = outcomes.findIndex(
      (outcome) => typeof outcome === "object" && outcome.status === write.status,
    );
    if (first === -1) {
      this.#effectsAmiss += 1;
      this.violations.add(`${at}: none succeeded, such as ${JSON.stringify(outcomes[0])}`);
      return;
    }
    const winner = which[first] as 0 | 1;
    const answer = outcomes[first] as HttpAnswer;
    let originals = 0;
    for (const [nth, outcome] of outcomes.entries()) {
      if (which[nth] !== winner) {
        if (isReuse(outcome)) continue;
        this.#unrefused += 1;
        this.violations.add(`${at}: another body under the key got ${JSON.stringify(outcome)}`);
      } else if (
        typeof outcome === "string" ||
        outcome.status !== answer.status ||
        outcome.body !== answer.body
      ) {
        this.#unequal += 1;
        this.violations.add(
          `${at}: ${JSON.stringify(answer)} and ${JSON.stringify(outcome)} to the same body`,
        );
      } else if (!outcome.replayed) originals += 1;
    }
    const { data } = read<Record<string, unknown>>(answer);
    if (originals === 1 && write.isOneEffect(data, write.bodies[winner])) return;
    this.#effectsAmiss += 1;
    this.violations.add(`${at}: ${originals} answers that are no replay, such as ${answer.body}`);
  }

  async #nextWrite(): Promise<Write> {
    const contact_id = this.#contactId;
    const name = `name ${this.done}`;
    const pair = (make: (suffix: string) => Body): [Body, Body] => [make("a"), make("b")];
    const shows = (data: Body, body: Body) =>
      Object.entries(data).every(([field, value]) => !(field in body) || body[field] === value);
    const update = (path: string, make: (suffix: string) => Body): Write => ({
      path,
      status: 200,
      bodies: pair(make),
      isOneEffect: shows,
    });
    switch (this.#random.below(13)) {
      case 0:
        return update("/sp/members/update", (suffix) => ({ contact_id, last_name: name + suffix }));
      case 1:
        return update("/sp/members/profile/update", (suffix) => ({ contact_id, first_name: name + suffix }));
      case 2: {
        const passwords = pair((suffix) => ({ contact_id, new_password: `long enough ${name}${suffix}` }));
        return { path: "/sp/members/password/change", status: 200, bodies: passwords, isOneEffect: shows };
      }
      case 3:
        return update("/sp/wallet/topup-benefits/update", (suffix) => ({
          benefit_id: this.#benefitId,
          title: name + suffix,
        }));
      case 4:
        return update("/sp/reward-settings/update", (suffix) => ({ rp_name: name + suffix }));
      case 5:
        return update("/sp/reward-programs/update", (suffix) => ({
          program_id: this.#business.programIds[0],
          membership_name: name + suffix,
        }));
      case 6:
        return update("/sp/member-tiers/update", (suffix) => ({
          tier_id: this.#business.tierIds[0],
          name: name + suffix,
        }));
      case 7:
        return this.#tierDeletion();
      case 8:
        return this.#memberCreation();
      case 9:
        return this.#benefitCreation(name);
      default:
        return this.#adjustment(this.#random.chance(0.5) ? "wallet" : "points");
    }
  }

  async #tierDeletion(): Promise<Write> {
    const make = async () => {
      const tier = { business_id: this.#business.businessId, name: "Tier", expiry: 1, expiry_period: "day" };
      return this.#operator.write<{ tier_id: number }>("/op/tiers/create", tier);
    };
    const [one, other] = [await make(), await make()];
    return {
      path: "/sp/member-tiers/delete",
      status: 200,
      bodies: [{ tier_id: one.tier_id }, { tier_id: other.tier_id }],
      isOneEffect: (data, body) => data.deleted === true && data.tier_id === body.tier_id,
    };
  }

  #memberCreation(): Write {
    const person = (nth: number) => ({
      first_name: "Ana",
      last_name: "López",
      phone_number: `+34${700_000_000 + 2 * this.done + nth}`,
    });
    return {
      path: "/sp/members/create",
      status: 201,
      bodies: [person(0), person(1)],
      isOneEffect: (data, body) => {
        this.#members += 1;
        return data.phone_number === body.phone_number;
      },
    };
  }

  #benefitCreation(title: string): Write {
    const benefit = (amount: number) => ({ title, amount, location_id: this.#business.locationIds[0] });
    return {
      path: "/sp/wallet/topup-benefits/create",
      status: 201,
      bodies: [benefit(100), benefit(200)],
      isOneEffect: (data, body) => {
        this.#benefits += 1;
        return data.amount === body.amount;
      },
    };
  }

  /** The rounds go one after the other, so that the balance tells how often each took effect. */
  #adjustment(account: "wallet" | "points"): Write {
    const amount = 1 + this.#random.below(1000);
    const debit = this.#balances[account] > 2 * amount && this.#random.chance(0.5);
    const field = account === "wallet" ? "amount" : "points";
    const body = (value: number): Body => ({
      contact_id: this.#contactId,
      [field]: value,
      adjustment_type: debit ? "debit" : "credit",
      ...(account === "wallet" ? { location_id: this.#business.locationIds[0] } : {}),
    });
    return {
      path: account === "wallet" ? "/sp/wallet/adjust" : "/sp/reward-points/adjust",
      status: 200,
      bodies: [body(amount), body(amount + 1)],
      isOneEffect: (data, sent) => {
        const moved = Number(sent[field]) * (debit ? -1 : 1);
        const expected = this.#balances[account] + moved;
        this.#balances[account] = data.balance_after as number;
        return data.balance_after === expected;
      },
    };
  }

  /** What the answers can't show: how many records there are in the end. */
  async countEffects(): Promise<void> {
    const { businessId } = this.#business;
    const members = await exportedMembers(this.#operator, businessId);
    const benefits = await listed(this.#operator, "/op/topup-benefits/list", businessId, "benefit_id");
    if (members.size === this.#members && benefits.size === this.#benefits) return;
    this.#effectsAmiss += 1;
    this.violations.add(
      `${members.size} members and ${benefits.size} benefits are there, ` +
        `${this.#members} and ${this.#benefits} were acknowledged`,
    );
  }

  result({ rounds }: DuplicatesSize): Result {
    return {
      violations: this.violations.list(),
      figures: [
        { what: "rounds", value: this.done, aim: rounds },
        { what: "of these with two bodies", value: this.#mixed },
        { what: "requests", value: this.#requests },
        { what: "rounds without exactly one effect", value: this.#effectsAmiss, promised: { exactly: 0 } },
        { what: "answers to the same body that differ", value: this.#unequal, promised: { exactly: 0 } },
        { what: "other bodies not refused", value: this.#unrefused, promised: { exactly: 0 } },
      ],
    };
  }
}

function isReuse(outcome: Outcome): boolean {
  return (
    typeof outcome === "object" &&
    outcome.status === 422 &&
    read(outcome).error.code === "idempotency_key_reused_with_different_payload"
  );
}
