/** Writes the demo business with its past, in one transaction. */
import { eventTypes } from "../domain/ledger.ts";
import { insertBusiness, type NewBusiness } from "./access/businesses.ts";
import {
  locations,
  type ProgramRow,
  programs,
  type TierRow,
  tiers,
  updateRewardSettings,
  type VoucherRow,
  vouchers,
} from "./catalog.ts";
import type { Connection } from "./connection.ts";
import { type RuleSettings, updateRuleSettings } from "./engine/rules.ts";
import { type EntryRow, record } from "./ledger/ledger.ts";
import { insertMember, type NewMember } from "./members/members.ts";
import { only } from "./rows.ts";

/**
 * Keeps every other process from making a business until the transaction ends.
 * @returns whether there is none yet, and the database's time in milliseconds
 */
export async function lockBusinesses(tx: Connection): Promise<{ none: boolean; now: number }> {
  await tx`LOCK TABLE business IN SHARE ROW EXCLUSIVE MODE`;
  return only(tx<{ none: boolean; now: number }[]>`
    SELECT NOT EXISTS (SELECT FROM business) AS none,
      floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now`);
}

export interface DemoVoucher extends Omit<VoucherRow, "voucher_id" | "location_id"> {
  /** The place of its location in the list; null for everywhere. */
  readonly location: number | null;
}

export interface DemoDefinitions {
  readonly business: NewBusiness;
  readonly locationNames: readonly string[];
  readonly tiers: readonly Omit<TierRow, "tier_id">[];
  /** The program by which members earn. */
  readonly program: Omit<ProgramRow, "program_id">;
  readonly rewardSettings: Parameters<typeof updateRewardSettings>[2];
  readonly rules: Omit<RuleSettings, "version" | "default_program_id">;
  readonly vouchers: readonly DemoVoucher[];
}

/**
 * Makes the business with all that its members refer to.
 * @param clock of a sandbox, as for insertBusiness
 */
export async function insertDefinitions(
  tx: Connection,
  given: DemoDefinitions,
  clock?: { readonly clock_at: string | null },
) {
  const business_id = await insertBusiness(tx, given.business, clock);
  const location_ids: number[] = [];
  for (const name of given.locationNames) {
    location_ids.push((await locations.insert(tx, business_id, { name })).location_id);
  }
  const tier_ids: number[] = [];
  for (const tier of given.tiers) tier_ids.push((await tiers.insert(tx, business_id, tier)).tier_id);
  const { program_id } = await programs.insert(tx, business_id, given.program);
  await updateRuleSettings(tx, business_id, { ...given.rules, default_program_id: program_id });
  await updateRewardSettings(tx, business_id, given.rewardSettings);
  const voucher_ids: number[] = [];
  for (const { location, ...voucher } of given.vouchers) {
    const location_id = location === null ? null : (location_ids[location] as number);
    voucher_ids.push((await vouchers.insert(tx, business_id, { ...voucher, location_id })).voucher_id);
  }
  return { business_id, location_ids, tier_ids, program_ids: [program_id], voucher_ids };
}

/** The numbers of what was made, in the order in which it was given. */
export type DemoIds = Awaited<ReturnType<typeof insertDefinitions>>;

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

export interface PastEntry
  extends Omit<EntryRow, "business_id" | "entry_no" | "account" | "integration_id" | "created_at"> {
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
    ...entry,
    ...{
      business_id,
      entry_no: index + 1,
      account: eventTypes[entry.event_type].account,
      integration_id: null,
    },
    created_at: timestamp(entry.created_at),
  }));
  const balances = new Map(
    entries.map(({ contact_id, account, balance_after: balance }) => [
      `${contact_id} ${account}`,
      { business_id, contact_id, account, balance },
    ]),
  );
  const last_recorded_at = entries.at(-1)?.created_at ?? "-infinity";
  const head = { business_id, last_entry_no: entries.length, last_recorded_at };
  await record(tx, { heads: [head], entries, balances: [...balances.values()], keys: [], engine: undefined });
}

function timestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
