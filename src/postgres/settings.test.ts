import { expect, it } from "vitest";
import { sharedBuffers } from "./settings.ts";

const gigabyte = 1024 ** 3;
const unlimited = 2 ** 64;

it("keeps an eighth of the memory's pages at hand, within bounds", () => {
  expect(sharedBuffers(2 * gigabyte, unlimited)).toBe(256);
  expect(sharedBuffers(gigabyte / 2, 0)).toBe(128);
  expect(sharedBuffers(64 * gigabyte, unlimited)).toBe(4096);
  expect(sharedBuffers(64 * gigabyte, 3 * gigabyte)).toBe(384);
});
