import { Type, writeOperation } from "../../../contract/declare.ts";
import { hashSecret, newInvitationToken } from "../../../credentials/keys.ts";
import { insertAccount, isNameTaken, lockAccounts } from "../../../database/access/operators.ts";
import {
  account,
  checkName,
  grantFields,
  invitationFields,
  operatorName,
  operatorOf,
  optionalGrantFields,
  rejectGrant,
} from "../../access/operators.ts";

export const createOperator = writeOperation({
  path: "/op/operators/create",
  role: "owner",
  sensitive: true,
  event: "operator_account.created",
  status: 201,
  confidential: true,
  summary: "Create an operator",
  message: "Operator created.",
  description:
    "Creates an account for a person, and an invitation. With its link, the person sets a password. You can grant at most what you " +
    "may do yourself.",
  input: { name: operatorName, role: grantFields.role, ...optionalGrantFields },
  output: Type.Object({ ...account.properties, ...invitationFields }),
  errors: ["operator_already_exists", "role_not_allowed", "business_not_found", "validation_failed"],
  check: checkName,
  async write({ input, tx, caller, audit, reject }) {
    const { name, role, business_ids = null, limit_amount = null, limit_points = null } = input;
    const given = { name, role, business_ids, limit_amount, limit_points };
    const rejected = await rejectGrant(tx, operatorOf(caller), given);
    if (rejected !== undefined) return rejected;
    await lockAccounts(tx);
    if (await isNameTaken(tx, name)) return reject("operator_already_exists");
    const invitation_token = newInvitationToken();
    const { invitation_expires_at, ...made } = await insertAccount(tx, given, hashSecret(invitation_token));
    audit({ before: null, after: made });
    return { ...made, invitation_token, invitation_expires_at };
  },
});
