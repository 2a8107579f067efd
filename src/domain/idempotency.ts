/** The text by which requests with the same idempotency key are compared, and the response that is stored under the key. */

type Body = Readonly<Record<string, unknown>>;

/**
 * The canonical JSON of a parsed value (RFC 8785): members sorted by UTF-16 code units, no white space.
 * @param value what JSON.parse returns, without infinite numbers, such as 1e999
 */
export function canonicalJson(value: unknown): string {
  if (typeof value === "number") return String(value);
  if (typeof value === "string") return quotedText(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (!Array.isArray(value)) return canonicalObject(value as Body);
  let text = "";
  for (const item of value) text += `,${canonicalJson(item)}`;
  return `[${text.slice(1)}]`;
}

/** Printable ASCII without quotation mark and backslash. */
const unescaped = /^[ !#-[\]-~]*$/;

// Most texts need no escapes. A sale with five lines has 25 of them, which takes 8 µs with JSON.stringify, and 2 µs so.
const quotedText = (text: string) => (unescaped.test(text) ? `"${text}"` : JSON.stringify(text));

/** @param without the name of a member that is left out */
function canonicalObject(value: Body, without?: string): string {
  let text = "";
  // By default, sort compares UTF-16 code units.
  for (const name of Object.keys(value).sort()) {
    if (name !== without) text += `,${quotedText(name)}:${canonicalJson(value[name])}`;
  }
  return `{${text.slice(1)}}`;
}

/** The operation and its body without the key. It may contain a password, so only its keyed hash is stored. */
export function payloadOf(path: string, body: Body): string {
  return `${path}\n${canonicalObject(body, "idempotency_key")}`;
}

/** How many days after a sale a till that was offline may record it. */
export const latestRecordingDays = 31;

/**
 * How many days the response of a key is kept. A till may send a sale again as long as it may record it. That is up to a day more
 * than `latestRecordingDays`, because the first and the last day both count in full. Another day allows for clocks that differ.
 */
export const keyDays = { minimum: latestRecordingDays + 2, default: 40 };

/** The part of a fingerprint that identifies the secret, in hex. The rest is the keyed hash. */
export const secretIdLength = 8;

/** Whether two fingerprints are of the same secret, so that they tell whether their payloads are equal. */
export const isComparable = (one: string, other: string) =>
  one.slice(0, secretIdLength) === other.slice(0, secretIdLength);

/** A replay after so many hours is noted. Tills retry sooner, and receipts that restart each day come later. */
export const lateReplayHours = 12;

/** The response of the first successful request with a key. */
export interface StoredResponse {
  /** Hex of the keyed hash of the payload. */
  readonly fingerprint: string;
  readonly status: number;
  readonly body: string;
  /** Whether it was stored more than `lateReplayHours` ago. */
  readonly late?: boolean;
}
