/**
 * The table of kinds: how each kind of record is stored. Records are saved and loaded by number by this table, and the table of all
 * tables (tables.ts) has its facts. The compiler checks that it has every kind, and every field of each kind.
 */
import type { Kind, Records } from "../../domain/records.ts";
import { type Fragment, raw } from "../sql.ts";
import { restoredForm, storedForm } from "./sale-form.ts";

/**
 * What a merge does with rows of the member that is merged.
 * moves: they become the other member's. Their keys are still unique.
 * with_its_record: they are parts of records that move, and have no member of their own.
 * by_entries: the ledger entries of the merge change them.
 * by_sums: they are added to those of the other member (merging.ts).
 * by_rule: a rule makes one record of those of both members (domain/engine/merge.ts).
 * stays: they tell what happened to the merged member, which keeps its number.
 */
export type Merging = "moves" | "with_its_record" | "by_entries" | "by_sums" | "by_rule" | "stays";

/** A part of the verification of the ledger. */
export type VerifiedPart = "accounts" | "points" | "entries" | "entry_counts" | "member_counts" | "reports";

/** The storage of a kind. Every table has business_id, first in its primary key. */
interface Stored<Name extends Kind> {
  readonly table: string;
  /** The type of each field's column. */
  readonly columns: { readonly [Field in keyof Records[Name]]: string };
  /** The functions between a record and its columns, if some of them have another form. */
  readonly form?: {
    readonly stored: (record: Records[Name]) => object;
    readonly restored: (row: never) => Records[Name];
  };
  /** Columns that are not fields of the record: the number of its member, and the time of its entries. */
  readonly more?: readonly ("contact_id" | "created_at")[];
  /** The kind of record that this one is a part of. Both have the same first field of the key, and the same member. */
  readonly partOf?: Kind;
  /** The rest of the primary key. */
  readonly key: readonly (keyof Records[Name] | "contact_id")[];
  /** The fields that change. Records of a kind without such fields are only added. */
  readonly changing: readonly (keyof Records[Name])[];
  /** Whether a change has an amount that is added to each of these fields, and not the new value. */
  readonly isSum?: true;
  /**
   * The condition for a record to be read with its member, for a kind of which not all are read. A new record replaces one that
   * was not read. @param row its table in the statement
   */
  readonly isRead?: (row: string) => string;
  /** What happens to the records of a member that is merged into another one. */
  readonly merging: Merging;
  /**
   * The columns with personal data, and the expressions for their values after an erasure. References and reasons are the
   * caller's texts, which an erasure leaves.
   */
  readonly erased: { readonly [Field in keyof Records[Name]]?: string };
  /** The part of the verification that checks them; null: nothing else implies them. */
  readonly verified: VerifiedPart | null;
}

/** Columns of one type. */
const as = <Name extends string>(type: string, ...names: Name[]) =>
  Object.fromEntries(names.map((name) => [name, type])) as Record<Name, string>;

