/** The network between the service and its database fails in every way, under load. */
import { setTimeout as sleep } from "node:timers/promises";
import type { DatabaseProxy, Network } from "../../test/support/database-proxy.ts";
import { HttpConnection } from "../../test/support/http-connection.ts";
import { type Random, randomFrom } from "../../test/support/random.ts";
import { median, milliseconds, none, type Result, times } from "../../test/support/runs/report.ts";
import { eventually } from "../../test/support/runs/run.ts";
import { isReady, Service } from "../../test/support/runs/service.ts";
import type { Chaos } from "../chaos.ts";
import { type LoadSize, longestOf, startLoad, underLoad } from "../load/load.ts";
import { overdueMilliseconds } from "../load/partner.ts";
import { startProxiedDatabase, through } from "../pair.ts";

export interface FaultsSize extends LoadSize {
  /** Connections to cut or reset. */
  readonly cuts: number;
  /** Periods in which the network is slow, down or silent. */
  readonly periods: number;
  /** The longest of them, except that each tenth is longer than any request may take. */
  readonly periodMilliseconds: number;
}

/** A request gets a response within 15 s; a busy machine may deliver the response later. */
const responseWithinMilliseconds = 17_000;
const healedWithinMilliseconds = 2000;
/** Readiness asks the database, and waits two seconds for it. */
const noticedAfterMilliseconds = 2500;
const longestMilliseconds = 20_000;
const calmMilliseconds = 500;

export async function faults(chaos: Chaos, size: FaultsSize): Promise<Result> {
  const { admin, openProxy } = await startProxiedDatabase(chaos);
  const proxy = await openProxy();
  const { port } = await Service.start(chaos, { environment: through(proxy) });
  const load = await startLoad(chaos, port, size);
  const health = new HttpConnection(port, overdueMilliseconds);
  chaos.atEnd(() => health.close());
  const random = randomFrom(chaos.seed);
  const cutsEach = Math.ceil(size.cuts / size.periods);
  let [cuts, aroundCommits, unnoticed, readOnlyPeriods] = [0, 0, 0, 0];
  const healed: number[] = [];

  /** The network is bad for a while, then good again. */
  const badPeriod = async (nth: number) => {
    const isLong = nth % 10 === 0;
    const duration = isLong ? longestMilliseconds : 300 + random.below(size.periodMilliseconds);
    const slow = { slowMilliseconds: random.pick([5, 50, 300]) };
    const network = isLong ? "silent" : random.pick<Network>([slow, "down", "silent"]);
    proxy.setNetwork(network);
    const noticed = await isNoticed(health, network, duration);
    proxy.setNetwork("up");
    const clearedAt = performance.now();
    if (!noticed) {
      unnoticed += 1;
      load.violations.add(`ready for ${duration} ms without the database: ${JSON.stringify(network)}`);
    }
    await eventually("requests succeed", 60_000, () => load.lastSuccessAt > clearedAt);
    await eventually("readiness", 60_000, () => isReady(health));
    if (network !== slow) healed.push(performance.now() - clearedAt);
  };

  /** The database rejects writes: they get `service_unavailable`, reads succeed, and no restart is required. */
  const readOnlyPeriod = async () => {
    readOnlyPeriods += 1;
    await admin`ALTER SYSTEM SET default_transaction_read_only = on`;
    await admin`SELECT pg_reload_conf()`;
    await load.untilRejected(2000, 60_000);
    const { acknowledged } = load;
    const list = await load.shape.partners[0]?.send(port, { path: "/sp/members/list", body: {} });
    if (typeof list !== "object" || list.status !== 200)
      load.violations.add(`a read got ${JSON.stringify(list)}`);
    await sleep(300);
    if (load.acknowledged > acknowledged) load.violations.add("a write succeeded in a read-only database");
    await admin`ALTER SYSTEM RESET default_transaction_read_only`;
    await admin`SELECT pg_reload_conf()`;
    const clearedAt = performance.now();
    await load.untilWritten(clearedAt);
    healed.push(performance.now() - clearedAt);
  };

  const order = { what: "periods of a slow, down or silent network", times: size.periods };
  const figures = await underLoad(chaos, load, order, async (done) => {
    for (let nth = 0; nth < cutsEach; nth++) {
      cuts += 1;
      if (await cutOne(proxy, random)) aroundCommits += 1;
    }
    // Requests are in progress when the period begins.
    await sleep(calmMilliseconds);
    await badPeriod(done + 1);
    if ((done + 1) % 4 === 0) await readOnlyPeriod();
  });
  return {
    violations: load.violations.list(),
    figures: [
      times("connections cut or reset", cuts, size.cuts),
      times("of these around a commit", aroundCommits),
      times("periods in which the database rejected writes", readOnlyPeriods),
      ...figures,
      milliseconds("longest request, promised", longestOf(load.responses), responseWithinMilliseconds),
      none("periods that readiness did not report", unnoticed),
      milliseconds("recovered after, median", median(healed)),
      milliseconds("recovered after, at most", Math.max(0, ...healed), healedWithinMilliseconds),
    ],
  };
}

/** Resets all connections, or cuts one. @returns whether the cut is at a commit */
async function cutOne(proxy: DatabaseProxy, random: Random): Promise<boolean> {
  if (random.chance(0.05)) {
    proxy.reset();
    return false;
  }
  const isCommit = random.chance(0.5);
  const at = random.pick(["request", "response"] as const);
  const cut = { at, share: random.pick([0, 0.5, 1]), ...(isCommit && { command: "COMMIT" }) };
  await Promise.race([proxy.cut(cut), sleep(2000)]);
  await sleep(random.below(50));
  return isCommit;
}

/** Whether readiness reports the fault. It need not report a short silence, or a slow network. */
async function isNoticed(health: HttpConnection, network: Network, duration: number): Promise<boolean> {
  const until = performance.now() + duration;
  const mustBe = network === "down" || (network === "silent" && duration > noticedAfterMilliseconds);
  let noticed = false;
  while (mustBe && !noticed && performance.now() < until) {
    noticed = !(await isReady(health));
    await sleep(10);
  }
  await sleep(Math.max(0, until - performance.now()));
  return noticed || !mustBe;
}
