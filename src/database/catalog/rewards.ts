import { offsetOf, type Page, type PageRequest } from "../../domain/pagination.ts";
import type { Connection } from "../connection.ts";
import { pageOf } from "../page.ts";

export type PeriodUnit = "day" | "week" | "month" | "year";

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

/** Changes the settings given; the others stay. Every business has its one row from the start. */
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
  return row;
}

export interface ProgramRow {
  readonly program_id: number;
  readonly membership_name: string;
  readonly maximum_points_per_order: number;
}

/** Makes a reward program. */
export async function insertProgram(
  tx: Connection,
  businessId: number,
  program: Omit<ProgramRow, "program_id">,
): Promise<ProgramRow> {
  const [row] = await tx<ProgramRow[]>`
    INSERT INTO reward_program (business_id, membership_name, maximum_points_per_order)
    VALUES (${businessId}, ${program.membership_name}, ${program.maximum_points_per_order})
    RETURNING program_id, membership_name, maximum_points_per_order`;
  return row as ProgramRow;
}

/** A page of the reward programs of a business, in the order they were made, with the total. */
export async function listPrograms(
  sql: Connection,
  businessId: number,
  page: PageRequest,
): Promise<Page<ProgramRow>> {
  const rows = await sql<(ProgramRow & { total: number })[]>`
    WITH counted AS MATERIALIZED (
      SELECT count(*) AS total FROM reward_program WHERE business_id = ${businessId}
    ), listed AS (
      SELECT program_id, membership_name, maximum_points_per_order
      FROM reward_program WHERE business_id = ${businessId}
      ORDER BY program_id LIMIT ${page.perPage} OFFSET ${offsetOf(page)}
    )
    SELECT listed.*, counted.total FROM counted LEFT JOIN listed ON true ORDER BY program_id`;
  return pageOf(rows, "program_id");
}

export interface ProgramChange {
  readonly membership_name?: string | undefined;
  readonly maximum_points_per_order?: number | undefined;
}

/** Changes the fields given; the others stay. @returns undefined when there is no such program */
export async function updateProgram(
  tx: Connection,
  businessId: number,
  programId: number,
  change: ProgramChange,
): Promise<ProgramRow | undefined> {
  const [row] = await tx<ProgramRow[]>`
    UPDATE reward_program SET membership_name = coalesce(${change.membership_name ?? null}, membership_name),
      maximum_points_per_order =
        coalesce(${change.maximum_points_per_order ?? null}, maximum_points_per_order)
    WHERE business_id = ${businessId} AND program_id = ${programId}
    RETURNING program_id, membership_name, maximum_points_per_order`;
  return row;
}
