/** What the form of an operation comes to. */
import { countedText, wholeText } from "../decimals.ts";

type Money = (amount: number) => string;
type Balances = Readonly<Record<"wallet" | "points" | "vouchers", number>>;

const pointsOf = (count: number) => countedText(count, "point", "points");
const membersOf = (count: number) => countedText(count, "member", "members");
const balances = ({ wallet, points, vouchers }: Balances, money: Money) =>
  `${pointsOf(points)}, ${money(wallet)} in the wallet and vouchers of ${money(vouchers)}`;

export const outcomes = {
  member: "the member",
  points: (name: string, points: number) => `Afterwards, ${name} has ${pointsOf(points)}.`,
  wallet: (name: string, amount: string, bonus?: string) =>
    `Afterwards, ${name} has ${amount} in the wallet${bonus ? `, with the bonus of ${bonus}` : ""}.`,
  bought: (name: string, voucher: string, points: number) =>
    `Afterwards, ${name} has the voucher ${voucher} and ${pointsOf(points)}.`,
  getsVoucher: (name: string, voucher: string) => `${name} gets the voucher ${voucher}.`,
  usesVoucher: (name: string, voucher: string) => `${name} uses the voucher ${voucher} now.`,
  backInWallet: (name: string, amount: string) => `${name} gets ${amount} back in the wallet.`,
  topupTaken: (name: string, amount: string) =>
    `The top-up of ${amount} is taken from the wallet of ${name}, with its bonus.`,
  pointsBack: (name: string, points: number) => `${name} gets ${pointsOf(points)} back.`,
  voucherBack: (name: string, voucher: string) => `${name} gets the voucher ${voucher} back.`,
  getsTier: (name: string, tier: string) => `Afterwards, ${name} has the tier ${tier}.`,
  refund: (amount: string | undefined, receipt: string) =>
    `Refund ${amount ?? "the chosen articles"} of receipt ${receipt}`,
  taken: (points: number) => `${pointsOf(points)} taken back`,
  given: (points: number) => `${pointsOf(points)} given back`,
  keeps: (name: string, points: number) => `${name} keeps ${wholeText(points)}`,
  merged: (name: string, both: Balances, money: Money) => `Afterwards, ${name} has ${balances(both, money)}.`,
  erased: (name: string, lost: Balances, money: Money) => `${name} loses ${balances(lost, money)}.`,
  extended: (points: number) => `${pointsOf(points)} of all members are valid for longer.`,
  remaining: (sales: number) => `Do this again for ${countedText(sales, "more sale", "more sales")}.`,
  given_to: (count: number, points: number) =>
    points > 0
      ? `For ${membersOf(count)}: ${pointsOf(points)} together.`
      : `For ${membersOf(count)}: a voucher each.`,
  worth: (amount: string | null) =>
    amount === null ? "Its worth depends on the sale." : `At most, that is worth ${amount}.`,
} as const;
