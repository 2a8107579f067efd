/** A business moves between two cells behind two HAProxies under load, and what takes part in its moves is killed. */
import { chmod, mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { randomFrom } from "../../test/support/random.ts";
import { Operator } from "../../test/support/runs/operator.ts";
import { milliseconds, type Result, times } from "../../test/support/runs/report.ts";
import { Service } from "../../test/support/runs/service.ts";
import { postmasterPid, signal } from "../../test/support/service-process.ts";
import type { Chaos } from "../chaos.ts";
import { findHaproxy, startHaproxies } from "../haproxy.ts";
import { type Completed, Load, openPartners, underLoad } from "../load/load.ts";

/** What can be killed during a move: a cell with its database, or one of the HAProxies. */
export const movers = ["command", "old cell", "HAProxy", "new cell"] as const;
type Victim = (typeof movers)[number];

export interface CellsSize {
  readonly moves: number;
  /** What is killed, one in each move, in turn. A command that failed is repeated. */
  readonly victims: readonly Victim[];
  /** It is killed at a moment from the start of the move to then. */
  readonly killWithinMilliseconds: number;
  readonly writers: number;
  /** How long a writer waits after each request. By default, not at all. */
  readonly pauseMilliseconds?: number;
}

/** A command is repeated until what was killed is there again. It can start the database of a cell itself, which its service waits for. */
const mostTries = 20;
const pauseBetweenTries = 3000;
/** What a command says when a database or an HAProxy is gone. Nothing else may go wrong. */
const ofKilled =
  /connect|ECONN|EPIPE|ENOENT|does not (?:run|respond)|in use by another|starting up|shutting down|not yet accepting|recovery mode|move has changed/;

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
    ...(size.pauseMilliseconds !== undefined && { pauseMilliseconds: size.pauseMilliseconds }),
  });
  const random = randomFrom(chaos.seed);
  const pauses: {
    readonly milliseconds: number;
    readonly victim: Victim | undefined;
    readonly wasHit: boolean;
  }[] = [];
  let [hits, failures] = [0, 0];
  const order = { what: "moves", times: size.moves };
  // One move more would leave the business in the other cell.
  const isElsewhere = () => pauses.length % 2 !== size.moves % 2;
  const toTheEnd = { ...chaos, goesOn: (reached: boolean) => isElsewhere() || chaos.goesOn(reached) };
  const figures = await underLoad(toTheEnd, load, order, async (done) => {
    const [from, to] = done % 2 === 0 ? [north, south] : [south, north];
    // A cell is empty, has other businesses, or has just been vacuumed.
    if (done % 3 === 2) await (await to.openDatabase())`VACUUM (ANALYZE)`;
    await sleep(1000 + random.below(2000));
    const words = ["move", "business", businessId, "--to", to === south ? "south" : "north"];
    // Each of them in both directions.
    const { victims } = size;
    const victim = victims[(done + Math.floor(done / victims.length)) % victims.length];
    const killAfter = random.below(size.killWithinMilliseconds);
    const startedAt = performance.now();
    let isMoving = true;
    const before = hits;
    const move = async () => {
      for (let tries = 0; ; tries++) {
        const kills = tries === 0 && victim === "command";
        const { code, said } = await proxy.command(words, kills ? killAfter : undefined);
        if (code === 0) return;
        chaos.say(`the command ended with ${code}: ${said.trim().split("\n").at(-1)}`);
        if (code === "SIGKILL") hits += 1;
        else failures += 1;
        const isExpected = victim === "command" ? code === "SIGKILL" : ofKilled.test(said);
        if (!isExpected || tries === mostTries)
          throw new Error(`${words.join(" ")} ended with ${code}: ${said}\n${to.process.log}`);
        await sleep(pauseBetweenTries);
      }
    };
    const strike = async () => {
      if (victim === undefined || victim === "command") return;
      await sleep(killAfter);
      if (isMoving) hits += 1;
      if (victim === "HAProxy") await proxy.restart(random.pick([0, 1] as const));
      else await restart(victim === "old cell" ? from : to);
    };
    /** As on the machines of the HAProxies. */
    const writeMaps = async () => {
      for (; isMoving; await sleep(2000)) {
        const { code, said } = await proxy.command(["cell", "maps"]);
        if (code !== 0 && (victim === "command" || !ofKilled.test(said)))
          throw new Error(`cell maps ended with ${code}: ${said}`);
      }
    };
    const ended = () => {
      isMoving = false;
    };
    await Promise.all([move().finally(ended), strike(), writeMaps()]);
    await load.untilWritten(performance.now());
    // The proxy sends a request for a token to the cell that has the business now.
    await moving[0]?.renewToken();
    const milliseconds = longestPause(load.responsesOfEach.slice(0, writersEach).flat(), startedAt);
    pauses.push({ milliseconds, victim, wasHit: hits > before });
    chaos.say(`writes paused for ${Math.round(milliseconds)} ms, ${victim ?? "nothing"} killed`);
  });
  const others = load.responsesOfEach.slice(writersEach).flat();
  return {
    violations: load.violations.list(),
    figures: [
      ...figures,
      ...[...new Set(size.victims)].flatMap((name) => {
        const of = pauses.filter(({ victim }) => victim === name);
        const longest = Math.max(0, ...of.map(({ milliseconds: pause }) => pause));
        return [
          times(`moves during which it was killed: ${name}`, of.filter(({ wasHit }) => wasHit).length),
          milliseconds(`pause of the business that moves, ${name} killed, at most`, longest),
        ];
      }),
      times("commands repeated after another failure", failures),
      times(
        "requests of the other business that got no success",
        others.filter(({ outcome }) => outcome === "retryable").length,
      ),
    ],
  };
}

/** Kills a cell with its database, and starts it again. */
async function restart(cell: Service): Promise<void> {
  signal(await postmasterPid(cell.dataDirectory), "SIGKILL");
  await cell.kill();
  for (let tries = 1; ; tries++) {
    cell.launch();
    const fault = await cell.ready().then(
      () => undefined,
      (error: unknown) => error,
    );
    if (fault === undefined) return;
    // The command has started the database meanwhile.
    if (tries === mostTries || !String(fault).includes("is in use by another")) throw fault;
    await sleep(500);
  }
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
