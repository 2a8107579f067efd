import { countedText, wholeText } from "../decimals.ts";
import type { outcomes as english } from "../en/outcomes.ts";
import type { Texts } from "../languages.ts";

type Money = (amount: number) => string;
type Balances = Readonly<Record<"wallet" | "points" | "vouchers", number>>;

const pointsOf = (count: number) => countedText(count, "punto", "puntos");
const membersOf = (count: number) => countedText(count, "miembro", "miembros");
const balances = ({ wallet, points, vouchers }: Balances, money: Money) =>
  `${pointsOf(points)}, ${money(wallet)} en el monedero y vales de ${money(vouchers)}`;

/** What the form of an operation comes to. */
export const outcomes: Texts<typeof english> = {
  member: "el miembro",
  points: (name, points) => `Después, ${name} tendrá ${pointsOf(points)}.`,
  wallet: (name, amount, bonus) =>
    `Después, ${name} tendrá ${amount} en el monedero${bonus ? `, con la bonificación de ${bonus}` : ""}.`,
  bought: (name, voucher, points) => `Después, ${name} tendrá el vale ${voucher} y ${pointsOf(points)}.`,
  getsVoucher: (name, voucher) => `${name} recibe el vale ${voucher}.`,
  usesVoucher: (name, voucher) => `${name} usa ahora el vale ${voucher}.`,
  backInWallet: (name, amount) => `${name} recupera ${amount} en el monedero.`,
  topupTaken: (name, amount) =>
    `La recarga de ${amount} se retira del monedero de ${name}, con su bonificación.`,
  pointsBack: (name, points) => `${name} recupera ${pointsOf(points)}.`,
  voucherBack: (name, voucher) => `${name} recupera el vale ${voucher}.`,
  getsTier: (name, tier) => `Después, ${name} tendrá el nivel ${tier}.`,
  refund: (amount, receipt) => `Reembolsar ${amount ?? "artículos"} del tique ${receipt}`,
  taken: (points) => `${countedText(points, "punto retirado", "puntos retirados")}`,
  given: (points) => `${countedText(points, "punto devuelto", "puntos devueltos")}`,
  keeps: (name, points) => `${name} conserva ${wholeText(points)}`,
  merged: (name, both, money) => `Después, ${name} tendrá ${balances(both, money)}.`,
  erased: (name, lost, money) => `${name} pierde ${balances(lost, money)}.`,
  extended: (points) => `Después, ${pointsOf(points)} de todos los miembros valen más tiempo.`,
  remaining: (sales) => `Repítalo para ${countedText(sales, "venta más", "ventas más")}.`,
  given_to: (count, points) =>
    points > 0
      ? `${membersOf(count)}: ${pointsOf(points)} en total.`
      : `${membersOf(count)}: un vale para cada uno.`,
  worth: (amount) => (amount === null ? "Su valor depende de la venta." : `Como máximo, vale ${amount}.`),
};
