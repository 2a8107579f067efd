import { createHash, timingSafeEqual } from "node:crypto";

export interface OperatorKey {
  /** Whether this is the key, in time that doesn't tell how much of it is right. */
  matches(candidate: string): boolean;
}

const digest = (text: string) => createHash("sha256").update(text).digest();

/** @param key of at least 32 characters */
export function createOperatorKey(key: string): OperatorKey {
  const expected = digest(key);
  return { matches: (candidate) => timingSafeEqual(digest(candidate), expected) };
}
