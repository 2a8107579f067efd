import { dayText } from "../dates.ts";
import type { cardTexts as english, memberPageTexts as englishPage } from "../en/cards.ts";
import type { Texts } from "../languages.ts";

/** The texts about cards. Only their pages load them. */
export const cardTexts: Texts<typeof english> = {
  title: "Karten",
  explanation:
    "Codes, an denen eine Kasse Mitglieder erkennt, anonyme Karten und Geschenkkarten. Drucken Sie die gespeicherte Seite in voller Größe, z. B. auf Karton.",
  empty:
    "Es gibt noch keine Karten. Geben Sie eine Geschenkkarte aus, oder fügen Sie auf der Seite eines Mitglieds eine Karte hinzu.",
  noneFound: "Keine Karte hat diesen Code oder Status.",
  ofMember: "Das Mitglied hat keine Karte.",
  print: "Karten zum Drucken speichern",
  vouchers: "Gutscheine",
  printVouchers: "Gutscheine zum Drucken speichern",
  printedVoucher: ({ campaign_name, coupon_value, valid_through: day }, name, money) => [
    name,
    campaign_name,
    ...(coupon_value > 0 ? [money(coupon_value)] : []),
    ...(day ? [`Gültig bis ${dayText(day)}`] : []),
  ],
  printed: ({ kind, wallet, valid_through: day }, name, money) => [
    name,
    ...(kind === "gift" && wallet ? [`Geschenkkarte ${money(wallet)}`] : []),
    ...(day ? [`Gültig bis ${dayText(day)}`] : []),
  ],
};

export const memberPageTexts: Texts<typeof englishPage> = {
  title: "Mitgliederseite und Wallets",
  explanation:
    "Jedes Mitglied hat eine Seite für das Telefon: mit der Karte zum Scannen, Punkten, Gutscheinen und Stempeln. Von dort fügen Mitglieder einen Pass zur Wallet des Telefons hinzu, sobald sie hier eingerichtet ist.",
  open: "Seite eines Mitglieds ansehen",
  look: "Logo und Farbe",
  removeLogo: "Logo entfernen",
  color: "Farbe ändern",
  guide: "So bekommen Sie ein Zertifikat und einen Schlüssel",
  preview: "Vorschau mit Beispielwerten: jedes Telefon ordnet einen Pass auf seine Art an",
  exampleTier: "Goldstufe",
  apple: "Apple Wallet",
  google: "Google Wallet",
};
