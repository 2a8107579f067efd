import { describe, expect, it } from "vitest";
import type { Fields } from "../api/declarations.ts";
import { askedFields, fieldsOf, formValues, namesOf, readForm, sentValues } from "./form-values.ts";

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
  const location_ids = { type: "array", askedIf: { all_locations: ["false"] } } as const;
  const grant: Fields = { all_locations: { type: "boolean" }, location_ids };
  expect(askedFields(grant, { all_locations: false })).toEqual(grant);
  expect(Object.keys(askedFields(grant, { all_locations: true }))).toEqual(["all_locations"]);
  expect(sentValues(grant, { all_locations: true, location_ids: ["1"] })).toEqual({ all_locations: true });
});

it("asks for the time of a clock only if it is of a sandbox", () => {
  const clock_at = { type: "string", askedIf: { sandbox: ["true"] } } as const;
  const clock: Fields = { sandbox: { type: "boolean" }, clock_at };
  expect(askedFields(clock, { sandbox: true })).toEqual(clock);
  expect(Object.keys(askedFields(clock, { sandbox: false }))).toEqual(["sandbox"]);
  // A sandbox that exists has no such choice.
  expect(Object.keys(askedFields({ clock_at }, {}))).toEqual(["clock_at"]);
});

it("empties what another choice leaves nothing to write for, and does not send that choice", () => {
  const promotion: Fields = {
    gives: { type: "string", enum: ["factor", "fixed"], local: true },
    multiply: { type: "integer", unit: "hundredths", nullable: true, askedIf: { gives: ["factor"] } },
    points: { type: "integer", nullable: true, askedIf: { gives: ["fixed"] } },
    per: { type: "string", enum: ["sale", "unit"], askedIf: { gives: ["fixed"] } },
  };
  const values = {
    ...formValues(promotion, { multiply: 250, points: null, per: "sale" }, 2),
    gives: "fixed",
  };
  expect(Object.keys(askedFields(promotion, values))).toEqual(["gives", "points", "per"]);
  const sent = sentValues(promotion, { ...values, points: "50", per: "unit" });
  expect(sent).toEqual({ multiply: "", points: "50", per: "unit" });
  const { request } = readForm(fieldsOf(promotion, Object.keys(sent)), sent, 2, values);
  expect(request).toEqual({ multiply: null, points: 50, per: "unit" });
  expect(values.multiply).toBe("2.50");
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

it("takes the label of a field in a list, and shows it", () => {
  const part = { type: "string", names: ["last_name", "email", "external_ref"] } as const;
  const items = { type: "object", properties: { field: part, value: { type: "string" } } } as const;
  const fields: Fields = { defaults: { type: "array", items, optional: true } };
  const typed = "Last name: Unknown\ne-mail address: a@b.c\nexternal_ref: 1\nShoe size: 42";
  const { request } = readForm(fields, { defaults: typed }, 2);
  expect(request).toEqual({
    defaults: [
      { field: "last_name", value: "Unknown" },
      { field: "email", value: "a@b.c" },
      { field: "external_ref", value: "1" },
      { field: "Shoe size", value: "42" },
    ],
  });
  const shown = "Last name: Unknown\nE-mail address: a@b.c\nCustomer number: 1\nShoe size: 42";
  expect(formValues(fields, request, 2)).toEqual({ defaults: shown });
});
