import { countedText, wholeText } from "../decimals.ts";
import type { importTexts as english } from "../en/imports.ts";
import type { Texts } from "../languages.ts";

const lines = (count: number) => countedText(count, "ligne", "lignes");

/** The texts about imports. Only their pages have them. */
export const importTexts: Texts<typeof english> = {
  title: "Importations",
  explanation:
    "Des membres, des ventes et des bons d'achat venant de fichiers CSV. Un fichier est vérifié avant l'importation. Vous pouvez le corriger et l'importer de nouveau : aucune ligne n'est importée deux fois. Ce qui a déjà été importé reste, avec ses soldes et ses paliers.",
  what: "Ce que contient le fichier",
  names: { members: "Membres", sales: "Ventes", vouchers: "Bons d'achat" },
  file: "Fichier",
  choose: "Choisir un fichier CSV…",
  upload: "Envoyer et vérifier",
  accepted: (columns) =>
    `La première ligne nomme les colonnes, par exemple : ${columns}. Toutes ne sont pas obligatoires. Si votre fichier a d'autres noms, associez-les après l'envoi. Le fichier peut être compressé, en gzip ou zip.`,
  tooLarge: (gigabytes) => `Le fichier dépasse ${gigabytes} Go. Divisez-le, et importez les parties.`,
  uploading: "Le fichier est en cours d'envoi. Restez sur cette page.",
  empty: "Rien n'a été envoyé ces derniers jours.",
  notUploaded:
    "Des parties du fichier manquent. S'il n'est pas en cours d'envoi dans un autre onglet, annulez, et envoyez le fichier de nouveau.",
  failed: "Impossible de continuer.",
  chooseColumns: "Choisissez les colonnes ci-dessous.",
  columns: "Colonnes du fichier",
  noColumn: "Aucune colonne",
  unused: (columns) => `Non importé : ${columns}`,
  checkFirst: "Vérifier le fichier",
  check: "Vérifier de nouveau",
  options: "Changer la lecture du fichier",
  otherKind: "Importer comme autre chose",
  start: (count) => `Importer ${lines(count)}`,
  goOn: "Continuer",
  checking: (done) => `Le fichier est en cours de vérification : ${lines(done)} jusqu'ici.`,
  importing: (done, total) =>
    `Le fichier est en cours d'importation : ${wholeText(done)} sur ${lines(total)}. Vous pouvez quitter cette page.`,
  place: (name) => `Point de vente : ${name}`,
  lines: (count) => lines(count),
  unknownPlace: "Inconnu",
  leftOutPlace: "Ignorer ces lignes",
  ofCheck: {
    title: "Ce que ferait une importation",
    lines: "Lignes",
    imported: "Peuvent être importées",
    skipped: "Déjà importées",
    rejected: "Seraient refusées",
    left_out: "Seraient ignorées",
    reasons: "Lignes qui seraient refusées",
  },
  ofImport: {
    title: "Ce qui a été importé",
    lines: "Lignes",
    imported: "Importées",
    skipped: "Déjà importées",
    rejected: "Refusées",
    left_out: "Ignorées",
    reasons: "Lignes refusées",
  },
  written: (encoding, delimiter) =>
    `L'encodage est ${encoding.toUpperCase()}. Entre les colonnes : ${delimiter.toLowerCase()}.`,
  save: "Enregistrer les lignes refusées",
};
