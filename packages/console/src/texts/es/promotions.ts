import { countedText, wholeText } from "../decimals.ts";
import type { promotionTexts as english } from "../en/promotions.ts";
import type { Texts } from "../languages.ts";

const pointsOf = (count: number) => countedText(count, "punto", "puntos");

/** The texts about promotions. */
export const promotionTexts: Texts<typeof english> = {
  title: "Promociones",
  explanation:
    "Más puntos, un vale o sellos por algunas ventas, por ejemplo puntos dobles los martes. Se suman al programa y a las tarjetas de sellos.",
  empty:
    "Todavía no hay promociones. Pruebe puntos dobles los martes de 14:00 a 17:00: puede cambiarlo todo.",
  sample: "Ejemplo: puntos dobles los martes",
  first: {
    ...{ name: "Puntos dobles los martes", multiply: 200, weekdays: [2] },
    ...{ from_time: "14:00", until_time: "17:00" },
  },
  figures: ({ voucher_id, stamp_card_id }) => ({
    sales_reached: "Ventas",
    members_reached: "Miembros",
    ...(stamp_card_id
      ? { stamps_kept: "Sellos dados" }
      : voucher_id
        ? { vouchers_kept: "Vales dados", vouchers_amount: "Su valor hoy" }
        : {
            points_kept: "Puntos dados",
            points_amount: "Su valor hoy",
            budget_left: "Puntos que quedan",
          }),
  }),
  days: "Por día",
  nothing: "No ha dado nada en las últimas cuatro semanas.",
  example: ({ multiply, points, per, voucher_id, stamp_card_id }) => {
    if (stamp_card_id) return "Ejemplo: cada venta así da estos sellos además de los de la tarjeta.";
    if (voucher_id) return "Ejemplo: cada venta así da al miembro uno de estos vales.";
    if (multiply)
      return `Ejemplo: una venta que da 10 puntos con el programa da ${wholeText(Math.floor(multiply / 10))}.`;
    if (!points) return "Escriba qué da.";
    return per === "unit"
      ? `Ejemplo: tres unidades en una venta dan ${wholeText(3 * points)} puntos más.`
      : `Ejemplo: una venta que da 10 puntos con el programa da ${wholeText(10 + points)}.`;
  },
  factors: { 200: "Puntos dobles", 300: "Puntos triples" },
  times: (factor) => `Puntos × ${factor}`,
  fixed: (points) => pointsOf(points),
  stamps: (stamps, card) => `${countedText(stamps, "sello", "sellos")} más en ${card}`,
  voucher: (name) => `El vale ${name}`,
  eachUnit: (points) => `${pointsOf(points)} por unidad`,
  from: (day) => `desde el ${day}`,
  until: (day) => `hasta el ${day}`,
  to: (first, last) => `${first}–${last}`,
  leastAmount: (amount) => `desde ${amount}`,
  leastQuantity: (count) => `desde ${countedText(count, "unidad", "unidades")}`,
  members: {
    any: () => "",
    first_sale: () => "primera compra",
    new: (days) => `de alta desde hace ${countedText(days, "día", "días")} o menos`,
    returning: (days) => `sin compras desde hace ${countedText(days, "día", "días")}`,
    birthday: (days) => `cumpleaños ± ${countedText(days, "día", "días")}`,
  },
  mostPerMember: (count) => `máximo ${count} × por miembro`,
  mostPerDay: (count) => `máximo ${count} × al día por miembro`,
  budget: (points) => `${pointsOf(points)} en total como máximo`,
  exclusive: "solo si da más que todas las demás juntas",
};
