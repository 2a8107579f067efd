/** Vouchers that members hold, over HTTP, on the clock of a sandbox. */
import { beforeAll, describe, expect, it } from "vitest";
import { sumDue } from "../support/due.ts";
import type { Body } from "../support/engine-requests.ts";
import { importTools } from "../support/imports.ts";
import { asOperator, operatorWrite } from "../support/operator-requests.ts";
import { makeSandbox, type Sandbox } from "../support/sandbox.ts";
import { nextKey, useWorld } from "../support/world.ts";

const world = useWorld();
const { expectValidLedger } = importTools(world);

let shop: Sandbox;
let location_id: number;
beforeAll(async () => {
  shop = await makeSandbox(world, "2026-01-10 09:00:00");
  location_id = shop.locationId;
});

let codes = 0;
const define = async (more: Body = {}) => {
  codes += 1;
  const definition = { campaign_name: "Coffee", coupon_code: `C${codes}`, coupon_value: 350, ...more };
  const made = await operatorWrite(world, "/op/vouchers/create", {
    business_id: shop.businessId,
    ...definition,
  });
  return made as { voucher_id: number; coupon_code: string };
};
const issue = async (contact_id: number, voucher_id: number): Promise<number> =>
  (await shop.write("/sp/vouchers/issue", { contact_id, voucher_id })).held_voucher_id;
const heldBy = async (contact_id: number) =>
  (await shop.ask("/sp/members/balances", { contact_id })).vouchers;
const entriesOf = async (contact_id: number) => {
  const entries = await shop.ask("/sp/transactions/list", { contact_id, per_page: 100 });
  return entries.reverse().map(({ event_type, amount }: Body) => `${event_type} ${amount}`);
};
const listed = (contact_id: number, more: Body = {}) =>
  shop.ask("/sp/vouchers/list", { contact_id, ...more });
const valid = () => expectValidLedger({ businessId: shop.businessId } as never);

