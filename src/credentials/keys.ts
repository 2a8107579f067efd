import { createHmac, hkdfSync } from "node:crypto";

/** The keys that the service derives from its one secret (HKDF, RFC 5869), each for one purpose. */
export interface ServiceKeys {
  readonly tokenSigning: Uint8Array;
  /** Keyed hash of a request's payload, in hex: what an idempotency key is bound to. */
  fingerprint(payload: string): string;
}

/** @param secret LOYALTY_SECRET: at least 32 characters, the same in every process */
export function deriveKeys(secret: string): ServiceKeys {
  const derive = (purpose: string) =>
    new Uint8Array(hkdfSync("sha256", secret, "", `loyalty ${purpose}`, 32));
  const payloadKey = derive("payload fingerprint");
  return {
    tokenSigning: derive("token signing"),
    fingerprint: (payload) => createHmac("sha256", payloadKey).update(payload).digest("hex"),
  };
}
