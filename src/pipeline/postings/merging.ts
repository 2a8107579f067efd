/** Merges a member into another one, in the transaction of a write: balances by ledger entries, records by their member. */
import { Rejection, reject } from "../../contract/errors.ts";
import { type Connection, undone } from "../../database/connection.ts";
import { findMembers } from "../../database/engine/members.ts";
import { listMergedDays, moveRecords } from "../../database/engine/merging.ts";
import { mergeReferrals } from "../../database/engine/rewards/referrals.ts";
import { lockLedger } from "../../database/ledger/ledger.ts";
import { lockMerging, setMergedInto } from "../../database/members/members.ts";
import { markPasses } from "../../database/wallets/updates.ts";
import type { EntryDraft } from "../../domain/decision.ts";
import { decideJoin, decideMerge } from "../../domain/engine/merge.ts";
import { leaveCard } from "../../domain/engine/stamps/cards.ts";
import { isHeld, withoutTier } from "../../domain/engine/standing.ts";
import type { tierResult } from "../../domain/engine/tiers/progress.ts";
import { accounts } from "../../domain/ledger.ts";
import type { HeldVoucher, MemberStampCard } from "../../domain/records.ts";
import { countReferrals, referralCommand } from "./following.ts";
import type { GroupState, PostingCommand } from "./group-state.ts";
import { allOf, internalCommand, noMember } from "./internal-commands.ts";
import { applyCommands, settleMembers } from "./open-ledger.ts";

/**
 * Moves the balances and records of a member to another one. Both are settled before.
 * @param merge.integrationId the integration of the entries; null for an operator
 */
async function mergeAccounts(
  tx: Connection,
  businessId: number,
  { from, to, integrationId }: { from: number; to: number; integrationId: number | null },
) {
  await settleMembers(tx, businessId, [from, to]);
  const both = [from, to].map((contactId) => ({ businessId, contactId, tier: true }));
  const [source, target] = await findMembers(tx, both);
  if (source === undefined || target === undefined) return noMember();
  const days = await listMergedDays(tx, businessId, from);
  const decision = decideMerge({ contact_id: from, ...source }, { contact_id: to, ...target }, days);
  if (decision instanceof Rejection) return decision;
  const { reference_id, taken, given, merged, owed } = decision;
  const record = async (commands: readonly PostingCommand[], vouchers: readonly HeldVoucher[] = []) => {
    const ofCaller = commands.map((command) => ({ ...command, integrationId }));
    const { outcomes } = await applyCommands(tx, businessId, ofCaller, {
      change: (read) => withVouchers(read, to, vouchers),
      follows: true,
    });
    const isRecorded = outcomes.every((outcome) => typeof outcome === "object" && "status" in outcome);
    if (!isRecorded) throw new Error("a merge was not recorded");
  };
  const move = (contactId: number, entries: readonly EntryDraft[]) =>
    internalCommand(businessId, contactId, { balances: accounts }, () => ({
      entries,
      reference_id,
      data: {},
    }));
  await record([move(from, taken), move(to, given)]);
  await moveRecords(tx, businessId, from, to);
  const ended = await mergeReferrals(tx, businessId, from, to);

  const standing = source.tier?.standing;
  const leave = internalCommand(businessId, from, allOf, ({ today }) => {
    const tier_standing = isHeld(standing) ? [withoutTier(today)] : [];
    const changes = { tier_standing, member_stamp_card: source.cards.map(leaveCard) };
    return { entries: [], reference_id: undefined, changes, closes: true, data: {} };
  });
  let tier: ReturnType<typeof tierResult> | undefined;
  // The lots that pay debts are read, whichever member they come from.
  const needs = { ...allOf, points: () => owed };
  const join = internalCommand(businessId, to, needs, ({ member, rules, ...moment }) => {
    if (member === undefined) return noMember();
    const joined = decideJoin(member, { standing, cards: source.cards }, rules, to, moment);
    if (joined instanceof Rejection) return joined;
    tier = joined.tier;
    return joined;
  });
  await record(
    [leave, join],
    await findUnusedVouchers(tx, businessId, to, [...source.cards, ...target.cards]),
  );
  if (ended.length > 0) await record(ended.map((one) => referralCommand(one, true)));
  await countReferrals(tx, ended);
  const [after] = await findMembers(tx, [{ businessId, contactId: to }]);
  if (tier === undefined || after === undefined) return noMember();
  return { merged, balances: after.balances, tier };
}

/** Vouchers of cards on which stamps are owed. They are taken back if the other member had some. */
async function findUnusedVouchers(
  tx: Connection,
  businessId: number,
  contactId: number,
  cards: readonly MemberStampCard[],
) {
  const stampsOff = cards
    .filter(({ stamps }) => stamps < 0)
    .map(({ stamp_card_id, stamps }) => ({ stamp_card_id, stamps: -stamps }));
  if (stampsOff.length === 0) return [];
  const [found] = await findMembers(tx, [{ businessId, contactId, stampsOff }]);
  return found?.vouchers ?? [];
}

/** What was read, with further vouchers of a member. */
const withVouchers = (read: GroupState, contactId: number, vouchers: readonly HeldVoucher[]): GroupState => ({
  ...read,
  members: read.members.map((one) =>
    one.contactId === contactId && vouchers.length > 0
      ? { ...one, member: { ...one.member, vouchers } }
      : one,
  ),
});

interface Merge {
  readonly from: number;
  readonly into: number;
  /** Null for an operator. */
  readonly integrationId: number | null;
  /** Whether the first member must be an anonymous card, which the other one claims. */
  readonly claims?: boolean;
  readonly dryRun?: boolean;
}

/** Merges a member into another one. The transaction has locked nothing, or the ledger. */
export async function mergeInto(
  tx: Connection,
  businessId: number,
  { from: from_contact_id, into: contact_id, integrationId, claims = false, dryRun = false }: Merge,
) {
  await lockLedger(tx, businessId);
  const rows = await lockMerging(tx, businessId, [from_contact_id, contact_id]);
  const [from, into] = [from_contact_id, contact_id].map((id) => rows.find((row) => row.contact_id === id));
  if (from === undefined || into === undefined) return noMember();
  if (from.merged_into !== null) return reject("already_merged", { merged_into: from.merged_into });
  if (claims && from.anonymous === null) return reject("card_already_claimed");
  if (into.anonymous !== null) return reject("member_anonymous");
  for (const { active, contact_id, merged_into } of [from, into]) {
    if (active) continue;
    return reject("member_inactive", { contact_id, ...(merged_into !== null && { merged_into }) });
  }
  const merge = async () => {
    const accounts = { from: from_contact_id, to: contact_id, integrationId };
    const moved = await mergeAccounts(tx, businessId, accounts);
    if (moved instanceof Rejection) return moved;
    await markPasses(tx, businessId, from_contact_id);
    await setMergedInto(tx, businessId, from, contact_id);
    return { contact_id, ...moved };
  };
  return dryRun ? undone(tx, merge) : merge();
}