describe("a voucher", () => {
  it("is issued, redeemed and given back, with its value in the account", async () => {
    const contact_id = await shop.member();
    const { voucher_id, coupon_code } = await define({ validity: 1, validity_period: "month" });
    const issued = await shop.write("/sp/vouchers/issue", { contact_id, voucher_id });
    const { held_voucher_id } = issued;
    expect(issued).toEqual({
      held_voucher_id,
      voucher_id,
      coupon_code,
      coupon_value: 350,
      valid_through: "2026-02-10",
      balance_after: 350,
    });
    const redeemed = await shop.write("/sp/vouchers/redeem", { contact_id, location_id, held_voucher_id });
    expect(redeemed).toMatchObject({ redeemed_at: "2026-01-10 09:00:00", balance_after: 0 });
    expect(await listed(contact_id)).toMatchObject([
      { status: "redeemed", redeemed_at: "2026-01-10 09:00:00" },
    ]);
    const reversed = await shop.write("/sp/vouchers/reverse", { held_voucher_id });
    expect(reversed).toMatchObject({ coupon_value: 350, balance_after: 350 });
    expect(await entriesOf(contact_id)).toEqual([
      "voucher_issued 350",
      "voucher_redeemed -350",
      "voucher_reversed 350",
    ]);
    expect(await listed(contact_id, { status: "held" })).toMatchObject([
      { held_voucher_id, redeemed_at: null },
    ]);
  });

  it("of no value is held and used without entries", async () => {
    const contact_id = await shop.member();
    const { voucher_id } = await define({ coupon_value: 0 });
    const [first, second] = [await issue(contact_id, voucher_id), await issue(contact_id, voucher_id)];
    expect(first).not.toBe(second);
    await shop.write("/sp/vouchers/redeem", { contact_id, location_id, held_voucher_id: first });
    const again = { contact_id, location_id, held_voucher_id: first };
    expect((await shop.rejected("/sp/vouchers/redeem", again)).details).toEqual({
      reason: "redeemed",
      held_voucher_id: first,
    });
    expect(await entriesOf(contact_id)).toEqual([]);
    expect(await listed(contact_id)).toMatchObject([{ status: "held" }, { status: "redeemed" }]);
  });

  it("is redeemed once, however many tills try at the same time", async () => {
    const contact_id = await shop.member();
    const held_voucher_id = await issue(contact_id, (await define()).voucher_id);
    const tries = Array.from({ length: 64 }, () =>
      world.write("/sp/vouchers/redeem", { contact_id, location_id, held_voucher_id }, shop.credentials),
    );
    const statuses = (await Promise.all(tries)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 409)).toHaveLength(63);
    expect(await entriesOf(contact_id)).toEqual(["voucher_issued 350", "voucher_redeemed -350"]);
  });

  it("is named by its code, the one that lapses first, also by many tills at the same time", async () => {
    const contact_id = await shop.member();
    const { voucher_id, coupon_code } = await define({ validity: 2, validity_period: "month" });
    const late = await issue(contact_id, voucher_id);
    await operatorWrite(world, "/op/vouchers/update", {
      business_id: shop.businessId,
      voucher_id,
      validity: 1,
      validity_period: "month",
    });
    const early = await issue(contact_id, voucher_id);
    const redeem = (spelled = coupon_code) =>
      world.write("/sp/vouchers/redeem", { contact_id, location_id, coupon_code: spelled }, shop.credentials);
    const first = await redeem();
    expect(first.body.data.held_voucher_id).toBe(early);
    await issue(contact_id, voucher_id);
    const spelled = ` ${coupon_code.toLowerCase()} `;
    const replies = await Promise.all([redeem(), redeem(spelled), redeem()]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 200, 404]);
    const used = (await listed(contact_id, { status: "redeemed" })).map((one: Body) => one.held_voucher_id);
    expect(used).toContain(late);
    expect(await heldBy(contact_id)).toBe(0);
  });

  it("is good at its location only", async () => {
    const contact_id = await shop.member();
    const other = await operatorWrite(world, "/op/locations/create", {
      business_id: shop.businessId,
      name: "Other",
    });
    const { voucher_id } = await define({ location_id: other.location_id });
    const held_voucher_id = await issue(contact_id, voucher_id);
    const redeem = { contact_id, held_voucher_id };
    expect(await shop.rejected("/sp/vouchers/redeem", { ...redeem, location_id })).toEqual({
      code: "voucher_not_usable",
      details: { reason: "location", held_voucher_id, location_id: other.location_id },
    });
    await shop.write("/sp/vouchers/redeem", { ...redeem, location_id: other.location_id });
  });

  it("stays good when its definition is archived, which ends the issuing", async () => {
    const contact_id = await shop.member();
    const { voucher_id } = await define();
    const held_voucher_id = await issue(contact_id, voucher_id);
    await operatorWrite(world, "/op/vouchers/archive", { business_id: shop.businessId, voucher_id });
    expect((await shop.rejected("/sp/vouchers/issue", { contact_id, voucher_id })).code).toBe(
      "voucher_archived",
    );
    await shop.write("/sp/vouchers/redeem", { contact_id, location_id, held_voucher_id });
  });

  it("of another member is as absent as one that was never issued", async () => {
    const [owner, other] = [await shop.member(), await shop.member()];
    const held_voucher_id = await issue(owner, (await define()).voucher_id);
    const redeem = { contact_id: other, location_id, held_voucher_id };
    expect((await shop.rejected("/sp/vouchers/redeem", redeem)).code).toBe("voucher_not_held");
  });
});

