/**
 * French. The words for the things of a loyalty programme, the same in all files: member membre, points points, wallet cagnotte,
 * balance solde, tier palier, program programme, usual program programme par défaut, promotion promotion, stamp card carte à tampons, stamp tampon, occasion occasion,
 * referral parrainage, voucher bon d'achat, gift card carte cadeau, top-up rechargement, sale vente, receipt ticket, refund
 * remboursement, to redeem utiliser, to issue émettre, to expire expirer, location point de vente, segment segment, bulk grant
 * attribution groupée, entry écriture, till caisse, article article, account (of a person) compte. Readers are addressed with "vous".
 */
import type { language as english } from "../en/language.ts";
import type { Texts } from "../languages.ts";

export const language: Texts<typeof english> = {
  code: "fr",
  locale: "fr-FR",
  direction: "ltr",
  product: "Console de fidélité",
  withoutScript: "La console a besoin de JavaScript.",
};

/** A phrase inside of a sentence. */
export const phrase = (text: string): string => text.toLowerCase();

/** A name in quotation marks. */
export const quoted = (name: string): string => `« ${name} »`;

/** Between a label and its value. */
export const colon = " : ";
