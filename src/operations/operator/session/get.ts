import { readOperation } from "../../../contract/declare.ts";
import { currentSession, operatorOf, sessionOf } from "../../access/operators.ts";

export const getSession = readOperation({
  path: "/op/session/get",
  role: "viewer",
  summary: "Get your own rights",
  description:
    "Returns who you are for the service, and what you may do: with a session, with a key, or with the operator key.",
  message: "Session found.",
  input: {},
  output: currentSession,
  read: ({ caller, sql }) => sessionOf(operatorOf(caller), sql),
});
