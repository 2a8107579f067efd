/**
 * Reads amounts of money that people write in major units, exactly. A dot or a comma can stand before the decimals or group
 * thousands: 12.500 is 12.50 or 12,500.00. The console reads its forms by the same rules.
 */

export const decimalSigns = [".", ","] as const;
export type DecimalSign = (typeof decimalSigns)[number];

interface Reading {
  /** In minor units. */
  readonly amount: number;
  /** How many digits follow the sign of the decimals; 0 without it. */
  readonly places: number;
}

/** Three digits behind the only sign: decimals, or thousands. */
const isUnclear = (text: string) => /^-?[1-9]\d{0,2}[.,]\d{3}$/.test(text);

const forms: Readonly<Record<DecimalSign, RegExp>> = {
  ".": /^(-?)(\d+|[1-9]\d{0,2}(?:,\d{3})+)(?:\.(\d+))?$/,
  ",": /^(-?)(\d+|[1-9]\d{0,2}(?:\.\d{3})+)(?:,(\d+))?$/,
};

/**
 * @param decimals of the currency
 * @param sign the one that stands before decimals; the other one groups thousands
 * @returns undefined for a text that is no such amount, or has more decimals than the currency besides zeros
 */
function readingOf(text: string, decimals: number, sign: DecimalSign): Reading | undefined {
  const match = forms[sign].exec(text);
  if (match === null) return undefined;
  const [, minus = "", whole = "", fraction = ""] = match;
  const kept = fraction.replace(/0+$/, "");
  if (kept.length > decimals) return undefined;
  const amount = Number(minus + whole.replace(/[.,]/g, "") + kept.padEnd(decimals, "0"));
  // A zero has no sign.
  return Number.isSafeInteger(amount) ? { amount: amount + 0, places: fraction.length } : undefined;
}

/** The values that a text can mean, by the sign that stands before its decimals. */
export function amountReadings(text: string, decimals: number): { sign: DecimalSign; amount: number }[] {
  return decimalSigns.flatMap((sign) => {
    const reading = readingOf(text, decimals, sign);
    return reading === undefined ? [] : { sign, amount: reading.amount };
  });
}

/**
 * Reads an amount in minor units. Without a sign, the text must have one meaning only, and all decimals of the currency or none.
 * @param sign the one that stands before decimals, if that is known
 * @returns undefined for a text that is no amount, or is not clear
 */
export function readAmount(text: string, decimals: number, sign?: DecimalSign): number | undefined {
  if (sign !== undefined) return readingOf(text, decimals, sign)?.amount;
  if (isUnclear(text)) return undefined;
  const [first, ...others] = decimalSigns.flatMap((one) => {
    const reading = readingOf(text, decimals, one);
    return reading && (reading.places === 0 || reading.places === decimals) ? reading.amount : [];
  });
  return others.every((amount) => amount === first) ? first : undefined;
}

/** Reads an amount in a form whose own decimals have a dot, such as 1,234.50; other texts must be clear. */
export function readTypedAmount(text: string, decimals: number): number | undefined {
  const own = readingOf(text, decimals, ".");
  const isOwn = own !== undefined && own.places <= decimals && (own.places > 0 || decimals === 0);
  return isOwn ? own.amount : readAmount(text, decimals);
}
