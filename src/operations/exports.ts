/** What the exports have in common: they go on after a key, so that a page costs the same wherever it lies. */
import { Type } from "typebox";
import { balanceLimit } from "../domain/ledger.ts";

export const maximumExportRows = 5000;
export const defaultExportRows = 1000;

export const exportLimit = Type.Integer({
  minimum: 1,
  maximum: maximumExportRows,
  default: defaultExportRows,
  description: "How many at most.",
  examples: [defaultExportRows],
});

export const exportAfter = (description: string) =>
  Type.Integer({ minimum: 0, maximum: balanceLimit, default: 0, description, examples: [0] });

/** The row after which the next page begins, or undefined when this page is the last. */
export function nextOf<Row>(rows: readonly Row[], limit: number): Row | undefined {
  return rows.length < limit ? undefined : rows.at(-1);
}
