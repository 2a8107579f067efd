import { dayText } from "../dates.ts";

/** The texts about cards. Only their pages load them. */
export const cardTexts = {
  title: "Cards",
  explanation:
    "Codes by which a till finds members, anonymous cards, and gift cards. Print the saved page in its full size, such as on card stock.",
  empty: "There are no cards yet. Issue a gift card, or add a card on the page of a member.",
  noneFound: "No card has this code or state.",
  ofMember: "The member has no card.",
  print: "Save cards to print",
  vouchers: "Vouchers",
  printVouchers: "Save vouchers to print",
  printedVoucher: (
    { campaign_name, coupon_value, valid_through: day }: PrintedVoucher,
    name: string,
    money: (amount: number) => string,
  ) => [
    name,
    campaign_name,
    ...(coupon_value > 0 ? [money(coupon_value)] : []),
    ...(day ? [`Valid through ${dayText(day)}`] : []),
  ],
  /** The lines of a printed card. The money of a card that a person has claimed is not the card's any more. */
  printed: (
    { kind, wallet, valid_through: day }: PrintedCard,
    name: string,
    money: (amount: number) => string,
  ) => [
    name,
    ...(kind === "gift" && wallet ? [`Gift card ${money(wallet)}`] : []),
    ...(day ? [`Valid through ${dayText(day)}`] : []),
  ],
} as const;

export type PrintedVoucher = Readonly<Record<"campaign_name" | "coupon_code" | "status", string>> &
  Readonly<{ coupon_value: number; valid_through: string | null }>;

export type PrintedCard = Readonly<{ card_code: string; kind: string; status: string }> &
  Readonly<{ wallet?: number | null; valid_through?: string | null }>;

/** The texts of the page on which the pages of members and their passes are set up. */
export const memberPageTexts = {
  title: "Member's page and wallets",
  explanation:
    "Each member has a page for the phone, with the card to scan, points, vouchers and stamps. From there, members add a pass to the wallet of the phone, once it is set up here.",
  open: "See the page of a member",
  look: "Logo and colour",
  removeLogo: "Remove the logo",
  color: "Change the colour",
  guide: "How to get a certificate and a key",
  preview: "Preview with example values: each phone lays a pass out in its own way",
  exampleTier: "Gold",
  apple: "Apple Wallet",
  google: "Google Wallet",
} as const;
