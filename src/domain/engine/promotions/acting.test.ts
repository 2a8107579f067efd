/** Which promotions act: when, where, for which members, and up to which limit. */
import { describe, expect, it } from "vitest";
import { doubling } from "../../../../test/support/point-lives.ts";
import { coffeeCard, freeCoffee } from "../../../../test/support/vouchers.ts";
import type { Promotion } from "../rules.ts";
import { type Buying, collectsAt, isOn, promotionsAt, reachedLimit, type SaleMade } from "./acting.ts";

/** A Thursday. */
const made: SaleMade = {
  ...{ day: "2026-01-15", time: "12:00", location_id: 1, tier_id: null, buying: undefined, given: new Map() },
};
const at = (location_id: number | null) => ({ voucher: { ...freeCoffee, location_id } });

describe("isOn", () => {
  const on = (of: Partial<Promotion>, at: Partial<SaleMade>) =>
    isOn({ ...doubling, ...of }, { ...made, ...at });

  it("is for days, locations and tiers", () => {
    const days = { first_day: "2026-01-10", last_day: "2026-01-15" };
    const ons = ["2026-01-09", "2026-01-10", "2026-01-15", "2026-01-16"].map((day) => on(days, { day }));
    expect(ons).toEqual([false, true, true, false]);
    const weekdays = { weekdays: [4, 7] };
    expect(["2026-01-15", "2026-01-16", "2026-01-18"].map((day) => on(weekdays, { day }))).toEqual([
      true,
      false,
      true,
    ]);
    expect([1, 2, undefined].map((location_id) => on({ location_ids: [2] }, { location_id }))).toEqual([
      false,
      true,
      true,
    ]);
    expect([1, 2, undefined].map((location_id) => on(at(2), { location_id }))).toEqual([false, true, true]);
    expect([null, 3, undefined].map((tier_id) => on({ tier_ids: [3] }, { tier_id }))).toEqual([
      false,
      true,
      true,
    ]);
  });

  it("is for hours, also over midnight, on the day on which they begin", () => {
    const afternoon = { from_time: "14:00", until_time: "17:00" };
    const times = ["13:59", "14:00", "16:59", "17:00", null];
    expect(times.map((time) => on(afternoon, { time }))).toEqual([false, true, true, false, false]);
    const night = { from_time: "22:00", until_time: "02:00", weekdays: [4], last_day: "2026-01-15" };
    const at = (day: string, time: string) => on(night, { day, time });
    expect(["21:59", "22:00", "01:59"].map((time) => at("2026-01-15", time))).toEqual([false, true, false]);
    expect(["01:59", "02:00", "23:00"].map((time) => at("2026-01-16", time))).toEqual([true, false, false]);
  });

  it("needs a voucher that is not archived, and that the location of the sale gives", () => {
    expect([on(at(null), {}), on(at(1), {}), on(at(2), {})]).toEqual([true, true, false]);
    expect(on({ voucher: { ...freeCoffee, archived: true } }, {})).toBe(false);
  });

  it("has both times, or none", () => {
    expect(on({ from_time: "14:00" }, {})).toBe(true);
    expect(on({ until_time: "11:00" }, {})).toBe(true);
    // From a time to the same time is no window over midnight.
    const never = { from_time: "14:00", until_time: "14:00" };
    expect(["13:59", "14:00"].map((time) => on(never, { time }))).toEqual([false, false]);
    // In the afternoon, the day before does not matter.
    const fridays = { from_time: "14:00", until_time: "17:00", weekdays: [5] };
    expect(on(fridays, { day: "2026-01-16", time: "15:00" })).toBe(true);
  });
});

