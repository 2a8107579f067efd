/** Converts an export of the last build before the first release, for the import of a business. */
import { requiredDecimals } from "../database/access/currencies.ts";
import type { Connection } from "../database/connection.ts";
import { todayOf } from "../database/engine/due.ts";
import { addEntriesToDays, addNewMembers, everywhere } from "../database/ledger/day-totals.ts";
import { requiredRow } from "../database/rows.ts";
import { fragment, quotedName, raw, tableOf } from "../database/sql.ts";
import { searchTextOf } from "../domain/text.ts";
import type { TableRecord } from "./manifest.ts";

interface Change {
  readonly removed?: Readonly<Record<string, string>>;
  /** Columns that only this database has, and the expressions for their values. */
  readonly added?: Readonly<Record<string, string>>;
}

const arraysToUses: Change = {
  removed: { use_lots: "bigint[]", use_points: "bigint[]" },
  added: {
    uses: `coalesce((
      SELECT jsonb_agg(jsonb_build_object('lot_id', lot_id, 'points', points) ORDER BY nth)
      FROM unnest(use_lots, use_points) WITH ORDINALITY AS used (lot_id, points, nth)), '[]')`,
  },
};

const changes: Readonly<Record<string, Change>> = {
  sale: arraysToUses,
  points_redemption: arraysToUses,
  // The export has no such columns. It counts these points as taken back.
  sale_refund: { added: { points_excused: "0", points_owed: "0", points_forgiven: "0" } },
  points_lot: { removed: { due_on: "date" } },
  account: { added: { entries: "0" } },
  member: { removed: { tier_id: "bigint" } },
  member_tier: {
    removed: { deleted: "boolean" },
    added: { deleted_on: "CASE WHEN deleted THEN created_at::date END" },
  },
  audit_entry: {
    removed: { actor: "text" },
    added: {
      contact_id: "(coalesce(after, before) ->> 'contact_id')::bigint",
      actor_kind: "CASE WHEN actor LIKE 'integration %' THEN 'integration' ELSE 'root' END",
      actor_name: "actor",
    },
  },
  imported_line: {
    added: { entry_no: "NULL", contact_id: "NULL", content: "NULL", held_voucher_id: "NULL" },
  },
};

/** Changes a temporary table, so that the rows of the export fit. */
export async function takeEarlierColumns(tx: Connection, temporary: string, { table }: TableRecord) {
  const { removed = {}, added = {} } = changes[table] ?? {};
  const steps = [
    ...Object.entries(removed).map(([name, type]) => `ADD ${quotedName(name)} ${type}`),
    ...Object.keys(added).map((name) => `ALTER ${quotedName(name)} DROP NOT NULL`),
    ...(table === "business" ? ["ALTER currency_decimals DROP NOT NULL"] : []),
  ];
  if (steps.length > 0) await tx.query(`ALTER TABLE ${temporary} ${steps.join(", ")}`);
}

/** Completes the loaded rows. @param incoming names a temporary table @returns the tables, with the columns to import */
export async function completeEarlierRows(
  tx: Connection,
  tables: readonly TableRecord[],
  incoming: (table: string) => string,
): Promise<TableRecord[]> {
  const completed: TableRecord[] = [];
  for (const record of tables) {
    const { removed = {}, added = {} } = changes[record.table] ?? {};
    const set = Object.entries(added).map(([name, value]) => `${quotedName(name)} = ${value}`);
    if (set.length > 0) await tx.query(`UPDATE ${incoming(record.table)} SET ${set.join(", ")}`);
    const kept = record.columns.filter((name) => !(name in removed));
    const all = [
      ...kept,
      ...Object.keys(added),
      ...(record.table === "business" ? ["currency_decimals"] : []),
    ];
    completed.push({ ...record, columns: all });
  }
  const { currency } = await requiredRow(tx<{ currency: string }[]>`SELECT currency FROM incoming_business`);
  await tx`UPDATE incoming_business SET currency_decimals = ${requiredDecimals(currency)}`;
  await countEntriesOfAccounts(tx);
  await linkImportedLines(tx);
  await foldAgain(tx);
  const made = [await makeSalesDays(tx), await makeTierStandings(tx)];
  return [...completed, ...made, await makeMemberDue(tx)];
}

