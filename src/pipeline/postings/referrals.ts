/** Gives both members of a referral what the business gives, when enough of the first sale was kept. */
import type { Connection } from "../../database/connection.ts";
import { type DecidedReferral, endReferrals } from "../../database/engine/rewards/referrals.ts";
import { findCurrentRules } from "../../database/engine/rules.ts";
import { referralOccasions } from "../../domain/engine/referrals.ts";
import type { Rules } from "../../domain/engine/rules.ts";
import { countReferrals, referralCommand } from "./following.ts";
import { occasionCommand } from "./internal-commands.ts";
import { applyAll, lockForGrants, type Perform, type TellFault } from "./occasions.ts";

const referralsAtOnce = 50;

/**
 * Decides the referrals of a business that are due. Each part is a transaction, with the status by which nothing is given twice.
 * @returns how many entries were recorded
 */
export async function decideReferrals(
  businessId: number,
  perform: Perform,
  tell?: TellFault,
): Promise<number> {
  for (let entries = 0; ; ) {
    const done = await perform((tx) => decideSome(tx, businessId, tell));
    entries += done?.entries ?? 0;
    if (done === undefined || done.isLast) return entries;
  }
}

async function decideSome(tx: Connection, businessId: number, tell?: TellFault) {
  const ledger = await lockForGrants(tx, businessId);
  if (ledger === undefined) return { entries: 0, isLast: true };
  const rules = await findCurrentRules(tx, businessId);
  const decided = await endReferrals(tx, businessId, referralOccasions(rules), referralsAtOnce);
  const commands = decided.flatMap((one) => [...grantsOf(one, rules), referralCommand(one, false)]);
  await countReferrals(tx, decided);
  const { entries } = await applyAll(tx, businessId, commands, tell);
  return { entries, isLast: decided.length < referralsAtOnce };
}

/** What the two members get. One that is inactive or erased meanwhile gets nothing; the other one does. */
function grantsOf(
  { business_id, contact_id, referrer_contact_id, status, made_on }: DecidedReferral,
  rules: Rules,
) {
  if (status !== "granted") return [];
  return referralOccasions(rules, made_on).map((occasion) => {
    const side = occasion.kind === "referred" ? contact_id : referrer_contact_id;
    return occasionCommand(
      business_id,
      occasion,
      { contact_id: side, occurrence: String(contact_id) },
      false,
    );
  });
}
