import { countedText, wholeText } from "../decimals.ts";
import type { importTexts as english } from "../en/imports.ts";
import { aboutFiles } from "../files.ts";
import type { Texts } from "../languages.ts";
import { aboutFields } from "../problems.ts";
import { bySentence, type Sentences, translator } from "../translate.ts";
import { fileSentences } from "./files.ts";
import { problemSentences } from "./problems.ts";

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
  deleteFile: "Datei löschen",
  fileDeleted: "Die Datei ist gelöscht.",
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

const said: Sentences = [
  [
    /^(.+) is required\. If another column has numbers, say it as (.+); if not, add them to the file\.$/,
    "$1 fehlt. Wenn eine andere Spalte Nummern hat, wählen Sie sie als $2; sonst ergänzen Sie die Nummern in der Datei.",
  ],
  [
    /^(.+) is required\. To import such members, choose (.+) of (.+), such as -\.$/,
    "$1 fehlt. Um solche Mitglieder zu importieren, geben Sie unter $2 einen Text für $3 an, z. B. „-“.",
  ],
  [
    /^(.+) must be an international phone number such as (\S+), with \+ and the country code; with country, national numbers are understood\.$/,
    "$1 muss eine internationale Nummer wie $2 sein, mit + und Landesvorwahl. Mit einem Land werden auch nationale Nummern verstanden.",
  ],
  [/^(.+) names no (?:tier|location|member|voucher definition)\.$/, "$1: Das gibt es hier nicht."],
  [/^(.+) is another member's\.$/, "$1 gehört schon zu einem anderen Mitglied."],
  [
    /^(.+) is the same as in an earlier line, but other values differ\.$/,
    "$1 steht schon in einer früheren Zeile, aber mit anderen Werten.",
  ],
  [/^(.+) is the same as in an earlier line\.$/, "$1 steht schon in einer früheren Zeile."],
  [
    /^(.+) is not UTF-8 \(encoding Windows-1252 reads files of older spreadsheets\)\.$/,
    "$1 ist nicht in UTF-8. Die Zeichencodierung Windows-1252 liest Dateien älterer Tabellenprogramme.",
  ],
  [/^(.+) must be a day such as (\S+)\.$/, "$1 muss ein Tag wie $2 sein."],
  [/^ \(([\d,]+) of them imported before\)$/, " (davon #1 schon importiert)"],
  [
    /^Opening balances of (.+) and (.+) points in ([\d,]+) lines?( \(.+\))?, the largest in a wallet (.+)\.$/,
    "Anfangsstände: #1 und #2{Punkt|Punkte} in #3{Zeile|Zeilen}@4, das größte Guthaben #5.",
  ],
  [
    /^Sales of (.+) in ([\d,]+) lines?( \(.+\))?, on (\S+), the smallest (.+), the largest (.+)\.$/,
    "Verkäufe: #1 in #2{Zeile|Zeilen}@3, am #4, der kleinste #5, der größte #6.",
  ],
  [
    /^Sales of (.+) in ([\d,]+) lines?( \(.+\))?, from (\S+) to (\S+), the smallest (.+), the largest (.+)\.$/,
    "Verkäufe: #1 in #2{Zeile|Zeilen}@3, vom #4 bis zum #5, der kleinste #6, der größte #7.",
  ],
  [
    /^Vouchers of (.+) in ([\d,]+) lines?( \(.+\))? with an? (.+), the largest (.+)\.$/,
    "Gutscheine: #1 in #2{Zeile|Zeilen}@3 mit „$4“, der größte #5.",
  ],
  [/^(\d+) \(as (\d+)\)$/, "$1 (wie $2)"],
  [/^(\d+) \(as (\d+)\), (.+)$/, "$1 (wie $2), @3"],
  [
    /^([\d,]+) lines? repeats? (?:an )?earlier lines? of the file, and would be skipped: (.+)\.$/,
    "#1{Zeile wiederholt|Zeilen wiederholen} eine frühere der Datei und würden übersprungen: @2.",
  ],
  [
    /^The points would never expire\. To let them expire, choose (.+)\.$/,
    "Die Punkte würden nie verfallen. Damit sie verfallen, wählen Sie $1.",
  ],
  [/^The points could be spent until (\S+)\.$/, "Die Punkte könnten bis zum #1 verwendet werden."],
  [
    /^The sales would earn no points, and the lines of their receipts would not be kept\. To let them earn, choose (.+)\.$/,
    "Die Verkäufe würden keine Punkte geben, und die Zeilen ihrer Bons blieben nicht erhalten. Damit sie welche geben, wählen Sie $1.",
  ],
  [
    /^The sales would earn no points\. To let them earn, choose (.+)\.$/,
    "Die Verkäufe würden keine Punkte geben. Damit sie welche geben, wählen Sie $1.",
  ],
  [
    /^The sales would earn points by the rules of their days\.$/,
    "Die Verkäufe würden nach den Regeln ihrer Tage Punkte geben.",
  ],
  [
    /^Refunds that were left out: ([\d,]+) lines?, (.+)\.$/,
    "Weggelassene Erstattungen: #1{Zeile|Zeilen}, #2.",
  ],
  [/^Refunds: ([\d,]+) lines?, (.+)\.$/, "Erstattungen: #1{Zeile|Zeilen}, #2."],
  [
    /^In ([\d,]+) of ([\d,]+) receipts of several lines, all lines have the same amount, and it is added up\. If it is that of the whole receipt, say which column has the amounts of lines, as (.+) or (.+), or choose (.+) of (.+), such as 0\.$/,
    "In #1 von #2{Bon|Bons} mit mehreren Zeilen steht in allen Zeilen derselbe Betrag, und er wird zusammengezählt. Wenn es der Betrag des ganzen Bons ist, wählen Sie die Spalte mit den Beträgen der Zeilen als $3 oder $4, oder geben Sie unter $5 für $6 einen Text an, z. B. 0.",
  ],
  [
    /^Records of several lines: ([\d,]+), such as lines (\d+) to (\d+)\. If a record should have one line, a quote is not closed there\.$/,
    "Einträge über mehrere Zeilen: #1, z. B. Zeilen $2 bis $3. Wenn ein Eintrag nur eine Zeile haben sollte, fehlt dort ein schließendes Anführungszeichen.",
  ],
  [
    /^The line has text behind a quoted text\.$/,
    "In der Zeile steht Text hinter einem Text in Anführungszeichen.",
  ],
  [
    /^(.+) differs within the receipt: with (.+) or (.+), it is that of the whole receipt\.$/,
    "$1 ist nicht in allen Zeilen des Bons gleich: Mit $2 oder $3 ist es der Betrag des ganzen Bons.",
  ],
  [
    /^Lines name their customers by (.+), and where it is empty by (.+)\. If other names are the right ones, leave (.+) out in columns\.$/,
    "Die Zeilen nennen ihren Kunden mit $1, und wo das leer ist, mit $2. Wenn andere Angaben die richtigen sind, wählen Sie für $3 keine Spalte.",
  ],
  [
    /^Line (\d+) is the header\. What is before it is not imported\.$/,
    "Zeile $1 hat die Namen der Spalten. Was davor steht, wird nicht importiert.",
  ],
  [
    /^Years of (.+) have two digits\. Those in the future are of the century before\.$/,
    "Die Jahre von $1 haben zwei Ziffern. Die in der Zukunft gehören zum Jahrhundert davor.",
  ],
  [
    /^(.+) is a number that a spreadsheet has shortened\. Export the file again, or make the column text there\.$/,
    "$1 ist eine Nummer, die ein Tabellenprogramm gekürzt hat. Exportieren Sie die Datei noch einmal, oder machen Sie die Spalte dort zu Text.",
  ],
  [
    /^(.+) has a time that can't be read\. Times are such as (\S+) or (\d+:\d+ PM)\.$/,
    "$1 hat eine Uhrzeit, die nicht gelesen werden kann. Uhrzeiten sind z. B. $2 oder $3.",
  ],
  [/^(.+) must be a day without a time\.$/, "$1 muss ein Tag ohne Uhrzeit sein."],
];

export const importSentence = bySentence(
  translator(said),
  translator([...said, ...aboutFiles(fileSentences), ...aboutFields(problemSentences)]),
);
