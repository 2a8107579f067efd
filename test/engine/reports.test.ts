/** The reports of a year of random business equal sums that are computed in another way, on every day of the past. */
import { expect, it } from "vitest";
import { countNewEntries } from "../../src/database/ledger/counts.ts";
import { addDays } from "../../src/domain/dates.ts";
import { countPeriods, periodsFrom, reportUnits } from "../../src/domain/reports/periods.ts";
import { rangeBefore } from "../../src/domain/reports/ranges.ts";
import type { Body } from "../support/engine-requests.ts";
import { importTools } from "../support/imports.ts";
import { asOperator, operatorWrite } from "../support/operator-requests.ts";
import { type Random, randomFrom } from "../support/random.ts";
import { runs, seed } from "../support/random-cases.ts";
import { makeSandbox, type Sandbox } from "../support/sandbox.ts";
import { useWorld } from "../support/world.ts";

const world = useWorld();
const { expectValidLedger } = importTools(world);

// biome-ignore lint/suspicious/noExplicitAny: tests look at responses of every shape
type Data = any;

async function report(name: string, body: Body): Promise<Data> {
  const reply = await asOperator(world, `/op/reports/${name}`, body);
  if (reply.body.success !== true) throw new Error(reply.text);
  return reply.body;
}

/** What entries don't tell. */
interface Fact {
  readonly day: string;
  readonly location_id: number;
  readonly figures: Record<string, number>;
}

class Shop {
  readonly facts: Fact[] = [];
  readonly members: number[] = [];
  readonly #sales: { sale_id: number; left: number }[] = [];
  readonly #movements: { movement_id: number; promo_amount: number }[] = [];
  readonly #held: number[] = [];
  readonly #redeemed: number[] = [];
  today = "2026-01-05";
  receipts = 0;
  benefit_id = 0;
  vouchers: number[] = [];
  locations: number[] = [];
  readonly sandbox: Sandbox;
  readonly random: Random;

  constructor(sandbox: Sandbox, random: Random) {
    this.sandbox = sandbox;
    this.random = random;
  }

  operator(path: string, body: Body): Promise<Data> {
    return operatorWrite(world, path, { business_id: this.sandbox.businessId, ...body });
  }

  async setUp(): Promise<void> {
    const { sandbox } = this;
    const other = await this.operator("/op/locations/create", { name: "Other" });
    this.locations = [sandbox.locationId, other.location_id];
    const [location_id] = this.locations;
    const benefit = { title: "Get 5", amount: 5000, promo_amount: 500, location_id };
    this.benefit_id = (await sandbox.write("/sp/wallet/topup-benefits/create", benefit)).benefit_id;
    for (const more of [
      { coupon_value: 0, points_price: 5 },
      { coupon_value: 700, validity: 2, validity_period: "month" },
      { coupon_value: 300, validity: 10, validity_period: "day" },
    ]) {
      const made = await this.operator("/op/vouchers/create", {
        campaign_name: "Gift",
        coupon_code: `C${more.coupon_value}`,
        ...more,
      });
      this.vouchers.push(made.voucher_id);
    }
    for (let count = 0; count < 4; count++) await this.join();
  }

  fact(location_id: number, figures: Record<string, number>): void {
    this.facts.push({ day: this.today, location_id, figures });
  }

  async join(): Promise<void> {
    this.members.push(await this.sandbox.member());
    this.fact(-1, { new_members: 1 });
  }

  /** @returns undefined if it was rejected */
  async try(path: string, body: object): Promise<Data> {
    const reply = await world.write(path, body, this.sandbox.credentials);
    return reply.body.success === true ? reply.body.data : undefined;
  }

  /** Past sales. The first ones are enough for blocks of counts, in which later ones are placed. */
  async importSales(count: number, from: string, days: number): Promise<void> {
    const { random } = this;
    const lines = Array.from({ length: count }, (_, index) => {
      this.receipts += 1;
      const sold_at = addDays(from, random.below(days));
      const location = random.chance(0.8) ? { location_id: random.pick(this.locations) } : {};
      const place = { contact_id: random.pick(this.members), ...location };
      return {
        line: index + 2,
        ...place,
        sold_at,
        amount: 1 + random.below(9000),
        reference_id: `old-${this.receipts}`,
      };
    });
    const { imported } = await this.operator("/op/imports/sales", { lines });
    expect(imported).toBe(count);
  }

