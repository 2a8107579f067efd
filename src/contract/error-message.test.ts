import { expect, it } from "vitest";
import { messageOf } from "./error-message.ts";
import { reject } from "./errors.ts";
import { fieldError } from "./field-errors.ts";

it("names what decided", () => {
  expect(messageOf(reject("insufficient_balance", { account: "wallet", balance: 99 }))).toBe(
    "The balance is too low for this debit (account wallet, balance 99).",
  );
  const errors = [fieldError("amount", "invalid_type", "must be an integer")];
  expect(messageOf(reject("validation_failed", { errors }))).toBe(
    "Some fields are missing or invalid: amount must be an integer.",
  );
  expect(messageOf(reject("voucher_archived"))).toBe("The voucher is no longer issued.");
  expect(messageOf(reject("unauthorized", { token: "revoked" }))).toMatch(
    /^The token was revoked by the operator\. .*[^)]$/,
  );
  expect(messageOf(reject("redemption_not_allowed", { reason: "step", step: 10 }))).toBe(
    "Points pay in whole steps only. Send a multiple of the step (step 10).",
  );
});

it("stays short", () => {
  const errors = Array.from({ length: 100 }, (_, at) => fieldError(`f${at}`, "required", "is required"));
  expect(messageOf(reject("validation_failed", { errors }))).toMatch(
    /: f0 is required\. .* f4 is required\. And 95 more\.$/,
  );
  const long = [fieldError("x".repeat(2000), "unknown_field", "is unknown")];
  expect(messageOf(reject("validation_failed", { errors: long }))).toBe(
    "Some fields are missing or invalid.",
  );
});
