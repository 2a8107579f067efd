/** One idempotency key arrives many times at once: one request takes effect, and all with its body get one response. */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import {
  HttpConnection,
  type HttpResponse,
  isReplay,
  type Outcome,
  read,
} from "../../test/support/http-connection.ts";
import { randomFrom } from "../../test/support/random.ts";
import { type Fields, Operator } from "../../test/support/runs/operator.ts";
import { milliseconds, none, type Result, times } from "../../test/support/runs/report.ts";
import { Violations } from "../../test/support/runs/run.ts";
import { basePath, operatorKey } from "../../test/support/runs/service.ts";
import type { Chaos } from "../chaos.ts";
import { Author, kinds } from "../load/author.ts";
import { Load, longestOf, openPartners } from "../load/load.ts";
import { type Command, comparePartners, nameOf, Partner } from "../load/partner.ts";
import type { Pair } from "../pair.ts";

export interface DuplicatesSize {
  readonly rounds: number;
  /** How many times a key is sent at once. */
  readonly copies: number;
}

/** Every operation that writes, with one body or with two. @param port of a service with several processes */
export async function duplicates(chaos: Chaos, port: number, size: DuplicatesSize): Promise<Result> {
  const operator = new Operator(chaos, port);
  const partner = await Partner.open(chaos, operator, port, { locations: 2, tiers: 2, programs: 2 });
  const random = randomFrom(chaos.seed);
  const contactId = await partner.member(port, "first-member");
  const keys = new Keys();
  // Enough money for every debit.
  const funding = partner.adjustment("first-wallet", contactId, 1_000_000_000);
  const { location_id: _, amount: points, ...fields } = funding.body;
  const pointsFunding = {
    ...fields,
    points: points as number,
    idempotency_key: "first-points",
    reason: "first-points",
  };
  await partner.settle(port, funding);
  await partner.settle(port, { path: "/sp/reward-points/adjust", body: pointsFunding });
  await partner.settle(port, {
    path: "/sp/reward-settings/update",
    body: { idempotency_key: "on", enable_rp: true },
  });
  const author = new Author("duplicates", 1, random, partner, [contactId]);
  let [done, mixed] = [0, 0];
  for (; chaos.goesOn(done >= size.rounds); done++) {
    const kind = random.pick(kinds);
    const key = author.nextKey();
    const first = author.write(kind, key);
    // Another body for the same path.
    let second = author.write(kind, key);
    while (second.path !== first.path) second = author.write(kind, key);
    if (done % 2 === 1) mixed += 1;
    const sent = Array.from({ length: size.copies }, () =>
      done % 2 === 1 && random.chance(0.5) ? second : first,
    );
    const winner = keys.judge(sent, await partner.sendAll(port, sent));
    if (winner !== undefined) author.learn(winner.command, winner.data);
    if ((done + 1) % 200 === 0) chaos.say(`${done + 1} rounds, ${keys.violations.count} violations`);
  }
  const compared = await comparePartners([partner], keys.violations, operator);
  return {
    violations: keys.violations.list(),
    figures: [
      times("rounds", done, size.rounds),
      times("of these with two bodies", mixed),
      times("requests", done * size.copies),
      ...keys.figures(),
      ...compared.figures(),
    ],
  };
}

export interface SharedKeysSize {
  readonly rounds: number;
  /** Members of an import. Imports follow one another. */
  readonly lines: number;
  readonly businesses: number;
}

const keysAtOnce = 4;

