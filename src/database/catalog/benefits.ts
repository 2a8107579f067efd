import type { Connection } from "../connection.ts";
import { first } from "../rows.ts";
import { type ChangeOf, recordTable } from "./record-table.ts";

export interface BenefitRow {
  readonly benefit_id: number;
  readonly title: string;
  readonly amount: number;
  readonly promo_amount: number;
  readonly status: "active" | "inactive";
  readonly location_id: number;
}

const benefits = recordTable<BenefitRow, "benefit_id">(
  "topup_benefit",
  "benefit_id",
  ["title", "amount", "promo_amount", "status", "location_id"],
  "newest first",
);

export const lockBenefit = benefits.lock;
export const listBenefits = benefits.page;

/** Makes a top-up benefit. @returns it without its location */
export async function insertBenefit(
  tx: Connection,
  businessId: number,
  benefit: Omit<BenefitRow, "benefit_id">,
): Promise<Omit<BenefitRow, "location_id">> {
  const { location_id: _, ...made } = await benefits.insert(tx, businessId, benefit);
  return made;
}

/** The location of a benefit. @returns undefined when there is no such benefit */
export function findBenefitLocation(tx: Connection, businessId: number, benefitId: number) {
  return first(tx<{ location_id: number }[]>`
    SELECT location_id FROM topup_benefit WHERE business_id = ${businessId} AND benefit_id = ${benefitId}`);
}

/** Changes the fields given; the others stay. @returns what may change, or undefined when there is no such benefit */
export async function updateBenefit(
  tx: Connection,
  businessId: number,
  benefitId: number,
  change: ChangeOf<Pick<BenefitRow, "title" | "promo_amount" | "status">>,
): Promise<Omit<BenefitRow, "amount" | "location_id"> | undefined> {
  const changed = await benefits.change(tx, businessId, benefitId, change);
  if (changed === undefined) return undefined;
  const { amount: _, location_id: __, ...benefit } = changed;
  return benefit;
}
