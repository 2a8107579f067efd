/** The words of members' pages, by language. */
const en = {
  day: "{0} {1} {2}",
  months: "Jan Feb Mar Apr May June July Aug Sept Oct Nov Dec".split(" "),
  points: "Points",
  worth: "worth {0}",
  expires: "{0} expire after {1}",
  pending: "{0} more from {1} on",
  wallet: "Wallet",
  tier: "Tier",
  until: "until {0}",
  missing: "{0} more to reach {1}",
  stamps: "Stamps",
  full: "A full card gives: {0}",
  vouchers: "Vouchers",
  now: "On now",
  recent: "Last movements",
  nothing: "Nothing yet.",
  gone: "This page is not valid any more",
  goneHelp: "Please ask for your card in the shop.",
  code: "QR code of your card",
  why: "Why these points?",
  for: "{0} for {1}",
  most: "At most {0}",
  nothingFor: "None for {0}",
  from: "from {0} on",
  each: "{0} for each piece",
  kinds: {
    wallet_adjustment: "Correction",
    wallet_topup: "Top-up",
    wallet_payment: "Payment",
    reward_points_adjustment: "Correction of points",
    reward_points_earned: "Points from a purchase",
    reward_points_redeemed: "Points used",
    reward_points_expired: "Points expired",
    voucher_issued: "Voucher received",
    voucher_redeemed: "Voucher used",
    voucher_reversed: "Voucher given back",
    sale: "Purchase",
    sale_refund: "Refund",
  },
};

export type PageTexts = typeof en;

const de: PageTexts = {
  day: "{0}. {1} {2}",
  months: "Januar Februar März April Mai Juni Juli August September Oktober November Dezember".split(" "),
  points: "Punkte",
  worth: "{0} wert",
  expires: "{0} verfallen nach dem {1}",
  pending: "{0} weitere ab {1}",
  wallet: "Guthaben",
  tier: "Stufe",
  until: "bis {0}",
  missing: "Noch {0} bis {1}",
  stamps: "Stempel",
  full: "Eine volle Karte ergibt: {0}",
  vouchers: "Gutscheine",
  now: "Aktuelle Aktionen",
  recent: "Letzte Bewegungen",
  nothing: "Noch nichts.",
  gone: "Diese Seite ist nicht mehr gültig",
  goneHelp: "Bitte fragen Sie im Geschäft nach Ihrer Karte.",
  code: "QR-Code Ihrer Karte",
  why: "Warum diese Punkte?",
  for: "{0} für {1}",
  most: "Höchstens {0}",
  nothingFor: "Keine für {0}",
  from: "ab {0}",
  each: "{0} je Stück",
  kinds: {
    wallet_adjustment: "Korrektur",
    wallet_topup: "Aufladung",
    wallet_payment: "Zahlung",
    reward_points_adjustment: "Korrektur der Punkte",
    reward_points_earned: "Punkte aus einem Einkauf",
    reward_points_redeemed: "Punkte eingelöst",
    reward_points_expired: "Punkte verfallen",
    voucher_issued: "Gutschein erhalten",
    voucher_redeemed: "Gutschein eingelöst",
    voucher_reversed: "Gutschein zurückgegeben",
    sale: "Einkauf",
    sale_refund: "Erstattung",
  },
};

const fr: PageTexts = {
  day: "{0} {1} {2}",
  months: "janvier février mars avril mai juin juillet août septembre octobre novembre décembre".split(" "),
  points: "Points",
  worth: "valeur {0}",
  expires: "{0} expirent après le {1}",
  pending: "{0} de plus à partir du {1}",
  wallet: "Solde",
  tier: "Niveau",
  until: "jusqu’au {0}",
  missing: "Encore {0} pour atteindre {1}",
  stamps: "Tampons",
  full: "Une carte pleine donne : {0}",
  vouchers: "Bons",
  now: "En ce moment",
  recent: "Derniers mouvements",
  nothing: "Rien pour l’instant.",
  gone: "Cette page n’est plus valable",
  goneHelp: "Veuillez demander votre carte en magasin.",
  code: "Code QR de votre carte",
  why: "Pourquoi ces points ?",
  for: "{0} pour {1}",
  most: "Au plus {0}",
  nothingFor: "Aucun pour {0}",
  from: "dès {0}",
  each: "{0} par unité",
  kinds: {
    wallet_adjustment: "Correction",
    wallet_topup: "Rechargement",
    wallet_payment: "Paiement",
    reward_points_adjustment: "Correction de points",
    reward_points_earned: "Points d’un achat",
    reward_points_redeemed: "Points utilisés",
    reward_points_expired: "Points expirés",
    voucher_issued: "Bon reçu",
    voucher_redeemed: "Bon utilisé",
    voucher_reversed: "Bon rendu",
    sale: "Achat",
    sale_refund: "Remboursement",
  },
};

const es: PageTexts = {
  day: "{0} de {1} de {2}",
  months: "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre".split(
    " ",
  ),
  points: "Puntos",
  worth: "valen {0}",
  expires: "{0} caducan después del {1}",
  pending: "{0} más a partir del {1}",
  wallet: "Saldo",
  tier: "Nivel",
  until: "hasta el {0}",
  missing: "Faltan {0} para llegar a {1}",
  stamps: "Sellos",
  full: "Una tarjeta completa da: {0}",
  vouchers: "Vales",
  now: "Ahora",
  recent: "Últimos movimientos",
  nothing: "Todavía nada.",
  gone: "Esta página ya no es válida",
  goneHelp: "Pida su tarjeta en la tienda.",
  code: "Código QR de su tarjeta",
  why: "¿Por qué estos puntos?",
  for: "{0} por {1}",
  most: "Como máximo {0}",
  nothingFor: "Ninguno por {0}",
  from: "desde {0}",
  each: "{0} por unidad",
  kinds: {
    wallet_adjustment: "Corrección",
    wallet_topup: "Recarga",
    wallet_payment: "Pago",
    reward_points_adjustment: "Corrección de puntos",
    reward_points_earned: "Puntos de una compra",
    reward_points_redeemed: "Puntos usados",
    reward_points_expired: "Puntos caducados",
    voucher_issued: "Vale recibido",
    voucher_redeemed: "Vale usado",
    voucher_reversed: "Vale devuelto",
    sale: "Compra",
    sale_refund: "Reembolso",
  },
};

const pageTexts = { en, de, fr, es };

export type PageLanguage = keyof typeof pageTexts;

export const textsIn = (language: PageLanguage): PageTexts => pageTexts[language];

/** The first language of Accept-Language that pages have. People write them in the order of their preference. */
export function languageOf(accepted: string | undefined): PageLanguage {
  const wanted = (accepted ?? "")
    .slice(0, 200)
    .split(",")
    .map((one) => one.trim().slice(0, 2).toLowerCase());
  return (wanted.find((one) => Object.hasOwn(pageTexts, one)) ?? "en") as PageLanguage;
}

/** Fills the places of a text. */
export const filled = (text: string, ...values: readonly string[]) =>
  text.replace(/\{(\d)\}/g, (_, place: string) => values[Number(place)] ?? "");
