import { sessionOperation } from "../../../contract/declare.ts";
import { findPassword, holdPassword } from "../../../database/access/operators.ts";
import { currentSession, openSession, operatorName, password } from "../../access/operators.ts";

export const createSession = sessionOperation({
  path: "/op/session/create",
  summary: "Sign in",
  description:
    "Signs a person in with the name and the password of an account. The response sets a cookie with the session, which is valid for " +
    "7 days, and ends after 12 hours without a request. Programs can send its value as a bearer token instead. To confirm the " +
    "password before an operation that requires it, send this request again. The previous session ends then.",
  message: "Signed in.",
  input: { name: operatorName, password },
  output: currentSession,
  errors: ["sign_in_failed"],
  async change({ input, sql, services, session, address, reject }) {
    const found = await findPassword(services.lookUps, input.name);
    // A password is verified for an unknown name, too, so that it takes as long.
    const hash = found?.password_hash ?? undefined;
    const isRight = await services.passwords.verify("operators", hash, input.password);
    if (found === undefined || !isRight) return reject("sign_in_failed");
    return sql.begin(async (tx) => {
      // The account may have been disabled or reset meanwhile.
      if ((await holdPassword(tx, found.operator_id)) !== hash) return reject("sign_in_failed");
      const opened = await openSession(tx, found.operator_id, session, address);
      return { ...opened, operator: found, event: "operator_session.created" };
    });
  },
});
