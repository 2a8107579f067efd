import { language } from "./en/language.ts";

/** Which of two values comes first: the smaller number, or the word that is before the other one in the language. */
export const compareValues = (one: unknown, other: unknown): number =>
  typeof one === "number" && typeof other === "number"
    ? one - other
    : String(one ?? "").localeCompare(String(other ?? ""), language.locale, { numeric: true });
