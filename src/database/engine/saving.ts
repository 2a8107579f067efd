/** Saves the records that decisions change, by the table of kinds, and the sums that are stored of them. */
import { dueOf } from "../../domain/engine/lots.ts";
import type { HeldVoucher, Kind, Lot, MemberStampCard, Records, TierStanding } from "../../domain/records.ts";
import type { Connection } from "../connection.ts";
import { lastEntryNo } from "../ledger/ledger.ts";
import { addToSums } from "../ledger/sums.ts";
import { type Fragment, insertOf, raw, tableOf } from "../sql.ts";
import { kindNames, kinds } from "./kinds.ts";
import { addLiabilities } from "./liabilities.ts";

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
 * Saves changed records with one statement for each table. Updates the counts of sales and the sums of what is due and owed. Sends the
 * statements before it returns, so that the commit can follow them.
 * @throws when fewer rows were saved than given
 */
export async function saveRecords(tx: Connection, changed: ChangedRecords): Promise<void> {
  await Promise.all([
    ...kindNames.map((name) => save(tx, name, (changed[name] ?? []) as readonly RecordChange<Kind>[])),
    countSales(tx, changed.sale ?? []),
    addDue(tx, changed),
    addLiabilities(tx, changed),
  ]);
}

/**
 * The ends of the statements that change and that add records of a kind. An upsert finds each row by its key. An update from a list
 * might compare each row with each other row. A record is added by an insert, so that it never replaces one that was read. That
 * also takes a sixth less than an upsert.
 */
const onConflict = Object.fromEntries(
  kindNames.map((name) => {
    const { key, changing, table, isSum = false, isRead } = kinds[name];
    const changes = changing
      .map((field) => `${field} = ${isSum ? `${table}.${field} + ` : ""}excluded.${field}`)
      .join(", ");
    const change =
      changing.length > 0 ? `ON CONFLICT (business_id, ${key.join(", ")}) DO UPDATE SET ${changes}` : "";
    const add = isSum ? change : isRead === undefined ? "" : `${change} WHERE NOT (${isRead(table)})`;
    return [name, { change: raw(change), add: raw(add) }];
  }),
) as Record<Kind, { readonly change: Fragment; readonly add: Fragment }>;

const columnTypes = Object.fromEntries(
  kindNames.map((name) => {
    const { columns, more = [] } = kinds[name];
    const types = { business_id: "bigint", contact_id: "bigint", created_at: "timestamptz", ...columns };
    const names = ["business_id", ...more, ...Object.keys(columns)];
    return [name, names.map((column) => `${column} ${types[column as keyof typeof types]}`).join(", ")];
  }),
) as Record<Kind, string>;

async function save<Name extends Kind>(tx: Connection, kind: Name, changes: readonly RecordChange<Name>[]) {
  const added = changes.filter(({ before }) => before === undefined);
  const changed = changes.filter(({ before }) => before !== undefined);
  await Promise.all([
    saveRows(tx, kind, added, onConflict[kind].add),
    saveRows(tx, kind, changed, onConflict[kind].change),
  ]);
}

async function saveRows<Name extends Kind>(
  tx: Connection,
  kind: Name,
  changes: readonly RecordChange<Name>[],
  atEnd: Fragment,
): Promise<void> {
  if (changes.length === 0) return;
  const { table, form } = kinds[kind];
  const rows = changes.map(({ business_id, contact_id, created_at, after }) => ({
    business_id,
    contact_id,
    created_at,
    ...(form === undefined ? after : form.stored(after)),
  }));
  const saved = await tx`${insertOf(table, rows, columnTypes[kind])} ${atEnd}`;
  if (saved.count !== rows.length) throw new Error(`not all rows of ${table} were saved`);
}

/** Adds up the amounts of equal rows. */
function sumsOf<Row extends object>(rows: readonly (readonly [Row, number])[]): (Row & { amount: number })[] {
  const sums = new Map<string, Row & { amount: number }>();
  for (const [row, amount] of rows) {
    const name = Object.values(row).join(" ");
    sums.set(name, { amount: (sums.get(name)?.amount ?? 0) + amount, ...row });
  }
  return [...sums.values()].filter(({ amount }) => amount !== 0);
}

/** Counts new sales by day and location, for lists. */
async function countSales(tx: Connection, changes: readonly RecordChange<"sale">[]): Promise<void> {
  const added = changes.filter(({ before }) => before === undefined);
  const counts = sumsOf(
    added.map(({ business_id, after: { sold_on, location_id } }) => {
      return [{ business_id, sold_on, location_id }, 1] as const;
    }),
  );
  if (counts.length === 0) return;
  const rows = counts.map(({ amount: sales, ...row }) => ({ sales, ...row }));
  await tx`
    INSERT INTO sale_count (business_id, sold_on, location_id, sales, part)
    SELECT business_id, sold_on, location_id, sales, ${lastEntryNo(raw("added.business_id"))}
    FROM ${tableOf("added", rows, "business_id bigint, sold_on date, location_id bigint, sales integer")}
    ${addToSums("sale_count")}`;
}

/** What is next to happen to a record: an amount of something on a day. */
interface Due {
  readonly event: "points_mature" | "points_expire" | "voucher_lapses" | "tier_ends" | "stamps_lapse";
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

const dueOfCard = ({ lapses_on: day }: MemberStampCard): Due | undefined =>
  day === null ? undefined : { event: "stamps_lapse", day, amount: 1 };

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
    ...dueIn(changed.member_stamp_card, dueOfCard),
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
      return [[row, sign * part.amount] as const];
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
