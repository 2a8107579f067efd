/** The outcome of a write, and the key under which it is stored. */
import { type Rejection, reject } from "../../contract/errors.ts";
import type { KeyOwner } from "../../database/ledger/idempotency-keys.ts";
import type { StoredResponse } from "../../domain/idempotency.ts";

export interface IdempotencyKey {
  readonly owner: KeyOwner;
  readonly key: string;
  readonly fingerprint: string;
}

/** The outcome of an operation: a response, first or replayed, or a rejection. A rejection had no effect. */
export type Outcome =
  | { readonly status: number; readonly body: string; readonly replayed: boolean }
  | Rejection;

/** @returns the outcome of a write whose key was used before; undefined if the key is new */
export function replayOf(stored: StoredResponse | undefined, key: IdempotencyKey): Outcome | undefined {
  if (stored === undefined) return undefined;
  if (stored.fingerprint !== key.fingerprint) return reject("idempotency_key_reused_with_different_payload");
  return { status: stored.status, body: stored.body, replayed: true };
}

export function successBody(message: string, data: unknown, meta: object = {}): string {
  return JSON.stringify({ success: true, message, data, meta });
}
