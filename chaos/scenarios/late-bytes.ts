/**
 * The network holds the last bytes of postings, the service loses the connection, and the bytes are delivered later. In
 * each pair of commands the debit can only succeed after the credit. A rejected command must never take effect later.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { HeldBytes } from "../../test/support/database-proxy.ts";
import type { Outcome } from "../../test/support/http-connection.ts";
import { type Random, randomFrom } from "../../test/support/random.ts";
import { none, type Result, times } from "../../test/support/runs/report.ts";
import { Violations } from "../../test/support/runs/run.ts";
import type { Chaos } from "../chaos.ts";
import { type Command, comparePartners, nameOf, Partner } from "../load/partner.ts";
import type { Pair } from "../pair.ts";

export interface LateBytesSize {
  readonly rounds: number;
  /** The longest delay of the bytes. */
  readonly delayMilliseconds: number;
  /** After this many rounds, the first process is killed and started again, and gets the retries. */
  readonly restartEvery: number;
}

interface Dependent {
  readonly credit: Command;
  readonly debit: Command;
}

const pairsEach = 3;
const amount = 100;
/** Without the marker until then, the service sends its statements in fewer bursts. */
const markedWithinMilliseconds = 5000;

export async function lateBytes(chaos: Chaos, pair: Pair, size: LateBytesSize): Promise<Result> {
  const { first, second, proxy, service, operator } = pair;
  const random = randomFrom(chaos.seed);
  const partner = await Partner.open(chaos, operator, second);
  const verdicts = new Verdicts();
  let [round, held, delivered] = [0, 0, 0];
  for (; chaos.goesOn(round >= size.rounds); round++) {
    const dependents = await prepare(pair, partner, round);
    // The marker is in one of the commands.
    const marker = random.pick(dependents)[random.pick(["credit", "debit"] as const)].body.idempotency_key;
    const order = {
      burst: 1 + random.below(2),
      messages: 1 + random.below(6),
      share: random.pick([0, 0, 0.3, 0.9]),
    };
    const holding = proxy.hold({ ...order, marker }, markedWithinMilliseconds);
    const commands = dependents.flatMap(({ credit, debit }) => [credit, debit]);
    const responded = partner.sendAll(first, commands);
    const bytes = await holding;
    const restart = round % size.restartEvery === size.restartEvery - 1;
    if (restart) {
      await service.kill();
      service.launch();
      await service.ready();
    }
    // A retry comes after the first try has ended.
    for (const [nth, outcome] of (await responded).entries())
      verdicts.note(commands[nth] as Command, outcome);
    const retrying = retryAll(partner, restart ? first : second, dependents, random, verdicts);
    await Promise.all([
      retrying,
      bytes &&
        deliver(bytes, retrying, random, size.delayMilliseconds).then((listened) => {
          held += 1;
          if (listened) delivered += 1;
        }),
    ]);
    for (const { credit } of dependents) verdicts.note(credit, await partner.settle(second, credit));
    if ((round + 1) % 20 === 0) chaos.say(`${round + 1} rounds, ${verdicts.violations.count} violations`);
  }
  const late = await verdicts.countLate(pair, partner);
  const compared = await comparePartners([partner], verdicts.violations, operator);
  return {
    violations: verdicts.violations.list(),
    figures: [
      times("rounds", round, size.rounds),
      times("connections whose last bytes were held", held),
      times("of these delivered to a server that listened", delivered),
      times("commands rejected", verdicts.rejected.size),
      none("rejected commands that took effect", late),
      none("debits rejected after their credit was acknowledged", verdicts.unfounded),
      ...compared.figures(),
    ],
  };
}

/** Makes pairs with accounts of their own. The first process has written to the business by then. */
async function prepare({ first, second }: Pair, partner: Partner, round: number): Promise<Dependent[]> {
  const contactIds: number[] = [];
  for (let nth = 0; nth < pairsEach; nth++) {
    contactIds.push(await partner.member(second, `round-${round}-member-${nth}`));
  }
  for (let nth = 0; nth < 3; nth++) {
    const key = `round-${round}-before-${nth}`;
    await partner.settle(first, partner.adjustment(key, contactIds[0] as number, 1));
  }
  return contactIds.map((contactId, nth) => ({
    credit: partner.adjustment(`round-${round}-credit-${nth}`, contactId, amount),
    debit: partner.adjustment(`round-${round}-debit-${nth}`, contactId, -amount),
  }));
}

/** Delivers the bytes after a while, or after the retries. @returns whether the server still listened */
async function deliver(
  bytes: HeldBytes,
  retrying: Promise<void>,
  random: Random,
  delay: number,
): Promise<boolean> {
  if (random.chance(0.5)) await sleep(100 + random.below(delay));
  // The server may hold the ledger's lock for these bytes. Then the retries wait for them.
  else await Promise.race([retrying, sleep(delay)]);
  const listened = bytes.deliver();
  // They take effect before the ledger is read.
  await sleep(100);
  return listened;
}

/** Sends pairs again, mostly the debit first, which is then rejected. */
async function retryAll(
  partner: Partner,
  port: number,
  dependents: readonly Dependent[],
  random: Random,
  verdicts: Verdicts,
): Promise<void> {
  for (const { credit, debit } of dependents) {
    const creditFirst = random.chance(0.25);
    if (creditFirst) verdicts.note(credit, await partner.settle(port, credit));
    const outcome = await partner.settle(port, debit);
    verdicts.note(debit, outcome);
    if (!creditFirst || outcome.status < 300) continue;
    verdicts.unfounded += 1;
    verdicts.violations.add(`after its credit, ${debit.body.idempotency_key} got ${outcome.body}`);
  }
}

class Verdicts {
  readonly violations = new Violations();
  /** Keys whose last outcome is a rejection. */
  readonly rejected = new Set<string>();
  unfounded = 0;

  note({ body }: Command, outcome: Outcome): void {
    if (typeof outcome === "string" || outcome.status === 503) return;
    const key = body.idempotency_key;
    if (outcome.status < 300) {
      this.rejected.delete(key);
      return;
    }
    this.rejected.add(key);
    if (nameOf(outcome) === "insufficient_balance" && body.adjustment_type === "debit") return;
    this.violations.add(`${key} got ${outcome.body}`);
  }

  async countLate({ operator }: Pair, { business }: Partner): Promise<number> {
    let late = 0;
    for await (const { entry_no, reason } of operator.entries(business.businessId)) {
      if (!this.rejected.has(reason ?? "")) continue;
      late += 1;
      this.violations.add(`${reason} was rejected, and took effect later in entry ${entry_no}`);
    }
    return late;
  }
}
