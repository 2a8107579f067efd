/**
 * Reads and writes amounts of money in major units, exactly. A dot or a comma can stand before the decimals or group
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

/** Blanks and apostrophes can only group thousands. In India, only the last three digits are together: 1,00,000. */
const forms: Readonly<Record<DecimalSign, RegExp>> = {
  ".": /^(?<minus>-?)(?<whole>\d+|[1-9]\d{0,2}(?<group>[,\s'’])\d{3}(?:\k<group>\d{3})*|[1-9]\d?(?:,\d\d)+,\d{3})(?:\.(?<fraction>\d+))?$/,
  ",": /^(?<minus>-?)(?<whole>\d+|[1-9]\d{0,2}(?<group>[.\s'’])\d{3}(?:\k<group>\d{3})*)(?:,(?<fraction>\d+))?$/,
};

/**
 * @param decimals of the currency
 * @param sign the one that stands before decimals; the other one groups thousands
 * @returns undefined for a text that is no such amount, or has more decimals than the currency besides zeros
 */
function readingOf(text: string, decimals: number, sign: DecimalSign): Reading | undefined {
  const match = forms[sign].exec(text);
  if (match === null) return undefined;
  const { minus = "", whole = "", fraction = "" } = match.groups ?? {};
  const kept = fraction.replace(/0+$/, "");
  if (kept.length > decimals) return undefined;
  const amount = Number(minus + whole.replace(/\D/g, "") + kept.padEnd(decimals, "0"));
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

/**
 * The sign that must stand before the decimals, by one amount: both signs are in it, or one of them can only group thousands.
 * @returns undefined for a text that does not tell
 */
export function decimalSignOf(text: string, decimals: number): DecimalSign | undefined {
  if (!/[.,]/.test(text)) return undefined;
  // A currency without decimals has no fraction but zeros.
  const fits = (sign: DecimalSign) =>
    decimals === 0 && isUnclear(text) ? readingOf(text, 0, sign) !== undefined : forms[sign].test(text);
  const [first, ...others] = decimalSigns.filter(fits);
  return others.length === 0 ? first : undefined;
}

/** A sign or a code of a currency, as people write it beside an amount. */
const money = String.raw`\p{L}{0,3}\p{Sc}|\p{L}{1,5}(?:/|\.)?`;
const amountPattern = new RegExp(
  `^(?<sign>[-−+]\\s*)?(?<before>${money})?\\s*(?<inner>[-−+]\\s*)?(?<number>[.,]?\\d(?:.*\\d)?)\\s*(?<after>${money})?\\s*(?<end>[-−])?$`,
  "u",
);

/** "5.-" and "5,–" have no cents. */
const withoutCents = /(?<=\d)[.,][-–—]{1,2}(?=\s|$)/;

/** No amount is longer. The patterns would take long for a cell of a megabyte. */
const longestAmount = 100;

/**
 * The number in an amount as shops write it: 5.00 in "$5.00", -19.99 in "(19.99)" and "19.99-", 0.50 in "+.50", 5 in "5.-".
 * @param isCurrency whether a sign or a code is that of the currency
 * @returns the text itself if it has another form, and undefined for an amount in another currency
 */
export function numberIn(text: string, isCurrency: (sign: string) => boolean): string | undefined {
  if (text.length > longestAmount) return text;
  const marked = (/^'(.+)$/s.exec(text)?.[1] ?? text).replace(withoutCents, "");
  const bracketed = /^\(\s*(.+?)\s*\)$/s.exec(marked)?.[1];
  const {
    sign,
    before,
    inner,
    number = "",
    after,
    end,
  } = amountPattern.exec(bracketed ?? marked)?.groups ?? {};
  const ofAmount = [bracketed && "-", sign, inner, end].filter((one) => one !== undefined);
  const signs = [before, after].filter((one) => one !== undefined);
  if (number === "" || ofAmount.length > 1 || signs.length > 1) return text;
  const other = signs.find((sign) => !isCurrency(sign));
  if (other !== undefined) return /^[A-Z]{3}$|\p{Sc}/u.test(other) ? undefined : text;
  const isNegative = ofAmount.some((one) => !one.startsWith("+"));
  return (isNegative ? "-" : "") + number.replace(/^(?=[.,])/, "0");
}

/** Reads an amount in a form that has a sign of its own before decimals, such as 1,234.50; other texts must be clear. */
export function readTypedAmount(text: string, decimals: number, sign: DecimalSign): number | undefined {
  const own = readingOf(text, decimals, sign);
  const isOwn = own !== undefined && own.places <= decimals && (own.places > 0 || decimals === 0);
  return isOwn ? own.amount : readAmount(text, decimals);
}

/** The currency of a business, with the decimals of its amounts. */
export interface Currency {
  readonly currency: string;
  readonly currency_decimals: number;
}

/** Writes an amount in minor units with its currency: 1,250.00 EUR. */
export const moneyText = (amount: bigint | number, { currency, currency_decimals }: Currency): string =>
  `${majorText(amount, currency_decimals)} ${currency}`;

/** Writes an amount in minor units as people do: 125000 is 1,250.00. */
export function majorText(amount: bigint | number, decimals: number): string {
  const sign = amount < 0 ? "-" : "";
  const digits = String(amount)
    .replace("-", "")
    .padStart(decimals + 1, "0");
  const whole = sign + BigInt(digits.slice(0, digits.length - decimals)).toLocaleString("en-US");
  return decimals === 0 ? whole : `${whole}.${digits.slice(-decimals)}`;
}
