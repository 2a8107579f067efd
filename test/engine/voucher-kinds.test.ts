/** Vouchers for a share or an article, public codes, and unique codes, over HTTP. */
import { beforeAll, describe, expect, it } from "vitest";
import type { Body } from "../support/engine-requests.ts";
import { importTools } from "../support/imports.ts";
import { asOperator, operatorWrite } from "../support/operator-requests.ts";
import { makeSandbox, type Sandbox } from "../support/sandbox.ts";
import { useWorld } from "../support/world.ts";

const world = useWorld();
const { expectValidLedger } = importTools(world);

let shop: Sandbox;
beforeAll(async () => {
  shop = await makeSandbox(world, "2026-01-13 15:30:00");
  await operator("/op/programs/update", {
    program_id: shop.programId,
    excluded_from_payment: ["prescriptions"],
  });
});

const operator = (path: string, body: Body) =>
  operatorWrite(world, path, { business_id: shop.businessId, ...body });
let made = 0;
const define = async (body: Body): Promise<number> => {
  made += 1;
  const plain = { campaign_name: `Campaign ${made}`, coupon_code: `C${made}` };
  return (await operator("/op/vouchers/create", { ...plain, ...body })).voucher_id;
};
const percent = (share: number, more: Body = {}) => define({ kind: "percent", percent: share, ...more });
const item = (categories: string[], more: Body = {}) => define({ kind: "item", categories, ...more });
const issue = async (contact_id: number, voucher_id: number): Promise<number> =>
  (await shop.write("/sp/vouchers/issue", { contact_id, voucher_id })).held_voucher_id;

const coffee = { category: "Coffee", quantity: 2, amount: 900 };
const cake = { category: "cake", amount: 600 };
const saleOf = (contact_id: number, lines: readonly Body[], more: Body = {}) => ({
  ...{ contact_id, location_id: shop.locationId, lines },
  amount: lines.reduce((sum, { amount }) => sum + Number(amount), 0),
  ...more,
});
const plain = (contact_id: number, amount: number, more: Body = {}) => {
  return { contact_id, location_id: shop.locationId, amount, ...more };
};
const record = (body: Body) => shop.write("/sp/sales/record", body);
const quote = (body: Body) => shop.ask("/sp/sales/quote", body);
const reasonOf = async (body: Body, path = "/sp/sales/record") => {
  const { code, details } = await shop.rejected(path, body);
  return (details as { reason?: string } | undefined)?.reason ?? code;
};
const problemsOf = async (body: Body, path = "create") => {
  const sent = { business_id: shop.businessId, idempotency_key: `k${Math.random()}`, ...body };
  const { body: reply } = await asOperator(world, `/op/vouchers/${path}`, sent);
  const { errors = [] } = reply.error.details as { errors?: { message: string }[] };
  return errors.map(({ message }) => message);
};
const valid = () => expectValidLedger({ businessId: shop.businessId } as never);
const statusOf = async (contact_id: number) => {
  const listed = await shop.ask("/sp/vouchers/list", { contact_id });
  return listed.map(({ status, covered }: Body) => `${status} ${covered}`);
};

