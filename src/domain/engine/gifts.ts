/** What a sale gives besides points: the vouchers of promotions, and stamps with the vouchers of full cards. */
import type { Customer, Moment } from "../decision.ts";
import type { Sale } from "../records.ts";
import { Rejection } from "../rejection.ts";
import { giveVouchers } from "./promotions/vouchers.ts";
import type { Rules } from "./rules.ts";
import { stampSale } from "./stamps/sale.ts";
import { totalValue } from "./vouchers/voucher.ts";

/**
 * Gives vouchers and stamps for a new sale.
 * @param sold with what promotions give
 * @returns a rejection when the balance has no room for the vouchers
 */
export function giveBesidesPoints(
  { balances, cards }: Pick<Customer, "balances" | "cards">,
  sold: Parameters<typeof stampSale>[1] & Pick<Sale, "grants">,
  rules: Rules,
  { today, voucherNo }: Pick<Moment, "today" | "voucherNo">,
) {
  const granted = giveVouchers(balances.vouchers, sold, rules, { today, voucherNo });
  if (granted instanceof Rejection) return granted;
  const { grants, vouchers } = granted;
  const balance = balances.vouchers + totalValue(vouchers);
  const next = { today, voucherNo: voucherNo + vouchers.length };
  const stamped = stampSale(cards, { ...sold, grants }, rules, balance, next);
  if (stamped instanceof Rejection) return stamped;
  const { stamps, cards: changed, shown } = stamped;
  return { grants, stamps, cards: changed, vouchers: [...vouchers, ...stamped.vouchers], shown };
}
