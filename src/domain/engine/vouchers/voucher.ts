/** Vouchers that members hold: issuing them, and lapsing by date. Values are in minor units. */
import { addDays, endOfValidity, lastDay } from "../../dates.ts";
import type { EntryDraft, Moment } from "../../decision.ts";
import { balanceLimit, type EventType } from "../../ledger.ts";
import type { HeldVoucher } from "../../records.ts";
import { Rejection, reject } from "../../rejection.ts";
import { nameKey } from "../../text.ts";
import type { VoucherDefinition } from "../rules.ts";
import type { VoucherTerms } from "./terms.ts";

/** A member of a decision about its vouchers. */
export interface VoucherHolder {
  readonly active: boolean;
  readonly balances: { readonly vouchers: number };
  /** Those that the decision names, settled. */
  readonly vouchers: readonly HeldVoucher[];
}

/** Whether a voucher's last day has passed. */
export function isLapsing({ status, lapses_on }: HeldVoucher, today: string): boolean {
  return status === "held" && lapses_on !== null && lapses_on <= today;
}

/** The last day on which a voucher can be used; null: it does not lapse. */
export function voucherValidThrough({ lapses_on }: Pick<HeldVoucher, "lapses_on">): string | null {
  return lapses_on === null ? null : addDays(lapses_on, -1);
}

/** Vouchers that lapse first come first, and of these the older. */
export function inLapsingOrder(one: HeldVoucher, other: HeldVoucher): number {
  const [first, second] = [one.lapses_on ?? lastDay, other.lapses_on ?? lastDay];
  if (first !== second) return first < second ? -1 : 1;
  return one.held_voucher_id - other.held_voucher_id;
}

export interface Lapsed {
  /** All vouchers. Those that did not lapse are the same objects, and so is the list if none did. */
  readonly vouchers: readonly HeldVoucher[];
  /** Those that lapsed, as they were before. */
  readonly due: readonly HeldVoucher[];
  /** The value that left the account. */
  readonly value: number;
}

/** Lets vouchers lapse whose last day has passed. */
export function lapse(vouchers: readonly HeldVoucher[], today: string): Lapsed {
  const due = vouchers.filter((voucher) => isLapsing(voucher, today)).sort(inLapsingOrder);
  if (due.length === 0) return { vouchers, due, value: 0 };
  return {
    vouchers: vouchers.map((voucher) =>
      isLapsing(voucher, today) ? { ...voucher, status: "lapsed" } : voucher,
    ),
    due,
    value: totalValue(due),
  };
}

export function totalValue(vouchers: readonly HeldVoucher[]): number {
  return vouchers.reduce((sum, { coupon_value }) => sum + coupon_value, 0);
}

/**
 * The entry of a voucher's value; none for a voucher without a value, such as a free coffee.
 * @param of the reference and the location of the entry, if they are not those of the decision
 */
export function valueEntry(
  event_type: EventType,
  { coupon_value }: Pick<HeldVoucher, "coupon_value">,
  sign: 1 | -1,
  of: Pick<EntryDraft, "reference_id" | "location_id"> = {},
): EntryDraft[] {
  return coupon_value === 0 ? [] : [{ event_type, amount: sign * coupon_value, ...of }];
}

/**
 * Makes a voucher for a member.
 * @returns a rejection when it is archived or the balance has no room for it
 */
export function makeVoucher(
  { active, balances }: Pick<VoucherHolder, "active" | "balances">,
  definition: VoucherDefinition,
  input: { readonly contact_id: number; readonly reference_id?: string | undefined },
  moment: Pick<Moment, "today" | "voucherNo">,
) {
  if (!active) return reject("member_inactive");
  if (definition.archived) return reject("voucher_archived");
  return newVoucher(balances.vouchers, definition, input, moment);
}

/**
 * Makes a voucher.
 * @param balance of the member's vouchers
 * @param given what differs from the definition and from the validity that it gives
 * @returns a rejection when the balance has no room for it
 */
