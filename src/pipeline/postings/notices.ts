/** Writes the events that say that points, vouchers, stamps or tiers of members end soon. */
import type { Connection } from "../../database/connection.ts";
import type { DueMember } from "../../database/engine/due.ts";
import {
  findExpiring,
  listLapsing,
  listLapsingCards,
  markNoticed,
  recordNoticed,
} from "../../database/engine/notices.ts";
import { lockLedger } from "../../database/ledger/ledger.ts";
import { listProgress } from "../../database/members/progress.ts";
import { addDays } from "../../domain/dates.ts";
import { type ExpiringDay, type ExpiringTier, noticesOf } from "../../domain/engine/notices.ts";
import { rejectWhileMoving } from "../../domain/moving.ts";
import { GroupEvents, keepEvents } from "./group-events.ts";
import { settleMembers } from "./open-ledger.ts";

const daysAtOnce = 500;

/**
 * Writes some of the notices of today. The caller has settled the members before, and records the events with the transaction.
 * A notice is kept together with its event, so each is written once.
 * @param after where the step before ended
 * @returns where to continue; undefined when the notices of the day are complete, or the day is over
 */
export async function writeNotices(
  tx: Connection,
  businessId: number,
  today: string,
  after: DueMember | undefined,
): Promise<DueMember | undefined> {
  const ledger = await lockLedger(tx, businessId);
  if (ledger === undefined || rejectWhileMoving(ledger.move_state, true) !== undefined) return undefined;
  if (!ledger.events_enabled || ledger.today !== today) return undefined;
  const found = await findExpiring(tx, businessId, { today, after, limit: daysAtOnce });
  const isLast = found.length < daysAtOnce;
  const unnoticed = found.filter(({ noticed }) => !noticed);
  const of = (event: ExpiringDay["event"]) => unnoticed.filter((one) => one.event === event);
  const [lapsing, stamped, ending] = [of("voucher_lapses"), of("stamps_lapse"), of("tier_ends")];
  const tiers = ending.length === 0 ? [] : await listExpiringTiers(tx, businessId, ending);
  // The tier of the others was deleted. They get the next one, and the notice about it comes with those of its day.
  const expiring = new Set(tiers.map(({ contact_id }) => contact_id));
  const others = ending.filter(({ contact_id }) => !expiring.has(contact_id));
  await settleMembers(
    tx,
    businessId,
    others.map(({ contact_id }) => contact_id),
  );
  const days = unnoticed.filter((day) => !others.includes(day));
  const [vouchers, cards] = await Promise.all([
    lapsing.length === 0 ? [] : listLapsing(tx, businessId, lapsing),
    stamped.length === 0 ? [] : listLapsingCards(tx, businessId, stamped),
    days.length > 0 && markNoticed(tx, businessId, days),
    isLast && recordNoticed(tx, businessId, today),
  ]);
  const events = new GroupEvents();
  for (const notice of noticesOf(days, vouchers, tiers, cards)) {
    const of = { business_id: businessId, occurred_at: ledger.now, entries: [] };
    events.whole.push({ ...of, ...notice });
  }
  keepEvents(tx, events);
  return isLast ? undefined : found.at(-1);
}

/** Lists the tiers that end on the days given. */
async function listExpiringTiers(
  tx: Connection,
  businessId: number,
  ending: readonly ExpiringDay[],
): Promise<ExpiringTier[]> {
  const dayOf = new Map(ending.map(({ contact_id, day }) => [contact_id, day]));
  const found = await listProgress(tx, businessId, [...dayOf.keys()]);
  return found.flatMap(({ contact_id, progress: { tier, keep_tier } }) => {
    const lastDay = addDays(dayOf.get(contact_id) as string, -1);
    if (tier === null || tier.valid_through !== lastDay) return [];
    const { tier_id, since, by_hand } = tier;
    const { sales_missing = null, from = null, until = null } = keep_tier ?? {};
    return { contact_id, tier_id, since, by_hand, sales_missing, from, until };
  });
}

/** Writes all notices of today in one transaction, which records the events. */
export async function writeAllNotices(tx: Connection, businessId: number, today: string): Promise<void> {
  let after: DueMember | undefined;
  do after = await writeNotices(tx, businessId, today, after);
  while (after !== undefined);
}
