/**
 * Spanish. The words for the things of a loyalty programme, the same in all files: member miembro, points puntos, wallet monedero,
 * balance saldo, tier nivel, program programa, usual program programa predeterminado, partner programa conectado, promotion promoción, stamp card tarjeta de sellos, stamp sello, occasion ocasión,
 * referral recomendación, voucher vale, gift card tarjeta regalo, top-up recarga, bonus bonificación, sale venta, receipt tique, refund reembolso, to
 * redeem canjear, to issue emitir, to expire caducar, location tienda, segment segmento, bulk grant entrega masiva, entry movimiento,
 * till caja, article artículo, account (of a person) cuenta. Readers are addressed with "usted".
 */
import type { language as english } from "../en/language.ts";
import type { Texts } from "../languages.ts";

export const language: Texts<typeof english> = {
  code: "es",
  locale: "es-ES",
  direction: "ltr",
  product: "Consola de fidelización",
  withoutScript: "La consola necesita JavaScript.",
};

/** A phrase inside of a sentence. */
export const phrase = (text: string): string => text.toLowerCase();

/** A name in quotation marks. */
export const quoted = (name: string): string => `«${name}»`;

/** Between a label and its value. */
export const colon = ": ";
