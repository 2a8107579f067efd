import { describe, expect, it } from "vitest";
import type { Fields } from "../api/declarations.ts";
import { askedFields, formValues, namesOf, readForm } from "./form-values.ts";

const number = { type: "integer", minimum: 1, nullable: true, optional: true } as const;
const unit = { type: "string", enum: ["day", "month"], nullable: true, optional: true } as const;
const fields: Fields = { validity: number, validity_period: unit };

describe("a period", () => {
  const without = formValues(fields, { validity: null, validity_period: null }, 2);

  it("begins with months, which are not sent without a number", () => {
    expect(without).toEqual({ validity: "", validity_period: "month" });
    expect(readForm(fields, without, 2)).toEqual({ request: {}, problems: {} });
    expect(readForm(fields, { ...without, validity_period: "day" }, 2, without).request).toEqual({});
  });

  it("is sent with its unit, also if nobody has chosen it", () => {
    const request = { validity: 3, validity_period: "month" };
    expect(readForm(fields, { ...without, validity: "3" }, 2, without).request).toEqual(request);
  });

  it("ends with both", () => {
    const before = formValues(fields, { validity: 3, validity_period: "day" }, 2);
    const request = { validity: null, validity_period: null };
    expect(readForm(fields, { ...before, validity: "" }, 2, before).request).toEqual(request);
    expect(readForm(fields, { ...before, validity: "4" }, 2, before).request).toEqual({ validity: 4 });
  });

  it("that is required has one problem", () => {
    const required: Fields = {
      expiry: { type: "integer" },
      expiry_period: { type: "string", enum: ["day"] },
    };
    const { problems } = readForm(required, formValues(required, {}, 2), 2);
    expect(Object.keys(problems)).toEqual(["expiry"]);
  });
});

it("asks for no locations with all of them", () => {
  const grant: Fields = { all_locations: { type: "boolean" }, location_ids: { type: "array" } };
  expect(askedFields(grant, { all_locations: false })).toEqual(grant);
  expect(Object.keys(askedFields(grant, { all_locations: true }))).toEqual(["all_locations"]);
});

it("asks for the time of a clock only if it is of a sandbox", () => {
  const clock: Fields = { sandbox: { type: "boolean" }, clock_at: { type: "string" } };
  expect(askedFields(clock, { sandbox: true })).toEqual(clock);
  expect(Object.keys(askedFields(clock, { sandbox: false }))).toEqual(["sandbox"]);
  // A sandbox that exists has no such choice.
  expect(Object.keys(askedFields({ clock_at: { type: "string" } }, {}))).toEqual(["clock_at"]);
});

it("asks for all that an operation takes, and not for a way that the page has chosen", () => {
  const text = { type: "string" } as const;
  const input: Fields = { business_id: number, amount: number, benefit_id: number, reason: text };
  const declaration = {
    input: { ...input, dry_run: { type: "boolean" } },
    exactlyOneOf: ["amount", "benefit_id"],
  };
  const names = (fixed: object, first?: string[]) => namesOf(declaration as never, fixed, first);
  expect(names({ business_id: 1 })).toEqual(["amount", "benefit_id", "reason"]);
  expect(names({ business_id: 1 }, ["reason", ...Object.keys(input)])).toEqual([
    "reason",
    "amount",
    "benefit_id",
  ]);
  expect(names({ business_id: 1, amount: 5 })).toEqual(["reason"]);
});

it("leaves out the blanks around a pasted text", () => {
  const code: Fields = { coupon_code: { type: "string" } };
  expect(readForm(code, { coupon_code: " SPRING SALE \t" }, 2).request).toEqual({
    coupon_code: "SPRING SALE",
  });
});
