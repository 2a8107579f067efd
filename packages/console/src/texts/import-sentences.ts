/** What the service says of an import, in English, as people read it in another language. */
import { dayText } from "./dates.ts";
import { decimalText } from "./decimals.ts";

/**
 * Sentences of the service, with labels of fields in them already, and what people read instead. $1 is a part as it is, #1 one whose
 * numbers and days are in the form of the language, and @1 a part that is a sentence of its own; it can be absent.
 */
export type Sentences = readonly (readonly [RegExp, string])[];

/** "1,234.50 EUR" and "2026-04-17" as they are written in the language. */
function written(text: string): string {
  return text.replace(/\d{4}-\d\d-\d\d|\d+(?:,\d{3})*(?:\.(\d+))?/g, (found, decimals = "") =>
    found.includes("-") ? dayText(found) : decimalText(Number(found.replace(/[,.]/g, "")), decimals.length),
  );
}

/** Makes the function that says a sentence in a language. One that is not among them stays in English. */
export function sayImport(sentences: Sentences): (text: string) => string {
  const say = (text: string): string => {
    for (const [pattern, own] of sentences) {
      const parts = pattern.exec(text);
      if (parts === null) continue;
      return own.replace(/([$#@])(\d)/g, (_, form: string, nth: string) => {
        const part = parts[Number(nth)] ?? "";
        return form === "$" ? part : form === "#" ? written(part) : say(part);
      });
    }
    return text;
  };
  return say;
}
