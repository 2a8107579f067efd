/** What each operation needs besides its file: a place in the list, and a request in the tables of tests. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { AuthorizedOperation, Operation } from "../src/contract/operation.ts";
import { bodyOf, isAuthorized, isWrite } from "../src/contract/operation.ts";
import { forOperators } from "../src/operations/for-operators.ts";
import { operatorOperations, partnerOperations } from "../src/operations/operations.ts";
import { pathsWithOperatorRequests } from "./support/operator-requests.ts";
import { operationsInRealTime, pathsWithPartnerRequests } from "./support/requests.ts";

const sides = {
  partner: {
    prefix: "/sp",
    operations: partnerOperations,
    // Those of a sandbox are tested on their own.
    requested: operationsInRealTime,
    requests: pathsWithPartnerRequests,
    table: "test/support/engine-requests.ts",
  },
  operator: {
    prefix: "/op",
    operations: operatorOperations,
    requested: operatorOperations,
    requests: pathsWithOperatorRequests,
    table: "test/support/operator-requests.ts",
  },
};

/** What partners' operations declare for operators. */
const variants = partnerOperations
  .filter((operation) => "operator" in operation && operation.operator !== undefined)
  .map((operation) => forOperators(operation as AuthorizedOperation));

/** Every schema in a schema, with where it lies. */
function* schemasIn(schema: object, place: string): Generator<[string, Record<string, unknown>]> {
  const { properties = {}, items } = schema as { properties?: Record<string, object>; items?: object };
  for (const [name, field] of Object.entries(properties)) {
    yield [`${place}.${name}`, field as Record<string, unknown>];
    yield* schemasIn(field, `${place}.${name}`);
  }
  if (items !== undefined) yield* schemasIn(items, `${place}[]`);
}

describe.each(Object.entries(sides))("%s operations", (side, each) => {
  const { prefix, operations, requested, requests, table } = each;
  const folder = join(import.meta.dirname, "../src/operations", side);
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => name.replaceAll("\\", "/"))
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"));

  it.each(files)("src/operations/%s is one operation, at the path of its file, and listed", async (file) => {
    const exported = Object.values(await import(join(folder, file))) as Operation[];
    const path = `${prefix}/${file.replace(/\.ts$/, "")}`;
    expect(exported.map((operation) => operation.path)).toEqual([path]);
    const listed = operations.filter((operation) => operation === exported[0]);
    expect(listed, `List ${path} once in src/operations/${side}.ts.`).toHaveLength(1);
  });

  it("lists each operation that is declared, and no other", () => {
    const declared = [
      ...files.map((file) => `${prefix}/${file.replace(/\.ts$/, "")}`),
      ...(side === "operator" ? variants.map(({ path }) => path) : []),
    ];
    expect(operations.map(({ path }) => path).sort()).toEqual(declared.sort());
  });

  it.each(operations)("$path says what it is, and what each field is, with an example", (operation) => {
    const isOfOperators =
      operation.kind === "session" || ("scope" in operation && operation.scope === "operator");
    expect(isOfOperators).toBe(side === "operator");
    for (const text of [operation.summary, operation.description, operation.message]) {
      expect(text.trim()).toBe(text);
      expect(text).not.toBe("");
    }
    const fields = [...schemasIn(bodyOf(operation), "request"), ...schemasIn(operation.output, "response")];
    for (const [place, schema] of fields.filter(([, schema]) => !("properties" in schema))) {
      expect(schema.description, place).toMatch(/\.$/);
      const [first] = (schema.anyOf ?? [schema]) as [{ examples?: unknown }];
      const saysItself = ["items", "const", "enum", "properties"].some(
        (key) => key in schema || key in first,
      );
      if (!saysItself) expect(schema.examples ?? first.examples, place).toHaveLength(1);
    }
  });

  it.each(operations)("$path says which numbers are amounts of money", (operation) => {
    for (const [place, schema] of [
      ...schemasIn(bodyOf(operation), "request"),
      ...schemasIn(operation.output, "response"),
    ]) {
      if (schema.type !== "integer") continue;
      const isAmount = /minor unit/.test(String(schema.description));
      // The unit of an account's balance is declared where the account is known.
      if (!/account after the entry/.test(String(schema.description)))
        expect([place, schema.unit === "minor_units"]).toEqual([place, isAmount]);
      else expect(["minor_units", "points", "entry", "hundredths"], place).toContain(schema.unit);
    }
  });

  it.each(operations)("$path asks before it does what can't be undone", (operation) => {
    const isFinal = /\/(?:delete|erase|rotate-[a-z]+)$/.test(operation.path);
    // A person can sign in again.
    if (operation.kind === "session") return;
    if (isFinal) expect(operation).toMatchObject({ confirm: expect.stringContaining("can't be undone") });
    if (/\/(?:end|disable|deactivate|block|imports\/cancel)$/.test(operation.path))
      expect(operation).toHaveProperty("confirm");
  });

  it.each(operations)(
    "$path asks a person who signed in for the password before a sensitive change",
    (operation) => {
      const { path } = operation;
      const isFinal = /\/(?:delete|erase|rotate-[a-z]+)$/.test(path);
      const isOfOperators = /^\/op\/operator(?:s|-keys)\//.test(path) && isWrite(operation);
      const showsSecret = "confidential" in operation && operation.confidential === true;
      const takesSecret = /^\/op\/(?:apple|google)-wallet\/set-up$/.test(path);
      const givesRights = /^\/op\/integrations\/(?:create|update|enable)$/.test(path);
      const isSensitive =
        side === "operator" &&
        isAuthorized(operation) &&
        (isFinal || isOfOperators || showsSecret || takesSecret || givesRights);
      const hint = isSensitive
        ? `${path} deletes, erases or replaces something for good, changes operators, shows or takes a secret or gives rights: ` +
          "declare it with sensitive: true."
        : `${path} is sensitive for another reason: add its kind to this test in test/operations.test.ts.`;
      expect("sensitive" in operation, hint).toBe(isSensitive);
    },
  );

  it.each(requested)("$path has a request", ({ path }) => {
    expect(requests().includes(path), `Add a valid request for ${path} to ${table}.`).toBe(true);
  });
});
