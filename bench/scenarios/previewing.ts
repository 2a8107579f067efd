/** A preview of rules for a million sales, and adjustments meanwhile. */
import type { Static } from "typebox";
import { previewRules } from "../../src/operations/operator/rules/preview.ts";
import type { previewPart } from "../../src/operations/rules/preview.ts";
import type { Figure } from "../../test/support/runs/report.ts";
import { residentBytes } from "../../test/support/service-process.ts";
import {
  adjusting,
  type Bench,
  compiledAfterSeconds,
  type Filled,
  figure,
  fill,
  inTurn,
  measure,
  type Server,
  startServer,
} from "../bench.ts";
import { addSales } from "../history-sales.ts";

const salesOfMember = 10;
const megabyte = 1e6;
/** A million sales take at most a minute. */
const salesPerSecond = 1_000_000 / 60;

export async function previewing(bench: Bench): Promise<Figure[]> {
  const sales = bench.options.full ? 1_000_000 : 100_000;
  const server = await startServer(bench);
  const business = await fill(server, { members: sales / salesOfMember, entries: sales });
  bench.say("sales …");
  await addSales(server.sql, business, "every");
  for (const [name, qualifying_sales] of [
    ["Silver", 20_000],
    ["Gold", 50_000],
  ] as const) {
    const tier = { name, qualifying_sales, expiry: 12, expiry_period: "month" };
    await server.operator.write("/op/tiers/create", { business_id: business.businessId, ...tier });
  }
  const memory = async () => ((await residentBytes(server.service.pid)) ?? 0) / megabyte;
  const before = await memory();
  const startedAt = performance.now();
  let [most, longest] = [before, 0];
  await preview(server, business, async (milliseconds) => {
    longest = Math.max(longest, milliseconds);
    most = Math.max(most, await memory());
  });
  const seconds = (performance.now() - startedAt) / 1000;
  bench.say(`${sales} sales in ${seconds.toFixed(1)} s`);

  const adjust = (runFor = bench.options.seconds) =>
    measure(bench, server.service.port, adjusting(business), { seconds: runFor });
  await adjust(compiledAfterSeconds);
  const { without, meanwhile } = await inTurn(bench, {
    without: adjust,
    meanwhile: async () => {
      let isOver = false;
      const previews = (async () => {
        while (!isOver) await preview(server, business, () => isOver);
      })();
      const result = await adjust();
      isOver = true;
      await previews;
      return result;
    },
  });
  return [
    {
      what: `preview of ${sales} sales`,
      value: sales / seconds,
      unit: "sales/s",
      target: { atLeast: salesPerSecond },
    },
    { what: "seconds of it", value: seconds, unit: "s" },
    { what: "longest response", value: longest, unit: "ms" },
    { what: "memory of the service, more than before", value: most - before, unit: "MB" },
    figure("adjustments beside a preview", meanwhile, {
      against: ["without", without],
      target: { atLeast: 0.6 },
    }),
  ];
}

/** Previews all sales. @param tell gets the milliseconds of each part; the preview ends when it returns true */
async function preview(
  { operator }: Server,
  { businessId: business_id, programIds: [program_id] }: Filled,
  tell: (milliseconds: number) => unknown,
) {
  const rules = {
    business_id,
    from: "2000-01-01",
    enable_rp: true,
    default_program_id: program_id,
    programs: [{ program_id, earn_points: 2, earn_amount: 100, maximum_points_per_order: 100 }],
    rp_sales_calculation_period: 6,
  };
  let points = 0;
  for (let after: number | null = 0; after !== null; ) {
    const startedAt = performance.now();
    const part: Static<typeof previewPart> = await operator.ask(previewRules.path, { ...rules, after });
    points += part.proposed.points;
    after = part.next;
    if ((await tell(performance.now() - startedAt)) === true) return;
  }
  if (points === 0) throw new Error("the preview found no points");
}
