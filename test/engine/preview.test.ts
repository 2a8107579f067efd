/** A preview of rules, over HTTP and as a command: it says what sales would give, and changes nothing. */
import { beforeAll, describe, expect, it } from "vitest";
import { addPreviews, emptyPreview } from "../../src/domain/engine/preview.ts";
import { useCli } from "../support/cli.ts";
import type { Body } from "../support/engine-requests.ts";
import { asOperator, operatorWrite } from "../support/operator-requests.ts";
import { type Random, randomFrom } from "../support/random.ts";
import { seed } from "../support/random-cases.ts";
import { makeSandbox, type Sandbox } from "../support/sandbox.ts";
import { tableDigests } from "../support/table-digests.ts";
import { useWorld } from "../support/world.ts";

const world = useWorld();
const cli = useCli(world);

const days = ["2026-01-10", "2026-02-10", "2026-03-10"] as const;
let shop: Sandbox;
let members: number[];

/** A random sale of today. Some are paid with points in part, and some are refunded in part or as a whole. */
async function sell(contact_id: number, random: Random) {
  const amount = 100 + random.below(8000);
  const { points } = await shop.ask("/sp/members/balances", { contact_id });
  const most = random.chance(0.3) ? Math.min(points, Math.floor(amount / 5)) : 0;
  const sale = {
    contact_id,
    location_id: shop.locationId,
    amount,
    eligible_amount: amount - random.below(100),
  };
  const { sale_id } = await shop.write("/sp/sales/record", {
    ...sale,
    ...(most > 0 && { use_points: most }),
  });
  if (!random.chance(0.3)) return;
  const part = random.chance(0.5) ? { amount: Math.ceil(amount / 3) } : {};
  await shop.write("/sp/sales/refund", { sale_id, location_id: shop.locationId, ...part });
}

beforeAll(async () => {
  const random = randomFrom(seed);
  shop = await makeSandbox(world, days[0]);
  members = [await shop.member(), await shop.member(), await shop.member(), await shop.member()];
  for (const day of days) {
    if (day !== days[0]) await shop.advance(day);
    // The last member buys nothing.
    for (let sale = 0; sale < 12; sale++) await sell(members[sale % 3] as number, random);
  }
});

const ask = async (body: Body = {}) => {
  const request = { business_id: shop.businessId, from: days[0], ...body };
  const reply = await asOperator(world, "/op/rules/preview", request);
  if (reply.body.success !== true) throw new Error(reply.text);
  return reply.body.data;
};
const changed = (change: Body) => ({ programs: [{ program_id: shop.programId, ...change }] });

/** What the sales of some days gave, by the ledger's records and not by the rules. */
async function given(from: string, through: string) {
  const [row] = await world.sql<{ sales: number; points: number; amount: number }[]>`
    SELECT count(*) AS sales, sum(s.points_earned - coalesce(r.taken, 0))::bigint AS points,
      sum(s.amount - s.refunded)::bigint AS amount
    FROM sale s LEFT JOIN LATERAL (
      SELECT sum(points_clawed + points_excused + points_owed + points_forgiven) AS taken
      FROM sale_refund WHERE business_id = s.business_id AND sale_id = s.sale_id
    ) AS r ON true
    WHERE s.business_id = ${shop.businessId} AND s.sold_on BETWEEN ${from}::date AND ${through}::date`;
  return row as NonNullable<typeof row>;
}

