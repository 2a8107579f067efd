/** The accounts and keys of operators. */
import type { ConsoleLanguage, Grant, Operator, Reach } from "../../domain/access/operators.ts";
import { invitationHours } from "../../domain/access/operators.ts";
import type { Page, PageRequest } from "../../domain/pagination.ts";
import { nameKey } from "../../domain/text.ts";
import type { Connection } from "../connection.ts";
import { firstRow, oldestFirst, readPage, requiredRow, wallClock } from "../rows.ts";
import { assignmentsOf, type ChangeOf, type Fragment, fragment } from "../sql.ts";

/** An account, as operators see it. The times are in UTC. */
export interface AccountRecord extends Grant {
  readonly operator_id: number;
  readonly name: string;
  readonly status: "invited" | "enabled" | "disabled";
  readonly created_at: string;
  readonly last_seen_at: string | null;
}

const accountColumns = fragment`operator_id, name, role, business_ids, limit_amount, limit_points,
  CASE WHEN NOT enabled THEN 'disabled' WHEN password_hash IS NULL THEN 'invited' ELSE 'enabled' END AS status,
  ${wallClock("created_at", "UTC")} AS created_at,
  (SELECT ${wallClock("max(last_seen_at)", "UTC")} FROM operator_session s
    WHERE s.operator_id = operator_account.operator_id) AS last_seen_at`;

/** A condition for the accounts or keys that an operator sees: those with no more businesses and no higher limits than its own. */
export function visibleTo({ business_ids, limit_amount, limit_points }: Reach): Fragment {
  const ofBusinesses =
    business_ids === null ? fragment`true` : fragment`business_ids <@ ${[...business_ids]}::bigint[]`;
  const within = (column: Fragment, limit: number | null) =>
    limit === null ? fragment`true` : fragment`coalesce(${column} <= ${limit}, false)`;
  return fragment`(${ofBusinesses} AND ${within(fragment`limit_amount`, limit_amount)}
    AND ${within(fragment`limit_points`, limit_points)})`;
}

/** Makes other changes of accounts wait until the end of the transaction. */
export function lockAccounts(tx: Connection) {
  return tx`LOCK TABLE operator_account IN SHARE ROW EXCLUSIVE MODE`;
}

/** Whether another account has a name, in any case. */
export async function isNameTaken(tx: Connection, name: string, operatorId = 0): Promise<boolean> {
  const rows = await tx`
    SELECT FROM operator_account WHERE name_key = ${nameKey(name)} AND operator_id <> ${operatorId}`;
  return rows.length > 0;
}

/**
 * Whether another account, which a person has accepted, is an owner of all businesses.
 * @param isUnlimited only one without limits counts
 */
export async function hasOtherOwner(
  tx: Connection,
  operatorId: number,
  isUnlimited: boolean,
): Promise<boolean> {
  const rows = await tx`
    SELECT FROM operator_account
    WHERE operator_id <> ${operatorId} AND role = 'owner' AND business_ids IS NULL AND enabled
      AND password_hash IS NOT NULL
      AND (NOT ${isUnlimited} OR (limit_amount IS NULL AND limit_points IS NULL)) LIMIT 1`;
  return rows.length > 0;
}

export interface NewAccount extends Grant {
  readonly name: string;
}

const invitationEnd = fragment`now() + make_interval(hours => ${invitationHours})`;

interface Invitation {
  /** UTC. */
  readonly invitation_expires_at: string;
}

export function insertAccount(tx: Connection, account: NewAccount, invitationHash: Buffer) {
  return requiredRow(tx<(AccountRecord & Invitation)[]>`
    INSERT INTO operator_account (name, name_key, role, business_ids, limit_amount, limit_points, invitation_hash,
      invitation_expires_at)
    VALUES (${account.name}, ${nameKey(account.name)}, ${account.role}, ${account.business_ids}::bigint[], ${account.limit_amount},
      ${account.limit_points}, ${invitationHash}, ${invitationEnd})
    RETURNING ${accountColumns}, ${wallClock("invitation_expires_at", "UTC")} AS invitation_expires_at`);
}

