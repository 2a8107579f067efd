import { countedText } from "../decimals.ts";
import type { saleTexts as english } from "../en/sales.ts";
import type { Texts } from "../languages.ts";

const pointsOf = (count: number) => countedText(count, "point", "points");

/** The texts about sales and their refunds. */
export const saleTexts: Texts<typeof english> = {
  sale: {
    title: (receipt) => `Vente ${receipt}`,
    payment: "Comment elle a été payée",
    points: (points) => `Pourquoi elle a donné ${pointsOf(points)}`,
    lines: "Lignes du ticket",
    promotions: "Ce que les promotions ont donné",
    stamps: "Tampons",
    refunded: (amount, pieces) => (pieces > 0 ? `${amount}, articles : ${pieces}` : amount),
    refunds: "Remboursements",
    noRefunds: "Rien n'a été remboursé.",
  },

  why: {
    earned: (base, points) => `${base} comptent pour des points : ${pointsOf(points)}.`,
    earned_by_rate: (base, points) => `${base} ont leur propre taux : ${pointsOf(points)}.`,
    promotion: (name, points) => `${name} : ${pointsOf(points)}.`,
    capped: {
      order: (maximum) => `Ce serait plus, mais une vente donne au plus ${pointsOf(maximum)}.`,
      day: (maximum) => `Ce serait plus, mais un membre reçoit au plus ${pointsOf(maximum)} par jour.`,
      month: (maximum) => `Ce serait plus, mais un membre reçoit au plus ${pointsOf(maximum)} par mois.`,
    },
    below_minimum: (minimum) => `Les ventes de moins de ${minimum} ne donnent pas de points.`,
    lines_excluded: (amount) => `${amount} sont des articles qui ne donnent pas de points.`,
    rewards_off: "Les points étaient désactivés le jour de la vente.",
    no_program: "Aucun programme de points n'était choisi le jour de la vente.",
    program_without_rate: "Le programme du membre n'avait pas de taux le jour de la vente.",
    paidOtherwise: (amount) =>
      `${amount} ont été payés avec des bons d'achat ou des points et n'en donnent pas.`,
    notEligible: (amount) => `Selon la caisse, ${amount} ne peuvent pas donner de points.`,
  },

  refund: {
    explanation: (amount) => `On peut rembourser jusqu'à ${amount}.`,
    lines: "Rembourser des articles",
    line: (number) => `Ligne ${number}`,
    left: (count) => `Articles à rembourser, au plus ${count}`,
    vouchers: (back, taken, used) =>
      [
        back > 0 && `Bons d'achat que le membre retrouve : ${back}.`,
        taken > 0 && `Bons d'achat repris : ${taken}.`,
        used > 0 &&
          `Bons d'achat d'une promotion ou d'une carte à tampons déjà utilisés, qui le restent : ${used}.`,
      ]
        .filter(Boolean)
        .join(" "),
  },
};