describe("a sale", () => {
  it("is paid by vouchers first, then points, wallet and till, and earns on what is left", async () => {
    const contact_id = await shop.member();
    const { voucher_id } = await define({ coupon_value: 1000 });
    const use_vouchers = [await issue(contact_id, voucher_id), await issue(contact_id, voucher_id)];
    await shop.write("/sp/wallet/topup", { contact_id, location_id, amount: 500 });
    await shop.write("/sp/reward-points/adjust", { contact_id, points: 100, adjustment_type: "credit" });
    const sale = { contact_id, location_id, amount: 6000, use_vouchers, use_points: 100, use_wallet: 500 };
    const { usable, program, ...quoted } = await shop.ask("/sp/sales/quote", sale);
    expect(usable).toMatchObject({
      points: 100,
      wallet: 500,
      vouchers: use_vouchers.map((held_voucher_id) => ({ held_voucher_id, coupon_value: 1000 })),
    });
    expect(program).not.toBeNull();
    const { sale_id, reference_id, ...recorded } = await shop.write("/sp/sales/record", sale);
    expect(recorded).toEqual(quoted);
    expect(recorded).toMatchObject({
      voucher_amount: 2000,
      voucher_unused: 0,
      points_amount: 500,
      wallet_used: 500,
      amount_due: 3000,
      points_earned: 35,
      balances: { vouchers: 0, points: 35, wallet: 0, sales: 3500 },
    });
    const refund = await shop.write("/sp/sales/refund", { sale_id, location_id, amount: 5999 });
    expect(refund.vouchers_back).toEqual([]);
    const { full_refund } = await shop.ask("/sp/sales/get", { sale_id });
    expect(full_refund.vouchers_back.sort()).toEqual(use_vouchers);
    const rest = await shop.write("/sp/sales/refund", { sale_id, location_id });
    expect(rest.vouchers_back.sort()).toEqual(use_vouchers);
    expect(rest.balances).toEqual({ wallet: 500, points: 100, vouchers: 2000, sales: 0 });
    expect(reference_id).toBe(`SA-${sale_id}`);
    await valid();
  });

  it("loses the part of a voucher that it does not need, and says so", async () => {
    const contact_id = await shop.member();
    const use_vouchers = [await issue(contact_id, (await define({ coupon_value: 1000 })).voucher_id)];
    const sold = await shop.write("/sp/sales/record", { contact_id, location_id, amount: 700, use_vouchers });
    expect(sold).toMatchObject({
      voucher_amount: 700,
      voucher_unused: 300,
      amount_due: 0,
      points_earned: 0,
      balances: { vouchers: 0, sales: 0 },
    });
    expect(sold.why).toContainEqual({
      code: "voucher_lapses",
      unused: 300,
      text: "3.00 EUR of the vouchers is lost",
    });
    const reverse = { held_voucher_id: use_vouchers[0] };
    expect((await shop.rejected("/sp/vouchers/reverse", reverse)).details).toMatchObject({
      reason: "of_a_sale",
    });
    const back = await shop.write("/sp/sales/refund", { sale_id: sold.sale_id, location_id });
    expect(back).toMatchObject({ money_back: 0, vouchers_back: use_vouchers, balances: { vouchers: 1000 } });
  });
});

describe("vouchers that a sale does not need", () => {
  const order = async (amount: number, values: readonly number[]) => {
    const contact_id = await shop.member();
    const use_vouchers: number[] = [];
    for (const coupon_value of values) {
      use_vouchers.push(await issue(contact_id, (await define({ coupon_value })).voucher_id));
    }
    return { contact_id, location_id, amount, use_vouchers };
  };

  it("are rejected, by the quote and by the sale, and are still held", async () => {
    const sale = await order(300, [500, 500, 500]);
    const details = { reason: "not_needed", held_voucher_id: sale.use_vouchers[2] };
    const rejection = { code: "voucher_not_usable", details };
    expect(await shop.rejected("/sp/sales/quote", sale)).toEqual(rejection);
    expect(await shop.rejected("/sp/sales/record", sale)).toEqual(rejection);
    expect(await heldBy(sale.contact_id)).toBe(1500);
  });

  it("are named one by one, the last that the others make up for", async () => {
    const sale = await order(700, [500, 100, 500]);
    const [, small] = sale.use_vouchers;
    const details = { reason: "not_needed", held_voucher_id: small };
    expect((await shop.rejected("/sp/sales/record", sale)).details).toEqual(details);
    const needed = sale.use_vouchers.filter((id) => id !== small);
    const sold = await shop.write("/sp/sales/record", { ...sale, use_vouchers: needed });
    expect(sold).toMatchObject({ voucher_amount: 700, voucher_unused: 300, balances: { vouchers: 100 } });
  });

  it("are none without a value, and none of which a part is used", async () => {
    const sale = await order(501, [500, 0, 500]);
    expect(await shop.write("/sp/sales/record", sale)).toMatchObject({ amount_due: 0, voucher_unused: 499 });
  });
});