export const kinds: { readonly [Name in Kind]: Stored<Name> } = {
  lot: {
    table: "points_lot",
    columns: {
      ...as("bigint", "lot_id", "location_id", "occasion_id", "points", "clawed", "used", "expired"),
      lapsed: "bigint",
      reference_id: "text",
      ...as("date", "earned_on", "matures_on", "expires_on"),
      matured: "boolean",
    },
    more: ["contact_id"],
    key: ["contact_id", "lot_id"],
    changing: ["matures_on", "expires_on", "matured", "clawed", "used", "expired", "lapsed"],
    merging: "moves",
    erased: {},
    verified: "points",
  },
  debt: {
    table: "points_debt",
    columns: { sale_id: "bigint", reference_id: "text", location_id: "bigint", owed: "bigint" },
    more: ["contact_id"],
    key: ["contact_id", "sale_id"],
    changing: ["owed"],
    // A paid debt says nothing.
    isRead: (row) => `${row}.owed > 0`,
    merging: "moves",
    erased: {},
    verified: "reports",
  },
  sale: {
    table: "sale",
    columns: {
      ...as("bigint", "sale_id", "contact_id", "location_id", "amount", "eligible_amount", "voucher_amount"),
      ...as("bigint", "points_used", "points_amount", "wallet_used", "amount_due", "earning_base"),
      ...as("bigint", "points_earned", "earn_amount", "earn_minimum_amount", "maximum_points_per_order"),
      ...as("bigint", "refunded", "points_excused"),
      ...as("text", "reference_id", "sold_at"),
      sold_on: "date",
      ...as("json", "receipt_lines", "grants"),
      held_voucher_ids: "bigint[]",
      ...as("jsonb", "points_limit", "stamps", "uses"),
      ...as("integer", "rules_version", "earn_points"),
    },
    form: { stored: storedForm, restored: restoredForm },
    more: ["created_at"],
    key: ["sale_id"],
    changing: ["receipt_lines", "grants", "stamps", "refunded", "points_excused", "uses"],
    merging: "moves",
    // Refunds by line still need the numbers.
    erased: {
      receipt_lines: `(SELECT json_agg(line::jsonb - '{sku,category}'::text[] ORDER BY nth)
        FROM json_array_elements(receipt_lines) WITH ORDINALITY AS each (line, nth))`,
    },
    verified: "points",
  },
  refund: {
    table: "sale_refund",
    columns: {
      ...as("bigint", "sale_id", "refunded", "amount", "money_back", "wallet_back", "points_back"),
      ...as("bigint", "points_clawed", "points_excused", "points_owed", "points_forgiven", "location_id"),
      lines_back: "jsonb",
      ...as("bigint[]", "vouchers_back", "vouchers_taken", "vouchers_excused"),
      ...as("text", "reference_id", "reason"),
    },
    more: ["created_at"],
    partOf: "sale",
    key: ["sale_id", "refunded"],
    changing: [],
    merging: "with_its_record",
    erased: {},
    verified: "points",
  },
  redemption: {
    table: "points_redemption",
    columns: {
      ...as("bigint", "redemption_id", "contact_id", "location_id", "points", "held_voucher_id"),
      reference_id: "text",
      reversed: "boolean",
      uses: "jsonb",
    },
    more: ["created_at"],
    key: ["redemption_id"],
    changing: ["reversed", "uses"],
    merging: "moves",
    erased: {},
    verified: "points",
  },
  movement: {
    table: "wallet_movement",
    columns: {
      ...as("bigint", "movement_id", "contact_id", "location_id", "benefit_id", "amount", "promo_amount"),
      ...as("text", "reference_id", "kind"),
      reversed: "boolean",
    },
    more: ["created_at"],
    key: ["movement_id"],
    changing: ["reversed"],
    merging: "moves",
    erased: {},
    verified: "reports",
  },
  held_voucher: {
    table: "held_voucher",
    columns: {
      ...as("bigint", "held_voucher_id", "contact_id", "voucher_id", "coupon_value", "location_id"),
      ...as("bigint", "sale_id", "covered", "redemption_id", "stamp_card_id", "code_id"),
      ...as("text", "coupon_code", "coupon_key", "reference_id", "status"),
      terms: "jsonb",
      ...as("date", "issued_on", "valid_from", "lapses_on"),
      redeemed_at: "timestamptz",
      excused: "boolean",
      stamps_used: "integer",
    },
    more: ["created_at"],
    key: ["held_voucher_id"],
    changing: [
      "valid_from",
      "lapses_on",
      "status",
      "redeemed_at",
      "excused",
      "sale_id",
      "covered",
      "stamps_used",
    ],
    merging: "moves",
    erased: {},
    verified: "points",
  },
  sales_day: {
    table: "sales_day",
    columns: { day: "date", location_id: "bigint", net: "bigint", sales: "integer" },
    more: ["contact_id"],
    key: ["contact_id", "day", "location_id"],
    changing: ["net", "sales"],
    isSum: true,
    merging: "by_entries",
    erased: {},
    verified: "points",
  },
  grant_count: {
    table: "grant_count",
    columns: { promotion_id: "bigint", day: "date", given: "bigint" },
    more: ["contact_id"],
    key: ["contact_id", "promotion_id", "day"],
    changing: ["given"],
    isSum: true,
    merging: "by_sums",
    erased: {},
    verified: "points",
  },
  occasion_grant: {
    table: "occasion_grant",
    columns: {
      ...as("bigint", "occasion_id", "tier_id", "lot_id", "points", "held_voucher_id"),
      occurrence: "text",
      granted_on: "date",
    },
    more: ["contact_id"],
    key: ["contact_id", "occasion_id", "occurrence"],
    changing: [],
    // Both members can have one for the same occurrence (merging.ts).
    merging: "by_sums",
    erased: {},
    verified: "points",
  },
  member_stamp_card: {
    table: "member_stamp_card",
    columns: {
      stamp_card_id: "bigint",
      ...as("integer", "stamps", "completed", "by_hand", "lapsed"),
      ...as("date", "begun_on", "lapses_on"),
      visits: "jsonb",
    },
    more: ["contact_id"],
    key: ["contact_id", "stamp_card_id"],
    changing: ["stamps", "begun_on", "lapses_on", "completed", "by_hand", "lapsed", "visits"],
    merging: "by_rule",
    erased: {},
    verified: "points",
  },
  tier_standing: {
    table: "tier_standing",
    columns: {
      ...as("bigint", "tier_id", "cause_sale_id"),
      ...as("date", "since", "until", "ends_on"),
      by_hand: "boolean",
      ...as("jsonb", "rests_on", "promised", "before_refunds"),
    },
    more: ["contact_id"],
    key: ["contact_id"],
    changing: [
      ...(["tier_id", "since", "until", "ends_on", "by_hand", "cause_sale_id"] as const),
      ...(["rests_on", "promised", "before_refunds"] as const),
    ],
    merging: "by_rule",
    erased: {},
    verified: "points",
  },
};

export const kindNames = Object.keys(kinds) as Kind[];

/** The name of a record among those of its kind and its business. */
export function nameOfRecord<Name extends Kind>(kind: Name, record: Records[Name]): string {
  return kinds[kind].key
    .map((field) => (field === "contact_id" ? "" : record[field as keyof Records[Name]]))
    .join(" ");
}

/** Records of a kind, from rows with its columns. */
export function restoredRecords<Row>(kind: Kind, rows: readonly Row[]): Row[] {
  const { form } = kinds[kind];
  return form === undefined ? [...rows] : rows.map(form.restored as (row: unknown) => Row);
}

/** The columns of a kind. @param table its short name in the statement */
export function recordColumns(kind: Kind, table: string): Fragment {
  const names = Object.keys(kinds[kind].columns);
  return raw(names.map((name) => `${table}.${name}`).join(", "));
}

/** Whether a record is read with its member. @param row its table in the statement */
export function isRead(kind: Kind, row: string): Fragment {
  return raw(kinds[kind].isRead?.(row) ?? "true");
}

/** How records of a kind are stored, without the types of its fields. `number` is the field that numbers them, if one does. */
export function storageOf(kind: Kind) {
  const { table, columns, key, partOf } = kinds[kind];
  const names = key.filter((field) => field !== "contact_id") as string[];
  const number = names.find((field) => columns[field as keyof typeof columns] === "bigint");
  return {
    table,
    columns: Object.keys(columns),
    key: key as readonly string[],
    number,
    partOf,
  };
}
