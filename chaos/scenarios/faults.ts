/**
 * The network between the service and its database fails in every way, under a mixed load: nothing is acknowledged
 * that is not so, every request is answered in time, and all is well soon after.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { median } from "../../bench/report.ts";
import type { Database } from "../../src/database/connection.ts";
import type { DatabaseProxy, Weather } from "../../test/support/database-proxy.ts";
import { HttpConnection } from "../../test/support/http-connection.ts";
import { type Random, randomFrom } from "../../test/support/random.ts";
import { type Chaos, eventually, milliseconds, none, type Result } from "../chaos.ts";
import { type LoadSize, MixedLoad, overdueMilliseconds } from "../load/mixed-load.ts";
import { Operator } from "../operator.ts";
import { startProxiedDatabase, urlOf } from "../pair.ts";
import { isReady, Service } from "../service.ts";

export interface FaultsSize extends LoadSize {
  /** Connections cut or reset. */
  readonly cuts: number;
  /** Spells in which the database is slow, away or silent. */
  readonly spells: number;
  /** How long a spell is, at most; every tenth is longer than any request may take. */
  readonly spellMilliseconds: number;
}

/** A request is answered within 15 seconds; a busy machine may be late with the answer. */
const answeredWithinMilliseconds = 17_000;
const healedWithinMilliseconds = 2000;
/** Readiness asks the database, and takes two seconds without an answer for a no. */
const noticedAfterMilliseconds = 2500;
const longSpellMilliseconds = 20_000;
const calmMilliseconds = 500;

export async function faults(chaos: Chaos, size: FaultsSize): Promise<Result> {
  const { admin, openProxy } = await startProxiedDatabase(chaos);
  const proxy = await openProxy();
  const { port } = await Service.start(chaos, { databaseUrl: urlOf(proxy) });
  const load = await MixedLoad.start(chaos, new Operator(chaos, port), port, size);
  const storm = new Storm(chaos, size, { proxy, load, port, admin });
  await storm.rage();
  await load.stop();
  const figures = [
    { what: "connections cut or reset", value: storm.cuts, aim: size.cuts },
    { what: "of these around a commit", value: storm.aroundCommits },
    { what: "spells of slowness, absence and silence", value: storm.spells, aim: size.spells },
    { what: "spells in which nothing may be written", value: storm.readOnlySpells },
    ...(await load.figures()),
    milliseconds("longest request", load.tally.longest, answeredWithinMilliseconds),
    none("spells that readiness did not tell of", storm.unnoticed),
    milliseconds("healed after, median", median(storm.healed)),
    milliseconds("healed after, at most", Math.max(0, ...storm.healed), healedWithinMilliseconds),
  ];
  return { violations: load.violations.list(), figures };
}

interface StormParts {
  readonly proxy: DatabaseProxy;
  readonly load: MixedLoad;
  /** Of the service. */
  readonly port: number;
  /** Goes to the database directly. */
  readonly admin: Database;
}

class Storm {
  cuts = 0;
  aroundCommits = 0;
  spells = 0;
  unnoticed = 0;
  readOnlySpells = 0;
  /** Milliseconds from the end of a spell until requests succeed and the service says that it is ready. */
  readonly healed: number[] = [];
  readonly #chaos: Chaos;
  readonly #size: FaultsSize;
  readonly #parts: StormParts;
  readonly #random: Random;
  readonly #health: HttpConnection;

  constructor(chaos: Chaos, size: FaultsSize, parts: StormParts) {
    this.#chaos = chaos;
    this.#size = size;
    this.#parts = parts;
    this.#random = randomFrom(chaos.seed);
    this.#health = new HttpConnection(parts.port, overdueMilliseconds);
  }

