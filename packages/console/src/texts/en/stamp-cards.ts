/** The texts about stamp cards. */
import { countedText } from "../decimals.ts";

export const stampCardTexts = {
  title: "Stamp cards",
  explanation: "Sales collect stamps, and each full card gives its member a voucher.",
  empty: "There are no stamp cards yet. One needs a voucher to give, such as a free coffee.",
  sample: "Try: nine coffees, the tenth is free",
  first: { name: "Coffee card", stamps_needed: 9, counts: "unit", categories: ["coffee"] },
  example: ({
    counts,
    stamps_needed: stamps,
  }: {
    readonly counts?: string;
    readonly stamps_needed?: number;
  }) =>
    stamps
      ? `Example: ${counts === "unit" ? "piece" : "visit"} number ${stamps} fills the card. The member gets the voucher, and uses it in a later sale.`
      : "Write how many stamps fill the card.",
  figures: (_: object) => ({
    members_with_stamps: "Members with stamps",
    stamps_on_cards: "Their stamps",
    times_full: "Cards that were full",
  }),
  days: "By day",
  nothing: "It has given no stamps in the last four weeks.",
  gives: (stamps: number, voucher: string) =>
    `${countedText(stamps, "stamp gives", "stamps give")} ${voucher}`,
  counts: { visit: "one for each visit", unit: "one for each piece" },
  alsoFree: "also free lines",
  mostPerDay: (count: number) => `at most ${count} a day`,
  from: (amount: string) => `from ${amount}`,
  valid: (period: string) => `valid for ${period}`,
} as const;
