/** What can be imported, and the fields of a line of each kind. */
import type { TObject } from "typebox";
import type { Operation } from "../../contract/operation.ts";
import { memberFields, saleFields } from "../../operations/imports.ts";
import { importMembers } from "../../operations/operator/imports/members.ts";
import { importSales } from "../../operations/operator/imports/sales.ts";
import type { FieldSchema } from "../operations/field-options.ts";

export interface ImportKind {
  readonly name: string;
  readonly operation: Operation;
  readonly fields: Readonly<Record<string, FieldSchema>>;
  /** A file must have a column for at least one field of each group. */
  readonly needs: readonly (readonly string[])[];
  /** The field that identifies a line, in every file, when the line has it. */
  readonly reference: string;
  /** Fields of the request that are options of the command. */
  readonly options: readonly ("earn" | "location_id")[];
  /** Fields whose values no two lines may share. */
  readonly unique: readonly string[];
  /** What is summed up. */
  readonly sums: "sales" | "opening_balances";
}

export const importKinds: readonly ImportKind[] = [
  {
    name: "members",
    operation: importMembers,
    fields: fieldsOf(memberFields),
    needs: [["phone_number"], ["first_name"], ["last_name"]],
    reference: "external_ref",
    options: [],
    unique: ["phone_number", "email", "external_ref"],
    sums: "opening_balances",
  },
  {
    name: "sales",
    operation: importSales,
    fields: fieldsOf(saleFields),
    needs: [["contact_id", "phone_number", "external_ref"], ["sold_at"], ["amount"]],
    reference: "reference_id",
    options: ["earn", "location_id"],
    unique: [],
    sums: "sales",
  },
];

/** Amounts of money: --major-units applies to them. */
export const moneyFields: ReadonlySet<string> = new Set(["amount", "wallet_balance"]);
/** Days and times: they may be written without dashes. */
export const dateFields: ReadonlySet<string> = new Set(["sold_at", "joined_at", "date_of_birth"]);

function fieldsOf({ properties }: TObject): Readonly<Record<string, FieldSchema>> {
  return properties as Record<string, FieldSchema>;
}
