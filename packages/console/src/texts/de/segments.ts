import { countedText, wholeText } from "../decimals.ts";
import type * as english from "../en/segments.ts";
import type { Texts } from "../languages.ts";

const members = (count: number) => countedText(count, "Mitglied", "Mitglieder");

/** The texts about members that filters find, the filters that are saved, and what is given to many at once. */
export const segmentTexts: Texts<typeof english.segmentTexts> = {
  title: "Segmente",
  explanation: "Gespeicherte Filter von Mitgliedern. Wen sie finden, wird jedes Mal neu nachgesehen.",
  empty: "Es gibt noch keine Segmente. Setzen Sie auf der Seite „Mitglieder“ Filter, und speichern Sie sie.",
  found: members,
  start: "Geben",
};

export const bulkGrantTexts: Texts<typeof english.bulkGrantTexts> = {
  title: "Sammelgutschriften",
  explanation:
    "Punkte und Gutscheine, die viele Mitglieder auf einmal bekommen haben. Es geht weiter, wenn Sie die Seite verlassen.",
  progress: (done, all) => `${wholeText(done)} von ${members(all)}`,
  empty:
    "Noch wurde nichts an viele Mitglieder gegeben. Wählen Sie auf der Seite „Mitglieder“ Mitglieder aus, und geben Sie allen etwas.",
};
