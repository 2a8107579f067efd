/**
 * Processor time per request, of the service and of its PostgreSQL, as quotients to a service by hand (Fastify and pg) that reads the
 * same data, and to the floors: a bare server, one prepared SELECT, and 32 adjustments by hand in one transaction.
 */
import type { Figure } from "../../test/support/runs/report.ts";
import { basePath } from "../../test/support/runs/service.ts";
import { postmasterPid } from "../../test/support/service-process.ts";
import {
  adjusting,
  type Baseline,
  type Bench,
  checkLedgers,
  cpuDuring,
  cpuInTurns,
  fill,
  startBareServer,
  startByHand,
  startServer,
  targetOf,
} from "../bench.ts";
import { prepareByHand, type Script } from "../by-hand.ts";
import { type Cpu, sumOf } from "../turns.ts";
import type { Workload } from "../workload.ts";

const members = 20_000;
const entries = 100_000;
/** Bodies in turn. */
const bodies = 2000;
const turns = { connections: 64, warmUpRequests: 10_000, turns: 24, requestsInTurn: 500 };
const clients = 16;
const groupSize = 32;
/** What a read by the service may take of the processor time of the same read by hand. */
const target = { atMost: 1.15 };

export async function floors(bench: Bench): Promise<Figure[]> {
  const server = await startServer(bench);
  const business = await fill(server, { members, entries });
  const { caller, locationIds } = business;
  const sql = await prepareByHand(bench, server, members);
  const databaseOf = async (script: Script, requests: number) => {
    const { result, database: seconds } = await cpuDuring(server, () => sql.run(clients, script));
    return (seconds / result.responses / requests) * 1_000_000;
  };
  const [select, group] = [await databaseOf("select", 1), await databaseOf("group-of-32", groupSize)];
  const bare = await startBareServer(bench);
  const reading = await startByHand(bench, await server.service.database());
  const crediting = await startByHand(bench, sql.database);
  const credit: Workload = adjusting(business);
  const creditByHand: Workload = {
    ...adjusting({ ...business, caller: { ...caller, firstContactId: 1 } }),
    path: "/wallet/adjust",
  };
  const postmaster = await postmasterPid(server.service.dataDirectory);
  const compare = async (what: string, [here, byHand]: readonly [Workload, Workload], at: Baseline) => {
    const compared = await cpuInTurns(bench, {
      ...turns,
      targets: {
        here: await targetOf(server, here),
        "by hand": { ...at, postmaster, workload: byHand },
        floor: { ...bare, postmaster, workload: credit },
      },
    });
    const { service } = compared.floor as Cpu;
    const floor = { service, database: at === reading ? select : group };
    return quotients(what, { ...compared, floor }, at === reading ? { target } : {});
  };
  const phones = await server.sql<{ phone_number: string }[]>`
    SELECT phone_number FROM member WHERE business_id = ${business.businessId} AND active LIMIT ${bodies}`;
  const contacts = Array.from({ length: bodies }, (_, nth) => ({ contact_id: caller.firstContactId + nth }));
  const sale = { location_id: locationIds[0] as number, amount: 2500 };
  const reads: Readonly<Record<string, readonly object[]>> = {
    "/members/get": contacts,
    "/members/find": phones,
    "/members/balances": contacts,
    "/transactions/list": [{}],
    "/sales/quote": contacts.map((contact) => ({ ...contact, ...sale })),
  };
  const figures: Figure[] = [];
  for (const [path, bodies] of Object.entries(reads)) {
    bench.say(`${path} …`);
    const byHand = { kind: "fixed", authorization: caller.authorization, bodies, path } as const;
    figures.push(...(await compare(path, [{ ...byHand, path: `${basePath}/sp${path}` }, byHand], reading)));
  }
  bench.say("adjustments …");
  figures.push(...(await compare("/wallet/adjust", [credit, creditByHand], crediting)));
  await checkLedgers(server, [business]);
  return figures;
}

function quotients(
  what: string,
  { here, ...others }: Readonly<Record<string, Cpu>>,
  bound: Pick<Figure, "target">,
): Figure[] {
  const value = sumOf(here as Cpu);
  const parts = Object.entries({ here, ...others } as Record<string, Cpu>).flatMap(([name, cpu]) =>
    Object.entries(cpu).map(([part, time]) => ({
      what: `${what}, ${name}, ${part}`,
      value: time,
      unit: "µs",
    })),
  );
  return [
    ...parts,
    ...Object.entries(others).map(([against, cpu]) => {
      const isBound = against === "by hand";
      return { what, value, unit: "µs", against, ratio: value / sumOf(cpu), ...(isBound && bound) };
    }),
  ];
}
