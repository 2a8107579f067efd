/** What a stamp card or a voucher does, in words: "9 stamps give Free coffee \u00b7 one for each piece \u00b7 coffee". */
import type { DataOf } from "../api/declarations.ts";
import { periodText } from "./dates.ts";
import { voucherTexts } from "./en/rewards.ts";
import { stampCardTexts } from "./en/stamp-cards.ts";

type Card = Partial<DataOf<"/op/stamp-cards/get">>;
type NameOf = (id: number) => string;

/** @param card all of it, or what is written in a form so far @param names by the numbers of records */
export function stampCardText(
  card: Card,
  money: (amount: number) => string,
  names: Readonly<Record<"location_ids" | "voucher_id", NameOf>>,
): string {
  const t = stampCardTexts;
  const { stamps_needed, voucher_id, counts = "visit", most_per_day, categories = [], skus = [] } = card;
  const { minimum_amount, location_ids = [], validity, validity_period } = card;
  // A name that is being read is empty.
  const reward = voucher_id && names.voucher_id(voucher_id);
  const words = [
    stamps_needed && reward && t.gives(stamps_needed, reward),
    t.counts[counts],
    most_per_day && t.mostPerDay(most_per_day),
    [...categories, ...skus].join(", "),
    card.counts_free_lines && t.alsoFree,
    minimum_amount && t.from(money(minimum_amount)),
    location_ids.map(names.location_ids).filter(Boolean).join(", "),
    validity && t.valid(periodText(validity, String(validity_period))),
  ];
  return words.filter(Boolean).join(" \u00b7 ");
}

type Voucher = Pick<DataOf<"/op/vouchers/list">, "kind" | "percent" | "categories" | "skus">;

/** What a share or an article pays; undefined for an amount. */
export function voucherText({ kind, percent, categories, skus }: Voucher): string | undefined {
  if (kind === "value") return undefined;
  return voucherTexts.kinds[kind](percent ?? 0, [...categories, ...skus].join(", "));
}
