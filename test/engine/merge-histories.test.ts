/** Merges of members with random histories: nothing is lost or made, and each record of the merged member still works. */
import { beforeAll, expect, it } from "vitest";
import { addDays } from "../../src/domain/dates.ts";
import type { Body } from "../support/engine-requests.ts";
import { importTools } from "../support/imports.ts";
import { operatorWrite } from "../support/operator-requests.ts";
import { type Random, randomFrom } from "../support/random.ts";
import { runs, seed } from "../support/random-cases.ts";
import { makeSandbox, type Sandbox } from "../support/sandbox.ts";
import { useWorld } from "../support/world.ts";

const world = useWorld();
const { expectValidLedger } = importTools(world);

let shop: Sandbox;
let voucher_id: number;
beforeAll(async () => {
  shop = await makeSandbox(world, "2026-01-01 09:00:00");
  const { businessId: business_id } = shop;
  await shop.rules({ pending_days: 3, points_validity: 20, points_validity_period: "day" });
  const tier = { business_id, expiry: 1, expiry_period: "month" };
  await operatorWrite(world, "/op/tiers/create", { ...tier, name: "Silver", qualifying_sales: 5000 });
  await operatorWrite(world, "/op/tiers/create", { ...tier, name: "Gold", qualifying_sales: 12_000 });
  const voucher = { campaign_name: "Coffee", coupon_code: "COFFEE", coupon_value: 400, points_price: 5 };
  const validity = { validity: 10, validity_period: "day" };
  const made = { business_id, ...voucher, ...validity };
  voucher_id = (await operatorWrite(world, "/op/vouchers/create", made)).voucher_id;
  const code = { campaign_name: "Flyer", coupon_code: "FLYER", kind: "percent", percent: 15 };
  await operatorWrite(world, "/op/vouchers/create", { business_id, ...code, public_code: "FLYER" });
  const double = { name: "Double coffee", categories: ["coffee"], multiply: 200, most_per_member_day: 2 };
  await operatorWrite(world, "/op/promotions/create", { business_id, ...double });
  const each = { name: "Teas", categories: ["tea"], points: 2, per: "unit", budget_points: 300 };
  await operatorWrite(world, "/op/promotions/create", { business_id, ...each });
  const card = { name: "Coffee card", counts: "unit", categories: ["coffee"], stamps_needed: 4, voucher_id };
  await operatorWrite(world, "/op/stamp-cards/create", { business_id, ...card });
});

/** What a sale of coffee and tea says besides its amount, or one without lines. */
function basket(random: Random, amount: number): Body {
  const coffee = random.below(amount + 1);
  const line = (category: string, of: number) => ({ category, quantity: 1 + random.below(3), amount: of });
  const lines = [line("coffee", coffee), line("tea", amount - coffee)];
  return {
    ...(random.chance(0.6) && { lines }),
    ...(random.chance(0.2) && { use_codes: ["flyer"] }),
  };
}

/** What can be undone of a member, as the requests that do so. */
type Undo = readonly [path: string, body: Body];

/** Does one random thing to a member. One that is rejected changes nothing. */
async function step(random: Random, contact_id: number, undo: Undo[]): Promise<void> {
  const at = { location_id: shop.locationId };
  const member = { contact_id, ...at };
  const send = async (path: string, body: Body) => {
    const reply = await world.write(path, body, shop.credentials);
    expect(reply.status).toBeLessThan(500);
    return reply.body.data as Body | undefined;
  };
  const kind = random.below(8);
  if (kind < 3) {
    const amount = 1 + random.below(6000);
    const sale = await send("/sp/sales/record", {
      ...member,
      amount,
      ...basket(random, amount),
      ...(random.chance(0.4) && { use_points: random.below(20), use_wallet: random.below(200) }),
    });
    if (sale !== undefined) undo.push(["/sp/sales/refund", { sale_id: sale.sale_id, ...at }]);
  } else if (kind === 3) {
    const points = random.chance(0.5) ? { points: 1 + random.below(30) } : { voucher_id };
    const redeemed = await send("/sp/reward-points/redeem", { ...member, ...points });
    if (redeemed) undo.push(["/sp/reward-points/reverse", { redemption_id: redeemed.redemption_id }]);
  } else if (kind === 4) {
    const topup = await send("/sp/wallet/topup", { ...member, amount: 1 + random.below(900) });
    if (topup) undo.push(["/sp/wallet/reverse", { movement_id: topup.movement_id, ...at }]);
  } else if (kind === 5) {
    const refund = undo.filter(([path]) => path === "/sp/sales/refund");
    if (refund.length > 0) await send(...([...random.pick(refund)] as unknown as [string, Body]));
  } else if (kind === 6) {
    const points = { points: 1 + random.below(40), adjustment_type: random.chance(0.7) ? "credit" : "debit" };
    await send("/sp/reward-points/adjust", { contact_id, ...points });
  } else {
    const issued = await send("/sp/vouchers/issue", { contact_id, voucher_id });
    if (issued === undefined || random.chance(0.5)) return;
    const { held_voucher_id } = issued;
    await send("/sp/vouchers/redeem", { ...member, held_voucher_id });
    undo.push(["/sp/vouchers/reverse", { held_voucher_id }]);
  }
}

