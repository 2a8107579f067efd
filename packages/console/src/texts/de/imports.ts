import { countedText, wholeText } from "../decimals.ts";
import type { importTexts as english } from "../en/imports.ts";
import type { Texts } from "../languages.ts";

const lines = (count: number) => countedText(count, "Zeile", "Zeilen");

/** The texts about imports. Only their pages have them. */
export const importTexts: Texts<typeof english> = {
  title: "Importe",
  explanation:
    "Mitglieder, Verkäufe und Gutscheine aus CSV-Dateien. Eine Datei wird geprüft, bevor Sie sie importieren. Sie können sie korrigieren und noch einmal importieren: Keine Zeile wird zweimal importiert. Was schon importiert ist, bleibt, mit seinen Kontoständen und Stufen.",
  what: "Was die Datei enthält",
  names: { members: "Mitglieder", sales: "Verkäufe", vouchers: "Gutscheine" },
  file: "Datei",
  choose: "CSV-Datei auswählen …",
  upload: "Hochladen und prüfen",
  accepted: (columns) =>
    `Die erste Zeile nennt die Spalten, z. B.: ${columns}. Nicht alle sind nötig. Wenn Ihre Datei andere Namen hat, ordnen Sie sie nach dem Hochladen zu. Die Datei kann mit gzip oder zip komprimiert sein.`,
  tooLarge: (gigabytes) =>
    `Die Datei hat mehr als ${gigabytes} GB. Teilen Sie sie, und importieren Sie die Teile.`,
  uploading: "Die Datei wird hochgeladen. Bleiben Sie auf dieser Seite.",
  empty: "In den letzten Tagen wurde nichts hochgeladen.",
  notUploaded:
    "Teile der Datei fehlen. Wenn sie nicht gerade in einem anderen Tab hochgeladen wird, brechen Sie hier ab, und laden Sie die Datei noch einmal hoch.",
  failed: "Das kann nicht weitergehen.",
  chooseColumns: "Wählen Sie unten die Spalten.",
  columns: "Spalten der Datei",
  noColumn: "Keine Spalte",
  unused: (columns) => `Nicht importiert: ${columns}`,
  checkFirst: "Datei prüfen",
  check: "Noch einmal prüfen",
  options: "Ändern, wie sie gelesen wird",
  otherKind: "Als etwas anderes importieren",
  start: (count) => `${lines(count)} importieren`,
  goOn: "Fortsetzen",
  checking: (done) => `Die Datei wird geprüft: bisher ${lines(done)}.`,
  importing: (done, total) =>
    `Die Datei wird importiert: ${wholeText(done)} von ${lines(total)}. Sie können diese Seite verlassen.`,
  place: (name) => `Standort: ${name}`,
  lines: (count) => lines(count),
  unknownPlace: "Nicht bekannt",
  leftOutPlace: "Diese Zeilen weglassen",
  ofCheck: {
    title: "Was ein Import bewirken würde",
    lines: "Zeilen",
    imported: "Können importiert werden",
    skipped: "Schon importiert",
    rejected: "Würden abgelehnt",
    left_out: "Würden weggelassen",
    reasons: "Zeilen, die abgelehnt würden",
  },
  ofImport: {
    title: "Was importiert wurde",
    lines: "Zeilen",
    imported: "Importiert",
    skipped: "Schon importiert",
    rejected: "Abgelehnt",
    left_out: "Weggelassen",
    reasons: "Abgelehnte Zeilen",
  },
  written: (encoding, delimiter) =>
    `Die Zeichencodierung ist ${encoding.toUpperCase()}. Zwischen den Spalten: ${delimiter}.`,
  save: "Abgelehnte Zeilen speichern",
};
