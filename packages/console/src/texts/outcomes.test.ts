import { expect, it } from "vitest";
import { outcomeText } from "./outcomes.ts";

const money = (amount: number) => `${(amount / 100).toFixed(2)} EUR`;
const anna = {
  ...{ first_name: "Anna", last_name: "" },
  ...{ wallet_balance: 500, points_balance: 40, vouchers_balance: 0 },
};
const refunded = {
  ...{ points_clawed: 6, points_back: 0, points_balance: 33 },
  ...{ vouchers_back: [], vouchers_taken: [], vouchers_excused: [] },
};
const sale = { reference_id: "T-1011" };

/** The sentences of a form. */
const said = (path: string, about: object) =>
  outcomeText(
    path,
    { request: {}, record: {}, member: anna, found: {}, chosen: {}, ...about } as never,
    money,
  ).lines;

it.each([
  ["/op/members/adjust-points", { request: { points: 5, adjustment_type: "credit" } }, "Anna has 45 points."],
  ["/op/members/adjust-points", { request: { points: 39, adjustment_type: "debit" } }, "Anna has 1 point."],
  [
    "/op/members/adjust-wallet",
    { request: { amount: 250, adjustment_type: "credit" } },
    "Anna has 7.50 EUR in the wallet.",
  ],
  [
    "/op/wallet/topup",
    { chosen: { amount: 1000, promo_amount: 100 } },
    "Anna has 16.00 EUR in the wallet, with the bonus of 1.00 EUR.",
  ],
  ["/op/reward-points/redeem", { request: { points: 10 } }, "Anna has 30 points."],
  [
    "/op/reward-points/redeem",
    { request: { voucher_id: 3 }, chosen: { campaign_name: "Coffee", points_price: 30 } },
    "Anna has the voucher Coffee and 10 points.",
  ],
])("says what %s leaves", (path, about, text) => {
  expect(said(path, about)).toEqual([`Afterwards, ${text}`]);
});

it.each([
  ["/op/wallet/reverse", { amount: -250 }, "Anna gets 2.50 EUR back in the wallet."],
  [
    "/op/wallet/reverse",
    { amount: 1000 },
    "The top-up of 10.00 EUR is taken from the wallet of Anna, with its bonus.",
  ],
  ["/op/reward-points/reverse", { amount: -1 }, "Anna gets 1 point back."],
  ["/op/vouchers/reverse", { campaign_name: "Coffee" }, "Anna gets the voucher Coffee back."],
])("says what %s gives back", (path, record, text) => {
  expect(said(path, { record })).toEqual([text]);
});

it("names the tier that is assigned", () => {
  expect(said("/op/members/assign-tier", { chosen: { name: "Gold" } })).toEqual([
    "Afterwards, Anna has the tier Gold.",
  ]);
  expect(said("/op/members/assign-tier", {})).toEqual([]);
});

it("says nothing that it does not know", () => {
  const unpriced = { request: { voucher_id: 3 }, chosen: { campaign_name: "Coffee", points_price: null } };
  expect(said("/op/reward-points/redeem", unpriced)).toEqual([]);
  const priced = { ...unpriced, chosen: { campaign_name: "Coffee", points_price: 30 }, member: undefined };
  expect(said("/op/reward-points/redeem", priced)).toEqual([]);
  expect(said("/op/members/adjust-points", { request: {} })).toEqual([]);
  expect(said("/op/members/adjust-points", { request: { points: 5 }, member: undefined })).toEqual([]);
});

it("names what a refund takes and leaves, as the service says it", () => {
  const of = { request: { amount: 1250 }, record: sale };
  expect(said("/op/sales/refund", { ...of, found: refunded })).toEqual([
    "Refund 12.50 EUR of receipt T-1011: 6 points taken back, Anna keeps 33",
  ]);
  // Points that were not in the balance yet are taken back, too.
  expect(said("/op/sales/refund", { ...of, found: { ...refunded, points_balance: 40 } })).toEqual([
    "Refund 12.50 EUR of receipt T-1011: 6 points taken back, Anna keeps 40",
  ]);
  const nothing = { ...refunded, points_clawed: 0, vouchers_back: [123] };
  const { lines, details } = outcomeText(
    "/op/sales/refund",
    { request: {}, record: sale, member: anna, found: nothing, chosen: {} } as never,
    money,
  );
  expect(lines[0]).toBe("Refund the chosen articles of receipt T-1011");
  expect(lines).toHaveLength(2);
  expect(details).toEqual([]);
});

it("counts one and several members of a bulk grant", () => {
  const found = (members_found: number, points_given: number) => ({
    found: { members_found, points_given, amount: null },
  });
  expect(said("/op/bulk-grants/start", found(1, 50))[0]).toBe("For 1 member: 50 points together.");
  expect(said("/op/bulk-grants/start", found(2, 0))[0]).toBe("For 2 members: a voucher each.");
});

it("keeps a number in its place after a name from right to left", () => {
  const member = { ...anna, first_name: "عمر" };
  const about = { member, request: { points: 5, adjustment_type: "credit" } };
  expect(said("/op/members/adjust-points", about)).toEqual(["Afterwards, \u2068عمر\u2069 has 45 points."]);
});
