import { countedText } from "../decimals.ts";
import type { stampCardTexts as english } from "../en/stamp-cards.ts";
import type { Texts } from "../languages.ts";

/** The texts about stamp cards. */
export const stampCardTexts: Texts<typeof english> = {
  title: "Stempelkarten",
  explanation: "Für Verkäufe gibt es Stempel, und für jede volle Karte bekommt das Mitglied einen Gutschein.",
  empty:
    "Es gibt noch keine Stempelkarten. Sie brauchen dafür einen Gutschein, z. B. für einen Gratis-Kaffee.",
  sample: "Beispiel: neun Kaffee, der zehnte ist gratis",
  first: { name: "Kaffeekarte", stamps_needed: 9, counts: "unit", categories: ["Kaffee"] },
  example: ({ counts, stamps_needed: stamps }) =>
    stamps
      ? `Beispiel: ${counts === "unit" ? "Stück" : "Besuch"} Nummer ${stamps} macht die Karte voll. Das Mitglied bekommt den Gutschein und verwendet ihn bei einem späteren Einkauf.`
      : "Geben Sie an, wie viele Stempel die Karte füllen.",
  figures: (_) => ({
    members_with_stamps: "Mitglieder mit Stempeln",
    stamps_on_cards: "Ihre Stempel",
    times_full: "Volle Karten",
  }),
  days: "Je Tag",
  nothing: "Sie hat in den letzten vier Wochen keine Stempel gegeben.",
  gives: (stamps, voucher) => `${countedText(stamps, "Stempel gibt", "Stempel geben")} ${voucher}`,
  counts: { visit: "einer je Besuch", unit: "einer je Stück" },
  alsoFree: "auch kostenlose Zeilen",
  mostPerDay: (count) => `höchstens ${count} am Tag`,
  from: (amount) => `ab ${amount}`,
  valid: (period) => `gültig für ${period}`,
};
