/** Fields, checks and errors that operations on sales and points share. */
import {
  type FieldError,
  fieldError,
  fields,
  type Static,
  type TProperties,
  Type,
} from "../contract/declare.ts";
import { mostShownCharacters } from "../domain/engine/earning.ts";
import { mostPromotions } from "../domain/engine/promotions/acting.ts";
import type { SaleInput } from "../domain/engine/sale.ts";
import { voucherValidThrough } from "../domain/engine/voucher.ts";
import { latestRecordingDays } from "../domain/idempotency.ts";
import { amountLimit } from "../domain/ledger.ts";
import type { HeldVoucher } from "../domain/records.ts";

/** An amount in minor units that may be 0. */
export const money = (description: string, example = 0) =>
  fields.inMinorUnits(fields.count(`${description}, in minor units.`, example));
/** A number of points that may be 0. */
export const points = (description: string, example = 0) =>
  fields.inPoints(fields.count(description, example));

export const nullableDay = (description: string) =>
  fields.nullable(Type.String({ format: "date" }), description, "2026-10-31");
export const nullableMonth = (description: string) =>
  fields.nullable(Type.String({ maxLength: 7, pattern: "^\\d{4}-\\d{2}$" }), description, "2026-10");

export const reference = Type.String({
  maxLength: 255,
  format: "plain-text",
  description: "The caller's reference, or a generated one.",
  examples: ["receipt-000812"],
});

export const balances = Type.Object(
  {
    wallet: money("Money in the wallet", 1370),
    points: points("Points that can be spent.", 165),
    vouchers: money("Value of the vouchers that the member has not used"),
    sales: money("Sum of all purchases", 45_120),
  },
  { description: "The member's accounts afterwards." },
);

/** The pattern of a time of the day, HH:MM. */
export const timeOfDay = "^([01]\\d|2[0-3]):[0-5]\\d$";

export const saleInput = {
  contact_id: fields.contactId,
  location_id: fields.locationId,
  amount: fields.inMinorUnits(fields.whole(1, amountLimit, "The total of the sale, in minor units.", 6500)),
  eligible_amount: Type.Optional(
    fields.inMinorUnits(
      fields.whole(
        0,
        amountLimit,
        "The part of the total that earns points, in minor units, such as without gift cards, taxes or tips. By default, " +
          "the total.",
        6500,
      ),
    ),
  ),
  use_points: Type.Optional(
    fields.inPoints(
      fields.whole(0, amountLimit, "Points that pay a part of the sale; 0 for none, as by default.", 100),
    ),
  ),
  use_wallet: Type.Optional(
    fields.inMinorUnits(
      fields.whole(
        0,
        amountLimit,
        "The part of the sale that the wallet pays, in minor units; 0 for none, as by default.",
        2000,
      ),
    ),
  ),
  use_vouchers: Type.Optional(
    Type.Array(fields.heldVoucherId, {
      maxItems: 10,
      uniqueItems: true,
      description:
        "Vouchers of the member that pay a part of the sale, before points and wallet. Each is used as a whole.",
      examples: [[17]],
    }),
  ),
  sold_on: Type.Optional(
    fields.day(
      `The day of the sale, for a till that was offline: today or one of the ${latestRecordingDays} days before. By ` +
        "default, today.",
    ),
  ),
  sold_at: Type.Optional(
    Type.String({
      pattern: timeOfDay,
      maxLength: 5,
      description:
        "The time of the sale on that day, HH:MM in the business's time zone, for promotions that are limited to hours. By default, " +
        "now; a sale of an earlier day without it has no time.",
      examples: ["15:30"],
    }),
  ),
};

/** The payment of a sale, without the part that the till takes. */
export const payment = {
  voucher_amount: money("The amount that vouchers paid", 0),
  points_used: points("Points that paid a part of the sale.", 100),
  points_amount: money("The amount that these points paid", 500),
  wallet_used: money("The amount that the wallet paid", 2000),
};

export const amountDue = money("The amount that the customer pays at the till", 4000);
export const pointsEarned = points("Points that the sale earns.", 60);

/** What a refund did with the points that the sale had earned, without the points that the member owes now. */
export const clawback = {
  points_clawed: points("Points that the sale had earned and that are taken back.", 15),
  points_excused: points(
    "Points that the sale had earned and that had expired unused: nothing is taken for them.",
  ),
  points_forgiven: points(
    "Points that the sale had earned and that the member had spent, if the business's rules don't ask for them.",
  ),
};

