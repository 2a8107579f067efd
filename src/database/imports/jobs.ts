/** Files that operators import, in parts, and the jobs that read them. */
import type { Actor } from "../../domain/audit-events.ts";
import { fileDays, type ImportName, type ImportState } from "../../domain/imports/jobs.ts";
import type { MoveState } from "../../domain/moving.ts";
import type { Page, PageRequest } from "../../domain/pagination.ts";
import type { Connection } from "../connection.ts";
import { leaseExtended, leasesOf } from "../jobs/leases.ts";
import { firstRow, newestFirst, readPage, requiredRow, wallClock } from "../rows.ts";
import { fragment, insertOf } from "../sql.ts";

export interface JobKey {
  readonly business_id: number;
  readonly import_id: number;
}

/** How a file is written, as far as operations look at it. */
interface StoredForm {
  readonly lines: number | null;
  /** The bytes of the header line, in base64; null without one. */
  readonly header_line: string | null;
}

export interface JobRow extends JobKey {
  readonly file_name: string;
  readonly state: ImportState;
  readonly kind: ImportName | null;
  readonly parts: number;
  readonly bytes: number;
  readonly created_at: string;
  readonly ended_at: string | null;
  readonly options: object | null;
  readonly form: StoredForm | null;
  readonly result: object | null;
  readonly lines_done: number;
  readonly problem: string | null;
  readonly actor: Actor | null;
}

const columnsOf = (timeZone: string) => fragment`business_id, import_id, file_name, state, kind, parts, bytes,
  ${wallClock("created_at", timeZone)} AS created_at, ${wallClock("ended_at", timeZone)} AS ended_at,
  options, form, result, lines_done, problem, actor`;

const jobOf = ({ business_id, import_id }: JobKey) =>
  fragment`business_id = ${business_id} AND import_id = ${import_id}`;

export async function insertJob(tx: Connection, businessId: number, fileName: string): Promise<JobKey> {
  const { import_id } = await requiredRow(tx<{ import_id: number }[]>`
    INSERT INTO import_job (business_id, file_name) VALUES (${businessId}, ${fileName}) RETURNING import_id`);
  return { business_id: businessId, import_id };
}

export function findJob(sql: Connection, key: JobKey, timeZone: string): Promise<JobRow | undefined> {
  return firstRow(sql<JobRow[]>`SELECT ${columnsOf(timeZone)} FROM import_job WHERE ${jobOf(key)}`);
}

interface LockedJob extends Pick<JobRow, "state" | "parts" | "bytes" | "lines_done" | "form"> {
  /** Whether its import was started. */
  readonly imports: boolean;
}

/** The state of a job, which stays as it is until the end of the transaction. */
export function lockJob(tx: Connection, key: JobKey): Promise<LockedJob | undefined> {
  return firstRow(tx<LockedJob[]>`
    SELECT state, parts, bytes, lines_done, form, actor IS NOT NULL AS imports FROM import_job WHERE ${jobOf(key)} FOR UPDATE`);
}

export function listJobs(
  sql: Connection,
  businessId: number,
  timeZone: string,
  page: PageRequest,
): Promise<Page<JobRow>> {
  const from = fragment`FROM import_job WHERE business_id = ${businessId}`;
  return readPage(sql, { columns: columnsOf(timeZone), from, sort: newestFirst("import_id") }, page);
}

/** Adds the next part of a file. */
export async function addPart(
  tx: Connection,
  key: JobKey,
  { part, content, isLast }: { readonly part: number; readonly content: Buffer; readonly isLast: boolean },
): Promise<void> {
  await Promise.all([
    tx`INSERT INTO import_part (business_id, import_id, part, content)
      VALUES (${key.business_id}, ${key.import_id}, ${part}, ${content})`,
    tx`UPDATE import_job SET parts = parts + 1, bytes = bytes + ${content.length}::integer,
        state = ${isLast ? "uploaded" : "uploading"}
      WHERE ${jobOf(key)}`,
  ]);
}

