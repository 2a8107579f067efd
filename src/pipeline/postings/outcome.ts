/** The outcome of a write, and the key under which it is stored. */
import { type Rejection, reject } from "../../contract/errors.ts";
import type { KeyOwner } from "../../database/ledger/idempotency-keys.ts";
import { isComparable, type StoredResponse } from "../../domain/idempotency.ts";

export interface IdempotencyKey {
  readonly owner: KeyOwner;
  readonly key: string;
  readonly fingerprint: string;
  /** By the previous secret of the service, if it has one. */
  readonly fingerprintBefore?: string | undefined;
}

/**
 * The outcome of an operation: a response, first or replayed, or a rejection. A rejection had no effect. A replay is late when the
 * first request was sent so long ago that this one is probably another sale, such as one of a till whose receipts restart each day.
 */
export type Outcome =
  | { readonly status: number; readonly body: string; readonly replayed: boolean | "late" }
  | Rejection;

/** @returns the outcome of a write whose key was used before; undefined if the key is new */
export function replayOf(stored: StoredResponse | undefined, key: IdempotencyKey): Outcome | undefined {
  if (stored === undefined) return undefined;
  const { fingerprint, status, body, late } = stored;
  const own = [key.fingerprint, ...(key.fingerprintBefore === undefined ? [] : [key.fingerprintBefore])];
  if (own.includes(fingerprint)) return { status, body, replayed: late === true ? "late" : true };
  const isOther = own.some((one) => isComparable(one, fingerprint));
  return reject(
    isOther ? "idempotency_key_reused_with_different_payload" : "idempotency_key_of_another_secret",
  );
}

export function successBody(message: string, data: unknown, meta: object = {}): string {
  return JSON.stringify({ success: true, message, data, meta });
}