export const memberErased = Type.Boolean({
  description:
    "Whether the member was erased. Its accounts are closed then: the wallet's part is in money_back, and points are " +
    "neither given back nor owed.",
  examples: [false],
});

/** A reason. The compiler compares its code and its properties with those that the rules return. */
const why = <const Code extends string, Properties extends TProperties = Record<never, never>>(
  code: Code,
  description: string,
  properties?: Properties,
) => Type.Object({ code: Type.Enum([code], { description }), ...(properties as Properties) });

export const promotionName = fields.text(
  60,
  "The name of the promotion, as tills show it.",
  "Double points on Tuesdays",
);
const promotionNamed = {
  promotion_id: fields.promotionId,
  name: promotionName,
};
const tillText = (example: string) =>
  fields.text(mostShownCharacters, "What a till can show, in English.", example);

/** Why a sale earns its points, as it can be said of a recorded sale, too. */
const earningReasons = [
  why("earned", "The sale earns by the rate of the program.", {
    base: money("The amount that earns", 6000),
    points: points("The points that this amount earns.", 60),
  }),
  why("promotion", "A promotion gives more points.", {
    ...promotionNamed,
    points: points("The points that it gives.", 60),
    text: tillText("60 more points: Double on Tuesdays"),
  }),
  why("capped", "It earns no more than the maximum of the program.", {
    maximum: points("The maximum number of points that one order earns.", 500),
  }),
  why("lines_excluded", "The program excludes some lines, which earn nothing.", {
    amount: money("Their amount", 5600),
  }),
  why("below_minimum", "The amount that earns is too small.", {
    minimum: money("The smallest amount that earns points", 1000),
  }),
  why("rewards_off", "The business had switched rewards off on the day of the sale."),
  why("no_program", "No program was the default on the day of the sale."),
  why("program_without_rate", "The program had no rate on the day of the sale."),
] as const;

/** Those of promotions, and the others. */
const mostReasons = mostPromotions + 20;

