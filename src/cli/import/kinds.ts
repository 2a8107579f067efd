/** What can be imported, and what the lines of each kind hold. */
import type { Operation } from "../../contract/operation.ts";
import { importMembers } from "../../operations/operator/imports/members.ts";
import { importSales } from "../../operations/operator/imports/sales.ts";
import type { FieldSchema } from "../field-options.ts";

export interface LineField extends FieldSchema {
  readonly maxLength?: number;
}

export interface ImportKind {
  readonly name: string;
  readonly operation: Operation;
  readonly fields: Readonly<Record<string, LineField>>;
  /** Of each of these, a file must have a column for at least one. */
  readonly needs: readonly (readonly string[])[];
  /** A line that has it is known by it, wherever in whichever file it stands. */
  readonly reference: string;
  /** No two lines may have the same. */
  readonly unique: readonly string[];
  readonly maximumLines: number;
}

export const importKinds: readonly ImportKind[] = [
  {
    name: "members",
    ...declared(importMembers),
    needs: [["phone_number"], ["first_name"], ["last_name"]],
    reference: "external_ref",
    unique: ["phone_number", "email", "external_ref"],
  },
  {
    name: "sales",
    ...declared(importSales),
    needs: [["contact_id", "phone_number", "external_ref"], ["sold_at"], ["amount"]],
    reference: "reference_id",
    unique: [],
  },
];

/** Money, which --major-units concerns. */
export const moneyFields: ReadonlySet<string> = new Set(["amount", "wallet_balance"]);
/** Days and times, which may be written without dashes. */
export const dateFields: ReadonlySet<string> = new Set(["sold_at", "joined_at", "date_of_birth"]);

function declared(operation: Operation): Pick<ImportKind, "operation" | "fields" | "maximumLines"> {
  const { lines } = operation.input.properties as unknown as Record<string, LinesSchema>;
  const { line: _, digest: __, ...fields } = (lines as LinesSchema).items.properties;
  return { operation, fields, maximumLines: (lines as LinesSchema).maxItems };
}

interface LinesSchema {
  readonly maxItems: number;
  readonly items: { readonly properties: Record<string, LineField> };
}
