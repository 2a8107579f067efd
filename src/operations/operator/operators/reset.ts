import { Rejection, Type, writeOperation } from "../../../contract/declare.ts";
import { hashSecret, newInvitationToken } from "../../../credentials/keys.ts";
import { endSessionsOf } from "../../../database/access/operator-sessions.ts";
import { inviteAgain, lockAccounts } from "../../../database/access/operators.ts";
import {
  account,
  invitationFields,
  operatorId,
  operatorOf,
  rejectLastOwner,
  seenAccount,
} from "../../access/operators.ts";

export const resetOperator = writeOperation({
  path: "/op/operators/reset",
  role: "owner",
  sensitive: true,
  event: "operator_account.reset",
  confidential: true,
  summary: "Reset the password of an operator",
  description:
    "Removes the password of an account, ends its sessions, and makes a new invitation, with which the person sets another password. " +
    "An earlier invitation is no longer valid.",
  confirm: "The person can't sign in until the new invitation is accepted.",
  message: "Password reset.",
  input: { operator_id: operatorId },
  output: Type.Object({ ...account.properties, ...invitationFields }),
  errors: ["operator_not_found", "last_owner"],
  async write({ input: { operator_id }, tx, caller, audit }) {
    const own = operatorOf(caller);
    await lockAccounts(tx);
    const before = await seenAccount(tx, own, operator_id);
    if (before instanceof Rejection) return before;
    const status = before.status === "disabled" ? before.status : "invited";
    const after = { ...before, status, last_seen_at: null } as const;
    const rejected = await rejectLastOwner(tx, own, before, after);
    if (rejected !== undefined) return rejected;
    const invitation_token = newInvitationToken();
    const { invitation_expires_at } = await inviteAgain(tx, operator_id, hashSecret(invitation_token));
    // A sign-in at the same time holds the account. When the account is updated, its session is there to be ended.
    await endSessionsOf(tx, operator_id);
    audit({ before, after: { ...after, invitation_expires_at } });
    return { ...after, invitation_token, invitation_expires_at };
  },
});
