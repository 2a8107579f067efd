/**
 * One key for a write and a posting at the same time, beside imports of the same business and postings of others:
 * one use of the key succeeds, the other is told that the key was used, and nobody gets a 5xx.
 */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { HttpConnection, read } from "../../test/support/http-connection.ts";
import { type Random, randomFrom } from "../../test/support/random.ts";
import { type Chaos, milliseconds, none, type Result, Violations } from "../chaos.ts";
import { type Command, nameOf, Partner } from "../load/partner.ts";
import { longestOf, SteadyCallers } from "../load/steady-callers.ts";
import type { Pair } from "../pair.ts";
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
  const partner = await Partner.open(chaos, operator, first);
  const others: Partner[] = [];
  for (let count = 0; count < size.businesses; count++) {
    others.push(await Partner.open(chaos, operator, first));
  }
  const contactId = await partner.member(first, "shared-keys-member");
  const callers = await SteadyCallers.start(others, [first, second]);
  const random = randomFrom(chaos.seed);
  const imports = startImports(pair, partner, size.lines, violations);
  let [rounds, amiss] = [0, 0];
  for (; chaos.goesOn(rounds >= size.rounds); rounds++) {
    const uses = Array.from({ length: keysEach }, async (_, nth) => {
      const key = `shared-key-${rounds}-${nth}`;
      const outcomes = await useTwice(pair, partner, key, contactId, random);
      if (outcomes.map(nameOf).sort().join() === `${reused},ok`) return;
      amiss += 1;
      violations.add(`${key} was answered with ${JSON.stringify(outcomes)}`);
    });
    await Promise.all(uses);
  }
  const imported = await imports.stop();
  await callers.stop();
  await operator.verify(partner.business.businessId, violations);
  return {
    violations: violations.list(),
    figures: [
      { what: "rounds", value: rounds, aim: size.rounds },
      none("keys without exactly one success and one refusal", amiss),
      { what: "imports beside them", value: imported.length },
      milliseconds("the longest import", Math.max(0, ...imported)),
      { what: "requests of other businesses", value: callers.answers.length },
      none("of these without success", callers.failed(violations)),
      milliseconds("their p99", longestOf(callers.answers, 0.99)),
    ],
  };
}

/** Sends a write and a posting under one key at the same time. */
function useTwice({ first, second }: Pair, partner: Partner, key: string, contactId: number, random: Random) {
  // A creation waits for an import of members, which waits for the ledger.
  const write = random.chance(0.5) ? partner.creation(key) : partner.renaming(key, contactId);
  const commands: Command[] = [write, partner.adjustment(key, contactId, 1)];
  if (random.chance(0.5)) commands.reverse();
  return Promise.all(commands.map((command) => partner.send(random.pick([first, second]), command)));
}

/** Imports members with opening entries, one chunk after the other. @returns stop, which tells how long each took */
function startImports(
  { second }: Pair,
  { business: { businessId } }: Partner,
  lines: number,
  violations: Violations,
): { stop: () => Promise<number[]> } {
  const connection = new HttpConnection(second, 60_000);
  const took: number[] = [];
  let running = true;
  const importOnce = () => {
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
    return connection.post(path, JSON.stringify(body), `Bearer ${operatorKey}`);
  };
  const working = (async () => {
    while (running) {
      const startedAt = performance.now();
      const outcome = await importOnce();
      took.push(performance.now() - startedAt);
      const imported = nameOf(outcome) === "ok" && typeof outcome === "object";
      if (imported && read<{ imported: number }>(outcome).data.imported === lines) continue;
      violations.add(`an import got ${JSON.stringify(outcome)}`);
      await sleep(100);
    }
  })();
  return {
    async stop() {
      running = false;
      await working;
      connection.close();
      return took;
    },
  };
}
