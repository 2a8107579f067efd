import { countedText, wholeText } from "../decimals.ts";
import type { importTexts as english } from "../en/imports.ts";
import { aboutFiles, type FileSentences } from "../files.ts";
import type { Texts } from "../languages.ts";
import { aboutFields } from "../problems.ts";
import { bySentence, type Sentences, translator } from "../translate.ts";
import { problemSentences } from "./problems.ts";

const lines = (count: number) => countedText(count, "ligne", "lignes");

/** The texts about imports. Only their pages have them. */
export const importTexts: Texts<typeof english> = {
  title: "Importations",
  explanation:
    "Des membres, des ventes et des bons d'achat venant de fichiers CSV. Un fichier est vérifié avant l'importation. Vous pouvez le corriger et l'importer de nouveau : aucune ligne n'est importée deux fois. Ce qui a déjà été importé reste, avec ses soldes et ses paliers.",
  what: "Ce que contient le fichier",
  names: { members: "Membres", sales: "Ventes", vouchers: "Bons d'achat" },
  file: "Fichier",
  choose: "Choisir un fichier CSV…",
  upload: "Envoyer et vérifier",
  accepted: (columns) =>
    `La première ligne nomme les colonnes, par exemple : ${columns}. Toutes ne sont pas obligatoires. Si votre fichier a d'autres noms, associez-les après l'envoi. Le fichier peut être compressé, en gzip ou zip.`,
  tooLarge: (gigabytes) => `Le fichier dépasse ${gigabytes} Go. Divisez-le, et importez les parties.`,
  uploading: "Le fichier est en cours d'envoi. Restez sur cette page.",
  empty: "Rien n'a été envoyé ces derniers jours.",
  notUploaded:
    "Des parties du fichier manquent. S'il n'est pas en cours d'envoi dans un autre onglet, annulez, et envoyez le fichier de nouveau.",
  deleteFile: "Supprimer le fichier",
  fileDeleted: "Le fichier est supprimé.",
  failed: "Impossible de continuer.",
  chooseColumns: "Choisissez les colonnes ci-dessous.",
  columns: "Colonnes du fichier",
  noColumn: "Aucune colonne",
  unused: (columns) => `Non importé : ${columns}`,
  checkFirst: "Vérifier le fichier",
  check: "Vérifier de nouveau",
  options: "Changer la lecture du fichier",
  otherKind: "Importer comme un autre type de fichier",
  start: (count) => `Importer ${lines(count)}`,
  goOn: "Continuer",
  checking: (done) => `Le fichier est en cours de vérification : ${lines(done)} jusqu'ici.`,
  importing: (done, total) =>
    `Le fichier est en cours d'importation : ${wholeText(done)} sur ${lines(total)}. Vous pouvez quitter cette page.`,
  place: (name) => `Point de vente : ${name}`,
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
    `L'encodage est ${encoding.toUpperCase()}. Entre les colonnes : ${delimiter.toLowerCase()}.`,
  save: "Enregistrer les lignes refusées",
};

