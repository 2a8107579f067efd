/** What the lines of a receipt gave, and what of them was refunded. */
import type { DataOf } from "../api/declarations.ts";
import { texts } from "./en/texts.ts";
import { rateText } from "./rates.ts";

type Money = (amount: number) => string;
type CardName = (stamp_card_id: number) => string;
type Sale = Pick<DataOf<"/op/sales/get">, "lines" | "promotions" | "stamp_cards_given" | "why">;

/** By which rate, promotions and stamp cards a line gave something. @param cardName names a stamp card by its number */
export function lineText(sale: Sale, line_no: number, money: Money, cardName: CardName): string | null {
  const rate = sale.lines.find((line) => line.line_no === line_no)?.rate;
  const isOn = ({ line_nos }: { readonly line_nos: readonly number[] }) => line_nos.includes(line_no);
  const named = sale.why.flatMap((reason) => (reason.code === "promotion" ? [reason] : []));
  const promotions = sale.promotions.filter(isOn).map(({ promotion_id }) => promotion_id);
  const words = [
    rate && rateText(rate.earn_points, rate.earn_amount, money),
    ...named.filter((one) => promotions.includes(one.promotion_id)).map(({ name }) => name),
    ...sale.stamp_cards_given.filter(isOn).map(({ stamp_card_id }) => cardName(stamp_card_id)),
  ];
  return words.filter(Boolean).join(" \u00b7 ") || null;
}

/** What was refunded of a line. */
export function refundedText({ lines }: Sale, line_no: number, money: Money): string | null {
  const { amount = 0, refundable = 0, returned = 0 } = lines.find((line) => line.line_no === line_no) ?? {};
  if (amount === refundable && returned === 0) return null;
  return texts.sale.refunded(money(amount - refundable), returned);
}
