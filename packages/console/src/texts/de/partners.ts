import { countedText } from "../decimals.ts";
import type * as english from "../en/partners.ts";
import type { Texts } from "../languages.ts";

/** The texts of the pages about partners, and about the service. */
export const partnerTexts: Texts<typeof english.partnerTexts> = {
  integrations: {
    title: "Integrationen",
    empty:
      "Noch hat kein Programm eines Partners Zugang. Legen Sie für jede Kasse, App und jeden Shop eine Integration an.",
    presets: {
      till: "Kasse: erfasst Verkäufe, Erstattungen und Gutscheine",
      booking: "Buchung oder Shop: erfasst Verkäufe und Mitglieder",
      app: "App für Mitglieder: zeigt, was sie haben",
      reader: "Berichte: liest nur",
      other: "Ein anderes Programm",
    },
  },

  secret: {
    onlyOnce:
      "Bewahren Sie das Geheimnis jetzt auf. Es wird nur einmal gezeigt; danach können Sie nur ein neues erstellen.",
    invitation_token:
      "Senden Sie diesen Link der Person. Er gilt einmal und 24 Stunden lang. Er wird nur jetzt gezeigt.",
    page_path:
      "Geben Sie diese Adresse dem Mitglied, zum Beispiel in einer Nachricht. Wer sie hat, sieht die Karte des Mitglieds. Sie bleibt gleich, bis Sie sie ersetzen.",
    request: (url, id, secret) =>
      `curl ${url}/sp/auth/token --json '{"client_id":"${id}","client_secret":"${secret}"}'`,
    copy: "Kopieren",
    copied: "Kopiert",
    stored: "Ich habe es aufbewahrt",
  },

  integration: {
    number: (id) => `Integration ${id}`,
    disabled: (id) => `Integration ${id} ist deaktiviert: Alle Anfragen werden abgelehnt.`,
    more: "Mehr",
    secrets: "Gültige Geheimnisse",
    scopes: "Was sie darf",
    allLocations: "Alle, auch künftige",
  },

  events: {
    title: "Ereignisse",
    explanation: "Was in den letzten Wochen geschah, das Neueste zuerst. Partner bekommen dasselbe.",
    off: "Ereignisse sind ausgeschaltet.",
    switchOn: "Ereignisse einschalten",
    switchOnHelp:
      "Ab jetzt zeichnet der Dienst zu jeder Änderung ein Ereignis auf. Frühere Änderungen sind in keinem Ereignis.",
    empty: "Es gibt keine Ereignisse.",
    data: "Alle Daten",
    sale: (saleId) => `Verkauf ${saleId}`,
  },

  requests: {
    title: "Anfragen",
    explanation:
      "Was in den letzten 7 Tagen bei Anfragen von Partnern schiefging. Ein Code führt zu seiner Bedeutung und zur Abhilfe.",
    counts: "Zahlen je Stunde",
    empty: "Es wurde keine Anfrage abgelehnt.",
    noCounts: "Es gab keine Anfragen.",
    lateReplay:
      "Sie bekam die Antwort eines früheren Tages, und nichts wurde erfasst: Ihr Idempotenzschlüssel und ihr Inhalt sind die einer Anfrage, die mehr als 12 Stunden zurückliegt. War es ein anderer Verkauf, dann fehlt er. Bitten Sie den Partner, den Tag und die Kasse in seine Schlüssel aufzunehmen.",
    whole: "Die ganze Anfrage",
    reason: (token) => `Das Token: ${token}.`,
    unknownField:
      "Ein Feld, das diese Operation nicht hat. Sein Name wird nicht aufbewahrt, weil er personenbezogen sein kann.",
    fieldOfOthers: (field) => `${field}: Diese Operation hat kein solches Feld`,
    advice: {
      sp_scope_not_granted: (scope, meaning) =>
        `Nötig ist der Scope ${scope}: ${meaning} Um das zu erlauben, bearbeiten Sie die Integration, und wählen Sie den Scope. Dann holt der Partner ein neues Token.`,
      sp_token_scope_missing: (scope) =>
        `Die Integration hat den Scope ${scope}, aber ihr Token ist älter. Der Partner holt ein neues Token.`,
      sp_location_not_allowed: () =>
        "Um den Standort zu erlauben, bearbeiten Sie die Integration. Oder der Partner verwendet einen erlaubten Standort.",
      operation_not_found: () => "Der Partner prüft den Pfad der Anfrage.",
      validation_failed: () => "Der Partner korrigiert das. Die Antwort sagt zu jedem Feld mehr.",
      legacy_field_not_allowed: () =>
        "Der Partner entfernt das Feld einer älteren Schnittstelle. Die Antwort sagt, was es ersetzt.",
    },
    unknownPath: "unbekannter Pfad",
  },
};

