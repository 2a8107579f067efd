import fc from "fast-check";
import { expect, it } from "vitest";
import {
  type ReferralFacts,
  referralAlphabet,
  referralKey,
  referralOccasions,
  refusalOf,
} from "./referrals.ts";
import { inertRules, type Occasion } from "./rules.ts";

const fine: ReferralFacts = {
  ...{
    is_own: false,
    joined_later: false,
    is_referred: false,
    has_bought: false,
    is_circle: false,
    brought: 0,
  },
};
const most = (referral_most_per_year: number | null) => ({ referral_most_per_year });

it("refuses for one reason, the first that is true", () => {
  expect(refusalOf(fine, most(1))).toBeUndefined();
  const reasons = [
    ["is_own", "own_code"],
    ["joined_later", "joined_later"],
    ["is_referred", "already_referred"],
    ["has_bought", "bought_before"],
    ["is_circle", "circle"],
  ] as const;
  for (const [fact, reason] of reasons) {
    expect(refusalOf({ ...fine, [fact]: true }, most(null))).toBe(reason);
    expect(refusalOf({ ...fine, [fact]: true, brought: 5 }, most(1))).toBe(reason);
  }
  expect(refusalOf({ ...fine, is_own: true, is_circle: true }, most(1))).toBe("own_code");
});

it("counts the members whom one has brought this year", () => {
  expect(refusalOf({ ...fine, brought: 2 }, most(3))).toBeUndefined();
  expect(refusalOf({ ...fine, brought: 3 }, most(3))).toBe("limit");
  expect(refusalOf({ ...fine, brought: 3000 }, most(null))).toBeUndefined();
});

it("compares codes without case, blanks, hyphens and look-alikes", () => {
  expect(referralKey(" 7kq2-M0XR ")).toBe("7KQ2M0XR");
  expect(referralKey("oOiIlL‐1")).toBe("0011111");
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(...referralAlphabet), minLength: 8, maxLength: 8 }),
      (code) => {
        const written = `${code.slice(0, 4)}-${code.slice(4)}`
          .toLowerCase()
          .replaceAll("0", "o")
          .replaceAll("1", "l");
        expect(referralKey(written)).toBe(code);
      },
    ),
  );
});

it("has referrals while an occasion gives something for them", () => {
  const occasion = (kind: Occasion["kind"], points: number | null) => ({ kind, points }) as Occasion;
  const rules = (enable_rp: boolean, occasions: Occasion[]) => ({ ...inertRules, enable_rp, occasions });
  expect(referralOccasions(rules(true, [occasion("joined", 1)]))).toEqual([]);
  const both = [occasion("referred", 1), occasion("referrer", null)];
  expect(referralOccasions(rules(true, both))).toEqual(both);
  expect(referralOccasions(rules(false, both))).toEqual([both[1]]);
  const inJune = { ...occasion("referred", 1), first_day: "2026-06-01", last_day: "2026-06-30" };
  const madeOn = (day?: string) => referralOccasions(rules(true, [inJune]), day);
  expect([madeOn(), madeOn("2026-06-01"), madeOn("2026-06-30")]).toEqual([[inJune], [inJune], [inJune]]);
  expect([madeOn("2026-05-31"), madeOn("2026-07-01")]).toEqual([[], []]);
});
