/** Takes an import that waits: a file to check, or to import. */
import { randomUUID } from "node:crypto";
import type { Connection, Share } from "../database/connection.ts";
import { importLeases, saveProgress } from "../database/imports/jobs.ts";
import { rejectWhileMoving } from "../domain/moving.ts";
import { auditImport } from "../operations/imports/import-runs.ts";
import { FileProblem } from "./file/file-problem.ts";
import { findForm } from "./form/find-form.ts";
import { type JobParts, type Leased, openJob } from "./job.ts";
import { checkLines, importLines } from "./read-lines.ts";

export async function takeImport(sql: Connection) {
  const leased = (await importLeases.lease(sql, randomUUID())) as Leased | undefined;
  if (leased === undefined) return undefined;
  const { business_id, import_id } = leased;
  return {
    business_id,
    facts: { import_id },
    renew: (tx: Connection) => importLeases.renew(tx, leased),
    release: (tx: Connection) => importLeases.release(tx, leased),
    async run(parts: JobParts) {
      const job = await openJob(leased, parts);
      if (leased.state === "checking") await checkLines(job, await findForm(job));
      else if (leased.form) await importLines(job, leased.form);
    },
    async fail(sql: Share, error: unknown) {
      const isExpected = error instanceof FileProblem;
      const remedy =
        leased.state === "checking"
          ? "Nothing was imported. Check the file again, or ask for help."
          : "What was imported stays. Start the import again, or ask for help.";
      const problem = isExpected ? error.message : `The service has failed at these lines. ${remedy}`;
      await sql.begin(async (tx) => {
        const saved = await saveProgress(tx, leased, { state: "failed", problem });
        // Nothing is added to a business while it moves.
        if (saved && rejectWhileMoving(saved.move_state, true) === undefined) await auditImport(tx, leased);
      });
      return isExpected;
    },
  };
}
