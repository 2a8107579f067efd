/** What systems write about receipts: whether they are sales, refunds or neither. */

/**
 * partial: a sale of which a part was refunded, so another column must say how much.
 * refunded, cancelled: of a sale, that it does not count. With a negative amount, the refund of one, or something that is not clear.
 * none: a receipt that is no sale, because it was not paid.
 */
export type Meaning = "sale" | "refund" | "partial" | "refunded" | "cancelled" | "none";

/** The names of PrestaShop are those of its languages. */
const words: Readonly<Record<Meaning, readonly string[]>> = {
  sale: [
    ...["sale", "payment", "paid", "closed", "complete", "completed", "fulfilled", "done", "finished"],
    ...["finalized", "posted", "invoiced", "successful", "success", "succeeded", "settled", "captured"],
    ...["charge", "charged", "sold", "processing", "payment accepted", "remote payment accepted"],
    ...["processing in progress", "shipped", "delivered", "on backorder (paid)", "paiement accepté"],
    ...["paiement à distance accepté", "en cours de préparation", "expédié", "livré", "payé", "payée"],
    ...["vente", "terminé", "terminée", "venta", "pagado", "pagada", "cobrado", "cobrada", "cerrado"],
    ...["cerrada", "completado", "completada", "venda", "pago", "vendita", "pagato", "verkauf", "bezahlt"],
    ...["abgeschlossen", "layby closed", "onaccount closed", "dispatched closed", "picked up closed"],
  ],
  refund: [
    ...["refund", "return", "credit note", "devolución", "reembolso", "retour", "retoure", "rückgabe"],
    ...["gutschrift", "rückerstattung", "avoir", "devolução", "rimborso", "reso"],
  ],
  partial: [
    ...["partially refunded", "partial refund", "partially returned", "teilweise erstattet"],
    ...["partiellement remboursé", "partiellement remboursée", "remboursement partiel"],
    ...["parcialmente reembolsado", "reembolsado parcialmente", "reembolso parcial", "rimborso parziale"],
  ],
  refunded: [
    ...["refunded", "returned", "erstattet", "remboursé", "remboursée", "remboursement", "reembolsado"],
    ...["reembolsada", "devuelto", "devuelta", "rimborsato"],
  ],
  cancelled: [
    ...["voided", "void", "cancelled", "canceled", "storniert", "storno", "abgebrochen", "annulé"],
    ...["annulée", "anulado", "anulada", "cancelado", "cancelada", "annullato", "annullata"],
  ],
  none: [
    ...["pending", "authorized", "partially paid", "unpaid", "expired"],
    ...["open", "on hold", "holded", "pending payment"],
    ...["payment review", "suspected fraud", "fraud", "payment error", "on backorder (not paid)"],
    ...["awaiting check payment", "awaiting bank wire payment", "awaiting cash on delivery validation"],
    ...["failed", "declined", "rejected", "draft", "quotation", "quote", "deleted", "parked", "saved"],
    ...["layby", "onaccount", "checkout draft"],
    ...["échoué", "échouée", "refusé", "refusée", "brouillon", "supprimé", "devis"],
    ...["erreur de paiement", "en attente de paiement par chèque"],
    ...["en attente de virement bancaire", "en attente de paiement paypal", "pendiente"],
    ...["fallido", "fallida", "rechazado", "rechazada", "borrador", "eliminado", "presupuesto"],
    ...["offen", "fehlgeschlagen", "abgelehnt", "ausstehend", "entwurf", "gelöscht", "angebot"],
  ],
};

/** Without case and marks. Programs write partially_refunded, and WooCommerce wc-completed. */
function keyOf(text: string): string {
  const lower = text.toLowerCase().replace(/^wc-/, "").replaceAll(/[_-]/g, " ");
  return /^[ -~]*$/.test(lower) ? lower : lower.normalize("NFKD").replace(/\p{M}/gu, "");
}

const meanings = new Map(
  (Object.keys(words) as Meaning[]).flatMap((meaning) =>
    words[meaning].map((word) => [keyOf(word), meaning] as const),
  ),
);
const longestWord = Math.max(...[...meanings.keys()].map((word) => word.length));

/** @returns undefined if the text is none of the words */
export const meaningOf = (text: string): Meaning | undefined =>
  text.length > 2 * longestWord ? undefined : meanings.get(keyOf(text));

/** All words, for people. */
export const knownWords = Object.values(words).flat().join(", ");

const yes = [
  "yes",
  "y",
  "true",
  "1",
  "x",
  "ja",
  "j",
  "wahr",
  "oui",
  "o",
  "vrai",
  "si",
  "s",
  "sim",
  "verdadero",
];
const no = ["no", "n", "false", "nein", "falsch", "non", "faux", "nao", "falso"];

/** Whether a cell is empty, or a dash that stands for that. */
export const isDash = (text: string): boolean => /^[\s–—-]*$/.test(text);

/** What a column says that is called such as Voided: yes, no, the time, or that word itself. @returns undefined if it is not known */
export function isVoided(text: string): boolean | undefined {
  const [key, meaning] = [keyOf(text), meaningOf(text)];
  const isTime = /^\d{1,4}[./-]\d{1,2}[./-]\d{1,4}/.test(text);
  if (yes.includes(key) || isTime || meaning === "none" || meaning === "cancelled") return true;
  return isDash(text) || no.includes(key) || /^0(?:[.,]0+)?$/.test(key) ? false : undefined;
}
