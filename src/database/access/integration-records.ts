/** Integrations as their operator sees and changes them. */
import { randomInt } from "node:crypto";
import { offsetOf, type Page, type PageRequest } from "../../domain/pagination.ts";
import type { Connection } from "../connection.ts";
import { pageOf } from "../page.ts";
import { fragment } from "../sql.ts";

/** What an operator gives an integration. */
export interface IntegrationGrant {
  readonly name: string;
  readonly scopes: string[];
  readonly all_locations: boolean;
  readonly location_ids: number[];
}

export interface IntegrationRecord extends IntegrationGrant {
  readonly integration_id: number;
  readonly client_id: string;
  readonly enabled: boolean;
  /** Wall-clock time of the business, YYYY-MM-DD HH:MM:SS. */
  readonly created_at: string;
}

const columns = (timeZone: string) => fragment`
  integration_id, name, client_id, scopes, all_locations, location_ids, enabled,
  to_char(created_at AT TIME ZONE ${timeZone}, 'YYYY-MM-DD HH24:MI:SS') AS created_at`;

/** The business of the integrations, and the time zone of their times. */
export interface IntegrationOwner {
  readonly businessId: number;
  readonly timeZone: string;
}

/** Makes an enabled integration without a secret. */
export async function insertIntegration(
  tx: Connection,
  { businessId, timeZone }: IntegrationOwner,
  clientId: string,
  grant: IntegrationGrant,
): Promise<IntegrationRecord> {
  const [row] = await tx<IntegrationRecord[]>`
    INSERT INTO integration (business_id, name, client_id, scopes, all_locations, location_ids, token_generation)
    VALUES (${businessId}, ${grant.name}, ${clientId}, ${grant.scopes}, ${grant.all_locations},
      ${grant.location_ids}::bigint[], ${newGeneration()})
    RETURNING ${columns(timeZone)}`;
  return row as IntegrationRecord;
}

/** A page of a business's integrations, newest first, with the total. */
export async function listIntegrations(
  sql: Connection,
  { businessId, timeZone }: IntegrationOwner,
  page: PageRequest,
): Promise<Page<IntegrationRecord>> {
  const rows = await sql<(IntegrationRecord & { total: number })[]>`
    WITH counted AS MATERIALIZED (SELECT count(*) AS total FROM integration WHERE business_id = ${businessId}),
    listed AS (
      SELECT ${columns(timeZone)} FROM integration WHERE business_id = ${businessId}
      ORDER BY integration_id DESC LIMIT ${page.perPage} OFFSET ${offsetOf(page)}
    )
    SELECT listed.*, counted.total FROM counted LEFT JOIN listed ON true ORDER BY integration_id DESC`;
  return pageOf(rows, "integration_id");
}

/** @returns undefined when the business has no such integration */
export async function findIntegrationRecord(
  sql: Connection,
  { businessId, timeZone }: IntegrationOwner,
  integrationId: number,
): Promise<IntegrationRecord | undefined> {
  const [row] = await sql<IntegrationRecord[]>`
    SELECT ${columns(timeZone)} FROM integration
    WHERE business_id = ${businessId} AND integration_id = ${integrationId}`;
  return row;
}

/** Finds an integration and locks it, and with it its secrets, to the end of the transaction. */
export async function lockIntegration(
  tx: Connection,
  { businessId, timeZone }: IntegrationOwner,
  integrationId: number,
): Promise<IntegrationRecord | undefined> {
  const [row] = await tx<IntegrationRecord[]>`
    SELECT ${columns(timeZone)} FROM integration
    WHERE business_id = ${businessId} AND integration_id = ${integrationId} FOR UPDATE`;
  return row;
}

/** Replaces what an integration is given. The caller holds its lock. */
export async function updateGrant(
  tx: Connection,
  businessId: number,
  integrationId: number,
  grant: IntegrationGrant,
): Promise<void> {
  await tx`
    UPDATE integration SET name = ${grant.name}, scopes = ${grant.scopes},
      all_locations = ${grant.all_locations}, location_ids = ${grant.location_ids}::bigint[]
    WHERE business_id = ${businessId} AND integration_id = ${integrationId}`;
}

/**
 * A random generation of tokens. A counted one could repeat after a restore: the token of an integration that
 * was deleted after the backup would then be valid for another one with its id.
 */
function newGeneration(): number {
  return randomInt(1, 2 ** 31 - 1);
}

/** Enables an integration, or disables it, which also ends its tokens for good. The caller holds its lock. */
export async function setEnabled(
  tx: Connection,
  businessId: number,
  integrationId: number,
  enabled: boolean,
): Promise<void> {
  await tx`
    UPDATE integration SET enabled = ${enabled},
      token_generation = CASE WHEN ${enabled} THEN token_generation ELSE ${newGeneration()} END
    WHERE business_id = ${businessId} AND integration_id = ${integrationId}`;
}

/** Ends every token issued so far. The caller holds the integration's lock. */
export async function endTokens(tx: Connection, businessId: number, integrationId: number): Promise<void> {
  await tx`
    UPDATE integration SET token_generation = ${newGeneration()}
    WHERE business_id = ${businessId} AND integration_id = ${integrationId}`;
}

/** Deletes an integration with its secrets. The caller holds its lock. */
export async function deleteIntegration(
  tx: Connection,
  businessId: number,
  integrationId: number,
): Promise<void> {
  await tx`DELETE FROM integration WHERE business_id = ${businessId} AND integration_id = ${integrationId}`;
}
