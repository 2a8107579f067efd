import { countedText } from "../decimals.ts";
import type { stampCardTexts as english } from "../en/stamp-cards.ts";
import type { Texts } from "../languages.ts";

/** The texts about stamp cards. */
export const stampCardTexts: Texts<typeof english> = {
  title: "Cartes à tampons",
  explanation: "Les ventes donnent des tampons, et chaque carte pleine donne un bon d'achat au membre.",
  empty:
    "Il n'y a pas encore de cartes à tampons. Il faut un bon d'achat à donner, par exemple un café offert.",
  sample: "Exemple : neuf cafés, le dixième offert",
  first: { name: "Carte café", stamps_needed: 9, counts: "unit", categories: ["café"] },
  example: ({ counts, stamps_needed: stamps }) =>
    stamps
      ? `Exemple : ${counts === "unit" ? "l'article" : "la visite"} numéro ${stamps} remplit la carte. Le membre reçoit le bon d'achat, et l'utilise lors d'une vente suivante.`
      : "Écrivez combien de tampons remplissent la carte.",
  figures: (_) => ({
    members_with_stamps: "Membres avec des tampons",
    stamps_on_cards: "Leurs tampons",
    times_full: "Cartes remplies",
  }),
  days: "Par jour",
  nothing: "Elle n'a donné aucun tampon ces quatre dernières semaines.",
  gives: (stamps, voucher) => `${countedText(stamps, "tampon donne", "tampons donnent")} ${voucher}`,
  counts: { visit: "un par visite", unit: "un par article" },
  alsoFree: "aussi les lignes gratuites",
  mostPerDay: (count) => `au plus ${count} par jour`,
  from: (amount) => `à partir de ${amount}`,
  valid: (period) => `valable ${period}`,
};