describe("a promotion for some members", () => {
  const facts = { joined_on: "2020-03-01", born_on: null, bought_on: null };
  const isFor = (of: Partial<Promotion>, more: Partial<NonNullable<Buying["facts"]>>, day = made.day) =>
    isOn({ ...doubling, ...of }, { ...made, day, buying: { facts: { ...facts, ...more }, counts: [] } });

  it("is not for members about whom nothing is known, unless it is for all", () => {
    const unknown = { ...made, buying: { facts: null, counts: [] } };
    expect(isOn(doubling, unknown)).toBe(true);
    expect(isOn({ ...doubling, member: "first_sale" }, unknown)).toBe(false);
    expect(isOn({ ...doubling, member: "first_sale" }, made)).toBe(true);
  });

  it("is for the first sale", () => {
    const first = { member: "first_sale" } as const;
    expect([isFor(first, {}), isFor(first, { bought_on: "2025-01-01" })]).toEqual([true, false]);
  });

  it("is for new members, and for those who come back after some days", () => {
    const fresh = { member: "new", member_days: 10 } as const;
    const joined = ["2026-01-04", "2026-01-05", "2026-01-15"];
    expect(joined.map((joined_on) => isFor(fresh, { joined_on }))).toEqual([false, true, true]);
    const back = { member: "returning", member_days: 10 } as const;
    const bought = ["2026-01-04", "2026-01-05", "2026-01-15", null];
    expect(bought.map((bought_on) => isFor(back, { bought_on }))).toEqual([true, false, false, false]);
  });

  it("is for some days around a birthday, over the turn of the year, too", () => {
    const birthday = { member: "birthday", member_days: 2 } as const;
    const on = (born_on: string | null, ...days: string[]) =>
      days.map((day) => isFor(birthday, { born_on }, day));
    expect(on("1980-05-10", "2026-05-07", "2026-05-08", "2026-05-12", "2026-05-13")).toEqual([
      ...[false, true, true, false],
    ]);
    expect(on("1980-01-01", "2026-12-29", "2026-12-31", "2026-01-03")).toEqual([false, true, true]);
    expect(on("1980-12-31", "2026-01-02", "2026-01-03", "2026-12-29")).toEqual([true, false, true]);
    expect(on(null, "2026-05-10")).toEqual([false]);
    const today = (born_on: string, ...days: string[]) =>
      days.map((day) => isFor({ member: "birthday", member_days: null }, { born_on }, day));
    expect(today("1980-05-10", "2026-05-09", "2026-05-10", "2026-05-11")).toEqual([false, true, false]);
    // Who was born on 29 February has it on the 28th in other years.
    expect(today("2000-02-29", "2027-02-28", "2027-03-01")).toEqual([true, false]);
    expect(today("2000-02-29", "2028-02-28", "2028-02-29")).toEqual([false, true]);
    expect(today("2000-02-28", "2028-02-28", "2028-02-29")).toEqual([true, false]);
  });
});

describe("a limit", () => {
  const counts = [
    { promotion_id: 1, day: "", given: 2 },
    { promotion_id: 1, day: made.day, given: 1 },
    { promotion_id: 2, day: made.day, given: 9 },
  ];
  const reached = (of: Partial<Promotion>, points = 0) => {
    const given = points === 0 ? new Map() : new Map([[1, points]]);
    return reachedLimit({ ...doubling, ...of }, { ...made, buying: { facts: null, counts }, given });
  };

  it("is that of the member, of its day, or the budget, and counts each promotion for itself", () => {
    const none = [undefined, undefined, undefined];
    const limits = [{ most_per_member: 4 }, { most_per_member_day: 2 }, { budget_points: 100 }];
    expect(limits.map((one) => reached(one, 99))).toEqual(none);
    expect(reached({ most_per_member: 3 })).toBe("most_per_member");
    expect(reached({ most_per_member_day: 1 })).toBe("most_per_member_day");
    expect(reached({ budget_points: 100 }, 100)).toBe("budget_points");
    expect(reached({ budget_points: 1 })).toBeUndefined();
    const fixed = { multiply: null, points: 50, budget_points: 100 };
    expect([50, 51].map((given) => reached(fixed, given))).toEqual([undefined, "budget_points"]);
    const units = { ...fixed, points: 10, per: "unit" as const, minimum_quantity: 5 };
    expect([50, 51].map((given) => reached(units, given))).toEqual([undefined, "budget_points"]);
    expect(reached({}, 1e9)).toBeUndefined();
    expect(reachedLimit({ ...doubling, most_per_member: 1 }, made)).toBeUndefined();
  });
});

describe("a location", () => {
  it("collects stamps if the card names it, or none, and if its voucher is given there", () => {
    const collects = (location_ids: number[], location_id: number | null) =>
      collectsAt({ location_ids, voucher: { ...freeCoffee, location_id } }, 1);
    expect([collects([], null), collects([1, 2], 1), collects([2], null), collects([1], 2)]).toEqual([
      ...[true, true, false, false],
    ]);
  });

  it("has the promotions that give no stamps, or on a card that it collects", () => {
    const onCard = (promotion_id: number, stamp_card_id: number) => {
      return { ...doubling, promotion_id, multiply: null, stamp_card_id, stamps: 2 };
    };
    const promotions = [doubling, onCard(2, 1), onCard(3, 2), onCard(4, 3)];
    const elsewhere = { ...coffeeCard, stamp_card_id: 2, location_ids: [8] };
    const rules = { promotions, stamp_cards: [coffeeCard, elsewhere] };
    const idsAt = (location: number | undefined) =>
      promotionsAt(rules, location).map(({ promotion_id }) => promotion_id);
    expect([idsAt(1), idsAt(8), idsAt(undefined)]).toEqual([
      [1, 2],
      [1, 2, 3],
      [1, 2, 3, 4],
    ]);
  });
});
