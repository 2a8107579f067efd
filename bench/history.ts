/** Fills a business with members and a ledger that adds up, in one transaction. */
import type { Connection, Database } from "../src/database/connection.ts";
import { accounts } from "../src/domain/ledger.ts";
import { recountLedger, recountMembers } from "../test/support/bulk.ts";
import { randomFrom } from "../test/support/random.ts";
import { load, withoutIndexes } from "./history/bulk-load.ts";
import { entryColumns, entryLines, type HistoryOrder, type HistoryPlan, timeOf } from "./history/entries.ts";
import {
  accountColumns,
  accountLines,
  inactiveMembers,
  memberColumns,
  memberLines,
} from "./history/members.ts";

/** The members that may be moved: those who are active. */
export interface History {
  readonly firstContactId: number;
  readonly members: number;
}

/**
 * Adds members and entries to a business that has none. While a large load runs, the tables are locked.
 * @param say called with a line of progress
 */
export async function generateHistory(
  sql: Database,
  order: HistoryOrder,
  say: (line: string) => void,
): Promise<History> {
  const firstContactId = await sql.begin(async (tx) => {
    await tx`SET LOCAL statement_timeout = 0`;
    await tx`SET LOCAL maintenance_work_mem = '256MB'`;
    const plan = await planOf(tx, order);
    if (isLarge(order)) {
      await withoutIndexes(tx, ["ledger_entry", "account", "member"], () => fill(tx, plan, say), say);
      say("counting entries and members …");
    } else await fill(tx, plan, say);
    await recountLedger(tx, order.businessId);
    await recountMembers(tx, order.businessId);
    return plan.firstContactId;
  });
  // Also sets the visibility map, as autovacuum does on a database that has lived.
  if (isLarge(order)) await sql`VACUUM ANALYZE`;
  const inactive = inactiveMembers(order.members);
  return { firstContactId: firstContactId + inactive, members: order.members - inactive };
}

/** Past so many rows, to make an index anew costs less than to keep it up row by row. */
function isLarge({ members, entries }: HistoryOrder): boolean {
  return members + entries >= 50_000;
}

async function planOf(tx: Connection, order: HistoryOrder): Promise<HistoryPlan> {
  const { businessId, members } = order;
  const [head] = await tx<{ last_entry_no: number }[]>`
    SELECT last_entry_no FROM ledger WHERE business_id = ${businessId} FOR UPDATE`;
  if (head === undefined) throw new Error(`there is no business ${businessId}`);
  const [first] = await tx<{ contact_id: number; member_id: number }[]>`
    SELECT nextval(pg_get_serial_sequence('member', 'contact_id')) AS contact_id,
      nextval(pg_get_serial_sequence('member', 'member_id')) AS member_id`;
  const { contact_id: firstContactId, member_id: firstMemberId } = first as NonNullable<typeof first>;
  await tx`
    SELECT setval(pg_get_serial_sequence('member', 'contact_id'), ${firstContactId + members}::bigint),
      setval(pg_get_serial_sequence('member', 'member_id'), ${firstMemberId + members}::bigint)`;
  const time = timeOf(order, Date.now());
  return { ...order, ...time, firstContactId, firstMemberId, firstEntryNo: head.last_entry_no + 1 };
}

async function fill(tx: Connection, plan: HistoryPlan, say: (line: string) => void): Promise<void> {
  const { businessId, members, entries, firstEntryNo, endsAt } = plan;
  const random = randomFrom(plan.seed).next;
  const balances = accounts.map(() => new Float64Array(members));
  await load(
    tx,
    "ledger_entry",
    entryColumns,
    entryLines(plan, random, balances),
    progress("entries", entries, say),
  );
  await load(tx, "member", memberColumns, memberLines(plan, random), progress("members", members, say));
  const rows = members * accounts.length;
  await load(tx, "account", accountColumns, accountLines(plan, balances), progress("accounts", rows, say));
  await tx`
    UPDATE ledger SET last_entry_no = ${firstEntryNo + entries - 1},
      last_recorded_at = greatest(last_recorded_at, ${new Date(endsAt).toISOString()}::timestamptz)
    WHERE business_id = ${businessId}`;
}

function progress(what: string, total: number, say: (line: string) => void): (rows: number) => void {
  const startedAt = performance.now();
  return (rows) => {
    const perSecond = Math.round(rows / ((performance.now() - startedAt) / 1000));
    say(
      `${what}: ${rows.toLocaleString("en")} of ${total.toLocaleString("en")}, ${perSecond.toLocaleString("en")}/s`,
    );
  };
}

/** Keys of so many days ago are past their time. */
export const expiredDays = 40;

/** Adds idempotency keys to a business that were used so many days ago. */
export async function generateKeys(
  sql: Database,
  { businessId, integrationId }: Pick<HistoryOrder, "businessId" | "integrationId">,
  { keys, days }: { keys: number; days: number },
): Promise<void> {
  await sql`
    INSERT INTO idempotency_key (business_id, integration_id, idempotency_key, fingerprint, status, answer, created_at)
    SELECT ${businessId}::bigint, ${integrationId}::bigint, 'receipt-' || md5(number::text), sha256(number::text::bytea),
      200, '{"success":true,"message":"Wallet adjusted.","data":{"contact_id":100001,"amount":100,' ||
      '"adjustment_type":"credit","balance_after":' || number || '},"meta":{}}',
      now() - make_interval(days => ${days}::int) + make_interval(secs => number / 1000.0)
    FROM generate_series(1, ${keys}::int) AS number`;
  await sql`VACUUM ANALYZE idempotency_key`;
}
