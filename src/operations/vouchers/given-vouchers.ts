/** What keeps a promotion, stamp card or occasion from ever giving its voucher, or from acting anywhere. */
import { type FieldError, wrongValue } from "../../contract/declare.ts";
import { locations, type VoucherRow } from "../../database/catalog.ts";
import type { Connection } from "../../database/connection.ts";

/** Why a voucher can't be chosen to be given. */
export function problemOfChosen({ archived, kind, coupon_value }: VoucherRow): FieldError | undefined {
  if (archived) return wrongValue("voucher_id", "must be a voucher that is not archived");
  if (kind !== "value" || coupon_value > 0) return undefined;
  const problem = "must be a voucher that pays something: its kind is value, and its coupon_value is 0";
  return wrongValue("voucher_id", problem);
}

/** Why nothing can be given at some locations. @param giver what gives the voucher, if there is one */
export async function problemOfPlaces(
  tx: Connection,
  businessId: number,
  location_ids: readonly number[],
  { location_id }: Pick<VoucherRow, "location_id"> = { location_id: null },
  giver = "card",
): Promise<FieldError | undefined> {
  if (location_ids.length === 0) return undefined;
  if (location_id !== null && !location_ids.includes(location_id)) {
    const problem = `must contain location ${location_id}: the voucher of the ${giver} can be used only there`;
    return wrongValue("location_ids", problem);
  }
  for (const id of location_ids) {
    const location = await locations.find(tx, businessId, id);
    if (location?.closed === false) return undefined;
  }
  return wrongValue("location_ids", "must contain a location that is not closed");
}
