/** Which passes have changed, and of which changes the services of the wallets were told. */
import type { Connection } from "../connection.ts";
import { lastEventNo } from "../events.ts";
import { fragment, raw, tableOf } from "../sql.ts";
import { isUsable, shownBy, staysHere, type WalletKind } from "./issuers.ts";

const changed = fragment`changes = p.changes + 1, changed_at = clock_timestamp()`;

/** A pass has ended when its member was erased or merged, or its page has another address. It is marked once more, before that. */
const isLive = fragment`EXISTS (
  SELECT FROM member AS m JOIN member_page AS g ON g.business_id = m.business_id AND g.contact_id = m.contact_id
  WHERE m.business_id = p.business_id AND m.contact_id = p.contact_id AND m.erased_at IS NULL AND m.merged_into IS NULL
    AND g.generation = p.page_generation)`;

/** Marks the passes of a member as changed, before they end, whether or not the business records events. */
export const markPasses = (tx: Connection, businessId: number, contactId: number) => tx`
  UPDATE wallet_pass AS p SET ${changed}
  WHERE p.business_id = ${businessId} AND p.contact_id = ${contactId} AND ${isLive}`;

export interface PassWork {
  readonly business_id: number;
  readonly kind: WalletKind;
  /** Names this set-up. */
  readonly set_up: string;
  /** Whether there are passes to mark as changed. */
  readonly has_marks: boolean;
}

const lacksClass = raw("(w.kind = 'google' AND w.class_shown IS DISTINCT FROM w.shown)");

/** The wallets with events after the cursor, with passes to mark or to tell of, or with a class to send. */
export function listPassWork(sql: Connection): Promise<PassWork[]> {
  return sql`
    SELECT w.business_id, w.kind, md5(w.sealed) AS set_up, work.has_marks
    FROM wallet_issuer AS w
    CROSS JOIN LATERAL (
      SELECT w.marked_through IS NOT NULL OR w.cursor_event_no < ${lastEventNo(raw("w.business_id"))} AS has_marks,
        ${lacksClass} OR EXISTS (
          SELECT FROM wallet_pass AS p
          WHERE p.business_id = w.business_id AND p.kind = w.kind AND p.changes > p.pushed_changes AND p.next_push_at <= now()
        ) AS has_passes
    ) AS work
    WHERE (work.has_marks OR (work.has_passes AND ${isUsable})) AND ${staysHere("w.business_id")}
    ORDER BY w.business_id, w.kind`;
}

/** Notes which businesses show something else on all passes than before. Their passes are then marked in steps. */
export const noteShown = (sql: Connection) => sql`
  UPDATE wallet_issuer AS w SET shown = ${shownBy(raw("w.business_id"))}, marked_through = ''
  WHERE w.shown <> ${shownBy(raw("w.business_id"))} AND ${staysHere("w.business_id")}`;

/** How many passes are marked at once because all show something else. Phones then ask for them, or Google is told. */
const marksAtOnce = 20;

/** Marks the next passes of those that all show something else. */
export function markShown(tx: Connection, businessId: number, kind: WalletKind) {
  return tx`
    WITH wallet AS MATERIALIZED (
      SELECT marked_through FROM wallet_issuer AS w
      WHERE w.business_id = ${businessId} AND w.kind = ${kind} AND w.marked_through IS NOT NULL AND ${staysHere("w.business_id")}
      FOR NO KEY UPDATE SKIP LOCKED
    ), next_pass AS MATERIALIZED (
      SELECT p.serial_number FROM wallet JOIN wallet_pass AS p ON p.business_id = ${businessId} AND p.kind = ${kind}
      WHERE p.serial_number > wallet.marked_through
      ORDER BY p.business_id, p.serial_number LIMIT ${marksAtOnce}
    ), marked AS (
      UPDATE wallet_pass AS p SET ${changed} FROM next_pass
      WHERE p.business_id = ${businessId} AND p.serial_number = next_pass.serial_number AND ${isLive}
    )
    UPDATE wallet_issuer SET marked_through = (SELECT max(serial_number) FROM next_pass)
    WHERE business_id = ${businessId} AND kind = ${kind} AND EXISTS (SELECT FROM wallet)`;
}

/** How many events one transaction looks through. */
const eventsAtOnce = 1000;

/**
 * Marks the passes of the members of the next events as changed, and moves the cursor. Notices of what will end soon change nothing.
 * Another process that does the same is not waited for.
 */
export function markChangedPasses(tx: Connection, businessId: number, kind: WalletKind) {
  return tx`
    WITH wallet AS MATERIALIZED (
      SELECT business_id, cursor_event_no FROM wallet_issuer AS w
      WHERE business_id = ${businessId} AND kind = ${kind} AND ${staysHere("w.business_id")}
      FOR NO KEY UPDATE SKIP LOCKED
    ), next_event AS MATERIALIZED (
      SELECT e.event_no, e.type, e.contact_ids FROM wallet JOIN event AS e ON e.business_id = wallet.business_id
      WHERE e.business_id = ${businessId} AND e.event_no > wallet.cursor_event_no
      ORDER BY e.business_id, e.event_no LIMIT ${eventsAtOnce}
    ), marked AS (
      UPDATE wallet_pass AS p SET ${changed}
      WHERE p.business_id = ${businessId} AND p.kind = ${kind} AND p.contact_id IN (
        SELECT unnest(contact_ids) FROM next_event WHERE type NOT LIKE '%.expiring') AND ${isLive}
    )
    UPDATE wallet_issuer SET cursor_event_no = greatest(cursor_event_no, (SELECT max(event_no) FROM next_event))
    WHERE business_id = ${businessId} AND kind = ${kind} AND EXISTS (SELECT FROM next_event)`;
}

