/**
 * One key for a write and a posting at the same time, beside imports of the same business and postings of others:
 * one use of the key succeeds, the other is told that the key was used, and nobody gets a 5xx.
 */
import { randomUUID } from "node:crypto";
import { type Chaos, type Result, Violations } from "../chaos.ts";
import { Caller, type Outcome, read } from "../load/caller.ts";
import { verifyLedger } from "../load/comparison.ts";
import { type Command, nameOf, Partner } from "../load/partner.ts";
import {
  answersOf,
  isSuccess,
  longestOf,
  type SteadyCaller,
  startSteadyCallers,
  stopAll,
} from "../load/steady-caller.ts";
import type { Pair } from "../pair.ts";
import { type Random, randomFrom } from "../random.ts";
import { basePath, operatorKey } from "../service.ts";

export interface SharedKeysSize {
  readonly rounds: number;
  /** Members of an import; imports follow one another throughout. */
  readonly lines: number;
  readonly businesses: number;
}

const keysEach = 4;
const reused = "idempotency_key_reused_with_different_payload";

export async function sharedKeys(chaos: Chaos, pair: Pair, size: SharedKeysSize): Promise<Result> {
  const { operator, first, second } = pair;
  const violations = new Violations();
  const partner = await Partner.open(operator, first);
  const others: Partner[] = [];
  for (let count = 0; count < size.businesses; count++) others.push(await Partner.open(operator, first));
  try {
    const contactId = await partner.member(first, "shared-keys-member");
    const callers: SteadyCaller[] = [];
    for (const other of others) callers.push(...(await startSteadyCallers(other, [first, second])));
    const random = randomFrom(chaos.seed);
    const imports = startImports(pair, partner, { lines: size.lines, violations });
    let rounds = 0;
    let amiss = 0;
    while (chaos.goesOn(rounds >= size.rounds)) {
      amiss += await playRound(pair, partner, { rounds, contactId, random, violations });
      rounds += 1;
    }
    const imported = await imports.stop();
    await stopAll(callers);
    const answers = answersOf(callers);
    const failed = answers.filter((each) => !isSuccess(each));
    for (const { status } of failed) violations.add(`another business got ${status}`);
    await verifyLedger(operator, partner.business.businessId, violations);
    const none = { promised: { exactly: 0 } };
    return {
      violations: violations.list(),
      figures: [
        { what: "rounds", value: rounds, aim: size.rounds },
        { what: "keys without exactly one success and one refusal", value: amiss, ...none },
        { what: "imports beside them", value: imported.length },
        { what: "the longest import", value: Math.max(0, ...imported), unit: "ms" },
        { what: "requests of other businesses", value: answers.length },
        { what: "of these without success", value: failed.length, ...none },
        { what: "their p99", value: longestOf(answers, 0.99), unit: "ms" },
      ],
    };
  } finally {
    for (const each of [partner, ...others]) each.close();
  }
}

interface Round {
  readonly rounds: number;
  readonly contactId: number;
  readonly random: Random;
  readonly violations: Violations;
}

/** @returns of how many keys not exactly one use succeeded */
async function playRound(
  { first, second }: Pair,
  partner: Partner,
  { rounds, contactId, random, violations }: Round,
): Promise<number> {
  const uses = Array.from({ length: keysEach }, async (_, nth) => {
    const key = `shared-key-${rounds}-${nth}`;
    const update = {
      path: "/sp/members/update",
      body: { idempotency_key: key, contact_id: contactId, last_name: key },
    };
    // A creation waits for an import of members, which waits for the ledger.
    const write = random.chance(0.5) ? partner.creation(key) : update;
    const commands: Command[] = [write, partner.adjustment(key, contactId, 1)];
    if (random.chance(0.5)) commands.reverse();
    const outcomes = await Promise.all(
      commands.map((command) => partner.send(random.pick([first, second]), command)),
    );
    if (outcomes.map(nameOf).sort().join() === `${reused},ok`) return 0;
    violations.add(`${key} was answered with ${JSON.stringify(outcomes)}`);
    return 1;
  });
  return (await Promise.all(uses)).reduce((sum, each) => sum + each, 0 as number);
}

/** Imports members with opening entries, one chunk after the other. @returns stop, which tells how long each took */
function startImports(
  { second }: Pair,
  { business: { businessId } }: Partner,
  { lines, violations }: { readonly lines: number; readonly violations: Violations },
): { stop: () => Promise<number[]> } {
  const caller = new Caller(second, 60_000);
  const took: number[] = [];
  let running = true;
  const importOnce = async (): Promise<Outcome> => {
    const members = Array.from({ length: lines }, (_, nth) => ({
      line: nth + 1,
      digest: randomUUID().replaceAll("-", ""),
      first_name: "Imported",
      last_name: "Member",
      phone_number: `+33${100_000_000 + took.length * lines + nth}`,
      wallet_balance: 100,
    }));
    const body = { idempotency_key: randomUUID(), business_id: businessId, lines: members };
    const path = `${basePath}/op/imports/members`;
    return caller.post(path, JSON.stringify(body), `Bearer ${operatorKey}`);
  };
  const working = (async () => {
    while (running) {
      const startedAt = performance.now();
      const outcome = await importOnce();
      took.push(performance.now() - startedAt);
      const imported = nameOf(outcome) === "ok" && typeof outcome === "object";
      if (imported && read<{ imported: number }>(outcome).data.imported === lines) continue;
      violations.add(`an import got ${JSON.stringify(outcome)}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  })();
  return {
    async stop() {
      running = false;
      await working;
      caller.close();
      return took;
    },
  };
}
