/**
 * The table of kinds: how each kind of record is stored. Records are saved, loaded by number, exported with their member and
 * deleted with a sandbox by this table. The compiler checks that it has every kind, and every field of each kind.
 */
import { dueOf } from "../../domain/engine/lots.ts";
import type { HeldVoucher, Kind, Lot, Records, TierStanding } from "../../domain/records.ts";
import type { Connection } from "../connection.ts";
import { type Fragment, insertOf, raw } from "../sql.ts";

/** The storage of a kind. Every table has business_id, first in its primary key. */
interface Stored<Name extends Kind> {
  readonly table: string;
  /** The type of each field's column. */
  readonly columns: { readonly [Field in keyof Records[Name]]: string };
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
}

const kinds: { readonly [Name in Kind]: Stored<Name> } = {
  lot: {
    table: "points_lot",
    columns: {
      lot_id: "bigint",
      reference_id: "text",
      earned_on: "date",
      matures_on: "date",
      expires_on: "date",
      matured: "boolean",
      points: "bigint",
      clawed: "bigint",
      used: "bigint",
      expired: "bigint",
    },
    more: ["contact_id"],
    key: ["contact_id", "lot_id"],
    changing: ["expires_on", "matured", "clawed", "used", "expired"],
  },
  debt: {
    table: "points_debt",
    columns: { sale_id: "bigint", reference_id: "text", owed: "bigint" },
    more: ["contact_id"],
    key: ["contact_id", "sale_id"],
    changing: ["owed"],
  },
  sale: {
    table: "sale",
    columns: {
      sale_id: "bigint",
      contact_id: "bigint",
      location_id: "bigint",
      reference_id: "text",
      sold_on: "date",
      amount: "bigint",
      eligible_amount: "bigint",
      held_voucher_ids: "bigint[]",
      voucher_amount: "bigint",
      points_used: "bigint",
      points_amount: "bigint",
      wallet_used: "bigint",
      amount_due: "bigint",
      earning_base: "bigint",
      points_earned: "bigint",
      rules_version: "integer",
      earn_points: "integer",
      earn_amount: "bigint",
      earn_minimum_amount: "bigint",
      maximum_points_per_order: "bigint",
      refunded: "bigint",
      points_excused: "bigint",
      uses: "jsonb",
    },
    more: ["created_at"],
    key: ["sale_id"],
    changing: ["refunded", "points_excused", "uses"],
  },
  refund: {
    table: "sale_refund",
    columns: {
      sale_id: "bigint",
      refunded: "bigint",
      amount: "bigint",
      money_back: "bigint",
      wallet_back: "bigint",
      points_back: "bigint",
      points_clawed: "bigint",
      points_excused: "bigint",
      points_owed: "bigint",
      points_forgiven: "bigint",
      vouchers_back: "bigint[]",
      location_id: "bigint",
      reference_id: "text",
      reason: "text",
    },
    more: ["created_at"],
    partOf: "sale",
    key: ["sale_id", "refunded"],
    changing: [],
  },
  redemption: {
    table: "points_redemption",
    columns: {
      redemption_id: "bigint",
      contact_id: "bigint",
      location_id: "bigint",
      reference_id: "text",
      points: "bigint",
      reversed: "boolean",
      held_voucher_id: "bigint",
      uses: "jsonb",
    },
    more: ["created_at"],
    key: ["redemption_id"],
    changing: ["reversed", "uses"],
  },
  movement: {
    table: "wallet_movement",
    columns: {
      movement_id: "bigint",
      contact_id: "bigint",
      location_id: "bigint",
      reference_id: "text",
      kind: "text",
      benefit_id: "bigint",
      amount: "bigint",
      promo_amount: "bigint",
      reversed: "boolean",
    },
    more: ["created_at"],
    key: ["movement_id"],
    changing: ["reversed"],
  },
  held_voucher: {
    table: "held_voucher",
    columns: {
      held_voucher_id: "bigint",
      contact_id: "bigint",
      voucher_id: "bigint",
      coupon_code: "text",
      coupon_value: "bigint",
      location_id: "bigint",
      reference_id: "text",
      issued_on: "date",
      lapses_on: "date",
      status: "text",
      redeemed_at: "timestamptz",
      sale_id: "bigint",
      redemption_id: "bigint",
    },
    more: ["created_at"],
    key: ["held_voucher_id"],
    changing: ["lapses_on", "status", "redeemed_at", "sale_id"],
  },
  sales_day: {
    table: "sales_day",
    columns: { day: "date", net: "bigint" },
    more: ["contact_id"],
    key: ["contact_id", "day"],
    changing: ["net"],
    isSum: true,
  },
  tier_standing: {
    table: "tier_standing",
    columns: {
      tier_id: "bigint",
      since: "date",
      until: "date",
      ends_on: "date",
      by_hand: "boolean",
      cause_sale_id: "bigint",
      previous: "jsonb",
    },
    more: ["contact_id"],
    key: ["contact_id"],
    changing: ["tier_id", "since", "until", "ends_on", "by_hand", "cause_sale_id", "previous"],
  },
};

