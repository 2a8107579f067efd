import { hash } from "node:crypto";
import { expect, it } from "vitest";
import { HashTable } from "./hash-table.ts";

const hashOf = (text: string) => hash("sha256", text, "buffer").readBigUInt64LE();

it("keeps every number when it grows", () => {
  const table = new HashTable();
  const hashes = Array.from({ length: 20_000 }, (_, at) => hashOf(String(at)));
  for (const [at, one] of hashes.entries()) {
    expect(table.get(one)).toBe(0);
    table.set(one, at + 1);
  }
  for (const [at, one] of hashes.entries()) expect(table.get(one)).toBe(at + 1);
});

it("replaces a number", () => {
  const table = new HashTable();
  for (const number of [1, 2, 2 ** 32 - 1]) {
    table.set(7n, number);
    expect(table.get(7n)).toBe(number);
  }
});

it("keeps hashes apart that have the same place", () => {
  const table = new HashTable();
  const hashes = [0n, 1n, 2n].map((high) => (high << 32n) + 7n);
  for (const [at, one] of hashes.entries()) table.set(one, at + 1);
  expect(hashes.map((one) => table.get(one))).toEqual([1, 2, 3]);
});
