/** What came back of an order, and the refund that its sale still lacks. */
import type { SalesGetData, SalesRefundRequest } from "../generated/types.ts";

/** All that has come back of an order so far. It grows; events about it can be lost, repeated or in any order. */
export interface ShopReturns {
  /** The order is cancelled: all that is left comes back. */
  readonly cancelled?: boolean | undefined;
  /** The goods that have come back, by line. */
  readonly lines?: readonly ReturnedLine[] | undefined;
  /** The money that the shop has paid back, in minor units, for goods or without any, such as for a late delivery. */
  readonly money?: number | undefined;
}

/** A line of an order of which something has come back. */
export interface ReturnedLine {
  /** The number of the line in the sale; undefined if the sale has no line of its own for it. */
  readonly lineNo?: number | undefined;
  /** The quantity that has come back in all. */
  readonly returned: number;
  /** The quantity and the amount of the line of the order, for one that is no line of the sale. */
  readonly quantity: number;
  readonly amount: number;
}

/** The parts of a sale that decide its refund. */
export type RefundableSale = Pick<SalesGetData, "amount" | "amount_due" | "refundable"> & {
  readonly lines: readonly Pick<
    SalesGetData["lines"][number],
    "line_no" | "quantity" | "amount" | "returned" | "refundable"
  >[];
};

/** What to refund: all that is left, lines, or an amount. */
export type RefundPart = Pick<SalesRefundRequest, "lines" | "amount">;

const share = (amount: number, part: number, whole: number): number =>
  Number((BigInt(amount) * BigInt(part)) / BigInt(whole));

const roundedUp = (amount: number, part: number, whole: number): number =>
  Number((BigInt(amount) * BigInt(part) + BigInt(whole) - 1n) / BigInt(whole));

/**
 * Finds the refund that a sale lacks: the difference of what has come back and what the sale shows as refunded. Money that was paid back
 * for goods counts once, with the goods; what was paid back beyond them is a refund of an amount. Ask again with the sale as it is
 * after the refund, until nothing is left.
 * @returns undefined if the sale lacks none
 */
export function refundOf(sale: RefundableSale, returns: ShopReturns): RefundPart | undefined {
  if (sale.refundable === 0) return undefined;
  if (returns.cancelled) return {};
  const lines = (returns.lines ?? []).filter(({ returned }) => returned > 0);
  const worth = lines.reduce((sum, line) => sum + worthOf(line, sale), 0);
  const { money = 0 } = returns;
  // Shops round the money for goods in their own way, by less than a minor unit.
  const isForGoods = money <= roundedUp(worth, sale.amount_due, sale.amount);
  const target = Math.min(sale.amount, isForGoods ? worth : Math.max(worth, paidBack(sale, money)));
  const missing = target - (sale.amount - sale.refundable);
  if (missing <= 0) return undefined;
  const units = lines.flatMap((line) => missingUnits(line, sale));
  const amount = units.reduce((sum, unit) => sum + unit.amount, 0);
  if (amount > 0 && amount <= missing) {
    return { lines: units.map(({ line_no, quantity }) => ({ line_no, quantity })) };
  }
  return { amount: missing };
}

/** The line of the sale that is the whole line of the order. */
const lineOf = ({ lineNo }: ReturnedLine, sale: RefundableSale) =>
  sale.lines.find(({ line_no }) => line_no === lineNo);

function worthOf(line: ReturnedLine, sale: RefundableSale): number {
  const { quantity, amount } = lineOf(line, sale) ?? line;
  return share(amount, Math.min(line.returned, quantity), quantity);
}

/** The part of the sale for which the shop has paid back some money: points and the wallet paid in the same proportion. */
function paidBack({ amount, amount_due }: RefundableSale, money: number): number {
  return amount_due === 0 || money <= 0 ? 0 : roundedUp(amount, Math.min(money, amount_due), amount_due);
}

/** The units of a line that have come back and that the sale does not show as returned, with what they are worth. */
function missingUnits(line: ReturnedLine, sale: RefundableSale) {
  const own = lineOf(line, sale);
  if (own === undefined) return [];
  const { line_no, quantity, amount, returned: before, refundable } = own;
  const after = Math.min(line.returned, quantity);
  if (after <= before) return [];
  const worth = share(amount, after, quantity) - share(amount, before, quantity);
  // A refund of an amount has taken a part of the line, so its units are no longer worth as much.
  return worth === 0 || worth > refundable ? [] : [{ line_no, quantity: after - before, amount: worth }];
}
