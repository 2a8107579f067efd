import { countedText, wholeText } from "../decimals.ts";
import type { promotionTexts as english } from "../en/promotions.ts";
import type { Texts } from "../languages.ts";

const pointsOf = (count: number) => countedText(count, "Punkt", "Punkte");

/** The texts about promotions. */
export const promotionTexts: Texts<typeof english> = {
  title: "Aktionen",
  explanation:
    "Mehr Punkte, ein Gutschein oder Stempel für manche Verkäufe, z. B. doppelte Punkte am Dienstag. Sie wirken zusätzlich zum Programm und zu Stempelkarten.",
  empty:
    "Es gibt noch keine Aktionen. Versuchen Sie doppelte Punkte am Dienstag von 14:00 bis 17:00 Uhr: Sie können alles ändern.",
  sample: "Beispiel: dienstags doppelte Punkte",
  first: {
    ...{ name: "Dienstags doppelte Punkte", multiply: 200, weekdays: [2] },
    ...{ from_time: "14:00", until_time: "17:00" },
  },
  figures: ({ voucher_id, stamp_card_id }) => ({
    sales_reached: "Verkäufe",
    members_reached: "Mitglieder",
    ...(stamp_card_id
      ? { stamps_kept: "Vergebene Stempel" }
      : voucher_id
        ? { vouchers_kept: "Vergebene Gutscheine", vouchers_amount: "Ihr heutiger Wert" }
        : {
            points_kept: "Vergebene Punkte",
            points_amount: "Ihr heutiger Wert",
            budget_left: "Übrige Punkte",
          }),
  }),
  days: "Je Tag",
  nothing: "Sie hat in den letzten vier Wochen nichts gegeben.",
  example: ({ multiply, points, per, voucher_id, stamp_card_id }) => {
    if (stamp_card_id)
      return "Beispiel: Jeder passende Verkauf gibt diese Stempel zusätzlich zu denen der Karte.";
    if (voucher_id) return "Beispiel: Jeder passende Verkauf gibt dem Mitglied einen dieser Gutscheine.";
    if (multiply)
      return `Beispiel: Ein Verkauf, der nach dem Programm 10 Punkte gibt, gibt ${wholeText(Math.floor(multiply / 10))}.`;
    if (!points) return "Geben Sie an, was sie gibt.";
    return per === "unit"
      ? `Beispiel: Drei Stück in einem Verkauf geben ${wholeText(3 * points)} Punkte mehr.`
      : `Beispiel: Ein Verkauf, der nach dem Programm 10 Punkte gibt, gibt ${wholeText(10 + points)}.`;
  },
  factors: { 200: "Doppelte Punkte", 300: "Dreifache Punkte" },
  times: (factor) => `${factor} × Punkte`,
  fixed: (points) => pointsOf(points),
  stamps: (stamps, card) => `${wholeText(stamps)} Stempel mehr auf ${card}`,
  voucher: (name) => `Der Gutschein ${name}`,
  eachUnit: (points) => `${pointsOf(points)} je Stück`,
  from: (day) => `ab ${day}`,
  until: (day) => `bis ${day}`,
  to: (first, last) => `${first}–${last}`,
  leastAmount: (amount) => `ab ${amount}`,
  leastQuantity: (count) => `ab ${wholeText(count)} Stück`,
  members: {
    any: () => "",
    first_sale: () => "erster Einkauf",
    new: (days) => `seit höchstens ${countedText(days, "Tag", "Tagen")} Mitglied`,
    returning: (days) => `seit ${countedText(days, "Tag", "Tagen")} nichts gekauft`,
    birthday: (days) => `Geburtstag ± ${countedText(days, "Tag", "Tage")}`,
  },
  mostPerMember: (count) => `höchstens ${count} × je Mitglied`,
  mostPerDay: (count) => `höchstens ${count} × am Tag je Mitglied`,
  budget: (points) => `insgesamt höchstens ${pointsOf(points)}`,
  exclusive: "nur wenn sie mehr gibt als alle anderen zusammen",
};
