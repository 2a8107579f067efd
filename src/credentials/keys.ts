import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from "node:crypto";

import { secretIdLength } from "../domain/idempotency.ts";

const nonceBytes = 12;
const tagBytes = 16;
/** Long enough that nobody guesses a signature of a cursor. */
export const signatureBytes = 16;
const pageTokenBytes = 20;

export type ServiceKeys = ReturnType<typeof deriveKeys>;

/**
 * Derives the keys of the service from its secret (HKDF, RFC 5869), one for each purpose.
 * @param secret LOYALTY_SECRET: at least 32 characters, the same in every process
 * @param previous LOYALTY_SECRET_PREVIOUS: checks and decrypts what was stored with it, and makes nothing
 */
export function deriveKeys(secret: string, previous?: string) {
  const derive = (purpose: string, from = secret) =>
    new Uint8Array(hkdfSync("sha256", from, "", `loyalty ${purpose}`, 32));
  const fingerprintOf = (from: string) => {
    const key = derive("payload fingerprint", from);
    const id = Buffer.from(derive("secret id", from)).toString("hex").slice(0, secretIdLength);
    return (payload: string) => id + createHmac("sha256", key).update(payload).digest("hex");
  };
  const fingerprint = fingerprintOf(secret);
  const fingerprintBefore = previous === undefined ? undefined : fingerprintOf(previous);
  const cursorKey = derive("cursor signing");
  const pageTokenWith = (from: string) => {
    const key = derive("pages of members", from);
    return (text: string) =>
      createHmac("sha256", key).update(text).digest().subarray(0, pageTokenBytes).toString("base64url");
  };
  const sealingKey = derive("response sealing");
  const sealingKeyBefore = previous === undefined ? undefined : derive("response sealing", previous);
  const unsealWith = (key: Uint8Array, sealed: string, place: string): string => {
    const bytes = Buffer.from(sealed, "base64");
    const text = bytes.subarray(nonceBytes + tagBytes);
    const options = { authTagLength: tagBytes };
    const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, nonceBytes), options)
      .setAAD(Buffer.from(place))
      .setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
    return Buffer.concat([decipher.update(text), decipher.final()]).toString("utf8");
  };
  const unseal = (sealed: string, place: string): string => {
    try {
      return unsealWith(sealingKey, sealed, place);
    } catch (error) {
      if (sealingKeyBefore === undefined) throw error;
      return unsealWith(sealingKeyBefore, sealed, place);
    }
  };
  return {
    tokenSigning: derive("token signing"),
    /** Tells whether two installations have the same secret. */
    check: Buffer.from(derive("secret check")).toString("base64url"),
    /** The id of the secret and the keyed hash of a request's payload, in hex. It is stored with the idempotency key. */
    fingerprint,
    /** The fingerprint by the previous secret; undefined without one. */
    fingerprintBefore,
    signCursor: (text: string) =>
      createHmac("sha256", cursorKey).update(text).digest().subarray(0, signatureBytes),
    /** Makes a token of 160 bits, which nobody can make without the secret. */
    pageToken: pageTokenWith(secret),
    /** The token by the previous secret; undefined without one. */
    pageTokenBefore: previous === undefined ? undefined : pageTokenWith(previous),
    /** Encrypts a text for one place, such as an idempotency key. It can't be decrypted for another place. */
    seal(text: string, place: string): string {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv("aes-256-gcm", sealingKey, nonce).setAAD(Buffer.from(place));
      const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString("base64");
    },
    /** @throws when it was encrypted for another place, with a secret other than these two, or was changed */
    unseal,
    /** Whether `unseal` would decrypt it. */
    canUnseal(sealed: string, place: string): boolean {
      try {
        unseal(sealed, place);
        return true;
      } catch {
        return false;
      }
    },
  };
}

export function newClientId(): string {
  return `loy_${randomBytes(12).toString("base64url")}`;
}

/** Makes a client_secret of 256 random bits. It is shown once. Only its hash is stored. */
export function newClientSecret(): string {
  return `loysec_${randomBytes(32).toString("base64url")}`;
}

/** Makes a secret that signs webhooks, in the form of the Standard Webhooks specification. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(24).toString("base64")}`;
}

/** The place for which the secrets and headers of an endpoint are encrypted. It stays when the business moves. */
export const placeOfEndpoint = (endpointId: number) => `webhook endpoint ${endpointId}`;

/** The place for which what signs a business's passes is encrypted. */
export const placeOfWallet = (businessId: number, kind: string) => `${kind} wallet ${businessId}`;

/** Makes a key of an operator's script. It is shown once. Only its hash is stored, as of the next two. */
export const newOperatorKey = () => `loyop_${randomBytes(32).toString("base64url")}`;
export const newSessionToken = () => `loyses_${randomBytes(32).toString("base64url")}`;
/** Makes the token of a link with which a person sets the password of an account. */
export const newInvitationToken = () => `loyinv_${randomBytes(32).toString("base64url")}`;

/** SHA-256 is enough for secrets of 256 random bits, because they can't be guessed. */
export function hashSecret(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}

/** The hash for an unknown client_id, so that the comparison takes as long. No secret has it. */
const nobodysHash = Buffer.alloc(32);

/**
 * Whether a secret has one of the hashes. The time that this takes reveals nothing about the hashes.
 * @param hashes of the valid secrets: none, one, or two during a rotation
 */
export function isSecret(secret: string, hashes: readonly Buffer[]): boolean {
  const given = hashSecret(secret);
  const first = timingSafeEqual(given, hashes[0] ?? nobodysHash);
  const second = timingSafeEqual(given, hashes[1] ?? nobodysHash);
  return first || second;
}