export function listAccounts(sql: Connection, asks: Reach, page: PageRequest): Promise<Page<AccountRecord>> {
  const from = fragment`FROM operator_account WHERE ${visibleTo(asks)}`;
  return readPage<AccountRecord>(
    sql,
    { columns: accountColumns, from, sort: oldestFirst("operator_id") },
    page,
  );
}

/** @param asks the operator who asks @returns undefined when it sees no such account */
export function findAccount(sql: Connection, asks: Reach, operatorId: number) {
  return firstRow(sql<AccountRecord[]>`
    SELECT ${accountColumns} FROM operator_account
    WHERE operator_id = ${operatorId} AND ${visibleTo(asks)}`);
}

/** Changes some fields, at least one. */
export function updateAccount(
  tx: Connection,
  operatorId: number,
  change: ChangeOf<NewAccount & { readonly enabled: boolean }>,
) {
  const fields = [
    "name",
    "name_key",
    "role",
    "business_ids",
    "limit_amount",
    "limit_points",
    "enabled",
  ] as const;
  const named: ChangeOf<NewAccount & { readonly enabled: boolean; readonly name_key: string }> =
    change.name === undefined ? change : { ...change, name_key: nameKey(change.name) };
  return tx`
    UPDATE operator_account SET ${assignmentsOf(fields, named)} WHERE operator_id = ${operatorId}`;
}

/** Removes the password of an account, and invites its person again. */
export function inviteAgain(tx: Connection, operatorId: number, invitationHash: Buffer) {
  return requiredRow(tx<Invitation[]>`
    UPDATE operator_account
    SET password_hash = NULL, invitation_hash = ${invitationHash}, invitation_expires_at = ${invitationEnd}
    WHERE operator_id = ${operatorId}
    RETURNING ${wallClock("invitation_expires_at", "UTC")} AS invitation_expires_at`);
}

export function endInvitation(tx: Connection, operatorId: number) {
  return tx`
    UPDATE operator_account SET invitation_hash = NULL, invitation_expires_at = NULL
    WHERE operator_id = ${operatorId} AND invitation_hash IS NOT NULL`;
}

/** Finds the account of an invitation that is valid. */
export function findInvited(sql: Connection, invitationHash: Buffer) {
  return firstRow(sql<{ operator_id: number; name: string }[]>`
    SELECT operator_id, name FROM operator_account
    WHERE invitation_hash = ${invitationHash} AND invitation_expires_at > now() AND enabled`);
}

/** Sets the password, once for each invitation. @returns whether the invitation was still valid */
export async function acceptInvitation(tx: Connection, invitationHash: Buffer, passwordHash: string) {
  const { count } = await tx`
    UPDATE operator_account
    SET password_hash = ${passwordHash}, invitation_hash = NULL, invitation_expires_at = NULL
    WHERE invitation_hash = ${invitationHash} AND invitation_expires_at > now() AND enabled`;
  return count === 1;
}

/** The password of the enabled account with a name, in any case. */
export function findPassword(sql: Connection, name: string) {
  return firstRow(sql<{ operator_id: number; name: string; password_hash: string | null }[]>`
    SELECT operator_id, name, password_hash FROM operator_account WHERE name_key = ${nameKey(name)} AND enabled`);
}

/** The password hash of an enabled account, which stays as it is until the end of the transaction. */
export async function holdPassword(tx: Connection, operatorId: number): Promise<string | null | undefined> {
  const row = await firstRow(tx<{ password_hash: string | null }[]>`
    SELECT password_hash FROM operator_account WHERE operator_id = ${operatorId} AND enabled FOR SHARE`);
  return row?.password_hash;
}

/** Replaces a password. @returns whether the account still has the previous one and is enabled */
export async function replacePassword(tx: Connection, operatorId: number, previous: string, hash: string) {
  const { count } = await tx`
    UPDATE operator_account SET password_hash = ${hash}
    WHERE operator_id = ${operatorId} AND password_hash = ${previous} AND enabled`;
  return count === 1;
}

