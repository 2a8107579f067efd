/** Passes for Apple Wallet: what signs them, which pass a member has, and the phones that are told of changes. */
import type { Connection } from "./connection.ts";
import { lastEventNo } from "./events.ts";
import { firstRow, requiredRow } from "./rows.ts";
import { fragment, raw, tableOf } from "./sql.ts";

export interface AppleWallet {
  readonly pass_type: string;
  readonly team: string;
  readonly subject: string;
  /** As ISO 8601. */
  readonly ends_at: string;
  readonly sealed: string;
}

const isoOf = (column: string) => raw(`to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`);
const setUpColumns = fragment`w.pass_type, w.team, w.subject, ${isoOf("w.ends_at")} AS ends_at, w.sealed`;

/** A business that moves to another database accepts nothing that would be lost. */
const staysHere = (businessId: string) =>
  raw(`NOT EXISTS (
  SELECT FROM ledger l WHERE l.business_id = ${businessId} AND l.move_state <> 'copying')`);

/** What signs passes, encrypted; null without a valid certificate. */
export const signsPasses = (businessId: string) =>
  raw(`(
  SELECT w.sealed FROM apple_wallet AS w WHERE w.business_id = ${businessId} AND w.ends_at > now())`);

export function findAppleWallet(sql: Connection, businessId: number) {
  return firstRow(sql<
    (AppleWallet & { readonly is_here: boolean; readonly passes: number; readonly phones: number })[]
  >`
    SELECT ${setUpColumns}, ${staysHere("w.business_id")} AS is_here,
      (SELECT count(*) FROM wallet_pass AS p WHERE p.business_id = w.business_id) AS passes,
      (SELECT count(DISTINCT d.device_hash) FROM wallet_pass_device AS d WHERE d.business_id = w.business_id) AS phones
    FROM apple_wallet AS w WHERE w.business_id = ${businessId}`);
}

/** What a request about a pass needs. */
export function findSignature(sql: Connection, businessId: number) {
  return firstRow(sql<(AppleWallet & { readonly is_here: boolean; readonly set_up_at: string })[]>`
    SELECT ${setUpColumns}, ${staysHere("w.business_id")} AS is_here, extract(epoch FROM w.created_at)::text AS set_up_at
    FROM apple_wallet AS w WHERE w.business_id = ${businessId}`);
}

/** Sets passes up, or renews the certificate. Passes of another type are deleted: no phone can update them any more. */
export async function putAppleWallet(tx: Connection, businessId: number, given: AppleWallet): Promise<void> {
  const { pass_type, team, subject, ends_at, sealed } = given;
  await tx`DELETE FROM apple_wallet WHERE business_id = ${businessId} AND pass_type <> ${pass_type}`;
  await tx`
    INSERT INTO apple_wallet (business_id, pass_type, team, subject, ends_at, sealed, cursor_event_no)
    VALUES (${businessId}, ${pass_type}, ${team}, ${subject}, ${ends_at}::timestamptz, ${sealed}, ${lastEventNo(businessId)})
    ON CONFLICT (business_id) DO UPDATE
      SET team = excluded.team, subject = excluded.subject, ends_at = excluded.ends_at, sealed = excluded.sealed`;
}

/** Deletes what signs passes, the passes and their phones. */
export const deleteWallet = (tx: Connection, businessId: number) =>
  tx`DELETE FROM apple_wallet WHERE business_id = ${businessId}`;

/** Forgets the phones of all businesses, because those of a copy ask the original. */
export const forgetPhones = (tx: Connection) => tx`DELETE FROM wallet_pass_device`;

/** Remembers that a member has downloaded a pass. */
export function putPass(
  sql: Connection,
  businessId: number,
  pass: Pick<StoredPass, "page_generation" | "contact_id"> & {
    readonly serial: string;
    readonly hash: Buffer;
  },
) {
  return sql`
    INSERT INTO wallet_pass (business_id, serial_number, contact_id, page_generation, authentication_hash)
    VALUES (${businessId}, ${pass.serial}, ${pass.contact_id}, ${pass.page_generation}, ${pass.hash})
    ON CONFLICT (business_id, serial_number) DO UPDATE SET sent_changes = wallet_pass.changes`;
}

export interface StoredPass {
  readonly contact_id: number;
  /** The address of the member's page from which it came. With another address, it is void. */
  readonly page_generation: number;
  readonly authentication_hash: Buffer;
  /** When it changed, and the time now, in whole seconds since the epoch. */
  readonly changed: number;
  readonly asked: number;
  /** Without events, nothing says when the pass changed. */
  readonly events_enabled: boolean;
}

