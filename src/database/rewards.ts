import type { Connection } from "./connection.ts";

export type PeriodUnit = "day" | "week" | "month" | "year";

export interface RewardSettingsRow {
  readonly enable_rp: boolean;
  readonly rp_name: string;
  readonly rp_sales_calculation_period: number;
  readonly rp_sales_calculation_period_type: PeriodUnit;
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