/** A table that the export does not have. */
const madeTable = (table: string, columns: readonly string[]): TableRecord => {
  return { table, columns, identities: {}, rows: 0, path: "", size: 0, sha256: "" };
};

/** Adds up the sales by day. Imported sales without points are only entries. */
async function makeSalesDays(tx: Connection): Promise<TableRecord> {
  await tx`
    CREATE TEMP TABLE incoming_sales_day ON COMMIT DROP AS
    SELECT business_id, contact_id, day, sum(net)::bigint AS net FROM (
      SELECT s.business_id, s.contact_id, s.sold_on AS day, s.wallet_used + s.amount_due - coalesce((
          SELECT sum(money_back + wallet_back) FROM incoming_sale_refund r WHERE r.sale_id = s.sale_id
        ), 0) AS net
      FROM incoming_sale s
      UNION ALL
      SELECT e.business_id, e.contact_id, (e.created_at AT TIME ZONE b.time_zone)::date, e.amount
      FROM incoming_ledger_entry e, incoming_business b
      WHERE e.event_type = 'sale' AND e.integration_id IS NULL
        AND e.entry_no NOT IN (SELECT sale_id FROM incoming_sale)
    ) AS sold GROUP BY business_id, contact_id, day`;
  return madeTable("sales_day", ["business_id", "contact_id", "day", "net"]);
}

/** Makes the tiers of members. They had no end. Now they are valid for the validity of their tier, from today on. */
async function makeTierStandings(tx: Connection): Promise<TableRecord> {
  await tx`
    CREATE TEMP TABLE incoming_tier_standing ON COMMIT DROP AS
    SELECT m.business_id, m.contact_id, m.tier_id, clock.today AS since, ends.day AS until, ends.day AS ends_on, true AS by_hand
    FROM incoming_member m
    JOIN incoming_member_tier t ON t.tier_id = m.tier_id AND NOT t.deleted
    CROSS JOIN (
      SELECT (coalesce(l.clock_at, now()) AT TIME ZONE b.time_zone)::date AS today
      FROM incoming_ledger l, incoming_business b
    ) AS clock
    CROSS JOIN LATERAL (
      SELECT least((clock.today + t.expiry * ('1 ' || t.expiry_period)::interval)::date + 1, '9999-12-31') AS day
    ) AS ends`;
  const days = ["since", "until", "ends_on"];
  return madeTable("tier_standing", ["business_id", "contact_id", "tier_id", ...days, "by_hand"]);
}

/**
 * Makes the sums behind the reports. What is owed is owed from today on, because the export does not tell what was owed on earlier
 * days.
 */
export async function makeSumsOfReports(tx: Connection, businessId: number): Promise<void> {
  const today = todayOf(businessId);
  await tx`
    INSERT INTO liability_change (business_id, kind, ends_on, begins_on, changed_on, items, amount)
    SELECT ${businessId}, kind, ends_on, begins_on, ${today}, count(*), sum(amount) FROM (
      SELECT 'points' AS kind, coalesce(expires_on, 'infinity') AS ends_on,
        CASE WHEN matured THEN '-infinity' ELSE matures_on END AS begins_on, points - clawed - used - expired AS amount
      FROM points_lot WHERE business_id = ${businessId} AND points > clawed + used + expired
      UNION ALL
      SELECT 'debt', 'infinity', '-infinity', owed FROM points_debt WHERE business_id = ${businessId} AND owed > 0
    ) AS each GROUP BY kind, ends_on, begins_on`;
  const ends = fragment`(
    SELECT blocks_end_at, blocks_end_no FROM ledger_count WHERE business_id = ${businessId}
  )`;
  const entries = { are: fragment`(e.created_at, e.entry_no) < ${ends}`, known: raw("false") };
  await addEntriesToDays(tx, businessId, entries);
  await addNewMembers(
    tx,
    businessId,
    fragment`SELECT member_id FROM member WHERE business_id = ${businessId}`,
  );
  await tx`
    INSERT INTO day_total (business_id, location_id, day, what, items, amount)
    SELECT ${businessId}, coalesce(location_id, ${everywhere}), day, what, count(*), 0 FROM (
      SELECT s.location_id, (s.created_at AT TIME ZONE b.time_zone)::date AS day, 'sale_without_entry' AS what
      FROM sale s JOIN business b USING (business_id)
      WHERE s.business_id = ${businessId} AND s.wallet_used + s.amount_due = 0
      UNION ALL
      SELECT r.location_id, (r.created_at AT TIME ZONE b.time_zone)::date, 'refund_without_entry'
      FROM sale_refund r JOIN business b USING (business_id)
      WHERE r.business_id = ${businessId} AND r.wallet_back + r.money_back = 0
    ) AS each GROUP BY GROUPING SETS ((location_id, day, what), (day, what))`;
}