export function newVoucher(
  balance: number,
  definition: VoucherDefinition,
  given: GivenVoucher,
  { today, voucherNo: held_voucher_id }: Pick<Moment, "today" | "voucherNo">,
) {
  const { voucher_id, location_id, validity, validity_period } = definition;
  const { contact_id, issued_on = today, reference_id = `HV-${held_voucher_id}` } = given;
  const { coupon_code = definition.coupon_code, coupon_value = definition.coupon_value } = given;
  if (balance > balanceLimit - coupon_value) {
    return reject("balance_limit_exceeded", { account: "vouchers", balance });
  }
  const { lapses_on = endOfValidity(today, validity, validity_period) } = given;
  const voucher: HeldVoucher = {
    held_voucher_id,
    contact_id,
    voucher_id,
    coupon_value,
    terms: termsOf(definition),
    location_id,
    coupon_code,
    coupon_key: nameKey(coupon_code),
    reference_id,
    issued_on,
    valid_from: issued_on,
    lapses_on,
    status: "held",
    redeemed_at: null,
    excused: false,
    sale_id: null,
    covered: null,
    redemption_id: null,
    code_id: null,
    stamp_card_id: null,
    stamps_used: null,
  };
  return voucher;
}

interface GivenVoucher extends Pick<HeldVoucher, "contact_id"> {
  readonly coupon_code?: string | undefined;
  readonly coupon_value?: number | undefined;
  readonly issued_on?: string | undefined;
  readonly lapses_on?: string | null | undefined;
  readonly reference_id?: string | undefined;
}

/** What a voucher of a definition pays; null: its value, in any sale. */
function termsOf(definition: VoucherDefinition): VoucherTerms | null {
  const { kind, percent, most_amount, skus, categories, minimum_amount } = definition;
  if (kind === "value" && minimum_amount === 0) return null;
  return { kind, percent, most_amount, skus, categories, minimum_amount };
}

/** Imports a voucher that a member holds in another system. @param balance of the member's vouchers */
export function importVoucher(
  balance: number,
  definition: VoucherDefinition,
  given: GivenVoucher,
  moment: Pick<Moment, "today" | "voucherNo">,
) {
  const voucher = newVoucher(balance, definition, given, moment);
  if (voucher instanceof Rejection) return voucher;
  const { reference_id, location_id } = voucher;
  const entries = valueEntry("voucher_issued", voucher, 1);
  return { entries, reference_id, location_id, changes: { held_voucher: [voucher] }, data: {} };
}

/**
 * What a voucher of a definition is worth at most, in minor units. A share without a maximum is worth any amount. What a free article
 * costs is not known.
 */
export const worthAtMost = ({
  kind,
  coupon_value,
  most_amount,
}: Pick<VoucherDefinition, "kind" | "coupon_value" | "most_amount">): number =>
  coupon_value || (most_amount ?? (kind === "percent" ? balanceLimit : 0));

export function decideIssue(
  member: VoucherHolder,
  definition: VoucherDefinition,
  input: {
    readonly contact_id: number;
    readonly location_id?: number | undefined;
    readonly reference_id?: string | undefined;
    readonly reason?: string | undefined;
  },
  moment: Moment,
) {
  const voucher = makeVoucher(member, definition, input, moment);
  if (voucher instanceof Rejection) return voucher;
  const { held_voucher_id, voucher_id, coupon_code, coupon_value } = voucher;
  return {
    entries: valueEntry("voucher_issued", voucher, 1),
    reference_id: voucher.reference_id,
    location_id: input.location_id ?? voucher.location_id,
    reason: input.reason,
    corrected: worthAtMost(definition),
    changes: { held_voucher: [voucher] },
    data: {
      held_voucher_id,
      voucher_id,
      coupon_code,
      coupon_value,
      valid_through: voucherValidThrough(voucher),
      balance_after: member.balances.vouchers + coupon_value,
    },
  };
}
