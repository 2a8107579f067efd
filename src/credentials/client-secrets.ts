import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** A new client_id: public, unguessable only by accident. */
export function newClientId(): string {
  return `loy_${randomBytes(12).toString("base64url")}`;
}

/** A new client_secret of 256 random bits. It is shown once; only its hash is stored. */
export function newClientSecret(): string {
  return `loysec_${randomBytes(32).toString("base64url")}`;
}

/**
 * What is stored of a client_secret. A plain SHA-256 is enough for 256 random bits: there is nothing to
 * guess that a slow hash would slow down.
 */
export function hashClientSecret(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}

// Compared against when the client_id is unknown, so that this takes as long; no secret hashes to it.
const nobodysHash = Buffer.alloc(32);

/**
 * Whether a secret is one of those stored, in time that tells neither which nor whether there are any.
 * @param hashes of the secrets valid now: none, one, or two during a rotation
 */
export function isClientSecret(secret: string, hashes: readonly Buffer[]): boolean {
  const given = hashClientSecret(secret);
  const first = timingSafeEqual(given, hashes[0] ?? nobodysHash);
  const second = timingSafeEqual(given, hashes[1] ?? nobodysHash);
  return first || second;
}