async function countEntriesOfAccounts(tx: Connection): Promise<void> {
  await tx`
    UPDATE incoming_account a SET entries = counted.entries
    FROM (
      SELECT contact_id, account, count(*) AS entries FROM incoming_ledger_entry GROUP BY contact_id, account
    ) AS counted
    WHERE a.contact_id = counted.contact_id AND a.account = counted.account`;
}

/** Finds the sale or the member of each line that was imported with a reference. Other lines can't be recognised. */
async function linkImportedLines(tx: Connection): Promise<void> {
  const digest = (of: string, reference: string) =>
    raw(
      `left(encode(sha256(convert_to('loyalty import of ${of} ' || ${reference}, 'UTF8')), 'hex'), 32)::uuid`,
    );
  await tx`
    UPDATE incoming_imported_line i SET entry_no = e.entry_no FROM incoming_ledger_entry e
    WHERE e.event_type = 'sale' AND e.integration_id IS NULL
      AND i.digest = ${digest("sales by reference_id", "e.reference_id")}`;
  await tx`
    UPDATE incoming_imported_line i SET contact_id = m.contact_id FROM incoming_member m
    WHERE i.digest = ${digest("members by external_ref", "m.external_ref")}`;
}

const membersAtOnce = 5000;

/** Makes the texts for searches again: they fold more characters now, and contain external references. */
async function foldAgain(tx: Connection): Promise<void> {
  for (let after = 0; ; ) {
    const members = await tx<(Parameters<typeof searchTextOf>[0] & { contact_id: number })[]>`
      SELECT contact_id, first_name, last_name, phone_number, email, external_ref FROM incoming_member
      WHERE contact_id > ${after} AND erased_at IS NULL ORDER BY contact_id LIMIT ${membersAtOnce}`;
    const last = members.at(-1);
    if (last === undefined) return;
    const texts = members.map((member) => ({ contact_id: member.contact_id, text: searchTextOf(member) }));
    await tx`
      UPDATE incoming_member SET searchable_text = folded.text
      FROM ${tableOf("folded", texts, "contact_id bigint, text text")}
      WHERE incoming_member.contact_id = folded.contact_id`;
    after = last.contact_id;
  }
}

/** Adds up what is due. In the export, it is a column of each lot. */
async function makeMemberDue(tx: Connection): Promise<TableRecord> {
  await tx`
    CREATE TEMP TABLE incoming_member_due ON COMMIT DROP AS
    SELECT business_id, contact_id, CASE WHEN matured THEN 'points_expire' ELSE 'points_mature' END AS event,
      coalesce(CASE WHEN matured THEN expires_on ELSE matures_on END, 'infinity') AS day,
      sum(points - clawed - used - expired) AS amount
    FROM incoming_points_lot WHERE points > clawed + used + expired GROUP BY 1, 2, 3, 4
    UNION ALL SELECT business_id, contact_id, 'tier_ends', ends_on, 1 FROM incoming_tier_standing`;
  return madeTable("member_due", ["business_id", "contact_id", "event", "day", "amount"]);
}
