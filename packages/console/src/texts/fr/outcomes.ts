import { countedText, wholeText } from "../decimals.ts";
import type { outcomes as english } from "../en/outcomes.ts";
import type { Texts } from "../languages.ts";

type Money = (amount: number) => string;
type Balances = Readonly<Record<"wallet" | "points" | "vouchers", number>>;

const pointsOf = (count: number) => countedText(count, "point", "points");
const membersOf = (count: number) => countedText(count, "membre", "membres");
const balances = ({ wallet, points, vouchers }: Balances, money: Money) =>
  `${pointsOf(points)}, une cagnotte de ${money(wallet)} et des bons d'achat de ${money(vouchers)}`;

/** What the form of an operation comes to. */
export const outcomes: Texts<typeof english> = {
  member: "le membre",
  points: (name, points) => `Ensuite, ${name} aura ${pointsOf(points)}.`,
  wallet: (name, amount, bonus) =>
    `Ensuite, ${name} aura ${amount} dans la cagnotte${bonus ? `, avec le bonus de ${bonus}` : ""}.`,
  bought: (name, voucher, points) =>
    `Ensuite, ${name} aura le bon d'achat ${voucher} et ${pointsOf(points)}.`,
  getsVoucher: (name, voucher) => `${name} reçoit le bon d'achat ${voucher}.`,
  usesVoucher: (name, voucher) => `${name} utilise maintenant le bon d'achat ${voucher}.`,
  backInWallet: (name, amount) => `${name} récupère ${amount} dans la cagnotte.`,
  topupTaken: (name, amount) =>
    `Le rechargement de ${amount} est retiré de la cagnotte de ${name}, avec son bonus.`,
  pointsBack: (name, points) => `${name} récupère ${pointsOf(points)}.`,
  voucherBack: (name, voucher) => `${name} récupère le bon d'achat ${voucher}.`,
  getsTier: (name, tier) => `Ensuite, ${name} aura le palier ${tier}.`,
  refund: (amount, receipt) => `Rembourser ${amount ?? "des articles"} du ticket ${receipt}`,
  taken: (points) => `${countedText(points, "point repris", "points repris")}`,
  given: (points) => `${countedText(points, "point rendu", "points rendus")}`,
  keeps: (name, points) => `${name} garde ${wholeText(points)}`,
  merged: (name, both, money) => `Ensuite, ${name} aura ${balances(both, money)}.`,
  erased: (name, lost, money) => `${name} perd ${balances(lost, money)}.`,
  extended: (points) => `Ensuite, ${pointsOf(points)} de tous les membres sont valables plus longtemps.`,
  remaining: (sales) => `Recommencez pour ${countedText(sales, "autre vente", "autres ventes")}.`,
  given_to: (count, points) =>
    points > 0
      ? `${membersOf(count)} : ${pointsOf(points)} en tout.`
      : `${membersOf(count)} : un bon d'achat chacun.`,
  worth: (amount) => (amount === null ? "Sa valeur dépend de la vente." : `Cela vaut au plus ${amount}.`),
};