describe("a sale of an earlier day", () => {
  let till: Sandbox;
  let earlier: Body;
  let vouchers: Body[];
  beforeAll(async () => {
    till = await makeSandbox(world, "2026-01-10 09:00:00");
    const contact_id = await till.member();
    vouchers = [];
    for (const days of [3, 5]) {
      const { voucher_id } = await operatorWrite(world, "/op/vouchers/create", {
        business_id: till.businessId,
        campaign_name: "Soon",
        coupon_code: `S${days}`,
        coupon_value: 200,
        validity: days,
        validity_period: "day",
      });
      vouchers.push(await till.write("/sp/vouchers/issue", { contact_id, voucher_id }));
    }
    await till.rules({ points_validity: 5, points_validity_period: "day", points_expiry_rounding: "day" });
    await till.write("/sp/sales/record", { contact_id, location_id: till.locationId, amount: 3000 });
    await till.advance("2026-01-25");
    earlier = { contact_id, location_id: till.locationId, amount: 1000, sold_on: "2026-01-15" };
  });

  it("can use vouchers and points that have lapsed since, once", async () => {
    const [sooner, later] = vouchers.map(({ held_voucher_id }) => held_voucher_id);
    const quoted = await till.ask("/sp/sales/quote", earlier);
    expect(quoted.usable).toMatchObject({ points: 30, vouchers: [{ held_voucher_id: later }] });
    expect(quoted.usable.vouchers).toHaveLength(1);
    expect((await till.ask("/sp/sales/quote", { ...earlier, sold_on: undefined })).usable).toMatchObject({
      points: 0,
      vouchers: [],
    });
    const paid = { ...earlier, use_points: 20, use_vouchers: [later] };
    const { usable: _, program: __, ...expected } = await till.ask("/sp/sales/quote", paid);
    const { sale_id, reference_id, ...sold } = await till.write("/sp/sales/record", paid);
    expect(sold).toEqual(expected);
    expect(sold).toMatchObject({
      voucher_amount: 200,
      points_used: 20,
      balances: { points: 0, vouchers: 0 },
    });
    const entries = await till.ask("/sp/transactions/list", {
      contact_id: earlier.contact_id,
      per_page: 100,
    });
    const own = entries.filter((entry: Body) => entry.reference_id === reference_id).reverse();
    expect(own.map(({ event_type, amount }: Body) => `${event_type} ${amount}`)).toEqual([
      ...["voucher_issued 200", "reward_points_expired 20", "voucher_redeemed -200"],
      ...["reward_points_redeemed -20", "sale 700", "reward_points_earned 7", "reward_points_expired -7"],
    ]);
    const again = { ...earlier, use_vouchers: [later] };
    expect((await till.rejected("/sp/sales/record", again)).details).toMatchObject({ reason: "redeemed" });
    const tooEarly = { ...earlier, use_vouchers: [sooner] };
    expect((await till.rejected("/sp/sales/record", tooEarly)).details).toMatchObject({ reason: "lapsed" });
    const tooMany = { ...earlier, use_points: 18 };
    expect((await till.rejected("/sp/sales/record", tooMany)).details).toEqual({
      account: "points",
      balance: 17,
    });
    const back = await till.write("/sp/sales/refund", { sale_id, location_id: till.locationId });
    expect(back).toMatchObject({ points_back: 20, vouchers_back: [later] });
    await expectValidLedger({ businessId: till.businessId } as never);
  });
});

describe("a voucher for points", () => {
  it("is bought, and taken back with its points unless it was used", async () => {
    const contact_id = await shop.member();
    const { voucher_id } = await define({ points_price: 40 });
    await shop.write("/sp/reward-points/adjust", { contact_id, points: 100, adjustment_type: "credit" });
    const bought = await shop.write("/sp/reward-points/redeem", { contact_id, voucher_id });
    expect(bought).toMatchObject({
      points: 40,
      valid_through: null,
      balances: { points: 60, vouchers: 350 },
    });
    const back = await shop.write("/sp/reward-points/reverse", { redemption_id: bought.redemption_id });
    expect(back).toMatchObject({ points_back: 40, balances: { points: 100, vouchers: 0 } });
    expect(await listed(contact_id)).toMatchObject([{ status: "returned" }]);
    expect(await entriesOf(contact_id)).toEqual([
      ...["reward_points_adjustment 100", "reward_points_redeemed -40", "voucher_issued 350"],
      ...["voucher_issued -350", "reward_points_redeemed 40"],
    ]);
    const gone = { contact_id, location_id, held_voucher_id: bought.held_voucher_id };
    expect((await shop.rejected("/sp/vouchers/redeem", gone)).code).toBe("voucher_not_held");
  });

  it("costs what the member has, at most", async () => {
    const contact_id = await shop.member();
    const { voucher_id } = await define({ points_price: 40 });
    const { code, details } = await shop.rejected("/sp/reward-points/redeem", { contact_id, voucher_id });
    expect([code, details]).toEqual(["insufficient_balance", { account: "points", balance: 0 }]);
    expect(await listed(contact_id)).toEqual([]);
  });
});