/** Why a sale earns its points, with its effects. */
const reasons = Type.Array(
  Type.Union([
    ...earningReasons,
    why("promotion_missed", "A promotion would give something, if one thing were different.", {
      ...promotionNamed,
      reason: fields.choice(
        ["minimum_amount", "minimum_quantity", "most_per_member", "most_per_member_day", "budget_points"],
        "The minimum that the sale does not reach, or the limit that is reached.",
      ),
      needed: fields.count(
        "This minimum or limit: an amount that earns, in minor units, a quantity, a number of sales or of points.",
        1000,
      ),
      text: tillText("Almost: Double on Tuesdays"),
    }),
    why("pending_until", "The points can't be spent yet.", {
      day: fields.day("The first day on which the points can be spent."),
    }),
    why("voucher_lapses", "A part of the vouchers' value is lost, because the sale was smaller.", {
      unused: money("This part", 200),
    }),
    why("tier_reached", "The member reaches a tier by this sale. It counts for later sales.", {
      tier_id: fields.tierId,
    }),
    why("owed", "A part of the points pays what the member owes.", {
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
    why("rewards_off", "The business has switched rewards off."),
    why("points_cannot_pay", "Points have no value in this business."),
    why("too_few_points", "The member has fewer points than can be spent at once.", {
      minimum_points: points("The fewest points that can pay.", 20),
    }),
    why("sale_too_small", "What is still to be paid is less than the fewest points are worth.", {
      fewest_points_amount: money("The value of the fewest points that can pay", 100),
    }),
    Type.Null(),
  ],
  { description: "Why no points can pay; null if some can." },
);

export const vouchersAfter = money("The value of the vouchers that the member holds afterwards", 500);

export const vouchersBack = Type.Array(fields.heldVoucherId, {
  maxItems: 10,
  description:
    "The vouchers that had paid a part of the sale and that the member holds again: all, with the refund of the rest.",
  examples: [[]],
});

/** These have one meaning in every operation. */
export const moneyBack = money("The money that the till hands out", 1000);
export const walletBack = money("The amount that goes back to the wallet", 500);
export const pointsBack = points("Points that the member gets back; 0 if the member was erased.");

export const pointsOwed = points(
  "Points that refunds take back and that the member no longer has: later points pay them. In refunds and full_refund those of this " +
    "refund, and elsewhere all that the member owes.",
);

export const refundEffect = Type.Object({
  money_back: moneyBack,
  wallet_back: walletBack,
  points_back: pointsBack,
  vouchers_back: vouchersBack,
  ...clawback,
  points_owed: pointsOwed,
});

/** A voucher that can be used, as a till shows it. */
export const usableVoucher = Type.Object({
  held_voucher_id: fields.heldVoucherId,
  coupon_code: fields.couponCode,
  coupon_value: fields.couponValue,
  valid_through: nullableDay("The last day on which it can be used; null if it does not lapse."),
});

export function showVoucher(voucher: HeldVoucher): Static<typeof usableVoucher> {
  const { held_voucher_id, coupon_code, coupon_value } = voucher;
  return { held_voucher_id, coupon_code, coupon_value, valid_through: voucherValidThrough(voucher) };
}

/** The part of a sale that a refund covers. */
export const refundedAmount = fields.inMinorUnits(
  fields.whole(
    1,
    amountLimit,
    "The part of the sale's total to refund, in minor units. By default, the rest.",
    1500,
  ),
);

export const tierAfter = (changed: string) =>
  Type.Object(
    {
      tier_id: fields.nullable(fields.tierId, "The tier; null without one.", 2),
      name: fields.nullable(fields.tierName, "Its name, or null."),
      valid_through: nullableDay("Its last day, if the member does not qualify again; null without a tier."),
      changed: fields.flag(changed, false),
    },
    { description: "The member's tier afterwards." },
  );

export const refundable = money("The amount that can still be refunded", 5000);

export const refundResult = Type.Object({
  sale_id: fields.saleId,
  refunded: money("The part of the sale's total that this refund covers", 1500),
  refundable,
  money_back: moneyBack,
  wallet_back: walletBack,
  points_back: pointsBack,
  vouchers_back: vouchersBack,
  ...clawback,
  member_erased: memberErased,
  points_owed: pointsOwed,
  tier: tierAfter("Whether it is another tier than before the refund."),
  balances,
});

/** The fields of a quote and of a recorded sale. */
export const saleResult = {
  amount: money("The total of the sale", 6500),
  voucher_unused: money("The part of the vouchers' value that is lost, because the sale was smaller"),
  ...payment,
  amount_due: amountDue,
  points_earned: pointsEarned,
  points_pending: points("The part of these points that can't be spent yet."),
  matures_on: nullableDay("The first day on which pending points can be spent; null if none are pending."),
  valid_through: nullableDay("The last day on which the points can be spent; null if they don't expire."),
  points_settled: points("The part of the earned points that paid the member's debt."),
  tier: tierAfter("Whether the member reaches it by this sale."),
  balances,
  why: reasons,
};

export const program = Type.Union(
  [Type.Object({ program_id: fields.programId, membership_name: fields.membershipName }), Type.Null()],
  { description: "The reward program whose rate applies; null if there is none." },
);

/** The eligible amount must not exceed the total, and lines must add up to it. */
export function checkSale(
  input: Partial<Pick<SaleInput, "amount" | "eligible_amount" | "lines">>,
): FieldError[] {
  const { amount, eligible_amount = amount ?? 0, lines } = input;
  if (amount === undefined) return [];
  const sum = lines?.reduce((all, line) => all + line.amount, 0) ?? amount;
  return [
    ...(eligible_amount > amount
      ? [fieldError("eligible_amount", "out_of_range", "must not be more than amount")]
      : []),
    ...(sum === amount
      ? []
      : [
          fieldError(
            "lines",
            "not_allowed_value",
            `must add up to amount: they are ${sum} together, and amount is ${amount}`,
          ),
        ]),
  ];
}

/** A sale has the lines of its receipt, which say what earns, or the amount that earns. */
export const oneWayToEarn = ["lines", "eligible_amount"] as const;

export const saleErrors = [
  "member_not_found",
  "member_inactive",
  "insufficient_balance",
  "balance_limit_exceeded",
  "rewards_disabled",
  "redemption_not_allowed",
  "voucher_not_held",
  "voucher_not_usable",
  "sp_location_not_allowed",
  "validation_failed",
] as const;
