import { countedText, wholeText } from "../decimals.ts";
import type { importTexts as english } from "../en/imports.ts";
import { aboutFiles, type FileSentences } from "../files.ts";
import type { Texts } from "../languages.ts";
import { aboutFields } from "../problems.ts";
import { bySentence, type Sentences, translator } from "../translate.ts";
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
    /^(.+) differs from the (?:member|sale|voucher) with the same (.+)\.$/,
    "$1 ist anders als beim Eintrag mit derselben Angabe in „$2“, der schon erfasst ist oder weiter oben in der Datei steht.",
  ],
  [/^(.+) is the same as in an earlier line\.$/, "$1 steht schon in einer früheren Zeile."],
  [
    /^(.+) is not UTF-8 \(encoding Windows-1252 reads files of older spreadsheets\)\.$/,
    "$1 ist nicht in UTF-8. Die Zeichencodierung Windows-1252 liest Dateien älterer Tabellenprogramme.",
  ],
  [/^(.+) must be a day such as (\S+)\.$/, "$1 muss ein Tag wie $2 sein."],
  [
    /^Opening balances of (.+) and (.+) points in ([\d,]+) lines?, the largest in a wallet (.+)\.$/,
    "Anfangsstände: #1 und #2{Punkt|Punkte} in #3{Zeile|Zeilen}, das größte Guthaben #4.",
  ],
  [
    /^Sales of (.+) in ([\d,]+) lines?, on (\S+), the smallest (.+), the largest (.+)\.$/,
    "Verkäufe: #1 in #2{Zeile|Zeilen}, am #3, der kleinste #4, der größte #5.",
  ],
  [
    /^Sales of (.+) in ([\d,]+) lines?, from (\S+) to (\S+), the smallest (.+), the largest (.+)\.$/,
    "Verkäufe: #1 in #2{Zeile|Zeilen}, vom #3 bis zum #4, der kleinste #5, der größte #6.",
  ],
  [
    /^Vouchers of (.+) in ([\d,]+) lines? with an? (.+), the largest (.+)\.$/,
    "Gutscheine: #1 in #2{Zeile|Zeilen} mit „$3“, der größte #4.",
  ],
  [/^(\d+) \(as (\d+)\)$/, "$1 (wie $2)"],
  [/^(\d+) \(as (\d+)\), (.+)$/, "$1 (wie $2), @3"],
  [
    /^([\d,]+) lines? repeats? (?:an )?earlier lines? of the file, and would be skipped: (.+)\.$/,
    "#1{Zeile wiederholt eine frühere der Datei und würde|Zeilen wiederholen frühere der Datei und würden} übersprungen: @2.",
  ],
  [
    /^([\d,]+) lines? ha(?:s|ve) the member, the day and the amount of a sale that is recorded, and no receipt number tells them apart\. If they are the same sales, they would be recorded twice: import the file with the columns of the first time\.$/,
    "#1{Zeile hat|Zeilen haben} Mitglied, Tag und Betrag eines Verkaufs, der schon erfasst ist, und keine Belegnummer unterscheidet sie. Sind es dieselben Verkäufe, würden sie doppelt erfasst: Importieren Sie die Datei mit den Spalten des ersten Mals.",
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

/** The sentences about files, by the English ones. */
const fileSentences: FileSentences = {
  where: "$1 in Zeile $2",
  and: "@1; für @2",
  or: "@1 oder @2",
  field: "&0",
  tooLarge: "Die Datei hat mehr als $1.",
  split: "Teilen Sie sie, und importieren Sie die Teile nacheinander.",
  damaged: "Die Datei ist beschädigt oder abgeschnitten und kann nicht entpackt werden.",
  compress: "Komprimieren Sie sie neu, und laden Sie sie noch einmal hoch.",
  archive: "Das zip-Archiv enthält mehrere Dateien, z. B. $1.",
  oneByOne: "Importieren Sie sie einzeln.",
  emptyArchive: "Das zip-Archiv enthält keine Datei.",
  openQuote: "Ein Anführungszeichen in Zeile $1 oder später wird nicht geschlossen.",
  longLine: "Zeile $1 ist länger als $2 MB.",
  noCsv: "Fehlt ein schließendes Anführungszeichen, oder ist das keine CSV-Datei?",
  noText: "Die Datei ist kein Text.",
  saveText: "Speichern Sie eine Tabelle als CSV in UTF-8.",
  other: "Die Datei ist @1 und keine CSV-Datei.",
  picture: "ein Bild",
  pdf: "ein PDF-Dokument",
  spreadsheet: "eine Tabelle",
  webPage: "eine Webseite oder XML",
  exportList: "Exportieren Sie die Liste als CSV aus dem System, das sie hat.",
  saveList: "Öffnen Sie sie, speichern Sie sie als CSV in UTF-8, und importieren Sie diese Datei.",
  noLine: "Die Datei hat keine Zeile, die importiert werden kann.",
  header: "Die erste Zeile ist keine Kopfzeile, deshalb haben die Spalten Nummern.",
  letters:
    "Die Namen der Spalten haben unlesbare Buchstaben. Die Zeichencodierung Windows-1252 liest Dateien älterer Tabellenprogramme.",
  noNamedColumn: "Es gibt keine Spalte „$1“ für @2.",
  noColumn: "Es gibt keine Spalte für @1.",
  looksLike: "Die Datei sieht wie ein Export aus: Importieren Sie sie als &1.",
  wholeName: "Eine Spalte mit ganzen Namen ist das Feld &1.",
  amounts: "Der Betrag kann in @1 stehen.",
  phones: "Jedes Mitglied hat eine Telefonnummer.",
  addPhones:
    "Wenn ein anderer Export des Systems die Nummern enthält, z. B. der der Adressen, ergänzen Sie sie in dieser Datei.",
  twoColumns: "Es gibt zwei Spalten „$1“.",
  theirNumbers: "Ihre Nummern sind $1 und $2.",
  delimiter: "Mit diesem Trennzeichen hat Zeile $1 nur eine Spalte: $2 Versuchen Sie das Trennzeichen $3.",
  customers: "Die Liste sagt nicht, wer die Kunden sind.",
  query: "Importieren Sie stattdessen die Datei dieser Abfrage, unter „Advanced Parameters > Database“ ($1).",
  system: "Die Datei ist ein Export aus $1, dessen Spalten bekannt sind.",
  unknownSystem: "Die Spalten für &1 aus $2 sind nicht bekannt.",
  leaveSystem: "Wählen Sie kein System, und ordnen Sie die Spalten zu.",
  empty: "Wo @1 leer ist, steht dann „$2“.",
  wrongEmpty: "Der Text „$1“ für leere Zellen von @2 ist nicht möglich.",
  notImported: "Die Spalte $1 wird nicht importiert.",
  money: "Wenn es das Geld der Mitglieder ist, wählen Sie sie als @1.",
  units:
    "Alle Beträge sind wie 12,50 gemeint, auch die ohne Nachkommastellen (@1), weil die meisten wie @2 geschrieben sind.",
  unclearUnit:
    "Es ist nicht klar, was Beträge wie @1 bedeuten: Wählen Sie unter $3 „Wie 12,50“ für #2 oder „Wie 1250“ für #4.",
  decimals: "Vor den Nachkommastellen der Beträge steht „$1“ (@2).",
  someDecimals: "Vor den Nachkommastellen mancher Beträge steht ein Komma, vor anderen ein Punkt.",
  thousands: "Zwischen den Tausendern der Punkte steht „$1“ (@2).",
  fractions: "Punkte sind ganze Zahlen: Nachkommastellen entfallen in #1{Zeile|Zeilen}, z. B. @2.",
  unclearDays: "Die Tage von @1 können $2 oder $3 sein (@4), und keiner zeigt, welche Form gilt.",
  days: "Die Tage von @1 haben die Form $2 (@3).",
  someDays: "Die Tage von @1 haben verschiedene Formen.",
  place: "$1 (#2{Zeile|Zeilen})",
  morePlaces: "$1 (#2{Zeile|Zeilen}), @3",
  places: "Namen, die kein Standort hat: @1.",
  sayPlaces: "Wählen Sie unten, was sie bedeuten.",
  leftOut: "Weggelassen: #1{Zeile|Zeilen} @2.",
  withText: "mit $1",
  withoutCustomer: "ohne Kunden",
  oneSale: "Aufeinanderfolgende Zeilen eines Bons sind ein Verkauf.",
  joined: "Zeilen, die zum Bon der Zeile davor gehören: #1.",
  withLines: "Verkäufe mit den Zeilen ihres Bons: #1.",
  shortLines: "In #1 davon fehlt den Zeilen ein Teil des Betrags, der eine eigene Zeile wird.",
  overLines: "In #1 davon ergeben die Zeilen mehr als den Betrag und werden anteilig verringert.",
  pointsNow: "Früher ohne Punkte importierte Verkäufe, die jetzt Punkte geben: #1.",
  withoutPoints: "Schon ohne Punkte importierte Verkäufe: #1.",
  givePoints: "Damit sie ihre Punkte geben, einmal, wählen Sie $1.",
  reused: "Zeilen mit $1 eines anderen Verkaufs: #2.",
  restart: "Wenn Bonnummern jeden Tag oder an jedem Standort neu beginnen, wählen Sie das unter $1.",
  oneReceipt: "Wenn es Zeilen eines Bons sind, wählen Sie $1.",
  longReceipt: "Der Bon von Zeile $1 hat mehr als #2 Zeilen.",
  otherColumn: "Ist eine andere Spalte $1?",
  apart: "Die Zeilen von $1 stehen nicht beieinander oder sind verschieden: siehe Zeilen $2 und $3.",
  inOrder: "Zeilen eines Bons müssen aufeinander folgen, mit demselben Kunden und derselben Zeit.",
  sort: "Sortieren Sie die Datei nach $1.",
  failed: "Bei diesen Zeilen ist im Dienst ein Fehler aufgetreten.",
  nothing: "Es wurde nichts importiert.",
  checkAgain: "Prüfen Sie die Datei noch einmal, oder bitten Sie um Hilfe.",
  stays: "Was importiert wurde, bleibt.",
  startAgain: "Starten Sie den Import noch einmal, oder bitten Sie um Hilfe.",
  moves: "Das Unternehmen zieht in eine andere Datenbank um.",
  afterMove: "Starten Sie den Import danach noch einmal, oder importieren Sie die Datei dort.",
  erased: "$1 gehört zu einem gelöschten Mitglied.",
  timeZone: "$1 muss eine Zeitzone wie $2 sein.",
  refunded: "$1 wurde teilweise erstattet und kann keine Punkte mehr geben.",
};

export const importSentence = bySentence(
  translator(said),
  translator([...said, ...aboutFiles(fileSentences), ...aboutFields(problemSentences)]),
);
