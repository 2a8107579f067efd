import { countedText } from "../decimals.ts";
import type { saleTexts as english } from "../en/sales.ts";
import type { Texts } from "../languages.ts";

const pointsOf = (count: number) => countedText(count, "punto", "puntos");

/** The texts about sales and their refunds. */
export const saleTexts: Texts<typeof english> = {
  sale: {
    title: (receipt) => `Venta ${receipt}`,
    payment: "Cómo se pagó",
    points: (points) => `Por qué dio ${pointsOf(points)}`,
    lines: "Líneas del tique",
    promotions: "Qué dieron las promociones",
    stamps: "Sellos",
    refunded: (amount, pieces) => (pieces > 0 ? `${amount}, unidades: ${pieces}` : amount),
    refunds: "Reembolsos",
    noRefunds: "No se ha reembolsado nada.",
  },

  why: {
    earned: (base, points) => `${base} cuentan para puntos: ${pointsOf(points)}.`,
    earned_by_rate: (base, points) => `${base} tienen su propia tarifa: ${pointsOf(points)}.`,
    promotion: (name, points) => `${name}: ${pointsOf(points)}.`,
    capped: {
      order: (maximum) => `Serían más, pero una venta da como máximo ${pointsOf(maximum)}.`,
      day: (maximum) => `Serían más, pero un miembro recibe como máximo ${pointsOf(maximum)} al día.`,
      month: (maximum) => `Serían más, pero un miembro recibe como máximo ${pointsOf(maximum)} al mes.`,
    },
    below_minimum: (minimum) => `Las ventas de menos de ${minimum} no dan puntos.`,
    lines_excluded: (amount) => `${amount} son artículos que no dan puntos.`,
    rewards_off: "Los puntos estaban desactivados el día de la venta.",
    no_program: "El día de la venta no había ningún programa de puntos.",
    program_without_rate: "El programa del miembro no tenía tarifa el día de la venta.",
    paidOtherwise: (amount) => `${amount} se pagaron con vales o puntos y no dan ninguno.`,
    notEligible: (amount) => `Según la caja, ${amount} no pueden dar puntos.`,
  },

  refund: {
    explanation: (amount) => `Se pueden reembolsar hasta ${amount}.`,
    lines: "Reembolsar artículos",
    line: (number) => `Línea ${number}`,
    left: (count) => `Unidades que reembolsar, máximo ${count}`,
    vouchers: (back, taken, used) =>
      [
        back > 0 && `Vales que el miembro recupera: ${back}.`,
        taken > 0 && `Vales que se retiran: ${taken}.`,
        used > 0 && `Vales de una promoción o tarjeta de sellos ya canjeados, que siguen así: ${used}.`,
      ]
        .filter(Boolean)
        .join(" "),
  },
};
