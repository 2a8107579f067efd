/** Reads members as decisions see them, for operations that are not postings. */
import type { MemberReader, SettledMember } from "../../contract/services.ts";
import type { Connection, Share } from "../../database/connection.ts";
import {
  type FoundMember,
  findMemberAndRules,
  findMembersAndRules,
  type WantedMember,
} from "../../database/engine/members.ts";
import { findMergedInto } from "../../database/members/members.ts";
import { changeSums } from "../../domain/engine/lots.ts";
import { settleAll } from "../../domain/engine/settle.ts";
import { OverloadedError } from "../../domain/fair-queue.ts";
import { Rejection } from "../../domain/rejection.ts";
import { settleCommand } from "./internal-commands.ts";
import { MemberReads } from "./member-reads.ts";
import type { PostingQueue } from "./posting-queue.ts";

export function createMemberReader(postings: Pick<PostingQueue, "post">): MemberReader {
  const reads = new MemberReads(findMembersAndRules);
  return {
    find: findSettled(postings, (lookUps: Share, wanted) => reads.find(lookUps, wanted)),
    findIn: findSettled(postings, findMemberAndRules),
  };
}

/**
 * Makes the function that finds a member, or the one into which it was merged, and settles it in memory. If more lots are due
 * than one transaction settles, the member is first settled in the ledger, so that one read does not do all this work.
 */
function findSettled<From extends Connection>(
  postings: Pick<PostingQueue, "post">,
  read: (from: From, wanted: WantedMember) => Promise<FoundMember | undefined>,
) {
  const find = async (from: From, wanted: WantedMember): Promise<SettledMember | undefined> => {
    let stored = await read(from, wanted);
    // Members that were merged are inactive. So an active member costs no further look-up.
    if (stored?.active === false) {
      const target = await findMergedInto(from, wanted.businessId, wanted.contactId);
      if (target !== undefined) return find(from, { ...wanted, contactId: target });
    }
    if (stored?.moreDue === true) {
      const outcome = await postings.post(settleCommand(wanted.businessId, wanted.contactId));
      if (outcome instanceof Rejection) throw new OverloadedError(outcome.retryAfterSeconds ?? 1);
      stored = await read(from, wanted);
    }
    return stored && settledMember(stored, wanted.contactId);
  };
  return find;
}

/** The member as decisions see it: with what is due today settled in memory. */
export function settledMember(stored: FoundMember, contact_id: number): SettledMember {
  const { points, vouchers, cards, lapsedValue, standing } = settleAll(
    ...([stored.points, stored, stored.tier, stored.today] as const),
  );
  const before = new Map(stored.points.lots.map((lot) => [lot.lot_id, lot]));
  const changed = points.lots
    .filter((lot) => before.get(lot.lot_id) !== lot)
    .map((after) => ({ before: before.get(after.lot_id), after }));
  const { lapses_on, today } = stored;
  const balances = {
    ...stored.balances,
    ...(lapses_on !== null && lapses_on <= today && { wallet: 0 }),
    points: points.balance,
    vouchers: stored.balances.vouchers - lapsedValue,
  };
  return {
    contact_id,
    sale: stored.named.sale?.[0],
    settledLots: changed.map(({ after }) => after),
    ...stored,
    balances,
    points,
    vouchers,
    cards,
    tier: { ...stored.tier, standing, rules: stored.rulesToday },
    due: changeSums(stored.due, changed),
  };
}