const sumsByType = async (): Promise<Record<string, number>> => {
  const rows = await world.sql<{ event_type: string; amount: number }[]>`
    SELECT event_type, sum(amount)::bigint AS amount FROM ledger_entry
    WHERE business_id = ${shop.businessId} GROUP BY event_type HAVING sum(amount) <> 0`;
  return Object.fromEntries(rows.map(({ event_type, amount }) => [event_type, amount]));
};

const balancesOf = (contact_id: number) => shop.ask("/sp/members/balances", { contact_id });

/** Adds up points by their days. */
function byDay(field: string, ...lists: Body[][]) {
  const sums: Record<string, number> = {};
  for (const one of lists.flat()) {
    const day = String(one[field]);
    sums[day] = (sums[day] ?? 0) + Number(one.points);
  }
  return sums;
}

let today = "2026-01-01";

it.each(Array.from({ length: runs(12) }, (_, index) => seed + index))(
  "a merge after the history %i moves everything once",
  async (number) => {
    const random = randomFrom(number);
    const [from, to] = [await shop.member(), await shop.member()];
    const undo: Undo[] = [];
    for (let index = 0; index < 24; index++) {
      await step(random, random.pick([from, to]), undo);
      if (random.chance(0.15)) {
        today = addDays(today, 1 + random.below(8));
        await shop.advance(today);
      }
    }
    const [one, other, sums] = [await balancesOf(from), await balancesOf(to), await sumsByType()];
    const merge = { from_contact_id: from, contact_id: to };
    const { merged, balances } = await shop.write("/sp/members/merge", merge);

    const after = await balancesOf(to);
    expect(after).toMatchObject(balances);
    for (const account of ["wallet", "sales"]) expect(after[account]).toBe(one[account] + other[account]);
    for (const account of ["wallet", "vouchers", "sales"]) expect(merged[account]).toBe(one[account]);
    // Their stamps together can fill a card, which gives a voucher.
    const given = after.vouchers - one.vouchers - other.vouchers;
    expect([0, 400]).toContain(given);
    // Points in lots pay debts. So both become less by the same number.
    const paid = one.points + other.points - after.points;
    expect(one.points_owed + other.points_owed - after.points_owed).toBe(paid);
    expect(await sumsByType()).toEqual({
      ...sums,
      ...(paid > 0 && { reward_points_earned: (sums.reward_points_earned as number) - paid }),
      ...(given > 0 && { voucher_issued: (sums.voucher_issued ?? 0) + given }),
    });
    expect(byDay("matures_on", after.points_pending)).toEqual(
      byDay("matures_on", one.points_pending, other.points_pending),
    );
    if (paid === 0) {
      const dates = byDay("valid_through", one.points_expiring, other.points_expiring);
      expect(byDay("valid_through", after.points_expiring)).toEqual(dates);
    }
    expect(await balancesOf(from)).toEqual(after);
    await expectValidLedger({ businessId: shop.businessId } as never);

    for (const [path, body] of undo) {
      const { error } = (await world.write(path, body, shop.credentials)).body;
      const rejected = ["refund_exceeds_sale", "insufficient_balance", "voucher_not_usable"];
      if (error !== undefined) expect(rejected).toContain(error.code);
    }
    expect(await balancesOf(to)).toMatchObject({ sales: 0, points_pending: [] });
    await expectValidLedger({ businessId: shop.businessId } as never);
  },
);
