/** Names that people and systems give to columns, in several languages. Marks, case, and words such as "de" make no difference. */
import type { ImportName } from "../../domain/imports/jobs.ts";
import { lettersAndDigits } from "./presets.ts";

type Words = Readonly<Record<string, readonly string[]>>;

const numbersOf = (...things: readonly string[]) =>
  things.flatMap((one) => [one, `no ${one}`, `n ${one}`, `num ${one}`, `numero ${one}`, `id ${one}`]);

const naming: Words = {
  phone_number: [
    ...["phone", "mobile", "mobile phone", "movil", "telefono movil", "celular", "telefono", "tel", "handy"],
    ...["mobil", "telefon", "telefonnummer", "portable", "telephone", "cellulare", "telemovel", "telefone"],
    ...["tel portable", "telephone portable", "handynummer", "mobilnummer", "mobile number", "cell phone"],
    ...["customer phone", "customer phone number", "customer mobile", "billing phone"],
  ],
  email: [
    ...["email address", "customer email", "mail", "correo electronico", "correo", "e-mail-adresse"],
    ...["courriel", "adresse e-mail", "adresse mail", "indirizzo e-mail"],
    ...["billing email", "email billing"],
  ],
};
const codeOfCard = [
  ...["card number", "card no", "card code", "loyalty card", "no tarjeta", "numero tarjeta", "kartennummer"],
  ...["numero carte", "no carte", "numero carta", "numero cartao", "codigo tarjeta"],
  ...["tessera", "numero tessera"],
];
const codeOfCustomer = [
  ...["customer number", "customer no", "customer id", "customer code", "member number", "member no"],
  ...["codigo cliente", "cod cliente", "codigo socio", "code client", "codice cliente"],
  ...["kundennummer", "kunden-nr"],
  ...numbersOf("cliente", "socio", "client").filter((name) => name.includes(" ")),
];

const currencies = ["currency code", "wahrung", "devise", "moneda", "divisa", "valuta", "moeda"];

/** The first name that the file has counts. */
const words: Readonly<Record<ImportName, Words>> = {
  members: {
    ...naming,
    external_ref: [...codeOfCustomer, "codigo"],
    card_code: codeOfCard,
    name: [
      "full name",
      "customer name",
      "nombre completo",
      "nombre apellidos",
      "nombre y apellidos",
      "cliente",
    ],
    first_name: ["given name", "vorname", "prenom"],
    last_name: [
      ...["surname", "family name", "apellidos", "apellido", "nachname", "familienname", "nom famille"],
      ...["cognome", "apelido", "sobrenome"],
    ],
    date_of_birth: [
      ...["birth date", "birthdate", "fecha nacimiento", "geburtsdatum", "date naissance", "data nascita"],
      ...["data nascimento", "birthday", "dob", "geburtstag", "geb datum", "anniversaire", "cumpleanos"],
      "compleanno",
    ],
    joined_at: [
      ...["member since", "fecha alta", "fecha registro", "mitglied seit", "kunde seit", "date inscription"],
      ...["customer since", "registration date", "date added", "registered"],
    ],
    points_balance: ["points", "puntos", "saldo puntos", "punkte", "punktestand", "punti", "pontos"],
    tier: ["tier name"],
  },
  sales: {
    ...naming,
    external_ref: codeOfCustomer,
    card_code: codeOfCard,
    sold_at: [
      ...["date", "date time", "sale date", "fecha", "fecha hora", "fecha venta", "datum", "verkaufsdatum"],
      ...["date vente", "date heure", "data", "data vendita", "data venda"],
      ...["order date", "transaction date", "completed at", "completed time", "bestelldatum"],
      ...["rechnungsdatum", "fecha pedido", "date commande"],
    ],
    sold_time: ["time", "time of sale", "hora", "uhrzeit", "zeit", "heure", "ora"],
    amount: [
      ...["total", "sale total", "grand total", "total amount", "importe", "importe total", "total venta"],
      ...["total ticket", "betrag", "gesamtbetrag", "summe", "montant", "montant total", "total ttc"],
      ...["importo", "totale", "valor", "valor total"],
      ...["montant ttc", "umsatz brutto", "brutto", "gesamt", "gesamtsumme", "monto", "monto total"],
      ...["bill amount", "order total", "order amount"],
    ],
    reference_id: [
      ...["receipt", "receipt number", "receipt no", "receipt id", "order number", "order no", "order id"],
      ...["invoice number", "invoice no", "transaction id", "belegnummer", "bonnummer", "rechnungsnummer"],
      ...numbersOf("ticket", "recibo", "factura", "venta", "pedido", "commande", "facture", "scontrino"),
      ...["beleg nr", "beleg", "bon nr", "bon", "bill number", "bill no", "sale number", "sale id"],
      ...["folio", "boleta", "kvittonummer"],
    ],
    location: [
      ...["store", "shop", "outlet", "branch", "tienda", "local", "establecimiento", "sucursal", "filiale"],
      ...["magasin", "boutique", "negozio", "loja"],
    ],
    // Orders that were cancelled would be sales without it.
    sale_status: [
      ...["status", "estado", "statut", "stato", "order status", "sale status", "payment status"],
      ...["financial status", "bestellstatus", "zahlungsstatus", "statut commande", "estado pedido"],
      ...["stato ordine", "statut paiement", "estado pago", "stato pagamento"],
    ],
    sale_voided: [
      ...["voided", "void", "is voided", "cancelled", "canceled", "is cancelled", "is canceled"],
      ...["storniert", "storno", "anulado", "anulada", "cancelado", "cancelada", "annule", "annulee"],
      ...["annullato", "annullata"],
    ],
    currency: currencies,
    refunded_amount: [
      ...["amount refunded", "refund amount", "total refunded", "refund total"],
      ...["order refund amount", "importe devuelto", "importe reembolsado", "montant rembourse"],
      ...["erstatteter betrag", "erstattungsbetrag", "importo rimborsato", "valor reembolsado"],
    ],
    line_sku: ["sku", "codigo articulo", "artikelnummer", "code article"],
    line_category: ["category", "categoria", "familia", "kategorie", "warengruppe", "categorie"],
    line_quantity: ["quantity", "qty", "cantidad", "unidades", "menge", "anzahl", "quantite", "quantita"],
  },
  vouchers: {
    ...naming,
    external_ref: codeOfCustomer,
    card_code: codeOfCard,
    coupon_code: ["code", "voucher code", "codigo", "codigo cupon", "cupon", "gutscheincode", "code promo"],
    coupon_value: ["value", "valor", "importe", "wert", "betrag", "montant", "valeur"],
    issued_on: ["issue date", "issued", "fecha emision", "ausstellungsdatum", "date emission"],
    currency: currencies,
    valid_through: [
      ...["valid until", "expiry date", "expires", "expiration date", "caducidad", "fecha caducidad"],
      ...["valido hasta", "gultig bis", "date expiration", "valable jusqu'au", "scadenza"],
    ],
  },
};