/** What the files of a business have together. */
export async function sumFiles(tx: Connection, businessId: number): Promise<number> {
  const { bytes } = await requiredRow(tx<{ bytes: number }[]>`
    SELECT coalesce(sum(bytes), 0)::bigint AS bytes FROM import_job WHERE business_id = ${businessId}`);
  return bytes;
}

export async function findPart(sql: Connection, key: JobKey, part: number): Promise<Buffer | undefined> {
  const row = await firstRow(sql<{ content: Buffer }[]>`
    SELECT content FROM import_part WHERE ${jobOf(key)} AND part = ${part}`);
  return row?.content;
}

/** Lets a process check a file, from its beginning. */
export async function checkJob(
  tx: Connection,
  key: JobKey,
  kind: ImportName,
  options: object,
): Promise<void> {
  await Promise.all([
    tx`UPDATE import_job SET state = 'checking', kind = ${kind}, options = ${options}, form = NULL, result = NULL,
        lines_done = 0, problem = NULL, actor = NULL, leased_by = NULL
      WHERE ${jobOf(key)}`,
    deleteRejections(tx, key),
  ]);
}

/** The options that were saved, by their names. */
export async function findMappings(
  sql: Connection,
  businessId: number,
  kind: ImportName,
): Promise<ReadonlyMap<string, object>> {
  const rows = await sql<{ name: string; options: object }[]>`
    SELECT name, options FROM import_mapping WHERE business_id = ${businessId} AND kind = ${kind} ORDER BY name`;
  return new Map(rows.map(({ name, options }) => [name, options]));
}

/** Saves options under a name, instead of those that it had. */
export async function saveMapping(
  tx: Connection,
  businessId: number,
  { kind, name, options }: { readonly kind: ImportName; readonly name: string; readonly options: object },
): Promise<void> {
  await tx`
    INSERT INTO import_mapping (business_id, kind, name, options) VALUES (${businessId}, ${kind}, ${name}, ${options})
    ON CONFLICT (business_id, kind, name) DO UPDATE SET options = excluded.options`;
}

/** Lets a process import a file. @param fromStart whether nothing of it was imported by this job before */
export async function startJob(tx: Connection, key: JobKey, actor: Actor, fromStart: boolean): Promise<void> {
  await Promise.all([
    tx`UPDATE import_job SET state = 'importing', actor = ${actor}, problem = NULL, leased_by = NULL,
        lines_done = CASE WHEN ${fromStart}::boolean THEN 0 ELSE lines_done END,
        result = CASE WHEN ${fromStart}::boolean THEN NULL ELSE result END
      WHERE ${jobOf(key)}`,
    fromStart && deleteRejections(tx, key),
  ]);
}

/** Stops a job. The process that reads the file notices it at its next lines. */
export async function cancelJob(tx: Connection, key: JobKey): Promise<void> {
  await tx`UPDATE import_job SET state = 'cancelled', ended_at = now(), leased_by = NULL WHERE ${jobOf(key)}`;
}

/** Deletes the file of a job, and what was found in it. */
export async function deleteFile(tx: Connection, key: JobKey): Promise<void> {
  await Promise.all([
    tx`DELETE FROM import_part WHERE ${jobOf(key)}`,
    tx`UPDATE import_job SET parts = 0, bytes = 0, form = NULL, result = NULL WHERE ${jobOf(key)}`,
    deleteRejections(tx, key),
  ]);
}

/** A job that this process runs. */
export interface LeasedJob extends JobRow {
  readonly lease: string;
  readonly kind: ImportName;
}

export const importLeases = leasesOf<JobRow>(
  "import_job",
  "import_id",
  ["checking", "importing"],
  columnsOf("UTC"),
);

/** What a step of a job changes. */
export interface JobProgress {
  readonly form?: object | undefined;
  readonly result?: object | undefined;
  readonly lines_done?: number | undefined;
  /** The state in which the job ends. */
  readonly state?: ImportState | undefined;
  readonly problem?: string | undefined;
}

/** @returns an import of a business that is under way */
export async function findRunningImport(sql: Connection, businessId: number): Promise<number | undefined> {
  const row = await firstRow(sql<{ import_id: number }[]>`
    SELECT import_id FROM import_job
    WHERE business_id = ${businessId} AND state IN ('checking', 'importing') ORDER BY import_id LIMIT 1`);
  return row?.import_id;
}

