/** The account with which the first person signs in to the console. Others are invited there. */
import { hashSecret, newInvitationToken } from "./credentials/keys.ts";
import { insertAuditEntries, ownActor } from "./database/access/audit.ts";
import { insertAccount, inviteAgain, listAccounts, lockAccounts } from "./database/access/operators.ts";
import type { Database } from "./database/connection.ts";

const owner = {
  name: "owner",
  role: "owner",
  business_ids: null,
  limit_amount: null,
  limit_points: null,
} as const;

/**
 * Makes the account, or invites its person again who has not set a password yet.
 * @returns the token of the invitation; undefined if operators have accounts
 */
export function inviteFirstOwner(sql: Database): Promise<string | undefined> {
  return sql.begin(async (tx) => {
    await lockAccounts(tx);
    const { rows, next } = await listAccounts(tx, owner, { page: 1, perPage: 1 });
    const [only] = rows;
    const token = newInvitationToken();
    if (only === undefined) {
      const { invitation_expires_at: _, ...made } = await insertAccount(tx, owner, hashSecret(token));
      const [actor, event] = [ownActor("service", ""), "operator_account.created" as const];
      await insertAuditEntries(tx, [{ business_id: null, actor, event, before: null, after: made }]);
      return token;
    }
    if (next !== undefined || only.name !== owner.name || only.status !== "invited") return undefined;
    await inviteAgain(tx, only.operator_id, hashSecret(token));
    return token;
  });
}
