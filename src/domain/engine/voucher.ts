/** Vouchers that members hold: issuing, using, giving back, and lapsing by date. Values are in minor units. */
import { anyLocation, checkLocation, type LocationAccess } from "../access.ts";
import { addDays, addPeriod, lastDay } from "../dates.ts";
import type { EntryDraft, Moment, Undone } from "../decision.ts";
import { balanceLimit, type EventType } from "../ledger.ts";
import type { HeldVoucher } from "../records.ts";
import { Rejection, reject } from "../rejection.ts";
import { nameKey } from "../text.ts";
import type { VoucherDefinition } from "./rules.ts";

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
function inLapsingOrder(one: HeldVoucher, other: HeldVoucher): number {
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

/** A voucher that was just issued, by nothing that it belongs to. */
const unused = {
  status: "held",
  redeemed_at: null,
  excused: false,
  sale_id: null,
  redemption_id: null,
  stamp_card_id: null,
  stamps_used: null,
} as const;

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
 * @returns a rejection when the balance has no room for it
 */
export function newVoucher(
  balance: number,
  definition: VoucherDefinition,
  input: { readonly contact_id: number; readonly reference_id?: string | undefined },
  { today, voucherNo: held_voucher_id }: Pick<Moment, "today" | "voucherNo">,
) {
  const { voucher_id, coupon_code, coupon_value, location_id, validity, validity_period } = definition;
  if (balance > balanceLimit - coupon_value) {
    return reject("balance_limit_exceeded", { account: "vouchers", balance });
  }
  const lapses_on =
    validity === null || validity_period === null
      ? null
      : addDays(addPeriod(today, validity, validity_period), 1);
  const voucher: HeldVoucher = {
    held_voucher_id,
    contact_id: input.contact_id,
    voucher_id,
    coupon_value,
    location_id,
    coupon_code,
    coupon_key: nameKey(coupon_code),
    reference_id: input.reference_id ?? `HV-${held_voucher_id}`,
    issued_on: today,
    valid_from: today,
    lapses_on,
    ...unused,
  };
  return voucher;
}

/**
 * Makes a voucher that a member holds in another system.
 * @param balance of the member's vouchers
 * @returns a rejection when the balance has no room for it
 */
export function importVoucher(
  balance: number,
  definition: VoucherDefinition,
  given: Pick<HeldVoucher, "contact_id" | "lapses_on"> & {
    readonly coupon_code?: string | undefined;
    readonly coupon_value?: number | undefined;
    readonly issued_on?: string | undefined;
    readonly reference_id?: string | undefined;
  },
  { today, voucherNo: held_voucher_id }: Pick<Moment, "today" | "voucherNo">,
) {
  const { voucher_id, location_id } = definition;
  const { contact_id, lapses_on, issued_on = today, reference_id = `HV-${held_voucher_id}` } = given;
  const { coupon_code = definition.coupon_code, coupon_value = definition.coupon_value } = given;
  if (balance > balanceLimit - coupon_value) {
    return reject("balance_limit_exceeded", { account: "vouchers", balance });
  }
  const voucher: HeldVoucher = {
    held_voucher_id,
    contact_id,
    voucher_id,
    coupon_value,
    location_id,
    reference_id,
    coupon_code,
    coupon_key: nameKey(coupon_code),
    issued_on,
    valid_from: issued_on,
    lapses_on,
    ...unused,
  };
  return {
    entries: valueEntry("voucher_issued", voucher, 1),
    reference_id,
    location_id,
    changes: { held_voucher: [voucher] },
    data: {},
  };
}

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

type NotUsable = "redeemed" | "lapsed" | "location" | "not_needed";

const notUsable = (
  reason: NotUsable | "not_redeemed" | "of_a_sale" | "not_for_points",
  voucher: Pick<HeldVoucher, "held_voucher_id"> | undefined,
  decides: { readonly location_id?: number; readonly valid_through?: string } = {},
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

/**
 * Checks that the whole of no voucher would be lost: without it, the others pay less. A voucher without a value is not about money.
 * @returns the vouchers, or a rejection that names the last one that can be left out
 */
export function neededVouchers(used: readonly HeldVoucher[], amount: number) {
  const unused = totalValue(used) - amount;
  const spare = used.findLast(({ coupon_value }) => coupon_value > 0 && coupon_value <= unused);
  return spare === undefined ? used : notUsable("not_needed", spare);
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
  const { coupon_value } = voucher;
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

/**
 * Gives used vouchers back. One whose date has passed meanwhile is valid for some more days. One that was excused is returned: the
 * member gave back what it had got the voucher for.
 * @param restoredDays how many; with 0, it lapses at once, with its own date
 */
export function giveVouchersBack(used: readonly HeldVoucher[], today: string, restoredDays: number) {
  const returned = used
    .filter(({ excused }) => excused)
    .map((voucher) => ({ ...voucher, status: "returned" as const, redeemed_at: null, sale_id: null }));
  const own = used.filter(({ excused }) => !excused);
  const back = own.map((voucher): HeldVoucher => {
    const hasPassed = voucher.lapses_on !== null && voucher.lapses_on <= today;
    const back = { ...voucher, status: "held" as const, redeemed_at: null, sale_id: null };
    if (!hasPassed || restoredDays === 0) return back;
    return { ...back, valid_from: today, lapses_on: addDays(today, restoredDays) };
  });
  const { vouchers, due, value } = lapse(back, today);
  return {
    vouchers,
    returned,
    entries: [
      ...back.flatMap((voucher) => valueEntry("voucher_reversed", voucher, 1)),
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
