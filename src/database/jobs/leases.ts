/** Jobs of businesses: one process at a time runs one, and loses it if it does not go on. */
import type { Connection } from "../connection.ts";
import { firstRow } from "../rows.ts";
import { type Fragment, fragment, nameInSql, raw } from "../sql.ts";

/** A process that ends without its job loses it after this time. */
const leaseSeconds = 10;

/** The assignment that extends a lease. */
export const leaseExtended = fragment`leased_until = now() + ${leaseSeconds} * interval '1 second'`;

const isFree = fragment`(leased_by IS NULL OR leased_until < now())`;

export interface JobLease {
  readonly business_id: number;
  readonly lease: string;
  /** The state in which the job was leased. */
  readonly state: string;
}

/**
 * Makes the statements by which processes share the jobs of a table.
 * @param id the column that tells the jobs of a business apart
 * @param states those in which a job waits for a process, or one runs it
 * @param columns what a process gets of its job, with its state and its key
 */
export function leasesOf<Row extends { readonly business_id: number; readonly state: string }>(
  name: string,
  id: keyof Row & string,
  states: readonly string[],
  columns: Fragment,
) {
  type Leased = Row & JobLease;
  const [table, idColumn] = [nameInSql(name), nameInSql(id)];
  // As the index of the table has it.
  const runs = raw(`state IN ('${states.join("', '")}')`);
  const held = (leased: Leased) =>
    fragment`business_id = ${leased.business_id} AND ${idColumn} = ${leased[id] as number} AND leased_by = ${leased.lease}`;
  return {
    /**
     * Leases a job that waits for a process. A business has one at once, and none while its writes are rejected.
     * @returns undefined when none waits
     */
    async lease(sql: Connection, lease: string): Promise<Leased | undefined> {
      const row = await firstRow(sql<Row[]>`
        UPDATE ${table} SET leased_by = ${lease}, ${leaseExtended}
        WHERE (business_id, ${idColumn}) = (
          SELECT business_id, ${idColumn} FROM ${table} AS job
          WHERE ${runs} AND ${isFree}
            AND NOT EXISTS (
              SELECT FROM ledger l WHERE l.business_id = job.business_id AND l.move_state <> 'copying')
            AND NOT EXISTS (
              SELECT FROM ${table} AS other
              WHERE other.business_id = job.business_id AND other.${runs}
                AND other.leased_by IS NOT NULL AND other.leased_until >= now())
          ORDER BY leased_until NULLS FIRST, business_id, ${idColumn} LIMIT 1 FOR UPDATE SKIP LOCKED)
          AND ${isFree}
        RETURNING ${columns}`);
      return row && { ...row, lease };
    },
    /** Extends the lease of a process. @returns false when it has lost the job, or the job was cancelled */
    async renew(sql: Connection, leased: Leased): Promise<boolean> {
      const rows = await sql`
        UPDATE ${table} SET ${leaseExtended} WHERE ${held(leased)} AND state = ${leased.state} RETURNING business_id`;
      return rows.length > 0;
    },
    /** Gives a job back, so that another process goes on with it at once. */
    async release(sql: Connection, leased: Leased): Promise<void> {
      await sql`UPDATE ${table} SET leased_by = NULL, leased_until = NULL WHERE ${held(leased)}`;
    },
  };
}
