/** How fast many members get a voucher at once, and adjustments meanwhile. */
import type { Figure } from "../../test/support/runs/report.ts";
import { eventually } from "../../test/support/runs/run.ts";
import {
  adjusting,
  type Bench,
  checkLedgers,
  compiledAfterSeconds,
  cpuDuring,
  fill,
  measure,
  startServer,
} from "../bench.ts";

const members = 100_000;
const longestMilliseconds = 600_000;

interface Job {
  readonly state: string;
  readonly members_given: number;
}

export async function bulkGrants(bench: Bench): Promise<Figure[]> {
  const server = await startServer(bench);
  const { operator, service } = server;
  const business = await fill(server, { members, entries: 0 });
  await server.sql`VACUUM ANALYZE`;
  const { businessId: business_id } = business;
  const { voucher_id } = await operator.write<{ voucher_id: number }>("/op/vouchers/create", {
    ...{ business_id, campaign_name: "Coffee", coupon_code: "COFFEE", coupon_value: 200 },
  });
  const last = async () => {
    const jobs = await operator.ask<Job[]>("/op/bulk-grants/list", { business_id });
    return jobs[0] as Job;
  };
  /** @returns how many members got it in a second */
  const give = async () => {
    const startedAt = performance.now();
    const started = { business_id, name: "Sorry", voucher_id };
    const { members_found } = await operator.write<{ members_found: number }>(
      "/op/bulk-grants/start",
      started,
    );
    const job = await eventually("the bulk grant has ended", longestMilliseconds, async () => {
      const found = await last();
      return found.state !== "running" && found;
    });
    if (job.members_given !== members_found) throw new Error(JSON.stringify(job));
    return (members_found * 1000) / (performance.now() - startedAt);
  };
  const { result: perSecond, ...cpu } = await cpuDuring(server, give);
  bench.say(`service ${cpu.service.toFixed(1)} s, database ${cpu.database.toFixed(1)} s`);
  const adjust = () => measure(bench, service.port, adjusting(business));
  await measure(bench, service.port, adjusting(business), { seconds: compiledAfterSeconds });
  const without = await adjust();
  const startedAt = performance.now();
  const giving = give();
  const beside = await adjust();
  const { members_given } = await last();
  const givenBeside = (members_given * 1000) / (performance.now() - startedAt);
  await giving;
  await checkLedgers(server, [business]);
  return [
    { what: "members who get a voucher", value: perSecond, unit: "/s", target: { atLeast: 1000 } },
    { what: "the same beside adjustments", value: givenBeside, unit: "/s" },
    {
      what: "adjustments beside a bulk grant",
      value: beside.perSecond,
      unit: "/s",
      against: "without",
      ratio: beside.perSecond / without.perSecond,
      target: { atLeast: 0.8 },
    },
  ];
}
