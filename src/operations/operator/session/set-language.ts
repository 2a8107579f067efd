import { sessionOperation, Type } from "../../../contract/declare.ts";
import { hashSecret } from "../../../credentials/keys.ts";
import { findOperatorBySession } from "../../../database/access/operator-sessions.ts";
import { updateLanguage } from "../../../database/access/operators.ts";
import { chosenLanguage } from "../../access/operators.ts";

export const setLanguage = sessionOperation({
  path: "/op/session/set-language",
  summary: "Choose your language",
  description:
    "Stores in which language the person who is signed in sees the console, on every device. It changes nothing for others, so the " +
    "audit log does not have it.",
  message: "Language chosen.",
  input: { language: chosenLanguage },
  output: Type.Object({ language: chosenLanguage }),
  errors: ["unauthorized"],
  async change({ input: { language }, sql, services, session, reject }) {
    if (session === undefined) return reject("unauthorized", { token: "missing" });
    const operator = await findOperatorBySession({ lookUps: services.lookUps, sql }, hashSecret(session));
    if (operator === undefined) return reject("unauthorized", { token: "invalid_or_expired" });
    await updateLanguage(sql, operator.id, language);
    return { data: { language } };
  },
});
