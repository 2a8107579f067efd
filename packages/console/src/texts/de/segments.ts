import { countedText, wholeText } from "../decimals.ts";
import type * as english from "../en/segments.ts";
import type { Texts } from "../languages.ts";

const members = (count: number) => countedText(count, "Mitglied", "Mitglieder");

/** The texts about members that filters find, the filters that are saved, and what is given to many at once. */
export const segmentTexts: Texts<typeof english.segmentTexts> = {
  title: "Segmente",
  explanation:
    "Gespeicherte Filter mit den Mitgliedern, die jetzt passen. Um ein Segment anzulegen, filtern Sie die Seite „Mitglieder“ und speichern die Filter.",
  empty: "Es gibt noch keine Segmente. Setzen Sie auf der Seite „Mitglieder“ Filter, und speichern Sie sie.",
  found: members,
  start: "Geben",
};

export const bulkGrantTexts: Texts<typeof english.bulkGrantTexts> = {
  title: "Sammelgutschriften",
  explanation:
    "Punkte und Gutscheine für viele Mitglieder auf einmal. Um welche zu geben, filtern Sie die Seite „Mitglieder“. Es geht weiter, wenn Sie die Seite verlassen.",
  progress: (done, all) => `${wholeText(done)} von ${members(all)}`,
  empty:
    "Noch wurde nichts an viele Mitglieder vergeben. Wählen Sie auf der Seite „Mitglieder“ Mitglieder aus, und geben Sie allen etwas.",
};
