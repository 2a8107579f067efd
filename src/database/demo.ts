/** Writes the demo business with its past, in one transaction. */
import { type EventType, eventTypes } from "../domain/ledger.ts";
import { insertBusiness, type NewBusiness } from "./access/businesses.ts";
import { type EarningProgramRow, type RewardSettingsRow, updateRewardSettings } from "./catalog/rewards.ts";
import type { TierRow } from "./catalog/tiers.ts";
import type { Connection } from "./connection.ts";
import { type RuleSettings, updateRuleSettings } from "./engine/rules.ts";
import { insertMember, type NewMember } from "./members/members.ts";
import { fragment, identifier, list, type SqlValue } from "./sql.ts";

/**
 * Keeps every other process from making a business until the transaction ends.
 * @returns whether there is none yet, and the database's time in milliseconds
 */
export async function lockBusinesses(tx: Connection): Promise<{ none: boolean; now: number }> {
  await tx`LOCK TABLE business IN SHARE ROW EXCLUSIVE MODE`;
  const [row] = await tx<{ none: boolean; now: number }[]>`
    SELECT NOT EXISTS (SELECT FROM business) AS none,
      floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now`;
  return row as { none: boolean; now: number };
}

export interface DemoVoucher {
  readonly campaign_name: string;
  readonly coupon_code: string;
  readonly coupon_value: number;
  readonly archived: boolean;
  /** The place of its location in the list; null for everywhere. */
  readonly location: number | null;
}

export interface DemoDefinitions {
  readonly business: NewBusiness;
  readonly locationNames: readonly string[];
  readonly tiers: readonly Omit<TierRow, "tier_id">[];
  /** The program by which members earn. */
  readonly program: Omit<EarningProgramRow, "program_id">;
  readonly rewardSettings: RewardSettingsRow;
  readonly rules: Omit<RuleSettings, "version" | "default_program_id">;
  readonly vouchers: readonly DemoVoucher[];
}

/** The numbers of what was made, in the order in which it was given. */
export interface DemoIds {
  readonly business_id: number;
  readonly location_ids: readonly number[];
  readonly tier_ids: readonly number[];
  readonly program_ids: readonly number[];
  readonly voucher_ids: readonly number[];
}

/**
 * Makes the business with all that its members refer to.
 * @param clock of a sandbox, as for insertBusiness
 */
export async function insertDefinitions(
  tx: Connection,
  given: DemoDefinitions,
  clock?: { readonly clock_at: string | null },
): Promise<DemoIds> {
  const business_id = await insertBusiness(tx, given.business, clock);
  const locations = await insertRows<{ location_id: number }>(
    tx,
    "location",
    given.locationNames.map((name) => ({ business_id, name })),
  );
  const location_ids = locations.map((row) => row.location_id);
  const tiers = await insertRows<{ tier_id: number }>(
    tx,
    "member_tier",
    given.tiers.map((tier) => ({ business_id, ...tier })),
  );
  const program = { business_id, ...given.program };
  const programs = await insertRows<{ program_id: number }>(tx, "reward_program", [program]);
  const program_ids = programs.map((row) => row.program_id);
  await updateRuleSettings(tx, business_id, { ...given.rules, default_program_id: program_ids[0] ?? null });
  await updateRewardSettings(tx, business_id, given.rewardSettings);
  const rows = given.vouchers.map(({ location, ...voucher }) => {
    const location_id = location === null ? null : (location_ids[location] as number);
    return { business_id, ...voucher, location_id };
  });
  const vouchers = await insertRows<{ voucher_id: number }>(tx, "voucher", rows);
  return {
    business_id,
    location_ids,
    tier_ids: tiers.map((row) => row.tier_id),
    program_ids,
    voucher_ids: vouchers.map((row) => row.voucher_id),
  };
}

export interface DemoMember extends Omit<NewMember, "password_hash"> {
  readonly tier_id: number | null;
  /** Milliseconds. */
  readonly joined_at: number;
}

/** Makes members with empty accounts and no password. @returns their contact_ids in the order given */
export async function insertDemoMembers(
  tx: Connection,
  businessId: number,
  members: readonly DemoMember[],
): Promise<number[]> {
  const contactIds: number[] = [];
  for (const { tier_id, joined_at, ...member } of members) {
    const made = await insertMember(tx, businessId, { ...member, password_hash: null });
    await tx`
      UPDATE member SET tier_id = ${tier_id}, joined_at = ${timestamp(joined_at)}
      WHERE business_id = ${businessId} AND contact_id = ${made.contact_id}`;
    contactIds.push(made.contact_id);
  }
  return contactIds;
}

export interface PastEntry {
  readonly contact_id: number;
  readonly event_type: EventType;
  readonly amount: number;
  readonly balance_after: number;
  readonly location_id: number | null;
  readonly reference_id: string;
  readonly reason: string | null;
  /** Milliseconds; not before the entry before it, nor in the future. */
  readonly created_at: number;
}

/** Records the history of a business whose ledger is empty, numbered from 1 in the order given. */
export async function insertHistory(
  tx: Connection,
  business_id: number,
  history: readonly PastEntry[],
): Promise<void> {
  const entries = history.map((entry, index) => ({
    business_id,
    entry_no: index + 1,
    ...entry,
    account: eventTypes[entry.event_type].account,
    created_at: timestamp(entry.created_at),
  }));
  await insertRows(tx, "ledger_entry", entries);
  await tx`
    UPDATE account SET balance = entry.balance_after
    FROM (
      SELECT DISTINCT ON (contact_id, account) contact_id, account, balance_after
      FROM ledger_entry WHERE business_id = ${business_id} ORDER BY contact_id, account, entry_no DESC
    ) AS entry
    WHERE account.business_id = ${business_id} AND account.contact_id = entry.contact_id
      AND account.account = entry.account`;
  await tx`
    UPDATE ledger SET last_entry_no = ${entries.length}, last_recorded_at = clock_timestamp()
    WHERE business_id = ${business_id} AND last_entry_no = 0`;
}

type Rows = readonly Readonly<Record<string, SqlValue>>[];

/** Inserts rows that have the same columns. @returns them, in their order */
async function insertRows<Row extends object>(tx: Connection, table: string, rows: Rows): Promise<Row[]> {
  const columns = Object.keys(rows[0] ?? {});
  const tuples = rows.map((row) => fragment`(${list(columns.map((column) => row[column] as SqlValue))})`);
  return tx<Row[]>`
    INSERT INTO ${identifier(table)} (${list(columns.map(identifier))}) VALUES ${list(tuples)} RETURNING *`;
}

function timestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
