/** What files can be imported: the operation that imports their lines, and the fields of a line. */
import type { TObject, TSchema } from "typebox";
import type { WriteOperation } from "../../contract/operation.ts";
import type { ImportName } from "../../domain/imports/jobs.ts";
import { importMembers } from "../operator/imports/members.ts";
import { importSales } from "../operator/imports/sales.ts";
import { importVouchers } from "../operator/imports/vouchers.ts";
import { type FileField, fileFields } from "./file-fields.ts";
import { memberNames } from "./imported-sales.ts";
import { heldVoucherFields } from "./imported-vouchers.ts";
import { memberFields, saleFields } from "./imports.ts";

export interface ImportKind {
  readonly name: ImportName;
  readonly operation: WriteOperation;
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
  /** Other fields whose values no two lines may share. */
  readonly unique: readonly string[];
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
    lineSchema: memberFields,
    options: ["points_valid_through", "from"],
    needs: [["phone_number"], ["first_name"], ["last_name"]],
    reference: "external_ref",
    countsEqual: false,
    unique: ["phone_number", "email", "card_code"],
  },
  sales: {
    name: "sales",
    operation: importSales,
    lineSchema: saleFields,
    options: [
      ...["earn", "earn_imported", "location_id", "reference_per", "batch"],
      ...["from", "join_lines", "locations"],
    ],
    needs: [memberNames, ["sold_at"], ["amount"]],
    reference: "reference_id",
    countsEqual: true,
    unique: [],
  },
  vouchers: {
    name: "vouchers",
    operation: importVouchers,
    lineSchema: heldVoucherFields,
    options: [],
    needs: [memberNames, ["voucher_id", "coupon_code"]],
    reference: "reference_id",
    countsEqual: true,
    unique: [],
  },
};

/** Whether files of a kind have an option. */
export function hasOption({ options }: Pick<ImportKind, "options">, field: string): boolean {
  const isOfSome = Object.values(importKinds).some((kind) => kind.options.includes(field));
  return options.includes(field) || !isOfSome;
}
