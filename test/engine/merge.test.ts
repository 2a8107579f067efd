/** Merging two members, over HTTP: nothing is lost, and all that names the merged member finds the other one. */
import { beforeAll, describe, expect, it } from "vitest";
import { memberTables } from "../../src/database/tables.ts";
import type { Body } from "../support/engine-requests.ts";
import { importTools } from "../support/imports.ts";
import { asOperator, operatorWrite } from "../support/operator-requests.ts";
import { makeSandbox, type Sandbox } from "../support/sandbox.ts";
import { newPerson, nextKey, useWorld } from "../support/world.ts";

const world = useWorld();
const { expectValidLedger, importLines, transactionsOf } = importTools(world);

let shop: Sandbox;
let location_id: number;
let voucher_id: number;
beforeAll(async () => {
  shop = await makeSandbox(world, "2026-01-10 09:00:00");
  location_id = shop.locationId;
  const voucher = { campaign_name: "Coffee", coupon_code: "COFFEE", coupon_value: 400, points_price: 5 };
  const validity = { validity: 1, validity_period: "month" };
  const made = { business_id: shop.businessId, ...voucher, ...validity };
  voucher_id = (await operatorWrite(world, "/op/vouchers/create", made)).voucher_id;
});

const expectValid = () => expectValidLedger({ businessId: shop.businessId } as never);
const asShop = (path: string, body: Body) =>
  asOperator(world, path, { business_id: shop.businessId, ...body });
const operate = (path: string, body: Body) =>
  operatorWrite(world, path, { business_id: shop.businessId, ...body });
const balancesOf = (contact_id: number) => shop.ask("/sp/members/balances", { contact_id });
const merge = (from_contact_id: number, contact_id: number, more: Body = {}) =>
  shop.write("/sp/members/merge", { from_contact_id, contact_id, ...more });
const entriesOf = async (contact_id: number) =>
  (await shop.ask("/sp/transactions/list", { contact_id, per_page: 100 })).reverse() as Body[];

interface Person {
  readonly contact_id: number;
  readonly phone_number: string;
  readonly email: string;
  readonly external_ref: string;
}
const person = async (): Promise<Person> => {
  const { phone_number } = newPerson();
  const more = { phone_number, email: `m${phone_number}@example.com`, external_ref: `C${phone_number}` };
  return { contact_id: await world.member(more, shop.credentials), ...more };
};
const sell = (contact_id: number, amount: number, more: Body = {}) =>
  shop.write("/sp/sales/record", { contact_id, location_id, amount, ...more });

/** A member with one record of each kind, and money and points. */
async function makeRich() {
  const { contact_id, ...keys } = await person();
  const member = { contact_id, location_id };
  const topup = await shop.write("/sp/wallet/topup", { ...member, amount: 5000 });
  const payment = await shop.write("/sp/wallet/pay", { ...member, amount: 300 });
  const sale = await sell(contact_id, 3000, { use_wallet: 1000 });
  const redemption = await shop.write("/sp/reward-points/redeem", { ...member, points: 10 });
  const bought = await shop.write("/sp/reward-points/redeem", { ...member, voucher_id });
  const issued = await shop.write("/sp/vouchers/issue", { contact_id, voucher_id });
  const used = await shop.write("/sp/vouchers/issue", { contact_id, voucher_id });
  await shop.write("/sp/vouchers/redeem", { ...member, held_voucher_id: used.held_voucher_id });
  return { contact_id, ...keys, topup, payment, sale, redemption, bought, issued, used };
}

