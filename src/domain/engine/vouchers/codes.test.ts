/** Public codes in a sale, unique codes, and what their limits count. */
import { describe, expect, it } from "vitest";
import { freeCoffee, heldVoucher, momentOn } from "../../../../test/support/vouchers.ts";
import { balanceLimit } from "../../ledger.ts";
import type { HeldVoucher } from "../../records.ts";
import { Rejection } from "../../rejection.ts";
import { codeKey, decideClaim, type PublicDefinition, vouchersOfCodes } from "./codes.ts";
import { type CodeLimit, codeLimits, codeUsesOf, publicCode, usesOfPublicCode } from "./limits.ts";
import { changeOfKind, plainVoucher } from "./terms.ts";

const today = "2026-01-15";
const public5 = (more: Partial<PublicDefinition> = {}): PublicDefinition => ({
  ...{ ...plainVoucher, ...freeCoffee, coupon_value: 500 },
  ...{ public_code: "SUMMER-5", public_key: "summer5" },
  ...more,
});
const uses = (...counts: [CodeLimit, number][]) => new Map(counts);

/** What codes make for a sale. @returns the numbers of vouchers, or why not */
function use(definitions: PublicDefinition[], codes: string[], more: object = {}) {
  const { balance = 0, sold_on = today, ...of } = more as { balance?: number; sold_on?: string };
  const input = { contact_id: 4, location_id: 1, use_codes: codes };
  const made = vouchersOfCodes(balance, input, { ...momentOn(today, of), sold_on, codes: definitions });
  return made instanceof Rejection
    ? "reason" in made.details
      ? made.details.reason
      : made.code
    : made.map(({ held_voucher_id, code_id }) => [held_voucher_id, code_id]);
}

describe("a public code", () => {
  it("makes a voucher, in any spelling of the code", () => {
    expect(codeKey(" Summer - 5 ")).toBe("summer5");
    const tea = public5({ voucher_id: 2, public_key: "tea" });
    expect(use([tea, public5()], ["sum-mer 5", "TEA"])).toEqual([
      [7, publicCode],
      [8, publicCode],
    ]);
    expect(use([tea], ["SUMMER5"])).toBe("voucher_code_not_found");
    const moment = { ...momentOn(today), sold_on: today, codes: [] };
    expect(vouchersOfCodes(0, { contact_id: 4, location_id: 1 }, moment)).toEqual([]);
  });

  it("acts from its first day through the last, at its location, until it is archived", () => {
    const days = { first_day: "2026-01-10", last_day: "2026-01-15" };
    const on = ["2026-01-09", "2026-01-10", "2026-01-15", "2026-01-16"];
    const [before, first, last, after] = on.map((sold_on) => use([public5(days)], ["summer5"], { sold_on }));
    expect([before, first, last, after]).toEqual(["not_begun", [[7, 0]], [[7, 0]], "ended"]);
    expect(use([public5({ location_id: 1 })], ["summer5"])).toEqual([[7, 0]]);
    expect(use([public5({ location_id: 2 })], ["summer5"])).toBe("location");
    const locations = { everywhere: false, ids: new Set([1]) };
    expect(use([public5({ location_id: 2 })], ["summer5"], { locations })).toBe("sp_location_not_allowed");
    expect(use([public5({ archived: true })], ["summer5"])).toBe("voucher_archived");
  });

  it("can be used so often, by all and by each member, counting those of the same sale", () => {
    const limited = public5({ most_uses: 5, most_per_member: 2 });
    const count = (all: number, own: number) => ({
      codeUses: uses([codeLimits.all(1), all], [codeLimits.ofMember(1, 4), own]),
    });
    expect(use([limited], ["summer5"], count(4, 1))).toEqual([[7, 0]]);
    expect(use([limited], ["summer5"], count(5, 0))).toBe("used_up");
    expect(use([limited], ["summer5"], count(4, 2))).toBe("most_per_member");
    expect(use([limited], ["summer5", "summer5"], count(4, 0))).toBe("used_up");
    expect(use([limited], ["summer5", "summer5"], count(0, 1))).toBe("most_per_member");
    const tea = public5({ voucher_id: 2, public_key: "tea" });
    expect(use([tea, limited], ["tea", "summer5"], count(4, 1))).toHaveLength(2);
    expect(use([limited], ["summer5", "summer5"])).toHaveLength(2);
  });

  it("needs room in the balance, beside the codes before it", () => {
    const both = ["summer5", "summer5"];
    expect(use([public5()], both, { balance: balanceLimit - 1000 })).toHaveLength(2);
    expect(use([public5()], both, { balance: balanceLimit - 999 })).toBe("balance_limit_exceeded");
  });
});

