import type * as english from "../en/rewards.ts";
import type { Texts } from "../languages.ts";

/** Texts of the pages about what members can get besides points of sales. Only these pages load them. */
export const occasionTexts: Texts<typeof english.occasionTexts> = {
  title: "Anlässe",
  explanation:
    "Mitglieder bekommen Punkte oder einen Gutschein zum Geburtstag, zum Jahrestag ihres Beitritts oder einige Tage nach ihrem letzten Einkauf: einmal im Jahr, ab sechs Uhr morgens. Was es zum Beitritt oder zu einer Stufe gibt, bekommen sie sofort.",
  empty: "Es gibt noch keine Anlässe. Zum Beispiel: 100 Punkte zum Geburtstag.",
};

export const referralTexts: Texts<typeof english.referralTexts> = {
  title: "Empfehlungen",
  explanation:
    "Wer wen geworben hat. Was jede Seite bekommt, richten Sie als zwei Anlässe ein, „Wurde von einem Mitglied geworben“ und „Hat ein Mitglied geworben“. Den Mindestbetrag und die Tage legen Sie in den Regeln fest.",
  empty: "Noch hat kein Mitglied ein anderes geworben.",
};

export const voucherTexts: Texts<typeof english.voucherTexts> = {
  title: "Gutscheine",
  kinds: {
    percent: (percent, of) => `${percent} %${of && ` auf ${of}`}`,
    item: (_, of) => `Ein Stück: ${of}`,
  },
  explanation:
    "Was Mitglieder bekommen und womit sie bezahlen können. Geben Sie einen auf der Seite des Mitglieds aus, oder lassen Sie ihn durch Stempelkarten und Aktionen vergeben.",
  sample: "Beispiel: ein Gratis-Kaffee",
  first: { campaign_name: "Gratis-Kaffee", coupon_code: "GRATIS", kind: "item", categories: ["Kaffee"] },
  archive: "Archivieren",
  restore: "Wieder verwenden",
  file: "Gutscheine der Mitglieder als CSV",
  codesFile: "Codes als CSV",
  empty: "Es gibt noch keine Gutscheine.",
};

export const topupTexts: Texts<typeof english.topupTexts> = {
  title: "Aufladungen",
  explanation:
    "Der Bonus, den Mitglieder beim Aufladen ihres Guthabens bekommen. Ein beendeter Bonus ist inaktiv.",
  empty: "Es gibt noch keinen Bonus für Aufladungen.",
};
