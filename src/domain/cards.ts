/** Cards: a card is a code that names a member. */
import { withoutDirectionMarks } from "./text.ts";

/** The kinds of cards that persons get, and all of them. */
export const personCardKinds = ["app", "plastic"] as const;
export const cardKinds = [...personCardKinds, "gift"] as const;
export type CardKind = (typeof cardKinds)[number];

export const cardStatuses = ["active", "blocked", "replaced"] as const;
export type CardStatus = (typeof cardStatuses)[number];

/** What a member is that is no person: a card of which nobody knows whose it is. A gift card has only money. */
export type Anonymous = "card" | "gift";

/** Whether a member can't get points, stamps and vouchers, and no more money by a top-up. */
export const isMoneyOnly = ({ anonymous }: { readonly anonymous?: Anonymous | null }) => anonymous === "gift";

/** The reason of the entry with which the money of a gift card ends. */
export const giftLapseReason = "The gift card has expired.";

/** A card's code has 16 digits. The last one is a check digit. */
const codeDigits = 16;

/** The lengths of the numbers of a business's own cards, without blanks and hyphens. */
export const ownNumberLength = { least: 6, most: 32 } as const;

/** The form in which codes are stored and compared: without blanks and hyphens, and in capitals. */
export const cardKey = (code: string) =>
  withoutDirectionMarks(code)
    .replace(/[\s\p{Dash_Punctuation}]/gu, "")
    .toUpperCase();

/** Whether a number is one that a card can have: a barcode (Code 128) has its characters. */
export function canBeCardCode(key: string): boolean {
  const { least, most } = ownNumberLength;
  return key.length >= least && key.length <= most && /^[!-~]+$/.test(key);
}

/** The check digit of Luhn, which tells a wrong digit, and most pairs of digits in the wrong order. @param digits those before it */
export function checkDigitOf(digits: string): string {
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return String((10 - (sum % 10)) % 10);
}

/** Whether a code has the length of ours, and another check digit than its digits have. */
export function hasWrongCheckDigit(key: string): boolean {
  if (key.length !== codeDigits || !/^\d+$/.test(key)) return false;
  return checkDigitOf(key.slice(0, -1)) !== key.slice(-1);
}

/**
 * The first digits of our codes. Spreadsheets drop a leading 0, and the numbers of payment cards begin with 2 to 6: programs that
 * look for those would take a code for one.
 */
const firstDigits = "1789";

/** Makes a code. @param random whole numbers from 0 on, one for each digit before the check digit */
export function cardCodeOf(random: readonly number[]): string {
  const [first = 0, ...others] = random;
  const digits = `${firstDigits[first % firstDigits.length]}${others.map((number) => number % 10).join("")}`;
  return `${digits}${checkDigitOf(digits)}`;
}

/** How many random numbers a code needs. */
export const randomDigits = codeDigits - 1;

/** The groups of four in which people read the digits of our codes; other numbers as they are. */
export const readableCode = (code: string) =>
  /^\d{16}$/.test(code) ? code.replace(/\d{4}(?=\d)/g, "$& ") : code;

/** Whether a card can be used, so that it is worth printing. A gift card needs money; without `wallet`, its money is not known. */
export const isUsableCard = ({
  status,
  kind,
  wallet,
}: {
  readonly status: string;
  readonly kind: string;
  readonly wallet?: number | null;
}) => status === "active" && (kind !== "gift" || wallet !== 0);
