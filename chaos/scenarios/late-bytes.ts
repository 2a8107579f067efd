/**
 * The last bytes of postings are held by the network, the service loses the connection, and the bytes are delivered
 * later. Pairs of commands depend on each other: a debit can only succeed after the credit. What was refused
 * meanwhile must never take effect, what was acknowledged must be there once.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { HeldBytes } from "../../test/support/database-proxy.ts";
import type { Outcome } from "../../test/support/http-connection.ts";
import { type Random, randomFrom } from "../../test/support/random.ts";
import { type Chaos, none, type Result, Violations } from "../chaos.ts";
import { type Command, nameOf, Partner } from "../load/partner.ts";
import type { Pair } from "../pair.ts";

export interface LateBytesSize {
  readonly rounds: number;
  /** The bytes are delivered so much later, at most. */
  readonly delayMilliseconds: number;
  /** Every so many rounds, the first process is killed and started again, and gets the retries. */
  readonly restartEvery: number;
}

interface Dependent {
  readonly credit: Command;
  readonly debit: Command;
}

const pairsEach = 3;
const amount = 100;
/** A service that does not send the marker by then sends it in fewer bursts. */
const markedWithinMilliseconds = 1000;

export async function lateBytes(chaos: Chaos, pair: Pair, size: LateBytesSize): Promise<Result> {
  const partner = await Partner.open(chaos, pair.operator, pair.second);
  const rounds = new Rounds(chaos, pair, partner, size);
  while (chaos.goesOn(rounds.done >= size.rounds)) {
    await rounds.play();
    const { done, refused, violations } = rounds;
    if (done % 20 === 0)
      chaos.say(`${done} rounds, ${refused.size} refusals, ${violations.count} violations`);
  }
  const late = await rounds.countLateEffects();
  const found = await partner.compare(rounds.violations);
  return {
    violations: rounds.violations.list(),
    figures: [
      { what: "rounds", value: rounds.done, aim: size.rounds },
      { what: "connections whose last bytes were held", value: rounds.held },
      { what: "of these delivered to a server that listened", value: rounds.delivered },
      { what: "commands refused", value: rounds.refused.size },
      none("refused commands that took effect", late),
      none("debits refused after their credit was acknowledged", rounds.unfounded),
      ...found.figures(),
    ],
  };
}

class Rounds {
  readonly violations = new Violations();
  /** Keys whose last outcome is a refusal. */
  readonly refused = new Set<string>();
  done = 0;
  held = 0;
  delivered = 0;
  unfounded = 0;
  readonly #random: Random;
  readonly #pair: Pair;
  readonly #partner: Partner;
  readonly #size: LateBytesSize;

  constructor(chaos: Chaos, pair: Pair, partner: Partner, size: LateBytesSize) {
    this.#random = randomFrom(chaos.seed);
    this.#pair = pair;
    this.#partner = partner;
    this.#size = size;
  }

  async play(): Promise<void> {
    const random = this.#random;
    const { first, second, proxy } = this.#pair;
    const dependents = await this.#prepare();
    const burst = 1 + random.below(2);
    const order = { burst, messages: 1 + random.below(6), share: random.pick([0, 0, 0.3, 0.9]) };
    // Either half of a pair is on its way with the bytes that are held, or both are.
    const half = random.pick(["credit", "debit"] as const);
    const marker = random.pick(dependents)[half].body.idempotency_key;
    const holding = proxy.hold({ ...order, marker }, markedWithinMilliseconds);
    const commands = dependents.flatMap(({ credit, debit }) => [credit, debit]);
    const answered = this.#partner.sendAll(first, commands);
    const held = await holding;
    const restart = this.done % this.#size.restartEvery === this.#size.restartEvery - 1;
    if (restart) await this.#restartFirst();
    // A retry comes after the first try has ended, or it would be a second request at the same time.
    for (const [nth, outcome] of (await answered).entries()) this.#note(commands[nth] as Command, outcome);
    const retrying = this.#retryAll(restart ? first : second, dependents);
    await Promise.all([retrying, this.#deliver(held, retrying)]);
    for (const { credit } of dependents) this.#note(credit, await this.#partner.settle(second, credit));
    this.done += 1;
  }

  /** Makes pairs with accounts of their own; the first process knows the business by then. */
  async #prepare(): Promise<Dependent[]> {
    const { first, second } = this.#pair;
    const partner = this.#partner;
    const round = `round-${this.done}`;
    const contactIds: number[] = [];
    for (let nth = 0; nth < pairsEach; nth++)
      contactIds.push(await partner.member(second, `${round}-member-${nth}`));
    for (let nth = 0; nth < 3; nth++) {
      await partner.settle(first, partner.adjustment(`${round}-before-${nth}`, contactIds[0] as number, 1));
    }
    return contactIds.map((contactId, nth) => ({
      credit: partner.adjustment(`${round}-credit-${nth}`, contactId, amount),
      debit: partner.adjustment(`${round}-debit-${nth}`, contactId, -amount),
    }));
  }

  /** Delivers the bytes after some time, or right after the retries were answered. */
  async #deliver(held: HeldBytes | undefined, retrying: Promise<void>): Promise<void> {
    if (held === undefined) return;
    this.held += 1;
    const { delayMilliseconds } = this.#size;
    if (this.#random.chance(0.5)) await sleep(100 + this.#random.below(delayMilliseconds));
    // The server may hold the ledger's lock for these bytes: then the retries wait for them.
    else await Promise.race([retrying, sleep(delayMilliseconds)]);
    if (held.deliver()) this.delivered += 1;
    // What they do is done before the books are looked at.
    await sleep(100);
  }

  async #restartFirst(): Promise<void> {
    const { service } = this.#pair;
    await service.kill();
    service.launch();
    await service.ready();
  }

  async #retryAll(port: number, dependents: readonly Dependent[]): Promise<void> {
    for (const dependent of dependents) await this.#retry(port, dependent);
  }

  /** Sends a pair again, to another process or to a new one: mostly the debit first, which is refused then. */
  async #retry(port: number, { credit, debit }: Dependent): Promise<void> {
    const creditFirst = this.#random.chance(0.25);
    if (creditFirst) this.#note(credit, await this.#partner.settle(port, credit));
    const outcome = await this.#partner.settle(port, debit);
    this.#note(debit, outcome);
    if (!creditFirst || outcome.status < 300) return;
    this.unfounded += 1;
    this.violations.add(
      `the credit was acknowledged, then ${debit.body.idempotency_key} got ${outcome.body}`,
    );
  }

  #note({ body }: Command, outcome: Outcome): void {
    if (typeof outcome === "string" || outcome.status === 503) return;
    if (outcome.status < 300) {
      this.refused.delete(body.idempotency_key);
      return;
    }
    this.refused.add(body.idempotency_key);
    if (nameOf(outcome) === "insufficient_balance" && body.adjustment_type === "debit") return;
    this.violations.add(`${body.idempotency_key} was refused with ${outcome.body}`);
  }

  /** @returns how many commands took effect whose last outcome is a refusal */
  async countLateEffects(): Promise<number> {
    let late = 0;
    const { businessId } = this.#partner.business;
    for await (const { entry_no, reason } of this.#pair.operator.entries(businessId)) {
      if (!this.refused.has(reason ?? "")) continue;
      late += 1;
      this.violations.add(`${reason} was refused, and took effect later in entry ${entry_no}`);
    }
    return late;
  }
}
