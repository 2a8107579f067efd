/** For operations that are not postings: reads members as decisions see them, and adds entries to their accounts. */
import type { MemberServices, SettledMember } from "../contract/operation.ts";
import { type FoundMember, findMemberAndRules } from "../database/engine/members.ts";
import { changeSums } from "../domain/engine/lots.ts";
import { settleAll } from "../domain/engine/settle.ts";
import { OverloadedError } from "../domain/fair-queue.ts";
import { Refusal } from "../domain/refusal.ts";
import { closeAccounts, openLedger, settleCommand, settleMembers } from "./open-ledger.ts";
import type { PostingQueue } from "./posting-queue.ts";

export function createMemberServices(postings: Pick<PostingQueue, "post">): MemberServices {
  return { find: findSettled(postings), settle: settleMembers, openLedger, close: closeAccounts };
}

/**
 * Makes the function that finds a member and settles it in memory. If more lots are due than one transaction settles, the
 * member is first settled in the ledger, so that one read does not do all this work.
 */
function findSettled(postings: Pick<PostingQueue, "post">): MemberServices["find"] {
  return async (from, wanted) => {
    let stored = await findMemberAndRules(from, wanted);
    if (stored?.moreDue === true) {
      const outcome = await postings.post(settleCommand(wanted.businessId, wanted.contactId));
      if (outcome instanceof Refusal) throw new OverloadedError(outcome.retryAfterSeconds ?? 1);
      stored = await findMemberAndRules(from, wanted);
    }
    return stored && settledMember(stored);
  };
}

function settledMember(stored: FoundMember): SettledMember {
  const { points, vouchers, lapsedValue, standing } = settleAll(
    ...([stored.points, stored.vouchers, stored.tier, stored.today] as const),
  );
  const before = new Map(stored.points.lots.map((lot) => [lot.lot_id, lot]));
  const changed = points.lots
    .filter((lot) => before.get(lot.lot_id) !== lot)
    .map((after) => ({ before: before.get(after.lot_id), after }));
  const balances = {
    ...stored.balances,
    ...{ points: points.balance, vouchers: stored.balances.vouchers - lapsedValue },
  };
  const sale = stored.named.sale?.[0];
  return {
    ...stored,
    balances,
    points,
    vouchers,
    tier: { standing, sales: stored.tier.sales, rules: stored.rulesToday },
    sale,
    due: changeSums(stored.due, changed),
    settledLots: changed.map(({ after }) => after),
  };
}