export const kindNames = Object.keys(kinds) as Kind[];

export const engineTables: readonly string[] = [
  "member_due",
  "sale_count",
  ...kindNames.map((name) => kinds[name].table).reverse(),
];

/** The name of a record among those of its kind and its business. */
export function nameOfRecord<Name extends Kind>(kind: Name, record: Records[Name]): string {
  return kinds[kind].key
    .map((field) => (field === "contact_id" ? "" : record[field as keyof Records[Name]]))
    .join(" ");
}

/** The columns of a kind. @param table its short name in the statement */
export function recordColumns(kind: Kind, table: string): Fragment {
  const names = Object.keys(kinds[kind].columns);
  return raw(names.map((name) => `${table}.${name}`).join(", "));
}

/** The columns of a kind with their types, for `tableOf`. */
export function typedColumns(kind: Kind): string {
  return Object.entries(kinds[kind].columns)
    .map(([name, type]) => `${name} ${type}`)
    .join(", ");
}

/** How records of a kind are stored, without the types of its fields. `number` is the field that numbers them, if one does. */
export function storageOf(kind: Kind) {
  const { table, columns, more = [], key, partOf } = kinds[kind];
  const names = key.filter((field) => field !== "contact_id") as string[];
  const number = names.find((field) => columns[field as keyof typeof columns] === "bigint");
  return { table, columns: Object.keys(columns), more, key: key as readonly string[], number, partOf };
}

export interface RecordChange<Name extends Kind> {
  readonly business_id: number;
  readonly contact_id: number;
  /** The time of the entries that belong to it. */
  readonly created_at: string;
  /** Undefined for a new record. */
  readonly before: Records[Name] | undefined;
  readonly after: Records[Name];
}

export type ChangedRecords = { readonly [Name in Kind]?: readonly RecordChange<Name>[] };

/**
 * Saves changed records with one statement for each table. Updates the counts of sales and the sums of what is due. Sends the
 * statements before it returns, so that the commit can follow them.
 * @throws when fewer rows were saved than given
 */
export async function saveRecords(tx: Connection, changed: ChangedRecords): Promise<void> {
  await Promise.all([
    ...kindNames.map((name) => save(tx, name, (changed[name] ?? []) as readonly RecordChange<Kind>[])),
    countSales(tx, changed.sale ?? []),
    addDue(tx, changed),
  ]);
}

/**
 * The end of a kind's statement. An upsert finds each row by its key. An update from a list might compare each row with each other
 * row.
 */
const onConflict = Object.fromEntries(
  kindNames.map((name) => {
    const { key, changing, table, isSum = false } = kinds[name];
    const changes = changing
      .map((field) => `${field} = ${isSum ? `${table}.${field} + ` : ""}excluded.${field}`)
      .join(", ");
    const isChanging = changing.length > 0;
    return [
      name,
      raw(isChanging ? `ON CONFLICT (business_id, ${key.join(", ")}) DO UPDATE SET ${changes}` : ""),
    ];
  }),
) as Record<Kind, Fragment>;

const columnTypes = Object.fromEntries(
  kindNames.map((name) => {
    const { columns, more = [] } = kinds[name];
    const types = { business_id: "bigint", contact_id: "bigint", created_at: "timestamptz", ...columns };
    const names = ["business_id", ...more, ...Object.keys(columns)];
    return [name, names.map((column) => `${column} ${types[column as keyof typeof types]}`).join(", ")];
  }),
) as Record<Kind, string>;

const jsonFields = Object.fromEntries(
  kindNames.map((name) => {
    const columns = Object.entries(kinds[name].columns);
    return [name, columns.filter(([, type]) => type === "jsonb").map(([field]) => field)];
  }),
) as Record<Kind, string[]>;

