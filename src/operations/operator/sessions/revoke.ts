import { writeOperation } from "../../../contract/declare.ts";
import { revokeSession } from "../../../database/access/operator-sessions.ts";
import { operatorOf, revoked, seenSessions, sessionId } from "../../access/operators.ts";

export const revokeSessionOperation = writeOperation({
  path: "/op/sessions/revoke",
  role: "viewer",
  event: "operator_session.revoked",
  summary: "Revoke a session",
  message: "Session revoked.",
  description:
    "Ends a session. Within five seconds, its requests are rejected. You can end your own sessions. Owners can end those of all " +
    "accounts that they see.",
  input: { session_id: sessionId },
  output: revoked({ session_id: sessionId }),
  errors: ["session_not_found"],
  async write({ input: { session_id }, tx, caller, audit, reject }) {
    const before = await revokeSession(tx, seenSessions(operatorOf(caller)), session_id);
    if (before === undefined) return reject("session_not_found");
    audit({ before, after: null });
    return { session_id, revoked: true };
  },
});