describe("on the day after its last", () => {
  it("a voucher lapses, with or without the job, and one entry for each that has a value", async () => {
    const { voucher_id, coupon_code } = await define({ validity: 3, validity_period: "day" });
    const [settled, unsettled] = [await shop.member(), await shop.member()];
    for (const contact_id of [settled, unsettled]) await issue(contact_id, voucher_id);
    const held_voucher_id = await issue(settled, voucher_id);
    const free = await define({ coupon_value: 0, validity: 3, validity_period: "day" });
    await issue(settled, free.voucher_id);
    expect(await shop.advance("2026-01-13")).toBe(0);
    expect(await heldBy(settled)).toBe(700);
    await world.sql`UPDATE ledger SET clock_at = clock_at + interval '1 day' WHERE business_id = ${shop.businessId}`;
    expect(await heldBy(unsettled)).toBe(0);
    expect(await listed(unsettled)).toMatchObject([{ status: "lapsed", valid_through: "2026-01-13" }]);
    expect(await entriesOf(unsettled)).toEqual(["voucher_issued 350"]);
    const late = { contact_id: unsettled, location_id, coupon_code };
    expect((await shop.rejected("/sp/vouchers/redeem", late)).code).toBe("voucher_not_held");
    await operatorWrite(world, "/op/members/settle", { business_id: shop.businessId, contact_id: settled });
    expect(await entriesOf(settled)).toEqual([
      ...["voucher_issued 350", "voucher_issued 350", "voucher_issued -350", "voucher_issued -350"],
    ]);
    expect((await listed(settled)).map(({ status }: Body) => status)).toEqual(["lapsed", "lapsed", "lapsed"]);
    const named = { contact_id: settled, location_id, held_voucher_id };
    expect((await shop.rejected("/sp/vouchers/redeem", named)).details).toMatchObject({ reason: "lapsed" });
    await shop.advance("2026-01-15");
    expect(await heldBy(unsettled)).toBe(0);
    await valid();
  });

  it("a voucher of a refunded sale is good for some more days", async () => {
    const contact_id = await shop.member();
    const { voucher_id } = await define({ validity: 3, validity_period: "day" });
    const use_vouchers = [await issue(contact_id, voucher_id)];
    const sale = { contact_id, location_id, amount: 350, use_vouchers };
    const { sale_id } = await shop.write("/sp/sales/record", sale);
    await shop.advance("2026-02-01");
    await shop.write("/sp/sales/refund", { sale_id, location_id });
    expect(await listed(contact_id)).toMatchObject([{ status: "held", valid_through: "2026-03-02" }]);
    await shop.advance("2026-03-03");
    expect(await listed(contact_id)).toMatchObject([{ status: "lapsed" }]);
    expect(await entriesOf(contact_id)).toEqual([
      ...["voucher_issued 350", "voucher_redeemed -350", "voucher_reversed 350", "voucher_issued -350"],
    ]);
    await valid();
  });
});

it("erasure takes the member's vouchers, and a refund gives none back", async () => {
  const contact_id = await shop.member();
  const { voucher_id } = await define();
  const use_vouchers = [await issue(contact_id, voucher_id)];
  await issue(contact_id, voucher_id);
  const { sale_id } = await shop.write("/sp/sales/record", {
    contact_id,
    location_id,
    amount: 1000,
    use_vouchers,
  });
  const { businessId: business_id } = shop;
  await operatorWrite(world, "/op/members/erase", { business_id, contact_id, reason: "Asked for it" });
  const refund = await shop.write("/sp/sales/refund", { sale_id, location_id });
  expect(refund).toMatchObject({ money_back: 650, vouchers_back: [], balances: { vouchers: 0 } });
  await valid();
});

