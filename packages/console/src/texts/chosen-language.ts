/** The language of the console: the one of the account, or else the one of this browser, or else what the browser asks for. */
import { send } from "../api/client.ts";
import { basePath } from "../api/place.ts";
import { language } from "./en/language.ts";
import { languages } from "./languages.ts";

/** What was chosen here before anybody signed in. */
const ofBrowser = "loyalty-console-language";
const cookie = "loyalty_language";

/** Loads the page again in a language. The service sends it in the one that the cookie names, or else in that of the browser. */
function loadIn(code: string | null): void {
  const value = `${code ?? ""}; Path=${basePath}/console; Max-Age=${code === null ? 0 : 31536000}; SameSite=Strict`;
  // biome-ignore lint/suspicious/noDocumentCookie: browsers have the Cookie Store API only with https
  document.cookie = `${cookie}=${value}`;
  // Without cookies, the page would be loaded again and again.
  if (document.cookie.includes(`${cookie}=${code ?? ""}`) === (code !== null)) location.reload();
}

/** The other languages, with what chooses one. @param isSignedIn whether the choice is one of the account, or else of this browser */
export const languageChoices = (isSignedIn: boolean) =>
  Object.entries(languages)
    .filter(([code]) => code !== language.code)
    .map(([lang, label]) => ({
      lang,
      label,
      run: async () => {
        if (isSignedIn) await send("/op/session/set-language", { language: lang });
        else localStorage.setItem(ofBrowser, lang);
        loadIn(lang);
      },
    }));

/**
 * Shows the console in the language of an account. What somebody else chose does not stay.
 * @param ofAccount null: it has none, or nobody has signed in; undefined: nobody knows yet who has
 */
export function showLanguage(ofAccount: string | null | undefined): void {
  if (ofAccount === undefined) return;
  const chosen = ofAccount ?? localStorage.getItem(ofBrowser);
  const isOffered = chosen !== null && chosen in languages;
  if (isOffered ? chosen !== language.code : document.cookie.includes(`${cookie}=`))
    loadIn(isOffered ? chosen : null);
}
