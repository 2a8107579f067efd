/** The texts about sales and their refunds. */
import { countedText } from "../decimals.ts";

const pointsOf = (count: number) => countedText(count, "point", "points");

export const saleTexts = {
  sale: {
    title: (receipt: string) => `Sale ${receipt}`,
    payment: "How it was paid",
    points: (points: number) => `Why it earned ${pointsOf(points)}`,
    lines: "Lines of the receipt",
    promotions: "What promotions gave",
    stamps: "Stamps",
    refunded: (amount: string, pieces: number) => (pieces > 0 ? `${amount}, pieces: ${pieces}` : amount),
    refunds: "Refunds",
    noRefunds: "Nothing was refunded.",
  },

  why: {
    earned: (base: string, points: number) => `${base} of it counts for points: ${pointsOf(points)}.`,
    earned_by_rate: (base: string, points: number) =>
      `${base} of it has a rate of its own: ${pointsOf(points)}.`,
    promotion: (name: string, points: number) => `${name}: ${pointsOf(points)}.`,
    capped: {
      order: (maximum: number) => `It would be more, but a sale gives at most ${pointsOf(maximum)}.`,
      day: (maximum: number) => `It would be more, but a member gets at most ${pointsOf(maximum)} a day.`,
      month: (maximum: number) => `It would be more, but a member gets at most ${pointsOf(maximum)} a month.`,
    },
    below_minimum: (minimum: string) => `Sales below ${minimum} earn no points.`,
    lines_excluded: (amount: string) => `${amount} of it are articles that earn no points.`,
    rewards_off: "Points were switched off on the day of the sale.",
    no_program: "No program for points was set on the day of the sale.",
    program_without_rate: "The program of the member had no rate on the day of the sale.",
    paidOtherwise: (amount: string) => `${amount} was paid with vouchers or points, and earns none.`,
    notEligible: (amount: string) => `The till said that ${amount} of it can't earn points.`,
  },

  refund: {
    explanation: (amount: string) => `Up to ${amount} can be refunded.`,
    lines: "Refund articles",
    line: (number: number) => `Line ${number}`,
    left: (count: number) => `Pieces to refund, at most ${count}`,
    vouchers: (back: number, taken: number, used: number) =>
      [
        back > 0 && `Vouchers that the member has again: ${back}.`,
        taken > 0 && `Vouchers that are taken back: ${taken}.`,
        used > 0 && `Vouchers of a promotion or a stamp card that were used, and stay so: ${used}.`,
      ]
        .filter(Boolean)
        .join(" "),
  },
} as const;
