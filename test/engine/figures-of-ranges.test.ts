/** The figures of some days, and of those before, equal what the report of activity says of each day and of each whole period. */
import { expect, it } from "vitest";
import { countNewEntries } from "../../src/database/ledger/counts.ts";
import { addDays } from "../../src/domain/dates.ts";
import { reportUnits } from "../../src/domain/reports/periods.ts";
import { asOperator, operatorWrite } from "../support/operator-requests.ts";
import { randomFrom } from "../support/random.ts";
import { seed } from "../support/random-cases.ts";
import { makeSandbox } from "../support/sandbox.ts";
import { useWorld } from "../support/world.ts";

const world = useWorld();

type Row = Readonly<Record<"starts_on" | "ends_on", string>> & Readonly<Record<string, number | null>>;
type Range = Readonly<{ from: string; through: string }>;

const members = ["active_members", "returning_members"] as const;

/**
 * A business with two locations, and sales with and without one on each day from January to 13 May 2026. Those until some day in March
 * are in a block, and later ones are not.
 */
async function makeShop() {
  const random = randomFrom(seed);
  const shop = await makeSandbox(world, "2026-05-04 10:00:00");
  const { businessId: business_id, locationId } = shop;
  const operator = (path: string, body: object) => operatorWrite(world, path, { business_id, ...body });
  const other = (await operator("/op/locations/create", { name: "Other" })).location_id as number;
  const people: number[] = [];
  for (let count = 0; count < 12; count++) people.push(await shop.member());
  const lines = Array.from({ length: 1600 }, (_, index) => ({
    ...{ line: index + 2, contact_id: random.pick(people), reference_id: `old-${index}` },
    ...{ sold_at: addDays("2026-01-10", random.below(110)), amount: 1 + random.below(9000) },
    location_id: random.pick([locationId, locationId, other, undefined]),
  }));
  expect(await operator("/op/imports/sales", { lines })).toMatchObject({ imported: 1600 });
  await countNewEntries(world.sql.shareOf(business_id), business_id);
  for (const day of ["2026-05-06", "2026-05-13"]) {
    await shop.advance(`${day} 10:00:00`);
    for (const location_id of [locationId, other, other]) {
      const place = { contact_id: random.pick(people), location_id };
      await shop.write("/sp/sales/record", { ...place, amount: 1000 + random.below(9000) });
      await shop.write("/sp/wallet/topup", { ...place, amount: 500 });
    }
  }
  const [blocks] = await world.sql<{ end: string }[]>`
    SELECT blocks_end_at::date::text AS end FROM ledger_count WHERE business_id = ${business_id} AND contact_id = 0`;
  expect(blocks?.end).toMatch(/^2026-03-(?!01)/);
  const report = async (name: string, body: object) => {
    const reply = await asOperator(world, `/op/reports/${name}`, { business_id, ...body });
    if (reply.body.success !== true) throw new Error(reply.text);
    return reply.body.data;
  };
  return { report, locations: [undefined, locationId, other] };
}

const sumOf = (rows: readonly Row[], name: string) =>
  rows.some((row) => row[name] === null) ? null : rows.reduce((sum, row) => sum + Number(row[name]), 0);

/** A sum divided by a number that is not 0; otherwise null. */
const quotient = (sum: number | null, number: number | null) =>
  number ? Math.round(Number(sum) / number) : null;

/** The figures of a range, from the report of activity. */
function expectedOf(days: readonly Row[], periods: readonly Row[], { from, through }: Range) {
  const whole = periods.filter(({ starts_on, ends_on }) => starts_on >= from && ends_on <= through);
  const { starts_on, ends_on, ...first } = days[0] as Row;
  const sums = Object.fromEntries(Object.keys(first).map((name) => [name, sumOf(days, name)]));
  return {
    ...sums,
    ...Object.fromEntries(members.map((name) => [name, quotient(sumOf(whole, name), whole.length)])),
    average_sale: quotient(sums.sales_amount as number, sums.sales as number),
    redemption_percent: quotient(100 * Number(sums.points_used), sums.points_given as number),
  };
}

/** The days asked, those before them, and how many whole days, weeks and months both have. */
const cases = [
  // A whole month.
  ["2026-03-01", "2026-03-31", "2026-02-01", "2026-02-28", [31, 4, 1], [28, 3, 1]],
  ["2026-04-01", "2026-04-30", "2026-03-01", "2026-03-31", [30, 3, 1], [31, 4, 1]],
  // The month so far.
  ["2026-05-01", "2026-05-13", "2026-04-01", "2026-04-13", [13, 1, 0], [13, 1, 0]],
  // Two months, the second one in part.
  ["2026-03-01", "2026-04-15", "2026-01-01", "2026-02-15", [46, 6, 1], [46, 6, 1]],
  // From a Wednesday to a Saturday.
  ["2026-04-08", "2026-04-25", "2026-03-21", "2026-04-07", [18, 1, 0], [18, 2, 0]],
  ["2026-04-09", "2026-04-09", "2026-04-08", "2026-04-08", [1, 0, 0], [1, 0, 0]],
] as const;

it("figures of ranges equal the report of activity", { timeout: 120_000 }, async () => {
  const { report, locations } = await makeShop();
  for (const [from, through, before_from, before_through, ...counts] of cases) {
    const ranges = [
      { from, through },
      { from: before_from, through: before_through },
    ];
    for (const location_id of locations) {
      for (const [nth, by] of reportUnits.entries()) {
        const data = await report("figures", { from, through, by, location_id });
        expect(data).toMatchObject({ from, through, before_from, before_through });
        for (const [index, range] of ranges.entries()) {
          const asked = { ...range, location_id, per_page: 100 };
          const days: Row[] = await report("activity", { ...asked, by: "day" });
          const periods: Row[] = await report("activity", { ...asked, by });
          const whole = periods.filter((one) => one.starts_on >= range.from && one.ends_on <= range.through);
          expect([from, by, index, whole.length]).toEqual([from, by, index, counts[index]?.[nth]]);
          const figures = index === 0 ? data.figures : data.before;
          expect({ from, by, index, location_id, ...figures }).toEqual({
            ...{ from, by, index, location_id },
            ...expectedOf(days, periods, range),
          });
          for (const name of members) expect(figures[name] === null).toBe(whole.length === 0);
        }
        // A location can have no sale on a day. Otherwise the figures of one range could stand for both.
        if (location_id !== undefined) continue;
        expect(data.figures.sales_amount).not.toBe(data.before.sales_amount);
        expect(data.figures.sales_amount * data.before.sales_amount).toBeGreaterThan(0);
      }
    }
  }
});
