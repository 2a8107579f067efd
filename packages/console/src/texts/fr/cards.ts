import { dayText } from "../dates.ts";
import type { cardTexts as english, memberPageTexts as englishPage } from "../en/cards.ts";
import type { Texts } from "../languages.ts";

/** The texts about cards. Only their pages load them. */
export const cardTexts: Texts<typeof english> = {
  title: "Cartes",
  explanation:
    "Les codes par lesquels une caisse trouve les membres, les cartes anonymes et les cartes cadeaux. Imprimez la page enregistrée en taille réelle, par exemple sur du papier cartonné.",
  empty:
    "Il n'y a pas encore de cartes. Émettez une carte cadeau, ou ajoutez une carte sur la page d'un membre.",
  noneFound: "Aucune carte n'a ce code ou cet état.",
  ofMember: "Le membre n'a pas de carte.",
  print: "Enregistrer des cartes à imprimer",
  vouchers: "Bons d'achat",
  printVouchers: "Enregistrer des bons à imprimer",
  printedVoucher: ({ campaign_name, coupon_value, valid_through: day }, name, money) => [
    name,
    campaign_name,
    ...(coupon_value > 0 ? [money(coupon_value)] : []),
    ...(day ? [`Valable jusqu'au ${dayText(day)}`] : []),
  ],
  printed: ({ kind, wallet, valid_through: day }, name, money) => [
    name,
    ...(kind === "gift" && wallet ? [`Carte cadeau ${money(wallet)}`] : []),
    ...(day ? [`Valable jusqu'au ${dayText(day)}`] : []),
  ],
};

export const memberPageTexts: Texts<typeof englishPage> = {
  title: "Page du membre et portefeuilles",
  explanation:
    "Chaque membre a une page pour son téléphone : la carte à scanner, les points, les bons d'achat et les tampons. De là, il ajoute une carte au portefeuille de son téléphone, dès que celui-ci est configuré ici.",
  open: "Voir la page d'un membre",
  look: "Logo et couleur",
  removeLogo: "Retirer le logo",
  color: "Changer la couleur",
  guide: "Comment obtenir un certificat et une clé",
  preview: "Aperçu avec des valeurs d'exemple : chaque téléphone dispose la carte à sa manière",
  exampleTier: "Or",
  apple: "Apple Wallet",
  google: "Google Wallet",
};
