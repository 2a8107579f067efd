/** Amounts of money in files, and the form in which a file writes them. */
import {
  amountReadings,
  type DecimalSign,
  decimalSignOf,
  decimalSigns,
  majorText,
  numberIn,
  readAmount,
} from "../../domain/amount-text.ts";
import type { AmountUnit } from "../../domain/imports/jobs.ts";
import type { Column, Problem, Value, Writing } from "../writing.ts";

/** Spreadsheets put a ' before digits to keep them as text. */
const withoutApostrophe = (text: string) => text.replace(/^'(?=-?\d)/, "");

export function wholeNumber(text: string): Value {
  // Spreadsheets write 12.0 or 12.00.
  const [, digits] = /^(-?(?:0|[1-9]\d*))(?:[.,]00?)?$/.exec(withoutApostrophe(text)) ?? [];
  if (digits === undefined) return { problem: "must be a whole number" };
  const number = Number(digits);
  return Number.isSafeInteger(number) ? number : { problem: "is too large" };
}

/** A quantity, which can have decimals. */
export function decimalNumber(text: string): Value {
  const number = Number(text.replace(",", "."));
  return Number.isFinite(number) ? number : { problem: "must be a number" };
}

/** Some systems have fractions of points. Three digits can be thousands. */
export const fractionOfPoints = /(?<=\d)[.,]\d{1,2}$/;

/** Makes the function that reads points. They are whole, so fractions are left away. The survey says so. */
export function pointsReader({ pointsSign }: Writing): Column["read"] {
  const wholeIn = (text: string, sign: DecimalSign) =>
    readAmount(text.replace(sign === "." ? /\.\d+$/ : /,\d+$/, ""), 0, sign);
  return (text) => {
    const number = withoutApostrophe(text);
    if (pointsSign !== undefined) return wholeIn(number, pointsSign) ?? wholeNumber(number);
    const whole = wholeNumber(number.replace(fractionOfPoints, ""));
    const readings = decimalSigns.map((sign) => ({ sign, amount: wholeIn(number, sign) }));
    const [one, other] = readings.map(({ amount }) => amount);
    if (one !== undefined && one === other) return one;
    if (typeof whole === "number" || one === undefined || other === undefined) return whole;
    return notClear(text, readings as { sign: DecimalSign; amount: number }[], 0);
  };
}

function minorUnits(text: string): Value {
  if (!/^-?\d+\.\d+$/.test(withoutApostrophe(text))) return wholeNumber(text);
  return { problem: "must be a whole number of minor units (amount_unit major reads amounts such as 12.50)" };
}

/** Makes the function that reads amounts of a file. */
export function amountReader({ decimals, decimalSign, currency = "" }: Writing): Column["read"] {
  if (decimals === undefined) return minorUnits;
  const isCurrency = signsOf(currency);
  const other = `is in another currency than ${currency}`;
  return (text) => {
    const number = numberIn(text, isCurrency);
    if (number === undefined) return { problem: `${other}: ${text}`, kind: other };
    return readAmount(number, decimals, decimalSign) ?? noAmount(number, decimals, decimalSign);
  };
}

/** What people write besides the code and the signs of a currency. */
const spoken: Readonly<Record<string, readonly string[]>> = {
  EUR: ["EURO", "EUROS"],
  CHF: ["FR", "SFR"],
  INR: ["RS"],
  JPY: ["円"],
  CNY: ["元", "RMB"],
  KRW: ["원"],
};

/** The function that knows the code and the signs of a currency: EUR and €, or MXN, MX$ and $. */
function signsOf(currency: string): (sign: string) => boolean {
  if (currency === "") return () => false;
  const signs = (["symbol", "narrowSymbol"] as const).map((currencyDisplay) =>
    new Intl.NumberFormat("en", { style: "currency", currency, currencyDisplay })
      .formatToParts(0)
      .find(({ type }) => type === "currency")
      ?.value.toUpperCase(),
  );
  const known = new Set([
    currency,
    ...signs,
    `${currency.slice(0, 2)}${signs[1]}`,
    ...(spoken[currency] ?? []),
  ]);
  return (sign) => [sign, sign.replace(/\.$/, "")].some((one) => known.has(one.toUpperCase()));
}

const languages = ["en", "de", "es", "fr", "it", "pt"];

/** Makes the function that reads the currency of a line, which must be that of the business. */
export function currencyReader({ currency = "" }: Writing): Column["read"] {
  const isSign = signsOf(currency);
  const names = languages.flatMap((language) =>
    [1, 2].map((count) =>
      new Intl.NumberFormat(language, {
        style: "currency",
        currency: currency || "XXX",
        currencyDisplay: "name",
      })
        .formatToParts(count)
        .find(({ type }) => type === "currency")
        ?.value.toLowerCase(),
    ),
  );
  return (text) => {
    if (currency === "" || isSign(text) || names.includes(text.toLowerCase())) return text;
    const shown = text.length > 20 ? `${text.slice(0, 20)}…` : text;
    return {
      problem: `is ${shown}, and the currency of the business is ${currency}. If the amounts are in ${currency}, leave currency out in columns`,
    };
  };
}

/** Why a text is no amount. If it can be one in a form that was not said, both are shown. */
function noAmount(text: string, decimals: number, decimalSign: DecimalSign | undefined): Problem {
  const fraction = "50".padEnd(decimals, "0").slice(0, decimals);
  // Of 12.500, it is not clear what it is.
  const example = decimals === 0 ? "12" : `${decimals === 3 ? 1234 : 12}${decimalSign ?? "."}${fraction}`;
  const readings = decimalSign === undefined ? amountReadings(text, decimals) : [];
  if (readings.length === 0) {
    const isLarge = /^-?\d{14,}(?:[.,]\d+)?$/.test(text);
    return { problem: isLarge ? "is too large" : `must be an amount such as ${example}` };
  }
  return notClear(text, readings, decimals);
}

/** A text that has two meanings, with both. */
function notClear(text: string, readings: ReturnType<typeof amountReadings>, decimals: number): Problem {
  const meanings = readings.map(
    ({ sign, amount }) => `${majorText(amount, decimals)} with decimal "${sign}"`,
  );
  const options = readings.map(({ sign }) => `decimal "${sign}"`).join(" or ");
  return {
    problem: `is not clear: ${text} is ${meanings.join(" or ")}`,
    kind: `can be read in two ways: say ${options}`,
  };
}

/** Finds the form in which a file writes its amounts, from all of them. It keeps one text for each form. */
export class FormOfNumbers {
  readonly #seen = new Map<DecimalSign, string>();
  /** Amounts such as 12.50 or € 12, and those such as 1250. Zeros tell nothing. */
  readonly #written = { major: 0, plain: 0 };
  readonly #first: { -readonly [Each in "major" | "plain"]?: string } = {};
  readonly #isCurrency: (sign: string) => boolean;
  readonly #decimals: number;

  constructor({ decimals, currency }: { readonly decimals: number; readonly currency: string }) {
    this.#isCurrency = signsOf(currency);
    this.#decimals = decimals;
  }

  add(text: string, line: number): void {
    if (/^'?-?0+$/.test(text)) return;
    const form = /^'?[-+]?\d+-?$/.test(text) ? "plain" : "major";
    this.#written[form] += 1;
    this.#first[form] ??= `${text} in line ${line}`;
    if (this.#seen.size === decimalSigns.length) return;
    const sign = decimalSignOf(numberIn(text, this.#isCurrency) ?? "", this.#decimals);
    if (sign !== undefined && !this.#seen.has(sign)) this.#seen.set(sign, `${text} in line ${line}`);
  }

  /** The sign before decimals; undefined if no amount tells, or some tell one and some the other. */
  get sign(): DecimalSign | undefined {
    return this.#seen.size === 1 ? [...this.#seen.keys()][0] : undefined;
  }

  /** For numbers that are whole: what groups their thousands, for people; undefined if nothing does. */
  get groupingText(): string | undefined {
    const where = this.sign && this.#seen.get(this.sign);
    const group = this.sign === "." ? "," : ".";
    return where?.includes(group) ? `Points have "${group}" between thousands (${where}).` : undefined;
  }

  /** Major units if most amounts have decimals. Some can be mistakes, and must not multiply the others by a hundred. */
  get unit(): AmountUnit | undefined {
    const { major, plain } = this.#written;
    return this.#decimals === 0 || plain === 0 || major > plain ? "major" : undefined;
  }

  /** What the unit is, for people; undefined if all amounts are alike. */
  get unitText(): string | undefined {
    const { major, plain } = this.#first;
    if (major === undefined || plain === undefined || this.unit === undefined || this.#decimals === 0)
      return undefined;
    return `Amounts are in major units, also those without decimals (${plain}), because most are written like ${major}.`;
  }

  /** What is not clear without a unit. */
  unitProblem(currency: string): string {
    const amount = Number(/\d+/.exec(this.#first.plain ?? "")?.[0]);
    const [major, minor] = [amount * 10 ** this.#decimals, amount].map((one) =>
      majorText(one, this.#decimals),
    );
    return `It is not clear what amounts such as ${this.#first.plain} mean: for ${major} ${currency} say amount_unit major, for ${minor} ${currency} say amount_unit minor.`;
  }

  /** What was found, for people; undefined if no amount tells. */
  get text(): string | undefined {
    const found = [...this.#seen].map(([sign, where]) => `"${sign}" before their decimals (${where})`);
    if (found.length === 0) return undefined;
    return found.length === 1 ? `Amounts have ${found[0]}.` : `Some amounts have ${found.join(", some ")}.`;
  }
}
