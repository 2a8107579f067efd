import { countedText } from "../decimals.ts";
import type { firstSteps as english } from "../en/first-steps.ts";
import type { Texts } from "../languages.ts";

/** The texts of the page that leads through the set-up. Only it loads them. */
export const firstSteps: Texts<typeof english> = {
  title: "Premiers pas",
  explanation:
    "D'une nouvelle entreprise à une vente qui a donné des points. Vous pouvez faire les étapes dans n'importe quel ordre, et y revenir plus tard.",
  done: "Fait",
  missing: "À faire",
  found: (names) =>
    `Jusqu'ici : ${names.slice(0, 5).join(", ")}${names.length > 5 ? ` et ${names.length - 5} de plus` : ""}.`,
  steps: {
    business: {
      title: "L'entreprise",
      text: "Son nom, sa monnaie, son fuseau horaire et son pays.",
      links: { "~/businesses": "Toutes les entreprises" },
    },
    locations: {
      title: "Où les membres achètent",
      text: "Un magasin, un stand, une boutique en ligne. Une vente indique son point de vente.",
      links: { "/locations": "Tous les points de vente" },
    },
    earning: {
      title: "Ce que donnent les ventes",
      text: "Combien de points un membre reçoit pour quel montant, et à partir de quel montant d'achat. Les articles sans points, comme les cartes cadeaux, et ceux qui ont leur propre taux se règlent dans le programme.",
      links: { "/programs": "Programmes", "/rules": "Règles des points" },
    },
    integration: {
      title: "Ce qui enregistre les ventes",
      text: "Une caisse ou un autre programme enregistre les ventes. Il reçoit un secret et une première requête, que vous copiez.",
      links: { "/integrations": "Toutes les intégrations" },
    },
    sale: {
      title: "Une première vente avec des points",
      text: "Enregistrez une vente avec la caisse. Si elle n'arrive pas, regardez ses dernières requêtes. Ou importez des ventes passées d'un fichier, pour qu'elles donnent des points.",
      links: { "/requests": "Les dernières requêtes" },
    },
    worth: {
      title: "Ce que valent les points",
      text: "Les membres peuvent payer avec des points dès que ceux-ci valent un montant. Ce que ni les points ni les bons d'achat ne peuvent payer, comme les médicaments sur ordonnance, se règle dans le programme.",
      links: { "/rules": "Règles des points", "/vouchers": "Bons d'achat" },
    },
    more: {
      title: "Ce que les membres reçoivent d'autre",
      text: "Les promotions donnent plus certains jours, pour certains articles ou certains membres. Les cartes à tampons donnent un bon d'achat, par exemple pour le dixième café. Les paliers sont pour les membres qui achètent beaucoup.",
      links: { "/promotions": "Promotions", "/stamp-cards": "Cartes à tampons", "/tiers": "Paliers" },
    },
    people: {
      title: "Collègues",
      text: "Chaque personne a un compte. Un lien, valable 24 heures, lui permet de choisir un mot de passe.",
      links: { "~/accounts": "Tous les comptes" },
    },
  },
  invite: "Inviter un collègue",
  setWorth: "Définir la valeur des points",
  setRate: "Définir les points par vente",
  rateHelp: "Vous pourrez le changer plus tard. Les exemples disent ce que donne une vente.",
  program: "Points",
  example: (amount, points) => `Une vente de ${amount} donne ${countedText(points, "point", "points")}.`,
};
