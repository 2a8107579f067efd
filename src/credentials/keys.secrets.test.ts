import { timingSafeEqual } from "node:crypto";
import { beforeEach, expect, it, vi } from "vitest";
import { hashSecret, isSecret, newClientId, newClientSecret } from "./keys.ts";

vi.mock("node:crypto", async (importOriginal) => {
  const crypto = await importOriginal<typeof import("node:crypto")>();
  return { ...crypto, createHash: vi.fn(crypto.createHash), timingSafeEqual: vi.fn(crypto.timingSafeEqual) };
});
const { createHash } = await import("node:crypto");
beforeEach(() => void vi.clearAllMocks());

const hashesOf = (...secrets: string[]) => secrets.map(hashSecret);

it("takes any of the secrets that are valid now, and nothing else", () => {
  expect(isSecret("one", hashesOf("one"))).toBe(true);
  expect(isSecret("one", hashesOf("two", "one"))).toBe(true);
  expect(isSecret("two", hashesOf("two", "one"))).toBe(true);
  expect(isSecret("three", hashesOf("two", "one"))).toBe(false);
  expect(isSecret("one", [])).toBe(false);
  expect(isSecret("", [])).toBe(false);
});

it("does the same work for an unknown client as for a known one, right or wrong", () => {
  const cases = [
    ["one", []],
    ["one", hashesOf("one")],
    ["wrong", hashesOf("one")],
    ["one", hashesOf("one", "two")],
    ["two", hashesOf("one", "two")],
    ["wrong", hashesOf("one", "two")],
  ] as const;
  for (const [secret, hashes] of cases) {
    vi.clearAllMocks();
    isSecret(secret, hashes);
    expect([vi.mocked(createHash).mock.calls.length, vi.mocked(timingSafeEqual).mock.calls.length]).toEqual([
      1, 2,
    ]);
  }
});

it("makes secrets of 256 random bits and identifiers that no two integrations share", () => {
  const secrets = Array.from({ length: 1000 }, newClientSecret);
  const ids = Array.from({ length: 1000 }, newClientId);
  expect(new Set([...secrets, ...ids]).size).toBe(2000);
  for (const secret of secrets) expect(secret).toMatch(/^loysec_[\w-]{43}$/);
  for (const id of ids) expect(id).toMatch(/^loy_[\w-]{16}$/);
});
