import { countedText, wholeText } from "../decimals.ts";
import type * as english from "../en/setup.ts";
import type { More, Texts } from "../languages.ts";

const pointsOf = (count: number) => countedText(count, "point", "points");
const salesOf = (count: number) => countedText(count, "vente", "ventes");

/** The texts of the pages on which a business sets up its programme. */
export const setupPages: Texts<typeof english.setupPages> = {
  setup: "Premiers pas",
  locations: "Points de vente",
  tiers: "Paliers",
  programs: "Programmes",
  promotions: "Promotions",
  "stamp-cards": "Cartes à tampons",
  occasions: "Occasions",
  referrals: "Parrainages",
  vouchers: "Bons d'achat",
  topups: "Rechargements",
  rules: "Règles",
  imports: "Importations",
  passes: "Page du membre",
  segments: "Segments",
  "bulk-grants": "Attributions groupées",
};

/** Also of the members of promotions. */
export const occasionKinds: Texts<typeof english.occasionKinds> = {
  birthday: "Autour de l'anniversaire",
  anniversary: "À l'anniversaire de l'adhésion",
  tier_reached: "En atteignant un palier",
  referred: "A été parrainé par un membre",
  referrer: "A parrainé un membre",
  bulk: "Donné à plusieurs à la fois",
};

export const setupLabels: Texts<typeof english.setupLabels> = {
  segment_id: "Segment",
  filters: "Quels membres",
  members_found: "Membres",
  members_given: "L'ont reçu",
  members_skipped: "Ne l'ont pas reçu",
  earn_on: "Les points sont gagnés sur",
  points_validity: "Durée de validité des points",
  points_validity_period: "Jours, semaines, mois ou années",
  points_expiry_rounding: "Les points expirent à la fin du",
  tier_downgrade: "Palier après celui qui finit",
  tier_grace_days: "Jours pendant lesquels un palier fini est gardé",
  tier_after_refund: "Après le remboursement de sa vente, un palier est",
  expiry: "Durée de validité",
  expiry_period: "Jours, semaines, mois ou années",
  delimiter: "Entre les colonnes",
  amount_unit: "Montants",
  decimal: "Avant les décimales",
  defaults: "Textes des cellules vides",
  sample: "Tel que lu",
  file_name: "Fichier",
  lines_done: "Lignes",
  date_format: "Écriture des jours",
  exported_by: "Système qui l'a exporté",
  message: "Motif",
  sold_at: "Date de la vente",
  earn: "Les ventes donnent des points",
  earn_imported: "Aussi les ventes importées sans points",
  what: "Résultat",
  current: "Selon les règles actuelles",
  proposed: "Selon les nouvelles règles",
  current_points: "Selon les règles actuelles",
  proposed_points: "Selon les nouvelles règles",
  value_points: "Points qui valent un montant",
  value_amount: "Montant qu'ils valent",
  redeem_minimum_points: "Minimum de points pour payer",
  pending_days: "Jours avant de pouvoir utiliser les points",
  clawback_shortfall: "Remboursement de points utilisés",
  restored_points_valid_days: "Jours de validité des points rendus",
  expiring_notice_days: "Jours de préavis avant une fin",
  anonymous_cards_earn: "Les cartes anonymes gagnent des points",
  referral_minimum_amount: "Première vente d'un parrainage, au moins",
  referral_hold_days: "Jours avant que les parrainages comptent",
  referral_most_per_year: "Parrainages par an, au plus",
  gift_validity: "Durée de validité des cartes cadeaux",
  gift_validity_period: "Jours, semaines, mois ou années des cartes cadeaux",
  gift_maximum_amount: "Montant maximal d'une carte cadeau",
  enable_rp: "Les ventes donnent des points",
  rp_sales_calculation_period: "Les ventes comptent pour les paliers pendant",
  rp_sales_calculation_period_type: "Jours, semaines, mois ou années",
};

