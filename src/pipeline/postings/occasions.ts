/** Gives members what they get on occasions, such as birthdays, and when they join. */
import type { Connection } from "../../database/connection.ts";
import {
  findOccasionDay,
  findOccasionMembers,
  listGranted,
  type OccasionDay,
  occurrenceOf,
  recordOccasionDay,
} from "../../database/engine/rewards/occasions.ts";
import { findCurrentRules } from "../../database/engine/rules.ts";
import { type LockedLedger, lockLedger } from "../../database/ledger/ledger.ts";
import { actingOccasions, actingToday, hasDays } from "../../domain/engine/occasions.ts";
import type { Rules } from "../../domain/engine/rules.ts";
import { rejectWhileMoving } from "../../domain/moving.ts";
import type { PostingCommand } from "./group-state.ts";
import { occasionCommand } from "./internal-commands.ts";
import { applyCommands } from "./open-ledger.ts";

const membersAtOnce = 100;

/** Does a part in a transaction. @returns what the part returns; undefined: there is to be no further part */
export type Perform = <Result>(part: (tx: Connection) => Promise<Result>) => Promise<Result | undefined>;

/** Is told of an error, and of the member at which it happened. */
export type TellFault = (
  error: unknown,
  of: { readonly business_id: number; readonly contact_id: number },
) => void;

/**
 * Gives members of a business what is due on occasions. Each part is a transaction, with the grants by whose keys nobody gets anything
 * twice. The last part of a day keeps that the day is complete. So a crash neither loses nor repeats one.
 * @returns how many entries were recorded
 */
export async function grantOccasions(
  sql: Connection,
  businessId: number,
  perform: Perform,
  tell?: TellFault,
): Promise<number> {
  let entries = 0;
  let day = await findOccasionDay(sql, businessId);
  while (day !== undefined) {
    const of = day;
    const rules = await findCurrentRules(sql, businessId);
    const occasion = dayOccasion(rules, of.occasion_id);
    const found = occasion && (await perform((tx) => findOccasionMembers(tx, businessId, occasion, of.day)));
    if (occasion !== undefined && found === undefined) return entries;
    for (let first = 0; found !== undefined && first < found.length; first += membersAtOnce) {
      const some = found.slice(first, first + membersAtOnce);
      const recorded = await perform((tx) => grant(tx, businessId, of, some, tell));
      if (recorded === undefined) return entries;
      entries += recorded;
    }
    if ((await perform((tx) => complete(tx, businessId, of))) === undefined) return entries;
    day = await findOccasionDay(sql, businessId);
  }
  return entries;
}

const dayOccasion = (rules: Rules, occasionId: number) =>
  actingOccasions(rules)
    .filter(hasDays)
    .find(({ occasion_id }) => occasion_id === occasionId);

/** Locks the ledger. @returns undefined if the business accepts no changes: it may be moving to another cell */
export async function lockForGrants(tx: Connection, businessId: number): Promise<LockedLedger | undefined> {
  const ledger = await lockLedger(tx, businessId);
  return ledger && rejectWhileMoving(ledger.move_state, true) === undefined ? ledger : undefined;
}

/** Gives a new member what the business gives for joining, in the transaction that made it. */
export async function welcome(
  tx: Connection,
  businessId: number,
  { contact_id, has_welcome }: { readonly contact_id: number; readonly has_welcome: boolean },
): Promise<void> {
  // Without such an occasion, no member waits for the ledger.
  const ledger = has_welcome ? await lockForGrants(tx, businessId) : undefined;
  if (ledger === undefined) return;
  const { today } = ledger;
  const member = { contact_id, occurrence: occurrenceOf(today) };
  const occasions = actingToday(await findCurrentRules(tx, businessId), "joined", today);
  const commands = occasions.map((occasion) => occasionCommand(businessId, occasion, member, true));
  if (commands.length > 0) await applyCommands(tx, businessId, commands);
}

async function complete(tx: Connection, businessId: number, day: OccasionDay): Promise<number | undefined> {
  if ((await lockForGrants(tx, businessId)) === undefined) return undefined;
  await recordOccasionDay(tx, businessId, day);
  return 0;
}

/** Gives some members what an occasion gives for a day, unless they have it, or can't have it. */
async function grant(
  tx: Connection,
  businessId: number,
  { occasion_id, day }: OccasionDay,
  contactIds: readonly number[],
  tell?: TellFault,
): Promise<number | undefined> {
  if ((await lockForGrants(tx, businessId)) === undefined) return undefined;
  const rules = await findCurrentRules(tx, businessId);
  const occasion = dayOccasion(rules, occasion_id);
  // It was paused meanwhile. When it is resumed on the same day, the others get it.
  if (occasion === undefined) return undefined;
  const occurrence = occurrenceOf(day);
  const members = contactIds.map((contact_id) => ({ contact_id, occurrence, day }));
  const granted = await listGranted(tx, businessId, { occasion, members });
  const rest = members.filter(({ contact_id }) => !granted.has(contact_id));
  const commands = rest.map((member) => occasionCommand(businessId, occasion, member, false));
  return (await applyAll(tx, businessId, commands, tell)).entries;
}

/** More decisions than this that fail at once are no fault of single members. */
const mostFaults = 5;

/**
 * Applies commands until their members are settled. A member whose decision fails, such as one whose records are damaged, holds up no
 * others.
 * @param tell is told of such a member. Without it, the member fails all
 * @returns how many entries were recorded, and how many commands had an effect
 */
export async function applyAll(
  tx: Connection,
  businessId: number,
  commands: readonly PostingCommand[],
  tell?: TellFault,
) {
  let [entries, accepted, faults] = [0, 0, 0];
  const leaveOut = (error: unknown, { contactId }: PostingCommand) => {
    faults += 1;
    if (tell === undefined || faults > mostFaults) throw error;
    tell(error, { business_id: businessId, contact_id: contactId });
  };
  let rest = commands;
  while (rest.length > 0) {
    const applied = await applyCommands(tx, businessId, rest, { leaveOut });
    entries += applied.entries;
    accepted += applied.outcomes.filter(
      (outcome) => typeof outcome === "object" && "status" in outcome,
    ).length;
    rest = rest.filter((_, index) => applied.outcomes[index] === "settled_in_part");
  }
  return { entries, accepted };
}
