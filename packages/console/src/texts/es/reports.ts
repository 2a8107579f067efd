import type { reportTexts as english } from "../en/reports.ts";
import type { Texts } from "../languages.ts";

const units = { day: "día", week: "semana", month: "mes" };
const whole = { day: "", week: ", solo de semanas enteras", month: ", solo de meses enteros" };

/** The texts of the reports. */
export const reportTexts: Texts<typeof english> = {
  title: "Informes",
  range: (from, through) => (from === through ? from : `del ${from} al ${through}`),
  everywhere: "Todas las tiendas",
  preset: "Días del informe",
  presets: { month: "Este mes", lastMonth: "Mes pasado", quarter: "90 días", year: "Este año" },
  by: "Duración de los periodos",
  units: { day: "Por día", week: "Por semana", month: "Por mes" },
  figures: "Cifras",
  compared: (from, through, unit) =>
    `Comparado con ${from === through ? `el ${from}` : `el periodo del ${from} al ${through}`}. Los miembros activos y los recurrentes son medias por ${units[unit]}${whole[unit]}. Los miembros recurrentes ya habían estado activos antes. La tasa de canje son los puntos canjeados por cada 100 puntos dados.`,
  before: "Antes:",
  periods: (unit) =>
    unit === "day" ? "Por día" : `Por ${units[unit]}: el primer y el último periodo son enteros`,
  measure: "Mostrar",
  measures: {
    sales_amount: "Ventas",
    points_given: "Puntos dados",
    points_used: "Puntos canjeados",
  },
  chart: (measure, unit) => `${measure} por ${units[unit]}`,
  bar: (unit, day, value) => `${unit === "week" ? "Semana del " : ""}${day}: ${value}`,
  asTable: "Como tabla",
  breakdowns: {
    locations: () => "Por tienda",
    tiers: (day) => `Miembros por nivel al final del ${day}`,
  },
  outstanding: (day) => `Lo que tenían los miembros al final del ${day}`,
  expiring: {
    points: "Puntos por el mes en que caducan",
    vouchers: "Vales por el mes en que caducan",
  },
  giftCards: "Tarjetas regalo",
  gifts: {
    sold: "Vendidas",
    sold_amount: "Vendidas por",
    used_amount: "Usado",
    ended_amount: "Caducado, dado a miembros o corregido",
    open: "Con saldo al final",
    open_amount: "Su saldo al final",
  },
  noEnd: "No caduca",
  nothing: "Nada.",
};