const said: Sentences = [
  [
    /^(.+) is required\. If another column has numbers, say it as (.+); if not, add them to the file\.$/,
    "$1 manque. Si une autre colonne a des numéros, choisissez-la comme $2 ; sinon, ajoutez-les au fichier.",
  ],
  [
    /^(.+) is required\. To import such members, choose (.+) of (.+), such as -\.$/,
    "$1 manque. Pour importer ces membres, indiquez sous $2 un texte pour $3, par exemple « - ».",
  ],
  [
    /^(.+) must be an international phone number such as (\S+), with \+ and the country code; with country, national numbers are understood\.$/,
    "$1 doit être un numéro international comme $2, avec + et l'indicatif du pays. Avec un pays, les numéros nationaux sont compris aussi.",
  ],
  [/^(.+) names no (?:tier|location|member|voucher definition)\.$/, "$1 : cela n'existe pas ici."],
  [/^(.+) is another member's\.$/, "$1 appartient déjà à un autre membre."],
  [
    /^(.+) differs from the (?:member|sale|voucher) with the same (.+)\.$/,
    "$1 est différent dans l'enregistrement avec la même valeur de « $2 », qui existe déjà ou se trouve plus haut dans le fichier.",
  ],
  [/^(.+) is the same as in an earlier line\.$/, "$1 est déjà dans une ligne précédente."],
  [
    /^(.+) is not UTF-8 \(encoding Windows-1252 reads files of older spreadsheets\)\.$/,
    "$1 n'est pas en UTF-8. L'encodage Windows-1252 lit les fichiers d'anciens tableurs.",
  ],
  [/^(.+) must be a day such as (\S+)\.$/, "$1 doit être un jour comme $2."],
  [
    /^Opening balances of (.+) and (.+) points in ([\d,]+) lines?, the largest in a wallet (.+)\.$/,
    "Soldes de départ : #1 et #2{point|points} dans #3{ligne|lignes}, la plus grosse cagnotte #4.",
  ],
  [
    /^Sales of (.+) in ([\d,]+) lines?, on (\S+), the smallest (.+), the largest (.+)\.$/,
    "Ventes : #1 dans #2{ligne|lignes}, le #3, la plus petite #4, la plus grande #5.",
  ],
  [
    /^Sales of (.+) in ([\d,]+) lines?, from (\S+) to (\S+), the smallest (.+), the largest (.+)\.$/,
    "Ventes : #1 dans #2{ligne|lignes}, du #3 au #4, la plus petite #5, la plus grande #6.",
  ],
  [
    /^Vouchers of (.+) in ([\d,]+) lines? with an? (.+), the largest (.+)\.$/,
    "Bons : #1 dans #2{ligne|lignes} avec « $3 », le plus grand #4.",
  ],
  [/^(\d+) \(as (\d+)\)$/, "$1 (comme $2)"],
  [/^(\d+) \(as (\d+)\), (.+)$/, "$1 (comme $2), @3"],
  [
    /^([\d,]+) lines? repeats? (?:an )?earlier lines? of the file, and would be skipped: (.+)\.$/,
    "#1{ligne en répète|lignes en répètent} une autre du fichier, ce qui serait ignoré : @2.",
  ],
  [
    /^([\d,]+) lines? ha(?:s|ve) the member, the day and the amount of a sale that is recorded, and no receipt number tells them apart\. If they are the same sales, they would be recorded twice: import the file with the columns of the first time\.$/,
    "#1{ligne a|lignes ont} le membre, le jour et le montant d'une vente déjà enregistrée, et aucun numéro de reçu ne les distingue. Si ce sont les mêmes ventes, elles seraient enregistrées deux fois : importez le fichier avec les colonnes de la première fois.",
  ],
  [
    /^The points would never expire\. To let them expire, choose (.+)\.$/,
    "Les points n'expireraient jamais. Pour qu'ils expirent, choisissez $1.",
  ],
  [/^The points could be spent until (\S+)\.$/, "Les points pourraient être utilisés jusqu'au #1."],
  [
    /^The sales would earn no points, and the lines of their receipts would not be kept\. To let them earn, choose (.+)\.$/,
    "Les ventes ne donneraient pas de points, et les lignes de leurs tickets ne seraient pas gardées. Pour qu'elles en donnent, choisissez $1.",
  ],
  [
    /^The sales would earn no points\. To let them earn, choose (.+)\.$/,
    "Les ventes ne donneraient pas de points. Pour qu'elles en donnent, choisissez $1.",
  ],
  [
    /^The sales would earn points by the rules of their days\.$/,
    "Les ventes donneraient des points selon les règles de leurs jours.",
  ],
  [/^Refunds that were left out: ([\d,]+) lines?, (.+)\.$/, "Remboursements ignorés : #1{ligne|lignes}, #2."],
  [/^Refunds: ([\d,]+) lines?, (.+)\.$/, "Remboursements : #1{ligne|lignes}, #2."],
  [
    /^In ([\d,]+) of ([\d,]+) receipts of several lines, all lines have the same amount, and it is added up\. If it is that of the whole receipt, say which column has the amounts of lines, as (.+) or (.+), or choose (.+) of (.+), such as 0\.$/,
    "Dans #1 des #2{ticket|tickets} de plusieurs lignes, toutes les lignes ont le même montant, et il est additionné. Si c'est celui du ticket entier, choisissez la colonne des montants des lignes comme $3 ou $4, ou indiquez sous $5 un texte pour $6, par exemple 0.",
  ],
  [
    /^Records of several lines: ([\d,]+), such as lines (\d+) to (\d+)\. If a record should have one line, a quote is not closed there\.$/,
    "Enregistrements de plusieurs lignes : #1, par exemple les lignes $2 à $3. Si un enregistrement devrait avoir une seule ligne, il y manque un guillemet fermant.",
  ],
  [/^The line has text behind a quoted text\.$/, "La ligne a du texte derrière un texte entre guillemets."],
  [
    /^(.+) differs within the receipt: with (.+) or (.+), it is that of the whole receipt\.$/,
    "$1 n'est pas le même dans toutes les lignes du ticket : avec $2 ou $3, c'est le montant du ticket entier.",
  ],
  [
    /^Lines name their customers by (.+), and where it is empty by (.+)\. If other names are the right ones, leave (.+) out in columns\.$/,
    "Les lignes désignent leur client par $1 et, si c'est vide, par $2. Si c'est une autre donnée qui convient, ne choisissez aucune colonne pour $3.",
  ],
  [
    /^Line (\d+) is the header\. What is before it is not imported\.$/,
    "La ligne $1 contient les noms des colonnes. Ce qui précède n'est pas importé.",
  ],
  [
    /^Years of (.+) have two digits\. Those in the future are of the century before\.$/,
    "Les années de $1 ont deux chiffres. Celles qui sont dans le futur sont du siècle précédent.",
  ],
  [
    /^(.+) is a number that a spreadsheet has shortened\. Export the file again, or make the column text there\.$/,
    "$1 est un numéro qu'un tableur a raccourci. Exportez de nouveau le fichier, ou mettez-y la colonne en texte.",
  ],
  [
    /^(.+) has a time that can't be read\. Times are such as (\S+) or (\d+:\d+ PM)\.$/,
    "$1 a une heure qui ne peut pas être lue. Les heures sont comme $2 ou $3.",
  ],
  [/^(.+) must be a day without a time\.$/, "$1 doit être un jour sans heure."],
];

/** The sentences about files, by the English ones. */
const fileSentences: FileSentences = {
  where: "$1 à la ligne $2",
  and: "@1 ; pour @2",
  or: "@1 ou @2",
  field: "&0",
  tooLarge: "Le fichier dépasse $1.",
  split: "Divisez-le, et importez les parties l'une après l'autre.",
  damaged: "Le fichier est abîmé ou incomplet et ne peut pas être décompressé.",
  compress: "Compressez-le de nouveau, et renvoyez-le.",
  archive: "L'archive zip contient plusieurs fichiers, par exemple $1.",
  oneByOne: "Importez-les un par un.",
  emptyArchive: "L'archive zip ne contient aucun fichier.",
  openQuote: "Un guillemet ouvert à la ligne $1 ou plus loin n'est pas fermé.",
  longLine: "La ligne $1 dépasse $2 Mo.",
  noCsv: "Manque-t-il un guillemet fermant, ou n'est-ce pas un fichier CSV ?",
  noText: "Le fichier n'est pas du texte.",
  saveText: "Enregistrez un tableau en CSV, en UTF-8.",
  other: "Le fichier est @1, et non un fichier CSV.",
  picture: "une image",
  pdf: "un document PDF",
  spreadsheet: "un tableau",
  webPage: "une page web ou du XML",
  exportList: "Exportez la liste en CSV depuis le système qui la contient.",
  saveList: "Ouvrez-le, enregistrez-le en CSV, en UTF-8, et importez ce fichier.",
  noLine: "Le fichier n'a aucune ligne à importer.",
  header: "La première ligne n'est pas une ligne de titre : les colonnes ont des numéros.",
  letters:
    "Les noms des colonnes ont des lettres illisibles. L'encodage Windows-1252 lit les fichiers d'anciens tableurs.",
  noNamedColumn: "Il n'y a pas de colonne « $1 » pour @2.",
  noColumn: "Il n'y a pas de colonne pour @1.",
  looksLike: "Le fichier ressemble à une autre exportation : importez-le comme &1.",
  wholeName: "Une colonne de noms complets est le champ &1.",
  amounts: "Le montant peut être dans @1.",
  phones: "Chaque membre a un numéro de téléphone.",
  addPhones:
    "Si une autre exportation du système contient les numéros, par exemple celle des adresses, ajoutez-les à ce fichier.",
  twoColumns: "Il y a deux colonnes « $1 ».",
  theirNumbers: "Leurs numéros sont $1 et $2.",
  delimiter: "Avec ce séparateur, la ligne $1 n'a qu'une colonne : $2 Essayez le séparateur $3.",
  customers: "La liste ne dit pas qui sont les clients.",
  query: "Importez plutôt le fichier de cette requête, sous « Advanced Parameters > Database » ($1).",
  system: "Le fichier est une exportation de $1, dont les colonnes sont connues.",
  unknownSystem: "Les colonnes de &1 de $2 ne sont pas connues.",
  leaveSystem: "Ne choisissez aucun système, et associez les colonnes.",
  empty: "Là où @1 est vide, ce sera « $2 ».",
  wrongEmpty: "Le texte « $1 » pour les cellules vides de @2 n'est pas possible.",
  notImported: "La colonne $1 n'est pas importée.",
  money: "Si c'est l'argent des membres, choisissez-la comme @1.",
  units:
    "Tous les montants sont compris comme 12,50, même ceux sans décimales (@1), car la plupart sont écrits comme @2.",
  unclearUnit:
    "On ne sait pas ce que veulent dire des montants comme @1 : choisissez sous $3 « Comme 12,50 » pour #2 ou « Comme 1250 » pour #4.",
  decimals: "Les décimales des montants sont précédées de « $1 » (@2).",
  someDecimals: "Les décimales de certains montants sont précédées d'une virgule, d'autres d'un point.",
  thousands: "Les milliers des points sont séparés par « $1 » (@2).",
  fractions: "Les points sont entiers : les décimales sont retirées dans #1{ligne|lignes}, par exemple @2.",
  unclearDays: "Les jours de @1 peuvent être $2 ou $3 (@4), et aucun ne permet de le savoir.",
  days: "Les jours de @1 ont la forme $2 (@3).",
  someDays: "Les jours de @1 ont plusieurs formes.",
  place: "$1 (#2{ligne|lignes})",
  morePlaces: "$1 (#2{ligne|lignes}), @3",
  places: "Noms qui ne sont ceux d'aucun point de vente : @1.",
  sayPlaces: "Choisissez ci-dessous ce qu'ils désignent.",
  leftOut: "Ignorées : #1{ligne|lignes} @2.",
  withText: "avec $1",
  withoutCustomer: "sans client",
  oneSale: "Les lignes d'un ticket qui se suivent sont une seule vente.",
  joined: "Lignes ajoutées au ticket de la ligne précédente : #1.",
  withLines: "Ventes avec les lignes de leur ticket : #1.",
  shortLines:
    "Dans #1 d'entre elles, il manque aux lignes une part du montant, qui devient une ligne à part.",
  overLines: "Dans #1 d'entre elles, les lignes dépassent le montant et sont réduites en proportion.",
  pointsNow: "Ventes importées auparavant sans points qui en donnent maintenant : #1.",
  withoutPoints: "Ventes déjà importées sans points : #1.",
  givePoints: "Pour qu'elles donnent leurs points, une fois, choisissez $1.",
  reused: "Lignes avec $1 d'une autre vente : #2.",
  restart:
    "Si les numéros de tickets recommencent chaque jour ou à chaque point de vente, choisissez-le sous $1.",
  oneReceipt: "Si ce sont les lignes d'un même ticket, choisissez $1.",
  longReceipt: "Le ticket de la ligne $1 a plus de #2 lignes.",
  otherColumn: "Est-ce une autre colonne qui contient $1 ?",
  apart: "Les lignes de $1 ne se suivent pas ou sont différentes : voir les lignes $2 et $3.",
  inOrder: "Les lignes d'un ticket doivent se suivre, avec le même client et la même heure.",
  sort: "Triez le fichier par $1.",
  failed: "Le service a rencontré une erreur à ces lignes.",
  nothing: "Rien n'a été importé.",
  checkAgain: "Vérifiez le fichier de nouveau, ou demandez de l'aide.",
  stays: "Ce qui a été importé reste.",
  startAgain: "Relancez l'importation, ou demandez de l'aide.",
  moves: "L'entreprise est transférée dans une autre base de données.",
  afterMove: "Relancez l'importation ensuite, ou importez le fichier là-bas.",
  erased: "$1 appartient à un membre effacé.",
  timeZone: "$1 doit être un fuseau horaire comme $2.",
  refunded: "$1 a été remboursé en partie et ne peut plus donner de points.",
};

export const importSentence = bySentence(
  translator(said),
  translator([...said, ...aboutFiles(fileSentences), ...aboutFields(problemSentences)]),
);
