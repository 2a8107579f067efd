/** A preview of rules, over HTTP and as a command: it says what sales would give, and changes nothing. */
import { beforeAll, describe, expect, it } from "vitest";
import { addPreviews, type Preview } from "../../src/domain/engine/preview.ts";
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
      business_id: shop.businessId,
      membership_name: "Other",
      maximum_points_per_order: 50,
    });
    const other = { default_program_id: program_id };
    expect((await ask(other)).proposed.points).toBe(0);
    const { current, proposed } = await ask({ ...other, programs: [{ program_id, earn_points: 1 }] });
    expect(proposed).toEqual(current);
    // A change of a program by which nobody earns has no effect.
    expect((await ask({ programs: [{ program_id, earn_points: 9 }] })).gains).toEqual([]);
  });

  it("of a program that would be added gives what it gives as the default program", async () => {
    const rate = { earn_points: 3, earn_amount: 200, maximum_points_per_order: 50 };
    const { proposed } = await ask({ new_program: rate });
    const { program_id } = await operatorWrite(world, "/op/programs/create", {
      business_id: shop.businessId,
      membership_name: "Third",
      ...rate,
    });
    expect(proposed).toEqual((await ask({ default_program_id: program_id })).proposed);
    expect(proposed.points).toBeGreaterThan(0);
    expect((await ask({ new_program: { maximum_points_per_order: 50 } })).proposed.points).toBe(0);
  });

  it("adds up from parts of any size", async () => {
    const body = { ...changed({ earn_points: 3 }), value_points: 7 };
    const { version: _, next: __, ...whole } = await ask(body);
    for (const limit of [1, 3]) {
      let sum: Preview | undefined;
      let parts = 0;
      for (let after: number | null = 0; after !== null; parts++) {
        const part = await ask({ ...body, after, limit });
        sum = sum === undefined ? part : addPreviews(sum, part);
        after = part.next;
      }
      expect(parts).toBeGreaterThan(1);
      const { current, proposed, ...others } = whole;
      expect(sum).toEqual({
        ...others,
        current: expect.objectContaining({
          points: current.points,
          members_by_tier: current.members_by_tier,
        }),
        proposed: expect.objectContaining({ points: proposed.points, capped_sales: proposed.capped_sales }),
      });
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
      business_id: other.businessId,
      from: days[0],
      default_program_id: shop.programId,
    });
    expect(body.error.code).toBe("program_not_found");
  });
});

