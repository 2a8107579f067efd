import { countedText, wholeText } from "../decimals.ts";
import type { texts as english } from "../en/texts.ts";
import type { More, Texts } from "../languages.ts";
import { actionTexts } from "./actions.ts";
import { errorTexts } from "./errors.ts";
import { fieldTexts } from "./fields.ts";
import { reportTexts } from "./reports.ts";
import { saleTexts } from "./sales.ts";
import { sessionTexts } from "./session.ts";
import { setupPages, setupTexts } from "./setup.ts";
import { webhookTexts } from "./webhooks.ts";

/** Every text of the console, in French. */
export const texts: Texts<typeof english> & More = {
  product: "Console de fidélité",
  loading: "Chargement",
  close: "Fermer",
  print: "Imprimer",
  none: "aucun",
  yes: "Oui",
  no: "Non",
  points: "points",
  megabytes: (count) => `${count} Mo`,
  all: "Tous",
  ofAllKinds: " : tous",

  shell: {
    skip: "Aller au contenu",
    menu: "Menu",
    business: "Entreprise",
    otherCells: "Entreprises d'autres cellules",
    sandbox: "Un bac à sable : rien n'est réel ici.",
    sandboxOf: (name) => `Bac à sable : ${name}`,
    zone: (zone) => `Fuseau horaire : ${zone}`,
    light: "Utiliser les couleurs claires",
    dark: "Utiliser les couleurs sombres",
    signOut: "Se déconnecter",
  },

  menu: {
    groups: { daily: "Au quotidien", setup: "Configuration", technical: "Partenaires", service: "Service" },
    pages: {
      today: "Aujourd'hui",
      members: "Membres",
      cards: "Cartes",
      sales: "Ventes",
      transactions: "Écritures",
      reports: "Rapports",
      ...setupPages,
      integrations: "Intégrations",
      webhooks: "Webhooks",
      events: "Événements",
      requests: "Requêtes",
      audit: "Journal",
      businesses: "Entreprises",
      accounts: "Comptes",
      system: "Système",
      sandbox: "Horloge du bac à sable",
    },
  },

  search: {
    title: "Tout rechercher",
    keys: "Ctrl K",
    help: "Un nom, un téléphone, une carte, un ticket ou une page",
    nothing: "Aucun résultat.",
    members: "Membres",
    sales: "Ventes",
    actions: "Ajouter",
    pages: "Pages",
  },

  leave: {
    title: "Fermer ? Ce que vous avez écrit sera perdu si ce n'est pas enregistré.",
    stay: "Continuer à écrire",
    leave: "Fermer",
  },

  missing: {
    title: "Il n'y a rien ici",
    explanation: "L'adresse ne mène à aucune page, ou votre rôle ne permet pas de l'ouvrir.",
    start: "Aller à la page d'accueil",
    elsewhere: "Si l'entreprise est dans une autre cellule, ouvrez la console de celle-ci :",
  },

  ...sessionTexts,

  failure: {
    tryAgain: "Réessayer",
    noResponse: "Le service est injoignable. Vérifiez votre connexion.",
    unexpected: "Un problème est survenu sur cette page. Rechargez-la.",
    request: (id) => `Numéro de la requête : ${id}`,
  },

  ...errorTexts,

  done: {
    "/op/members/page-link": "L'adresse de la page",
    "/op/operators/create": "Le compte est créé.",
    "/op/operators/reset": "La nouvelle invitation est créée.",
    "/op/members/adjust-points": "Les points sont corrigés.",
    "/op/members/adjust-wallet": "La cagnotte est corrigée.",
    "/op/members/settle": "Les points sont à jour.",
    "/op/reward-points/redeem": "Les points sont utilisés.",
    "/op/reward-points/reverse": "L'écriture est annulée.",
    "/op/wallet/reverse": "L'écriture est annulée.",
    "/op/vouchers/redeem": "Le bon d'achat est utilisé.",
    "/op/vouchers/create-codes": "Les codes sont créés. Enregistrez-les dans un fichier.",
    "/op/session/change-password": "Mot de passe changé.",
  },

  forms: {
    parts: {
      "": "",
      gives: "Ce qu'on obtient",
      when: "Quand",
      what: "Pour quels articles",
      who: "Pour qui, et où",
      limits: "Limites",
      rules: "Prix et validité",
      code: "Un code utilisable par tous",
    },
    save: "Enregistrer",
    cancel: "Annuler",
    required: "Ce champ est obligatoire.",
    wholeNumber: "Écrivez un nombre entier, par exemple 120.",
    day: (example) => `Saisissez une date avec les quatre chiffres de l'année, par exemple ${example}.`,
    dayAlone: (example) => `Saisissez la date sans l'heure, par exemple ${example}.`,
    noDay: (example, withTime) =>
      `Cette date ${withTime ? "ou cette heure " : ""}n'existe pas. Exemple : ${example}.`,
    dayPattern: { day: "JJ", month: "MM", year: "AAAA", time: "hh:mm" },
    calendar: "Choisir dans le calendrier",
    time: (example) => `Saisissez une heure, par exemple ${example}.`,
    notClear: (one, other) => `Cela peut être ${one} ou ${other} : écrivez toutes les décimales.`,
    amount: (decimals) =>
      `Écrivez un montant, par exemple ${decimals === 0 ? "12" : `12,${"50".padEnd(decimals, "0").slice(0, decimals)}`}.`,
    atLeast: (minimum) => `Au moins ${minimum}.`,
    atMost: (maximum) => `Au plus ${maximum}.`,
    taken: "Un autre membre l'a déjà.",
    noChoice: "Aucun choix",
    noneYet: (page) => `Il n'y en a pas encore. Ajoutez-en sur la page « ${page} ».`,
    noMatch: "Aucun résultat.",
    filters: (set) => (set === 0 ? "Filtres" : `Filtres (${set})`),
    withoutFilter: "Retirer ce filtre",
    choose: "Choisir…",
    chooseFile: "Choisir un fichier",
    noPicture: "Cette image ne peut pas être lue ici. Choisissez un fichier PNG ou JPEG.",
    record: (number) => `Taux ${number}`,
    addRecord: "Ajouter un taux",
    removeRecord: (number) => `Retirer le taux ${number}`,
    titleOf: (label, name) => (name === "" ? label : `${label} : ${name}`),
    oneOf: (labels) => `Remplissez l'un de ces champs : ${labels.join(" ou ")}.`,
    unknownOutcome:
      "On ne sait pas si le service a enregistré ceci. Réessayez : cela ne peut pas être enregistré deux fois.",
  },

  tables: {
    empty: "Il n'y a encore rien ici.",
    actions: "Actions",
    noneHere: "Aucun résultat dans cette partie de la liste.",
    newest: "Plus récents",
    older: "Plus anciens",
    position: ({ from, to, total }) => `${wholeText(from)}–${wholeText(to)} sur ${wholeText(total)}`,
    page: (page) => `Page ${page}`,
    first: "Première page",
    previous: "Page précédente",
    next: "Page suivante",
    last: "Dernière page",
    columns: "Colonnes",
    csv: "Enregistrer en CSV",
    saved: (rows) => `Lignes dans le fichier : ${wholeText(rows)}`,
  },

  members: {
    title: "Membres",
    searchHelp: "Nom, téléphone, adresse e-mail ou numéro de client",
    empty: "Il n'y a pas encore de membres.",
    noneFound: "Aucun membre ne correspond.",
    similar: "Noms proches",
  },

  member: {
    erased: "Membre effacé",
    number: (contactId) => `Membre ${contactId}`,
    inactive: "Ce membre est désactivé.",
    mergedInto: "Il a été fusionné avec",
    noTier: "Aucun",
    worth: (amount) => `Valeur : ${amount}`,
    expires: (points, day) => `${countedText(points, "expire", "expirent")} après le ${day}`,
    pending: (points, day) =>
      `${countedText(points, "de plus utilisable", "de plus utilisables")} à partir du ${day}`,
    owed: (points) => `Doit ${wholeText(points)}`,
    tierUntil: (day) => `Jusqu'au ${day}`,
    tierByHand: "Attribué à la main",
    keepTier: (amount, from, until) => `Pour le garder : encore ${amount} d'achats, du ${from} au ${until}.`,
    keepsTier: "Il sera renouvelé, sauf si des ventes sont remboursées.",
    nextTier: (amount, tier) => `Encore ${amount} pour ${tier}`,
    nextTierSoon: (tier) => `Atteint ${tier} à la prochaine vente`,
    reachBy: (day) => `d'ici au ${day}`,
    progress: (tier) => `Progression vers ${tier}`,
    tabs: {
      points: "Pourquoi ces points ?",
      vouchers: "Bons d'achat",
      stamps: "Cartes à tampons",
      cards: "Cartes",
      sales: "Ventes",
      timeline: "Historique",
      profile: "Profil",
    },
  },

  correction: {
    title: "Corriger un solde",
    account: "Solde",
    accounts: { points: "Points", wallet: "Cagnotte" },
    balanceNow: (balance) => `Le solde est de ${balance}.`,
    order:
      "Les points que vous ajoutez n'expirent pas. Les points sont retirés dans cet ordre : d'abord ceux qui ne viennent pas d'une vente enregistrée, puis ceux qui expirent en premier.",
    submit: "Corriger le solde",
  },

  pointsHistory: {
    lots: "Les points et leur expiration",
    byHand: "Sans vente enregistrée",
    origins: { sale: "Vente", occasion: "Occasion ou attribution groupée", by_hand: "Importation" },
    noLots: "Ce membre n'a pas de points en ce moment.",
    statement: "Comment le solde s'est formé",
    noEntries: "Ce membre n'a jamais eu de points.",
    missing: "Des points d'un achat manquent ? La page de la vente dit pourquoi.",
    receipt: "Chercher le ticket",
  },

  memberVouchers: {
    ofSale: (saleId) => `Remboursez la vente ${saleId} pour le rendre`,
    empty: "Ce membre n'a jamais eu de bon d'achat.",
  },

  memberSales: { empty: "Il n'y a pas de ventes de ce membre." },

  timeline: {
    empty: "Il ne s'est encore rien passé.",
    audit: "Qui a modifié quoi",
    obstacles: {
      insufficient_balance: "L'argent ou son bonus a été dépensé : on ne peut plus l'annuler.",
      voucher_not_usable: "Son bon d'achat a été utilisé ou a expiré : on ne peut plus l'annuler.",
    },
  },

  memberActions: {
    more: "Plus",
    export: "Enregistrer les données dans un fichier",
  },

  merge: {
    submit: "Fusionner",
    with: "Fusionner avec",
    tier: (name, changed) => `Palier ensuite : ${name}${changed ? " (nouveau)" : ""}.`,
  },

  today: {
    title: "Aujourd'hui",
    sales: "Ventes",
    refunded: (amount) => `${amount} remboursés`,
    saleCount: (count) => countedText(count, "vente", "ventes"),
    pointsGiven: "Points attribués",
    pointsUsed: "Points utilisés",
    activeMembers: "Membres actifs",
    newMembers: (count) => countedText(count, "nouveau", "nouveaux"),
    outstanding: "Ce que les membres ont",
    points: "Points",
    worth: (amount) => `Valeur : ${amount}`,
    pending: (points) => `${wholeText(points)} de plus en attente`,
    expiring: "Prochaine expiration",
    nothing: "Rien",
    atEndOf: (month) => `Points qui expirent en ${month}`,
    wallet: "Cagnottes",
    vouchers: "Bons d'achat",
    voucherCount: (count) => countedText(count, "bon d'achat", "bons d'achat"),
    weeks: "Les douze dernières semaines",
    service: "Le service",
  },

  actions: actionTexts,
  reports: reportTexts,

  sales: {
    title: "Ventes",
    noneFound:
      "Aucune vente ne correspond. Vérifiez le ticket et les filtres. Si la caisse a bien envoyé la vente, cherchez-la sous « Requêtes » : elle a peut-être été refusée. Les ventes anciennes ne sont peut-être que sous « Écritures ».",
    empty: "Il n'y a pas encore de ventes.",
  },

  transactions: {
    title: "Écritures",
    explanation: "Chaque changement des points, des cagnottes, des bons d'achat et des ventes.",
    empty: "Il n'y a pas encore d'écritures.",
    noneFound: "Aucune écriture ne correspond.",
  },

  ...saleTexts,
  ...setupTexts,
  ...webhookTexts,
  ...fieldTexts,
};
