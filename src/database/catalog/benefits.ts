import { offsetOf, type Page, type PageRequest } from "../../domain/pagination.ts";
import type { Connection } from "../connection.ts";
import { pageOf } from "../page.ts";

export type BenefitStatus = "active" | "inactive";

export interface BenefitRow {
  readonly benefit_id: number;
  readonly title: string;
  readonly amount: number;
  readonly promo_amount: number;
  readonly status: BenefitStatus;
}

/** Makes a top-up benefit. */
export async function insertBenefit(
  tx: Connection,
  businessId: number,
  benefit: Omit<BenefitRow, "benefit_id"> & { location_id: number },
): Promise<BenefitRow> {
  const [row] = await tx<BenefitRow[]>`
    INSERT INTO topup_benefit (business_id, title, amount, promo_amount, status, location_id)
    VALUES (${businessId}, ${benefit.title}, ${benefit.amount}, ${benefit.promo_amount}, ${benefit.status},
      ${benefit.location_id})
    RETURNING benefit_id, title, amount, promo_amount, status`;
  return row as BenefitRow;
}

/** A page of the top-up benefits of a business with their locations, newest first, with the total. */
export async function listBenefits(
  sql: Connection,
  businessId: number,
  page: PageRequest,
): Promise<Page<BenefitRow & { location_id: number }>> {
  const rows = await sql<(BenefitRow & { location_id: number; total: number })[]>`
    WITH counted AS MATERIALIZED (
      SELECT count(*) AS total FROM topup_benefit WHERE business_id = ${businessId}
    ), listed AS (
      SELECT benefit_id, title, amount, promo_amount, status, location_id
      FROM topup_benefit WHERE business_id = ${businessId}
      ORDER BY benefit_id DESC LIMIT ${page.perPage} OFFSET ${offsetOf(page)}
    )
    SELECT listed.*, counted.total FROM counted LEFT JOIN listed ON true ORDER BY benefit_id DESC`;
  return pageOf(rows, "benefit_id");
}

/** The location of a benefit. @returns undefined when there is no such benefit */
export async function findBenefitLocation(
  tx: Connection,
  businessId: number,
  benefitId: number,
): Promise<{ location_id: number } | undefined> {
  const [row] = await tx<{ location_id: number }[]>`
    SELECT location_id FROM topup_benefit WHERE business_id = ${businessId} AND benefit_id = ${benefitId}`;
  return row;
}

/** Finds a benefit and locks it to the end of the transaction. */
export async function lockBenefit(
  tx: Connection,
  businessId: number,
  benefitId: number,
): Promise<(BenefitRow & { location_id: number }) | undefined> {
  const [row] = await tx<(BenefitRow & { location_id: number })[]>`
    SELECT benefit_id, title, amount, promo_amount, status, location_id
    FROM topup_benefit WHERE business_id = ${businessId} AND benefit_id = ${benefitId} FOR NO KEY UPDATE`;
  return row;
}

export interface BenefitChange {
  readonly title?: string | undefined;
  readonly promo_amount?: number | undefined;
  readonly status?: BenefitStatus | undefined;
}

/** Changes the fields given; the others stay. @returns undefined when there is no such benefit */
export async function updateBenefit(
  tx: Connection,
  businessId: number,
  benefitId: number,
  change: BenefitChange,
): Promise<Omit<BenefitRow, "amount"> | undefined> {
  const [row] = await tx<Omit<BenefitRow, "amount">[]>`
    UPDATE topup_benefit SET title = coalesce(${change.title ?? null}, title),
      promo_amount = coalesce(${change.promo_amount ?? null}, promo_amount),
      status = coalesce(${change.status ?? null}, status)
    WHERE business_id = ${businessId} AND benefit_id = ${benefitId}
    RETURNING benefit_id, title, promo_amount, status`;
  return row;
}
