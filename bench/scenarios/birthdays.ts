/** How long the database takes to find the birthdays of a day among a million members. */
import { performance } from "node:perf_hooks";
import { findOccasionMembers } from "../../src/database/engine/rewards/occasions.ts";
import { newOccasion } from "../../src/operations/promotions/occasions.ts";
import { makeEmptyBusiness } from "../../test/support/bulk.ts";
import type { Figure } from "../../test/support/runs/report.ts";
import { type Bench, startServer } from "../bench.ts";

const members = 1_000_000;
/** So many days have birthdays, with about 3,000 each. */
const birthdays = 333;
const times = 25;

export async function birthdaysOfDay(bench: Bench): Promise<Figure[]> {
  const { sql } = await startServer(bench);
  const { businessId } = await makeEmptyBusiness(sql);
  bench.say("members …");
  await sql`
    INSERT INTO member (business_id, first_name, last_name, phone_number, searchable_text, date_of_birth, joined_at)
    SELECT ${businessId}, 'A', 'B', '+34' || 600000000 + n, '', '1990-01-01'::date + n % ${birthdays}::integer, '2020-01-01'
    FROM generate_series(1, ${members}) AS n`;
  const named = { occasion_id: 1, name: "Birthday", kind: "birthday", voucher: null, points: 10 } as const;
  const occasion = { ...newOccasion({}), ...named };
  const find = async () => {
    const startedAt = performance.now();
    const found = await sql.begin((tx) => findOccasionMembers(tx, businessId, occasion, "2026-03-01"));
    if (Math.abs(found.length - members / birthdays) > 1) throw new Error(`${found.length} were found`);
    return performance.now() - startedAt;
  };
  const measure = async (what: string): Promise<Figure> => {
    const all: number[] = [];
    for (let nth = 0; nth < times; nth += 1) all.push(await find());
    all.sort((one, other) => one - other);
    const [first = 0, median = 0, last = 0] = [all[0], all[(times - 1) / 2], all.at(-1)];
    return { what, value: median, unit: "ms", target: { atMost: 100 }, details: { first, last } };
  };
  const before = await measure("3,003 birthdays among a million members, without statistics");
  await sql`VACUUM ANALYZE member`;
  return [before, await measure("the same, with statistics")];
}
