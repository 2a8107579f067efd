import { writeOperation } from "../../../contract/declare.ts";
import { deleteKey } from "../../../database/access/operators.ts";
import { keyId, operatorOf, revoked } from "../../access/operators.ts";

export const revokeOperatorKey = writeOperation({
  path: "/op/operator-keys/revoke",
  role: "owner",
  sensitive: true,
  event: "operator_key.revoked",
  summary: "Revoke an operator key",
  message: "Operator key revoked.",
  description: "Deletes a key. Within five seconds, its requests are rejected.",
  confirm: "This can't be undone.",
  input: { key_id: keyId },
  output: revoked({ key_id: keyId }),
  errors: ["key_not_found"],
  async write({ input: { key_id }, tx, caller, audit, reject }) {
    const before = await deleteKey(tx, operatorOf(caller), key_id);
    if (before === undefined) return reject("key_not_found");
    audit({ before, after: null });
    return { key_id, revoked: true };
  },
});
