/**
 * One idempotency key, sent many times at once to several processes: one effect, one answer to the byte, and
 * another body under the same key refused.
 */
import { type HttpAnswer, isReplay, type Outcome, read } from "../../test/support/http-connection.ts";
import { type Random, randomFrom } from "../../test/support/random.ts";
import { type Chaos, none, type Result, Violations } from "../chaos.ts";
import { type Command, nameOf, Partner } from "../load/partner.ts";
import { type Fields, Operator } from "../operator.ts";

export interface DuplicatesSize {
  readonly rounds: number;
  /** How many times a key is sent at once. */
  readonly copies: number;
}

/** @param port of a service with several processes */
export async function duplicates(chaos: Chaos, port: number, size: DuplicatesSize): Promise<Result> {
  const operator = new Operator(chaos, port);
  const partner = await Partner.open(chaos, operator, port, { locations: 2, tiers: 1, programs: 1 });
  const rounds = new Rounds(operator, partner, port, randomFrom(chaos.seed));
  await rounds.prepare();
  let [done, mixed] = [0, 0];
  for (; chaos.goesOn(done >= size.rounds); done++) {
    if (done % 2 === 1) mixed += 1;
    await rounds.play(done, size.copies);
    if ((done + 1) % 200 === 0) chaos.say(`${done + 1} rounds, ${rounds.violations.count} violations`);
  }
  const { lost, doubled, wrong } = await partner.compare(rounds.violations);
  return {
    violations: rounds.violations.list(),
    figures: [
      { what: "rounds", value: done, aim: size.rounds },
      { what: "of these with two bodies", value: mixed },
      { what: "requests", value: done * size.copies },
      none("rounds without exactly one effect", rounds.effectsAmiss + lost + doubled + wrong),
      none("answers to the same body that differ", rounds.unequal),
      none("other bodies not refused", rounds.unrefused),
    ],
  };
}

/** A write that a round sends: two bodies that would both be accepted, and what its answer must show. */
interface Write {
  readonly path: string;
  readonly bodies: readonly [Fields, Fields];
  /** Looks at the one answer, given which of the bodies it is to. @returns whether it shows exactly one effect */
  readonly isOneEffect: (data: Fields, body: Fields) => boolean;
}

class Rounds {
  readonly violations = new Violations();
  unequal = 0;
  unrefused = 0;
  effectsAmiss = 0;
  readonly #operator: Operator;
  readonly #partner: Partner;
  readonly #port: number;
  readonly #random: Random;
  #contactId = 0;
  #benefitId = 0;
  readonly #balances = { amount: 0, points: 0 };

  constructor(operator: Operator, partner: Partner, port: number, random: Random) {
    this.#operator = operator;
    this.#partner = partner;
    this.#port = port;
    this.#random = random;
  }

  async prepare(): Promise<void> {
    this.#contactId = await this.#partner.member(this.#port, "first-member");
    const [location_id = 0] = this.#partner.business.locationIds;
    const body = { idempotency_key: "first-benefit", title: "Benefit", amount: 100, location_id };
    const answer = await this.#partner.settle(this.#port, { path: "/sp/wallet/topup-benefits/create", body });
    this.#benefitId = read<{ benefit_id: number }>(answer).data.benefit_id;
  }

