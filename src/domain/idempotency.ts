/** The text of a request that its idempotency key is bound to, and the response stored under the key. */

type Body = Readonly<Record<string, unknown>>;

/**
 * The canonical JSON of a parsed value (RFC 8785): members sorted by UTF-16 code units, no white space.
 * @param value what JSON.parse returns, without infinite numbers, such as 1e999
 */
export function canonicalJson(value: unknown): string {
  if (typeof value === "number") return String(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  return canonicalObject(value as Body);
}

/** @param without the name of a member that is left out */
function canonicalObject(value: Body, without?: string): string {
  let text = "";
  // By default, sort compares UTF-16 code units.
  for (const name of Object.keys(value).sort()) {
    if (name !== without) text += `,${JSON.stringify(name)}:${canonicalJson(value[name])}`;
  }
  return `{${text.slice(1)}}`;
}

/**
 * The text that two requests are compared by: the operation and its body without the key. It may contain a password, so
 * only its keyed hash is stored.
 */
export function payloadOf(path: string, body: Body): string {
  return `${path}\n${canonicalObject(body, "idempotency_key")}`;
}

/** How many days after a sale a till that was offline may record it. */
export const latestRecordingDays = 31;

/**
 * How many days the response of a key is kept. A till may send a sale again as long as it may record it: up to a day more than
 * the days between the sale and the recording, because both days count in full. A day is left for clocks that differ.
 */
export const keyDays = { minimum: latestRecordingDays + 2, default: 40 };

/** The response of a key's first, successful use. */
export interface StoredResponse {
  /** Hex of the keyed hash of the payload. */
  readonly fingerprint: string;
  readonly status: number;
  readonly body: string;
}
