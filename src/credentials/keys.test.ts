import fc from "fast-check";
import { expect, it } from "vitest";
import { deriveKeys } from "./keys.ts";

const keys = deriveKeys("a secret for tests, long enough to be one");

it("unseals what was sealed, and never seals it the same way twice", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string(), (text, place) => {
      const sealed = keys.seal(text, place);
      expect(keys.unseal(sealed, place)).toBe(text);
      expect(keys.seal(text, place)).not.toBe(sealed);
    }),
  );
});

it("unseals nothing for another place, under another secret, or that was changed", () => {
  const sealed = keys.seal("loysec_something", "here");
  expect(() => keys.unseal(sealed, "there")).toThrow();
  expect(() => deriveKeys("another secret for tests, as long as one").unseal(sealed, "here")).toThrow();
  const bytes = Buffer.from(sealed, "base64");
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes);
    changed[at]! ^= 1;
    expect(() => keys.unseal(changed.toString("base64"), "here")).toThrow();
  }
  expect(() => keys.unseal(bytes.subarray(0, -1).toString("base64"), "here")).toThrow();
});

it("fingerprints a payload the same way each time, under this secret only", () => {
  expect(keys.fingerprint("payload")).toBe(keys.fingerprint("payload"));
  expect(keys.fingerprint("payload")).not.toBe(keys.fingerprint("another"));
  expect(deriveKeys("another secret for tests, as long as one").fingerprint("payload")).not.toBe(
    keys.fingerprint("payload"),
  );
});