describe("a voucher for an article or a share", () => {
  it("pays in the order article, share, value, as the quote says, and earns on the rest", async () => {
    const contact_id = await shop.member();
    const [free, share, money] = [
      await issue(contact_id, await item(["coffee"])),
      await issue(contact_id, await percent(20)),
      await issue(contact_id, await define({ coupon_value: 300 })),
    ];
    const sale = saleOf(contact_id, [coffee, cake]);
    const offered = await quote(sale);
    expect(offered.usable.vouchers).toMatchObject([
      { held_voucher_id: free, voucher_kind: "item", coupon_value: 0, covers: 450 },
      { held_voucher_id: share, voucher_kind: "percent", percent: 20, covers: 300 },
      { held_voucher_id: money, voucher_kind: "value", coupon_value: 300, covers: 300 },
    ]);
    const paying = { ...sale, use_vouchers: [money, share, free] };
    const quoted = await quote(paying);
    // 1500 - 450 = 1050; a fifth of it is 210; 840 - 300 = 540.
    const used = [
      { held_voucher_id: money, covered: 300 },
      { held_voucher_id: share, covered: 210 },
      { held_voucher_id: free, covered: 450 },
    ];
    expect(quoted).toMatchObject({
      voucher_amount: 960,
      amount_due: 540,
      points_earned: 5,
      vouchers_used: used,
    });
    const recorded = await record(paying);
    expect(recorded).toMatchObject({ voucher_amount: 960, amount_due: 540, vouchers_used: used });
    const { sale_id } = recorded;
    expect(await shop.ask("/sp/sales/get", { sale_id })).toMatchObject({
      voucher_amount: 960,
      vouchers_used: used,
    });
    expect(await statusOf(contact_id)).toEqual(["redeemed 300", "redeemed 210", "redeemed 450"]);
    await valid();
    const refund = { sale_id, location_id: shop.locationId };
    expect((await shop.write("/sp/sales/refund", { ...refund, amount: 500 })).vouchers_back).toEqual([]);
    const rest = await shop.write("/sp/sales/refund", refund);
    expect([...rest.vouchers_back].sort()).toEqual([free, share, money].sort());
    expect(rest.balances).toMatchObject({ vouchers: 300, points: 0 });
    expect(await statusOf(contact_id)).toEqual(["held null", "held null", "held null"]);
    await valid();
  });

  it("is rejected where it can't pay, and not offered by the quote", async () => {
    const contact_id = await shop.member();
    const free = await issue(contact_id, await item(["coffee"], { most_amount: 300, minimum_amount: 1000 }));
    const [share, other] = [
      await issue(contact_id, await percent(20)),
      await issue(contact_id, await percent(10)),
    ];
    const use = (...ids: number[]) => ({ use_vouchers: ids });
    expect(await reasonOf(saleOf(contact_id, [coffee], use(free)))).toBe("minimum_amount");
    expect(await reasonOf(saleOf(contact_id, [cake, cake], use(free)))).toBe("no_item");
    expect(await reasonOf(plain(contact_id, 1500, use(free)))).toBe("no_item");
    expect(await reasonOf(plain(contact_id, 1500, use(share, other)))).toBe("second_percent");
    expect(await reasonOf(saleOf(contact_id, [{ category: "prescriptions", amount: 900 }], use(share)))).toBe(
      "not_needed",
    );
    const { usable } = await quote(saleOf(contact_id, [cake, cake]));
    expect(usable.vouchers.map(({ held_voucher_id }: Body) => held_voucher_id)).toEqual([share, other]);
    expect(await record(saleOf(contact_id, [coffee, cake], use(free)))).toMatchObject({
      voucher_amount: 300,
    });
    // Without a sale, a share says nothing. An article can be handed out, unless it needs a sale of some size.
    const at = { contact_id, location_id: shop.locationId };
    expect(await reasonOf({ ...at, held_voucher_id: share }, "/sp/vouchers/redeem")).toBe("needs_sale");
    const plainItem = await issue(contact_id, await item(["coffee"]));
    expect(await shop.write("/sp/vouchers/redeem", { ...at, held_voucher_id: plainItem })).toMatchObject({
      coupon_value: 0,
    });
    await valid();
  });

  it("stays as it was issued when its definition changes", async () => {
    const contact_id = await shop.member();
    const voucher_id = await percent(20);
    const held = await issue(contact_id, voucher_id);
    await operator("/op/vouchers/update", { voucher_id, percent: 50 });
    expect(await record(plain(contact_id, 1000, { use_vouchers: [held] }))).toMatchObject({
      voucher_amount: 200,
    });
    const later = await issue(contact_id, voucher_id);
    expect(await record(plain(contact_id, 1000, { use_vouchers: [later] }))).toMatchObject({
      voucher_amount: 500,
    });
  });

  it("is given by a promotion, and bought for points", async () => {
    const contact_id = await shop.member();
    const voucher_id = await item(["coffee"], { points_price: 5 });
    const promotion = { name: "Cake days", categories: ["wedding cake"], voucher_id, status: "active" };
    const { promotion_id } = await operator("/op/promotions/create", promotion);
    const bought = await record(saleOf(contact_id, [{ category: "Wedding cake", amount: 5000 }]));
    const [{ held_voucher_id }] = bought.vouchers_granted;
    // What the coffee costs is only known when it is bought.
    expect(await operator("/op/promotions/report", { promotion_id })).toMatchObject({
      ...{ vouchers_kept: 1, vouchers_amount: null },
    });
    await operator("/op/promotions/end", { promotion_id });
    const priced = await shop.write("/sp/reward-points/redeem", { contact_id, voucher_id });
    const use_vouchers = [held_voucher_id, priced.held_voucher_id];
    expect(await record(saleOf(contact_id, [coffee], { use_vouchers }))).toMatchObject({
      voucher_amount: 900,
    });
    await valid();
  });

  it("needs a definition that makes sense", async () => {
    const base = { campaign_name: "A", coupon_code: "A" };
    expect(await problemsOf(base)).toEqual(["coupon_value is required with kind value."]);
    expect(await problemsOf({ ...base, kind: "percent", coupon_value: 5 })).toEqual([
      "percent is required with kind percent: the share that it pays.",
      "coupon_value must be 0 with kind percent: what it pays depends on the sale.",
    ]);
    expect(await problemsOf({ ...base, kind: "item", percent: 20 })).toEqual([
      "percent must be null with kind item.",
      "categories or skus is required with kind item: what it pays for.",
    ]);
    expect(await problemsOf({ ...base, coupon_value: 5, most_amount: 5, skus: ["A"] })).toEqual([
      "skus must be empty with kind value.",
      "most_amount must be null with kind value, which pays coupon_value at most.",
    ]);
    const days = { first_day: "2026-03-01", last_day: "2026-02-01" };
    expect(await problemsOf({ ...base, coupon_value: 5, most_uses: 5, ...days })).toEqual([
      "most_uses must be null without public_code, whose use it limits.",
      "first_day must be null without public_code, whose use it limits.",
      "last_day must be null without public_code, whose use it limits.",
      "last_day must not be before first_day, 2026-03-01.",
    ]);
    expect(await problemsOf({ ...base, coupon_value: 5, public_code: "A - 1" })).toEqual([
      "public_code must have at least three letters or digits.",
    ]);
    expect(
      await problemsOf({ ...base, coupon_value: 5, public_code: "ABC", last_day: "2026-01-12" }),
    ).toEqual(["last_day must not be before today, 2026-01-13."]);
    const voucher_id = await define({ coupon_value: 5, public_code: "SAME-CODE" });
    expect(await problemsOf({ ...base, coupon_value: 5, public_code: "same code" })).toEqual([
      `public_code must differ from that of voucher ${voucher_id}, Campaign ${made}.`,
    ]);
    expect(await problemsOf({ voucher_id, kind: "percent", percent: 5, coupon_value: 5 }, "update")).toEqual([
      "coupon_value must be 0 with kind percent: what it pays depends on the sale.",
    ]);
    // What only the former kind has is cleared.
    const share = await operator("/op/vouchers/update", { voucher_id, kind: "percent", percent: 5 });
    expect(share).toMatchObject({ kind: "percent", percent: 5, coupon_value: 0 });
    const cup = await operator("/op/vouchers/update", { voucher_id, kind: "item", categories: ["cups"] });
    expect(cup).toMatchObject({ kind: "item", percent: null, categories: ["cups"] });
    const money = await operator("/op/vouchers/update", { voucher_id, kind: "value", coupon_value: 300 });
    expect(money).toMatchObject({ kind: "value", percent: null, categories: [], coupon_value: 300 });
  });
});

