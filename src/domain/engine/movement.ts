/** Money in the wallet apart from adjustments and sales: topping up, paying, and reversing either as a whole. */
import { endOfValidity } from "../dates.ts";
import type { Undone } from "../decision.ts";
import { balanceLimit, generatedReference } from "../ledger.ts";
import type { Movement } from "../records.ts";
import { Rejection, reject } from "../rejection.ts";
import { entryOf } from "./entries.ts";
import { insufficient } from "./payment.ts";
import type { Rules } from "./rules.ts";

/** A member of a decision about its wallet. */
interface Holder {
  readonly active: boolean;
  readonly balances: { readonly wallet: number };
}

interface MovementInput {
  readonly contact_id: number;
  readonly location_id: number;
  readonly amount: number;
  readonly reference_id?: string | undefined;
  readonly reason?: string | undefined;
}

/** What the business sells as one top-up. Amounts are in minor units. */
export interface Benefit {
  readonly benefit_id: number;
  readonly title: string;
  readonly amount: number;
  readonly promo_amount: number;
  readonly status: "active" | "inactive";
  readonly location_id: number;
}

/** The wallet after an amount was added. */
function credited(wallet: number, amount: number) {
  return wallet > balanceLimit - amount
    ? reject("balance_limit_exceeded", { account: "wallet", balance: wallet })
    : wallet + amount;
}

/** The wallet after an amount was taken. */
function debited(wallet: number, amount: number) {
  return wallet < amount ? insufficient("wallet", wallet) : wallet - amount;
}

/**
 * Decides a top-up. The amount paid and the bonus are two entries with one reference, because they are accounted for
 * separately.
 * @param benefit the offer that was bought; undefined for an amount of the caller's, which gets no bonus
 * @param movement_id the number of the decision's first entry
 */
export function decideTopup(
  member: Holder,
  input: Omit<MovementInput, "amount"> & { readonly amount?: number | undefined },
  benefit: Benefit | undefined,
  movement_id: number,
) {
  if (!member.active) return reject("member_inactive");
  const { contact_id, location_id } = input;
  if (benefit !== undefined && benefit.location_id !== location_id) {
    const message = `location_id must be ${benefit.location_id}, where this top-up benefit is sold.`;
    return reject("validation_failed", {
      errors: [{ field: "location_id", code: "not_allowed_value", message }],
    });
  }
  if (benefit?.status === "inactive") return reject("benefit_inactive");
  const { benefit_id = null, promo_amount = 0 } = benefit ?? {};
  const amount = benefit?.amount ?? (input.amount as number);
  const balance_after = credited(member.balances.wallet, amount + promo_amount);
  if (balance_after instanceof Rejection) return balance_after;
  const reference_id = input.reference_id ?? generatedReference("wallet_topup", movement_id);
  const movement: Movement = {
    movement_id,
    contact_id,
    location_id,
    reference_id,
    kind: "topup",
    benefit_id,
    amount,
    promo_amount,
    reversed: false,
  };
  return {
    entries: [...entryOf("wallet_topup", amount), ...entryOf("wallet_topup", promo_amount)],
    reference_id,
    location_id,
    reason: input.reason ?? benefit?.title,
    changes: { movement: [movement] },
    data: { movement_id, reference_id, amount, promo_amount, balance_after },
  };
}

/**
 * Decides a payment from the wallet that is no sale, such as a deposit: it earns nothing.
 * @param movement_id the number of the decision's entry
 */
export function decidePayment(member: Holder, input: MovementInput, movement_id: number) {
  if (!member.active) return reject("member_inactive");
  const { contact_id, location_id, amount, reason } = input;
  const balance_after = debited(member.balances.wallet, amount);
  if (balance_after instanceof Rejection) return balance_after;
  const reference_id = input.reference_id ?? generatedReference("wallet_payment", movement_id);
  const movement: Movement = {
    movement_id,
    contact_id,
    location_id,
    reference_id,
    kind: "payment",
    benefit_id: null,
    amount,
    promo_amount: 0,
    reversed: false,
  };
  return {
    entries: entryOf("wallet_payment", -amount),
    reference_id,
    location_id,
    reason,
    changes: { movement: [movement] },
    data: { movement_id, reference_id, amount, balance_after },
  };
}

/**
 * Decides to reverse a top-up or a payment, also of an inactive member. The till hands out the money of a top-up, and a payment of an
 * erased member, because its wallet is closed.
 */
export function decideReverseMovement(
  { erased, balances: { wallet } }: Undone<Holder>,
  movement: Movement,
  { location_id, reason }: { readonly location_id: number; readonly reason?: string | undefined },
) {
  if (movement.reversed) return reject("already_reversed");
  const { movement_id, reference_id, kind, amount, promo_amount } = movement;
  const isPaidBack = erased && kind === "payment";
  const credit = isPaidBack ? 0 : amount;
  const balance_after =
    kind === "payment" ? credited(wallet, credit) : debited(wallet, amount + promo_amount);
  if (balance_after instanceof Rejection) return balance_after;
  return {
    entries:
      kind === "payment"
        ? entryOf("wallet_payment", credit)
        : [...entryOf("wallet_topup", -amount), ...entryOf("wallet_topup", -promo_amount)],
    reference_id,
    location_id,
    reason,
    changes: { movement: [{ ...movement, reversed: true }] },
    data: {
      movement_id,
      amount,
      promo_amount,
      money_back: isPaidBack || kind !== "payment" ? amount : 0,
      member_erased: erased,
      balance_after,
    },
  };
}

/** The first day on which the money of a gift card that is sold today can no longer be used; null: it does not lapse. */
export function giftLapsesOn({ gift_validity, gift_validity_period }: Rules, today: string): string | null {
  return endOfValidity(today, gift_validity, gift_validity_period);
}