describe("a merge", () => {
  it("moves all balances with one kind of entry each, and makes the member inactive", async () => {
    const [from, to] = [await makeRich(), await person()];
    await sell(to.contact_id, 1500);
    const before = await balancesOf(from.contact_id);
    const response = await merge(from.contact_id, to.contact_id);
    expect(response).toEqual({
      contact_id: to.contact_id,
      merged: { wallet: 3700, points: 15, points_pending: 0, points_owed: 0, vouchers: 800, sales: 3000 },
      balances: { wallet: 3700, points: 30, vouchers: 800, sales: 4500 },
      tier: { tier_id: null, name: null, valid_through: null, changed: false },
    });
    expect(before).toMatchObject({ wallet: 3700, points: 15, vouchers: 800, sales: 3000 });
    const reference_id = `merge-${from.contact_id}-${to.contact_id}`;
    const moved = [
      ...[["wallet_adjustment", 3700] as const, ["reward_points_adjustment", 15] as const],
      ...[["voucher_issued", 800] as const, ["sale", 3000] as const],
    ];
    expect((await entriesOf(from.contact_id)).slice(-4)).toMatchObject(
      moved.map(([event_type, amount]) => ({ event_type, amount: -amount, balance_after: 0, reference_id })),
    );
    expect((await entriesOf(to.contact_id)).slice(-4)).toMatchObject(
      moved.map(([event_type, amount]) => ({ event_type, amount, reference_id })),
    );
    const inOperatorsView = await asShop("/op/members/get", { contact_id: from.contact_id });
    expect(inOperatorsView.body.data).toMatchObject({ active: false, merged_into: to.contact_id });
    await expectValid();
  });

  it("in a dry run returns the same, changes nothing and leaves the key free", async () => {
    const [from, to] = [await makeRich(), await person()];
    const idempotency_key = nextKey();
    const before = await balancesOf(to.contact_id);
    const dry = await merge(from.contact_id, to.contact_id, { idempotency_key, dry_run: true });
    expect(await balancesOf(to.contact_id)).toEqual(before);
    expect(await shop.ask("/sp/members/get", { contact_id: from.contact_id })).toMatchObject({
      active: true,
    });
    expect(await merge(from.contact_id, to.contact_id, { idempotency_key })).toEqual(dry);
    await expectValid();
  });

  it("is replayed under its key", async () => {
    const [from, to] = [await makeRich(), await person()];
    const idempotency_key = nextKey();
    const first = await merge(from.contact_id, to.contact_id, { idempotency_key });
    expect(await merge(from.contact_id, to.contact_id, { idempotency_key })).toEqual(first);
    const again = { from_contact_id: from.contact_id, contact_id: to.contact_id };
    expect(await shop.rejected("/sp/members/merge", again)).toEqual({
      code: "already_merged",
      details: { merged_into: to.contact_id },
    });
  });

  it("is the last record in the audit log of both members, by a partner or an operator", async () => {
    const [one, other, third] = [await person(), await person(), await person()];
    await merge(one.contact_id, other.contact_id);
    await operate("/op/members/merge", { from_contact_id: other.contact_id, contact_id: third.contact_id });
    const audited = async (contact_id: number) => {
      const { body } = await asShop("/op/audit/list", { contact_id, event: "member.merged" });
      return body.data.map(({ actor_name, before, after }: Body) => ({ actor_name, before, after }));
    };
    const { integrationId } = shop.credentials;
    expect(await audited(one.contact_id)).toMatchObject([
      { actor_name: `integration ${integrationId}`, after: { active: false, merged_into: other.contact_id } },
    ]);
    expect(await audited(other.contact_id)).toMatchObject([
      { actor_name: "root", after: { merged_into: third.contact_id } },
      { actor_name: `integration ${integrationId}`, after: { merged_from: one.contact_id } },
    ]);
    const dry = { from_contact_id: third.contact_id, contact_id: (await person()).contact_id, dry_run: true };
    await operate("/op/members/merge", dry);
    expect(await audited(third.contact_id)).toHaveLength(1);
  });
});