describe("a preview of tiers", () => {
  const months = ["2026-01-05", "2026-02-14", "2026-03-20", "2026-05-02", "2026-07-10"] as const;
  let club: Sandbox;
  let buyers: number[];
  let tierIds: number[];
  let programIds: number[];

  beforeAll(async () => {
    const random = randomFrom(seed + 1);
    club = await makeSandbox(world, months[0]);
    const { businessId: business_id } = club;
    const make = async (path: string, id: string, body: Body) =>
      (await operatorWrite(world, path, { business_id, ...body }))[id] as number;
    const program = (earn_points: number) =>
      make("/op/programs/create", "program_id", {
        membership_name: `Club ${earn_points}`,
        earn_points,
        maximum_points_per_order: 500,
      });
    programIds = [await program(2), await program(3)];
    const tier = (name: string, qualifying_sales: number | null, nth: number) =>
      make("/op/tiers/create", "tier_id", {
        name,
        qualifying_sales,
        expiry: 2,
        expiry_period: "month",
        program_id: programIds[nth] ?? null,
      });
    tierIds = [await tier("Silver", 8000, 0), await tier("Gold", 20_000, 1), await tier("Staff", null, 1)];
    await club.write("/sp/reward-settings/update", { rp_sales_calculation_period: 3 });
    buyers = [];
    for (let buyer = 0; buyer < 6; buyer++) buyers.push(await club.member());
    for (const day of months) {
      if (day !== months[0]) await club.advance(day);
      if (day === months[4]) {
        const staff = { contact_id: buyers[4], tier_id: tierIds[2] };
        await operatorWrite(world, "/op/members/assign-tier", { business_id, ...staff });
      }
      for (const [nth, contact_id] of buyers.entries()) {
        // The first buys often, the last never.
        for (let sale = nth; sale < 5; sale++) {
          const amount = 500 + random.below(4000);
          await club.write("/sp/sales/record", { contact_id, location_id: club.locationId, amount });
        }
      }
    }
  });

  const askClub = (body: Body = {}) => ask({ business_id: club.businessId, from: months[0], ...body });
  const counts = (side: { members_by_tier: { tier_id: number | null; members: number }[] }) =>
    side.members_by_tier.map(({ members }) => members);
  const change = (nth: number, fields: Body) => ({ tiers: [{ tier_id: tierIds[nth], ...fields }] });

  it("by the rules in force gives what the sales gave, and the tiers of the members", async () => {
    const { recorded_points, current, proposed } = await askClub();
    expect(recorded_points).toBeGreaterThan(0);
    expect(current.points).toBe(recorded_points);
    expect(proposed).toEqual(current);
    // The clock has settled all members.
    const standings = await world.sql<{ tier_id: number | null }[]>`
      SELECT s.tier_id FROM member m LEFT JOIN tier_standing s USING (business_id, contact_id)
      WHERE business_id = ${club.businessId}`;
    const expected = [...tierIds, null].map((id) => standings.filter(({ tier_id }) => tier_id === id).length);
    expect(counts(current)).toEqual(expected);
    expect(expected.filter((members) => members > 0).length).toBeGreaterThan(1);
    // A shorter period has the same tiers, because earlier sales decide about them, too.
    for (const from of months.slice(1)) {
      const later = await askClub({ from });
      expect(later.current.points).toBe(later.recorded_points);
      expect(counts(later.current)).toEqual(expected);
    }
  });

  it("by other rules changes what each setting decides", async () => {
    const { current } = await askClub();
    const proposed = async (body: Body) => (await askClub(body)).proposed;
    const isDifferent = async (body: Body) =>
      expect(await proposed(body), JSON.stringify(body)).not.toEqual(current);
    await isDifferent(change(0, { qualifying_sales: 1 }));
    await isDifferent(change(0, { qualifying_sales: null }));
    await isDifferent(change(1, { program_id: null }));
    await isDifferent(change(1, { expiry: 1 }));
    await isDifferent(change(1, { expiry_period: "year" }));
    await isDifferent({ rp_sales_calculation_period: 1 });
    await isDifferent({ rp_sales_calculation_period_type: "year" });
    await isDifferent({ tier_grace_days: 60 });
    const ending = {
      through: "2026-06-30",
      rp_sales_calculation_period: 1,
      tiers: [
        { tier_id: tierIds[0], expiry: 1 },
        { tier_id: tierIds[1], expiry: 1, qualifying_sales: 9000 },
      ],
    };
    expect(await proposed({ ...ending, tier_downgrade: "one_step" })).not.toEqual(await proposed(ending));
    await isDifferent({ programs: [{ program_id: programIds[1], earn_points: 4 }] });
    // Who reaches the first tier by any sale has it at the end, or a higher one.
    const all = { ...change(0, { qualifying_sales: 1, expiry: 1, expiry_period: "year" }) };
    expect(counts(await proposed(all)).at(-1)).toBe(1);
  });

  it("of tiers that would be added gives what they give when they are there", async () => {
    const fields = { expiry: 2, expiry_period: "month", program_id: programIds[0] };
    const bronze = { name: "Bronze", qualifying_sales: 500, ...fields };
    // Who has bought once by then has at least this, and less than the next tier needs.
    const through = months[0];
    const { current, proposed } = await askClub({
      through,
      new_tiers: [bronze, { name: "Friends", ...fields }],
    });
    expect(current.members_by_tier).toHaveLength(4);
    expect(proposed.members_by_tier.slice(3)).toMatchObject([
      { tier_id: null, name: "Bronze" },
      { tier_id: null, name: "Friends", members: 0 },
      { tier_id: null, name: null },
    ]);
    expect(counts(proposed)[3]).toBeGreaterThan(0);
    const { body } = await asOperator(world, "/op/rules/preview", {
      business_id: club.businessId,
      from: months[0],
      new_tiers: [bronze, { ...bronze, name: "Copper" }],
    });
    expect(body.error.details.errors).toMatchObject([
      { field: "new_tiers.0.qualifying_sales" },
      { field: "new_tiers.1.qualifying_sales" },
    ]);
    const out = await cli.ok([
      ...["rules", "preview", "--business", String(club.businessId), "--from", months[0]],
      ...["--new-tiers", "name=Bronze,qualifying-sales=500,expiry=2,expiry-period=month"],
      ...["--through", through],
    ]);
    expect(out).toMatch(/^members with Bronze +- +0 +[1-9]/m);
    const { tier_id } = await operatorWrite(world, "/op/tiers/create", {
      business_id: club.businessId,
      ...bronze,
    });
    const then = (await askClub({ through })).current;
    expect(then.points).toBe(proposed.points);
    expect(counts(then)).toEqual(counts(proposed).toSpliced(4, 1));
    await operatorWrite(world, "/op/tiers/delete", { business_id: club.businessId, tier_id });
  });

  it("of a first tier counts the members who have none today", async () => {
    const other = await makeSandbox(world, months[0]);
    const contact_id = await other.member();
    await other.member();
    await other.write("/sp/sales/record", { contact_id, location_id: other.locationId, amount: 900 });
    const tier = { name: "First", qualifying_sales: 900, expiry: 1, expiry_period: "year" };
    const { current, proposed } = await ask({ business_id: other.businessId, new_tiers: [tier] });
    expect(current.members_by_tier).toEqual([{ tier_id: null, name: null, members: 2 }]);
    expect(counts(proposed)).toEqual([1, 1]);
  });

  it("adds up from parts, counts only active members, and rejects two tiers that need the same", async () => {
    const { current } = await askClub({ limit: 5 });
    const rest = await askClub({ after: buyers[4] });
    expect(counts(current)).toHaveLength(4);
    expect(counts(rest.current)).toEqual([0, 0, 0, 1]);
    const deactivate = { business_id: club.businessId, contact_id: buyers[5] };
    await operatorWrite(world, "/op/members/deactivate", deactivate);
    expect(counts((await askClub({ after: buyers[4] })).current)).toEqual([0, 0, 0, 0]);
    const { body } = await asOperator(world, "/op/rules/preview", {
      business_id: club.businessId,
      from: months[0],
      ...change(0, { qualifying_sales: 20_000 }),
    });
    expect(body.error.details.errors).toMatchObject([{ field: "tiers.0.qualifying_sales" }]);
  });

  it("is shown by the command", async () => {
    const { current } = await askClub();
    const out = await cli.ok([
      ...["rules", "preview", "--business", String(club.businessId), "--from", months[0]],
      ...["--tiers", `${tierIds[0]}:qualifying-sales=none`],
    ]);
    expect(out).toMatch(new RegExp(`^members with Silver +- +${counts(current)[0]} +0 +-?\\d+$`, "m"));
    for (const text of out.split("\n")) expect(text.length).toBeLessThanOrEqual(80);
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
    const whole = await ask({ value_amount: 7, default_program_id: null });
    expect(await cli.json(["rules", "preview", ...at(), ...change])).toEqual(whole);
  });

  it("says what is wrong with a command line", async () => {
    const rejected = async (...words: string[]) => {
      const { code, err } = await cli.run(["rules", "preview", ...at(), ...words]);
      expect(code).toBe(2);
      return err;
    };
    expect(await rejected("--programs", "earn-points=2")).toContain("such as 1:earn-points=2");
    expect(await rejected("--programs", "1:rate=2")).toContain(
      '"rate" is not one of earn-points, earn-amount, earn-minimum-amount, excluded-categories, excluded-skus, excluded-from-payment, maximum-points-per-day, maximum-points-per-month, rates, maximum-points-per-order.',
    );
    expect(await rejected("--programs", "1:earn-points=x")).toContain("It must be a whole number.");
    expect(await rejected("--programs", "1:earn-points=1001")).toContain(
      "--programs: earn-points must be at most 1000",
    );
    expect(await rejected("--through", "2020-01-01")).toContain("--through must not be before");
    const { code, err } = await cli.run(["rules", "preview", "--business", String(shop.businessId)]);
    expect([code, err]).toEqual([2, expect.stringContaining("--from")]);
  });
});

