import type { PeriodUnit } from "../../domain/dates.ts";
import { offsetOf, type Page, type PageRequest } from "../../domain/pagination.ts";
import type { Connection } from "../connection.ts";
import { recordRules } from "../engine/rules.ts";
import { pageOf } from "../page.ts";

export interface RewardSettingsRow {
  readonly enable_rp: boolean;
  readonly rp_name: string;
  readonly rp_sales_calculation_period: number;
  readonly rp_sales_calculation_period_type: PeriodUnit;
}

/** The business's one set of reward settings. */
export async function findRewardSettings(sql: Connection, businessId: number): Promise<RewardSettingsRow> {
  const [row] = await sql<RewardSettingsRow[]>`
    SELECT enable_rp, rp_name, rp_sales_calculation_period, rp_sales_calculation_period_type
    FROM reward_settings WHERE business_id = ${businessId}`;
  if (row === undefined) throw new Error(`business ${businessId} has no reward settings`);
  return row;
}

export type RewardSettingsChange = {
  readonly [K in keyof RewardSettingsRow]?: RewardSettingsRow[K] | undefined;
};

/** Changes the settings given; the others stay, and records the rules. Every business has its one row from the start. */
export async function updateRewardSettings(
  tx: Connection,
  businessId: number,
  change: RewardSettingsChange,
): Promise<RewardSettingsRow> {
  const [row] = await tx<RewardSettingsRow[]>`
    UPDATE reward_settings SET enable_rp = coalesce(${change.enable_rp ?? null}, enable_rp),
      rp_name = coalesce(${change.rp_name ?? null}, rp_name),
      rp_sales_calculation_period =
        coalesce(${change.rp_sales_calculation_period ?? null}, rp_sales_calculation_period),
      rp_sales_calculation_period_type =
        coalesce(${change.rp_sales_calculation_period_type ?? null}, rp_sales_calculation_period_type)
    WHERE business_id = ${businessId}
    RETURNING enable_rp, rp_name, rp_sales_calculation_period, rp_sales_calculation_period_type`;
  if (row === undefined) throw new Error(`business ${businessId} has no reward settings`);
  await recordRules(tx, businessId);
  return row;
}

export interface ProgramRow {
  readonly program_id: number;
  readonly membership_name: string;
  readonly maximum_points_per_order: number;
}

/** A program with the rate by which it earns, which operators set. */
export interface EarningProgramRow extends ProgramRow {
  readonly earn_points: number;
  readonly earn_amount: number;
  readonly earn_minimum_amount: number;
}

/** Makes a reward program. */
export async function insertProgram(
  tx: Connection,
  businessId: number,
  program: Omit<EarningProgramRow, "program_id">,
): Promise<EarningProgramRow> {
  const [row] = await tx<EarningProgramRow[]>`
    INSERT INTO reward_program (business_id, membership_name, maximum_points_per_order, earn_points, earn_amount,
      earn_minimum_amount)
    VALUES (${businessId}, ${program.membership_name}, ${program.maximum_points_per_order}, ${program.earn_points},
      ${program.earn_amount}, ${program.earn_minimum_amount})
    RETURNING program_id, membership_name, maximum_points_per_order, earn_points, earn_amount, earn_minimum_amount`;
  return row as EarningProgramRow;
}

/** Finds a program and locks it to the end of the transaction. */
export async function lockProgram(
  tx: Connection,
  businessId: number,
  programId: number,
): Promise<EarningProgramRow | undefined> {
  const [row] = await tx<EarningProgramRow[]>`
    SELECT program_id, membership_name, maximum_points_per_order, earn_points, earn_amount, earn_minimum_amount
    FROM reward_program WHERE business_id = ${businessId} AND program_id = ${programId} FOR NO KEY UPDATE`;
  return row;
}

/** A page of the reward programs of a business, in the order they were made, with the total. */
export async function listPrograms(
  sql: Connection,
  businessId: number,
  page: PageRequest,
): Promise<Page<EarningProgramRow>> {
  const rows = await sql<(EarningProgramRow & { total: number })[]>`
    WITH counted AS MATERIALIZED (
      SELECT count(*) AS total FROM reward_program WHERE business_id = ${businessId}
    ), listed AS (
      SELECT program_id, membership_name, maximum_points_per_order, earn_points, earn_amount, earn_minimum_amount
      FROM reward_program WHERE business_id = ${businessId}
      ORDER BY program_id LIMIT ${page.perPage} OFFSET ${offsetOf(page)}
    )
    SELECT listed.*, counted.total FROM counted LEFT JOIN listed ON true ORDER BY program_id`;
  return pageOf(rows, "program_id");
}

export type ProgramChange = {
  readonly [K in keyof Omit<EarningProgramRow, "program_id">]?: EarningProgramRow[K] | undefined;
};

/**
 * Changes the fields given; the others stay. Records the rules, too.
 * @returns undefined when there is no such program
 */
export async function updateProgram(
  tx: Connection,
  businessId: number,
  programId: number,
  change: ProgramChange,
): Promise<EarningProgramRow | undefined> {
  const [row] = await tx<EarningProgramRow[]>`
    UPDATE reward_program SET membership_name = coalesce(${change.membership_name ?? null}, membership_name),
      maximum_points_per_order =
        coalesce(${change.maximum_points_per_order ?? null}, maximum_points_per_order),
      earn_points = coalesce(${change.earn_points ?? null}, earn_points),
      earn_amount = coalesce(${change.earn_amount ?? null}, earn_amount),
      earn_minimum_amount = coalesce(${change.earn_minimum_amount ?? null}, earn_minimum_amount)
    WHERE business_id = ${businessId} AND program_id = ${programId}
    RETURNING program_id, membership_name, maximum_points_per_order, earn_points, earn_amount, earn_minimum_amount`;
  if (row !== undefined) await recordRules(tx, businessId);
  return row;
}

/** Deletes a program, also as the default program, and records the rules. */
export async function deleteProgram(tx: Connection, businessId: number, programId: number): Promise<void> {
  await tx`
    UPDATE reward_settings SET default_program_id = NULL
    WHERE business_id = ${businessId} AND default_program_id = ${programId}`;
  await tx`DELETE FROM reward_program WHERE business_id = ${businessId} AND program_id = ${programId}`;
  await recordRules(tx, businessId);
}
