import { expect, it } from "vitest";
import { move } from "../domain/ledger.ts";
import { fields, postingOperation, Type } from "./declare.ts";
import { detailsOf, reject } from "./errors.ts";

it("lets the compiler find a rejection with other details than the error has", () => {
  expect(reject("insufficient_balance", { balance: 5 }).details).toEqual({ balance: 5 });
  expect(reject("member_not_found").details).toEqual({});
  // @ts-expect-error: The details are missing.
  reject("insufficient_balance");
  // @ts-expect-error: The balance is a number.
  reject("insufficient_balance", { balance: "5" });
  // @ts-expect-error: There is no such account.
  reject("insufficient_balance", { account: "purse", balance: 5 });
  // @ts-expect-error: The error has no details.
  reject("member_not_found", { contact_id: 5 });
});

it("lets the compiler find a rejection of the domain with other details, and an event that is missing", () => {
  const declared = {
    path: "/op/members/adjust-wallet",
    summary: "",
    description: "",
    message: "",
    input: { contact_id: fields.contactId },
    output: Type.Object({}),
    needs: { balances: ["wallet"] },
    emits: "wallet.adjusted",
  } as const;
  const decided = { entries: [], reference_id: undefined, data: {} };
  postingOperation({
    ...declared,
    event: "member.wallet_adjusted",
    role: "support",
    errors: ["member_not_found", "member_inactive", "insufficient_balance", "balance_limit_exceeded"],
    decide: ({ member }) => {
      const moved = move(member, "wallet", 1);
      return typeof moved === "number" ? decided : moved;
    },
  });
  const { emits: _, ...silent } = declared;
  // @ts-expect-error: A posting has an event.
  postingOperation({ ...silent, event: "member.wallet_adjusted", decide: () => decided });
  // @ts-expect-error: An operator's change has a name in the audit log.
  postingOperation({ ...declared, decide: () => decided });
  postingOperation({
    ...declared,
    event: "member.wallet_adjusted",
    role: "support",
    errors: ["refund_exceeds_sale"],
    // @ts-expect-error: The domain gives a balance, and the error has a refundable amount.
    decide: () => ({ ...fail("insufficient_balance", { balance: 5 }), code: "refund_exceeds_sale" }) as const,
  });
});

it("has an empty schema for an error without details", () => {
  expect(detailsOf("member_not_found")).toEqual(Type.Object({}));
  expect(Object.keys(detailsOf("validation_failed").properties)).toEqual(["errors"]);
});
