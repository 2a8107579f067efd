import { Type } from "typebox";
import { describe, expect, it } from "vitest";
import { bodyOf, errorsOf, type Operation } from "../../src/contract/operation.ts";
import { operatorOperations, partnerOperations } from "../../src/operations/operations.ts";
import { readDocuments } from "./documents.ts";
import { fieldsOf } from "./fields.ts";
import { operationId } from "./names.ts";
import { operationPage, referencePage } from "./operation-page.ts";

const operations = [...partnerOperations, ...operatorOperations];
const pageOf = (operation: Operation) =>
  operationPage(operation, operation.path.startsWith("/op/") ? "operator" : "partner");

/** The tables of an operation's fields, each field as text. */
function tablesOf(operation: Operation): { request: string[]; response: string[] } {
  const [before = "", after = ""] = pageOf(operation).split("## Fields of the response");
  const rows = (part: string) =>
    [...part.matchAll(/<dt>(.*?)<\/dt>/g)].map(([, row = ""]) =>
      row.replaceAll(/<[^>]+>/g, "").replaceAll("&quot;", '"'),
    );
  return { request: rows(before), response: rows(after) };
}

/** Where each field of a schema is, also of those that only one of several objects has. */
function pathsOf(schema: object, prefix = ""): string[] {
  const { properties = {}, items, anyOf = [] } = schema as Record<string, object> & { anyOf?: object[] };
  return [
    ...Object.entries(properties).flatMap(([name, field]) => {
      const inner = (field as { type?: string }).type === "array" ? "[]." : ".";
      return [prefix + name, ...pathsOf(field, prefix + name + inner)];
    }),
    ...[...anyOf, ...(items === undefined ? [] : [items])].flatMap((one) => pathsOf(one, prefix)),
  ];
}

describe("the tables of fields", () => {
  it.each(operations)("$path has every field, of every variant", (operation) => {
    const { request, response } = tablesOf(operation);
    const names = (rows: string[]) => rows.map((row) => row.split(" ")[0]);
    expect(names(request)).toEqual(pathsOf(bodyOf(operation)));
    expect(names(response)).toEqual(pathsOf(operation.output));
  });

  it("says of each object that a field may be how to recognize it", () => {
    const option = (code: string, fields = {}) => Type.Object({ code: Type.Enum([code]), ...fields });
    const day = Type.String({ format: "date" });
    const points = Type.Integer({ minimum: 0, maximum: 2 ** 53 - 1 });
    const why = Type.Array(
      Type.Union([option("earned", { points }), option("off"), option("until", { day })]),
    );
    const single = Type.Union([Type.Object({ points }), Type.Null()]);
    expect(fieldsOf(Type.Object({ why, single })).map(({ path, type }) => `${path} ${type}`)).toEqual([
      "why array of object",
      'why[].code string: "earned"',
      'why[].points integer, if code is "earned"',
      'why[].code string: "off"',
      'why[].code string: "until"',
      'why[].day string, YYYY-MM-DD, if code is "until"',
      "single object or null",
      "single.points integer",
    ]);
  });

  it("names types as JSON does", () => {
    const rows = operations.flatMap((operation) => Object.values(tablesOf(operation)).flat());
    const types = rows.map((row) => row.split(" ").slice(1).join(" "));
    for (const type of types) {
      expect(type).toMatch(
        /^(?:string|integer|number|boolean|object|null|array of (?:string|integer|object))\b/,
      );
    }
  });

  it.each(operations)("$path marks what a request must have, and nothing of a response", (operation) => {
    const { request, response } = tablesOf(operation);
    const marked = request.filter((row) => / required$/.test(row)).map((row) => row.split(" ")[0]);
    expect(marked).toEqual(bodyOf(operation).required ?? []);
    expect(response.filter((row) => / required$/.test(row))).toEqual([]);
  });
});

it("a page names guides for those who call the operation", () => {
  const documents = readDocuments();
  for (const operation of operations) {
    const isOfPartners = operation.path.startsWith("/sp/");
    const page = operationPage(operation, isOfPartners ? "partner" : "operator", documents);
    const [guides = ""] = page.match(/^Guides: .*$/m) ?? [];
    expect(guides).not.toContain(isOfPartners ? "](/operators/" : "](/guides/");
  }
});

it.each(operations)("$path has each of its errors", (operation) => {
  const [, listed = ""] = pageOf(operation).split("## Errors");
  const codes = [...listed.matchAll(/\[`(\w+)`\]\(/g)].map(([, code = ""]) => code);
  expect(codes.sort()).toEqual([...errorsOf(operation)].sort());
});

describe.each(["partner", "operator"] as const)("the reference of a %s", (audience) => {
  const page = referencePage(audience);
  const own = audience === "partner" ? partnerOperations : operatorOperations;

  it("leads to each operation, also from the anchor that it had when all were on one page", () => {
    const matter = JSON.parse(page.split("---\n")[1] ?? "") as { moved: Record<string, string> };
    for (const operation of own) {
      expect(page).toContain(`](${operation.path}) <code>${operation.path}</code>`);
      expect(matter.moved[operationId(operation)]).toBe(operation.path.slice(1));
    }
  });
});
