/** What an idempotency key stands for, and what a second use of it means. */

/**
 * The canonical JSON of a parsed value (RFC 8785): members sorted by UTF-16 code units, no white space.
 * Order of members and white space of the original therefore don't count.
 * @param value without members called __proto__, which no request has
 */
export function canonicalJson(value: unknown): string {
  const names = new Set<string>();
  addNames(value, names);
  // A list of names makes stringify write the members of every object in the order of the list. The default order
  // of sort is that of UTF-16 code units.
  return JSON.stringify(value, [...names].sort());
}

function addNames(value: unknown, names: Set<string>): void {
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value) addNames(item, names);
    return;
  }
  for (const [name, member] of Object.entries(value)) {
    names.add(name);
    addNames(member, names);
  }
}

/**
 * The text that tells two requests apart: the operation and its body without the key.
 * It can hold a password, so it is only ever hashed under a secret, never stored.
 */
export function payloadOf(path: string, body: Readonly<Record<string, unknown>>): string {
  const { idempotency_key: _, ...rest } = body;
  return `${path}\n${canonicalJson(rest)}`;
}

/** The answer that a key's first, successful use got. */
export interface KeptAnswer {
  /** Hex of the keyed hash of the payload. */
  readonly fingerprint: string;
  readonly status: number;
  readonly body: string;
}

export type KeyUse = "first" | "replay" | "reused_with_different_payload";

/** What it means that a key comes with this fingerprint, given the answer kept under the key, if any. */
export function decideKeyUse(kept: KeptAnswer | undefined, fingerprint: string): KeyUse {
  if (kept === undefined) return "first";
  return kept.fingerprint === fingerprint ? "replay" : "reused_with_different_payload";
}
