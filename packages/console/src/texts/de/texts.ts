import { countedText, wholeText } from "../decimals.ts";
import type { texts as english } from "../en/texts.ts";
import type { More, Texts } from "../languages.ts";
import { actionTexts } from "./actions.ts";
import { errorTexts } from "./errors.ts";
import { fieldTexts } from "./fields.ts";
import { reportTexts } from "./reports.ts";
import { saleTexts } from "./sales.ts";
import { sessionTexts } from "./session.ts";
import { setupPages, setupTexts } from "./setup.ts";
import { webhookTexts } from "./webhooks.ts";

/** Every text of the console, in German. */
export const texts: Texts<typeof english> & More = {
  product: "Loyalty-Konsole",
  loading: "Wird geladen",
  close: "Schließen",
  print: "Drucken",
  none: "keine",
  yes: "Ja",
  no: "Nein",
  points: "Punkte",
  megabytes: (count) => `${count} MB`,
  all: "Alle",
  ofAllKinds: ": alle",

  shell: {
    skip: "Zum Inhalt springen",
    menu: "Menü",
    business: "Unternehmen",
    otherCells: "Unternehmen in anderen Zellen",
    sandbox: "Eine Sandbox: Hier ist nichts echt.",
    sandboxOf: (name) => `Sandbox: ${name}`,
    zone: (zone) => `Zeitzone: ${zone}`,
    light: "Helle Farben verwenden",
    dark: "Dunkle Farben verwenden",
    signOut: "Abmelden",
  },

  menu: {
    groups: { daily: "Tagesgeschäft", setup: "Einrichtung", technical: "Partner", service: "Dienst" },
    pages: {
      today: "Heute",
      members: "Mitglieder",
      cards: "Karten",
      sales: "Verkäufe",
      transactions: "Buchungen",
      reports: "Berichte",
      ...setupPages,
      integrations: "Integrationen",
      webhooks: "Webhooks",
      events: "Ereignisse",
      requests: "Anfragen",
      audit: "Protokoll",
      businesses: "Unternehmen",
      accounts: "Konten",
      system: "System",
      sandbox: "Sandbox-Uhr",
    },
  },

  search: {
    title: "Alles durchsuchen",
    keys: "Strg K",
    help: "Name, Telefonnummer, Karte, Bon oder Seite",
    nothing: "Nichts gefunden.",
    members: "Mitglieder",
    sales: "Verkäufe",
    actions: "Hinzufügen",
    pages: "Seiten",
  },

  leave: {
    title: "Schließen? Was Sie geschrieben haben, geht verloren, wenn es nicht gespeichert wurde.",
    stay: "Weiterschreiben",
    leave: "Schließen",
  },

  missing: {
    title: "Hier ist nichts",
    explanation: "Die Adresse führt zu keiner Seite, oder Ihre Rolle darf sie nicht öffnen.",
    start: "Zur Startseite",
    elsewhere: "Wenn das Unternehmen in einer anderen Zelle ist, öffnen Sie deren Konsole:",
  },

  ...sessionTexts,

  failure: {
    tryAgain: "Erneut versuchen",
    noResponse: "Der Dienst ist nicht erreichbar. Prüfen Sie Ihre Verbindung.",
    unexpected: "Auf dieser Seite ist etwas schiefgegangen. Laden Sie sie neu.",
    request: (id) => `Nummer der Anfrage: ${id}`,
  },

  ...errorTexts,

  done: {
    "/op/members/page-link": "Die Adresse der Seite",
    "/op/operators/create": "Das Konto ist angelegt.",
    "/op/operators/reset": "Die neue Einladung ist erstellt.",
    "/op/members/adjust-points": "Die Punkte sind korrigiert.",
    "/op/members/adjust-wallet": "Das Guthaben ist korrigiert.",
    "/op/members/settle": "Die Punkte sind auf dem neuesten Stand.",
    "/op/reward-points/redeem": "Die Punkte sind eingelöst.",
    "/op/reward-points/reverse": "Die Buchung ist rückgängig gemacht.",
    "/op/wallet/reverse": "Die Buchung ist rückgängig gemacht.",
    "/op/vouchers/redeem": "Der Gutschein ist eingelöst.",
    "/op/vouchers/create-codes": "Die Codes sind erstellt. Speichern Sie sie als Datei.",
    "/op/session/change-password": "Passwort geändert.",
  },

  forms: {
    parts: {
      "": "",
      gives: "Was Mitglieder bekommen",
      when: "Wann",
      what: "Wofür",
      who: "Für wen und wo",
      limits: "Grenzen",
      rules: "Preis und Gültigkeit",
      code: "Ein Code, den alle verwenden dürfen",
    },
    save: "Speichern",
    cancel: "Abbrechen",
    required: "Dieses Feld ist erforderlich.",
    wholeNumber: "Geben Sie eine ganze Zahl ein, z. B. 120.",
    day: (example) => `Geben Sie ein Datum mit allen vier Ziffern des Jahres ein, z. B. ${example}.`,
    dayAlone: (example) => `Geben Sie das Datum ohne Uhrzeit ein, z. B. ${example}.`,
    noDay: (example, withTime) =>
      `Dieses Datum ${withTime ? "oder diese Uhrzeit " : ""}gibt es nicht. Ein Beispiel: ${example}.`,
    dayPattern: { day: "TT", month: "MM", year: "JJJJ", time: "hh:mm" },
    calendar: "Im Kalender auswählen",
    time: (example) => `Geben Sie eine Uhrzeit ein, z. B. ${example}.`,
    notClear: (one, other) => `Das kann ${one} oder ${other} bedeuten: Geben Sie alle Nachkommastellen ein.`,
    amount: (decimals) =>
      `Geben Sie einen Betrag ein, z. B. ${decimals === 0 ? "12" : `12,${"50".padEnd(decimals, "0").slice(0, decimals)}`}.`,
    atLeast: (minimum) => `Mindestens ${minimum}.`,
    atMost: (maximum) => `Höchstens ${maximum}.`,
    taken: "Das hat schon ein anderes Mitglied.",
    noChoice: "Keine Auswahl",
    noneYet: (page) => `Es gibt noch keine. Fügen Sie auf der Seite „${page}“ etwas hinzu.`,
    noMatch: "Nichts gefunden.",
    filters: (set) => (set === 0 ? "Filter" : `Filter (${set})`),
    withoutFilter: "Diesen Filter entfernen",
    choose: "Auswählen …",
    chooseFile: "Datei auswählen",
    noPicture: "Dieses Bild kann hier nicht gelesen werden. Wählen Sie eine PNG- oder JPEG-Datei.",
    record: (number) => `Satz ${number}`,
    addRecord: "Satz hinzufügen",
    removeRecord: (number) => `Satz ${number} entfernen`,
    titleOf: (label, name) => (name === "" ? label : `${label}: ${name}`),
    oneOf: (labels) => `Füllen Sie eines davon aus: ${labels.join(" oder ")}.`,
    unknownOutcome:
      "Es ist nicht bekannt, ob der Dienst das gespeichert hat. Versuchen Sie es erneut: Es kann nicht zweimal gespeichert werden.",
  },

  tables: {
    empty: "Hier ist noch nichts.",
    actions: "Aktionen",
    noneHere: "In diesem Teil der Liste wurde nichts gefunden.",
    newest: "Neueste",
    older: "Ältere",
    position: ({ from, to, total }) => `${wholeText(from)}–${wholeText(to)} von ${wholeText(total)}`,
    page: (page) => `Seite ${page}`,
    first: "Erste Seite",
    previous: "Vorige Seite",
    next: "Nächste Seite",
    last: "Letzte Seite",
    columns: "Spalten",
    csv: "Als CSV speichern",
    saved: (rows) => `Zeilen in der Datei: ${wholeText(rows)}`,
  },

  members: {
    title: "Mitglieder",
    searchHelp: "Name, Telefonnummer, E-Mail-Adresse oder Kundennummer",
    empty: "Es gibt noch keine Mitglieder.",
    noneFound: "Kein Mitglied gefunden.",
    similar: "Ähnliche Namen",
  },

  member: {
    erased: "Gelöschtes Mitglied",
    number: (contactId) => `Mitglied ${contactId}`,
    inactive: "Dieses Mitglied ist deaktiviert.",
    mergedInto: "Es wurde zusammengeführt mit",
    noTier: "Keine",
    worth: (amount) => `Wert: ${amount}`,
    expires: (points, day) => `${countedText(points, "verfällt", "verfallen")} nach dem ${day}`,
    pending: (points, day) => `${wholeText(points)} weitere ab ${day} verfügbar`,
    owed: (points) => `Schuldet ${wholeText(points)}`,
    tierUntil: (day) => `Bis ${day}`,
    tierByHand: "Von Hand zugewiesen",
    keepTier: (amount, from, until) =>
      `Um sie zu behalten: weitere ${amount} Umsatz, vom ${from} bis ${until}.`,
    keepsTier: "Sie wird verlängert, sofern keine Verkäufe erstattet werden.",
    nextTier: (amount, tier) => `Noch ${amount} für ${tier}`,
    nextTierSoon: (tier) => `Erreicht ${tier} mit dem nächsten Verkauf`,
    reachBy: (day) => `bis ${day}`,
    progress: (tier) => `Fortschritt zu ${tier}`,
    tabs: {
      points: "Woher die Punkte?",
      vouchers: "Gutscheine",
      stamps: "Stempelkarten",
      cards: "Karten",
      sales: "Verkäufe",
      timeline: "Verlauf",
      profile: "Profil",
    },
  },

  correction: {
    title: "Kontostand korrigieren",
    account: "Konto",
    accounts: { points: "Punkte", wallet: "Guthaben" },
    balanceNow: (balance) => `Aktueller Stand: ${balance}.`,
    order:
      "Punkte, die Sie hinzufügen, verfallen nicht. Punkte werden in dieser Reihenfolge abgezogen: zuerst die ohne erfassten Verkauf, dann die, die zuerst verfallen.",
    submit: "Kontostand korrigieren",
  },

  pointsHistory: {
    lots: "Punkte und wann sie verfallen",
    byHand: "Nicht aus einem erfassten Verkauf",
    origins: { sale: "Verkauf", occasion: "Anlass oder Sammelgutschrift", by_hand: "Aus einem Import" },
    noLots: "Dieses Mitglied hat jetzt keine Punkte.",
    statement: "Wie der Stand zustande kam",
    noEntries: "Dieses Mitglied hatte noch nie Punkte.",
    missing: "Fehlen Punkte eines Einkaufs? Die Seite des Verkaufs sagt, warum.",
    receipt: "Bon suchen",
  },

  memberVouchers: {
    ofSale: (saleId) => `Verkauf ${saleId} erstatten, um ihn zurückzugeben`,
    empty: "Dieses Mitglied hatte noch nie einen Gutschein.",
  },

  memberSales: { empty: "Von diesem Mitglied gibt es keine Verkäufe." },

  timeline: {
    empty: "Es ist noch nichts geschehen.",
    audit: "Wer hat was geändert?",
    obstacles: {
      insufficient_balance:
        "Das Geld oder sein Bonus wurde ausgegeben, deshalb geht das nicht mehr rückgängig zu machen.",
      voucher_not_usable:
        "Der Gutschein wurde eingelöst oder ist verfallen, deshalb geht das nicht mehr rückgängig zu machen.",
    },
  },

  memberActions: {
    more: "Mehr",
    export: "Daten als Datei speichern",
  },

  merge: {
    submit: "Zusammenführen",
    with: "Zusammenführen mit",
    tier: (name, changed) => `Stufe danach: ${name}${changed ? " (neu)" : ""}.`,
  },

  today: {
    title: "Heute",
    sales: "Verkäufe",
    refunded: (amount) => `${amount} erstattet`,
    saleCount: (count) => countedText(count, "Verkauf", "Verkäufe"),
    pointsGiven: "Vergebene Punkte",
    pointsUsed: "Eingelöste Punkte",
    activeMembers: "Aktive Mitglieder",
    newMembers: (count) => `${wholeText(count)} neu`,
    outstanding: "Was Mitglieder haben",
    points: "Punkte",
    worth: (amount) => `Wert: ${amount}`,
    pending: (points) => `${wholeText(points)} weitere noch nicht verfügbar`,
    expiring: "Verfällt als Nächstes",
    nothing: "Nichts",
    atEndOf: (month) => `Punkte, die im ${month} verfallen`,
    wallet: "Guthaben",
    vouchers: "Gutscheine",
    voucherCount: (count) => countedText(count, "Gutschein", "Gutscheine"),
    weeks: "Die letzten zwölf Wochen",
    service: "Der Dienst",
  },

  actions: actionTexts,
  reports: reportTexts,

  sales: {
    title: "Verkäufe",
    noneFound:
      "Kein Verkauf gefunden. Prüfen Sie den Bon und die Filter. Wenn die Kasse den Verkauf gesendet hat, suchen Sie ihn unter „Anfragen“: Vielleicht wurde er abgelehnt. Ältere Verkäufe stehen vielleicht nur unter „Buchungen“.",
    empty: "Es gibt noch keine Verkäufe.",
  },

  transactions: {
    title: "Buchungen",
    explanation: "Jede Änderung von Punkten, Guthaben, Gutscheinen und Verkäufen.",
    empty: "Es gibt noch keine Buchungen.",
    noneFound: "Keine Buchung gefunden.",
  },

  ...saleTexts,
  ...setupTexts,
  ...webhookTexts,
  ...fieldTexts,
};