  /** Every other round sends two bodies. All are written to their connections before the first answer can be read. */
  async play(round: number, copies: number): Promise<void> {
    const key = `round-${round}`;
    const { path, ...write } = await this.#nextWrite(round, key);
    const commands = write.bodies.map((body): Command => ({ path, body: { idempotency_key: key, ...body } }));
    const which = Array.from({ length: copies }, () => (round % 2 === 1 && this.#random.chance(0.5) ? 1 : 0));
    const sent = which.map((body) => commands[body] as Command);
    this.#judge({ path, ...write }, `${key}, ${path}`, which, await this.#partner.sendAll(this.#port, sent));
  }

  #judge(write: Write, at: string, which: readonly number[], outcomes: readonly Outcome[]): void {
    const first = outcomes.findIndex((outcome) => nameOf(outcome) === "ok");
    if (first === -1) {
      this.effectsAmiss += 1;
      this.violations.add(`${at}: none succeeded, such as ${JSON.stringify(outcomes[0])}`);
      return;
    }
    const winner = which[first] as 0 | 1;
    const answer = outcomes[first] as HttpAnswer;
    let originals = 0;
    for (const [nth, outcome] of outcomes.entries()) {
      const same =
        typeof outcome === "object" && outcome.status === answer.status && outcome.body === answer.body;
      if (which[nth] !== winner) {
        if (nameOf(outcome) === "idempotency_key_reused_with_different_payload") continue;
        this.unrefused += 1;
        this.violations.add(`${at}: another body under the key got ${JSON.stringify(outcome)}`);
      } else if (!same) {
        this.unequal += 1;
        this.violations.add(
          `${at}: ${JSON.stringify(answer)} and ${JSON.stringify(outcome)} to the same body`,
        );
      } else if (!isReplay(outcome)) originals += 1;
    }
    const { data } = read<Fields>(answer);
    const created = write.path.endsWith("/create") ? 201 : 200;
    const isOne = originals === 1 && answer.status === created;
    if (isOne && write.isOneEffect(data, write.bodies[winner])) return;
    this.effectsAmiss += 1;
    this.violations.add(`${at}: ${originals} answers that are no replay, such as ${answer.body}`);
  }

  async #nextWrite(round: number, key: string): Promise<Write> {
    const { tierIds, programIds, locationIds } = this.#partner.business;
    const contact_id = this.#contactId;
    const [tier_id = 0] = tierIds;
    const [program_id = 0] = programIds;
    const [location_id = 0] = locationIds;
    /** The answer shows each field of the body that it has. */
    const write = (path: string, make: (name: string, nth: 0 | 1) => Fields): Write => ({
      path,
      bodies: [make(`name ${round}a`, 0), make(`name ${round}b`, 1)],
      isOneEffect: (data, body) =>
        Object.entries(data).every(([field, value]) => !(field in body) || body[field] === value),
    });
    switch (this.#random.below(13)) {
      case 0:
        return write("/sp/members/update", (last_name) => ({ contact_id, last_name }));
      case 1:
        return write("/sp/members/profile/update", (first_name) => ({ contact_id, first_name }));
      case 2:
        return write("/sp/members/password/change", (name) => ({
          contact_id,
          new_password: `long enough ${name}`,
        }));
      case 3: {
        const benefit_id = this.#benefitId;
        return write("/sp/wallet/topup-benefits/update", (title) => ({ benefit_id, title }));
      }
      case 4:
        return write("/sp/reward-settings/update", (rp_name) => ({ rp_name }));
      case 5:
        return write("/sp/reward-programs/update", (membership_name) => ({ program_id, membership_name }));
      case 6:
        return write("/sp/member-tiers/update", (name) => ({ tier_id, name }));
      case 7: {
        const tiers = [await this.#makeTier(), await this.#makeTier()] as const;
        const deletion = write("/sp/member-tiers/delete", (_, nth) => ({ tier_id: tiers[nth] }));
        return {
          ...deletion,
          isOneEffect: (data, body) => data.deleted === true && data.tier_id === body.tier_id,
        };
      }
      case 8:
        return write("/sp/members/create", (_, nth) => ({
          first_name: "Ana",
          last_name: "López",
          phone_number: `+34${700_000_000 + 2 * round + nth}`,
        }));
      case 9:
        return write("/sp/wallet/topup-benefits/create", (_, nth) => {
          return { title: `name ${round}`, amount: 100 * (1 + nth), location_id };
        });
      default:
        return this.#adjustment(key, this.#random.chance(0.5) ? "amount" : "points");
    }
  }

  async #makeTier(): Promise<number> {
    const { businessId } = this.#partner.business;
    const tier = { business_id: businessId, name: "Tier", expiry: 1, expiry_period: "day" };
    return (await this.#operator.write<{ tier_id: number }>("/op/tiers/create", tier)).tier_id;
  }

  /** The rounds go one after the other, so that the balance tells how often each took effect. */
  #adjustment(reason: string, field: "amount" | "points"): Write {
    const size = 1 + this.#random.below(1000);
    const debit = this.#balances[field] > 2 * size && this.#random.chance(0.5);
    const [location_id = 0] = this.#partner.business.locationIds;
    const body = (value: number): Fields => ({
      contact_id: this.#contactId,
      [field]: value,
      adjustment_type: debit ? "debit" : "credit",
      reason,
      ...(field === "amount" ? { location_id } : {}),
    });
    return {
      path: field === "amount" ? "/sp/wallet/adjust" : "/sp/reward-points/adjust",
      bodies: [body(size), body(size + 1)],
      isOneEffect: (data, sent) => {
        const expected = this.#balances[field] + Number(sent[field]) * (debit ? -1 : 1);
        this.#balances[field] = data.balance_after as number;
        return data.balance_after === expected;
      },
    };
  }
}