describe("a merged member", () => {
  it("is found by its old number, address, card and contact_id, through several merges", async () => {
    const [one, two, three] = [await person(), await person(), await person()];
    await merge(one.contact_id, two.contact_id);
    await merge(two.contact_id, three.contact_id);
    const { contact_id: from, ...keys } = one;
    for (const [field, value] of Object.entries(keys)) {
      expect(await shop.ask("/sp/members/find", { [field]: value })).toMatchObject({
        contact_id: three.contact_id,
        phone_number: three.phone_number,
        active: true,
      });
    }
    expect(await shop.ask("/sp/members/get", { contact_id: from })).toMatchObject({
      contact_id: three.contact_id,
    });
    await sell(three.contact_id, 1000);
    expect(await balancesOf(from)).toMatchObject({ points: 10, sales: 1000 });
    expect(await shop.ask("/sp/sales/list", { contact_id: from })).toHaveLength(1);
    expect(await shop.ask("/sp/reward-points/list", { contact_id: from })).toHaveLength(1);
    await shop.write("/sp/vouchers/issue", { contact_id: three.contact_id, voucher_id });
    expect(await shop.ask("/sp/vouchers/list", { contact_id: from })).toHaveLength(1);
    expect(await shop.rejected("/sp/members/create", { ...newPerson(), ...keys })).toMatchObject({
      code: "member_already_exists",
    });
  });

  it("is in lists only with inactive members; a search finds the other one; it keeps its own entries", async () => {
    const [from, to] = [await person(), await person()];
    await sell(from.contact_id, 1000);
    await merge(from.contact_id, to.contact_id);
    const search = from.phone_number;
    const second = await person();
    await merge(second.contact_id, to.contact_id);
    const became = [{ contact_id: to.contact_id }];
    // The second search matches all three.
    for (const one of [search, search.slice(-5), `${from.contact_id}`]) {
      const found = await shop.ask("/sp/members/list", { search: one });
      expect(found.filter((row: Body) => row.contact_id === to.contact_id)).toMatchObject(became);
      expect(found.map((row: Body) => row.contact_id)).not.toContain(from.contact_id);
    }
    expect(await shop.ask("/sp/members/list", { search })).toMatchObject(became);
    expect(await shop.ask("/sp/members/list", { search, include_inactive: true })).toMatchObject([
      ...became,
      { contact_id: from.contact_id },
    ]);
    await operate("/op/members/deactivate", { contact_id: to.contact_id });
    expect(await shop.ask("/sp/members/list", { search })).toEqual([]);
    const kinds = (await entriesOf(from.contact_id)).map(({ event_type, amount }) => [event_type, amount]);
    expect(kinds).toEqual([
      ...[["sale", 1000] as const, ["reward_points_earned", 10] as const],
      ...[["reward_points_adjustment", -10] as const, ["sale", -1000] as const],
    ]);
  });

  it("can't be changed: the error names the other member", async () => {
    const [from, to] = [await person(), await person()];
    await merge(from.contact_id, to.contact_id);
    const { contact_id } = from;
    const member = { contact_id, location_id };
    const credit = { adjustment_type: "credit" };
    const requests: Record<string, Body> = {
      "/sp/members/update": { contact_id, first_name: "Eva" },
      "/sp/members/profile/update": { contact_id, first_name: "Eva" },
      "/sp/members/password/change": { contact_id, new_password: "horse battery staple" },
      "/sp/wallet/adjust": { ...member, amount: 1, ...credit },
      "/sp/wallet/topup": { ...member, amount: 1 },
      "/sp/wallet/pay": { ...member, amount: 1 },
      "/sp/reward-points/adjust": { contact_id, points: 1, ...credit },
      "/sp/reward-points/redeem": { ...member, points: 1 },
      "/sp/sales/quote": { ...member, amount: 1 },
      "/sp/sales/record": { ...member, amount: 1 },
      "/sp/vouchers/issue": { contact_id, voucher_id },
      "/sp/vouchers/redeem": { ...member, coupon_code: "COFFEE" },
    };
    const problem = { code: "member_inactive", details: { merged_into: to.contact_id } };
    for (const [path, body] of Object.entries(requests)) {
      const send = path.endsWith("quote") ? world.ask : world.write;
      const { error } = (await send.call(world, path, body, shop.credentials)).body;
      expect({ path, ...error }).toEqual({ path, ...problem });
    }
    const byOperator: Record<string, Body> = {
      "/op/members/activate": {},
      "/op/members/deactivate": {},
      "/op/members/settle": {},
      "/op/members/update": { first_name: "Eva" },
      "/op/members/assign-tier": { tier_id: null },
      "/op/members/adjust-wallet": { amount: 1, ...credit, reason: "Test" },
      "/op/members/adjust-points": { points: 1, ...credit, reason: "Test" },
    };
    for (const [path, body] of Object.entries(byOperator)) {
      const { error } = (await asShop(path, { idempotency_key: nextKey(), contact_id, ...body })).body;
      expect({ path, ...error }).toEqual({ path, ...problem });
    }
  });
});

