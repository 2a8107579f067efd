/** The payment of a sale by vouchers, points and the wallet. */
import type { EntryDraft, Member, Moment, Points } from "../decision.ts";
import { balanceLimit } from "../ledger.ts";
import type { HeldVoucher, Use } from "../records.ts";
import { Rejection, reject } from "../rejection.ts";
import { entryOf } from "./entries.ts";
import { revive, take } from "./lots.ts";
import type { Rules } from "./rules.ts";
import { type PublicDefinition, vouchersOfCodes } from "./vouchers/codes.ts";
import { coverage, coveredAmount, type PayableSale, unusedValue } from "./vouchers/cover.ts";
import { entriesOfUse, notUsable, usableVouchers } from "./vouchers/use.ts";
import { notAllowed, payWithPoints } from "./worth.ts";

export interface PaymentInput {
  readonly contact_id: number;
  readonly location_id: number;
  readonly amount: number;
  readonly use_points?: number | undefined;
  readonly use_wallet?: number | undefined;
  /** Vouchers of the member, by held_voucher_id. */
  readonly use_vouchers?: readonly number[] | undefined;
  /** Public codes of vouchers. */
  readonly use_codes?: readonly string[] | undefined;
}

/** The day of the sale, the definitions of the codes in `use_codes`, and when and where they are used. */
interface PaymentMoment extends Pick<Moment, "today" | "voucherNo" | "locations" | "codeUses"> {
  readonly sold_on: string;
  readonly codes: readonly PublicDefinition[];
}

/**
 * Vouchers pay first, as a whole, then points, then the wallet. The till takes the rest. Vouchers and points pay at most what is
 * payable. A sale of an earlier day can use what was valid on that day and has lapsed since.
 * @returns the payment, the vouchers that it uses, the value of those still held, the member's points afterwards, the entries of the
 *   vouchers and of points that had lapsed, and the number of the next voucher
 */
export function pay(
  { balances: { wallet, vouchers: heldBefore }, points: before, vouchers }: Member,
  input: PaymentInput,
  sale: PayableSale,
  rules: Rules,
  moment: PaymentMoment,
) {
  const { amount, location_id, use_points: points_used = 0, use_wallet: wallet_used = 0 } = input;
  const { sold_on, locations } = moment;
  const usable = usableVouchers(vouchers, input.use_vouchers ?? [], { location_id, sold_on, locations });
  if (usable instanceof Rejection) return usable;
  const made = vouchersOfCodes(heldBefore, input, moment);
  if (made instanceof Rejection) return made;
  const covered = usable.length + made.length === 0 ? [] : coverage(sale)([...usable, ...made]);
  if (covered instanceof Rejection) return ofCode(covered, made);
  const voucher_amount = coveredAmount(covered);
  let [points_amount, revival]: [number, EntryDraft[]] = [0, []];
  let [points, uses]: [Points, readonly Use[]] = [before, []];
  const { issued, redeemed } = entriesOfUse(covered);
  if (heldBefore > balanceLimit - totalAmount(issued)) {
    return reject("balance_limit_exceeded", { account: "vouchers", balance: heldBefore });
  }
  if (points_used > 0) {
    const worth = payWithPoints(rules, points_used, sale.payable - voucher_amount);
    if (worth instanceof Rejection) return worth;
    const good = revive(before, points_used, sold_on);
    if (points_used > good.balance) return insufficient("points", good.balance);
    points_amount = worth;
    revival = entryOf("reward_points_expired", good.balance - before.balance);
    ({ points, uses } = take(good, points_used, "used"));
  }
  const amount_due = amount - voucher_amount - points_amount - wallet_used;
  if (amount_due < 0)
    return notAllowed({
      reason: "exceeds_amount",
      maximum_amount: Math.min(wallet, wallet_used + amount_due),
    });
  if (wallet_used > wallet) return insufficient("wallet", wallet);
  const heldValue = heldBefore + totalAmount(issued) + totalAmount(redeemed);
  const entries = [...issued, ...revival, ...redeemed];
  const payment = { voucher_amount, points_used, points_amount, wallet_used, amount_due };
  const next = { today: moment.today, voucherNo: moment.voucherNo + made.length };
  return { points, entries, uses, covered, voucher_unused: unusedValue(covered), heldValue, next, payment };
}

const totalAmount = (entries: readonly EntryDraft[]) => entries.reduce((sum, { amount }) => sum + amount, 0);

/** A rejection of a voucher that a code would have made names the code. */
function ofCode(rejection: ReturnType<typeof notUsable>, made: readonly HeldVoucher[]) {
  const { reason, held_voucher_id, ...decides } = rejection.details;
  const index = made.findIndex((one) => one.held_voucher_id === held_voucher_id);
  return index < 0 ? rejection : notUsable(reason, undefined, { ...decides, field: `use_codes.${index}` });
}

export function insufficient(account: "points" | "wallet", balance: number) {
  return reject("insufficient_balance", { account, balance });
}
