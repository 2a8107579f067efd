/** The sessions of operators who signed in. Only hashes of their tokens are stored. */
import type { OperatorSession } from "../../domain/access/operators.ts";
import {
  confirmedMinutes,
  type Grant,
  idleHours,
  type Operator,
  type Reach,
  sessionDays,
} from "../../domain/access/operators.ts";
import type { Page, PageRequest } from "../../domain/pagination.ts";
import type { Connection } from "../connection.ts";
import { firstRow, newestFirst, readPage, wallClock } from "../rows.ts";
import { fragment } from "../sql.ts";
import { type OperatorPools, recordUse, visibleTo } from "./operators.ts";

const isValid = fragment`s.expires_at > now() AND s.last_seen_at > now() - make_interval(hours => ${idleHours})`;

interface FoundSession extends Grant, OperatorSession {
  readonly operator_id: number;
  readonly name: string;
  readonly is_stale: boolean;
}

/** Finds the operator of a valid session, and records the use of the session, once a minute at most. */
export async function findOperatorBySession(
  { lookUps, sql }: OperatorPools,
  hash: Buffer,
): Promise<Operator | undefined> {
  const row = await firstRow(lookUps<FoundSession[]>`
    SELECT a.operator_id, a.name, a.role, a.business_ids, a.limit_amount, a.limit_points, s.session_id,
      ${wallClock("s.authenticated_at", "UTC")} AS authenticated_at, ${wallClock("s.expires_at", "UTC")} AS expires_at,
      s.authenticated_at > now() - make_interval(mins => ${confirmedMinutes}) AS is_recent,
      s.last_seen_at < now() - interval '1 minute' AS is_stale
    FROM operator_session s JOIN operator_account a ON a.operator_id = s.operator_id
    WHERE s.session_hash = ${hash} AND ${isValid} AND a.enabled`);
  if (row === undefined) return undefined;
  const { operator_id: id, name, role, business_ids, limit_amount, limit_points, ...rest } = row;
  const { is_stale, ...session } = rest;
  if (is_stale) {
    await recordUse(sql`
      UPDATE operator_session SET last_seen_at = now() WHERE session_id = ${session.session_id}`);
  }
  return { kind: "account", id, name, role, business_ids, limit_amount, limit_points, session };
}

/** Opens a session of an account, whose password was given now. */
export async function insertSession(
  tx: Connection,
  operatorId: number,
  hash: Buffer,
  address: string,
): Promise<void> {
  await tx`
    INSERT INTO operator_session (operator_id, session_hash, expires_at, address)
    VALUES (${operatorId}, ${hash}, now() + make_interval(days => ${sessionDays}), ${address})`;
}

/** Ends a session. @returns its account, if the session was valid */
export function endSession(tx: Connection, hash: Buffer) {
  return firstRow(tx<{ operator_id: number; name: string }[]>`
    DELETE FROM operator_session s USING operator_account a
    WHERE s.session_hash = ${hash} AND a.operator_id = s.operator_id AND ${isValid}
    RETURNING a.operator_id, a.name`);
}

export function endSessionsOf(tx: Connection, operatorId: number) {
  return tx`DELETE FROM operator_session WHERE operator_id = ${operatorId}`;
}

/** The times are in UTC. */
export interface SessionRecord {
  readonly session_id: number;
  readonly operator_id: number;
  readonly name: string;
  readonly address: string;
  readonly created_at: string;
  readonly last_seen_at: string;
  readonly expires_at: string;
}

/** Whose sessions an operator sees: its own, or also those of the accounts that it sees. */
export interface SessionsOf {
  readonly operatorId: number | undefined;
  /** Undefined: none besides its own. */
  readonly asks: Reach | undefined;
}

function seenBy({ operatorId, asks }: SessionsOf) {
  const own = fragment`a.operator_id = ${operatorId ?? 0}`;
  return asks === undefined ? own : fragment`(${own} OR ${visibleTo(asks)})`;
}

const columns = fragment`s.session_id, a.operator_id, a.name, s.address, ${wallClock("s.created_at", "UTC")} AS created_at,
  ${wallClock("s.last_seen_at", "UTC")} AS last_seen_at, ${wallClock("s.expires_at", "UTC")} AS expires_at`;

/** @param ofOperator only the sessions of this account */
export function listSessions(
  sql: Connection,
  seen: SessionsOf,
  ofOperator: number | undefined,
  page: PageRequest,
): Promise<Page<SessionRecord>> {
  const from = fragment`FROM operator_session s JOIN operator_account a ON a.operator_id = s.operator_id
    WHERE ${isValid} AND ${seenBy(seen)}
    ${ofOperator === undefined ? fragment`` : fragment`AND a.operator_id = ${ofOperator}`}`;
  return readPage<SessionRecord>(sql, { columns, from, sort: newestFirst("s.session_id") }, page);
}

/** Ends a session by its number. @returns undefined when the operator sees no such session */
export async function revokeSession(
  tx: Connection,
  seen: SessionsOf,
  sessionId: number,
): Promise<SessionRecord | undefined> {
  return firstRow(tx<SessionRecord[]>`
    DELETE FROM operator_session s USING operator_account a
    WHERE s.session_id = ${sessionId} AND a.operator_id = s.operator_id AND ${seenBy(seen)}
    RETURNING ${columns}`);
}

/** Deletes up to `limit` sessions that have ended. @returns how many were deleted */
export async function sweepSessions(sql: Connection, limit: number): Promise<number> {
  const { count } = await sql`
    DELETE FROM operator_session WHERE session_id = ANY (ARRAY(
      SELECT s.session_id FROM operator_session s WHERE NOT (${isValid}) ORDER BY s.session_id LIMIT ${limit}))`;
  return count;
}