  async act(): Promise<void> {
    const { random } = this;
    const [contact_id, location_id] = [random.pick(this.members), random.pick(this.locations)];
    const place = { contact_id, location_id };
    const steps = [
      () => this.#sell(place),
      () => this.#sell(place),
      () => this.#refund(location_id),
      () => this.#topUp(place),
      () => this.try("/sp/wallet/pay", { ...place, amount: 1 + random.below(2000) }),
      () => this.#reverseMovement(location_id),
      () => this.#issue(place),
      () => this.#redeem(place),
      () => this.#giveBack(),
      () => this.try("/sp/reward-points/redeem", { ...place, points: 1 + random.below(20) }),
      () => this.#adjust(contact_id),
      () => (random.chance(0.2) ? this.join() : undefined),
      () => (random.chance(0.3) ? this.importSales(5, addDays(this.today, -200), 200) : undefined),
    ];
    await random.pick(steps)();
  }

  async #sell(place: { contact_id: number; location_id: number }): Promise<void> {
    const { random } = this;
    const amount = random.pick([300, 700, 1 + random.below(9000)]);
    const held = random.chance(0.4) && this.#held.length > 0 ? [random.pick(this.#held)] : [];
    const pays = { use_vouchers: held, use_points: random.chance(0.3) ? random.below(15) : 0 };
    const sold = await this.try("/sp/sales/record", {
      ...place,
      amount,
      ...pays,
      use_wallet: random.chance(0.3) ? random.below(300) : 0,
    });
    if (sold === undefined) return;
    this.#sales.push({ sale_id: sold.sale_id, left: amount });
    for (const held_voucher_id of held) this.#held.splice(this.#held.indexOf(held_voucher_id), 1);
    const isPaid = sold.wallet_used + sold.amount_due > 0;
    this.fact(place.location_id, { sales: isPaid ? 0 : 1, vouchers_used: held.length });
  }

  async #refund(location_id: number): Promise<void> {
    const { random } = this;
    if (this.#sales.length === 0) return;
    const sale = random.pick(this.#sales);
    const amount = random.chance(0.5) ? sale.left : Math.min(sale.left, 1 + random.below(3000));
    const given = await this.try("/sp/sales/refund", { sale_id: sale.sale_id, location_id, amount });
    if (given === undefined) return;
    sale.left -= amount;
    const isPaid = given.wallet_back + given.money_back > 0;
    this.fact(location_id, { refunds: isPaid ? 0 : 1, vouchers_used: -given.vouchers_back.length });
    const { businessId } = this.sandbox;
    // A voucher whose day has passed lapses when it comes back.
    const back = await world.sql<{ held_voucher_id: number; status: string }[]>`
      SELECT held_voucher_id, status FROM held_voucher
      WHERE business_id = ${businessId} AND held_voucher_id = ANY (${given.vouchers_back}::bigint[])`;
    for (const { held_voucher_id, status } of back) if (status === "held") this.#held.push(held_voucher_id);
  }

  async #topUp(place: { contact_id: number; location_id: number }): Promise<void> {
    const { random, benefit_id } = this;
    const what = random.chance(0.5) ? { benefit_id } : { amount: 1 + random.below(3000) };
    const made = await this.try("/sp/wallet/topup", { ...place, ...what });
    if (made === undefined) return;
    this.#movements.push(made);
    this.fact(place.location_id, { topups_bonus: made.promo_amount, bonuses: made.promo_amount > 0 ? 1 : 0 });
  }

  async #reverseMovement(location_id: number): Promise<void> {
    const movement = this.#movements.pop();
    if (movement === undefined) return;
    const { movement_id, promo_amount } = movement;
    const undone = await this.try("/sp/wallet/reverse", { movement_id, location_id });
    if (undone === undefined) return;
    this.fact(location_id, { topups_bonus: -promo_amount, bonuses: promo_amount > 0 ? -1 : 0 });
  }

  async #issue(place: { contact_id: number; location_id: number }): Promise<void> {
    const voucher_id = this.random.pick(this.vouchers);
    const buys = voucher_id === this.vouchers[0] && this.random.chance(0.5);
    const made = buys
      ? await this.try("/sp/reward-points/redeem", { ...place, voucher_id })
      : await this.try("/sp/vouchers/issue", { ...place, voucher_id });
    if (made === undefined) return;
    this.#held.push(made.held_voucher_id);
    this.fact(place.location_id, { vouchers_issued: 1 });
    if (!buys || this.random.chance(0.5)) return;
    const { redemption_id } = made;
    const undone = await this.try("/sp/reward-points/reverse", { redemption_id });
    if (undone === undefined) return;
    this.#held.pop();
    this.fact(0, { vouchers_issued: -1 });
  }

  async #redeem(place: { contact_id: number; location_id: number }): Promise<void> {
    const held_voucher_id = this.#held.shift();
    if (held_voucher_id === undefined) return;
    const [holder] = await world.sql<{ contact_id: number }[]>`
      SELECT contact_id FROM held_voucher
      WHERE business_id = ${this.sandbox.businessId} AND held_voucher_id = ${held_voucher_id}`;
    const used = await this.try("/sp/vouchers/redeem", { ...place, ...holder, held_voucher_id });
    if (used === undefined) return;
    this.#redeemed.push(held_voucher_id);
    this.fact(place.location_id, { vouchers_used: 1 });
  }

  async #giveBack(): Promise<void> {
    const held_voucher_id = this.#redeemed.pop();
    if (held_voucher_id === undefined) return;
    const back = await this.try("/sp/vouchers/reverse", { held_voucher_id });
    if (back !== undefined) this.fact(0, { vouchers_used: -1 });
  }

  async #adjust(contact_id: number): Promise<void> {
    const { random } = this;
    const adjustment_type = random.pick(["credit", "debit"]);
    if (random.chance(0.5)) {
      await this.try("/sp/wallet/adjust", { contact_id, amount: 1 + random.below(900), adjustment_type });
    } else {
      await this.try("/sp/reward-points/adjust", {
        contact_id,
        points: 1 + random.below(30),
        adjustment_type,
      });
    }
  }

  async advance(days: number): Promise<void> {
    this.today = addDays(this.today, days);
    await this.sandbox.advance(`${this.today} 10:00:00`);
    for (const held_voucher_id of [...this.#held]) {
      const [row] = await world.sql<{ status: string; lapses_on: string }[]>`
        SELECT status, lapses_on::text FROM held_voucher
        WHERE business_id = ${this.sandbox.businessId} AND held_voucher_id = ${held_voucher_id}`;
      if (row?.status === "held") continue;
      this.#held.splice(this.#held.indexOf(held_voucher_id), 1);
    }
  }

  /** What the business owes now, as the sum of what its members see. */
  async owed(): Promise<Data> {
    const sum = {
      points: 0,
      points_pending: 0,
      points_owed: 0,
      wallet: 0,
      vouchers: 0,
      vouchers_amount: 0,
      points_by_month: {} as Record<string, number>,
      vouchers_by_month: {} as Record<string, number>,
    };
    const add = (sums: Record<string, number>, day: string | null, number: number) => {
      const month = day === null ? "never" : day.slice(0, 7);
      sums[month] = (sums[month] ?? 0) + number;
    };
    for (const contact_id of this.members) {
      const has = await this.sandbox.ask("/sp/members/balances", { contact_id });
      sum.points += has.points;
      sum.points_owed += has.points_owed;
      sum.wallet += has.wallet;
      sum.vouchers_amount += has.vouchers;
      for (const { points } of has.points_pending) sum.points_pending += points;
      for (const { valid_through, points } of has.points_expiring) {
        add(sum.points_by_month, valid_through, points);
      }
      const held = await this.sandbox.ask("/sp/vouchers/list", { contact_id, status: "held", per_page: 100 });
      for (const { valid_through } of held) {
        sum.vouchers += 1;
        add(sum.vouchers_by_month, valid_through, 1);
      }
    }
    return sum;
  }

  /** The liabilities of a report in the same form. */
  async reported(on: string): Promise<Data> {
    const { data } = await report("liabilities", { business_id: this.sandbox.businessId, on });
    const byMonth = (rows: Data[], field: string) =>
      Object.fromEntries(rows.map((row) => [row.month ?? "never", row[field]]));
    return {
      ...data,
      points_by_month: byMonth(data.points_by_month, "points"),
      vouchers_by_month: byMonth(data.vouchers_by_month, "vouchers"),
    };
  }
}

