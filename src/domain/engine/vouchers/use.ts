/** Using vouchers that members hold, in a sale or without one, and giving them back. */
import { anyLocation, checkLocation, type LocationAccess } from "../../access/access.ts";
import { addDays } from "../../dates.ts";
import type { EntryDraft, Moment, Undone } from "../../decision.ts";
import { balanceLimit, type EventType } from "../../ledger.ts";
import type { HeldVoucher } from "../../records.ts";
import { Rejection, reject } from "../../rejection.ts";
import { nameKey } from "../../text.ts";
import type { VoucherDefinition } from "../rules.ts";
import { publicCode } from "./limits.ts";
import {
  inLapsingOrder,
  lapse,
  totalValue,
  type VoucherHolder,
  valueEntry,
  voucherValidThrough,
} from "./voucher.ts";

/** Whether a voucher gets its value only when it is used: what it pays of the sale. */
const isValuedInUse = ({ terms }: HeldVoucher) => terms !== null && terms.kind !== "value";

/** The value of a voucher in a sale: what leaves the account with its use. */
export const valueInUse = (voucher: HeldVoucher, covered = voucher.covered) =>
  isValuedInUse(voucher) ? (covered ?? 0) : voucher.coupon_value;

/** Whether the value of a voucher that a sale uses comes into the account with this use. */
const isIssuedInUse = (voucher: HeldVoucher) =>
  isValuedInUse(voucher) || voucher.status === "lapsed" || voucher.code_id === publicCode;

interface Used {
  readonly voucher: HeldVoucher;
  readonly covered: number;
}

/**
 * The entries of the use of vouchers in a sale. A share or an article is issued with what it pays, so that the ledger explains it, and so
 * is a voucher that a code makes. One that has lapsed since the sale is issued again.
 */
export function entriesOfUse(used: readonly Used[]) {
  const entries = (event_type: EventType, some: readonly Used[], sign: 1 | -1) =>
    some.flatMap(({ voucher, covered }) =>
      valueEntry(event_type, { coupon_value: valueInUse(voucher, covered) }, sign),
    );
  const issued = used.filter(({ voucher }) => isIssuedInUse(voucher));
  return { issued: entries("voucher_issued", issued, 1), redeemed: entries("voucher_redeemed", used, -1) };
}

type NotUsable =
  | ("redeemed" | "lapsed" | "location" | "not_needed")
  | ("minimum_amount" | "no_item" | "second_percent" | "worth_nothing" | "needs_sale")
  | ("not_begun" | "ended" | "used_up" | "most_per_member" | "claimed")
  | ("not_redeemed" | "of_a_sale" | "not_for_points");

/** @param decides the number or the day that decides */
export const notUsable = (
  reason: NotUsable,
  voucher: Pick<HeldVoucher, "held_voucher_id"> | undefined,
  decides: {
    readonly location_id?: number;
    /** Of a code. */
    readonly field?: string;
    readonly first_day?: string;
    readonly valid_through?: string;
    readonly minimum_amount?: number;
    readonly most_per_member?: number;
  } = {},
) => reject("voucher_not_usable", { reason, held_voucher_id: voucher?.held_voucher_id ?? null, ...decides });

/** Where vouchers are used. */
interface UseOfVouchers {
  readonly location_id: number;
  /** The day of the sale. Without it, what has lapsed can't be used. */
  readonly sold_on?: string | undefined;
  /** The locations that the caller may use. */
  readonly locations: LocationAccess;
}

/** Whether a voucher was valid on a day and has lapsed since. */
function hasLapsedSince({ status, valid_from, lapses_on }: HeldVoucher, day: string): boolean {
  return status === "lapsed" && valid_from <= day && lapses_on !== null && lapses_on > day;
}

/** Finds a voucher that can be used. */
function usable(voucher: HeldVoucher | undefined, { location_id, sold_on, locations }: UseOfVouchers) {
  if (voucher === undefined) return reject("voucher_not_held");
  const elsewhere = checkLocation(locations, voucher.location_id);
  if (elsewhere !== undefined) return elsewhere;
  const { status } = voucher;
  if (status === "returned") return reject("voucher_not_held");
  const isGood = status === "held" || (sold_on !== undefined && hasLapsedSince(voucher, sold_on));
  if (!isGood) {
    const valid_through = status === "lapsed" ? voucherValidThrough(voucher) : null;
    return notUsable(status, voucher, valid_through === null ? {} : { valid_through });
  }
  if (voucher.location_id !== null && voucher.location_id !== location_id) {
    return notUsable("location", voucher, { location_id: voucher.location_id });
  }
  return voucher;
}

/** The vouchers that a sale at a location can use, in the order in which they lapse. */
export function usableAt(vouchers: readonly HeldVoucher[], at: Omit<UseOfVouchers, "locations">) {
  return vouchers
    .filter((one) => usable(one, { ...at, locations: anyLocation }) === one)
    .sort(inLapsingOrder);
}

/** Which vouchers a sale uses. @returns a rejection when one of them can't be used */
export function usableVouchers(vouchers: readonly HeldVoucher[], ids: readonly number[], use: UseOfVouchers) {
  const used: HeldVoucher[] = [];
  for (const id of ids) {
    const named = vouchers.find(({ held_voucher_id }) => held_voucher_id === id);
    const voucher = usable(named, use);
    if (voucher instanceof Rejection) return voucher;
    used.push(voucher);
  }
  return used;
}