export interface DuePass {
  readonly serial_number: string;
  readonly contact_id: number;
  readonly page_generation: number;
  readonly changes: number;
  /** Of its phones with Apple Wallet. */
  readonly push_tokens: readonly string[];
}

/** A pass is told of at most once in this time. */
const pauseSeconds = 300;

/** Takes passes that are to be told of. Nobody else takes them for five minutes, also if this process ends. */
export function takeDuePasses(
  sql: Connection,
  businessId: number,
  kind: WalletKind,
  limit: number,
): Promise<DuePass[]> {
  return sql`
    WITH due AS MATERIALIZED (
      SELECT serial_number FROM wallet_pass
      WHERE business_id = ${businessId} AND kind = ${kind} AND changes > pushed_changes AND next_push_at <= now()
      ORDER BY business_id, kind, next_push_at LIMIT ${limit} FOR NO KEY UPDATE SKIP LOCKED
    )
    UPDATE wallet_pass AS p SET next_push_at = now() + make_interval(secs => CASE WHEN p.kind = 'google' OR EXISTS (
      SELECT FROM wallet_pass_device AS d
      WHERE d.business_id = ${businessId} AND d.serial_number = p.serial_number AND d.push_token IS NOT NULL
    ) THEN ${pauseSeconds} ELSE 0 END)
    FROM due WHERE p.business_id = ${businessId} AND p.serial_number = due.serial_number
    RETURNING p.serial_number, p.contact_id, p.page_generation, p.changes, ARRAY(
      SELECT d.push_token FROM wallet_pass_device AS d
      WHERE d.business_id = ${businessId} AND d.serial_number = p.serial_number AND d.push_token IS NOT NULL
    ) AS push_tokens`;
}

/** What became of telling of some passes. */
export interface Told {
  /** Their phones, or Google, were told of so many changes. */
  readonly told: readonly Pick<DuePass, "serial_number" | "changes">[];
  /** They are told of later. */
  readonly failed: readonly string[];
  /** No phone has these any more. */
  readonly deadTokens: readonly string[];
  /** What the service of the wallet said about the requests that it did not accept; null: nothing. */
  readonly problem: string | null;
  /** Why a pass could not be made. */
  readonly fault?: unknown;
  /** Whether the service of the wallet accepts no pass now. */
  readonly isRefused: boolean;
  /** The digest with which a class was accepted. */
  readonly classShown: string | null;
}

/** A pass that fails while others don't waits for as long as its change is old, but not longer than this. */
const longestWaitSeconds = 3600;

/** Stores what was sent. The phones with a pass that has ended are told nothing more. @param isStopped whether what failed was ended here */
export async function storeTold(
  tx: Connection,
  { business_id: businessId, kind, set_up }: PassWork,
  { told, failed, deadTokens, problem, isRefused, classShown }: Told,
  { retrySeconds, isStopped }: { readonly retrySeconds: number; readonly isStopped: boolean },
): Promise<void> {
  const mostSeconds = isRefused || isStopped ? retrySeconds : longestWaitSeconds;
  if (!isStopped)
    await tx`
    UPDATE wallet_issuer SET problem = ${problem}, class_shown = coalesce(${classShown}, class_shown)
    WHERE business_id = ${businessId} AND kind = ${kind} AND md5(sealed) = ${set_up}
      AND (problem IS DISTINCT FROM ${problem} OR class_shown IS DISTINCT FROM coalesce(${classShown}, class_shown))`;
  await tx`
    UPDATE wallet_pass AS p SET pushed_changes = greatest(p.pushed_changes, told.changes)
    FROM ${tableOf("told", told, "serial_number text, changes bigint")}
    WHERE p.business_id = ${businessId} AND p.serial_number = told.serial_number`;
  await tx`
    UPDATE wallet_pass SET next_push_at = now() + least(
      greatest(now() - changed_at, make_interval(secs => ${retrySeconds})), make_interval(secs => ${mostSeconds}))
    WHERE business_id = ${businessId} AND serial_number = ANY (${failed}::text[])`;
  await tx`
    DELETE FROM wallet_pass_device WHERE business_id = ${businessId} AND push_token = ANY (${deadTokens}::text[])`;
  await tx`
    UPDATE wallet_pass_device AS d SET push_token = NULL
    FROM ${tableOf("told", told, "serial_number text, changes bigint")}, wallet_pass AS p
    WHERE d.business_id = ${businessId} AND d.serial_number = told.serial_number
      AND p.business_id = ${businessId} AND p.serial_number = told.serial_number AND p.changes = told.changes AND NOT ${isLive}`;
}

/** For so many days, phones can fetch a void pass that has ended. Google must have been told of one. */
const voidDays = 7;

/** Deletes passes that have ended, with the registrations of their phones. @returns how many were deleted */
export async function sweepPasses(sql: Connection, businessId: number, limit: number): Promise<number> {
  const { count } = await sql`
    DELETE FROM wallet_pass WHERE business_id = ${businessId} AND serial_number = ANY (ARRAY(
      SELECT p.serial_number FROM wallet_pass AS p
      WHERE p.business_id = ${businessId} AND NOT ${isLive}
        AND p.changed_at < now() - make_interval(days => ${voidDays}) AND (p.kind = 'apple' OR p.changes <= p.pushed_changes)
      LIMIT ${limit}))`;
  return count;
}