export function findPass(sql: Connection, businessId: number, passType: string, serial: string) {
  return firstRow(sql<StoredPass[]>`
    SELECT p.contact_id, p.page_generation, p.authentication_hash, floor(extract(epoch FROM p.changed_at))::bigint AS changed,
      floor(extract(epoch FROM clock_timestamp()))::bigint AS asked, l.events_enabled
    FROM wallet_pass AS p JOIN apple_wallet AS w ON w.business_id = p.business_id AND w.pass_type = ${passType}
    JOIN ledger AS l ON l.business_id = p.business_id
    WHERE p.business_id = ${businessId} AND p.serial_number = ${serial}`);
}

/** A pass is on few phones, so further registrations end the oldest ones. */
const mostPhones = 20;

/** Registers a phone for a pass. @returns whether it was not registered before */
export async function registerPhone(
  tx: Connection,
  businessId: number,
  serial: string,
  device: Buffer,
  pushToken: string,
): Promise<boolean> {
  const { is_new } = await requiredRow(tx<{ is_new: boolean }[]>`
    INSERT INTO wallet_pass_device AS d (business_id, device_hash, serial_number, contact_id, push_token)
    SELECT business_id, ${device}, serial_number, contact_id, ${pushToken} FROM wallet_pass
    WHERE business_id = ${businessId} AND serial_number = ${serial}
    ON CONFLICT (business_id, device_hash, serial_number) DO UPDATE SET push_token = excluded.push_token
    RETURNING xmax = 0 AS is_new`);
  if (!is_new) return false;
  // What has changed since the download is told at once.
  await tx`
    UPDATE wallet_pass SET pushed_changes = least(pushed_changes, sent_changes), next_push_at = now()
    WHERE business_id = ${businessId} AND serial_number = ${serial} AND changes > sent_changes`;
  await tx`
      DELETE FROM wallet_pass_device WHERE business_id = ${businessId} AND serial_number = ${serial}
        AND device_hash IN (
          SELECT device_hash FROM wallet_pass_device WHERE business_id = ${businessId} AND serial_number = ${serial}
          ORDER BY registered_at DESC OFFSET ${mostPhones})`;
  return true;
}

export const forgetPhone = (sql: Connection, businessId: number, serial: string, device: Buffer) => sql`
  DELETE FROM wallet_pass_device
  WHERE business_id = ${businessId} AND serial_number = ${serial} AND device_hash = ${device}`;

/** The passes on a phone that have changed after a time. @param since as `tag` of an earlier answer; null: all */
export function listChangedPasses(
  sql: Connection,
  businessId: number,
  { passType, device, since }: { passType: string; device: Buffer; since: string | null },
) {
  return sql<{ serial_number: string; tag: string }[]>`
    SELECT p.serial_number, floor(extract(epoch FROM p.changed_at) * 1000000)::bigint::text AS tag
    FROM wallet_pass_device AS d
    JOIN wallet_pass AS p ON p.business_id = d.business_id AND p.serial_number = d.serial_number
    JOIN apple_wallet AS w ON w.business_id = d.business_id AND w.pass_type = ${passType}
    WHERE d.business_id = ${businessId} AND d.device_hash = ${device}
      AND (${since}::bigint IS NULL OR floor(extract(epoch FROM p.changed_at) * 1000000) > ${since}::bigint)
    ORDER BY p.changed_at`;
}

const changed = fragment`changes = p.changes + 1, changed_at = clock_timestamp()`;

/** Marks the passes of a member as changed, whether or not the business records events. */
export const markPasses = (tx: Connection, businessId: number, contactId: number) => tx`
  UPDATE wallet_pass AS p SET ${changed} WHERE p.business_id = ${businessId} AND p.contact_id = ${contactId}`;

/** The businesses that have events after the cursor, or passes of which phones are to be told. */
export function listPassWork(sql: Connection): Promise<{ business_id: number; has_events: boolean }[]> {
  return sql`
    SELECT w.business_id, work.has_events
    FROM apple_wallet AS w
    CROSS JOIN LATERAL (
      SELECT w.cursor_event_no < ${lastEventNo(raw("w.business_id"))} AS has_events,
        EXISTS (
          SELECT FROM wallet_pass AS p
          WHERE p.business_id = w.business_id AND p.changes > p.pushed_changes AND p.next_push_at <= now()
        ) AS has_passes
    ) AS work
    WHERE (work.has_events OR (work.has_passes AND w.ends_at > now())) AND ${staysHere("w.business_id")}
    ORDER BY w.business_id`;
}

/** How many events one transaction looks through. */
const eventsAtOnce = 1000;

/**
 * Marks the passes of the members of the next events as changed, and moves the cursor. Notices of what will end soon change nothing.
 * Another process that does the same is not waited for.
 */