interface Entry {
  readonly day: string;
  readonly location_id: number | null;
  readonly contact_id: number;
  readonly event_type: string;
  readonly amount: number;
}

/** The activity of a period, counted from all entries and facts. @param earlier the entries before it */
function activityOf(
  entries: readonly Entry[],
  earlier: readonly Entry[],
  facts: readonly Fact[],
  isTotal: boolean,
): Data {
  const of = (type: string) => entries.filter((entry) => entry.event_type === type);
  const sum = (type: string) => of(type).reduce((total, { amount }) => total + amount, 0) + 0;
  const positive = (type: string) => of(type).filter(({ amount }) => amount > 0).length;
  const net = (type: string) => positive(type) - (of(type).length - positive(type));
  const fact = (name: string) => facts.reduce((total, { figures }) => total + (figures[name] ?? 0), 0);
  const gives = ["sale", "wallet_topup"];
  const takes = ["wallet_payment", "reward_points_redeemed", "voucher_redeemed"];
  const activeIn = (some: readonly Entry[]) => {
    const active = some.filter(
      ({ event_type, amount }) =>
        (gives.includes(event_type) && amount > 0) || (takes.includes(event_type) && amount < 0),
    );
    return new Set(active.map(({ contact_id }) => contact_id));
  };
  const [active, activeBefore] = [activeIn(entries), activeIn(earlier)];
  const figures = {
    sales: net("sale") + fact("sales"),
    sales_amount: sum("sale"),
    refunds: -net("sale_refund") + fact("refunds"),
    refunds_amount: -sum("sale_refund"),
    points_given: sum("reward_points_earned"),
    points_used: -sum("reward_points_redeemed"),
    points_expired: -sum("reward_points_expired"),
    points_adjusted: sum("reward_points_adjustment"),
    vouchers_issued: fact("vouchers_issued"),
    vouchers_used: fact("vouchers_used"),
    topups: net("wallet_topup") - fact("bonuses"),
    topups_amount: sum("wallet_topup") - fact("topups_bonus"),
    topups_bonus: fact("topups_bonus"),
    wallet_paid: -sum("wallet_payment"),
    wallet_adjusted: sum("wallet_adjustment"),
    active_members: active.size,
    returning_members: [...active].filter((contact_id) => activeBefore.has(contact_id)).length,
  };
  const positives = Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, value + 0]));
  // The shops have neither. referrals.test.ts and stamp-cards-over-time.test.ts have some.
  const none = isTotal ? 0 : null;
  const ofBusiness = {
    ...{ stamps_collected: none, stamp_cards_full: none, referrals_created: none, referrals_granted: none },
    ...{ referrals_lapsed: none, occasions_granted: none, occasions_points: none },
    new_members: isTotal ? fact("new_members") : null,
  };
  return { ...positives, ...ofBusiness };
}

