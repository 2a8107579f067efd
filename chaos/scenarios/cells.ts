/** A business moves between two cells behind two HAProxies under load, and the command that moves it is killed. */
import { chmod, mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { randomFrom } from "../../test/support/random.ts";
import { Operator } from "../../test/support/runs/operator.ts";
import { milliseconds, type Result, times } from "../../test/support/runs/report.ts";
import { Service } from "../../test/support/runs/service.ts";
import type { Chaos } from "../chaos.ts";
import { findHaproxy, startHaproxies } from "../haproxy.ts";
import { type Completed, Load, openPartners, underLoad } from "../load/load.ts";

export interface CellsSize {
  readonly moves: number;
  /** One of so many moves is killed, and repeated. 0: none. */
  readonly killOneOf: number;
  /** It is killed at a moment from its start to then. */
  readonly killWithinMilliseconds: number;
  readonly writers: number;
}

export async function cells(chaos: Chaos, size: CellsSize): Promise<Result> {
  const skipped = await findHaproxy();
  if (skipped !== undefined) return { figures: [], violations: [], skipped };
  const [north, south] = await Promise.all([startCell(chaos, 1), startCell(chaos, 2)]);
  const proxy = await startHaproxies(chaos, { north, south });
  // One moves, and the other one stays in the cell where they meet at the end, so that one operator compares both.
  const end = size.moves % 2 === 0 ? north : south;
  const operator = new Operator(chaos, end.port);
  const kinds = { locations: 3, tiers: size.writers, programs: size.writers, vouchers: 2, promotions: true };
  const moving = await openPartners(chaos, new Operator(chaos, north.port), proxy.ports[0], 1, kinds);
  const staying = await openPartners(chaos, operator, end.port, 1, kinds);
  const maps = await proxy.command(["cell", "maps"]);
  if (maps.code !== 0) throw new Error(maps.said);
  const partners = [...moving, ...staying];
  const businessId = String(moving[0]?.business.businessId);
  const writersEach = size.writers;
  const load = await Load.start({
    ports: proxy.ports,
    partners,
    operator,
    writersEach,
    seed: chaos.seed,
    members: 40,
  });
  const random = randomFrom(chaos.seed);
  let kills = 0;
  const pauses: number[] = [];
  const order = { what: "moves", times: size.moves };
  // One move more would leave the business in the other cell.
  const isElsewhere = () => pauses.length % 2 !== size.moves % 2;
  const toTheEnd = { ...chaos, goesOn: (reached: boolean) => isElsewhere() || chaos.goesOn(reached) };
  const figures = await underLoad(toTheEnd, load, order, async (done) => {
    await sleep(1000 + random.below(2000));
    const words = ["move", "business", businessId, "--to", done % 2 === 0 ? "south" : "north"];
    const startedAt = performance.now();
    let isMoving = true;
    const move = async () => {
      for (let kill = size.killOneOf > 0 && done % size.killOneOf === 0; ; kill = false) {
        const { code, said } = await proxy.command(
          words,
          kill ? random.below(size.killWithinMilliseconds) : undefined,
        );
        if (code === 0) return;
        if (code !== "SIGKILL")
          throw new Error(`${words.join(" ")} ended with ${code}: ${said}\n${south.process.log}`);
        kills += 1;
      }
    };
    /** As on the machines of the HAProxies. */
    const writeMaps = async () => {
      for (; isMoving; await sleep(2000)) {
        const { code, said } = await proxy.command(["cell", "maps"]);
        if (code !== 0) throw new Error(`cell maps ended with ${code}: ${said}`);
      }
    };
    const ended = () => {
      isMoving = false;
    };
    await Promise.all([move().finally(ended), writeMaps()]);
    await load.untilWritten(performance.now());
    // The proxy sends a request for a token to the cell that has the business now.
    await moving[0]?.renewToken();
    pauses.push(longestPause(load.responsesOfEach.slice(0, writersEach).flat(), startedAt));
  });
  const others = load.responsesOfEach.slice(writersEach).flat();
  return {
    violations: load.violations.list(),
    figures: [
      ...figures,
      times("moves killed", kills),
      milliseconds("pause of the writes of the business that moves, at most", Math.max(0, ...pauses)),
      times(
        "requests of the other business that got no success",
        others.filter(({ outcome }) => outcome === "retryable").length,
      ),
    ],
  };
}

/** Starts a service with a new database, because the first start determines the cell. */
async function startCell(chaos: Chaos, cell: number): Promise<Service> {
  const parent = await mkdtemp(join(chaos.directory, "cell-"));
  await chmod(parent, 0o755);
  return Service.start(chaos, {
    dataDirectory: join(parent, "data"),
    environment: { LOYALTY_CELL: String(cell) },
  });
}

/** The longest time without a success. */
function longestPause(responses: readonly Completed[], since: number): number {
  const moments = responses
    .filter(({ outcome, respondedAt }) => outcome === "success" && respondedAt > since)
    .map(({ respondedAt }) => respondedAt)
    .sort((one, other) => one - other);
  return Math.max(0, ...moments.slice(1).map((moment, index) => moment - (moments[index] as number)));
}
