import { Rejection, Type, writeOperation } from "../../../contract/declare.ts";
import { isNameTaken, lockAccounts, updateAccount } from "../../../database/access/operators.ts";
import {
  account,
  checkName,
  endAccess,
  grantFields,
  operatorId,
  operatorName,
  operatorOf,
  optionalGrantFields,
  rejectGrant,
  rejectLastOwner,
  seenAccount,
} from "../../access/operators.ts";

export const updateOperator = writeOperation({
  path: "/op/operators/update",
  role: "owner",
  sensitive: true,
  event: "operator_account.updated",
  summary: "Update an operator",
  message: "Operator updated.",
  description:
    "Changes the name, the role, the businesses or the limits of an account. Fields that you omit don't change. If its rights " +
    "change, its sessions and its invitation end. You can grant at most what you may do yourself.",
  input: {
    operator_id: operatorId,
    name: Type.Optional(operatorName),
    role: Type.Optional(grantFields.role),
    ...optionalGrantFields,
  },
  atLeastOne: true,
  output: account,
  errors: [
    "operator_not_found",
    "operator_already_exists",
    "role_not_allowed",
    "business_not_found",
    "validation_failed",
    "last_owner",
  ],
  check: checkName,
  async write({ input: { operator_id, ...change }, tx, caller, audit, reject }) {
    const own = operatorOf(caller);
    await lockAccounts(tx);
    const before = await seenAccount(tx, own, operator_id);
    if (before instanceof Rejection) return before;
    const after = { ...before, ...change };
    const rejected = (await rejectGrant(tx, own, after)) ?? (await rejectLastOwner(tx, own, before, after));
    if (rejected !== undefined) return rejected;
    if (await isNameTaken(tx, after.name, operator_id)) return reject("operator_already_exists");
    await updateAccount(tx, operator_id, change);
    if (Object.keys(change).some((field) => field !== "name")) await endAccess(tx, operator_id);
    audit({ before, after });
    return after;
  },
});
