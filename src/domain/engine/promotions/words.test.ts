import { expect, it } from "vitest";
import { doubling } from "../../../../test/support/point-lives.ts";
import type { Promotion } from "../rules.ts";
import { promotionInWords } from "./words.ts";

const tiers = [
  { tier_id: 1, name: "Silver" },
  { tier_id: 2, name: "Gold" },
  { tier_id: 3, name: "Black" },
];

it.each<[string, Partial<Promotion>]>([
  ["2 × points", {}],
  [
    "1.5 × points for coffee, Tue, 14:00 to 17:00",
    { multiply: 150, categories: ["coffee"], weekdays: [2], from_time: "14:00", until_time: "17:00" },
  ],
  [
    "1 more point for each piece for tea, LATTE",
    { multiply: null, points: 1, per: "unit", categories: ["tea"], skus: ["LATTE"] },
  ],
  [
    "50 more points, on the first purchase, until 2026-10-31",
    { multiply: null, points: 50, member: "first_sale", last_day: "2026-10-31" },
  ],
  [
    "2 more stamps, Mon Sun, around the birthday",
    { multiply: null, stamp_card_id: 1, stamps: 2, weekdays: [7, 1], member: "birthday" },
  ],
  [
    "1 more stamp, for members who come back",
    { multiply: null, stamp_card_id: 1, stamps: 1, member: "returning" },
  ],
  [
    "2 × points for some goods, from 3 pieces, for new members",
    { skus: ["A", "B", "C", "D"], minimum_quantity: 3, weekdays: [1, 2, 3, 4, 5, 6, 7], member: "new" },
  ],
  ["2 × points for A, from 2 pieces", { skus: ["A"], minimum_quantity: 2 }],
  ["2 × points for A", { skus: ["A"], minimum_quantity: 1 }],
  [
    "3 × points for new collection, in tier Gold or Black, at some locations",
    { multiply: 300, categories: ["new collection"], tier_ids: [3, 2, 9], location_ids: [1] },
  ],
])("says %s", (text, promotion) => {
  expect(promotionInWords({ ...doubling, ...promotion }, tiers)).toBe(text);
});

it("names the voucher", () => {
  const voucher = { campaign_name: "Free coffee" } as Promotion["voucher"];
  expect(
    promotionInWords({ ...doubling, multiply: null, voucher_id: 4, voucher, skus: ["A", "B", "C"] }, []),
  ).toBe("Voucher Free coffee for A, B, C");
});
