import { countedText, wholeText } from "../decimals.ts";
import type { outcomes as english } from "../en/outcomes.ts";
import type { Texts } from "../languages.ts";

type Money = (amount: number) => string;
type Balances = Readonly<Record<"wallet" | "points" | "vouchers", number>>;

const pointsOf = (count: number) => countedText(count, "Punkt", "Punkte");
const get = (count: number) => countedText(count, "Mitglied bekommt", "Mitglieder bekommen");
const balances = ({ wallet, points, vouchers }: Balances, money: Money) =>
  `${pointsOf(points)}, Guthaben ${money(wallet)} und Gutscheine über ${money(vouchers)}`;

/** What the form of an operation comes to. */
export const outcomes: Texts<typeof english> = {
  member: "das Mitglied",
  points: (name, points) => `Danach hat ${name} ${pointsOf(points)}.`,
  wallet: (name, amount, bonus) =>
    `Danach hat ${name} ein Guthaben von ${amount}${bonus ? `, mit dem Bonus von ${bonus}` : ""}.`,
  bought: (name, voucher, points) => `Danach hat ${name} den Gutschein ${voucher} und ${pointsOf(points)}.`,
  getsVoucher: (name, voucher) => `${name} bekommt den Gutschein ${voucher}.`,
  usesVoucher: (name, voucher) => `${name} verwendet jetzt den Gutschein ${voucher}.`,
  backInWallet: (name, amount) => `${name} bekommt ${amount} Guthaben zurück.`,
  topupTaken: (name, amount) =>
    `Die Aufladung von ${amount} wird mit ihrem Bonus vom Guthaben von ${name} abgezogen.`,
  pointsBack: (name, points) => `${name} bekommt ${pointsOf(points)} zurück.`,
  voucherBack: (name, voucher) => `${name} bekommt den Gutschein ${voucher} zurück.`,
  getsTier: (name, tier) => `Danach hat ${name} die Stufe ${tier}.`,
  refund: (amount, receipt) => `${amount ?? "Artikel"} von Bon ${receipt} erstatten`,
  taken: (points) => `${pointsOf(points)} zurückgenommen`,
  given: (points) => `${pointsOf(points)} zurückgegeben`,
  keeps: (name, points) => `${name} behält ${wholeText(points)}`,
  merged: (name, both, money) => `Danach hat ${name} ${balances(both, money)}.`,
  erased: (name, lost, money) => `${name} verliert ${balances(lost, money)}.`,
  extended: (points) => `Danach länger gültig, für alle Mitglieder zusammen: ${pointsOf(points)}.`,
  remaining: (sales) =>
    `Wiederholen Sie das für ${countedText(sales, "weiteren Verkauf", "weitere Verkäufe")}.`,
  given_to: (count, points) =>
    points > 0 ? `${get(count)} insgesamt ${pointsOf(points)}.` : `${get(count)} je einen Gutschein.`,
  worth: (amount) =>
    amount === null ? "Der Wert hängt vom Verkauf ab." : `Das ist höchstens ${amount} wert.`,
};
