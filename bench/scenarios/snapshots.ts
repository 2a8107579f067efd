/**
 * What postings cost beside a snapshot that stays open, such as that of a backup or an export. While it is open, PostgreSQL keeps the
 * versions of rows that were changed since.
 */
import type { Figure } from "../../test/support/runs/report.ts";
import { basePath } from "../../test/support/runs/service.ts";
import {
  adjusting,
  type Bench,
  checkLedgers,
  cpuInTurns,
  fill,
  type Server,
  startServer,
  targetOf,
} from "../bench.ts";
import type { Cpu } from "../turns.ts";

const members = 20_000;
/** Groups before the measurement. At 64 connections, ten minutes have about 100,000. */
const groups = { usual: 10_000, full: 100_000 };
/** Few callers, so that each group is small. */
const grouping = { connections: 2, turns: 2, requestsInTurn: 100 };
const turns = { connections: 64, warmUpRequests: 4000, turns: 24, requestsInTurn: 500 };
const postings = {
  adjustments: {},
  "sales that earn": { path: `${basePath}/sp/sales/record`, rest: "" },
};
const target = { atMost: 1.15 };

export async function snapshots(bench: Bench): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [name, workload] of Object.entries(postings)) figures.push(await compare(bench, name, workload));
  return figures;
}

async function compare(bench: Bench, name: string, workload: object): Promise<Figure> {
  const [beside, without] = [await openShop(bench), await openShop(bench)];
  const end = await openSnapshot(beside.server);
  const targets = {
    beside: await targetOf(beside.server, { ...adjusting(beside.business), ...workload }),
    without: await targetOf(without.server, { ...adjusting(without.business), ...workload }),
  };
  const warmUpRequests = bench.options.full ? groups.full : groups.usual;
  bench.say(`${name}: ${warmUpRequests.toLocaleString("en")} groups beside a snapshot …`);
  await cpuInTurns(bench, { ...grouping, warmUpRequests, targets });
  const cpu = await cpuInTurns(bench, { ...turns, targets });
  await end();
  for (const { server, business } of [beside, without]) await checkLedgers(server, [business]);
  const [value, than] = [(cpu.beside as Cpu).database, (cpu.without as Cpu).database];
  const what = `${name} beside an open snapshot, database`;
  return { what, value, unit: "µs", against: "without", ratio: value / than, target };
}

async function openShop(bench: Bench) {
  const server = await startServer(bench);
  const business = await fill(server, { members, entries: 0 });
  await server.operator.write("/op/reward-settings/update", {
    business_id: business.businessId,
    enable_rp: true,
  });
  return { server, business };
}

/** @returns ends the transaction of the snapshot */
async function openSnapshot({ sql }: Server): Promise<() => Promise<void>> {
  const session = await sql.reserve();
  await session.begin("ISOLATION LEVEL REPEATABLE READ READ ONLY");
  await session`SET LOCAL idle_in_transaction_session_timeout = 0`;
  await session`SELECT count(*) FROM ledger`;
  return async () => {
    await session.rollBack();
    session.release();
  };
}
