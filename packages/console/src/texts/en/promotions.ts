/** The texts about promotions. */
import { countedText, wholeText } from "../decimals.ts";

const pointsOf = (count: number) => countedText(count, "point", "points");
const daysOf = (count: number) => countedText(count, "day", "days");

export const promotionTexts = {
  title: "Promotions",
  explanation:
    "More points, a voucher or stamps for some sales, such as double points on Tuesdays. They act on top of the program and of stamp cards.",
  empty:
    "There are no promotions yet. Try double points on Tuesdays from 14:00 to 17:00: you can change all of it.",
  sample: "Try double points on Tuesdays",
  first: {
    ...{ name: "Double points on Tuesdays", multiply: 200, weekdays: [2] },
    ...{ from_time: "14:00", until_time: "17:00" },
  },
  /** The figures of its report. */
  figures: ({ voucher_id, stamp_card_id }: Gives) => ({
    sales_reached: "Sales",
    members_reached: "Members",
    ...(stamp_card_id
      ? { stamps_kept: "Stamps given" }
      : voucher_id
        ? { vouchers_kept: "Vouchers given", vouchers_amount: "Their worth today" }
        : {
            points_kept: "Points given",
            points_amount: "Their worth today",
            budget_left: "Points that are left",
          }),
  }),
  days: "By day",
  nothing: "It has given nothing in the last four weeks.",
  example: ({ multiply, points, per, voucher_id, stamp_card_id }: Gives) => {
    if (stamp_card_id) return "Example: each such sale gives these stamps on top of those of the card.";
    if (voucher_id) return "Example: each such sale gives the member one of these vouchers.";
    if (multiply)
      return `Example: a sale that earns 10 points by the program earns ${Math.floor(multiply / 10)}.`;
    if (!points) return "Write what it gives.";
    return per === "unit"
      ? `Example: three pieces in one sale give ${wholeText(3 * points)} points more.`
      : `Example: a sale that earns 10 points by the program earns ${wholeText(10 + points)}.`;
  },
  factors: { 200: "Double points", 300: "Triple points" } as Readonly<Record<number, string>>,
  times: (factor: string) => `${factor} × points`,
  fixed: (points: number) => pointsOf(points),
  stamps: (stamps: number, card: string) => `${countedText(stamps, "more stamp", "more stamps")} on ${card}`,
  voucher: (name: string) => `The voucher ${name}`,
  eachUnit: (points: number) => `${pointsOf(points)} for each piece`,
  from: (day: string) => `from ${day}`,
  until: (day: string) => `until ${day}`,
  to: (first: string, last: string) => `${first}–${last}`,
  leastAmount: (amount: string) => `from ${amount}`,
  leastQuantity: (count: number) => `from ${countedText(count, "piece", "pieces")}`,
  members: {
    any: () => "",
    first_sale: () => "first sale",
    new: (days: number) => `joined in the last ${daysOf(days)}`,
    returning: (days: number) => `nothing bought for ${daysOf(days)}`,
    birthday: (days: number) => `birthday ± ${daysOf(days)}`,
  },
  mostPerMember: (count: string) => `at most ${count} × for each member`,
  mostPerDay: (count: string) => `at most ${count} × a day for each member`,
  budget: (points: number) => `at most ${pointsOf(points)} in all`,
  exclusive: "only if it gives more than all others together",
} as const;

type Gives = Readonly<{
  multiply?: number | null;
  points?: number | null;
  per?: string;
  voucher_id?: number | null;
  stamp_card_id?: number | null;
}>;