export function markChangedPasses(tx: Connection, businessId: number) {
  return tx`
    WITH wallet AS MATERIALIZED (
      SELECT business_id, cursor_event_no FROM apple_wallet
      WHERE business_id = ${businessId} AND ${staysHere("apple_wallet.business_id")}
      FOR NO KEY UPDATE SKIP LOCKED
    ), next_event AS MATERIALIZED (
      SELECT e.event_no, e.type, e.contact_ids FROM wallet JOIN event AS e ON e.business_id = wallet.business_id
      WHERE e.business_id = ${businessId} AND e.event_no > wallet.cursor_event_no
      ORDER BY e.business_id, e.event_no LIMIT ${eventsAtOnce}
    ), marked AS (
      UPDATE wallet_pass AS p SET ${changed}
      WHERE p.business_id = ${businessId} AND p.contact_id IN (
        SELECT unnest(contact_ids) FROM next_event WHERE type NOT LIKE '%.expiring')
    )
    UPDATE apple_wallet SET cursor_event_no = greatest(cursor_event_no, (SELECT max(event_no) FROM next_event))
    WHERE business_id = ${businessId} AND EXISTS (SELECT FROM next_event)`;
}

export interface DuePass {
  readonly serial_number: string;
  readonly changes: number;
  readonly push_tokens: readonly string[];
}

/** Phones are told of a pass at most once in this time. */
const pauseSeconds = 300;

/** Takes passes of which phones are to be told. Nobody else takes them for five minutes, also if this process ends. */
export function takeDuePasses(sql: Connection, businessId: number, limit: number): Promise<DuePass[]> {
  return sql`
    WITH due AS MATERIALIZED (
      SELECT serial_number FROM wallet_pass
      WHERE business_id = ${businessId} AND changes > pushed_changes AND next_push_at <= now()
      ORDER BY business_id, next_push_at LIMIT ${limit} FOR NO KEY UPDATE SKIP LOCKED
    )
    UPDATE wallet_pass AS p SET next_push_at = now() + make_interval(secs => CASE WHEN EXISTS (
      SELECT FROM wallet_pass_device AS d
      WHERE d.business_id = ${businessId} AND d.serial_number = p.serial_number AND d.push_token IS NOT NULL
    ) THEN ${pauseSeconds} ELSE 0 END)
    FROM due WHERE p.business_id = ${businessId} AND p.serial_number = due.serial_number
    RETURNING p.serial_number, p.changes, ARRAY(
      SELECT d.push_token FROM wallet_pass_device AS d
      WHERE d.business_id = ${businessId} AND d.serial_number = p.serial_number AND d.push_token IS NOT NULL
    ) AS push_tokens`;
}

/** What became of the pushes of some passes. */
export interface PushOutcome {
  /** Their phones were told of so many changes. */
  readonly told: readonly Pick<DuePass, "serial_number" | "changes">[];
  /** Their phones are told later. */
  readonly failed: readonly string[];
  readonly retrySeconds: number;
  /** No phone has these any more. */
  readonly deadTokens: readonly string[];
}

/** Stores what was sent. The phones with the void pass of an erased member are told nothing more. */
export async function storePushes(tx: Connection, businessId: number, outcome: PushOutcome): Promise<void> {
  const { told, failed, retrySeconds, deadTokens } = outcome;
  await tx`
    UPDATE wallet_pass AS p SET pushed_changes = greatest(p.pushed_changes, told.changes)
    FROM ${tableOf("told", told, "serial_number text, changes bigint")}
    WHERE p.business_id = ${businessId} AND p.serial_number = told.serial_number`;
  await tx`
    UPDATE wallet_pass SET next_push_at = now() + make_interval(secs => ${retrySeconds})
    WHERE business_id = ${businessId} AND serial_number = ANY (${failed}::text[])`;
  await tx`
    DELETE FROM wallet_pass_device WHERE business_id = ${businessId} AND push_token = ANY (${deadTokens}::text[])`;
  await tx`
    UPDATE wallet_pass_device AS d SET push_token = NULL
    FROM ${tableOf("told", told, "serial_number text, changes bigint")}, wallet_pass AS p, member AS m
    WHERE d.business_id = ${businessId} AND d.serial_number = told.serial_number
      AND p.business_id = ${businessId} AND p.serial_number = told.serial_number AND p.changes = told.changes
      AND m.business_id = ${businessId} AND m.contact_id = p.contact_id AND m.erased_at IS NOT NULL`;
}

/** For so many days, phones can fetch the void pass of a member that was erased. */
const voidDays = 7;

/** Deletes passes of members who were erased or merged, with the registrations of their phones. @returns how many were deleted */
export async function sweepPasses(sql: Connection, businessId: number, limit: number): Promise<number> {
  const { count } = await sql`
    DELETE FROM wallet_pass WHERE business_id = ${businessId} AND serial_number = ANY (ARRAY(
      SELECT p.serial_number FROM member AS m
      JOIN wallet_pass AS p ON p.business_id = m.business_id AND p.contact_id = m.contact_id
      WHERE m.business_id = ${businessId} AND (m.erased_at IS NOT NULL OR m.merged_into IS NOT NULL)
        AND p.changed_at < now() - make_interval(days => ${voidDays})
      LIMIT ${limit}))`;
  return count;
}