describe("a unique code", () => {
  const holder = { active: true, balances: { vouchers: 0 }, vouchers: [] };
  const code = { code_id: 3, definition: freeCoffee };
  const claim = (known: typeof code | undefined, codeUses = uses(), active = true) =>
    decideClaim({ ...holder, active }, { contact_id: 4 }, known, momentOn(today, { codeUses }));

  it("claims one voucher, once", () => {
    expect(claim(code)).toMatchObject({
      entries: [{ event_type: "voucher_issued", amount: 350 }],
      changes: { held_voucher: [{ held_voucher_id: 7, contact_id: 4, code_id: 3 }] },
    });
    expect(claim(undefined)).toMatchObject({ code: "voucher_code_not_found" });
    expect(claim(code, uses([codeLimits.claimed(3), 1]))).toMatchObject({ details: { reason: "claimed" } });
    expect(claim(code, uses(), false)).toMatchObject({ code: "member_inactive" });
  });
});

describe("what limits count", () => {
  const used = heldVoucher({ code_id: publicCode, contact_id: 4, status: "redeemed" });
  const back: HeldVoucher = { ...used, status: "returned" };
  const [all, own] = [codeLimits.all(1), codeLimits.ofMember(1, 4)];

  it("is a use of a public code, until it is given back", () => {
    expect(codeUsesOf(undefined, used)).toEqual([
      { limit: all, uses: 1 },
      { limit: own, uses: 1 },
    ]);
    expect(codeUsesOf(used, back).map((one) => one.uses)).toEqual([-1, -1]);
    expect([usesOfPublicCode(used, used), usesOfPublicCode(undefined, back)]).toEqual([0, 0]);
    expect(new Set([all, own, codeLimits.claimed(1)]).size).toBe(3);
  });

  it("is the claim of a unique code, and nothing of vouchers without a code", () => {
    const claimed = { ...used, code_id: 3 };
    expect(codeUsesOf(undefined, claimed)).toEqual([{ limit: codeLimits.claimed(3), uses: 1 }]);
    expect([codeUsesOf(claimed, claimed), codeUsesOf(undefined, { ...used, code_id: null })]).toEqual([
      [],
      [],
    ]);
    expect([
      usesOfPublicCode(undefined, claimed),
      usesOfPublicCode(claimed, { ...back, code_id: 3 }),
    ]).toEqual([...[0, 0]]);
  });
});

describe("the change of a definition", () => {
  const words = { most_amount: null, skus: [], categories: [] };

  it("to another kind clears what only the former has, unless it is sent", () => {
    expect(changeOfKind({ kind: "percent" }, { kind: "value" })).toEqual({
      ...{ kind: "value", percent: null, ...words },
    });
    const toItem = { kind: "item", categories: ["tea"] } as const;
    expect(changeOfKind({ kind: "value" }, toItem)).toEqual({ ...toItem, percent: null, coupon_value: 0 });
    expect(changeOfKind({ kind: "value" }, { kind: "percent", percent: 20 } as const)).toMatchObject({
      ...{ percent: 20, coupon_value: 0 },
    });
  });

  it("of the same kind, or of a new one, stays as it is sent", () => {
    const changes = [{ kind: "item" }, { percent: 5 }, {}] as const;
    for (const change of changes) expect(changeOfKind({ kind: "item" }, change)).toBe(change);
    const [first] = changes;
    expect(changeOfKind(undefined, first)).toBe(first);
  });
});
