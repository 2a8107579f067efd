/** What requests cost with a long ledger and many members, compared with few; and adjustments while expired keys are deleted. */

import { keyDays } from "../../src/domain/idempotency.ts";
import { sweepExpiredKeys } from "../../src/sweeper.ts";
import type { Figure } from "../../test/support/runs/report.ts";
import { basePath } from "../../test/support/runs/service.ts";
import {
  adjusting,
  type Bench,
  checkLedgers,
  cpuInTurns,
  type Filled,
  figure,
  fill,
  inTurn,
  measure,
  type Server,
  startServer,
  targetOf,
} from "../bench.ts";
import { fillKeys } from "../history.ts";
import { type Cpu, sumOf } from "../turns.ts";
import type { Workload } from "../workload.ts";

const sizes = [
  { members: 1000, entries: 10_000 },
  { members: 10_000, entries: 100_000 },
  { members: 100_000, entries: 1_000_000 },
];
const fullSize = { members: 1_000_000, entries: 10_000_000 };
const expiredDaysAgo = keyDays.default + 10;
const turns = { connections: 64, warmUpRequests: 8000, turns: 16, requestsInTurn: 500, untilNextTurn: true };
/** A business has one search at a time. New members wait for each other, too, because they are counted. */
const oneByOne = { ...turns, connections: 4, warmUpRequests: 1000, requestsInTurn: 100 };
/** Bodies in turn. */
const bodies = 1000;
/** Each new member needs a body of its own. */
const newMembers = oneByOne.warmUpRequests + oneByOne.turns * oneByOne.requestsInTurn;
/** What a request may cost, of the same in the smallest business. */
const target = { atMost: 1.3 };

const newMembersName = "new members";
const searchesName = "members/list by a number";

interface Grown {
  readonly size: { readonly members: number; readonly entries: number };
  readonly server: Server;
  readonly business: Filled;
  readonly workloads: Readonly<Record<string, Workload>>;
}

export async function growth(bench: Bench): Promise<Figure[]> {
  const grown: Grown[] = [];
  for (const size of [...sizes, ...(bench.options.full ? [fullSize] : [])])
    grown.push(await grow(bench, size));
  const [small] = grown as [Grown];
  const figures: Figure[] = [];
  for (const name of Object.keys(small.workloads)) {
    figures.push(...(await compareSizes(bench, grown, name)));
  }
  figures.push(...(await sweeping(bench, small)));
  for (const { server, business } of grown) await checkLedgers(server, [business]);
  return figures;
}

async function grow(bench: Bench, size: Grown["size"]): Promise<Grown> {
  bench.say(`${size.members.toLocaleString("en")} members, ${size.entries.toLocaleString("en")} entries …`);
  const server = await startServer(bench);
  const business = await fill(server, size);
  await server.sql`VACUUM ANALYZE`;
  const { businessId, caller, locationIds } = business;
  await server.operator.write("/op/reward-settings/update", { business_id: businessId, enable_rp: true });
  const members = await server.sql<{ contact_id: number; phone_number: string }[]>`
    SELECT contact_id, phone_number FROM member WHERE business_id = ${businessId} AND active
    ORDER BY hashint8(contact_id) LIMIT ${bodies}`;
  const contacts = members.map(({ contact_id }) => ({ contact_id }));
  const sending = (path: string, bodies: readonly object[]): Workload => ({
    kind: "fixed",
    path: `${basePath}/sp${path}`,
    authorization: caller.authorization,
    bodies,
  });
  const adjust = adjusting(business);
  const sale = { location_id: locationIds[0] as number, amount: 2500 };
  const numbers = members.map(({ phone_number }) => phone_number);
  const workloads = {
    "members/get": sending("/members/get", contacts),
    "members/find": sending(
      "/members/find",
      numbers.map((phone_number) => ({ phone_number })),
    ),
    [searchesName]: sending(
      "/members/list",
      numbers.map((search) => ({ search })),
    ),
    "members/balances": sending("/members/balances", contacts),
    quotes: sending(
      "/sales/quote",
      contacts.map((contact) => ({ ...contact, ...sale })),
    ),
    "transactions/list of all": sending("/transactions/list", [{}]),
    "transactions/list of a member": sending("/transactions/list", contacts),
    // Last, because they make the small business larger.
    [newMembersName]: sending(
      "/members/create",
      Array.from({ length: newMembers }, (_, nth) => newMember(nth)),
    ),
    adjustments: adjust,
    "sales that earn": { ...adjust, path: `${basePath}/sp/sales/record`, rest: "" },
  };
  return { size, server, business, workloads };
}

const newMember = (nth: number) => ({
  idempotency_key: `new-member-${nth}`,
  first_name: "Ana",
  last_name: "García",
  phone_number: `+39${300_000_000 + nth}`,
});

async function compareSizes(bench: Bench, grown: readonly Grown[], name: string): Promise<Figure[]> {
  const nameOf = ({ size }: Grown) => `${size.entries.toLocaleString("en")} entries`;
  const targets = grown.map(async (one) => {
    return [nameOf(one), await targetOf(one.server, one.workloads[name] as Workload)] as const;
  });
  const load = name === newMembersName || name === searchesName ? oneByOne : turns;
  const cpu = await cpuInTurns(bench, { ...load, targets: Object.fromEntries(await Promise.all(targets)) });
  bench.say(
    `${name}: ${Object.values(cpu)
      .map((one) => `${Math.round(sumOf(one))} µs`)
      .join(", ")}`,
  );
  const [small, ...others] = grown.map((one) => {
    const used = cpu[nameOf(one)] as Cpu;
    return { at: nameOf(one), ...used, sum: sumOf(used) };
  });
  if (small === undefined) return [];
  return [
    { what: `${name}, ${small.at}`, value: small.sum, unit: "µs" },
    ...others.map((one) => {
      const [what, against] = [`${name}, ${one.at}`, small.at];
      return {
        what,
        value: one.sum,
        unit: "µs",
        against,
        ratio: one.sum / small.sum,
        target,
        details: one,
      };
    }),
  ];
}

/** Adjustments of a business while the expired keys of its integration are deleted. */
async function sweeping(bench: Bench, { server, business }: Grown): Promise<Figure[]> {
  const adjust = () => measure(bench, server.service.port, adjusting(business));
  const keys = bench.options.full ? 10_000_000 : 1_000_000;
  bench.say(`${keys.toLocaleString("en")} expired keys …`);
  const { sql } = server;
  let swept = 0;
  let seconds = 0;
  await fillKeys(sql, business, { keys, daysAgo: expiredDaysAgo });
  const rates = await inTurn(bench, {
    without: adjust,
    beside: async () => {
      let stopped = false;
      const startedAt = performance.now();
      const rowsSwept = (count: number) => {
        swept += count;
      };
      const sweep = sweepExpiredKeys(sql, keyDays.default, { stopped: () => stopped, rowsSwept });
      const result = await adjust();
      stopped = true;
      await sweep;
      seconds += (performance.now() - startedAt) / 1000;
      return result;
    },
  });
  return [
    figure("adjustments while expired keys are deleted", rates.beside, {
      against: ["without", rates.without],
      target: { atLeast: 0.9 },
    }),
    figure("adjustments while expired keys are deleted, 99th percentile", rates.beside, { of: "p99" }),
    { what: "keys deleted", value: swept / seconds, unit: "/s" },
  ];
}
