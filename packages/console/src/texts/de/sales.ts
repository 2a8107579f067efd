import { countedText } from "../decimals.ts";
import type { saleTexts as english } from "../en/sales.ts";
import type { Texts } from "../languages.ts";

const pointsOf = (count: number) => countedText(count, "Punkt", "Punkte");

/** The texts about sales and their refunds. */
export const saleTexts: Texts<typeof english> = {
  sale: {
    title: (receipt) => `Verkauf ${receipt}`,
    payment: "Wie bezahlt wurde",
    points: (points) => `Warum es ${pointsOf(points)} gab`,
    lines: "Zeilen des Bons",
    promotions: "Was Aktionen gaben",
    stamps: "Stempel",
    refunded: (amount, pieces) => (pieces > 0 ? `${amount}, Stück: ${pieces}` : amount),
    refunds: "Erstattungen",
    noRefunds: "Es wurde nichts erstattet.",
  },

  why: {
    earned: (base, points) => `${base} davon zählen für Punkte: ${pointsOf(points)}.`,
    earned_by_rate: (base, points) => `${base} davon haben einen eigenen Satz: ${pointsOf(points)}.`,
    promotion: (name, points) => `${name}: ${pointsOf(points)}.`,
    capped: {
      order: (maximum) => `Es wären mehr, aber ein Verkauf gibt höchstens ${pointsOf(maximum)}.`,
      day: (maximum) => `Es wären mehr, aber ein Mitglied bekommt höchstens ${pointsOf(maximum)} am Tag.`,
      month: (maximum) => `Es wären mehr, aber ein Mitglied bekommt höchstens ${pointsOf(maximum)} im Monat.`,
    },
    below_minimum: (minimum) => `Unter ${minimum} gibt ein Verkauf keine Punkte.`,
    lines_excluded: (amount) => `${amount} davon sind Artikel, die keine Punkte geben.`,
    rewards_off: "Am Tag des Verkaufs waren Punkte ausgeschaltet.",
    no_program: "Am Tag des Verkaufs war kein Programm für Punkte festgelegt.",
    program_without_rate: "Das Programm des Mitglieds hatte am Tag des Verkaufs keinen Satz.",
    paidOtherwise: (amount) =>
      `${amount} wurden mit Gutscheinen oder Punkten bezahlt und geben keine Punkte.`,
    notEligible: (amount) => `Laut Kasse können ${amount} davon keine Punkte geben.`,
  },

  refund: {
    explanation: (amount) => `Bis zu ${amount} können erstattet werden.`,
    lines: "Artikel erstatten",
    line: (number) => `Zeile ${number}`,
    left: (count) => `Stück zu erstatten, höchstens ${count}`,
    vouchers: (back, taken, used) =>
      [
        back > 0 && `Gutscheine, die das Mitglied zurückbekommt: ${back}.`,
        taken > 0 && `Gutscheine, die zurückgenommen werden: ${taken}.`,
        used > 0 && `Eingelöste Gutscheine einer Aktion oder Stempelkarte, die eingelöst bleiben: ${used}.`,
      ]
        .filter(Boolean)
        .join(" "),
  },
};
