import { offsetOf, type Page, type PageRequest } from "../../domain/pagination.ts";
import type { Connection } from "../connection.ts";
import { pageOf } from "../page.ts";

export interface LocationRow {
  readonly location_id: number;
  readonly name: string;
}

/** Makes a location. */
export async function insertLocation(tx: Connection, businessId: number, name: string): Promise<LocationRow> {
  const [row] = await tx<LocationRow[]>`
    INSERT INTO location (business_id, name) VALUES (${businessId}, ${name}) RETURNING location_id, name`;
  return row as LocationRow;
}

/** A page of a business's locations, in the order they were made, with the total. */
export async function listLocations(
  sql: Connection,
  businessId: number,
  page: PageRequest,
): Promise<Page<LocationRow>> {
  const rows = await sql<(LocationRow & { total: number })[]>`
    WITH counted AS MATERIALIZED (SELECT count(*) AS total FROM location WHERE business_id = ${businessId}),
    listed AS (
      SELECT location_id, name FROM location WHERE business_id = ${businessId}
      ORDER BY location_id LIMIT ${page.perPage} OFFSET ${offsetOf(page)}
    )
    SELECT listed.*, counted.total FROM counted LEFT JOIN listed ON true ORDER BY location_id`;
  return pageOf(rows, "location_id");
}

/** Finds a location and locks it to the end of the transaction. */
export async function lockLocation(
  tx: Connection,
  businessId: number,
  locationId: number,
): Promise<LocationRow | undefined> {
  const [row] = await tx<LocationRow[]>`
    SELECT location_id, name FROM location
    WHERE business_id = ${businessId} AND location_id = ${locationId} FOR NO KEY UPDATE`;
  return row;
}

/** Renames a location, whose lock the caller holds. */
export async function renameLocation(
  tx: Connection,
  businessId: number,
  locationId: number,
  name: string,
): Promise<void> {
  await tx`
    UPDATE location SET name = ${name} WHERE business_id = ${businessId} AND location_id = ${locationId}`;
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
