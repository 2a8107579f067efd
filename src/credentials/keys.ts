import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from "node:crypto";

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
    fingerprint: hmacSha256(payloadKey),
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

const blockBytes = 64;

/**
 * HMAC-SHA-256 (RFC 2104) of short texts, in hex, by two calls of the one-shot hash: Node's Hmac makes an object for
 * each text, which costs several times as much.
 * @param key at most 64 bytes
 */
export function hmacSha256(key: Uint8Array): (text: string) => string {
  const padded = (fill: number) =>
    Buffer.from(Array.from({ length: blockBytes }, (_, index) => (key[index] ?? 0) ^ fill));
  const [inner, outer] = [padded(0x36), Buffer.concat([padded(0x5c), Buffer.alloc(32)])];
  return (text) => {
    const message = Buffer.allocUnsafe(blockBytes + Buffer.byteLength(text));
    inner.copy(message);
    message.write(text, blockBytes, "utf8");
    hash("sha256", message, "buffer").copy(outer, blockBytes);
    return hash("sha256", outer, "hex");
  };
}