const entriesOf = ({ sandbox: { businessId } }: Shop) =>
  world.sql<Entry[]>`
    SELECT (created_at AT TIME ZONE 'Europe/Madrid')::date::text AS day, location_id, contact_id, event_type, amount
    FROM ledger_entry WHERE business_id = ${businessId}`;

async function expectActivity(shop: Shop): Promise<void> {
  const { businessId } = shop.sandbox;
  const entries = await entriesOf(shop);
  const from = "2025-06-20";
  for (const by of reportUnits) {
    for (const location_id of [undefined, ...shop.locations]) {
      const asked = { business_id: businessId, from, through: shop.today, by, location_id, per_page: 100 };
      const rows: Data[] = [];
      const count = countPeriods(from, shop.today, by);
      for (let page = 1; page <= Math.ceil(count / 100); page++) {
        const { data, meta } = await report("activity", { ...asked, page });
        expect(meta.pagination.total).toBe(count);
        rows.push(...data);
      }
      const periods = periodsFrom(from, by, 0, count);
      expect(rows.length).toBe(count);
      for (const [index, { starts_on, ends_on }] of periods.entries()) {
        const { vouchers_lapsed, ...row } = rows[index];
        const isThere = (one: { location_id: number | null }) =>
          location_id === undefined || one.location_id === location_id;
        const within = (one: { day: string; location_id: number | null }) =>
          one.day >= starts_on && one.day <= ends_on && isThere(one);
        const expected = activityOf(
          entries.filter(within),
          entries.filter((one) => one.day < starts_on && isThere(one)),
          shop.facts.filter(within),
          location_id === undefined,
        );
        expect({ by, location_id, ...row }).toEqual({ by, location_id, starts_on, ends_on, ...expected });
      }
      if (location_id !== undefined) continue;
      const lapsed = await world.sql<{ day: string; status: string; lapses_on: string }[]>`
        SELECT 1 FROM held_voucher WHERE business_id = ${businessId} AND status = 'lapsed'`;
      expect(rows.reduce((sum, row) => sum + row.vouchers_lapsed, 0)).toBe(lapsed.length);
    }
  }
}

