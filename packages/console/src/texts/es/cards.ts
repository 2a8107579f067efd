import { dayText } from "../dates.ts";
import type { cardTexts as english, memberPageTexts as englishPage } from "../en/cards.ts";
import type { Texts } from "../languages.ts";

/** The texts about cards. Only their pages load them. */
export const cardTexts: Texts<typeof english> = {
  title: "Tarjetas",
  explanation:
    "Los códigos con los que una caja encuentra a los miembros, las tarjetas anónimas y las tarjetas regalo. Imprima la página guardada a tamaño real, por ejemplo en cartulina.",
  empty: "Todavía no hay tarjetas. Emita una tarjeta regalo, o añada una tarjeta en la página de un miembro.",
  noneFound: "Ninguna tarjeta tiene este código o estado.",
  ofMember: "El miembro no tiene tarjeta.",
  print: "Guardar tarjetas para imprimir",
  vouchers: "Vales",
  printVouchers: "Guardar vales para imprimir",
  printedVoucher: ({ campaign_name, coupon_value, valid_through: day }, name, money) => [
    name,
    campaign_name,
    ...(coupon_value > 0 ? [money(coupon_value)] : []),
    ...(day ? [`Válido hasta el ${dayText(day)}`] : []),
  ],
  printed: ({ kind, wallet, valid_through: day }, name, money) => [
    name,
    ...(kind === "gift" && wallet ? [`Tarjeta regalo ${money(wallet)}`] : []),
    ...(day ? [`Válida hasta el ${dayText(day)}`] : []),
  ],
};

export const memberPageTexts: Texts<typeof englishPage> = {
  title: "Página del miembro y billeteras",
  explanation:
    "Cada miembro tiene una página para el teléfono: la tarjeta para escanear, los puntos, los vales y los sellos. Desde allí, el miembro añade un pase a la billetera del teléfono, en cuanto esté configurada aquí.",
  open: "Ver la página de un miembro",
  look: "Logotipo y color",
  removeLogo: "Quitar el logotipo",
  color: "Cambiar el color",
  guide: "Cómo obtener un certificado y una clave",
  preview: "Vista previa con valores de ejemplo: cada teléfono dispone el pase a su manera",
  exampleTier: "Oro",
  apple: "Apple Wallet",
  google: "Google Wallet",
};
