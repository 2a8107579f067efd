/** What can be imported: the operations, and the fields of a line. */
import type { TObject } from "typebox";
import type { Operation } from "../../contract/operation.ts";
import { heldVoucherFields } from "../../operations/imported-vouchers.ts";
import { memberFields, saleFields } from "../../operations/imports.ts";
import { importMembers } from "../../operations/operator/imports/members.ts";
import { importSales } from "../../operations/operator/imports/sales.ts";
import { importVouchers } from "../../operations/operator/imports/vouchers.ts";
import type { ImportSubject } from "./columns.ts";
import { type ImportName, importFacts } from "./facts.ts";

export interface ImportKind extends ImportSubject {
  readonly operation: Operation;
  /** The fields of a line, in full. */
  readonly lineSchema: TObject;
  /** Fields of the request that are options of the command. */
  readonly options: readonly (
    | "earn"
    | "earn_imported"
    | "location_id"
    | "batch"
    | "reference_per"
    | "points_valid_through"
  )[];
}

const kindOf = (
  name: ImportName,
  operation: Operation,
  lineSchema: TObject,
  options: ImportKind["options"],
): ImportKind => ({
  ...importFacts[name],
  name,
  operation,
  lineSchema,
  fields: lineSchema.properties,
  options,
});

export const importKinds: readonly ImportKind[] = [
  kindOf("members", importMembers, memberFields, ["points_valid_through"]),
  kindOf("sales", importSales, saleFields, [
    "earn",
    "earn_imported",
    "location_id",
    "reference_per",
    "batch",
  ]),
  kindOf("vouchers", importVouchers, heldVoucherFields, []),
];
