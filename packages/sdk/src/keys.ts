/** The idempotency key of a sale at a till. */

/** What identifies a receipt of a till, over all days and all tills of the integration. */
export interface Receipt {
  /** The number of the location, if tills of several locations have the same names. */
  readonly location?: string | number | undefined;
  readonly till: string | number;
  /** The business day of the receipt, YYYY-MM-DD. It is not the day on which the sale is sent. */
  readonly day: string;
  /** The number on the receipt. It may restart each day and at each till. */
  readonly receipt: string | number;
}

const longestKey = 255;

/**
 * Makes the `idempotency_key` of a sale: the same for each retry of it, and another one for each other sale.
 * `saleKey({ till: 1, day: "2026-04-17", receipt: "000812" })` is `sale/2026-04-17/1/000812`. A refund has a receipt of
 * its own, so make its key of that. Further writes of one receipt need keys of their own, such as `${key}/points`.
 * @throws TypeError if a part is missing, or the day is none
 */
export function saleKey({ location, till, day, receipt }: Receipt): string {
  // Without a check, the till would send `undefined` as its day and lose the sales of the next one.
  if (typeof day !== "string" || !isDay(day)) throw new TypeError("day must be a day: YYYY-MM-DD");
  const place =
    location === undefined ? part("till", till) : `${part("location", location)}:${part("till", till)}`;
  const key = `sale/${day}/${place}/${part("receipt", receipt)}`;
  if (key.length > longestKey) throw new TypeError(`the key would be longer than ${longestKey} characters`);
  return key;
}

function isDay(text: string): boolean {
  const date = /^\d{4}-\d\d-\d\d$/.test(text) ? new Date(`${text}T00:00:00Z`) : undefined;
  return date !== undefined && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

/** Escapes what separates parts, so that two receipts never get the same key. */
function part(name: string, value: unknown): string {
  const isNumber = typeof value === "number" && Number.isSafeInteger(value);
  if (!isNumber && (typeof value !== "string" || value.trim() === ""))
    throw new TypeError(`${name} must be a text that is not empty, or an integer`);
  return encodeURIComponent(String(value));
}
