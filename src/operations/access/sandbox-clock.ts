/** The clock of a sandbox. */
import { type Rejection, reject } from "../../contract/declare.ts";
import type { Caller } from "../../contract/operation.ts";
import type { Connection } from "../../database/connection.ts";
import { type DueMember, findDueMembers, findFirstDueDay } from "../../database/engine/due.ts";
import { findNextNoticeDay } from "../../database/engine/notices.ts";
import { listOccasionDays, occasionTime, passOccasionDays } from "../../database/engine/rewards/occasions.ts";
import { findReferralDay } from "../../database/engine/rewards/referrals.ts";
import { findCurrentRules } from "../../database/engine/rules.ts";
import { advanceClock } from "../../database/engine/sandbox.ts";
import { actingOccasions, hasDays } from "../../domain/engine/occasions.ts";
import { writeAllNotices } from "../../pipeline/postings/notices.ts";
import { grantOccasions } from "../../pipeline/postings/occasions.ts";
import { settleMembers } from "../../pipeline/postings/open-ledger.ts";
import { decideReferrals } from "../../pipeline/postings/referrals.ts";
import { notASandbox } from "./integrations.ts";

const membersAtOnce = 500;

/** The rejection for a business that is not a sandbox. Partners have no scope for it. */
export const noClock = ({ integrationId }: Caller) =>
  integrationId === undefined ? (reject("not_a_sandbox") as Rejection<never>) : notASandbox();

/**
 * Sets the clock to each day on which something is due or to be announced. Settles the members that are due then, and gives what
 * occasions give.
 * @param to the last time, YYYY-MM-DD HH:MM:SS, or a day for its beginning
 */
export async function liveThrough(tx: Connection, businessId: number, to: string) {
  const lastDay = to.slice(0, 10);
  const acting = actingOccasions(await findCurrentRules(tx, businessId)).filter(hasDays);
  const occasionDays = await listOccasionDays(tx, businessId, acting, to);
  const allOccasionDays = occasionDays.length;
  let entries = 0;
  let before: string | undefined;
  for (;;) {
    const days = await Promise.all([
      findFirstDueDay(tx, businessId, lastDay, before),
      findNextNoticeDay(tx, businessId, lastDay),
      findReferralDay(tx, businessId, lastDay, before),
      occasionDays[0],
    ]);
    const [day] = days.filter((one) => one !== undefined).sort();
    if (day === undefined) {
      await passOccasionDays(tx, businessId, to);
      return entries;
    }
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
    entries += await decideReferrals(businessId, (part) => part(tx));
    if (day === occasionDays[0]) {
      // On its first day, an occasion with days before gives something for all of them.
      if (occasionDays.length < allOccasionDays) await passOccasionDays(tx, businessId, day);
      await advanceClock(tx, businessId, occasionTime(day));
      entries += await grantOccasions(tx, businessId, (part) => part(tx));
      occasionDays.shift();
    }
    // A day on which something is still due is not visited again.
    before = day;
  }
}