/** Two columns for a name, where one of the words alone can be the whole name. */
const pairs: readonly (readonly [first: string, last: string])[] = [
  ["nombre", "apellidos"],
  ["nombre", "apellido"],
  ["nombre", "primer apellido"],
  ["nombre", "apellido 1"],
  ["nome", "cognome"],
  ["nome", "apelido"],
  ["nome", "sobrenome"],
  ["vorname", "name"],
  ["prenom", "nom"],
];

/** The names of a column for a field, the best one first. @param header the names of the file's columns */
export function columnNamesOf(kind: ImportName, field: string, header: readonly string[]): readonly string[] {
  if (field === "amount" && amountsIn(kind, header).length > 1) return [];
  const own = [field, ...(words[kind][field] ?? [])];
  if (!/^(?:first_|last_)?name$/.test(field)) return own;
  const names = new Set(header.map(lettersAndDigits));
  const pair = pairs.find((both) => both.every((name) => names.has(lettersAndDigits(name))));
  if (field === "name") return pair === undefined ? [...own, "nombre", "nom", "nome"] : [];
  return pair === undefined ? own : [...own, pair[field === "first_name" ? 0 : 1]];
}

const isOneOf = (names: readonly string[]) => (name: string) =>
  names.some((one) => lettersAndDigits(one) === lettersAndDigits(name));

/** The columns of which each one can be the amount of a sale. A person has to say which one, if there are several. */
export function amountsIn(kind: ImportName, header: readonly string[]): string[] {
  const amounts = header.filter(isOneOf(["amount", ...(words[kind].amount ?? [])]));
  return [...new Map(amounts.map((name) => [lettersAndDigits(name), name])).values()];
}

/** The column that can be the money of members: what they own, or what they owe. A person has to say it. */
export const moneyIn = (kind: ImportName, header: readonly string[]): string | undefined =>
  kind === "members" ? header.find(isOneOf(money)) : undefined;
const money = ["saldo", "monedero", "guthaben", "solde", "credito", "balance", "credit", "store credit"];

/** A column of refunds that can be amounts, or yes and no. A person has to say it. */
export const refundsIn = (header: readonly string[]): string | undefined => header.find(isOneOf(refundWords));
const refundWords = [
  ...["refund", "refunds", "refunded", "erstattung", "erstattet", "reembolso", "reembolsado", "devuelto"],
  ...["rembourse", "remboursement", "rimborso", "rimborsato"],
];