export const serviceTexts: Texts<typeof english.serviceTexts> = {
  accounts: {
    title: "Konten",
    empty: "Es gibt noch keine Konten: Nur der Operatorschlüssel kann sich anmelden.",
    keys: "Schlüssel von Skripten",
    noKeys: "Kein Skript hat einen Schlüssel.",
    sessions: "Wer angemeldet ist",
    noSessions: "Niemand ist angemeldet.",
  },

  audit: {
    title: "Protokoll",
    explanation: "Wer wann was geändert hat.",
    empty: "Es gibt noch keine Einträge.",
    noneFound: "Kein Eintrag gefunden.",
    actor: (name, kind) => (name.startsWith(kind) ? name : `${name} (${kind})`),
    becomes: " → ",
  },

  sandbox: {
    title: "Sandbox-Uhr",
    explanation:
      "Die Zeit einer Sandbox steht still, bis Sie sie vorstellen. Sie kann nicht zurückgestellt werden.",
    now: "Die Zeit in dieser Sandbox",
    steps: { day: "1 Tag vor", month: "30 Tage vor", year: "365 Tage vor" },
    advance: "Vorstellen",
    to: "Zu einem anderen Tag …",
    advancing: (entries) => `Die Uhr läuft vor. Bisher: ${countedText(entries, "Buchung", "Buchungen")}.`,
    happened: (entries, from, through) =>
      `Vom ${from} bis ${through}: ${countedText(entries, "Buchung", "Buchungen")}`,
    nothing: "Nichts wurde gebucht.",
  },

  system: {
    title: "System",
    notes: {
      ledger_lead_seconds:
        "Sollte 0 sein. Mehr bedeutet, dass die Uhr der Datenbank zurückgestellt wurde. Neue Buchungen behalten die letzte Zeit, bis sie aufgeholt hat.",
      last_mismatch_at:
        "Sollte „nie“ sein. Sonst prüfen Sie unten die Buchungen, und sagen Sie es Ihrem Administrator.",
      shared_buffers_bytes: "Die Datenbank ist am schnellsten, solange hineinpasst, was sie braucht.",
      rejected: "Falsche Anfragen. Die Seite „Anfragen“ jedes Unternehmens sagt, warum.",
      failed: "Sollte 0 sein. Das Log des Dienstes sagt, warum.",
      mean_milliseconds: "Weniger ist besser.",
      waiting: "Sollte nahe 0 sein. Bleibt es hoch, ist die Datenbank zu langsam.",
      mean_batch_size: "Weder gut noch schlecht: mehr, wenn der Dienst viel zu tun hat.",
      mean_batch_milliseconds: "Weniger ist besser. Das entscheidet die Festplatte der Datenbank.",
      failing: "Sollte 0 sein. Der Dienst versucht es von selbst wieder.",
      disabled: "Sollte 0 sein. Die Seite „Webhooks“ jedes Unternehmens sagt, warum.",
      backlog_seconds: "Sollten einige Sekunden sein.",
    },
    verify: "Prüfung der Buchungen",
    verifyHelp:
      "Addiert alle Buchungen neu und vergleicht jeden Kontostand aller Unternehmen mit der Summe. Alle können weiterarbeiten.",
    verifyStart: "Jetzt prüfen",
    right: "Die Buchungen stimmen.",
    wrong: (mismatches) =>
      `Die Buchungen stimmen nicht: ${countedText(mismatches, "Abweichung", "Abweichungen")}. Führen Sie loyalty verify aus, um sie zu sehen.`,
  },
};