function jsonOf(row: object, field: string): string | null {
  const value = (row as Record<string, unknown>)[field];
  return value === null ? null : JSON.stringify(value);
}

async function save<Name extends Kind>(
  tx: Connection,
  kind: Name,
  changes: readonly RecordChange<Name>[],
): Promise<void> {
  if (changes.length === 0) return;
  const rows = changes.map(({ business_id, contact_id, created_at, after }) => {
    const row = { business_id, contact_id, created_at, ...after };
    return { ...row, ...Object.fromEntries(jsonFields[kind].map((field) => [field, jsonOf(row, field)])) };
  });
  const { table } = kinds[kind];
  const saved = await tx`${insertOf(table, rows, columnTypes[kind])} ${onConflict[kind]}`;
  if (saved.count !== rows.length) throw new Error(`not all rows of ${table} were saved`);
}

/** Adds up the amounts of rows that have the same name. */
function sumsOf<Row extends object>(
  rows: readonly (readonly [string, Row, number])[],
): (Row & { amount: number })[] {
  const sums = new Map<string, Row & { amount: number }>();
  for (const [name, row, amount] of rows) {
    sums.set(name, { ...row, amount: (sums.get(name)?.amount ?? 0) + amount });
  }
  return [...sums.values()].filter(({ amount }) => amount !== 0);
}

/** Counts new sales by day and location, for lists. */
async function countSales(tx: Connection, changes: readonly RecordChange<"sale">[]): Promise<void> {
  const counts = sumsOf(
    changes
      .filter(({ before }) => before === undefined)
      .map(({ business_id, after: { sold_on, location_id } }) => {
        return [
          `${business_id} ${sold_on} ${location_id}`,
          { business_id, sold_on, location_id },
          1,
        ] as const;
      }),
  );
  if (counts.length === 0) return;
  const rows = counts.map(({ amount: sales, ...row }) => ({ ...row, sales }));
  await tx`
    ${insertOf("sale_count", rows, "business_id bigint, sold_on date, location_id bigint, sales integer")}
    ON CONFLICT (business_id, sold_on, location_id) DO UPDATE SET sales = sale_count.sales + excluded.sales`;
}

/** What is next to happen to a record: an amount of something on a day. */
interface Due {
  readonly event: "points_mature" | "points_expire" | "voucher_lapses" | "tier_ends";
  readonly day: string | null;
  readonly amount: number;
}

function dueOfLot(lot: Lot): Due | undefined {
  const due = dueOf(lot);
  return due && { event: due.event, day: due.day, amount: due.points };
}

const dueOfVoucher = ({ status, lapses_on: day }: HeldVoucher): Due | undefined =>
  status === "held" && day !== null ? { event: "voucher_lapses", day, amount: 1 } : undefined;

const dueOfTier = ({ ends_on: day }: TierStanding): Due | undefined =>
  day === null ? undefined : { event: "tier_ends", day, amount: 1 };

function dueIn<Name extends Kind>(
  changes: readonly RecordChange<Name>[] | undefined,
  dueOfRecord: (record: Records[Name]) => Due | undefined,
) {
  return (changes ?? []).map(({ before, after, ...of }) => {
    return { of, before: before && dueOfRecord(before), after: dueOfRecord(after) };
  });
}

/** Adds what has become due of records, and what no longer is, to the sums of their member and day. */
async function addDue(tx: Connection, changed: ChangedRecords): Promise<void> {
  const changes = [
    ...dueIn(changed.lot, dueOfLot),
    ...dueIn(changed.held_voucher, dueOfVoucher),
    ...dueIn(changed.tier_standing, dueOfTier),
  ];
  const due = changes.flatMap(({ of: { business_id, contact_id }, before, after }) =>
    (
      [
        [before, -1],
        [after, 1],
      ] as const
    ).flatMap(([part, sign]) => {
      if (part === undefined) return [];
      const row = { business_id, contact_id, day: part.day ?? "infinity", event: part.event };
      return [[Object.values(row).join(" "), row, sign * part.amount] as const];
    }),
  );
  const rows = sumsOf(due);
  if (rows.length === 0) return;
  const columns = "business_id bigint, contact_id bigint, day date, event text, amount bigint";
  const saved = await tx`
    ${insertOf("member_due", rows, columns)}
    ON CONFLICT (business_id, contact_id, day, event) DO UPDATE SET amount = member_due.amount + excluded.amount`;
  if (saved.count !== rows.length) throw new Error("not all rows of member_due were saved");
}
