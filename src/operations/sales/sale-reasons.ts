/** The fields of reasons: why a sale earns its points, and why no points can pay. */
import { fields, type TProperties, Type } from "../../contract/declare.ts";
import { mostPromotions } from "../../domain/engine/promotions/acting.ts";
import { mostShownCharacters } from "../../domain/engine/till-texts.ts";
import { money, points } from "../amounts.ts";
import { lineRate, mostRates } from "../rules/program-rates.ts";

/**
 * A reason. The compiler compares its code and its properties with those that the rules return.
 * @param text an example of what a till shows
 */
const why = <const Code extends string, Properties extends TProperties = Record<never, never>>(
  code: Code,
  description: string,
  text: string,
  properties?: Properties,
) =>
  Type.Object({
    code: Type.Enum([code], { description }),
    text: fields.text(mostShownCharacters, "What a till can show, in English.", text),
    ...(properties as Properties),
  });

export const promotionName = fields.text(
  60,
  "The name of the promotion, as tills show it.",
  "Double points on Tuesdays",
);
const promotionNamed = {
  promotion_id: fields.promotionId,
  name: promotionName,
};

/** Why a sale earns its points, as it can be said of a recorded sale, too. */
const earningReasons = [
  why("earned", "The sale earns by the rate of the program.", "60 points for 60.00 EUR", {
    base: money("The amount that earns", 6000),
    points: points("The points that this amount earns.", 60),
  }),
  why(
    "earned_by_rate",
    "Some lines earn by a rate that the program has for them: for an amount, or if it is null, for each unit.",
    "12 points for 2 units",
    {
      ...lineRate,
      base: money("The amount that earns", 6000),
      units: fields.count("The quantity of these lines, without free ones.", 2),
      points: points("The points that they earn.", 60),
    },
  ),
  why("promotion", "A promotion gives more points, or a voucher.", "60 more points: Double on Tuesdays", {
    ...promotionNamed,
    points: points("The points that it gives.", 60),
  }),
  why("capped", "It earns no more than a maximum of the program allows.", "At most 500 points a sale", {
    period: fields.choice(
      ["order", "day", "month"],
      "Whether it is the maximum of one order, or that of the member on the day or in the month of the sale, of which other sales may have " +
        "used a part.",
      "order",
    ),
    maximum: points("This maximum.", 500),
  }),
  why("lines_excluded", "The program excludes some lines, which earn nothing.", "No points for 56.00 EUR", {
    amount: money("Their amount", 5600),
  }),
  why("below_minimum", "The amount that earns is too small.", "No points below 10.00 EUR", {
    minimum: money("The smallest amount that earns points", 1000),
  }),
  why("rewards_off", "The business had switched rewards off on the day of the sale.", "Points are off"),
  why(
    "no_program",
    "No program was the default on the day of the sale, or the member is an anonymous card that earns nothing.",
    "No points for this member or card",
  ),
  why(
    "program_without_rate",
    "The program had no rate for the sale on its day.",
    "No points: the program has no rate",
  ),
] as const;

/** Those of promotions and of rates, and the others. */
const mostReasons = mostPromotions + mostRates + 20;

/** Why a sale earns its points, with its effects. */
export const saleReasons = Type.Array(
  Type.Union([
    ...earningReasons,
    why(
      "promotion_missed",
      "A promotion would give something, if one thing were different.",
      "1 more piece: Three coffees",
      {
        ...promotionNamed,
        reason: fields.choice(
          ["minimum_amount", "minimum_quantity", "most_per_member", "most_per_member_day", "budget_points"],
          "The minimum that the sale does not reach, or the limit that is reached.",
        ),
        needed: fields.count(
          "This minimum or limit: an amount that earns, in minor units, a quantity or a number of sales. 0 for budget_points.",
          1000,
        ),
      },
    ),
    why("pending_until", "The points can't be spent yet.", "Points can be spent from 2026-04-24", {
      day: fields.day("The first day on which the points can be spent."),
    }),
    why(
      "voucher_lapses",
      "A part of the vouchers' value is lost, because the sale was smaller.",
      "2.00 EUR of the vouchers is lost",
      {
        unused: money("This part", 200),
      },
    ),
    why(
      "tier_reached",
      "The member reaches a tier by this sale. It counts for later sales.",
      "New tier: Gold",
      {
        tier_id: fields.tierId,
      },
    ),
    why("owed", "A part of the points pays what the member owes.", "10 points pay what is owed", {
      points: points("The part of the points that pays the member's debt.", 10),
    }),
  ]),
  { maxItems: mostReasons, description: "The reasons for the number of points, which a till can show." },
);

/** Why a recorded sale earned its points. */
export const recordedReasons = Type.Array(Type.Union([...earningReasons]), {
  maxItems: mostReasons,
  description: "Why the sale earned this number of points, by the rules with which it was recorded.",
});

/** Why no points can pay a part of a sale. */
export const noPoints = Type.Union(
  [
    why("rewards_off", "The business has switched rewards off.", "Points are off"),
    why("points_cannot_pay", "Points have no value in this business.", "Points can't pay here"),
    why(
      "too_few_points",
      "The member has fewer points than can be spent at once.",
      "Points can pay from 20 points on",
      {
        minimum_points: points("The fewest points that can pay.", 20),
      },
    ),
    why(
      "sale_too_small",
      "What is still to be paid is less than the fewest points are worth.",
      "Points can pay from 1.00 EUR on",
      {
        fewest_points_amount: money("The value of the fewest points that can pay", 100),
      },
    ),
    Type.Null(),
  ],
  { description: "Why no points can pay; null if some can." },
);
