/** What a stamp card does, in words: "9 stamps give Free coffee \u00b7 one for each piece \u00b7 coffee". */
import type { DataOf } from "../api/declarations.ts";
import { texts } from "./en.ts";

type Card = DataOf<"/op/stamp-cards/list">;
type Names = readonly { readonly value: string; readonly label: string }[] | undefined;

/** @param names of locations and vouchers, by their numbers */
export function stampCardText(
  card: Card,
  money: (amount: number) => string,
  names: Readonly<Record<"location_ids" | "voucher_id", Names>>,
): string {
  const t = texts.stampCards;
  const nameOf = (of: Names, id: number) => of?.find(({ value }) => value === String(id))?.label ?? `${id}`;
  const { stamps_needed, voucher_id, counts, most_per_day, categories, skus, minimum_amount } = card;
  const words = [
    t.gives(stamps_needed, nameOf(names.voucher_id, voucher_id)),
    t.counts[counts],
    most_per_day !== null && t.mostPerDay(most_per_day),
    [...categories, ...skus].join(", "),
    minimum_amount > 0 && t.from(money(minimum_amount)),
    card.location_ids.map((id) => nameOf(names.location_ids, id)).join(", "),
    card.validity !== null && t.valid(texts.period(card.validity, String(card.validity_period))),
  ];
  return words.filter(Boolean).join(" \u00b7 ");
}
