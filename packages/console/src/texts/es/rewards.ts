import type * as english from "../en/rewards.ts";
import type { Texts } from "../languages.ts";

/** Texts of the pages about what members can get besides points of sales. Only these pages load them. */
export const occasionTexts: Texts<typeof english.occasionTexts> = {
  title: "Ocasiones",
  explanation:
    "Los miembros reciben puntos o un vale por su cumpleaños, en el aniversario de su alta o unos días después de su última compra: una vez al año, desde las seis de la mañana. Lo que es por el alta o por un nivel, lo reciben enseguida.",
  empty: "Todavía no hay ocasiones. Por ejemplo: 100 puntos por un cumpleaños.",
};

export const referralTexts: Texts<typeof english.referralTexts> = {
  title: "Recomendaciones",
  explanation:
    "Quién recomendó a quién. Configure lo que recibe cada parte como dos ocasiones, «Fue recomendado por un miembro» y «Ha recomendado a un miembro», y el mínimo y los días en las reglas.",
  empty: "Ningún miembro ha recomendado a otro todavía.",
};

export const voucherTexts: Texts<typeof english.voucherTexts> = {
  title: "Vales",
  kinds: {
    percent: (percent, of) => `${percent} %${of && ` en ${of}`}`,
    item: (_, of) => `Una unidad: ${of}`,
  },
  explanation:
    "Lo que los miembros pueden recibir y con lo que pueden pagar. Emita uno en la página del miembro, o deje que lo den las tarjetas de sellos y las promociones.",
  sample: "Ejemplo: un café gratis",
  first: { campaign_name: "Café gratis", coupon_code: "GRATIS", kind: "item", categories: ["café"] },
  archive: "Archivar",
  restore: "Volver a usar",
  file: "Vales de miembros como CSV",
  codesFile: "Códigos como CSV",
  empty: "Todavía no hay vales.",
};

export const topupTexts: Texts<typeof english.topupTexts> = {
  title: "Recargas",
  explanation:
    "La bonificación que reciben los miembros al recargar su monedero. Una terminada está inactiva.",
  empty: "Todavía no hay ninguna bonificación de recarga.",
};
