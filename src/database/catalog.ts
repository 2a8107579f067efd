/** The records that a business defines, which differ in their table and columns only, and its reward settings. */
import type { PeriodUnit } from "../domain/dates.ts";
import type { PageRequest } from "../domain/pagination.ts";
import type { Connection } from "./connection.ts";
import { recordRules } from "./engine/rules.ts";
import { first, type Order, only, readPage } from "./rows.ts";
import { assignmentsOf, type ChangeOf, fragment, identifier, list, type SqlValue } from "./sql.ts";

/**
 * The statements for a table of records.
 * @param id the column with the number of a record
 * @param fields the other columns
 * @param order of a list of them
 * @param present a condition to follow others: which rows are there
 */
function recordTable<Row extends object, Id extends keyof Row & string>(
  name: string,
  id: Id,
  fields: readonly Exclude<keyof Row & string, Id>[],
  order: Order,
  present = fragment``,
) {
  const table = identifier(name);
  const columns = list([id, ...fields].map(identifier));
  const one = (businessId: number, recordId: number) =>
    fragment`business_id = ${businessId} AND ${identifier(id)} = ${recordId} ${present}`;
  return {
    insert: (tx: Connection, businessId: number, record: Omit<Row, Id>) =>
      only(tx<Row[]>`
        INSERT INTO ${table} (business_id, ${list(fields.map(identifier))})
        VALUES (${businessId}, ${list(fields.map((field) => (record as Row)[field] as SqlValue))})
        RETURNING ${columns}`),
    find: (sql: Connection, businessId: number, recordId: number) =>
      first(sql<Row[]>`SELECT ${columns} FROM ${table} WHERE ${one(businessId, recordId)}`),
    /** Finds a record and locks it to the end of the transaction. */
    lock: (tx: Connection, businessId: number, recordId: number) =>
      first(tx<Row[]>`SELECT ${columns} FROM ${table} WHERE ${one(businessId, recordId)} FOR NO KEY UPDATE`),
    /** Changes the fields given, at least one. @returns undefined when there is no such record */
    change: (tx: Connection, businessId: number, recordId: number, change: ChangeOf<Omit<Row, Id>>) =>
      first(tx<Row[]>`
        UPDATE ${table} SET ${assignmentsOf(fields, change)} WHERE ${one(businessId, recordId)}
        RETURNING ${columns}`),
    /** A page of the records that meet a condition, with the total. */
    page: (sql: Connection, businessId: number, page: PageRequest, which = present) => {
      const from = fragment`FROM ${table} WHERE business_id = ${businessId} ${which}`;
      return readPage<Row>(sql, { columns, from, id, order }, page);
    },
  };
}

interface LocationRow {
  readonly location_id: number;
  readonly name: string;
}

export const locations = recordTable<LocationRow, "location_id">(
  "location",
  "location_id",
  ["name"],
  "oldest first",
);

/** Which of these are no locations of the business. */
export async function findMissingLocations(
  tx: Connection,
  businessId: number,
  locationIds: readonly number[],
): Promise<number[]> {
  if (locationIds.length === 0) return [];
  const rows = await tx<{ location_id: number }[]>`
    SELECT location_id FROM location
    WHERE business_id = ${businessId} AND location_id = ANY (${locationIds}::bigint[])`;
  const present = new Set(rows.map((row) => row.location_id));
  return locationIds.filter((locationId) => !present.has(locationId));
}

export interface TierRow {
  readonly tier_id: number;
  readonly name: string;
  readonly expiry: number;
  readonly expiry_period: PeriodUnit;
}

export const tiers = recordTable<TierRow, "tier_id">(
  "member_tier",
  "tier_id",
  ["name", "expiry", "expiry_period"],
  "oldest first",
  fragment`AND NOT deleted`,
);

/** All tiers of a business, in the order in which they were made. */
export function listTiers(sql: Connection, businessId: number) {
  return sql<TierRow[]>`
    SELECT tier_id, name, expiry, expiry_period
    FROM member_tier WHERE business_id = ${businessId} AND NOT deleted
    ORDER BY tier_id`;
}

