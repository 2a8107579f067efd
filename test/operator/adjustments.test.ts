/** An operator's own corrections: the partners' write path, without an integration, and in the audit log. */
import { expect, it } from "vitest";
import { asOperator, operatorWrite } from "../support/operator-requests.ts";
import { nextKey, useWorld } from "../support/world.ts";

const world = useWorld();
const home = () => ({ business_id: world.home.businessId });

it("moves wallet and points, with the reason in the ledger and in the audit log", async () => {
  const contact_id = await world.member();
  const at = { ...home(), contact_id, reason: "Goodwill" };
  const wallet = await operatorWrite(world, "/op/members/adjust-wallet", {
    ...at,
    amount: 2500,
    adjustment_type: "credit",
  });
  expect(wallet).toEqual({ contact_id, amount: 2500, adjustment_type: "credit", balance_after: 2500 });
  await operatorWrite(world, "/op/members/adjust-points", { ...at, points: 30, adjustment_type: "credit" });
  await operatorWrite(world, "/op/members/adjust-points", { ...at, points: 10, adjustment_type: "debit" });
  const { body: found } = await asOperator(world, "/op/members/get", { ...home(), contact_id });
  expect(found.data).toMatchObject({ wallet_balance: 2500, points_balance: 20 });
  const entries = await world.sql`
    SELECT account, amount, integration_id, reason FROM ledger_entry
    WHERE business_id = ${world.home.businessId} AND contact_id = ${contact_id} ORDER BY entry_no`;
  expect([...entries]).toEqual([
    { account: "wallet", amount: 2500, integration_id: null, reason: "Goodwill" },
    { account: "points", amount: 30, integration_id: null, reason: "Goodwill" },
    { account: "points", amount: -10, integration_id: null, reason: "Goodwill" },
  ]);
  const { body: log } = await asOperator(world, "/op/audit/list", { ...home(), contact_id });
  expect(log.data).toMatchObject([
    {
      event: "member.points_adjusted",
      before: { contact_id, points: 30 },
      after: { points: 20, reason: "Goodwill" },
    },
    { event: "member.points_adjusted", before: { contact_id, points: 0 }, after: { points: 30 } },
    { event: "member.wallet_adjusted", before: { contact_id, wallet: 0 }, after: { wallet: 2500 } },
  ]);
  for (const part of ["accounts", "entries"]) {
    const { body } = await asOperator(world, "/op/ledger/verify", { ...home(), part, after: 0 });
    if (body.success) expect(body.data.mismatch_count).toBe(0);
  }
});

it("is done once under one key, which no other write of an operator may have", async () => {
  const contact_id = await world.member();
  const body = {
    ...home(),
    contact_id,
    amount: 100,
    adjustment_type: "credit",
    reason: "Once",
    idempotency_key: nextKey(),
  };
  const replies = await Promise.all(
    [1, 2, 3].map(() => asOperator(world, "/op/members/adjust-wallet", body)),
  );
  expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
  const { idempotency_key } = body;
  const other = await asOperator(world, "/op/locations/create", {
    ...home(),
    idempotency_key,
    name: "Other",
  });
  expect(other.body.error.code).toBe("idempotency_key_reused_with_different_payload");
  const { body: log } = await asOperator(world, "/op/audit/list", { event: "member.wallet_adjusted" });
  expect(log.data.filter(({ after }: { after: { reason: string } }) => after.reason === "Once")).toHaveLength(
    1,
  );
});

it("rejects an inactive member, and leaves no trace", async () => {
  const contact_id = await world.member();
  await world.deactivate(contact_id);
  const { body } = await asOperator(world, "/op/members/adjust-wallet", {
    ...home(),
    contact_id,
    amount: 1,
    adjustment_type: "credit",
    reason: "No",
    idempotency_key: nextKey(),
  });
  expect(body.error.code).toBe("member_inactive");
});

it("rejects a credit past the largest balance, and leaves no trace", async () => {
  const contact_id = await world.member();
  await world.sql`
    UPDATE account SET balance = 9007199254740991 WHERE contact_id = ${contact_id} AND account IN ('wallet', 'points')`;
  const credit = { ...home(), contact_id, adjustment_type: "credit", reason: "Too much" };
  for (const [verb, amount] of [
    ["adjust-wallet", { amount: 1 }],
    ["adjust-points", { points: 1 }],
  ] as const) {
    const body = { ...credit, ...amount, idempotency_key: nextKey() };
    const { body: rejected } = await asOperator(world, `/op/members/${verb}`, body);
    expect(rejected.error.code).toBe("balance_limit_exceeded");
  }
  expect(await world.sql`SELECT FROM ledger_entry WHERE contact_id = ${contact_id}`).toHaveLength(0);
});
