import { hash } from "node:crypto";
import { expect, it } from "vitest";
import { createEqualLines } from "./equal-lines.ts";

const hashOf = (text: string) => hash("sha256", text, "buffer");

it("says of each how many equal ones came before, also beyond what a byte counts", () => {
  const lines = createEqualLines();
  for (let before = 0; before < 1000; before += 1) {
    expect(lines.add(hashOf("often"))).toBe(before);
    expect(lines.add(hashOf(`once ${before}`))).toBe(0);
  }
});

it("forgets none when it grows", () => {
  const lines = createEqualLines(8);
  const texts = Array.from({ length: 20_000 }, (_, at) => hashOf(String(at)));
  for (const text of texts) expect(lines.add(text)).toBe(0);
  for (const text of texts) expect(lines.add(text)).toBe(1);
});

it("keeps those apart that have the same place", () => {
  const lines = createEqualLines(8);
  const hashes = [0, 1, 2].map((high) => Buffer.from([7, 0, 0, 0, high, 0, 0, 0]));
  for (const one of hashes) expect(lines.add(one)).toBe(0);
  for (const one of hashes) expect(lines.add(one)).toBe(1);
});