describe("a public code", () => {
  it("makes a voucher and uses it in one sale, and a refund gives the use back", async () => {
    const contact_id = await shop.member();
    const voucher_id = await define({ coupon_value: 500, public_code: "Summer-20", most_per_member: 1 });
    const sale = plain(contact_id, 2000, { use_codes: ["summer 20"] });
    expect(await quote(sale)).toMatchObject({
      vouchers_used: [{ held_voucher_id: null, covered: 500 }],
      ...{ amount_due: 1500, points_earned: 15, balances: { vouchers: 0 } },
    });
    const { sale_id, vouchers_used, balances } = await record(sale);
    expect(balances).toMatchObject({ vouchers: 0 });
    const entries = await shop.ask("/sp/transactions/list", { contact_id });
    expect(entries.map(({ event_type, amount }: Body) => `${event_type} ${amount}`).reverse()).toEqual([
      ...["voucher_issued 500", "voucher_redeemed -500", "sale 1500", "reward_points_earned 15"],
    ]);
    expect(await shop.rejected("/sp/sales/record", sale)).toMatchObject({
      code: "voucher_not_usable",
      details: { reason: "most_per_member", most_per_member: 1, held_voucher_id: null, field: "use_codes.0" },
    });
    expect(await reasonOf(sale, "/sp/sales/quote")).toBe("most_per_member");
    const refunded = await shop.write("/sp/sales/refund", { sale_id, location_id: shop.locationId });
    expect(refunded).toMatchObject({ vouchers_back: [], balances: { vouchers: 0, points: 0 } });
    const [voucher] = await shop.ask("/sp/vouchers/list", { contact_id });
    expect(voucher).toMatchObject({
      ...{ voucher_id, status: "returned" },
      held_voucher_id: vouchers_used[0].held_voucher_id,
    });
    await record(sale);
    await valid();
  });

  it("is used as often as it can be, however many tills use it at once", async () => {
    const share = { kind: "percent", percent: 10, public_code: "TEN", most_uses: 5 };
    await define(share);
    const members = await Promise.all(Array.from({ length: 4 }, () => shop.member()));
    const tried = await Promise.all(
      Array.from({ length: 24 }, (_, nth) =>
        world.write(
          "/sp/sales/record",
          plain(members[nth % 4] as number, 1000, { use_codes: ["TEN"] }),
          shop.credentials,
        ),
      ),
    );
    expect(tried.filter(({ status }) => status === 200)).toHaveLength(5);
    const reasons = tried.flatMap(({ body }) => body.error?.details?.reason ?? []);
    expect(new Set(reasons)).toEqual(new Set(["used_up"]));
    await valid();
    // A merge adds what the other member has used.
    const [one, other] = [await shop.member(), await shop.member()];
    await define({ coupon_value: 100, public_code: "TWICE", most_per_member: 2 });
    for (const each of [one, other]) await record(plain(each, 1000, { use_codes: ["twice"] }));
    await shop.write("/sp/members/merge", { from_contact_id: other, contact_id: one });
    expect(await reasonOf(plain(one, 1000, { use_codes: ["twice"] }))).toBe("most_per_member");
    await valid();
  });

  it("is good on its days, at its location, and not when it is archived", async () => {
    const contact_id = await shop.member();
    const using = (code: string, more: Body = {}) => plain(contact_id, 1000, { use_codes: [code], ...more });
    await define({ coupon_value: 100, public_code: "LATER", first_day: "2026-01-14" });
    expect(await reasonOf(using("LATER"))).toBe("not_begun");
    await define({
      coupon_value: 100,
      public_code: "TODAY",
      first_day: "2026-01-13",
      last_day: "2026-01-13",
    });
    await record(using("TODAY"));
    expect(await reasonOf(using("TODAY", { sold_on: "2026-01-12" }))).toBe("not_begun");
    const old = await define({ coupon_value: 100, public_code: "OLD-ONE" });
    await operator("/op/vouchers/archive", { voucher_id: old });
    expect(await reasonOf(using("OLD-ONE"))).toBe("voucher_archived");
    const { location_id } = await operator("/op/locations/create", { name: "Elsewhere" });
    await define({ coupon_value: 100, public_code: "THERE", location_id });
    expect(await reasonOf(using("THERE"))).toBe("location");
    // Two ways to write a code are one code.
    await define({ coupon_value: 100, public_code: "ONCE" });
    expect(
      (await shop.rejected("/sp/sales/record", plain(contact_id, 1000, { use_codes: ["once", "ON CE"] })))
        .details,
    ).toMatchObject({ errors: [{ field: "use_codes.1", code: "not_allowed_value" }] });
    // The code that can't be used is named, and no voucher that does not exist.
    await define({ coupon_value: 100, public_code: "LARGE", minimum_amount: 5000 });
    for (const path of ["/sp/sales/record", "/sp/sales/quote"]) {
      const { details } = await shop.rejected(
        path,
        plain(contact_id, 1000, { use_codes: ["once", "large"] }),
      );
      expect(details).toEqual({
        reason: "minimum_amount",
        held_voucher_id: null,
        field: "use_codes.1",
        minimum_amount: 5000,
      });
    }
  });

  it("can be used again after the full refund of a member who was erased", async () => {
    const contact_id = await shop.member();
    await define({ coupon_value: 100, public_code: "SINGLE", most_uses: 1 });
    const { sale_id } = await record(plain(contact_id, 1000, { use_codes: ["single"] }));
    await operator("/op/members/erase", { contact_id, reason: "Wish of the member" });
    await shop.write("/sp/sales/refund", { sale_id, location_id: shop.locationId });
    await record(plain(await shop.member(), 1000, { use_codes: ["single"] }));
    await valid();
  });
});

