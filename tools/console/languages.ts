/** What the build of the console needs for each language: the facts of the declarations, and the words of the page itself. */
import { language as german } from "../../packages/console/src/texts/de/language.ts";
import { sentences as germanSentences } from "../../packages/console/src/texts/de/sentences.ts";
import { language as english } from "../../packages/console/src/texts/en/language.ts";
import { language as spanish } from "../../packages/console/src/texts/es/language.ts";
import { sentences as spanishSentences } from "../../packages/console/src/texts/es/sentences.ts";
import { language as french } from "../../packages/console/src/texts/fr/language.ts";
import { sentences as frenchSentences } from "../../packages/console/src/texts/fr/sentences.ts";
import type { languages } from "../../packages/console/src/texts/languages.ts";
import { consoleFacts } from "./declarations.ts";

type Sentences = Readonly<Record<string, string>>;

/** Each translation: the words of its page, and the sentences of declarations in it, by the English ones. */
const translations: Readonly<
  Record<Exclude<keyof typeof languages, "en">, { page: object; sentences: Sentences }>
> = {
  de: { page: german, sentences: germanSentences },
  fr: { page: french, sentences: frenchSentences },
  es: { page: spanish, sentences: spanishSentences },
};

/** The facts for the build of each language, by its code. */
export function consoleLanguages(): Record<string, { facts: Record<string, object>; page: object }> {
  const facts = consoleFacts();
  const others = Object.entries(translations).map(([code, { page, sentences }]) => [
    code,
    { facts: inWordsOf(facts, (sentence) => sentences[sentence] ?? sentence), page },
  ]);
  return { en: { facts, page: english }, ...Object.fromEntries(others) };
}

/** The sentences of declarations that people read. The descriptions of fields are not among them: each language has its own help. */
export function sentencesOf(facts: Record<string, object>): Set<string> {
  const found = new Set<string>();
  inWordsOf(facts, (sentence) => {
    found.add(sentence);
    return sentence;
  });
  return found;
}

/** Facts in which each sentence is replaced. The errors of partners stay in English, as partners get them. */
function inWordsOf(facts: Record<string, object>, words: (sentence: string) => string) {
  const { "pages/requests/partners.ts": partners = {}, ...others } = facts;
  const inWords = (value: unknown): unknown =>
    typeof value === "string"
      ? words(value)
      : Object.fromEntries(
          Object.entries(value as object).map(([key, text]) => [key, words(text as string)]),
        );
  const text = JSON.stringify(others, (fact, value) => {
    if (fact === "description") return typeof value === "string" ? undefined : value;
    const isText = typeof value === "string" && /^(?:summary|message)$/.test(fact);
    const isTable = /^(?:confirm|meanings)$/.test(fact) && value && !("type" in Object(value));
    return isText || isTable ? inWords(value) : value;
  });
  return { ...(JSON.parse(text) as Record<string, object>), "pages/requests/partners.ts": partners };
}
