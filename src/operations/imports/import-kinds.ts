/** What files can be imported: the operation that imports their lines, and the fields of a line. */
import type { TObject, TSchema } from "typebox";
import type { Rejection } from "../../contract/errors.ts";
import type { WriteOperation } from "../../contract/operation.ts";
import type { Share } from "../../database/connection.ts";
import type { ImportName } from "../../domain/imports/jobs.ts";
import { importMembers } from "../operator/imports/members.ts";
import { importSales } from "../operator/imports/sales.ts";
import { importVouchers } from "../operator/imports/vouchers.ts";
import type { ChunkContext, ChunkOutcome } from "./chunks.ts";
import { type FileField, fileFields } from "./file-fields.ts";
import { prepareMemberLines, recordMemberLines } from "./imported-members.ts";
import { memberNames } from "./imported-sales.ts";
import { heldVoucherFields } from "./imported-vouchers.ts";
import { memberFields, saleFields } from "./imports.ts";
import { recordSaleLines } from "./recorded-sales.ts";
import { recordVoucherLines } from "./recorded-vouchers.ts";

export interface ImportKind {
  readonly name: ImportName;
  /** The operation for programs. */
  readonly operation: WriteOperation;
  /** Imports a chunk, or checks it. The input is that of the operation. */
  record(context: ChunkContext<object> & { readonly prepared?: unknown }): Promise<ChunkOutcome | Rejection>;
  /** Work on a chunk that can be done while the chunk before is recorded. */
  prepare?(sql: Share, context: Pick<ChunkContext<object>, "caller" | "input">): Promise<unknown>;
  /** The fields of a line, in full. */
  readonly lineSchema: TObject;
  /** The options that not all kinds have. */
  readonly options: readonly string[];
  /** A file must have a column for at least one field of each group. A line without any of memberNames is left out. */
  readonly needs: readonly (readonly string[])[];
  /** The field that identifies a line when the line has it. */
  readonly reference: string;
  /** Whether equal lines without a reference are several records. */
  readonly countsEqual: boolean;
}

/** The fields that a file can have: those of a line, and those of which they are made. */
export function fieldsOfFile({ name, lineSchema }: ImportKind): Readonly<Record<string, TSchema>> {
  const made = Object.entries(madeFields(name)).map(([field, { schema }]) => [field, schema]);
  return { ...lineSchema.properties, ...Object.fromEntries(made) };
}

export const madeFields = (name: ImportName): Readonly<Record<string, FileField>> => fileFields[name];

export const importKinds: Readonly<Record<ImportName, ImportKind>> = {
  members: {
    name: "members",
    operation: importMembers,
    record: (context) => recordMemberLines(context as never),
    prepare: (sql, context) => prepareMemberLines(sql, context as never),
    lineSchema: memberFields,
    options: ["points_valid_through", "from"],
    needs: [["phone_number"], ["first_name"], ["last_name"]],
    reference: "external_ref",
    countsEqual: false,
  },
  sales: {
    name: "sales",
    operation: importSales,
    record: (context) => recordSaleLines(context as never),
    lineSchema: saleFields,
    options: [
      ...["earn", "earn_imported", "location_id", "reference_per", "batch"],
      ...["from", "join_lines", "locations"],
    ],
    needs: [memberNames, ["sold_at"], ["amount"]],
    reference: "reference_id",
    countsEqual: true,
  },
  vouchers: {
    name: "vouchers",
    operation: importVouchers,
    record: (context) => recordVoucherLines(context as never),
    lineSchema: heldVoucherFields,
    options: [],
    needs: [memberNames, ["voucher_id", "coupon_code"]],
    reference: "reference_id",
    countsEqual: true,
  },
};

/** Whether files of a kind have an option. */
export function hasOption({ options }: Pick<ImportKind, "options">, field: string): boolean {
  const isOfSome = Object.values(importKinds).some((kind) => kind.options.includes(field));
  return options.includes(field) || !isOfSome;
}
