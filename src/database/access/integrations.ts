/** Integrations and their secrets, for requests and for operators. */
import { randomInt } from "node:crypto";
import type { MoveState } from "../../domain/moving.ts";
import type { PageRequest } from "../../domain/pagination.ts";
import type { Connection } from "../connection.ts";
import { type BusinessTime, firstRow, newestFirst, readPage, requiredRow, wallClock } from "../rows.ts";
import { assignmentsOf, type ChangeOf, fragment, raw } from "../sql.ts";
import { deleteEndpointsOf, releaseEndpointsOf } from "../webhooks/endpoints.ts";

/** The fields of an integration that its requests need. */
export interface IntegrationRow {
  readonly integration_id: number;
  readonly business_id: number;
  readonly enabled: boolean;
  readonly scopes: readonly string[];
  readonly all_locations: boolean;
  /** Those of the business where partners record nothing any more. */
  readonly closed_location_ids: readonly number[];
  /** The locations that it may use: those of its grant, or all locations of the business. */
  readonly location_ids: readonly number[];
  readonly token_generation: number;
  readonly time_zone: string;
  /** Whether its business is a sandbox. A sandbox can be deleted while requests are under way. */
  readonly sandbox: boolean;
  readonly country: string | null;
  readonly move_state: MoveState | null;
}

/** Finds an integration with its business and locations. @returns undefined when it does not exist */
export async function findIntegration(
  sql: Connection,
  integrationId: number,
): Promise<IntegrationRow | undefined> {
  const integration = await firstRow(sql<IntegrationRow[]>`
    SELECT i.integration_id, i.business_id, i.enabled, i.scopes, i.all_locations, i.token_generation,
      b.time_zone, b.country, i.location_ids, l.clock_at IS NOT NULL AS sandbox,
      l.move_state,
      ARRAY(SELECT location_id FROM location WHERE business_id = i.business_id AND closed) AS closed_location_ids
    FROM integration i JOIN business b ON b.business_id = i.business_id
    JOIN ledger l ON l.business_id = i.business_id
    WHERE i.integration_id = ${integrationId}`);
  if (integration === undefined || !integration.all_locations) return integration;
  const locations = await sql<{ location_id: number }[]>`
    SELECT location_id FROM location WHERE business_id = ${integration.business_id}`;
  return { ...integration, location_ids: locations.map(({ location_id }) => location_id) };
}

/** An integration that asks for a token, with the hashes of its valid secrets. */
export interface CredentialRow
  extends Omit<
    IntegrationRow,
    | "all_locations"
    | "location_ids"
    | "closed_location_ids"
    | "time_zone"
    | "country"
    | "sandbox"
    | "move_state"
  > {
  /** The given instant in wall-clock time of the business, YYYY-MM-DD HH:MM:SS. */
  readonly expires_at: string;
  readonly secret_hashes: readonly Buffer[];
}

/**
 * Finds the integration of a client_id.
 * @param expiresAt an instant in seconds since the epoch, to be returned in wall-clock time
 * @returns undefined when there is none, or none of its secrets is valid
 */
