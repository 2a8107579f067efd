/**
 * German. The words for the things of a loyalty programme, the same in all files: member Mitglied, points Punkte, wallet Guthaben,
 * balance Kontostand, tier Stufe, program Programm, usual program Standardprogramm, promotion Aktion, stamp card Stempelkarte, occasion Anlass, referral Empfehlung,
 * voucher Gutschein, gift card Geschenkkarte, top-up Aufladung, sale Verkauf, amount of sales Umsatz, receipt Bon, refund Erstattung, to redeem einlösen, to
 * issue ausgeben, to expire verfallen, location Standort, segment Segment, bulk grant Sammelgutschrift, to give vergeben, entry Buchung, till Kasse,
 * article Artikel, account (of a person) Konto. Readers are addressed with "Sie".
 */
import type { language as english } from "../en/language.ts";
import type { Texts } from "../languages.ts";

export const language: Texts<typeof english> = {
  code: "de",
  locale: "de-DE",
  direction: "ltr",
  product: "Loyalty-Konsole",
  withoutScript: "Die Konsole braucht JavaScript.",
};

/** A phrase inside of a sentence. German nouns keep their capitals. */
export const phrase = (text: string): string => text;

/** A name in quotation marks. */
export const quoted = (name: string): string => `„${name}“`;

/** Between a label and its value. */
export const colon = ": ";
