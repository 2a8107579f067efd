/** Fields, checks and errors that operations on sales and points share. */
import {
  type FieldError,
  fieldError,
  fields,
  type Static,
  Type,
  wrongValue,
} from "../../contract/declare.ts";
import { mostPromotions } from "../../domain/engine/promotions/acting.ts";
import type { SaleInput } from "../../domain/engine/sale.ts";
import { mostVouchersOfSale } from "../../domain/engine/stamps/counting.ts";
import { voucherValidThrough } from "../../domain/engine/vouchers/voucher.ts";
import { latestRecordingDays } from "../../domain/idempotency.ts";
import { amountLimit } from "../../domain/ledger.ts";
import type { HeldVoucher } from "../../domain/records.ts";
import { money, points } from "../amounts.ts";
import { stampedCards, stampsTaken } from "../promotions/stamps.ts";
import { checkCodes, useCodes } from "../vouchers/voucher-codes.ts";
import { covered, heldTermFields, showTerms } from "../vouchers/voucher-definitions.ts";
import { saleReasons } from "./sale-reasons.ts";

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
  { description: "The member's accounts after the request." },
);

/** The pattern of a time of the day, HH:MM. */
export const timeOfDay = "^([01]\\d|2[0-3]):[0-5]\\d$";

/** The time of a recorded sale. */
export const soldAt = fields.nullable(
  Type.String({ pattern: timeOfDay, maxLength: 5 }),
  "The time of the sale on that day, HH:MM, if the till said it; otherwise null.",
  "15:30",
);

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
  use_codes: useCodes,
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

export const vouchersAfter = money("The value of the vouchers that the member holds afterwards", 500);

export const vouchersBack = Type.Array(fields.heldVoucherId, {
  maxItems: 10,
  description:
    "The vouchers that had paid a part of the sale and that the member holds again: all, with the refund of the rest.",
  examples: [[]],
});

export const vouchersTaken = Type.Array(fields.heldVoucherId, {
  maxItems: mostVouchersOfSale,
  description: "The vouchers that promotions and stamp cards had given and that are taken back.",
  examples: [[]],
});
export const vouchersExcused = Type.Array(fields.heldVoucherId, {
  maxItems: mostPromotions,
  description:
    "The vouchers that promotions had given for the sale and that the member has used: nothing is taken for them.",
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
  vouchers_taken: vouchersTaken,
  vouchers_excused: vouchersExcused,
  ...clawback,
  points_owed: pointsOwed,
});

/** A voucher that can be used, as a till shows it. */
export const usableVoucher = Type.Object({
  held_voucher_id: fields.heldVoucherId,
  coupon_code: fields.couponCode,
  coupon_value: fields.couponValue,
  ...heldTermFields,
  valid_through: nullableDay("The last day on which it can be used; null if it does not lapse."),
});

export function showVoucher(voucher: HeldVoucher): Static<typeof usableVoucher> {
  const { held_voucher_id, coupon_code, coupon_value, terms } = voucher;
  const valid_through = voucherValidThrough(voucher);
  return { held_voucher_id, coupon_code, coupon_value, ...showTerms(terms), valid_through };
}

/** A voucher that can be used in a sale, with what it would pay. */
export const payingVoucher = Type.Object({
  ...usableVoucher.properties,
  covers: money("The amount of this sale that the voucher alone would pay", 900),
});

/** A voucher that pays a part of a sale. */
const usedVoucher = Type.Object({
  held_voucher_id: fields.nullable(
    fields.heldVoucherId,
    "The voucher; null in a quote, if a code makes it.",
    17,
  ),
  coupon_code: fields.couponCode,
  covered,
});
/** The vouchers that pay a part of a sale. */
export const vouchersUsed = Type.Array(usedVoucher, {
  maxItems: 15,
  description: "The vouchers that pay a part of the sale, without those that a refund gave back.",
});

/** A voucher that a promotion gives. */
const grantedVoucher = Type.Object({
  held_voucher_id: fields.nullable(
    fields.heldVoucherId,
    "The voucher that the member holds; null in a quote.",
    17,
  ),
  voucher_id: fields.voucherId,
  coupon_code: fields.couponCode,
  coupon_value: fields.couponValue,
  valid_through: nullableDay("The last day on which it can be used; null if it does not lapse."),
});

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
  vouchers_taken: vouchersTaken,
  vouchers_excused: vouchersExcused,
  stamps_taken: stampsTaken,
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
  vouchers_used: vouchersUsed,
  vouchers_granted: Type.Array(grantedVoucher, {
    maxItems: mostVouchersOfSale,
    description: "The vouchers that promotions and full stamp cards give for the sale.",
  }),
  stamp_cards: stampedCards,
  tier: tierAfter("Whether the member reaches it by this sale."),
  balances,
  why: saleReasons,
};

export const program = Type.Union(
  [Type.Object({ program_id: fields.programId, membership_name: fields.membershipName }), Type.Null()],
  { description: "The reward program whose rate applies; null if there is none." },
);

/** The eligible amount must not exceed the total, and lines must add up to it. */
export function checkSale(
  input: Partial<Pick<SaleInput, "amount" | "eligible_amount" | "lines" | "use_codes">>,
): FieldError[] {
  const { amount, eligible_amount = amount ?? 0, lines } = input;
  const twice = checkCodes(input);
  if (amount === undefined) return twice;
  const sum = lines?.reduce((all, line) => all + line.amount, 0) ?? amount;
  return [
    ...twice,
    ...(eligible_amount > amount
      ? [fieldError("eligible_amount", "out_of_range", "must not be more than amount")]
      : []),
    ...(sum === amount
      ? []
      : [wrongValue("lines", `must add up to amount: they are ${sum} together, and amount is ${amount}`)]),
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
  "voucher_code_not_found",
  "voucher_archived",
  "sp_location_not_allowed",
  "validation_failed",
] as const;