/** Each location in some random ranges, and what has none. */
async function expectLocations(shop: Shop): Promise<void> {
  const { businessId } = shop.sandbox;
  const entries = await entriesOf(shop);
  for (let range = 0; range < 20; range++) {
    const from = addDays("2025-06-20", shop.random.below(200));
    const through = [shop.today, addDays(from, shop.random.below(60))].sort()[0] as string;
    const { data } = await report("locations", { business_id: businessId, from, through });
    const expected = [...shop.locations, null].flatMap((location_id) => {
      const within = (one: { day: string; location_id: number | null }) =>
        one.day >= from && one.day <= through && (one.location_id || null) === location_id;
      const [sold, facts] = [entries.filter(within), shop.facts.filter(within)];
      const figures = activityOf(sold, [], facts, false);
      const average = figures.sales > 0 ? Math.round(figures.sales_amount / figures.sales) : null;
      const row = { location_id, sales: figures.sales, average_sale: average };
      for (const name of [
        "sales_amount",
        "refunds",
        "refunds_amount",
        "points_given",
        "points_used",
        "points_expired",
      ])
        Object.assign(row, { [name]: figures[name] });
      for (const name of ["vouchers_issued", "vouchers_used", "topups_amount", "topups_bonus", "wallet_paid"])
        Object.assign(row, { [name]: figures[name] });
      return location_id === null && sold.length + facts.length === 0 ? [] : [row];
    });
    expect(data.slice(0, expected.length)).toMatchObject(expected);
    expect(data.length - expected.length, "what has only lapsed has no location").toBeLessThanOrEqual(1);
    const { data: days } = await report("activity", {
      business_id: businessId,
      from,
      through,
      per_page: 100,
    });
    for (const name of Object.keys(data[0]).filter((one) => one in days[0]))
      expect([name, sumOf(data, name)]).toEqual([name, sumOf(days, name)]);
  }
}

/** The figures of random ranges, and of those before, are the sums of their days, and the averages of their periods. */
async function expectFigures({ sandbox, random, today, locations }: Shop): Promise<void> {
  const rowsOf = async (asked: Body) => {
    const rows: Data[] = [];
    for (let after: string | null | undefined; after !== null; ) {
      const { data, meta } = await report("activity", { ...asked, per_page: 100, ...(after && { after }) });
      rows.push(...data);
      after = meta.next;
    }
    return rows;
  };
  for (let range = 0; range < 20; range++) {
    const day = addDays("2025-06-20", random.below(200));
    const from = random.pick([day, `${day.slice(0, 8)}01`]);
    const through = [today, addDays(from, random.below(60))].sort()[0] as string;
    const of = { business_id: sandbox.businessId, location_id: random.pick([undefined, ...locations]) };
    const by = random.pick([...reportUnits]);
    const { data } = await report("figures", { ...of, from, through, by });
    const before = rangeBefore({ from, through });
    expect(data).toMatchObject({ from, through, before_from: before.from, before_through: before.through });
    for (const [figures, days] of [
      [data.figures, { from, through }],
      [data.before, before],
    ]) {
      const { average_sale, redemption_percent, active_members, returning_members, ...sums } = figures;
      const each = await rowsOf({ ...of, ...days, by: "day" });
      const whole = (await rowsOf({ ...of, ...days, by })).filter(
        ({ starts_on, ends_on }) => starts_on >= days.from && ends_on <= days.through,
      );
      const sum = (name: string) => (each[0][name] === null ? null : sumOf(each, name));
      expect(sums).toEqual(Object.fromEntries(Object.keys(sums).map((name) => [name, sum(name)])));
      expect(Object.keys(sums).length).toBe(Object.keys(each[0]).length - 4);
      expect([active_members, returning_members]).toEqual(
        ["active_members", "returning_members"].map((name) =>
          whole.length === 0 ? null : Math.round(sumOf(whole, name) / whole.length),
        ),
      );
      expect(average_sale).toBe(sums.sales > 0 ? Math.round(sums.sales_amount / sums.sales) : null);
      const given = sums.points_given;
      expect(redemption_percent).toBe(given > 0 ? Math.round((100 * sums.points_used) / given) : null);
    }
  }
}

