import { expect, it } from "vitest";
import { KnownLedger, KnownLedgers } from "./known-ledgers.ts";

const ledgerOf = (accounts: number) => {
  const ledger = new KnownLedger({ last_entry_no: 0, version: 1 });
  for (let contactId = 1; contactId <= accounts; contactId++) ledger.remember("wallet", contactId, 5);
  return ledger;
};

it("tells the accounts of a member apart, and counts each once", () => {
  const ledger = ledgerOf(1);
  ledger.remember("points", 1, 7);
  ledger.remember("points", 1, 8);
  expect([ledger.balance("wallet", 1), ledger.balance("points", 1), ledger.balance("sales", 1)]).toEqual([
    5,
    8,
    undefined,
  ]);
  expect(ledger.size).toBe(2);
});

it("forgets the ledgers that were kept longest ago when there is no room", () => {
  const known = new KnownLedgers(10);
  for (const [businessId, accounts] of [
    [1, 4],
    [2, 4],
    [3, 1],
  ] as const) {
    known.keep(businessId, ledgerOf(accounts));
  }
  known.keep(1, known.get(1) as KnownLedger);
  known.keep(4, ledgerOf(2));
  expect([1, 2, 3, 4].filter((businessId) => known.get(businessId) !== undefined)).toEqual([1, 3, 4]);
});

it("follows ledgers as they grow, and does not keep one that is too large by itself", () => {
  const known = new KnownLedgers(3);
  const ledger = ledgerOf(2);
  known.keep(1, ledger);
  known.keep(2, ledgerOf(1));
  ledger.remember("wallet", 3, 5);
  known.keep(1, ledger);
  expect([known.get(1), known.get(2)]).toEqual([ledger, undefined]);
  ledger.remember("wallet", 4, 5);
  known.keep(1, ledger);
  expect(known.get(1)).toBe(undefined);
});

it("has room for more until a 32nd is left", () => {
  const known = new KnownLedgers(64);
  known.keep(1, ledgerOf(1));
  known.keep(2, ledgerOf(60));
  expect(known.hasRoomForMore(1)).toBe(true);
  known.keep(3, ledgerOf(1));
  expect(known.hasRoomForMore(1)).toBe(false);
  known.forget(2);
  expect(known.hasRoomForMore(1)).toBe(true);
});

it("has no room for more of ledgers that were forgotten for want of it, but of others", () => {
  const known = new KnownLedgers(64);
  const room = () => [1, 2, 3].map((businessId) => known.hasRoomForMore(businessId));
  for (const businessId of [1, 2, 3]) known.keep(businessId, ledgerOf(30));
  expect(room()).toEqual([false, true, true]);
  known.forget(2);
  expect(room()).toEqual([false, true, true]);
  known.keep(2, ledgerOf(65));
  expect([room(), known.get(3)]).toEqual([[false, false, false], undefined]);
  expect(known.hasRoomForMore(4)).toBe(true);
});
