/** Converts an export of the last build before the first release, for the import of a business. */
import { requiredDecimals } from "../database/access/currencies.ts";
import type { Connection } from "../database/connection.ts";
import { requiredRow } from "../database/rows.ts";
import { quotedName, raw, tableOf } from "../database/sql.ts";
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
  audit_entry: { added: { contact_id: "(coalesce(after, before) ->> 'contact_id')::bigint" } },
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
  return [...completed, await makeMemberDue(tx)];
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
    FROM incoming_points_lot WHERE points > clawed + used + expired GROUP BY 1, 2, 3, 4`;
  const columns = ["business_id", "contact_id", "event", "day", "amount"];
  return { table: "member_due", columns, identities: {}, rows: 0, path: "", size: 0, sha256: "" };
}