describe("after a merge", () => {
  it("the records of the merged member are reversed and refunded for the other one", async () => {
    const [from, to] = [await makeRich(), await person()];
    await merge(from.contact_id, to.contact_id);
    const place = { location_id };
    await shop.write("/sp/reward-points/reverse", { redemption_id: from.redemption.redemption_id });
    await shop.write("/sp/reward-points/reverse", { redemption_id: from.bought.redemption_id });
    await shop.write("/sp/vouchers/reverse", { held_voucher_id: from.used.held_voucher_id });
    await shop.write("/sp/wallet/reverse", { ...place, movement_id: from.payment.movement_id });
    expect(await shop.ask("/sp/sales/get", { sale_id: from.sale.sale_id })).toMatchObject({
      contact_id: to.contact_id,
      full_refund: { points_clawed: 30, points_owed: 0 },
    });
    const refunded = await shop.write("/sp/sales/refund", { ...place, sale_id: from.sale.sale_id });
    expect(refunded).toMatchObject({ wallet_back: 1000, money_back: 2000, points_clawed: 30 });
    await shop.write("/sp/wallet/reverse", { ...place, movement_id: from.topup.movement_id });
    await shop.write("/sp/vouchers/redeem", {
      ...place,
      contact_id: to.contact_id,
      held_voucher_id: from.issued.held_voucher_id,
    });
    expect(await balancesOf(to.contact_id)).toMatchObject({ wallet: 0, points: 0, vouchers: 400, sales: 0 });
    await expectValid();
  });

  it("points and vouchers of the merged member keep their dates", async () => {
    const sandbox = await makeSandbox(world, "2026-01-10 09:00:00");
    const [from, to] = [await sandbox.member(), await sandbox.member()];
    const at = { location_id: sandbox.locationId };
    await sandbox.rules({ pending_days: 3 });
    await sandbox.write("/sp/sales/record", { contact_id: from, ...at, amount: 2000 });
    await sandbox.write("/sp/sales/record", { contact_id: to, ...at, amount: 1000 });
    const response = await sandbox.write("/sp/members/merge", { from_contact_id: from, contact_id: to });
    expect(response.merged).toMatchObject({ points: 0, points_pending: 20 });
    await sandbox.advance("2026-01-13");
    expect(await sandbox.ask("/sp/members/balances", { contact_id: to })).toMatchObject({
      points: 30,
      points_pending: [],
      points_expiring: [{ valid_through: "2026-07-31", points: 30 }],
    });
    await sandbox.advance("2026-08-01");
    expect(await sandbox.ask("/sp/members/balances", { contact_id: to })).toMatchObject({ points: 0 });
    await expectValidLedger({ businessId: sandbox.businessId } as never);
  });

  it("points in lots pay what either member owed", async () => {
    const owing = async () => {
      const contact_id = await shop.member();
      const sale = await sell(contact_id, 3000);
      await shop.write("/sp/reward-points/redeem", { contact_id, location_id, points: 30 });
      await shop.write("/sp/sales/refund", { sale_id: sale.sale_id, location_id });
      expect(await balancesOf(contact_id)).toMatchObject({ points: 0, points_owed: 30 });
      return contact_id;
    };
    const earning = async () => {
      const contact_id = await shop.member();
      await sell(contact_id, 4000);
      return contact_id;
    };
    for (const pair of [
      [await owing(), await earning()],
      [await earning(), await owing()],
    ] as [number, number][]) {
      const { balances } = await merge(...pair);
      expect(balances).toMatchObject({ points: 10, sales: 4000 });
      expect(await balancesOf(pair[1])).toMatchObject({ points: 10, points_owed: 0 });
    }
    const both = [await owing(), await owing()] as const;
    expect((await merge(...both)).merged).toMatchObject({ points_owed: 30 });
    await sell(both[1], 5000);
    expect(await balancesOf(both[1])).toMatchObject({ points: 0, points_owed: 10 });
    await expectValid();
  });

  it("the higher tier stays with its own last day, and the purchases of both count", async () => {
    const sandbox = await makeSandbox(world, "2026-01-10 09:00:00");
    const makeTier = async (name: string, expiry: number, qualifying_sales: number) =>
      (
        await operatorWrite(world, "/op/tiers/create", {
          business_id: sandbox.businessId,
          name,
          expiry,
          expiry_period: "month",
          qualifying_sales,
        })
      ).tier_id as number;
    const [silver, gold] = [await makeTier("Silver", 12, 10_000), await makeTier("Gold", 6, 30_000)];
    const at = { location_id: sandbox.locationId };
    const buyer = async (amount: number) => {
      const contact_id = await sandbox.member();
      const sale = await sandbox.write("/sp/sales/record", { contact_id, ...at, amount });
      return { contact_id, sale_id: sale.sale_id as number };
    };
    const join = async (from: { contact_id: number }, to: { contact_id: number }) =>
      (
        await sandbox.write("/sp/members/merge", {
          from_contact_id: from.contact_id,
          contact_id: to.contact_id,
        })
      ).tier;
    const [rich, poor, spare] = [await buyer(30_000), await buyer(10_000), await buyer(5000)];
    await sandbox.advance("2026-02-10");
    const untilJuly = { tier_id: gold, name: "Gold", valid_through: "2026-07-10" };
    expect(await join(rich, poor)).toEqual({ ...untilJuly, changed: true });
    expect(await join(spare, poor)).toEqual({ ...untilJuly, changed: false });
    const refunded = await sandbox.write("/sp/sales/refund", { ...at, sale_id: rich.sale_id });
    expect(refunded.tier).toMatchObject({ tier_id: silver, valid_through: "2027-01-10" });

    const [one, other] = [await buyer(20_000), await buyer(10_000)];
    expect(await join(one, other)).toEqual({
      tier_id: gold,
      name: "Gold",
      valid_through: "2026-08-10",
      changed: true,
    });
    await sandbox.advance("2026-12-31");
    await expectValidLedger({ businessId: sandbox.businessId } as never);
  });

  it("a key that was used before returns its response again", async () => {
    const [from, to] = [await person(), await person()];
    const sent = { idempotency_key: nextKey(), contact_id: from.contact_id, location_id, amount: 1000 };
    const before = await world.ask("/sp/sales/record", sent, shop.credentials);
    await merge(from.contact_id, to.contact_id);
    const after = await world.ask("/sp/sales/record", sent, shop.credentials);
    expect(after.text).toBe(before.text);
    expect(after.headers.get("idempotent-replayed")).toBe("true");
    expect(await balancesOf(to.contact_id)).toMatchObject({ sales: 1000 });
  });

  it("imports by the old number, card or contact_id add sales of the other member, and each line once", async () => {
    const business = await world.business("Importing", "Europe/Madrid");
    const make = async (external_ref: string) => {
      const { phone_number } = newPerson();
      const member = { phone_number, external_ref };
      return { contact_id: await world.member(member, business.everywhere), ...member };
    };
    const [from, to] = [await make("C-1"), await make("C-2")];
    const line = (number: number, by: Body) => ({
      line: number,
      sold_at: "2025-05-05 10:00:00",
      amount: 100,
      reference_id: `old-${number}`,
      ...by,
    });
    const first = line(2, { contact_id: from.contact_id });
    await importLines("sales", business, [first]);
    const merged = { from_contact_id: from.contact_id, contact_id: to.contact_id };
    await world.write("/sp/members/merge", merged, business.everywhere);
    const lines = [
      first,
      line(3, { phone_number: from.phone_number }),
      line(4, { external_ref: from.external_ref }),
      line(5, { contact_id: from.contact_id }),
      { ...first, contact_id: to.contact_id },
    ];
    const result = await importLines("sales", business, lines);
    expect(result).toEqual({ imported: 3, skipped: 2, rejected: [] });
    const sales = (await transactionsOf(business, to.contact_id)).map(({ amount }) => amount);
    expect(sales).toEqual(expect.arrayContaining([100, 100, 100, 100]));
    await expectValidLedger(business);
  });
});