/** The language that a person chose. Rights are cached, and a page that is loaded after the choice needs the new one. */
export async function findLanguage(sql: Connection, operatorId: number): Promise<ConsoleLanguage | null> {
  const row = await firstRow(sql<{ language: ConsoleLanguage | null }[]>`
    SELECT language FROM operator_account WHERE operator_id = ${operatorId}`);
  return row?.language ?? null;
}

/** @param language null: none is chosen any more */
export function updateLanguage(sql: Connection, operatorId: number | null, language: ConsoleLanguage | null) {
  return sql`UPDATE operator_account SET language = ${language} WHERE operator_id = ${operatorId}`;
}

/** A key, as operators see it. The times are in UTC. */
export interface KeyRecord extends Grant {
  readonly key_id: number;
  readonly name: string;
  readonly expires_at: string | null;
  readonly last_used_at: string | null;
  readonly created_at: string;
}

const keyColumns = fragment`key_id, name, role, business_ids, limit_amount, limit_points,
  ${wallClock("expires_at", "UTC")} AS expires_at, ${wallClock("last_used_at", "UTC")} AS last_used_at,
  ${wallClock("created_at", "UTC")} AS created_at`;

/** @param days null: it does not expire */
export function insertKey(tx: Connection, key: NewAccount, secretHash: Buffer, days: number | null) {
  return requiredRow(tx<KeyRecord[]>`
    INSERT INTO operator_key (name, secret_hash, role, business_ids, limit_amount, limit_points, expires_at)
    VALUES (${key.name}, ${secretHash}, ${key.role}, ${key.business_ids}::bigint[], ${key.limit_amount},
      ${key.limit_points}, now() + make_interval(days => ${days}::int))
    RETURNING ${keyColumns}`);
}

export function listKeys(sql: Connection, asks: Reach, page: PageRequest): Promise<Page<KeyRecord>> {
  const from = fragment`FROM operator_key WHERE ${visibleTo(asks)}`;
  return readPage<KeyRecord>(sql, { columns: keyColumns, from, sort: oldestFirst("key_id") }, page);
}

/** Deletes a key. @returns undefined when the operator sees no such key */
export function deleteKey(tx: Connection, asks: Reach, keyId: number) {
  return firstRow(tx<KeyRecord[]>`
    DELETE FROM operator_key WHERE key_id = ${keyId} AND ${visibleTo(asks)} RETURNING ${keyColumns}`);
}

/** The connections that find an operator, and that record the use of its credentials. */
export interface OperatorPools {
  readonly lookUps: Connection;
  readonly sql: Connection;
}

/** Records the use of credentials. They stay valid if it fails, such as in a database that can only be read. */
export async function recordUse(statement: PromiseLike<unknown>): Promise<void> {
  await Promise.resolve(statement).catch(() => undefined);
}

/** Finds the operator of a valid key, and records the use of the key, once a minute at most. */
export async function findOperatorByKey(
  { lookUps, sql }: OperatorPools,
  secretHash: Buffer,
): Promise<Operator | undefined> {
  const row = await firstRow(lookUps<(Grant & { key_id: number; name: string; is_stale: boolean })[]>`
    SELECT key_id, name, role, business_ids, limit_amount, limit_points,
      (last_used_at > now() - interval '1 minute') IS NOT TRUE AS is_stale
    FROM operator_key WHERE secret_hash = ${secretHash} AND (expires_at > now()) IS NOT FALSE`);
  if (row === undefined) return undefined;
  const { key_id, is_stale, ...operator } = row;
  if (is_stale) await recordUse(sql`UPDATE operator_key SET last_used_at = now() WHERE key_id = ${key_id}`);
  return { kind: "key", id: key_id, ...operator };
}

/** Finds the given ids that are not businesses. */
export async function findMissingBusinesses(tx: Connection, ids: readonly number[]): Promise<number[]> {
  const rows = await tx<{ business_id: number }[]>`
    SELECT business_id FROM business WHERE business_id = ANY (${[...ids]}::bigint[])`;
  const present = new Set(rows.map((row) => row.business_id));
  return ids.filter((id) => !present.has(id));
}
