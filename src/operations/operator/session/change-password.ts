import { sessionOperation } from "../../../contract/declare.ts";
import { hashSecret } from "../../../credentials/keys.ts";
import { endSessionsOf, findOperatorBySession } from "../../../database/access/operator-sessions.ts";
import { findPassword, replacePassword } from "../../../database/access/operators.ts";
import { currentSession, openSession, operatorName, password } from "../../access/operators.ts";
import { checkPassword } from "../../members/members.ts";

export const changePassword = sessionOperation({
  path: "/op/session/change-password",
  summary: "Change your password",
  description:
    "Replaces the password of the person who is signed in. The current one is required, and failed attempts are limited as at " +
    "sign-in. All sessions of the person end; the response sets the cookie of a new one.",
  message: "Password changed.",
  input: {
    name: operatorName,
    password: { ...password, description: "The current password." },
    new_password: password,
  },
  output: currentSession,
  errors: ["unauthorized", "sign_in_failed", "validation_failed"],
  check: ({ new_password }) => checkPassword("new_password", new_password, []),
  async change({ input, sql, services, session, address, reject }) {
    const { lookUps, passwords } = services;
    if (session === undefined) return reject("unauthorized", { token: "missing" });
    const operator = await findOperatorBySession({ lookUps, sql }, hashSecret(session));
    if (operator === undefined) return reject("unauthorized", { token: "invalid_or_expired" });
    const found = await findPassword(lookUps, input.name);
    if (found?.password_hash == null || found.operator_id !== operator.id) return reject("sign_in_failed");
    const { operator_id, name, password_hash } = found;
    if (!(await passwords.verify("operators", password_hash, input.password)))
      return reject("sign_in_failed");
    const errors = checkPassword("new_password", input.new_password, [name], "the name of the account");
    if (errors.length > 0) return reject("validation_failed", { errors });
    const hash = await passwords.hash("operators", input.new_password);
    return sql.begin(async (tx) => {
      // The account may have been disabled or reset meanwhile.
      if (!(await replacePassword(tx, operator_id, password_hash, hash))) return reject("sign_in_failed");
      await endSessionsOf(tx, operator_id);
      const opened = await openSession(tx, operator_id, undefined, address);
      return { ...opened, operator: { operator_id, name }, event: "operator_account.password_changed" };
    });
  },
});