it("moves the remarks of the merged member below those of the other one", async () => {
  const [one, two, three] = [await person(), await person(), await person()];
  const remarksOf = async ({ contact_id }: Person) =>
    (await asShop("/op/members/get", { contact_id })).body.data.remarks;
  const remark = ({ contact_id }: Person, remarks: string) =>
    operate("/op/members/update", { contact_id, remarks });
  await remark(one, "Calls on Fridays");
  await merge(one.contact_id, two.contact_id);
  expect([await remarksOf(one), await remarksOf(two)]).toEqual([null, "Calls on Fridays"]);
  await remark(three, "Pays by card");
  await merge(two.contact_id, three.contact_id);
  expect(await remarksOf(three)).toBe("Pays by card\nCalls on Fridays");
  await merge((await person()).contact_id, three.contact_id);
  expect(await remarksOf(three)).toBe("Pays by card\nCalls on Fridays");
});

describe("what a merge leaves", () => {
  /** The condition for a row that is left although its amount is with the other member, by what a merge does with the table. */
  const amounts: Record<string, string> = {
    account: "balance <> 0",
    sales_day: "(net <> 0 OR sales <> 0)",
    member_due: "amount <> 0",
    tier_standing: "tier_id IS NOT NULL",
  };

  it("is nothing but history", async () => {
    const [from, to] = [await makeRich(), await person()];
    const { tier_id } = await operate("/op/tiers/create", {
      name: "Ruby",
      expiry: 1,
      expiry_period: "year",
    });
    await operate("/op/members/assign-tier", { contact_id: from.contact_id, tier_id });
    await shop.write("/sp/sales/refund", { sale_id: from.sale.sale_id, location_id, amount: 1000 });
    await merge(from.contact_id, to.contact_id);
    const changed = memberTables.filter(({ merging }) => !["stays", "with_its_record"].includes(merging));
    expect(changed.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(amounts)));
    for (const { name } of changed) {
      const rows = await world.sql.query(
        `SELECT * FROM ${name} WHERE contact_id = ${from.contact_id} AND ${amounts[name] ?? "true"}`,
      );
      expect({ name, rows }).toEqual({ name, rows: [] });
    }
    await expectValid();
  });
});

