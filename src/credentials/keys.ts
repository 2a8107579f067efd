import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from "node:crypto";

/** The keys that the service derives from its one secret (HKDF, RFC 5869), each for one purpose. */
export interface ServiceKeys {
  readonly tokenSigning: Uint8Array;
  /** Keyed hash of a request's payload, in hex: what an idempotency key is bound to. */
  fingerprint(payload: string): string;
  /**
   * Encrypts a text for one place, such as a key of an integration. It can't be decrypted for another place.
   */
  seal(text: string, place: string): string;
  /** @throws when it was sealed for another place, under another secret, or was changed */
  unseal(sealed: string, place: string): string;
}

const nonceBytes = 12;
const tagBytes = 16;

/** @param secret LOYALTY_SECRET: at least 32 characters, the same in every process */
export function deriveKeys(secret: string): ServiceKeys {
  const derive = (purpose: string) =>
    new Uint8Array(hkdfSync("sha256", secret, "", `loyalty ${purpose}`, 32));
  const payloadKey = derive("payload fingerprint");
  const sealingKey = derive("answer sealing");
  return {
    tokenSigning: derive("token signing"),
    fingerprint: (payload) => createHmac("sha256", payloadKey).update(payload).digest("hex"),
    seal(text, place) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv("aes-256-gcm", sealingKey, nonce).setAAD(Buffer.from(place));
      const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString("base64");
    },
    unseal(sealed, place) {
      const bytes = Buffer.from(sealed, "base64");
      const text = bytes.subarray(nonceBytes + tagBytes);
      const options = { authTagLength: tagBytes };
      const decipher = createDecipheriv("aes-256-gcm", sealingKey, bytes.subarray(0, nonceBytes), options)
        .setAAD(Buffer.from(place))
        .setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
      return Buffer.concat([decipher.update(text), decipher.final()]).toString("utf8");
    },
  };
}

export interface OperatorKey {
  /** Whether this is the key, in time that doesn't tell how much of it is right. */
  matches(candidate: string): boolean;
}

/** @param key of at least 32 characters */
export function createOperatorKey(key: string): OperatorKey {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  const expected = digest(key);
  return { matches: (candidate) => timingSafeEqual(digest(candidate), expected) };
}
