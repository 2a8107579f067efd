import type { reportTexts as english } from "../en/reports.ts";
import type { Texts } from "../languages.ts";

const units = { day: "Tag", week: "Woche", month: "Monat" };
const whole = { day: "", week: ", nur aus ganzen Wochen", month: ", nur aus ganzen Monaten" };
const before = { day: "diesem Tag", week: "dieser Woche", month: "diesem Monat" };

/** The texts of the reports. */
export const reportTexts: Texts<typeof english> = {
  title: "Berichte",
  range: (from, through) => (from === through ? from : `${from} bis ${through}`),
  everywhere: "Alle Standorte",
  preset: "Tage des Berichts",
  presets: { month: "Dieser Monat", lastMonth: "Letzter Monat", quarter: "90 Tage", year: "Dieses Jahr" },
  by: "Länge der Abschnitte",
  units: { day: "Je Tag", week: "Je Woche", month: "Je Monat" },
  figures: "Zahlen",
  compared: (from, through, unit) =>
    `Verglichen mit ${from === through ? `dem ${from}` : `der Zeit vom ${from} bis ${through}`}. Aktive und wiederkehrende Mitglieder sind Durchschnitte pro ${units[unit]}${whole[unit]}. Wiederkehrende Mitglieder waren schon vor ${before[unit]} aktiv. Die Einlösequote sind die eingelösten je 100 vergebene Punkte.`,
  before: "Vorher:",
  periods: (unit) =>
    unit === "day" ? "Je Tag" : `Je ${units[unit]}: der erste und der letzte Abschnitt sind vollständig`,
  measure: "Anzeigen",
  measures: {
    sales_amount: "Verkäufe",
    points_given: "Vergebene Punkte",
    points_used: "Eingelöste Punkte",
  },
  chart: (measure, unit) => `${measure} je ${units[unit]}`,
  bar: (unit, day, value) => `${unit === "week" ? "Woche ab " : ""}${day}: ${value}`,
  asTable: "Als Tabelle",
  breakdowns: {
    locations: () => "Je Standort",
    tiers: (day) => `Mitglieder nach Stufe am Ende des ${day}`,
  },
  outstanding: (day) => `Was Mitglieder am Ende des ${day} hatten`,
  expiring: {
    points: "Punkte nach dem Monat, in dem sie verfallen",
    vouchers: "Gutscheine nach dem Monat, in dem sie verfallen",
  },
  giftCards: "Geschenkkarten",
  gifts: {
    sold: "Verkauft",
    sold_amount: "Verkauft für",
    used_amount: "Verwendet",
    ended_amount: "Verfallen, an Mitglieder gegeben oder korrigiert",
    open: "Mit Guthaben am Ende",
    open_amount: "Guthaben darauf am Ende",
  },
  noEnd: "Verfällt nicht",
  nothing: "Nichts.",
};