export async function findCredentials(
  sql: Connection,
  clientId: string,
  expiresAt: number,
): Promise<CredentialRow | undefined> {
  const rows = await sql<(Omit<CredentialRow, "secret_hashes"> & { secret_hash: Buffer })[]>`
    SELECT i.integration_id, i.business_id, i.enabled, i.scopes, i.token_generation, s.secret_hash,
      ${wallClock(fragment`to_timestamp(${expiresAt})`, raw("b.time_zone"))} AS expires_at
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

/** The rights that an operator gives an integration. */
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
  ${wallClock("created_at", timeZone)} AS created_at`;

/** Makes an enabled integration without a secret. */
export function insertIntegration(
  tx: Connection,
  { businessId, timeZone }: BusinessTime,
  clientId: string,
  grant: IntegrationGrant,
) {
  return requiredRow(tx<IntegrationRecord[]>`
    INSERT INTO integration (business_id, name, client_id, scopes, all_locations, location_ids, token_generation)
    VALUES (${businessId}, ${grant.name}, ${clientId}, ${grant.scopes}, ${grant.all_locations},
      ${grant.location_ids}::bigint[], ${newTokenGeneration()})
    RETURNING ${columns(timeZone)}`);
}

export function listIntegrations(sql: Connection, { businessId, timeZone }: BusinessTime, page: PageRequest) {
  const from = fragment`FROM integration WHERE business_id = ${businessId}`;
  const list = { columns: columns(timeZone), from, sort: newestFirst("integration_id") };
  return readPage<IntegrationRecord>(sql, list, page);
}

/** @returns undefined when the business has no such integration */
export function findIntegrationRecord(
  sql: Connection,
  { businessId, timeZone }: BusinessTime,
  integrationId: number,
  lock = fragment``,
) {
  return firstRow(sql<IntegrationRecord[]>`
    SELECT ${columns(timeZone)} FROM integration
    WHERE business_id = ${businessId} AND integration_id = ${integrationId} ${lock}`);
}

/** Finds an integration and locks it to the end of the transaction. The lock protects its secrets, too. */
export function lockIntegration(tx: Connection, owner: BusinessTime, integrationId: number) {
  return findIntegrationRecord(tx, owner, integrationId, fragment`FOR UPDATE`);
}

/**
 * Makes a random generation of tokens, which ends all earlier tokens. A counter could repeat after a restore. A token of an
 * integration that was made and deleted after the backup would then be valid for another integration with its id.
 */
export function newTokenGeneration(): number {
  return randomInt(1, 2 ** 31 - 1);
}

interface IntegrationSettings extends IntegrationGrant {
  readonly enabled: boolean;
  readonly token_generation: number;
}

/** Changes some fields, at least one. The caller holds the integration's lock. */
export async function updateIntegration(
  tx: Connection,
  businessId: number,
  integrationId: number,
  change: ChangeOf<IntegrationSettings>,
): Promise<void> {
  const fields = ["name", "scopes", "all_locations", "location_ids", "enabled", "token_generation"] as const;
  await tx`
    UPDATE integration SET ${assignmentsOf<IntegrationSettings>(fields, change)}
    WHERE business_id = ${businessId} AND integration_id = ${integrationId}`;
  await releaseEndpointsOf(tx, businessId, integrationId);
}

/** Deletes an integration with its secrets and webhook endpoints. The caller holds its lock. */
export async function deleteIntegration(tx: Connection, businessId: number, integrationId: number) {
  await deleteEndpointsOf(tx, businessId, integrationId);
  await tx`DELETE FROM integration WHERE business_id = ${businessId} AND integration_id = ${integrationId}`;
}

export function insertSecret(tx: Connection, businessId: number, integrationId: number, hash: Buffer) {
  return tx`
    INSERT INTO integration_secret (business_id, integration_id, secret_hash)
    VALUES (${businessId}, ${integrationId}, ${hash})`;
}

/**
 * Adds a new secret. The previous secret stays valid for a while. Older secrets end now. The caller holds the integration's lock.
 * @returns the end of the previous secret in wall-clock time, YYYY-MM-DD HH:MM:SS; null when it has ended
 */
export async function replaceSecret(
  tx: Connection,
  { businessId, timeZone }: BusinessTime,
  integrationId: number,
  hash: Buffer,
  overlapSeconds: number,
): Promise<string | null> {
  await tx`
    DELETE FROM integration_secret
    WHERE integration_id = ${integrationId} AND (expires_at IS NOT NULL OR ${overlapSeconds} = 0)`;
  const [previous] = await tx<{ expires_at: string }[]>`
    UPDATE integration_secret SET expires_at = now() + make_interval(secs => ${overlapSeconds})
    WHERE integration_id = ${integrationId}
    RETURNING ${wallClock("expires_at", timeZone)} AS expires_at`;
  await insertSecret(tx, businessId, integrationId, hash);
  return previous?.expires_at ?? null;
}

export interface SecretRow {
  /** Wall-clock time of the business, YYYY-MM-DD HH:MM:SS. */
  readonly created_at: string;
  readonly expires_at: string | null;
}

/** The times of the secrets that are valid now, newest first. */
export function listSecrets(sql: Connection, integrationId: number, timeZone: string) {
  return sql<SecretRow[]>`
    SELECT ${wallClock("created_at", timeZone)} AS created_at,
      ${wallClock("expires_at", timeZone)} AS expires_at
    FROM integration_secret
    WHERE integration_id = ${integrationId} AND (expires_at IS NULL OR expires_at > now())
    ORDER BY integration_secret.created_at DESC`;
}
