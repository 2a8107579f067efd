import { Type, writeOperation } from "../../../contract/declare.ts";
import { hashSecret, newOperatorKey } from "../../../credentials/keys.ts";
import { insertKey } from "../../../database/access/operators.ts";
import {
  checkName,
  expiresInDays,
  grantFields,
  keyName,
  keySecret,
  operatorKey,
  operatorOf,
  optionalGrantFields,
  rejectGrant,
} from "../../access/operators.ts";

export const createOperatorKey = writeOperation({
  path: "/op/operator-keys/create",
  role: "owner",
  sensitive: true,
  event: "operator_key.created",
  status: 201,
  confidential: true,
  summary: "Create an operator key",
  message: "Operator key created.",
  description:
    "Creates a key for a script, with rights of its own. You can grant at most what you may do yourself. The key stays valid if " +
    "your account is disabled.",
  input: {
    name: keyName,
    role: grantFields.role,
    ...optionalGrantFields,
    expires_in_days: Type.Optional(expiresInDays),
  },
  output: Type.Object({ ...operatorKey.properties, operator_key: keySecret }),
  errors: ["role_not_allowed", "business_not_found", "validation_failed"],
  check: checkName,
  async write({ input, tx, caller, audit }) {
    const { name, role, business_ids = null, limit_amount = null, limit_points = null } = input;
    const given = { name, role, business_ids, limit_amount, limit_points };
    const rejected = await rejectGrant(tx, operatorOf(caller), given);
    if (rejected !== undefined) return rejected;
    const operator_key = newOperatorKey();
    const made = await insertKey(tx, given, hashSecret(operator_key), input.expires_in_days ?? null);
    audit({ before: null, after: made });
    return { ...made, operator_key };
  },
});