/** Finds a tier and keeps it from being deleted to the end of the transaction. */
export function holdTier(tx: Connection, businessId: number, tierId: number) {
  return first(tx`
    SELECT FROM member_tier WHERE business_id = ${businessId} AND tier_id = ${tierId} AND NOT deleted FOR SHARE`);
}

/** Deletes a tier; members that had it have none. @returns whether there was one */
export async function deleteTier(tx: Connection, businessId: number, tierId: number): Promise<boolean> {
  const result = await tx`
    UPDATE member_tier SET deleted = true
    WHERE business_id = ${businessId} AND tier_id = ${tierId} AND NOT deleted`;
  return result.count === 1;
}

export interface VoucherRow {
  readonly voucher_id: number;
  readonly campaign_name: string;
  readonly coupon_code: string;
  readonly coupon_value: number;
  readonly archived: boolean;
  readonly location_id: number | null;
}

/** Voucher definitions, archived or not. */
export const vouchers = recordTable<VoucherRow, "voucher_id">(
  "voucher",
  "voucher_id",
  ["campaign_name", "coupon_code", "coupon_value", "archived", "location_id"],
  "newest first",
);
/** The condition that limits a list of vouchers. */
export const notArchived = fragment`AND NOT archived`;

interface BenefitRow {
  readonly benefit_id: number;
  readonly title: string;
  readonly amount: number;
  readonly promo_amount: number;
  readonly status: "active" | "inactive";
  readonly location_id: number;
}

/** Top-up benefits. */
export const benefits = recordTable<BenefitRow, "benefit_id">(
  "topup_benefit",
  "benefit_id",
  ["title", "amount", "promo_amount", "status", "location_id"],
  "newest first",
);

/** A reward program, with the rate by which it earns. */
export interface ProgramRow {
  readonly program_id: number;
  readonly membership_name: string;
  readonly maximum_points_per_order: number;
  readonly earn_points: number;
  readonly earn_amount: number;
  readonly earn_minimum_amount: number;
}

/** Reward programs. A program is changed or deleted with `updateProgram` and `deleteProgram`, which record the rules. */
export const programs = recordTable<ProgramRow, "program_id">(
  "reward_program",
  "program_id",
  ["membership_name", "maximum_points_per_order", "earn_points", "earn_amount", "earn_minimum_amount"],
  "oldest first",
);

/** Changes the fields given, and records the rules. @returns undefined when there is no such program */
export async function updateProgram(
  tx: Connection,
  businessId: number,
  programId: number,
  change: ChangeOf<Omit<ProgramRow, "program_id">>,
): Promise<ProgramRow | undefined> {
  const changed = await programs.change(tx, businessId, programId, change);
  if (changed !== undefined) await recordRules(tx, businessId);
  return changed;
}

/** Deletes a program, also as the default program, and records the rules. */
export async function deleteProgram(tx: Connection, businessId: number, programId: number): Promise<void> {
  await tx`
    UPDATE reward_settings SET default_program_id = NULL
    WHERE business_id = ${businessId} AND default_program_id = ${programId}`;
  await tx`DELETE FROM reward_program WHERE business_id = ${businessId} AND program_id = ${programId}`;
  await recordRules(tx, businessId);
}

interface RewardSettingsRow {
  readonly enable_rp: boolean;
  readonly rp_name: string;
  readonly rp_sales_calculation_period: number;
  readonly rp_sales_calculation_period_type: PeriodUnit;
}

const settings = [
  "enable_rp",
  "rp_name",
  "rp_sales_calculation_period",
  "rp_sales_calculation_period_type",
] as const;
const settingColumns = list(settings.map(identifier));

/** The business's one set of reward settings. */
export function findRewardSettings(sql: Connection, businessId: number) {
  return only(sql<RewardSettingsRow[]>`
    SELECT ${settingColumns} FROM reward_settings WHERE business_id = ${businessId}`);
}

/** Changes the settings given, at least one, and records the rules. */
export async function updateRewardSettings(
  tx: Connection,
  businessId: number,
  change: ChangeOf<RewardSettingsRow>,
): Promise<RewardSettingsRow> {
  const changed = await only(tx<RewardSettingsRow[]>`
    UPDATE reward_settings SET ${assignmentsOf(settings, change)} WHERE business_id = ${businessId}
    RETURNING ${settingColumns}`);
  await recordRules(tx, businessId);
  return changed;
}
