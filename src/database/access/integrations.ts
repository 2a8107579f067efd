import type { Connection } from "../connection.ts";

/** What the service needs to know of an integration to serve it. */
export interface IntegrationRow {
  readonly integration_id: number;
  readonly business_id: number;
  readonly enabled: boolean;
  readonly scopes: readonly string[];
  readonly all_locations: boolean;
  /** The locations it may use: those given to it, or all that the business has. */
  readonly location_ids: readonly number[];
  readonly token_generation: number;
  readonly time_zone: string;
}

/** An integration with its business and locations. @returns undefined when it is gone */
export async function findIntegration(
  sql: Connection,
  integrationId: number,
): Promise<IntegrationRow | undefined> {
  const [row] = await sql<IntegrationRow[]>`
    SELECT i.integration_id, i.business_id, i.enabled, i.scopes, i.all_locations, i.token_generation,
      b.time_zone, i.location_ids
    FROM integration i JOIN business b ON b.business_id = i.business_id
    WHERE i.integration_id = ${integrationId}`;
  if (row === undefined || !row.all_locations) return row;
  return { ...row, location_ids: await findLocationIds(sql, row.business_id) };
}

async function findLocationIds(sql: Connection, businessId: number): Promise<number[]> {
  const rows = await sql<{ location_id: number }[]>`
    SELECT location_id FROM location WHERE business_id = ${businessId}`;
  return rows.map((row) => row.location_id);
}

/** What a token is issued for, with the hashes of the secrets that are valid now. */
export interface CredentialRow extends Omit<IntegrationRow, "all_locations" | "location_ids"> {
  readonly secret_hashes: readonly Buffer[];
}

/** The integration of a client_id. @returns undefined when there is none, or none of its secrets is valid */
export async function findCredentials(sql: Connection, clientId: string): Promise<CredentialRow | undefined> {
  const rows = await sql<(Omit<CredentialRow, "secret_hashes"> & { secret_hash: Buffer })[]>`
    SELECT i.integration_id, i.business_id, i.enabled, i.scopes, i.token_generation, b.time_zone, s.secret_hash
    FROM integration i JOIN business b ON b.business_id = i.business_id
    JOIN integration_secret s ON s.integration_id = i.integration_id
    WHERE i.client_id = ${clientId} AND (s.expires_at IS NULL OR s.expires_at > now())
    ORDER BY s.created_at DESC
    LIMIT 2`;
  const [first] = rows;
  if (first === undefined) return undefined;
  const { secret_hash: _, ...integration } = first;
  return { ...integration, secret_hashes: rows.map((row) => row.secret_hash) };
}
