/** What promotions name: tiers, locations, a voucher, and a stamp card. */
import { type FieldError, reject, wrongValue } from "../../contract/declare.ts";
import { type PromotionRow, stampCards, tiers, vouchers } from "../../database/catalog.ts";
import type { Connection } from "../../database/connection.ts";
import { collectsAt } from "../../domain/engine/promotions/acting.ts";
import { rejectMissingLocations } from "../records.ts";
import { problemOfChosen, problemOfPlaces } from "../vouchers/given-vouchers.ts";

/** Rejects tiers, locations, a voucher and a stamp card that the business does not have. */
export async function rejectMissing(tx: Connection, businessId: number, one: Partial<PromotionRow>) {
  const { tier_ids = [], location_ids = [], voucher_id = null, stamp_card_id = null } = one;
  const voucher = voucher_id === null ? undefined : await vouchers.find(tx, businessId, voucher_id);
  if (voucher_id !== null && voucher === undefined) return reject("voucher_not_found");
  const chosen = voucher && problemOfChosen(voucher);
  if (chosen !== undefined) return reject("validation_failed", { errors: [chosen] });
  const present =
    tier_ids.length === 0 ? [] : (await tiers.all(tx, businessId)).map(({ tier_id }) => tier_id);
  const noTiers = tier_ids.filter((id) => !present.includes(id));
  if (noTiers.length > 0) return reject("tier_not_found", { tier_ids: noTiers });
  const missing = await rejectMissingLocations(tx, businessId, location_ids);
  if (missing !== undefined) return missing;
  const problem = await problemOfPlaces(tx, businessId, location_ids, voucher, "promotion");
  if (problem !== undefined) return reject("validation_failed", { errors: [problem] });
  return stamp_card_id === null ? undefined : rejectCard(tx, businessId, stamp_card_id, location_ids);
}

/** Rejects a stamp card that has ended, or that collects stamps at none of some locations. */
async function rejectCard(tx: Connection, businessId: number, id: number, location_ids: readonly number[]) {
  const card = await stampCards.find(tx, businessId, id);
  if (card === undefined) return reject("stamp_card_not_found");
  if (card.status === "ended")
    return rejectedField("stamp_card_id", "must be a stamp card that has not ended");
  if (location_ids.length === 0) return undefined;
  const { location_id = null } = (await vouchers.find(tx, businessId, card.voucher_id)) ?? {};
  const at = { location_ids: card.location_ids, voucher: { location_id } };
  if (location_ids.some((one) => collectsAt(at, one))) return undefined;
  return rejectedField("location_ids", "must contain a location where the stamp card collects stamps");
}

/** Rejects the value of a field. */
export const rejectedField = (field: string, problem: string) =>
  reject("validation_failed", { errors: [wrongValue(field, problem)] });

const fieldsOfMissing: Readonly<Record<string, string>> = {
  tier_not_found: "tier_ids",
  location_not_found: "location_ids",
  stamp_card_not_found: "stamp_card_id",
};

/** What a promotion names that is not there, or archived. */
export async function problemsOfNamed(
  tx: Connection,
  businessId: number,
  one: Partial<PromotionRow>,
): Promise<FieldError[]> {
  const missing = await rejectMissing(tx, businessId, one);
  if (missing === undefined) return [];
  if ("errors" in missing.details) return [...missing.details.errors];
  const field = fieldsOfMissing[missing.code] ?? "voucher_id";
  return [wrongValue(field, "must not name one that is deleted, archived or ended: choose another")];
}