describe("a preview of new promotions", () => {
  it("says what each would have cost, with the member that it is for and its limits", async () => {
    const new_promotions = [
      { name: "Welcome", member: "first_sale", points: 10 },
      { name: "Once a day", most_per_member_day: 1, points: 5 },
      { name: "Coffee", categories: ["coffee"], multiply: 300 },
      { name: "Tenth of January", first_day: days[0], last_day: days[0], points: 1 },
    ];
    // Below the maximum of an order, which would cut them.
    const high = changed({ maximum_points_per_order: 1000 });
    const { proposed: without } = await ask(high);
    const { sales, proposed, new_promotions: found } = await ask({ ...high, new_promotions });
    expect(found).toMatchObject([
      { name: "Welcome", sales: 3, points: 30, sales_without_lines: 0 },
      { name: "Once a day", sales: 9, points: 45 },
      { name: "Coffee", sales: 0, points: 0, sales_without_lines: sales },
      { name: "Tenth of January" },
    ]);
    expect(found[3].sales).toBeLessThanOrEqual(12);
    const cost = (found as { points: number }[]).reduce((sum, { points }) => sum + points, 0);
    expect(proposed.points - without.points).toBe(cost);
    const later = { ...high, from: days[1], new_promotions: new_promotions.slice(0, 1) };
    expect((await ask(later)).new_promotions).toMatchObject([{ sales: 0 }]);
  });

  it("rejects one that is impossible, and names it in the list", async () => {
    const body = {
      ...{ business_id: shop.businessId, from: days[0] },
      new_promotions: [{ name: "One", points: 1 }, { name: "Two" }],
    };
    const { body: reply } = await asOperator(world, "/op/rules/preview", body);
    expect(reply.error).toMatchObject({
      code: "validation_failed",
      details: { errors: [{ field: "new_promotions.1.multiply", code: "required" }] },
    });
    expect(reply.error.details).toMatchObject({
      errors: [
        {
          message: expect.stringMatching(
            /^new_promotions\.1\.multiply or points, voucher_id or stamp_card_id is required/,
          ),
        },
      ],
    });
  });

  it("rejects one that names what is not there", async () => {
    const body = {
      ...{ business_id: shop.businessId, from: days[0] },
      new_promotions: [{ name: "One", points: 1, tier_ids: [10 ** 9] }],
    };
    const { body: reply } = await asOperator(world, "/op/rules/preview", body);
    expect(reply.error.details).toMatchObject({
      errors: [
        {
          message:
            "new_promotions.0.tier_ids must not name one that is deleted, archived or ended: choose another.",
        },
      ],
    });
  });

  it("prints them as a command", async () => {
    const out = await cli.ok([
      ...["rules", "preview", "--business", String(shop.businessId), "--from", days[0]],
      ...["--programs", `${shop.programId}:maximum-points-per-order=1000`],
      ...["--new-promotions", "name=Welcome,member=first_sale,points=10"],
    ]);
    expect(out).toMatch(/What each new promotion would have given:\n.*\nWelcome +3 +30 +0/);
  });
});
