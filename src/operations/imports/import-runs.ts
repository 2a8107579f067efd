/** What the audit log says of the jobs that import files. */
import { insertAuditEntries } from "../../database/access/audit.ts";
import type { Connection } from "../../database/connection.ts";
import { findJob, type JobKey } from "../../database/imports/jobs.ts";
import type { AuditEvent } from "../../domain/audit-events.ts";
import type { ImportResult } from "./import-jobs.ts";
import { importKinds } from "./import-kinds.ts";

/**
 * Adds the entry of an import that has ended, failed or was cancelled, with its counts so far. It is an entry of the person who
 * started the import. A check has none.
 */
export async function auditImport(tx: Connection, key: JobKey): Promise<void> {
  const job = await findJob(tx, key, "UTC");
  if (!job?.kind || !job.actor) return;
  const { kind, actor, state, file_name } = job;
  const { business_id, import_id } = key;
  const { imported = 0, skipped = 0, rejected = 0 } = (job.result ?? {}) as Partial<ImportResult>;
  const after = { import_id, file_name, state, imported, skipped, rejected };
  const event = importKinds[kind].operation.event as AuditEvent;
  await insertAuditEntries(tx, [{ business_id, actor, event, before: null, after }]);
}
