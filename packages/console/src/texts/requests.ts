/** What a page says of the requests of partners. */
import type { Rejection } from "../api/client.ts";
import { colon, phrase } from "./en/language.ts";
import { partnerTexts } from "./en/partners.ts";
import { choiceText } from "./labels.ts";

type Problem = Rejection["problems"][number];

/** The log keeps the names of fields that operations have. Another one, which it shows as ?, may be personal data. */
export function requestProblemText({ field, code }: Pick<Problem, "field" | "code">): string {
  if (field.split(".").includes("?")) return partnerTexts.requests.unknownField;
  if (code === "unknown_field") return partnerTexts.requests.fieldOfOthers(field);
  return (field || partnerTexts.requests.whole) + colon + phrase(choiceText(code));
}

/** What the manager can do in the console after an error of a partner, by the scope that its operation needs. */
export function adviceText(error_code: string, scope: string, meaning: string): string | undefined {
  const own = partnerTexts.requests.advice as Readonly<
    Record<string, ((...scope: string[]) => string) | undefined>
  >;
  return own[error_code]?.(scope, meaning);
}