  async rage(): Promise<void> {
    const { cuts, spells } = this.#size;
    while (this.#chaos.goesOn(this.cuts >= cuts && this.spells >= spells)) {
      // As many cuts to a spell as are wanted altogether.
      for (let nth = 0; nth < Math.ceil(cuts / spells); nth++) await this.#cut();
      // So that requests are under way when it begins.
      await sleep(calmMilliseconds);
      await this.#spell();
      if (this.spells % 4 === 0) await this.#readOnlySpell();
      const { tally, violations } = this.#parts.load;
      this.#chaos.say(
        `${this.cuts} cuts, ${this.spells} spells, ${tally.acknowledged} acknowledged, ${violations.count} violations`,
      );
    }
    this.#health.close();
  }

  async #cut(): Promise<void> {
    this.cuts += 1;
    if (this.#random.chance(0.05)) return this.#parts.proxy.reset();
    const at = this.#random.pick(["request", "answer"] as const);
    const commit = this.#random.chance(0.5);
    if (commit) this.aroundCommits += 1;
    const cut = { at, share: this.#random.pick([0, 0.5, 1]), ...(commit && { command: "COMMIT" }) };
    await Promise.race([this.#parts.proxy.cut(cut), sleep(2000)]);
    await sleep(this.#random.below(50));
  }

  async #spell(): Promise<void> {
    this.spells += 1;
    const long = this.spells % 10 === 0;
    const milliseconds = long
      ? longSpellMilliseconds
      : 300 + this.#random.below(this.#size.spellMilliseconds);
    const slow = { slowMilliseconds: this.#random.pick([5, 50, 300]) };
    const weather = long ? "silent" : this.#random.pick<Weather>([slow, "away", "silent"]);
    this.#parts.proxy.become(weather);
    const noticed = await this.#isNoticed(weather, milliseconds);
    this.#parts.proxy.become("clear");
    const clearedAt = performance.now();
    if (!noticed) {
      this.unnoticed += 1;
      this.#parts.load.violations.add(
        `ready throughout ${milliseconds} ms in which the database was ${JSON.stringify(weather)}`,
      );
    }
    await this.#heal(clearedAt);
    if (weather !== slow) this.healed.push(performance.now() - clearedAt);
  }

  async #heal(clearedAt: number): Promise<void> {
    await eventually("requests succeed", 60_000, () => this.#parts.load.tally.lastSuccessAt > clearedAt);
    await eventually("readiness", 60_000, () => isReady(this.#health));
  }

  /** A database that takes no writes: those ask for a retry, reads go on, and nobody has to start anything again. */
  async #readOnlySpell(): Promise<void> {
    const { admin, load } = this.#parts;
    this.readOnlySpells += 1;
    await admin`ALTER SYSTEM SET default_transaction_read_only = on`;
    await admin`SELECT pg_reload_conf()`;
    const { tally } = load;
    await load.untilRefused(300, 10_000);
    const { acknowledged } = tally;
    const list = await load.listMembers();
    if (typeof list === "string" || list.status !== 200) {
      load.violations.add(`a database that can be read was not: ${JSON.stringify(list)}`);
    }
    await sleep(300);
    if (tally.acknowledged > acknowledged) load.violations.add("a database that takes no writes took some");
    await admin`ALTER SYSTEM RESET default_transaction_read_only`;
    await admin`SELECT pg_reload_conf()`;
    const clearedAt = performance.now();
    await load.untilWritten(clearedAt);
    this.healed.push(performance.now() - clearedAt);
  }

  /** Whether readiness turns false in time; a spell too short to be noticed, or only slow, need not be. */
  async #isNoticed(weather: Weather, milliseconds: number): Promise<boolean> {
    const until = performance.now() + milliseconds;
    const mustBe = weather === "away" || (weather === "silent" && milliseconds > noticedAfterMilliseconds);
    let noticed = false;
    while (mustBe && !noticed && performance.now() < until) {
      noticed = !(await isReady(this.#health));
      await sleep(10);
    }
    await sleep(Math.max(0, until - performance.now()));
    return noticed || !mustBe;
  }
}