const sumOf = (rows: readonly Data[], name: string) => rows.reduce((sum, row) => sum + row[name], 0);

it("the report of locations leaves out what is closed, and what has none, if nothing happened", async () => {
  const shop = new Shop(await makeSandbox(world, "2026-01-05 10:00:00"), randomFrom(seed));
  await shop.setUp();
  const [, other = 0] = shop.locations;
  const [business_id, place] = [shop.sandbox.businessId, { contact_id: shop.members[0], location_id: other }];
  await shop.try("/sp/sales/record", { ...place, amount: 500 });
  await shop.operator("/op/locations/update", { location_id: other, closed: true });
  const of = async (more: Body) =>
    (await report("locations", { business_id, ...more })).data.map((row: Data) => [
      row.location_name,
      row.closed,
      row.sales,
    ]);
  expect(await of({ through: "2026-01-05" })).toEqual([
    [expect.any(String), false, 0],
    ["Other", true, 1],
  ]);
  expect(await of({ through: "2026-01-04" })).toHaveLength(1);
  const first = await report("locations", { business_id, per_page: 1 });
  expect(first.meta.pagination).toMatchObject({ total: 2, last_page: 2 });
  expect(await of({ per_page: 1, after: first.meta.next })).toEqual([["Other", true, 1]]);
  const future = await asOperator(world, "/op/reports/locations", {
    business_id,
    from: "2026-02-01",
    through: "2026-01-01",
  });
  expect(future.body.error.details.errors).toMatchObject([{ field: "from", code: "out_of_range" }]);
});

it("liabilities and activity of random histories, on every past day", { timeout: 240_000 }, async () => {
  for (let run = 0; run < runs(2); run++) {
    const random = randomFrom(seed + run);
    const shop = new Shop(await makeSandbox(world, "2026-01-05 10:00:00"), random);
    await shop.setUp();
    await shop.sandbox.rules({
      pending_days: random.pick([0, 0, 14]),
      points_validity: random.pick([2, 5]),
      points_expiry_rounding: random.pick(["day", "month_end"]),
      clawback_shortfall: random.pick(["owe", "forgive"]),
    });
    const { businessId } = shop.sandbox;
    for (const part of [1, 2]) await shop.importSales(1600, `2025-0${6 + part}-01`, 100);
    const snapshots = new Map<string, Data>();
    for (let step = 0; step < 70; step++) {
      for (let acts = random.below(4); acts >= 0; acts--) await shop.act();
      if (random.chance(0.05)) await countNewEntries(world.sql.shareOf(businessId), businessId);
      if (random.chance(0.3)) snapshots.set(shop.today, await shop.owed());
      if (random.chance(0.6)) {
        snapshots.set(shop.today, await shop.owed());
        await shop.advance(1 + random.below(18));
      }
    }
    snapshots.set(shop.today, await shop.owed());
    for (const [on, owed] of snapshots)
      expect({ ...(await shop.reported(on)) }).toMatchObject({ on, ...owed });
    await expectActivity(shop);
    await expectLocations(shop);
    await expectFigures(shop);
    await expectValidLedger({ businessId } as never);
  }
});
