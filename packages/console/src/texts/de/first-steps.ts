import { countedText } from "../decimals.ts";
import type { firstSteps as english } from "../en/first-steps.ts";
import type { Texts } from "../languages.ts";

/** The texts of the page that leads through the set-up. Only it loads them. */
export const firstSteps: Texts<typeof english> = {
  title: "Erste Schritte",
  explanation:
    "Vom neuen Unternehmen bis zum ersten Verkauf mit Punkten. Sie können die Schritte in beliebiger Reihenfolge machen, auch später noch einmal.",
  done: "Erledigt",
  missing: "Offen",
  found: (names) =>
    `Bisher: ${names.slice(0, 5).join(", ")}${names.length > 5 ? ` und ${names.length - 5} weitere` : ""}.`,
  steps: {
    business: {
      title: "Das Unternehmen",
      text: "Name, Währung, Zeitzone und Land.",
      links: { "~/businesses": "Alle Unternehmen" },
    },
    locations: {
      title: "Wo Mitglieder einkaufen",
      text: "Ein Laden, ein Stand, ein Webshop. Ein Verkauf nennt seinen Standort.",
      links: { "/locations": "Alle Standorte" },
    },
    earning: {
      title: "Was Verkäufe geben",
      text: "Wie viele Punkte ein Mitglied für welchen Betrag bekommt und ab welchem Einkaufswert. Artikel ohne Punkte, z. B. Geschenkkarten, und solche mit eigenem Satz legen Sie im Programm fest.",
      links: { "/programs": "Programme", "/rules": "Regeln für Punkte" },
    },
    integration: {
      title: "Was die Verkäufe erfasst",
      text: "Eine Kasse oder ein anderes Programm erfasst Verkäufe. Es bekommt ein Geheimnis und eine erste Anfrage, die Sie kopieren.",
      links: { "/integrations": "Alle Integrationen" },
    },
    sale: {
      title: "Ein erster Verkauf mit Punkten",
      text: "Erfassen Sie einen Verkauf mit der Kasse. Kommt er nicht an, sehen Sie sich deren letzte Anfragen an. Oder importieren Sie frühere Verkäufe aus einer Datei, damit sie Punkte geben.",
      links: { "/requests": "Die letzten Anfragen" },
    },
    worth: {
      title: "Was Punkte wert sind",
      text: "Mitglieder können mit Punkten bezahlen, sobald diese einen Betrag wert sind. Was weder Punkte noch Gutscheine bezahlen können, z. B. Rezepte, legen Sie im Programm fest.",
      links: { "/rules": "Regeln für Punkte", "/vouchers": "Gutscheine" },
    },
    more: {
      title: "Was Mitglieder sonst bekommen",
      text: "Aktionen geben mehr an manchen Tagen, für manche Artikel oder Mitglieder. Stempelkarten geben einen Gutschein, z. B. für den zehnten Kaffee. Stufen sind für Mitglieder, die viel kaufen.",
      links: { "/promotions": "Aktionen", "/stamp-cards": "Stempelkarten", "/tiers": "Stufen" },
    },
    people: {
      title: "Kollegen",
      text: "Jede Person hat ein Konto. Mit einem Link, der 24 Stunden gilt, wählt sie ihr Passwort.",
      links: { "~/accounts": "Alle Konten" },
    },
  },
  invite: "Jemanden einladen",
  setWorth: "Wert der Punkte festlegen",
  setRate: "Punkte je Verkauf festlegen",
  rateHelp: "Sie können es später ändern. Die Beispiele zeigen, was ein Verkauf gibt.",
  program: "Punkte",
  example: (amount, points) => `Ein Verkauf von ${amount} gibt ${countedText(points, "Punkt", "Punkte")}.`,
};
