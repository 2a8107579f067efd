import { listOperation, Type } from "../../../contract/declare.ts";
import { listSessions } from "../../../database/access/operator-sessions.ts";
import { operatorId, operatorOf, seenSessions, session } from "../../access/operators.ts";

export const listSessionsOperation = listOperation({
  path: "/op/sessions/list",
  role: "viewer",
  summary: "List sessions",
  message: "Sessions listed.",
  description:
    "Lists the sessions that are valid, newest first: your own. Owners see the sessions of all accounts that they see.",
  columns: ["session_id", "name", "address", "last_seen_at", "expires_at"],
  input: { operator_id: Type.Optional({ ...operatorId, description: "Only sessions of this account." }) },
  output: session,
  list: ({ sql, caller, input, page }) =>
    listSessions(sql, seenSessions(operatorOf(caller)), input.operator_id, page),
});
