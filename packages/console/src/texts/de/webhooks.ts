import { countedText } from "../decimals.ts";
import type { webhookTexts as english } from "../en/webhooks.ts";
import type { Texts } from "../languages.ts";

/** The texts about webhooks. */
export const webhookTexts: Texts<typeof english> = {
  webhooks: {
    title: "Webhooks",
    explanation: "Wohin der Dienst Ereignisse sendet, z. B. an einen Shop oder ein Data-Warehouse.",
    empty:
      "Es werden keine Ereignisse gesendet. Legen Sie für jedes Programm, das erfahren soll, was geschieht, einen Endpunkt an.",
    noSuccess: "Noch kein Erfolg.",
    lastFailed: "Der letzte Versuch ist fehlgeschlagen:",
    failing: (since) => `Seit ${since}.`,
    /** Why there was no response, by the code. */
    noResponse: {
      ECONNREFUSED: "Die Verbindung wurde abgelehnt",
      ECONNRESET: "Die Verbindung wurde vor der Antwort geschlossen",
      EHOSTUNREACH: "Der Rechner ist nicht erreichbar",
      ENETUNREACH: "Der Rechner ist nicht erreichbar",
      ETIMEDOUT: "Es kam rechtzeitig keine Verbindung zustande",
      ENOTFOUND: "Zum Namen des Rechners gibt es keine Adresse",
      ENODATA: "Zum Namen des Rechners gibt es keine Adresse",
    },
    disabled: {
      requested: "Von Hand deaktiviert.",
      no_success: "Deaktiviert: fünf Tage lang fehlgeschlagen.",
      gone: "Deaktiviert: Die Antwort war, dass es ihn nicht mehr gibt (410).",
      secret_unreadable:
        "Deaktiviert: Das Geheimnis des Dienstes hat sich geändert. Erstellen Sie ein neues Geheimnis, und setzen Sie die Header noch einmal.",
      integration_disabled: "Mit seiner Integration deaktiviert.",
      copied: "Deaktiviert, weil das Unternehmen kopiert wurde.",
    },
    stopped: (endpoints) =>
      `${countedText(endpoints, "Webhook-Endpunkt bekommt", "Webhook-Endpunkte bekommen")} keine Ereignisse.`,
    failures: (failures, attempts) =>
      attempts === 0
        ? "Keine Versuche"
        : `${Math.ceil((100 * failures) / attempts)} %: ${failures} von ${countedText(attempts, "Versuch", "Versuchen")}`,
    secrets: "Gültige Geheimnisse",
    deliveries: "Zustellungen",
    noDeliveries: "Es wurde noch nichts gesendet.",
    sendAgain: "Noch einmal senden ab …",
    replayed: (events, first, last) =>
      events === 0
        ? "Keine Ereignisse."
        : `${countedText(events, "Ereignis", "Ereignisse")}, Nummer ${first} bis ${last}.`,
  },
};
