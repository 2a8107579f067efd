import fc from "fast-check";
import { expect, it } from "vitest";
import { reject } from "../rejection.ts";
import { checkLocation, decideScope } from "./access.ts";

const scopes = fc.uniqueArray(fc.constantFrom("a", "b", "c")).map((names) => new Set(names));

it("opens an operation only with a scope that is granted now and was when the token was issued", () => {
  fc.assert(
    fc.property(fc.constantFrom("a", "b", "c"), scopes, scopes, (required, granted, inToken) => {
      const expected = !granted.has(required)
        ? "sp_scope_not_granted"
        : inToken.has(required)
          ? "allowed"
          : "sp_token_scope_missing";
      expect(decideScope(required, granted, inToken)).toBe(expected);
    }),
  );
});

it("does not take one scope for another that begins like it", () => {
  const granted = new Set(["wa.members.readonly"]);
  expect(decideScope("wa.members.read", granted, granted)).toBe("sp_scope_not_granted");
});

it("shows what belongs to no location to all, and the rest to those who may use its location", () => {
  const ids = fc.uniqueArray(fc.integer({ min: 1, max: 5 })).map((list) => new Set(list));
  fc.assert(
    fc.property(fc.boolean(), ids, fc.integer({ min: 1, max: 6 }), (everywhere, known, locationId) => {
      const access = { everywhere, ids: known };
      expect(checkLocation(access, null)).toBeUndefined();
      const rejection = reject("sp_location_not_allowed", { location_id: locationId });
      const isAllowed = everywhere || known.has(locationId);
      expect(checkLocation(access, locationId)).toEqual(isAllowed ? undefined : rejection);
    }),
  );
});
