/** The clock of a sandbox. */
import { type Rejection, reject } from "../contract/declare.ts";
import type { Caller } from "../contract/operation.ts";
import type { Connection } from "../database/connection.ts";
import { type DueMember, findDueMembers, findFirstDueDay } from "../database/engine/due.ts";
import { findNextNoticeDay } from "../database/engine/notices.ts";
import { advanceClock } from "../database/engine/sandbox.ts";
import { writeAllNotices } from "../pipeline/postings/notices.ts";
import { settleMembers } from "../pipeline/postings/open-ledger.ts";
import { notASandbox } from "./integrations.ts";

const membersAtOnce = 500;

/** The rejection for a business that is not a sandbox. Partners have no scope for it. */
export const noClock = ({ integrationId }: Caller) =>
  integrationId === undefined ? (reject("not_a_sandbox") as Rejection<never>) : notASandbox();

/** Sets the clock to each day on which something is due or to be announced. Settles the members that are due then. */
export async function liveThrough(tx: Connection, businessId: number, lastDay: string) {
  let entries = 0;
  let before: string | undefined;
  for (;;) {
    const days = await Promise.all([
      findFirstDueDay(tx, businessId, lastDay, before),
      findNextNoticeDay(tx, businessId, lastDay),
    ]);
    const [day] = days.filter((one) => one !== undefined).sort();
    if (day === undefined) return entries;
    await advanceClock(tx, businessId, day);
    let after: DueMember | undefined;
    do {
      const due: DueMember[] = await findDueMembers(tx, businessId, { limit: membersAtOnce, after, day });
      entries += await settleMembers(
        tx,
        businessId,
        due.map(({ contact_id }) => contact_id),
      );
      after = due.length < membersAtOnce ? undefined : due.at(-1);
    } while (after !== undefined);
    await writeAllNotices(tx, businessId, day);
    // A day on which something is still due is not visited again.
    before = day;
  }
}