export const setupTexts: Texts<typeof english.setupTexts> = {
  locations: {
    title: "Points de vente",
    explanation:
      "Où les membres achètent. Une vente indique son point de vente, et les bons d'achat et rechargements peuvent être réservés à l'un d'eux.",
    empty: "Il n'y a pas encore de points de vente. Une vente en a besoin.",
    closedName: (name) => `${name} (fermé)`,
  },

  businesses: {
    title: "Entreprises",
    explanation:
      "Chacune a ses membres, ses règles et sa monnaie. Un bac à sable est une entreprise d'essai, avec sa propre horloge, que l'on peut supprimer. Pour en fermer une autre, fermez ses points de vente : ses données restent.",
    empty: "Il n'y a pas encore d'entreprises.",
  },

  earning: {
    guide: "Configurer étape par étape",
    title: "Les ventes ne donnent pas encore de points",
    steps: {
      no_location: "Ajoutez un point de vente.",
      rewards_off: "Activez les points.",
      no_program: "Choisissez le programme par défaut.",
      program_without_rate: "Dites combien de points le programme par défaut donne pour un montant.",
      maximum_is_zero: "Augmentez le maximum de points par vente du programme par défaut : il est de 0.",
      no_integration: "Ajoutez une intégration qui peut enregistrer des ventes.",
      no_sale: "Enregistrez une vente qui donne des points.",
    },
  },

  tiers: {
    title: "Paliers",
    explanation:
      "Ce que les membres atteignent avec leurs achats. Un membre atteint un nouveau palier à la vente suivante.",
    empty: "Il n'y a pas encore de paliers. Les membres n'en ont pas besoin pour gagner des points.",
  },

  memberStampCards: {
    stamps: (stamps, owed) => (owed > 0 ? `${owed} dus` : String(stamps)),
    empty: "Aucune carte à tampons n'est en cours, et ce membre n'en a pas.",
  },

  programs: {
    title: "Programmes",
    explanation:
      "Combien de points donne une vente. Les règles nomment le programme par défaut ; un palier peut avoir le sien.",
    removeHelp: (name) => `Supprimer le programme ${name} ? Les points gagnés restent.`,
    unused: "Aucune vente ne donne de points avec ce programme en ce moment.",
    usual:
      "C'est le programme par défaut : il s'applique aux ventes des membres dont le palier n'a pas le sien.",
    withoutUsual: "Sans lui, ces ventes ne donnent rien.",
    ofTiers: (tiers, members) =>
      `C'est le programme de ${tiers}. Membres de ce palier : ${wholeText(members)}.`,
    withoutOfTiers: "Sans lui, c'est le programme par défaut qui s'applique, s'il y en a un autre.",
    empty: "Il n'y a pas encore de programmes. Sans programme, les ventes ne donnent pas de points.",
    example: ({ rates = [], excluded_categories: categories = [], excluded_skus: skus = [] }) =>
      rates.length + categories.length + skus.length === 0
        ? "Toutes les lignes d'un ticket donnent des points à ce taux."
        : "",
    earnsNothing: (lines) => `${lines} : aucun point`,
    paidWithMoney: (lines) => `${lines} : ni points ni bons d'achat en paiement`,
    rate: {
      eachAmount: (points, amount) => `${pointsOf(points)} par ${amount}`,
      eachUnit: (points) => `${pointsOf(points)} par article`,
      ofLines: (lines, rate, example) => `${lines} : ${rate}, donc ${example}`,
      ofAmount: (example, earned) => `${example} donnent ${earned}`,
      ofUnits: (units, earned) => `${countedText(units, "article donne", "articles donnent")} ${earned}`,
    },
  },

  rules: {
    title: "Règles",
    explanation: "Ce que donnent les ventes, ce que valent les points et leur durée de validité.",
    settings: "Réglages des points",
    rules: "Règles des points",
    suggestions: {
      "/op/programs/create":
        "Il ne s'applique pas tant que les règles ou un palier ne le nomment pas. Regardez ce qu'il changerait comme programme de toutes les ventes.",
      "/op/promotions/create": "Vous pouvez regarder ce qu'elle aurait donné ces trois derniers mois.",
    },
    newPromotion: (name) => `Par ${name}`,
    ofPromotion: (points, inSales) => `${pointsOf(points)} ${inSales}`,
    inSales: (sales) => `dans ${salesOf(sales)}`,
    withoutLines: (sales) => ` ; elle ne peut pas agir sur ${salesOf(sales)} sans lignes`,
    previewFirst: "Regardez ce que cela changerait avant d'enregistrer.",
    preview: "Montrer ce qui changerait",
    notPreviewed:
      "Cela ne change ni ce que donnent les ventes ni qui atteint un palier : il n'y a rien à comparer. C'est valable dès aujourd'hui.",
    outcome: (sales, day) => `Calculé sur ${salesOf(sales)} depuis le ${day}`,
    points: "Points gagnés",
    worth: "Leur valeur",
    owed: (points) => `Valeur de ce que les membres ont maintenant : ${pointsOf(points)}`,
    capped: "Ventes au maximum de points",
    inTier: (name) => `Membres du palier ${name}`,
    withoutTier: "Membres sans palier",
    nobody: "Aucun membre n'aurait gagné d'autres points.",
    gains: "Membres qui gagneraient le plus",
    losses: "Membres qui perdraient le plus",
  },
};

/** What a promotion can give, and the states of an import. */
export const setupChoices: Texts<typeof english.setupChoices> & More["choices"] = {
  true: "Oui",
  false: "Non",
  bulk_running: "En cours…",
  bulk_ended: "Donné",
  bulk_cancelled: "Annulé",
  bulk_failed: "Échec",
  voucher: "Un bon d'achat",
  import_uploading: "Incomplet",
  import_uploaded: "Non vérifié",
  import_checking: "Vérification…",
  import_checked: "Vérifié",
  import_importing: "Importation…",
  import_cancelled: "Annulé",
  import_ended: "Importé",
  import_failed: "Échec",
};
