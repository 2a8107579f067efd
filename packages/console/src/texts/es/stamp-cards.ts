import { countedText } from "../decimals.ts";
import type { stampCardTexts as english } from "../en/stamp-cards.ts";
import type { Texts } from "../languages.ts";

/** The texts about stamp cards. */
export const stampCardTexts: Texts<typeof english> = {
  title: "Tarjetas de sellos",
  explanation: "Las ventas dan sellos, y cada tarjeta llena da un vale a su miembro.",
  empty: "Todavía no hay tarjetas de sellos. Hace falta un vale que dar, por ejemplo un café gratis.",
  sample: "Ejemplo: nueve cafés, el décimo gratis",
  first: { name: "Tarjeta de café", stamps_needed: 9, counts: "unit", categories: ["café"] },
  example: ({ counts, stamps_needed: stamps }) =>
    stamps
      ? `Ejemplo: la ${counts === "unit" ? "unidad" : "visita"} número ${stamps} llena la tarjeta. El miembro recibe el vale, y lo usa en una venta posterior.`
      : "Escriba cuántos sellos llenan la tarjeta.",
  figures: (_) => ({
    members_with_stamps: "Miembros con sellos",
    stamps_on_cards: "Sus sellos",
    times_full: "Tarjetas llenas",
  }),
  days: "Por día",
  nothing: "No ha dado ningún sello en las últimas cuatro semanas.",
  gives: (stamps, voucher) => `${countedText(stamps, "sello da", "sellos dan")} ${voucher}`,
  counts: { visit: "uno por visita", unit: "uno por unidad" },
  alsoFree: "también las líneas gratis",
  mostPerDay: (count) => `máximo ${count} al día`,
  from: (amount) => `desde ${amount}`,
  valid: (period) => `válido durante ${period}`,
};