describe("a preview", () => {
  it("of the rules in force gives what the sales really gave", async () => {
    for (const [from, through] of [
      [days[0], "2099-12-31"],
      [days[1], days[1]],
      [days[0], days[1]],
    ] as const) {
      const { sales, points, amount } = await given(from, through);
      const preview = await ask({ from, through });
      expect(preview).toMatchObject({
        members: 4,
        members_with_sales: 3,
        sales,
        amount,
        gains: [],
        losses: [],
      });
      expect(preview).toMatchObject({ recorded_points: points, current: { points }, proposed: { points } });
      expect(preview.current.points_amount).toBe(5 * points);
    }
  });

  it("of other rules changes what each setting decides", async () => {
    const free = { maximum_points_per_order: 1_000_000 };
    const { current, proposed } = await ask(changed(free));
    expect(current.points + current.points_over_maximum).toBe(proposed.points);
    expect(current.capped_sales).toBeGreaterThan(0);
    expect(proposed.capped_sales).toBe(0);

    const doubled = await ask(changed({ ...free, earn_points: 2 }));
    const { sales } = doubled;
    expect(doubled.proposed.points - 2 * proposed.points).toBeGreaterThanOrEqual(0);
    expect(doubled.proposed.points - 2 * proposed.points).toBeLessThanOrEqual(sales);
    expect(doubled.gains.map(({ contact_id }: Body) => contact_id).toSorted()).toEqual(members.slice(0, 3));

    const points = async (body: Body) => (await ask(body)).proposed.points;
    expect(await points(changed({ earn_amount: 200 }))).toBeLessThan(current.points);
    expect(await points(changed({ earn_minimum_amount: 4000 }))).toBeLessThan(current.points);
    expect(await points(changed({ maximum_points_per_order: 10 }))).toBeLessThan(current.points);
    expect(await points({ earn_on: "total" })).toBeGreaterThan(current.points);
    expect(await points({ enable_rp: false })).toBe(0);
    expect(await points({ default_program_id: null })).toBe(0);
    expect((await ask({ value_amount: 7 })).proposed).toMatchObject({ points_amount: 7 * current.points });
    const worth = Math.floor(current.points / 100) * 5;
    expect((await ask({ value_points: 100 })).proposed).toMatchObject({ points_amount: worth });
    expect((await ask({ enable_rp: false })).losses).toHaveLength(3);
  });

  it("of another program uses its rate, with the changes of the request", async () => {
    const { program_id } = await operatorWrite(world, "/op/programs/create", {
      ...{ business_id: shop.businessId, membership_name: "Other", maximum_points_per_order: 50 },
    });
    const other = { default_program_id: program_id };
    expect((await ask(other)).proposed.points).toBe(0);
    const { current, proposed } = await ask({ ...other, programs: [{ program_id, earn_points: 1 }] });
    expect(proposed).toEqual(current);
    // A change of a program by which nobody earns has no effect.
    expect((await ask({ programs: [{ program_id, earn_points: 9 }] })).gains).toEqual([]);
  });

  it("adds up from parts of any size", async () => {
    const body = { ...changed({ earn_points: 3 }), value_points: 7 };
    const { version: _, next: __, ...whole } = await ask(body);
    for (const limit of [1, 3]) {
      let sum = emptyPreview;
      let parts = 0;
      for (let after: number | null = 0; after !== null; parts++) {
        const part = await ask({ ...body, after, limit });
        sum = addPreviews(sum, part);
        after = part.next;
      }
      expect(parts).toBeGreaterThan(1);
      const { current, proposed, ...others } = whole;
      expect(sum).toEqual({
        ...others,
        current: expect.objectContaining(sum.current),
        proposed: expect.objectContaining(sum.proposed),
      });
      expect([sum.current.points, sum.proposed.points]).toEqual([current.points, proposed.points]);
    }
  });

  it("of a period without sales, and of members past the last one, is all zeros", async () => {
    const zeros = { sales: 0, amount: 0, recorded_points: 0, members_with_sales: 0, next: null };
    expect(await ask({ from: "2020-01-01", through: "2020-12-31" })).toMatchObject({ ...zeros, members: 4 });
    expect(await ask({ after: Number.MAX_SAFE_INTEGER })).toMatchObject({ ...zeros, members: 0 });
  });

  it("changes nothing", async () => {
    const before = await tableDigests(world.sql);
    await ask({ ...changed({ earn_points: 9 }), earn_on: "total", value_amount: 1 });
    expect(await tableDigests(world.sql)).toEqual(before);
  });

  it("has nothing of another business", async () => {
    const other = await makeSandbox(world, days[0]);
    const contact_id = await other.member();
    const sale = { contact_id, location_id: other.locationId, amount: 900 };
    await other.write("/sp/sales/record", sale);
    const preview = await ask({ business_id: other.businessId });
    expect(preview).toMatchObject({ members: 1, sales: 1, amount: 900, current: { points: 9 } });
    const { body } = await asOperator(world, "/op/rules/preview", {
      ...{ business_id: other.businessId, from: days[0] },
      default_program_id: shop.programId,
    });
    expect(body.error.code).toBe("program_not_found");
  });
});

describe("the command", () => {
  const at = () => ["--business", String(shop.businessId), "--from", days[0]];

  it("shows the sum of all parts in 80 columns", async () => {
    const out = await cli.ok(["rules", "preview", ...at(), "--programs", `${shop.programId}:earn-points=2`]);
    const { sales, amount, recorded_points, current, proposed, gains } = await ask(
      changed({ earn_points: 2 }),
    );
    const money = (cents: number) =>
      `${(cents / 100).toLocaleString("en", { minimumFractionDigits: 2 })} EUR`;
    expect(out.split("\n")[0]).toBe(
      `${sales} sales from ${days[0]} on, of 3 members, ${money(amount)} after refunds.`,
    );
    const line = (...cells: unknown[]) => new RegExp(`^ *${cells.join(" +")}$`, "m");
    expect(out).toMatch(
      line("points", recorded_points, current.points, proposed.points, proposed.points - current.points),
    );
    const worth = [current, proposed].map(({ points_amount }) => money(points_amount));
    expect(out).toMatch(line("their worth", "-", ...worth, "\\S+ EUR"));
    const [{ contact_id, difference }] = gains;
    expect(out).toMatch(line(contact_id, "12", "\\d+", "\\d+", difference));
    for (const text of out.split("\n")) expect(text.length).toBeLessThanOrEqual(80);
  });

  it("prints the sum as JSON", async () => {
    const change = ["--value-amount", "7", "--default-program", "none"];
    const { next: _, ...whole } = await ask({ value_amount: 7, default_program_id: null });
    expect(await cli.json(["rules", "preview", ...at(), ...change])).toEqual(whole);
  });

  it("says what is wrong with a command line", async () => {
    const refused = async (...words: string[]) => {
      const { code, err } = await cli.run(["rules", "preview", ...at(), ...words]);
      expect(code).toBe(2);
      return err;
    };
    expect(await refused("--programs", "earn-points=2")).toContain("such as 1:earn-points=2");
    expect(await refused("--programs", "1:rate=2")).toContain(
      '"rate" is not one of earn-points, earn-amount, earn-minimum-amount, maximum-points-per-order.',
    );
    expect(await refused("--programs", "1:earn-points=x")).toContain("It must be a whole number.");
    expect(await refused("--programs", "1:earn-points=1001")).toContain(
      "--programs: earn-points must be at most 1000",
    );
    expect(await refused("--through", "2020-01-01")).toContain("--through must not be before");
    const { code, err } = await cli.run(["rules", "preview", "--business", String(shop.businessId)]);
    expect([code, err]).toEqual([2, expect.stringContaining("--from")]);
  });
});
