/** What other rules would have given, in rows of words. */
import { worthOf } from "../../../../src/domain/engine/worth.ts";
import type { DataOf } from "../api/declarations.ts";
import { decimalText } from "./decimals.ts";
import { texts } from "./en/texts.ts";

type Part = DataOf<"/op/rules/preview">;
type Side = Part["current"];

/** A tier that would be added has only a name, and members without a tier have neither. */
const keyOf = ({ tier_id, name }: Side["members_by_tier"][number]) => `${tier_id} ${name}`;

/** @param owed the points that members have, which are worth something else by another value of points */
export function comparisonRows(
  { current, proposed, new_promotions }: Pick<Part, "current" | "proposed" | "new_promotions">,
  owed: number,
  money: (amount: number) => string,
) {
  const t = texts.rules;
  const tiers = [...current.members_by_tier, ...proposed.members_by_tier];
  const names = new Map(
    tiers.map((tier) => [keyOf(tier), tier.name === null ? t.withoutTier : t.inTier(tier.name)]),
  );
  const row = (what: string, textOf: (side: Side) => string) => {
    return { what, current: textOf(current), proposed: textOf(proposed) };
  };
  return [
    row(t.points, ({ points }) => decimalText(points, 0)),
    ...new_promotions.map(({ name, points, sales, sales_without_lines }) => {
      const inSales = t.inSales(sales);
      const given = points > 0 || sales === 0 ? t.ofPromotion(points, inSales) : inSales;
      const more = sales_without_lines > 0 ? t.withoutLines(sales_without_lines) : "";
      return { what: t.newPromotion(name), current: "", proposed: given + more };
    }),
    row(t.worth, ({ points_amount }) => money(points_amount)),
    ...(worthOf(current, owed) === worthOf(proposed, owed)
      ? []
      : [row(t.owed(owed), (side) => money(worthOf(side, owed)))]),
    row(t.capped, ({ capped_sales }) => decimalText(capped_sales, 0)),
    ...[...names].map(([key, name]) =>
      row(name, ({ members_by_tier }) =>
        decimalText(members_by_tier.find((tier) => keyOf(tier) === key)?.members ?? 0, 0),
      ),
    ),
  ];
}