describe("unique codes", () => {
  it("claim one voucher each, and are listed with who claimed them", async () => {
    const contact_id = await shop.member();
    const voucher_id = await item(["coffee"], { validity: 1, validity_period: "month" });
    expect(await operator("/op/vouchers/create-codes", { voucher_id, count: 500 })).toEqual({
      voucher_id,
      created: 500,
    });
    const exported = async () => {
      const body = { business_id: shop.businessId };
      return (await asOperator(world, "/op/exports/codes", body)).body.data.codes as Record<
        string,
        unknown
      >[];
    };
    const codes = (await exported()).map(({ code }) => code as string);
    expect(new Set(codes).size).toBe(500);
    const [code = "", second = ""] = codes;
    expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){2}$/);
    const members = [contact_id, ...(await Promise.all(Array.from({ length: 7 }, () => shop.member())))];
    const claims = await Promise.all(
      members.map((each) =>
        world.write("/sp/vouchers/claim", { contact_id: each, code: code.toLowerCase() }, shop.credentials),
      ),
    );
    expect(claims.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(new Set(claims.flatMap(({ body }) => body.error?.details?.reason ?? []))).toEqual(
      new Set(["claimed"]),
    );
    const claimed = await shop.write("/sp/vouchers/claim", { contact_id, code: second.replaceAll("-", " ") });
    expect(claimed).toMatchObject({ voucher_id, coupon_value: 0, valid_through: "2026-02-13" });
    const { held_voucher_id } = claimed;
    await record(saleOf(contact_id, [coffee], { use_vouchers: [held_voucher_id] }));
    expect((await exported())[1]).toMatchObject({
      code: second,
      held_voucher_id,
      contact_id,
      status: "redeemed",
    });
    expect(await reasonOf({ contact_id, code: second }, "/sp/vouchers/claim")).toBe("claimed");
    await valid();
  });
});
