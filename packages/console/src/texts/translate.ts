/** What the service says in English sentences, as people read it in another language. */
import { dayText } from "./dates.ts";
import { countedText, decimalText } from "./decimals.ts";
import { quoted } from "./en/language.ts";
import { labelOf } from "./labels.ts";

/**
 * Sentences of the service, with the labels of fields in them already, and what people read instead. $1 is a part as it is; #1 one whose
 * numbers and days are in the form of the language; #1{line|lines} a number and its word; &1 the label of a field that has its name;
 * @1 a part that is a sentence of its own, which can be absent.
 */
export type Sentences = readonly (readonly [RegExp, string])[];

/** "1,234.50 EUR" and "2026-04-17" as they are written in the language. */
function written(text: string): string {
  return text.replace(/\d{4}-\d\d-\d\d|\d+(?:,\d{3})*(?:\.(\d+))?/g, (found, decimals = "") =>
    found.includes("-") ? dayText(found) : decimalText(Number(found.replace(/[,.]/g, "")), decimals.length),
  );
}

type Say = (text: string) => string;

/** Says a text by what it knows of whole texts, or else each of its sentences. */
export const bySentence = (whole: Say, say: Say) => (text: string) => {
  const said = whole(text);
  return said === text
    ? text
        .split(/(?<=[.?]) (?=[A-Z])/)
        .map(say)
        .join(" ")
    : said;
};

/** Makes the function that says a sentence in a language. One that is not among them stays in English. */
export function translator(sentences: Sentences): (text: string) => string {
  const say = (text: string): string => {
    for (const [pattern, own] of sentences) {
      const parts = pattern.exec(text);
      if (parts === null) continue;
      return own.replace(
        /([$#@&])(\d)(?:\{(.*?)\|(.*?)\})?/g,
        (_, form: string, nth: string, one: string | undefined, other: string) => {
          const part = parts[Number(nth)] ?? "";
          if (one !== undefined) return countedText(Number(part.replaceAll(",", "")), one, other);
          if (form === "$") return part;
          if (form === "&") return quoted(labelOf(part));
          return form === "#" ? written(part) : say(part);
        },
      );
    }
    return text;
  };
  return say;
}
