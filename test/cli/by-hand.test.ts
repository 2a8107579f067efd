/** What an operator does for a member by hand: vouchers, money and points. */
import { expect, it } from "vitest";
import { useCli } from "../support/cli.ts";
import { makeSandbox } from "../support/sandbox.ts";
import { useWorld } from "../support/world.ts";

const world = useWorld();
const cli = useCli(world);

/** A sandbox with a member, for commands that name the business. */
async function shop() {
  const made = await makeSandbox(world, "2026-01-10 09:00:00");
  const business = String(made.businessId);
  const json = async (...words: (string | number)[]) =>
    (await cli.json([...words.map(String), "--business", business])).data;
  return { ...made, member: await made.member(), json, business };
}

it("issues, redeems and gives back a voucher, with the reason in ledger and audit log", async () => {
  const { json, member, locationId, business } = await shop();
  const { voucher_id } = await json(
    ...["voucher", "create", "--name", "Sorry", "--coupon-code", "SORRY", "--coupon-value", 500],
    ...["--validity", 1, "--validity-period", "month"],
  );
  const issue = ["voucher", "issue", member, "--voucher", voucher_id, "--reason", "Case 7"] as const;
  const { held_voucher_id } = await json(...issue);
  await json(...issue, "--location", locationId);
  const out = await cli.ok(["voucher", "held", String(member), "--business", business]);
  expect(out).toMatch(/SORRY +5\.00 EUR +held +2026-02-10/);
  const redeem = ["voucher", "redeem", member, "--location", locationId, "--reason", "Offline"] as const;
  const used = await json(...redeem, "--coupon-code", "SORRY");
  expect(used).toMatchObject({ held_voucher_id, balance_after: 500 });
  await json("voucher", "reverse", held_voucher_id, "--reason", "The wrong one");
  expect(await json("voucher", "held", member, "--status", "held")).toHaveLength(2);
  const entries = await json("transaction", "list", "--contact", member);
  expect(entries.map(({ event_type, reason }: Record<string, string>) => [event_type, reason])).toEqual([
    ["voucher_reversed", "The wrong one"],
    ["voucher_redeemed", "Offline"],
    ...[1, 2].map(() => ["voucher_issued", "Case 7"]),
  ]);
  const audited = await json("audit", "list", "--contact", member);
  expect(audited.map(({ event, after }: Record<string, object>) => [event, after])).toMatchObject([
    ["voucher.reversed", { held_voucher_id, vouchers: 1000, reason: "The wrong one" }],
    ["voucher.redeemed", { held_voucher_id, vouchers: 500, reason: "Offline" }],
    ["voucher.issued", { vouchers: 1000, reason: "Case 7" }],
    ["voucher.issued", { held_voucher_id, vouchers: 500, reason: "Case 7" }],
  ]);
});

it("tops up a wallet by an offer, takes a payment, and reverses it at its location", async () => {
  const { json, member, locationId, business } = await shop();
  const { benefit_id } = await json(
    ...["topup-benefit", "create", "--name", "50 plus 5", "--amount", 5000, "--promo-amount", 500],
    ...["--location", locationId],
  );
  const at = ["--location", locationId, "--reason", "By transfer"] as const;
  const topup = await json("wallet", "topup", member, "--benefit", benefit_id, ...at);
  expect(topup).toMatchObject({ amount: 5000, promo_amount: 500, balance_after: 5500 });
  const words = ["wallet", "topup", String(member), "--business", business, ...at.map(String)];
  expect((await cli.run(words)).err).toContain("amount is required without --benefit");
  const paid = await json("wallet", "pay", member, "--amount", 700, ...at);
  await json("wallet", "reverse", paid.movement_id, "--reason", "Returned");
  const entries = await json("transaction", "list", "--contact", member);
  expect(entries).toMatchObject([
    { event_type: "wallet_payment", amount: 700, location_id: locationId, reason: "Returned" },
    { event_type: "wallet_payment", amount: -700, location_id: locationId, reason: "By transfer" },
    { event_type: "wallet_topup", amount: 500, location_id: locationId, reason: "By transfer" },
    { event_type: "wallet_topup", amount: 5000, location_id: locationId, reason: "By transfer" },
  ]);
});

it("sells a voucher for points, and takes it back", async () => {
  const { json, member } = await shop();
  await json(
    "member",
    "adjust-points",
    member,
    "--points",
    80,
    "--adjustment-type",
    "credit",
    "--reason",
    "x",
  );
  const { voucher_id } = await json(
    ...["voucher", "create", "--name", "Mug", "--coupon-code", "MUG", "--coupon-value", 0],
    ...["--points-price", 60],
  );
  const by = ["--reason", "By phone"];
  const bought = await json("reward-point", "redeem", member, "--voucher", voucher_id, ...by);
  expect(bought).toMatchObject({ points: 60, balances: { points: 20 } });
  const back = await json("reward-point", "reverse", bought.redemption_id, "--reason", "Out of mugs");
  expect(back).toMatchObject({ points_back: 60, balances: { points: 80 } });
  expect(await json("voucher", "held", member)).toMatchObject([{ status: "returned" }]);
});
