import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  adjustmentTypes,
  amountLimit,
  balanceLimit,
  eventTypeNames,
  eventTypes,
  generatedReference,
  move,
  signedAmount,
} from "./ledger.ts";
import { Rejection, reject } from "./rejection.ts";

const balances = fc.oneof(
  fc.maxSafeNat(),
  fc.nat({ max: 100 }),
  fc.nat({ max: 100 }).map((n) => balanceLimit - n),
);
const amounts = fc
  .oneof(fc.integer({ min: 1, max: amountLimit }), fc.integer({ min: 1, max: 100 }))
  .chain((amount) => fc.constantFrom(amount, -amount));
const open = (wallet: number) => ({ active: true, balances: { wallet } });

describe("move", () => {
  it("moves by the exact amount, within 0 and the limit, or not at all", () => {
    fc.assert(
      fc.property(balances, amounts, (balance, amount) => {
        // bigint can't overflow, so it says what the result must be.
        const sum = BigInt(balance) + BigInt(amount);
        const expected =
          sum < 0n
            ? reject("insufficient_balance", { balance })
            : sum > BigInt(balanceLimit)
              ? reject("balance_limit_exceeded", { balance })
              : Number(sum);
        expect(move(open(balance), "wallet", amount)).toEqual(expected);
      }),
    );
  });

  it("keeps any history consistent: the balance is the sum of all entries and the last balance_after", () => {
    fc.assert(
      fc.property(fc.array(amounts, { maxLength: 200 }), (history) => {
        const entries: { amount: number; balance_after: number }[] = [];
        let balance = 0;
        for (const amount of history) {
          const after = move(open(balance), "wallet", amount);
          if (after instanceof Rejection) continue;
          balance = after;
          entries.push({ amount, balance_after: after });
        }
        let before = 0;
        for (const { amount, balance_after } of entries) {
          expect(balance_after).toBe(before + amount);
          expect(balance_after).toBeGreaterThanOrEqual(0);
          expect(balance_after).toBeLessThanOrEqual(balanceLimit);
          before = balance_after;
        }
        const sum = entries.reduce((total, { amount }) => total + BigInt(amount), 0n);
        expect(BigInt(balance)).toBe(sum);
        expect(balance).toBe(entries.at(-1)?.balance_after ?? 0);
      }),
    );
  });

  it("can always be taken back", () => {
    fc.assert(
      fc.property(balances, amounts, (balance, amount) => {
        const there = move(open(balance), "wallet", amount);
        fc.pre(typeof there === "number");
        if (typeof there === "number") expect(move(open(there), "wallet", -amount)).toBe(balance);
      }),
    );
  });

  it.each([
    ["to exactly zero", 500, -500, 0],
    ["one below zero", 500, -501, reject("insufficient_balance", { balance: 500 })],
    ["to exactly the limit", balanceLimit - 1, 1, balanceLimit],
    ["one past the limit", balanceLimit, 1, reject("balance_limit_exceeded", { balance: balanceLimit })],
  ])("decides at the bound: %s", (_name, balance, amount, expected) => {
    expect(move(open(balance), "wallet", amount)).toEqual(expected);
  });

  it("finds no member before anything else, and an inactive one before its balance", () => {
    fc.assert(
      fc.property(balances, amounts, (balance, amount) => {
        expect(move(undefined, "wallet", amount)).toEqual(reject("member_not_found"));
        expect(move({ active: false, balances: { wallet: balance } }, "wallet", amount)).toEqual(
          reject("member_inactive"),
        );
      }),
    );
  });
});

it("is a fault for an account that was not read", () => {
  expect(() => move(open(5), "points", 1)).toThrow("the points account was not read");
});

it("signs a debit negative and a credit positive", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...adjustmentTypes),
      fc.integer({ min: 1, max: amountLimit }),
      (type, amount) => {
        expect(signedAmount(type, amount)).toBe(type === "credit" ? amount : 0 - amount);
      },
    ),
  );
});

it("generates references that no two entries share", () => {
  const types = fc.constantFrom(...eventTypeNames);
  const number = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
  fc.assert(
    fc.property(types, number, types, number, (type, no, otherType, otherNo) => {
      fc.pre(type !== otherType || no !== otherNo);
      expect(generatedReference(type, no)).not.toBe(generatedReference(otherType, otherNo));
    }),
  );
  expect(generatedReference("wallet_adjustment", 1042)).toBe("WA-1042");
  expect(new Set(eventTypeNames.map((name) => eventTypes[name].prefix)).size).toBe(eventTypeNames.length);
});
