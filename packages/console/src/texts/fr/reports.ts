import type { reportTexts as english } from "../en/reports.ts";
import type { Texts } from "../languages.ts";

const units = { day: "jour", week: "semaine", month: "mois" };
const whole = {
  day: "",
  week: ", sur les semaines entières seulement",
  month: ", sur les mois entiers seulement",
};

/** The texts of the reports. */
export const reportTexts: Texts<typeof english> = {
  title: "Rapports",
  range: (from, through) => (from === through ? from : `du ${from} au ${through}`),
  everywhere: "Tous les points de vente",
  preset: "Jours du rapport",
  presets: { month: "Ce mois", lastMonth: "Mois dernier", quarter: "90 jours", year: "Cette année" },
  by: "Durée des périodes",
  units: { day: "Par jour", week: "Par semaine", month: "Par mois" },
  figures: "Chiffres",
  compared: (from, through, unit) =>
    `Comparé ${from === through ? `au ${from}` : `à la période du ${from} au ${through}`}. Les membres actifs et les membres de retour sont des moyennes par ${units[unit]}${whole[unit]}. Les membres de retour avaient déjà été actifs auparavant. Le taux d'utilisation est le nombre de points utilisés pour 100 points attribués.`,
  before: "Avant :",
  periods: (unit) =>
    unit === "day" ? "Par jour" : `Par ${units[unit]} : la première et la dernière période sont entières`,
  measure: "Afficher",
  measures: {
    sales_amount: "Ventes",
    points_given: "Points attribués",
    points_used: "Points utilisés",
  },
  chart: (measure, unit) => `${measure} par ${units[unit]}`,
  bar: (unit, day, value) => `${unit === "week" ? "Semaine du " : ""}${day} : ${value}`,
  asTable: "Sous forme de tableau",
  breakdowns: {
    locations: () => "Par point de vente",
    tiers: (day) => `Membres par palier à la fin du ${day}`,
  },
  outstanding: (day) => `Ce que les membres avaient à la fin du ${day}`,
  expiring: {
    points: "Points par mois d'expiration",
    vouchers: "Bons d'achat par mois d'expiration",
  },
  giftCards: "Cartes cadeaux",
  gifts: {
    sold: "Vendues",
    sold_amount: "Vendues pour",
    used_amount: "Utilisé",
    ended_amount: "Expiré, donné à des membres ou corrigé",
    open: "Encore créditées à la fin",
    open_amount: "Leur solde à la fin",
  },
  noEnd: "N'expire pas",
  nothing: "Rien.",
};