describe("an erasure", () => {
  const isErased = async (contact_id: number) =>
    (await asShop("/op/members/get", { contact_id })).body.data.first_name === "Erased";

  it("of the remaining member erases the members that were merged into it", async () => {
    const [one, two, three] = [await person(), await person(), await person()];
    await merge(one.contact_id, two.contact_id);
    await merge(two.contact_id, three.contact_id);
    await operate("/op/members/erase", { contact_id: three.contact_id, reason: "Asked for it" });
    for (const { contact_id, phone_number } of [one, two, three]) {
      expect(await isErased(contact_id)).toBe(true);
      const found = await world.ask("/sp/members/find", { phone_number }, shop.credentials);
      expect(found.body.error.code).toBe("member_not_found");
    }
    const kept = await world.sql`
      SELECT FROM idempotency_key WHERE response LIKE ANY (${[one, two, three].map((who) => `%${who.phone_number}%`)}::text[])`;
    expect(kept).toHaveLength(0);
    await expectValid();
  });

  it("of the merged member leaves the other one as it is", async () => {
    const [from, to] = [await person(), await person()];
    await sell(from.contact_id, 1000);
    await merge(from.contact_id, to.contact_id);
    const erased = await operate("/op/members/erase", { contact_id: from.contact_id });
    expect(erased.written_off).toEqual({ wallet: 0, points: 0, vouchers: 0 });
    expect(await isErased(from.contact_id)).toBe(true);
    expect(await isErased(to.contact_id)).toBe(false);
    // Its number leads nowhere any more.
    expect(await shop.ask("/sp/members/list", { search: `${from.contact_id}` })).toEqual([]);
    expect(await balancesOf(to.contact_id)).toMatchObject({ points: 10, sales: 1000 });
    await expectValid();
  });

  it("comes before a merge: an erased member is not found", async () => {
    const [erased, other] = [await person(), await person()];
    await operate("/op/members/erase", { contact_id: erased.contact_id });
    for (const [from, to] of [
      [erased, other],
      [other, erased],
    ] as const) {
      const sent = { from_contact_id: from.contact_id, contact_id: to.contact_id };
      expect((await shop.rejected("/sp/members/merge", sent)).code).toBe("member_not_found");
    }
  });
});

