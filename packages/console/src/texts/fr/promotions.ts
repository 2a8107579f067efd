import { countedText, wholeText } from "../decimals.ts";
import type { promotionTexts as english } from "../en/promotions.ts";
import type { Texts } from "../languages.ts";

const pointsOf = (count: number) => countedText(count, "point", "points");

/** The texts about promotions. */
export const promotionTexts: Texts<typeof english> = {
  title: "Promotions",
  explanation:
    "Plus de points, un bon d'achat ou des tampons pour certaines ventes, par exemple des points doublés le mardi. Elles s'ajoutent au programme et aux cartes à tampons.",
  empty:
    "Il n'y a pas encore de promotions. Essayez les points doublés le mardi de 14:00 à 17:00 : vous pouvez tout modifier.",
  sample: "Exemple : points doublés le mardi",
  first: {
    ...{ name: "Points doublés le mardi", multiply: 200, weekdays: [2] },
    ...{ from_time: "14:00", until_time: "17:00" },
  },
  figures: ({ voucher_id, stamp_card_id }) => ({
    sales_reached: "Ventes",
    members_reached: "Membres",
    ...(stamp_card_id
      ? { stamps_kept: "Tampons donnés" }
      : voucher_id
        ? { vouchers_kept: "Bons d'achat donnés", vouchers_amount: "Leur valeur aujourd'hui" }
        : {
            points_kept: "Points attribués",
            points_amount: "Leur valeur aujourd'hui",
            budget_left: "Points restants",
          }),
  }),
  days: "Par jour",
  nothing: "Elle n'a rien donné ces quatre dernières semaines.",
  example: ({ multiply, points, per, voucher_id, stamp_card_id }) => {
    if (stamp_card_id)
      return "Exemple : chaque vente de ce genre donne ces tampons en plus de ceux de la carte.";
    if (voucher_id) return "Exemple : chaque vente de ce genre donne au membre un de ces bons d'achat.";
    if (multiply)
      return `Exemple : une vente qui donne 10 points par le programme en donne ${wholeText(Math.floor(multiply / 10))}.`;
    if (!points) return "Écrivez ce qu'elle donne.";
    return per === "unit"
      ? `Exemple : trois articles dans une vente donnent ${wholeText(3 * points)} points de plus.`
      : `Exemple : une vente qui donne 10 points par le programme en donne ${wholeText(10 + points)}.`;
  },
  factors: { 200: "Points doublés", 300: "Points triplés" },
  times: (factor) => `Points × ${factor}`,
  fixed: (points) => pointsOf(points),
  stamps: (stamps, card) => `${countedText(stamps, "tampon", "tampons")} de plus sur ${card}`,
  voucher: (name) => `Le bon d'achat ${name}`,
  eachUnit: (points) => `${pointsOf(points)} par article`,
  from: (day) => `à partir du ${day}`,
  until: (day) => `jusqu'au ${day}`,
  to: (first, last) => `${first}–${last}`,
  leastAmount: (amount) => `à partir de ${amount}`,
  leastQuantity: (count) => `à partir de ${countedText(count, "article", "articles")}`,
  members: {
    any: () => "",
    first_sale: () => "première vente",
    new: (days) => `membre depuis moins de ${countedText(days, "jour", "jours")}`,
    returning: (days) => `aucun achat depuis ${countedText(days, "jour", "jours")}`,
    birthday: (days) => `anniversaire ± ${countedText(days, "jour", "jours")}`,
  },
  mostPerMember: (count) => `au plus ${count} × par membre`,
  mostPerDay: (count) => `au plus ${count} × par jour et par membre`,
  budget: (points) => `au plus ${pointsOf(points)} en tout`,
  exclusive: "seulement si elle donne plus que toutes les autres réunies",
};