/** One key for a write and a posting, during imports of the same business and postings of others. */
export async function sharedKeys(chaos: Chaos, pair: Pair, size: SharedKeysSize): Promise<Result> {
  const { operator, first, second } = pair;
  const partner = await Partner.open(chaos, operator, first);
  const partners = await openPartners(chaos, operator, first, size.businesses);
  const contactId = await partner.member(first, "shared-keys-member");
  const random = randomFrom(chaos.seed);
  const keys = new Keys();
  const { violations } = keys;
  const shape = { ports: [first, second], partners, operator, writersEach: 2, seed: chaos.seed };
  const load = await Load.start({ ...shape, writes: "credits" }, violations);
  const imports = startImports(pair, partner, size.lines, violations);
  const useTwice = async (key: string) => {
    // A creation waits for an import of members, which waits for the ledger.
    const write = random.chance(0.5) ? partner.creation(key) : partner.renaming(key, contactId);
    const commands: Command[] = [write, partner.adjustment(key, contactId, 1)];
    if (random.chance(0.5)) commands.reverse();
    const send = (command: Command) => partner.send(random.pick([first, second]), command);
    keys.judge(commands, await Promise.all(commands.map(send)));
  };
  let rounds = 0;
  for (; chaos.goesOn(rounds >= size.rounds); rounds++) {
    await Promise.all(
      Array.from({ length: keysAtOnce }, (_, nth) => useTwice(`shared-key-${rounds}-${nth}`)),
    );
  }
  const imported = await imports.stop();
  await load.stop();
  await operator.verify(partner.business.businessId, violations);
  return {
    violations: violations.list(),
    figures: [
      times("rounds", rounds, size.rounds),
      ...keys.figures(),
      times("imports meanwhile", imported.length),
      milliseconds("the longest import", Math.max(0, ...imported)),
      times("requests of other businesses", load.responses.length),
      none("of these without success", load.failed()),
      milliseconds("their 99th percentile", longestOf(load.responses, 0.99)),
    ],
  };
}

const reused = "idempotency_key_reused_with_different_payload";

/** Judges the responses to requests that shared a key. */
class Keys {
  readonly violations = new Violations();
  #amiss = 0;
  #different = 0;
  #accepted = 0;

  /** @returns the command that took effect */
  judge(
    sent: readonly Command[],
    outcomes: readonly Outcome[],
  ): { command: Command; data: Fields } | undefined {
    const first = outcomes.findIndex((outcome) => nameOf(outcome) === "ok");
    const command = sent[first];
    const key = sent[0]?.body.idempotency_key;
    if (command === undefined) {
      this.#amiss += 1;
      this.violations.add(`${key}: no success, such as ${JSON.stringify(outcomes[0])}`);
      return undefined;
    }
    const done = outcomes[first] as HttpResponse;
    const [payload, response] = [JSON.stringify(command), `${done.status} ${done.body}`];
    let originals = 0;
    for (const [nth, outcome] of outcomes.entries()) {
      if (JSON.stringify(sent[nth]) !== payload) {
        if (nameOf(outcome) === reused) continue;
        this.#accepted += 1;
        this.violations.add(`${key}: another body got ${JSON.stringify(outcome)}`);
      } else if (typeof outcome === "string" || `${outcome.status} ${outcome.body}` !== response) {
        this.#different += 1;
        this.violations.add(`${key}: ${response} and ${JSON.stringify(outcome)} for one body`);
      } else if (!isReplay(outcome)) originals += 1;
    }
    if (originals !== 1) {
      this.#amiss += 1;
      this.violations.add(`${key}: ${originals} responses that are no replay, such as ${done.body}`);
    }
    return { command, data: read<Fields>(done).data };
  }

  figures() {
    return [
      none("keys without exactly one effect", this.#amiss),
      none("different responses to one body", this.#different),
      none("other bodies not rejected", this.#accepted),
    ];
  }
}

/** Imports members with balances, one import after the other. `stop` returns how long each took. */
function startImports({ second }: Pair, { business }: Partner, lines: number, violations: Violations) {
  const connection = new HttpConnection(second, 60_000);
  const took: number[] = [];
  let running = true;
  const importOnce = () => {
    const members = Array.from({ length: lines }, (_, nth) => ({
      line: nth + 1,
      first_name: "Imported",
      last_name: "Member",
      phone_number: `+33${100_000_000 + took.length * lines + nth}`,
      wallet_balance: 100,
    }));
    const body = { idempotency_key: randomUUID(), business_id: business.businessId, lines: members };
    return connection.post(`${basePath}/op/imports/members`, JSON.stringify(body), `Bearer ${operatorKey}`);
  };
  const working = (async () => {
    while (running) {
      const startedAt = performance.now();
      const outcome = await importOnce();
      took.push(performance.now() - startedAt);
      const isDone = typeof outcome === "object" && outcome.status < 300;
      if (isDone && read<{ imported: number }>(outcome).data.imported === lines) continue;
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
