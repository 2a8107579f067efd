import type { StoredResponse } from "../../domain/idempotency.ts";
import type { Connection } from "../connection.ts";
import { firstRow } from "../rows.ts";
import { fragment, tableOf } from "../sql.ts";

/** Whose key it is: keys of two integrations never meet. */
export interface KeyOwner {
  readonly businessId: number;
  readonly integrationId: number;
}

/**
 * Takes a key for the running transaction. Waits while another transaction holds the same key, and then
 * finds it kept if that one committed.
 * @returns whether the key is now ours; false when a response is already kept under it
 */
export async function claimKey(
  tx: Connection,
  owner: KeyOwner,
  key: string,
  fingerprint: string,
): Promise<boolean> {
  const rows = await tx`
    INSERT INTO idempotency_key (business_id, integration_id, idempotency_key, fingerprint, status, answer)
    VALUES (${owner.businessId}, ${owner.integrationId}, ${key}, decode(${fingerprint}, 'hex'), 0, '')
    ON CONFLICT DO NOTHING
    RETURNING 1`;
  return rows.length === 1;
}

/** Stores the response under a key that this transaction claimed. */
export function storeResponse(tx: Connection, owner: KeyOwner, key: string, status: number, answer: string) {
  return tx`
    UPDATE idempotency_key SET status = ${status}, answer = ${answer}
    WHERE business_id = ${owner.businessId} AND integration_id = ${owner.integrationId}
      AND idempotency_key = ${key}`;
}

/**
 * Returns the response kept under a key, and locks the key, because only a transaction that wrote or locked
 * something waits for its standby at the commit.
 */
export function findStoredResponse(tx: Connection, owner: KeyOwner, key: string) {
  return firstRow(tx<StoredResponse[]>`
    SELECT encode(fingerprint, 'hex') AS fingerprint, status, answer AS body FROM idempotency_key
    WHERE business_id = ${owner.businessId} AND integration_id = ${owner.integrationId}
      AND idempotency_key = ${key}
    FOR SHARE`);
}

export interface StoredKey extends StoredResponse {
  readonly business_id: number;
  readonly integration_id: number;
  readonly idempotency_key: string;
}

/**
 * The responses kept under those of the keys that were used before. Each key is one index probe: LATERAL with OFFSET 0
 * keeps the planner from another join order, which it would choose for a business that its statistics don't know yet.
 */
export function findStoredResponses(tx: Connection, keys: readonly Omit<StoredKey, keyof StoredResponse>[]) {
  return tx<StoredKey[]>`
    SELECT kept.*
    FROM ${tableOf("wanted", keys, "business_id bigint, integration_id bigint, idempotency_key text")}
    CROSS JOIN LATERAL (
      SELECT business_id, integration_id, idempotency_key, encode(fingerprint, 'hex') AS fingerprint, status,
        answer AS body
      FROM idempotency_key k
      WHERE k.business_id = wanted.business_id AND k.integration_id = wanted.integration_id
        AND k.idempotency_key = wanted.idempotency_key
      OFFSET 0
    ) AS kept`;
}

/**
 * Inserts keys with their responses.
 * @throws unique_violation when a write has used one of the keys since they were looked up
 */
export function insertKeys(tx: Connection, keys: readonly StoredKey[]) {
  const columns = `business_id bigint, integration_id bigint, idempotency_key text, fingerprint text, status smallint,
    body text`;
  return tx`
    INSERT INTO idempotency_key (business_id, integration_id, idempotency_key, fingerprint, status, answer)
    SELECT business_id, integration_id, idempotency_key, decode(fingerprint, 'hex'), status, body
    FROM ${tableOf("used", keys, columns)}`;
}

/** Since when a key has expired. */
export interface KeyExpiry {
  readonly days: number;
  /** The time by the service's clock: a key is swept when it has expired by this clock and by the database's. */
  readonly serviceTime: Date;
}

/**
 * Deletes up to `limit` of a business's expired keys, oldest first.
 * @returns how many were deleted
 */
export async function sweepKeys(
  sql: Connection,
  businessId: number,
  { days, serviceTime }: KeyExpiry,
  limit: number,
): Promise<number> {
  const expired = fragment`created_at > '-infinity'
    AND created_at < least(now(), ${serviceTime.toISOString()}::timestamptz) - make_interval(days => ${days})`;
  // By ctid, since a join with the keys found may compare each with each. A row that another transaction has updated
  // meanwhile is checked again; IS TRUE keeps that condition from being looked up in an index.
  const result = await sql`
    DELETE FROM idempotency_key WHERE business_id = ${businessId} AND (${expired}) IS TRUE AND ctid = ANY (ARRAY(
      SELECT ctid FROM idempotency_key WHERE business_id = ${businessId} AND ${expired}
      ORDER BY created_at LIMIT ${limit}
    ))`;
  return result.count;
}