/** Decides to use a voucher without a sale. A code names the voucher of this code that lapses first. */
export function decideRedeemVoucher(
  member: VoucherHolder,
  input: {
    readonly location_id: number;
    readonly held_voucher_id?: number | undefined;
    readonly coupon_code?: string | undefined;
    readonly reference_id?: string | undefined;
    readonly reason?: string | undefined;
  },
  { now, localTime, locations }: Pick<Moment, "now" | "localTime" | "locations">,
) {
  if (!member.active) return reject("member_inactive");
  const { location_id, held_voucher_id, coupon_code } = input;
  const key = coupon_code === undefined ? undefined : nameKey(coupon_code);
  const named = member.vouchers.filter((voucher) =>
    held_voucher_id === undefined
      ? voucher.coupon_key === key && voucher.status === "held"
      : voucher.held_voucher_id === held_voucher_id,
  );
  const voucher = usable(named.sort(inLapsingOrder)[0], { location_id, locations });
  if (voucher instanceof Rejection) return voucher;
  const { coupon_value, terms } = voucher;
  if (terms?.kind === "percent" || terms?.minimum_amount) return notUsable("needs_sale", voucher);
  return {
    entries: valueEntry("voucher_redeemed", voucher, -1),
    reference_id: input.reference_id ?? voucher.reference_id,
    location_id,
    reason: input.reason,
    changes: { held_voucher: [{ ...voucher, status: "redeemed" as const, redeemed_at: now }] },
    data: {
      held_voucher_id: voucher.held_voucher_id,
      coupon_code: voucher.coupon_code,
      coupon_value,
      redeemed_at: localTime,
      balance_after: member.balances.vouchers - coupon_value,
    },
  };
}

/** The entries of the return of a used voucher, without those of one that lapses at once. */
function entriesOfReturn(voucher: HeldVoucher): EntryDraft[] {
  const coupon_value = valueInUse(voucher);
  const isTaken = isValuedInUse(voucher) || voucher.code_id === publicCode;
  return [
    ...valueEntry("voucher_reversed", { coupon_value }, 1),
    ...(isTaken ? valueEntry("voucher_issued", { coupon_value }, -1) : []),
  ];
}

/** The vouchers that public codes had made, when a sale of an erased member is refunded. */
export const returnOfCodes = (used: readonly HeldVoucher[]): HeldVoucher[] =>
  used
    .filter(({ code_id }) => code_id === publicCode)
    .map((voucher) => ({ ...voucher, ...unusedAgain, status: "returned" }));

const unusedAgain = { redeemed_at: null, sale_id: null, covered: null };

/**
 * Gives used vouchers back. One whose date has passed meanwhile is valid for some more days. One that was excused is returned: the
 * member gave back what it had got the voucher for. One that a public code had made is returned, too: the code can be used again.
 * @param restoredDays how many; with 0, it lapses at once, with its own date
 */
export function giveVouchersBack(used: readonly HeldVoucher[], today: string, restoredDays: number) {
  const isOwn = ({ excused, code_id }: HeldVoucher) => !excused && code_id !== publicCode;
  const returned = used
    .filter((voucher) => !isOwn(voucher))
    .map((voucher) => ({ ...voucher, ...unusedAgain, status: "returned" as const }));
  const back = used.filter(isOwn).map((voucher): HeldVoucher => {
    const hasPassed = voucher.lapses_on !== null && voucher.lapses_on <= today;
    const back = { ...voucher, ...unusedAgain, status: "held" as const };
    if (!hasPassed || restoredDays === 0) return back;
    return { ...back, valid_from: today, lapses_on: addDays(today, restoredDays) };
  });
  const { vouchers, due, value } = lapse(back, today);
  return {
    vouchers,
    returned,
    entries: [
      ...used.filter(({ excused }) => !excused).flatMap(entriesOfReturn),
      ...due.flatMap((voucher) =>
        valueEntry("voucher_issued", voucher, -1, { location_id: voucher.location_id }),
      ),
    ],
    value: totalValue(back) - value,
  };
}

/** Decides to give back a voucher that was used without a sale, also to an inactive member. */
export function decideReverseVoucher(
  member: Undone<VoucherHolder>,
  held_voucher_id: number,
  { reason }: { readonly reason?: string | undefined },
  today: string,
  restoredDays: number,
) {
  const voucher = member.vouchers.find((one) => one.held_voucher_id === held_voucher_id);
  if (voucher === undefined || voucher.status === "returned") return reject("voucher_not_held");
  if (voucher.status !== "redeemed") return notUsable("not_redeemed", voucher);
  if (voucher.sale_id !== null) return notUsable("of_a_sale", voucher);
  const { coupon_value } = voucher;
  const { vouchers: balance } = member.balances;
  if (balance > balanceLimit - coupon_value) {
    return reject("balance_limit_exceeded", { account: "vouchers", balance });
  }
  const back = member.erased
    ? { vouchers: [{ ...voucher, status: "lapsed" as const }], returned: [], entries: [], value: 0 }
    : giveVouchersBack([voucher], today, restoredDays);
  return {
    entries: back.entries,
    reference_id: voucher.reference_id,
    location_id: voucher.location_id,
    reason,
    changes: { held_voucher: [...back.vouchers, ...back.returned] },
    data: {
      held_voucher_id,
      coupon_value,
      member_erased: member.erased,
      balance_after: balance + back.value,
    },
  };
}

/** The points for which a voucher can be bought. */
export function priceOf({ points_price }: VoucherDefinition) {
  return points_price ?? notUsable("not_for_points", undefined);
}

/** Takes back a voucher that was bought for points. @returns a rejection when it was used or has lapsed */
export function takeBack(voucher: HeldVoucher | undefined) {
  if (voucher === undefined) throw new Error("the voucher that a redemption bought was not read");
  if (voucher.status === "redeemed" || voucher.status === "lapsed") return notUsable(voucher.status, voucher);
  return { ...voucher, status: "returned" as const };
}
