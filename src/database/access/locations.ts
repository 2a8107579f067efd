import { recordTable } from "../catalog/record-table.ts";
import type { Connection } from "../connection.ts";

const locations = recordTable<{ readonly location_id: number; readonly name: string }, "location_id">(
  "location",
  "location_id",
  ["name"],
  "oldest first",
);

export const lockLocation = locations.lock;
export const listLocations = locations.page;

export function insertLocation(tx: Connection, businessId: number, name: string) {
  return locations.insert(tx, businessId, { name });
}

/** Renames a location, whose lock the caller holds. */
export function renameLocation(tx: Connection, businessId: number, locationId: number, name: string) {
  return locations.change(tx, businessId, locationId, { name });
}

/** Which of these are no locations of the business. */
export async function findMissingLocations(
  tx: Connection,
  businessId: number,
  locationIds: readonly number[],
): Promise<number[]> {
  if (locationIds.length === 0) return [];
  const rows = await tx<{ location_id: number }[]>`
    SELECT location_id FROM location
    WHERE business_id = ${businessId} AND location_id = ANY (${locationIds as number[]}::bigint[])`;
  const present = new Set(rows.map((row) => row.location_id));
  return locationIds.filter((locationId) => !present.has(locationId));
}
