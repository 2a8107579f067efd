/** The language that a person chose. */
import { basePath } from "../api/place.ts";
import { language } from "./en/language.ts";
import { languages } from "./languages.ts";

const keyOf = (operator_id: number | null) => `loyalty-console-language-${operator_id}`;

/** Loads the page again in a language. The service sends it in the one that the cookie names. */
function loadIn(code: string): void {
  // biome-ignore lint/suspicious/noDocumentCookie: browsers have the Cookie Store API only with https
  document.cookie = `loyalty_language=${code}; Path=${basePath}/console; Max-Age=31536000; SameSite=Strict`;
  if (document.cookie.includes(`loyalty_language=${code}`)) location.reload();
}

/** The other languages, with what chooses one and keeps it for a person in this browser. */
export const languageChoices = (operator_id: number | null) =>
  Object.entries(languages)
    .filter(([code]) => code !== language.code)
    .map(([lang, label]) => ({
      lang,
      label,
      run: async () => {
        localStorage.setItem(keyOf(operator_id), lang);
        loadIn(lang);
      },
    }));

/** Shows the console in the language of the person who has signed in. Without a choice, it stays as it is. */
export function showLanguageOf(operator_id: number | null): void {
  const chosen = localStorage.getItem(keyOf(operator_id)) ?? language.code;
  if (chosen !== language.code && chosen in languages) loadIn(chosen);
}
