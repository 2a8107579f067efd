/** The job that gives something to many members at once. */
import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { insertAuditEntries } from "../../database/access/audit.ts";
import { vouchers } from "../../database/catalog.ts";
import type { Connection } from "../../database/connection.ts";
import { listGranted } from "../../database/engine/rewards/occasions.ts";
import { findCurrentRules } from "../../database/engine/rules.ts";
import {
  type BulkGrantProgress,
  bulkGrantLeases,
  type LeasedBulkGrant,
  listNext,
  listRemaining,
  saveBulkGrant,
} from "../../database/jobs/bulk-grants.ts";
import { JobLost, type JobSteps, leaveToPostings, retried } from "../../database/jobs/steps.ts";
import { occasions } from "../../database/occasions.ts";
import { countedVoucher } from "../../domain/bulk-grants.ts";
import type { Occasion } from "../../domain/engine/rules.ts";
import { recordGroupEvents } from "./group-events.ts";
import { occasionCommand } from "./internal-commands.ts";
import { applyAll, lockForGrants } from "./occasions.ts";

/** Whose ledger is locked at once. */
const membersAtOnce = 200;
const membersRead = 10_000;
/** A member gets it once, whatever it is merged with, and however often the job is resumed. */
const occurrence = "once";

/** Why a bulk grant can't go on, for the operator. */
class BulkGrantProblem extends Error {}

/** Takes a bulk grant that waits. @returns undefined when none does */
export async function takeBulkGrant(sql: Connection) {
  const leased = await bulkGrantLeases.lease(sql, randomUUID());
  if (leased === undefined) return undefined;
  const { business_id, occasion_id } = leased;
  let progress: Done = leased;
  return {
    business_id,
    facts: { business_id, occasion_id },
    renew: (tx: Connection) => bulkGrantLeases.renew(tx, leased),
    release: (tx: Connection) => bulkGrantLeases.release(tx, leased),
    run: (parts: JobSteps) =>
      giveAll(leased, parts, (done) => {
        progress = done;
      }),
    async fail(tx: Connection, error: unknown) {
      const isExpected = error instanceof BulkGrantProblem;
      const problem = isExpected
        ? error.message
        : "The service has failed at these members. What was given stays. Resume it, or ask for help.";
      const { members_given, members_skipped } = progress;
      await saveBulkGrant(tx, leased, { members_given, members_skipped, problem, state: "failed" });
      return isExpected;
    },
  };
}

type Done = Pick<BulkGrantProgress, "members_given" | "members_skipped">;

/**
 * Gives it to all members who were found when it was started, and tells the progress.
 * @throws JobLost when the process stops, or has lost the job
 */
async function giveAll(leased: LeasedBulkGrant, parts: JobSteps, tell: (done: Done) => void): Promise<void> {
  const { sql, stopped, eventsRecorded } = parts;
  const { business_id } = leased;
  let { members_given, members_skipped }: Done = leased;
  for (;;) {
    const found = await listNext(sql, leased, members_given + members_skipped, membersRead);
    if (found.length === 0) break;
    for (let first = 0; first < found.length; first += membersAtOnce) {
      if (stopped()) {
        await bulkGrantLeases.release(sql, leased);
        throw new JobLost();
      }
      const some = found.slice(first, first + membersAtOnce);
      const before = { members_given, members_skipped };
      const { lockedAt, ...done } = await retried(parts, (tx) => giveSome(tx, leased, some, before, parts));
      ({ members_given, members_skipped } = done);
      tell(done);
      eventsRecorded(business_id);
      await leaveToPostings(parts, lockedAt);
    }
  }
  await retried(parts, (tx) => end(tx, leased, { members_given, members_skipped }));
}

/** Gives it to some members, and stores with it that they are done. */
async function giveSome(
  tx: Connection,
  leased: LeasedBulkGrant,
  contactIds: readonly number[],
  before: Done,
  { tell }: Pick<JobSteps, "tell">,
): Promise<Done & { readonly lockedAt: number }> {
  const { business_id } = leased;
  const occasion = await occasionOf(tx, leased);
  // The business moves to another database. The row may be copied already, so nothing is stored, and the lease ends by itself.
  if ((await lockForGrants(tx, business_id)) === undefined) throw new JobLost();
  const lockedAt = performance.now();
  const remaining = await listRemaining(tx, business_id, contactIds);
  const members = remaining.map((contact_id) => ({ contact_id, occurrence }));
  const granted = await listGranted(tx, business_id, { occasion, members });
  const commands = members
    .filter(({ contact_id }) => !granted.has(contact_id))
    .map((member) => occasionCommand(business_id, occasion, member, false));
  const { accepted } = await applyAll(tx, business_id, commands, tell);
  const done = {
    members_given: before.members_given + accepted,
    members_skipped: before.members_skipped + contactIds.length - accepted,
  };
  if (!(await saveBulkGrant(tx, leased, done))) throw new JobLost();
  await recordGroupEvents(tx);
  return { ...done, lockedAt };
}

/** What it gives. @throws BulkGrantProblem while it can't be given, or is not what was counted */
async function occasionOf(tx: Connection, leased: LeasedBulkGrant): Promise<Occasion> {
  const { business_id, occasion_id, counted } = leased;
  const { status: _, ...occasion } = (await occasions.find(tx, business_id, occasion_id)) ?? {};
  const { voucher_id } = occasion as Occasion;
  const voucher = voucher_id === null ? null : await vouchers.find(tx, business_id, voucher_id);
  if (voucher === undefined || voucher?.archived)
    throw new BulkGrantProblem(
      "The voucher was archived. Restore it with /op/vouchers/archive and archived: false, and resume the bulk grant.",
    );
  if (voucher !== null && !isDeepStrictEqual(countedVoucher(voucher), counted))
    throw new BulkGrantProblem(
      "The voucher has another value or other conditions than when the bulk grant was started. Change it back with /op/vouchers/update, and resume the bulk grant.",
    );
  if (voucher === null && !(await findCurrentRules(tx, business_id)).enable_rp)
    throw new BulkGrantProblem(
      "Points are off: enable_rp is false. Turn them on with /op/reward-settings/update, and resume the bulk grant.",
    );
  return { ...(occasion as Occasion), voucher };
}

async function end(tx: Connection, leased: LeasedBulkGrant, done: Done): Promise<void> {
  if (!(await saveBulkGrant(tx, leased, { ...done, state: "ended" }))) throw new JobLost();
  const { business_id, occasion_id, actor, members_found } = leased;
  const { members_given, members_skipped } = done;
  const after = { occasion_id, members_found, members_given, members_skipped };
  await insertAuditEntries(tx, [{ business_id, actor, event: "bulk_grant.ended", before: null, after }]);
}
