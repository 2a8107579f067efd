/** The vouchers that promotions give for a sale, and what becomes of them when it is refunded. */
import type { Moment } from "../../decision.ts";
import type { HeldVoucher, Sale, SaleGrant } from "../../records.ts";
import { Rejection } from "../../rejection.ts";
import type { Rules } from "../rules.ts";
import { newVoucher, totalValue, voucherValidThrough } from "../vouchers/voucher.ts";

/**
 * Makes the vouchers that promotions give.
 * @param balance of the member's vouchers
 * @returns the grants with their vouchers; a rejection when the balance has no room for them
 */
export function giveVouchers(
  balance: number,
  { contact_id, grants: given }: Pick<Sale, "contact_id" | "grants">,
  { promotions }: Pick<Rules, "promotions">,
  { today, voucherNo }: Pick<Moment, "today" | "voucherNo">,
) {
  const vouchers: HeldVoucher[] = [];
  const grants: SaleGrant[] = [];
  for (const grant of given ?? []) {
    const promotion = grant.keeps_voucher
      ? promotions.find(({ promotion_id }) => promotion_id === grant.promotion_id)
      : undefined;
    if (!promotion?.voucher) {
      grants.push(grant);
      continue;
    }
    const moment = { today, voucherNo: voucherNo + vouchers.length };
    const voucher = newVoucher(balance + totalValue(vouchers), promotion.voucher, { contact_id }, moment);
    if (voucher instanceof Rejection) return voucher;
    vouchers.push(voucher);
    grants.push({ ...grant, held_voucher_id: voucher.held_voucher_id });
  }
  return { vouchers, grants: given && grants };
}

/** A voucher that a promotion gives, as a till shows it. */
export const showGranted = (voucher: HeldVoucher) => {
  const { held_voucher_id, voucher_id, coupon_code, coupon_value } = voucher;
  const valid_through = voucherValidThrough(voucher);
  return { held_voucher_id, voucher_id, coupon_code, coupon_value, valid_through };
};

/**
 * What becomes of the vouchers that promotions gave for what was given back. Those that the member has not used are taken back. One
 * that was used is excused.
 * @param held those of the member that were read
 * @returns the grants of the sale afterwards, and the vouchers
 */
export function loseVouchers(before: Sale, after: Sale, held: readonly HeldVoucher[]) {
  const [taken, excused]: [HeldVoucher[], HeldVoucher[]] = [[], []];
  const grants = (after.grants ?? []).map((grant, nth) => {
    if (grant.keeps_voucher || !before.grants?.[nth]?.keeps_voucher) return grant;
    const voucher = held.find((one) => one.held_voucher_id === grant.held_voucher_id);
    if (voucher?.status === "redeemed") excused.push({ ...voucher, excused: true });
    else if (voucher !== undefined) taken.push(voucher);
    return { ...grant, excuses_voucher: voucher?.status === "redeemed" };
  });
  return {
    grants: after.grants && grants,
    taken: taken.map((voucher) => ({ ...voucher, status: "returned" as const })),
    /** One that has lapsed is in no balance. */
    valued: taken.filter(({ status }) => status === "held"),
    excused,
  };
}