it("verify finds vouchers that the account does not contain", async () => {
  const contact_id = await shop.member();
  const held_voucher_id = await issue(contact_id, (await define()).voucher_id);
  await world.sql`
    UPDATE held_voucher SET status = 'redeemed'
    WHERE business_id = ${shop.businessId} AND held_voucher_id = ${held_voucher_id}`;
  const verify = { business_id: shop.businessId, part: "points", limit: 1000 };
  const { body } = await asOperator(world, "/op/ledger/verify", verify);
  expect(body.data.mismatches).toMatchObject([{ kind: "vouchers_held", expected: "0", found: "350" }]);
  await world.sql`
    UPDATE held_voucher SET status = 'held'
    WHERE business_id = ${shop.businessId} AND held_voucher_id = ${held_voucher_id}`;
  await sumDue(world.sql, shop.businessId);
  await valid();
});

it("all vouchers of a member lapse, also if they are more than one transaction settles", async () => {
  const contact_id = await shop.member();
  const { voucher_id } = await define({ coupon_value: 0, validity: 1, validity_period: "day" });
  const { businessId } = shop;
  const number = await issue(contact_id, voucher_id);
  await world.sql.begin(async (tx) => {
    await tx`
      INSERT INTO held_voucher (business_id, held_voucher_id, contact_id, voucher_id, coupon_code, coupon_key, coupon_value,
        reference_id, issued_on, valid_from, lapses_on, status, created_at)
      SELECT business_id, held_voucher_id + n, contact_id, voucher_id, coupon_code, coupon_key, coupon_value, reference_id, issued_on, valid_from,
        lapses_on, status, created_at
      FROM held_voucher, generate_series(1, 2500) AS n
      WHERE business_id = ${businessId} AND held_voucher_id = ${number}`;
    await tx`
      UPDATE member_due SET amount = amount + 2500
      WHERE business_id = ${businessId} AND contact_id = ${contact_id} AND event = 'voucher_lapses'`;
    await tx`
      UPDATE liability_change SET items = items + 2500
      WHERE business_id = ${businessId} AND kind = 'voucher' AND items > 0
        AND ends_on = (SELECT lapses_on FROM held_voucher WHERE business_id = ${businessId} AND held_voucher_id = ${number})
        AND part = (SELECT max(part) FROM liability_change WHERE business_id = ${businessId} AND kind = 'voucher')`;
    await tx`
      UPDATE day_total SET items = items + 2500 WHERE business_id = ${businessId} AND what = 'voucher_issue'
        AND location_id <= 0
        AND part = (SELECT max(part) FROM day_total WHERE business_id = ${businessId} AND what = 'voucher_issue')`;
  });
  await world.sql`UPDATE ledger SET clock_at = clock_at + interval '2 days' WHERE business_id = ${businessId}`;
  const last = { contact_id, location_id, held_voucher_id: number + 2500 };
  expect((await shop.rejected("/sp/vouchers/redeem", last)).details).toMatchObject({ reason: "lapsed" });
  // In as many transactions as it takes.
  await operatorWrite(world, "/op/members/settle", { business_id: businessId, contact_id });
  const rows = await world.sql`
    SELECT FROM held_voucher WHERE business_id = ${businessId} AND contact_id = ${contact_id} AND status = 'held'`;
  expect(rows).toHaveLength(0);
  await valid();
});

it("a length of validity and its unit are sent together", async () => {
  const failuresOf = async (more: Body) => {
    const voucher = { campaign_name: "Coffee", coupon_code: "C", coupon_value: 1, ...more };
    const sent = { business_id: shop.businessId, idempotency_key: nextKey(), ...voucher };
    const { body } = await asOperator(world, "/op/vouchers/create", sent);
    return body.error?.details.errors.map(({ field, code }: Body) => `${field} ${code}`) ?? [];
  };
  expect(await failuresOf({ validity: 1 })).toEqual(["validity_period required"]);
  expect(await failuresOf({ validity: null, validity_period: "day" })).toEqual(["validity required"]);
  expect(await failuresOf({ validity: "1", validity_period: "day" })).toEqual(["validity invalid_type"]);
  expect(await failuresOf({ validity: null, validity_period: null })).toEqual([]);
});