it("finds no member of another business", async () => {
  const [mine, theirs] = [await shop.member(), await world.member()];
  for (const [from_contact_id, contact_id] of [
    [mine, theirs],
    [theirs, mine],
  ]) {
    const sent = { from_contact_id, contact_id };
    expect((await shop.rejected("/sp/members/merge", sent)).code).toBe("member_not_found");
  }
});

it("an integration that is limited to some locations can merge, and sees no more sales than before", async () => {
  const { home } = world;
  const [from_contact_id, contact_id] = [await world.member(), await world.member()];
  const [first, , third] = home.locationIds;
  for (const location_id of [first, third]) {
    await world.write("/sp/sales/record", { contact_id: from_contact_id, location_id, amount: 500 });
  }
  const merged = await world.write("/sp/members/merge", { from_contact_id, contact_id }, home.limited);
  expect(merged.body.data.balances).toMatchObject({ sales: 1000 });
  const seen = async (path: string) => (await world.ask(path, { contact_id }, home.limited)).body.data;
  expect(await seen("/sp/sales/list")).toMatchObject([{ location_id: first }]);
  // The entries of the merge have no location.
  expect(await seen("/sp/transactions/list")).toMatchObject([{ event_type: "sale", amount: 1000 }]);
});

describe("at the same time", () => {
  it("two merges of one member, and merges into each other: one of two succeeds", async () => {
    for (let round = 0; round < 5; round++) {
      const [a, b, c] = [await shop.member(), await shop.member(), await shop.member()];
      for (const contact_id of [a, b, c]) await sell(contact_id, 1000);
      const send = async (from_contact_id: number, contact_id: number) =>
        (await world.write("/sp/members/merge", { from_contact_id, contact_id }, shop.credentials)).body;
      const outcomes = await Promise.all([send(a, b), send(b, a), send(a, c)]);
      const errors = outcomes.flatMap(({ error }) => error?.code ?? []);
      expect(errors.every((code) => ["already_merged", "member_inactive"].includes(code))).toBe(true);
      const left = await world.sql`
        SELECT FROM member WHERE contact_id = ANY (${[a, b, c]}::bigint[]) AND active`;
      expect(left).toHaveLength(errors.length);
    }
    await expectValid();
  });

  it("as tills post to both members, nothing is lost", async () => {
    const [from, to] = [await shop.member(), await shop.member()];
    const first = await sell(from, 1000);
    let accepted = 0;
    const post = async (index: number) => {
      let contact_id = index % 2 === 0 ? from : to;
      const sent = { location_id, amount: 1, adjustment_type: "credit" };
      for (;;) {
        const { body } = await world.write("/sp/wallet/adjust", { contact_id, ...sent }, shop.credentials);
        if (body.success) {
          accepted += 1;
          return;
        }
        expect(body.error.code).toMatch(/^(member_inactive|service_unavailable)$/);
        contact_id = body.error.details.merged_into ?? contact_id;
      }
    };
    const tills = Array.from({ length: 64 }, async (_, till) => {
      for (let sale = 0; sale < 2; sale++) await post(till + sale);
    });
    const refunds = async () => {
      for (let part = 0; part < 10; part++) {
        const sent = { sale_id: first.sale_id, location_id, amount: 100 };
        await shop.write("/sp/sales/refund", sent);
      }
    };
    await Promise.all([...tills, refunds(), merge(from, to)]);
    expect(accepted).toBe(128);
    expect(await balancesOf(to)).toMatchObject({ wallet: 128, points: 0, points_owed: 0, sales: 0 });
    await expectValid();
  });
});
