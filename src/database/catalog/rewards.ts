import type { PeriodUnit } from "../../domain/dates.ts";
import type { Connection } from "../connection.ts";
import { recordRules } from "../engine/rules.ts";
import { only } from "../rows.ts";
import { identifier, list } from "../sql.ts";
import { assignmentsOf, type ChangeOf, recordTable } from "./record-table.ts";

export interface RewardSettingsRow {
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

/** Changes the settings given; the others stay, and records the rules. Every business has its one row from the start. */
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

/** A reward program. Operators set the rate by which it earns. */
export interface ProgramRow {
  readonly program_id: number;
  readonly membership_name: string;
  readonly maximum_points_per_order: number;
  readonly earn_points: number;
  readonly earn_amount: number;
  readonly earn_minimum_amount: number;
}

const programs = recordTable<ProgramRow, "program_id">(
  "reward_program",
  "program_id",
  ["membership_name", "maximum_points_per_order", "earn_points", "earn_amount", "earn_minimum_amount"],
  "oldest first",
);

export const insertProgram = programs.insert;
export const lockProgram = programs.lock;
export const listPrograms = programs.page;

/**
 * Changes the fields given; the others stay. Records the rules, too.
 * @returns undefined when there is no such program
 */
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
