import { fields, sessionOperation, Type } from "../../../contract/declare.ts";
import { hashSecret } from "../../../credentials/keys.ts";
import { endSession } from "../../../database/access/operator-sessions.ts";

export const deleteSession = sessionOperation({
  path: "/op/session/delete",
  summary: "Sign out",
  description: "Ends the session of the cookie or of the bearer token, and removes the cookie.",
  message: "Signed out.",
  input: {},
  output: Type.Object({ ended: fields.flag("Always true.", true) }),
  errors: ["unauthorized"],
  async change({ sql, session, reject }) {
    if (session === undefined) return reject("unauthorized", { token: "missing" });
    const operator = await endSession(sql, hashSecret(session));
    if (operator === undefined) return reject("unauthorized", { token: "invalid_or_expired" });
    return { data: { ended: true }, token: null, operator, event: "operator_session.ended" };
  },
});
