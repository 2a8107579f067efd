import { lateReplayHours, type StoredResponse } from "../../domain/idempotency.ts";
import type { MoveState } from "../../domain/moving.ts";
import type { Connection } from "../connection.ts";
import { firstRow } from "../rows.ts";
import { fragment, tableOf } from "../sql.ts";

/** The owner of a key. Two integrations may use the same key. */
export interface KeyOwner {
  readonly businessId: number;
  readonly integrationId: number;
  /** The business that an operator's write names. */
  readonly namedBusinessId?: number | undefined;
}

/** The business to which the keys of operators belong. */
export const keysOfOperators = 0;

/** The keys of operators belong to no business, because a write under such a key may create a business. */
export function operatorKeyOwner(operatorNumber: number, namedBusinessId: number | undefined): KeyOwner {
  return { businessId: keysOfOperators, integrationId: operatorNumber, namedBusinessId };
}

/** What a write must know about its business; null without one. */
interface Claimed {
  readonly events_enabled: boolean | null;
  readonly move_state: MoveState | null;
}

/**
 * Claims a key for the running transaction. Waits while another transaction has claimed the same key.
 * @param businessId the business of the write
 * @returns what the business is like; undefined when a response is already stored under the key
 */
export async function claimKey(
  tx: Connection,
  owner: KeyOwner,
  { key, fingerprint, businessId }: { key: string; fingerprint: string; businessId: number },
): Promise<Claimed | undefined> {
  const rows = await tx<Claimed[]>`
    INSERT INTO idempotency_key (business_id, integration_id, idempotency_key, fingerprint, status, response, named_business_id)
    VALUES (${owner.businessId}, ${owner.integrationId}, ${key}, decode(${fingerprint}, 'hex'), 0, '',
      ${owner.namedBusinessId ?? null}::bigint)
    ON CONFLICT DO NOTHING
    RETURNING (SELECT events_enabled FROM ledger WHERE ledger.business_id = ${businessId}) AS events_enabled,
      (SELECT move_state FROM ledger WHERE ledger.business_id = ${businessId}) AS move_state`;
  return rows[0];
}

/** The member whose personal data a response has, and the response that stays when it is erased. */
export interface PersonalResponse {
  readonly contact_id: number;
  readonly erased_response: string;
}

interface NewResponse {
  readonly status: number;
  readonly body: string;
  readonly personal: PersonalResponse | undefined;
}

/** Stores the response under a key that this transaction claimed. */
export function storeResponse(
  tx: Connection,
  owner: KeyOwner,
  key: string,
  { status, body, personal }: NewResponse,
) {
  return tx`
    UPDATE idempotency_key SET status = ${status}, response = ${body}, contact_id = ${personal?.contact_id ?? null}::bigint,
      erased_response = ${personal?.erased_response ?? null}
    WHERE business_id = ${owner.businessId} AND integration_id = ${owner.integrationId}
      AND idempotency_key = ${key}`;
}

const isLate = fragment`created_at < now() - make_interval(hours => ${lateReplayHours})`;

/** Finds the response stored under a key, and locks the key, so that the commit waits for a standby. */
export function findStoredResponse(tx: Connection, owner: KeyOwner, key: string) {
  return firstRow(tx<StoredResponse[]>`
    SELECT encode(fingerprint, 'hex') AS fingerprint, status, response AS body, ${isLate} AS late FROM idempotency_key
    WHERE business_id = ${owner.businessId} AND integration_id = ${owner.integrationId}
      AND idempotency_key = ${key}
    FOR SHARE`);
}

interface KeyName {
  readonly business_id: number;
  readonly integration_id: number;
  readonly idempotency_key: string;
}

export interface StoredKey extends KeyName, StoredResponse {}

/** A key that is stored with its response. */
export interface NewKey extends StoredKey {
  readonly named_business_id: number | null;
}

export function newKeyOf({ owner, key }: { owner: KeyOwner; key: string }, stored: StoredResponse): NewKey {
  const {
    businessId: business_id,
    integrationId: integration_id,
    namedBusinessId: named_business_id = null,
  } = owner;
  return { business_id, integration_id, idempotency_key: key, named_business_id, ...stored };
}

/**
 * Finds the responses stored under the keys that were used before. LATERAL with OFFSET 0 makes each key one index probe.
 * Without it, the planner chooses another join order for a business that is missing from its statistics.
 */
export function findStoredResponses(tx: Connection, keys: readonly KeyName[]) {
  return tx<StoredKey[]>`
    SELECT kept.*
    FROM ${tableOf("wanted", keys, "business_id bigint, integration_id bigint, idempotency_key text")}
    CROSS JOIN LATERAL (
      SELECT business_id, integration_id, idempotency_key, encode(fingerprint, 'hex') AS fingerprint, status,
        response AS body, ${isLate} AS late
      FROM idempotency_key k
      WHERE k.business_id = wanted.business_id AND k.integration_id = wanted.integration_id
        AND k.idempotency_key = wanted.idempotency_key
      OFFSET 0
    ) AS kept`;
}

/** Inserts keys with their responses. @throws unique_violation when a write has used one of them meanwhile */
export function insertKeys(tx: Connection, keys: readonly NewKey[]) {
  const columns = `business_id bigint, integration_id bigint, idempotency_key text, fingerprint text, status smallint,
    body text, named_business_id bigint`;
  return tx`
    INSERT INTO idempotency_key (business_id, integration_id, idempotency_key, fingerprint, status, response, named_business_id)
    SELECT business_id, integration_id, idempotency_key, decode(fingerprint, 'hex'), status, body, named_business_id
    FROM ${tableOf("used", keys, columns)}`;
}

export interface KeyExpiry {
  readonly days: number;
  /** The time of the service's clock. A key is deleted when it has expired by this clock and by that of the database. */
  readonly serviceTime: Date;
}

/** Deletes up to `limit` of a business's expired keys, oldest first. @returns how many were deleted */
export async function sweepKeys(
  sql: Connection,
  businessId: number,
  { days, serviceTime }: KeyExpiry,
  limit: number,
): Promise<number> {
  const expired = fragment`created_at > '-infinity'
    AND created_at < least(now(), ${serviceTime.toISOString()}::timestamptz) - make_interval(days => ${days})`;
  // The rows are deleted by ctid, because a join might compare each row with each other row. The condition is repeated for rows
  // that were updated meanwhile. IS TRUE prevents an index scan for it.
  const result = await sql`
    DELETE FROM idempotency_key WHERE business_id = ${businessId} AND (${expired}) IS TRUE AND ctid = ANY (ARRAY(
      SELECT ctid FROM idempotency_key WHERE business_id = ${businessId} AND ${expired}
      ORDER BY created_at LIMIT ${limit}
    ))`;
  return result.count;
}