/**
 * Stores what a process has done, if it still has the job, and the job was not cancelled. In a transaction, this is its last
 * statement but for the events, so that a cancellation does not wait for it.
 * @returns undefined when nothing was stored: then nothing may be committed
 */
export function saveProgress(
  sql: Connection,
  { lease, state: before, business_id, import_id }: JobKey & Pick<LeasedJob, "lease" | "state">,
  { form, result, lines_done, state, problem }: JobProgress,
): Promise<{ events_enabled: boolean; move_state: MoveState | null } | undefined> {
  return firstRow(sql<{ events_enabled: boolean; move_state: MoveState | null }[]>`
    UPDATE import_job SET form = coalesce(${form ?? null}::jsonb, form), result = coalesce(${result ?? null}::jsonb, result),
      lines_done = coalesce(${lines_done ?? null}::bigint, lines_done), problem = ${problem ?? null}::text,
      state = coalesce(${state ?? null}::text, state),
      ended_at = CASE WHEN ${state !== undefined}::boolean THEN now() END,
      leased_by = CASE WHEN ${state === undefined}::boolean THEN leased_by END,
      ${leaseExtended}
    FROM ledger
    WHERE import_job.business_id = ${business_id} AND import_id = ${import_id} AND leased_by = ${lease} AND state = ${before}
      AND ledger.business_id = import_job.business_id
    RETURNING events_enabled, move_state`);
}

export interface RejectedLine {
  readonly line: number;
  readonly reasons: readonly { readonly field: string; readonly message: string }[];
  /** Its bytes in the file. */
  readonly content: Buffer;
}

export async function insertRejections(
  tx: Connection,
  key: JobKey,
  lines: readonly RejectedLine[],
): Promise<void> {
  const { business_id, import_id } = key;
  const rows = lines.map(({ line, reasons, content }) => {
    return { business_id, import_id, line, reasons, content: `\\x${content.toString("hex")}` };
  });
  const columns = "business_id bigint, import_id bigint, line bigint, reasons jsonb, content bytea";
  await tx`${insertOf("import_rejection", rows, columns)}`;
}

export async function deleteRejections(tx: Connection, key: JobKey): Promise<void> {
  await tx`DELETE FROM import_rejection WHERE ${jobOf(key)}`;
}

/** What the lines of one response have together, besides the last one. */
const mostBytesAtOnce = 4_000_000;

/** @returns some rejected lines of a job after a line, in their order; none when there are no more */
export function listRejections(
  sql: Connection,
  key: JobKey,
  after: number,
  limit: number,
): Promise<RejectedLine[]> {
  return sql<RejectedLine[]>`
    SELECT line, reasons, content FROM (
      SELECT line, reasons, content, sum(length(content)) OVER (ORDER BY line) - length(content) AS bytes_before
      FROM (SELECT * FROM import_rejection WHERE ${jobOf(key)} AND line > ${after} ORDER BY line LIMIT ${limit}) AS next
    ) AS measured WHERE bytes_before < ${mostBytesAtOnce} ORDER BY line`;
}

/** Deletes the oldest file that is old, with its job. @returns how many there were */
export async function sweepJobs(sql: Connection, businessId: number): Promise<number> {
  const rows = await sql`
    WITH old AS MATERIALIZED (
      SELECT import_id FROM import_job
      WHERE business_id = ${businessId} AND state NOT IN ('checking', 'importing')
        AND coalesce(ended_at, created_at) < now() - ${fileDays} * interval '1 day'
      ORDER BY import_id LIMIT 1
    ), rejections AS (
      DELETE FROM import_rejection WHERE business_id = ${businessId} AND import_id = (SELECT import_id FROM old)
    ), parts AS (
      DELETE FROM import_part WHERE business_id = ${businessId} AND import_id = (SELECT import_id FROM old)
    )
    DELETE FROM import_job WHERE business_id = ${businessId} AND import_id = (SELECT import_id FROM old)
    RETURNING import_id`;
  return rows.length;
}
