/**
 * The network between the service and its database fails in every way, under a mixed load: nothing is acknowledged
 * that is not so, every request is answered in time, and all is well soon after.
 */
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Database, openDatabase } from "../../src/database/connection.ts";
import { startEmbeddedDatabase } from "../../src/postgres/embedded.ts";
import { freePort } from "../../test/support/service-process.ts";
import { Operator } from "../business.ts";
import { type Chaos, eventually, type Figure, percentile, type Result } from "../chaos.ts";
import { Caller } from "../load/caller.ts";
import { loadFigures, type MixedLoad, startMixedLoad } from "../load/mixed-load.ts";
import { urlThrough } from "../pair.ts";
import { type Cut, type DatabaseProxy, startDatabaseProxy, type Weather } from "../proxy/database-proxy.ts";
import { type Random, randomFrom } from "../random.ts";
import { isReady, type RunningService, startService, untilReady } from "../service.ts";

export interface FaultsSize {
  /** Connections cut or reset. */
  readonly cuts: number;
  /** Spells in which the database is slow, away or silent. */
  readonly spells: number;
  readonly businesses: number;
  readonly writers: number;
  /** How long a spell is, at most; every tenth is longer than any request may take. */
  readonly spellMilliseconds: number;
}

/** A request is answered within 15 seconds; a busy machine may be late with the answer. */
const answeredWithinMilliseconds = 17_000;
const overdueMilliseconds = 20_000;
const healedWithinMilliseconds = 2000;
/** Readiness asks the database, and takes two seconds without an answer for a no. */
const noticedAfterMilliseconds = 2500;
const longSpellMilliseconds = 20_000;
const calmMilliseconds = 500;

export async function faults(chaos: Chaos, size: FaultsSize): Promise<Result> {
  const dataDirectory = join(await mkdtemp(join(chaos.directory, "faults-")), "data");
  const database = await startEmbeddedDatabase({ dataDirectory });
  const proxy = await startDatabaseProxy(database.connection);
  const admin = openDatabase(database.connection, {
    connections: 1,
    statementTimeoutMilliseconds: 10_000,
    applicationName: "loyalty chaos",
  });
  const service = startService(chaos, {
    port: await freePort(),
    dataDirectory: join(dataDirectory, "service"),
    environment: { DATABASE_URL: urlThrough(proxy.port, database.connection) },
  });
  const operator = new Operator(service.port);
  try {
    await untilReady(service);
    const load = await startMixedLoad({
      port: service.port,
      operator,
      businesses: size.businesses,
      writers: size.writers,
      members: 40,
      seed: chaos.seed,
      overdueMilliseconds,
    });
    const storm = new Storm(chaos, size, { proxy, load, service, admin });
    await storm.rage();
    await load.stop();
    return await resultOf(storm, size, load);
  } finally {
    operator.close();
    await service.process.stop();
    await proxy.close();
    await admin.end();
    await database.stop();
  }
}

async function resultOf(storm: Storm, size: FaultsSize, load: MixedLoad): Promise<Result> {
  const { tally, violations } = load;
  const found = await load.compare();
  const none = { promised: { exactly: 0 } };
  const figures: Figure[] = [
    { what: "connections cut or reset", value: storm.cuts, aim: size.cuts },
    { what: "of these around a commit", value: storm.aroundCommits },
    { what: "spells of slowness, absence and silence", value: storm.spells, aim: size.spells },
    { what: "spells in which nothing may be written", value: storm.readOnlySpells },
    { what: "writes acknowledged", value: tally.acknowledged },
    ...loadFigures(tally, found),
    {
      what: "longest request",
      value: tally.longest,
      unit: "ms",
      promised: { atMost: answeredWithinMilliseconds },
    },
    { what: "spells that readiness did not tell of", value: storm.unnoticed, ...none },
    { what: "healed after, median", value: percentile(storm.healed, 0.5), unit: "ms" },
    {
      what: "healed after, at most",
      value: percentile(storm.healed, 1),
      unit: "ms",
      promised: { atMost: healedWithinMilliseconds },
    },
  ];
  return { violations: violations.list(), figures };
}

const cuts: readonly Cut["at"][] = ["request", "answer", "commit request", "commit answer"];

interface StormParts {
  readonly proxy: DatabaseProxy;
  readonly load: MixedLoad;
  readonly service: RunningService;
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
  readonly #health: Caller;

  constructor(chaos: Chaos, size: FaultsSize, parts: StormParts) {
    this.#chaos = chaos;
    this.#size = size;
    this.#parts = parts;
    this.#random = randomFrom(chaos.seed);
    this.#health = new Caller(parts.service.port, overdueMilliseconds);
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
    if (this.#random.chance(0.05)) return this.#parts.proxy.resetAll();
    const at = this.#random.pick(cuts);
    if (at.startsWith("commit")) this.aroundCommits += 1;
    const share = this.#random.pick([0, 0.5, 1]);
    await Promise.race([this.#parts.proxy.cut({ at, share }), sleep(2000)]);
    await sleep(this.#random.below(50));
  }

  async #spell(): Promise<void> {
    this.spells += 1;
    const long = this.spells % 10 === 0;
    const milliseconds = long
      ? longSpellMilliseconds
      : 300 + this.#random.below(this.#size.spellMilliseconds);
    const weather: Weather = long
      ? { kind: "silent" }
      : this.#random.pick([
          { kind: "slow", milliseconds: this.#random.pick([5, 50, 300]) },
          { kind: "away" },
          { kind: "silent" },
        ]);
    this.#parts.proxy.become(weather);
    const noticed = await this.#isNoticed(weather, milliseconds);
    this.#parts.proxy.become({ kind: "clear" });
    const clearedAt = performance.now();
    if (!noticed) {
      this.unnoticed += 1;
      this.#parts.load.violations.add(
        `ready throughout ${milliseconds} ms in which the database was ${weather.kind}`,
      );
    }
    await this.#heal(clearedAt);
    if (weather.kind !== "slow") this.healed.push(performance.now() - clearedAt);
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
    await eventually("writes are refused", 10_000, () => {
      const quiet = performance.now() - tally.lastWriteAt > 300;
      return quiet && tally.lastUnavailableAt > tally.lastWriteAt;
    });
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
    await eventually("writes succeed", 60_000, () => tally.lastWriteAt > clearedAt);
    this.healed.push(performance.now() - clearedAt);
  }

  /** Whether readiness turns false in time; a spell too short to be noticed, or only slow, need not be. */
  async #isNoticed({ kind }: Weather, milliseconds: number): Promise<boolean> {
    const until = performance.now() + milliseconds;
    const mustBe = kind === "away" || (kind === "silent" && milliseconds > noticedAfterMilliseconds);
    let noticed = false;
    while (mustBe && !noticed && performance.now() < until) {
      noticed = !(await isReady(this.#health));
      await sleep(10);
    }
    await sleep(Math.max(0, until - performance.now()));
    return noticed || !mustBe;
  }
}
