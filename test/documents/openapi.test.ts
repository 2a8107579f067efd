/** The OpenAPI documents say all there is to say of every operation, and their examples hold. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { errors } from "../../src/contract/errors.ts";
import { bodyOf, errorsOf, isAuthorized, type Operation } from "../../src/contract/operation.ts";
import { operatorOperations, partnerOperations } from "../../src/operations/operations.ts";
import { openApiDocument } from "../../tools/docs/openapi.ts";
import { departures, faultsOfValue } from "../support/document.ts";
import { type Reply, useWorld } from "../support/world.ts";

// biome-ignore lint/suspicious/noExplicitAny: the tests walk through documents of every shape
type Any = any;

const audiences = [
  { audience: "partner", prefix: "/sp/", operations: partnerOperations },
  { audience: "operator", prefix: "/op/", operations: operatorOperations },
] as const;

describe.each(audiences)("the $audience document", ({ audience, prefix, operations }) => {
  const document = openApiDocument(audience, "/api") as Any;

  it("has the operations of the registry and no others", () => {
    expect(Object.keys(document.paths).toSorted()).toEqual(operations.map(({ path }) => path).toSorted());
    for (const path of Object.values<Any>(document.paths)) expect(Object.keys(path)).toEqual(["post"]);
  });

  it("has tags in the order of the operations, each described", () => {
    const used = Object.values<Any>(document.paths).map(({ post }) => post.tags[0]);
    const names = document.tags.map(({ name }: Any) => name);
    expect(names).toEqual([...new Set(used)]);
    for (const { description } of document.tags) expect(description).toMatch(/\.$/);
    // Each folder of operations is one tag, except for the two about webhooks, and each tag is in one subject.
    const folders = new Set(
      operations.map(({ path }) => path.split("/")[2]?.replace(/^webhook-.*/, "webhooks")),
    );
    expect(names).toHaveLength(folders.size);
    expect(document["x-tagGroups"].flatMap(({ tags }: Any) => tags)).toEqual(names);
  });

  describe.each(operations.map((operation): [string, Operation] => [operation.path, operation]))(
    "%s",
    (path, operation) => {
      const documented = document.paths[path].post;
      const schemaOf = (reference: Any) => document.components.schemas[reference.$ref.split("/").at(-1)];

      it("names its scope or role, and asks for a token unless it makes one", () => {
        if (!isAuthorized(operation)) {
          // A session can only be ended or changed by the one who has it.
          const needsSession = (operation.errors as string[] | undefined)?.includes("unauthorized");
          const both = [{ operatorKey: [] }, { session: [] }];
          expect(documented.security).toEqual(needsSession ? both : []);
          return;
        }
        const [scheme, roles] = Object.entries(documented.security[0])[0] as [string, string[]];
        expect(document.components.securitySchemes[scheme]).toMatchObject({ type: "http", scheme: "bearer" });
        expect(roles).toEqual([operation.scope === "operator" ? operation.role : operation.scope]);
        for (const role of roles) expect(documented.description).toContain(`\`${role}\``);
      });

      it("describes every field that it takes and returns", () => {
        const request = schemaOf(documented.requestBody.content["application/json"].schema);
        expect(Object.keys(request.properties)).toEqual(Object.keys(bodyOf(operation).properties));
        expect(request.additionalProperties).toBe(false);
        const response = schemaOf(
          Object.values<Any>(documented.responses)[0].content["application/json"].schema,
        );
        const undescribed = [...fieldsOf(request), ...fieldsOf(response)].filter(
          ([name, field]) => name !== "data" && !field.description,
        );
        expect(undescribed.map(([name]) => name)).toEqual([]);
      });

      it("has an example of a request that it would take, and of its response", () => {
        const { schema, examples } = documented.requestBody.content["application/json"];
        expect(faultsOfValue(prefix, nameOf(schema), examples.request.value)).toEqual([]);
        const [response] = Object.values<Any>(documented.responses);
        const content = response.content["application/json"];
        for (const { value } of Object.values<Any>(content.examples)) {
          expect(faultsOfValue(prefix, nameOf(content.schema), value)).toEqual([]);
        }
      });

      it("has every error that it can return, under its status, with an example", () => {
        const rejections = Object.entries<Any>(documented.responses).slice(1);
        const found = rejections.flatMap(([status, response]) =>
          Object.keys(response.content["application/json"].examples).map((code) => [status, code]),
        );
        const expected = errorsOf(operation).map((code) => [String(errors[code].status), code]);
        expect(found.sort()).toEqual(expected.sort());
      });
    },
  );

  it("has examples of errors that are errors", () => {
    for (const [code, { value }] of Object.entries<Any>(document.components.examples)) {
      expect(value.error.code).toBe(code);
      const name = `${code.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())}Error`;
      expect(faultsOfValue(prefix, name, value)).toEqual([]);
    }
  });

  it("has no schema, example or header that nothing refers to", () => {
    const text = JSON.stringify(document);
    const { securitySchemes: _, ...components } = document.components;
    for (const [kind, named] of Object.entries<Any>(components)) {
      for (const name of Object.keys(named)) expect(text).toContain(`"#/components/${kind}/${name}"`);
    }
  });
});

it("begins with sales, and keeps what belongs together in one subject", () => {
  const { "x-tagGroups": groups } = openApiDocument("partner", "/api") as Any;
  expect(groups.slice(0, 4)).toEqual([
    { name: "Sales", tags: ["Sales"] },
    { name: "Members", tags: ["Members", "Cards", "Member tiers"] },
    {
      name: "Points",
      tags: ["Reward points", "Reward programs", "Promotions", "Referrals", "Stamp cards", "Reward settings"],
    },
    { name: "Wallet and vouchers", tags: ["Wallet", "Vouchers"] },
  ]);
});

function nameOf(reference: { $ref: string }): string {
  return reference.$ref.split("/").at(-1) as string;
}

function fieldsOf(schema: Any): [string, Any][] {
  const fields = Object.entries<Any>(schema.properties ?? {});
  const items = schema.items === undefined ? [] : fieldsOf(schema.items);
  return [...fields, ...items, ...fields.flatMap(([, field]) => fieldsOf(field))];
}

const world = useWorld();

describe("the service", () => {
  const elsewhere = useWorld({ LOYALTY_BASE_PATH: "/" });

  it("serves the document that is kept in the repository", async () => {
    const reply = await world.call("/openapi.json", undefined, { method: "GET" });
    expect(reply.status).toBe(200);
    expect(reply.headers.get("content-type")).toBe("application/json; charset=utf-8");
    const kept = new URL("../../docs/api/openapi.json", import.meta.url);
    expect(reply.body).toEqual(JSON.parse(readFileSync(kept, "utf8")));
  });

  it("tells the base path that it has", async () => {
    const reply = await elsewhere.call("/openapi.json", undefined, { method: "GET" });
    expect(reply.body.servers[0].url).toBe("/");
  });
});

/** Every test that calls the service holds its responses to the documents in this way. */
it("tells of what a document does not say", async () => {
  const path = "/sp/member-tiers/list";
  const reply = await world.ask(path, {});
  const { data } = reply.body;
  const responses: [what: string, response: Partial<Reply>][] = [
    ["additional properties", { body: { ...reply.body, more: 1 } }],
    ["additional properties", { body: { ...reply.body, data: [{ ...data[0], more: 1 }] } }],
    ["required property", { body: { ...reply.body, data: [{ ...data[0], tier_id: undefined }] } }],
    ["which the document does not know", { status: 418 }],
    ["the header X-Request-Id is missing", { headers: new Headers() }],
    [
      "the header retry-after is not declared",
      { headers: new Headers([...reply.headers, ["retry-after", "1"]]) },
    ],
  ];
  for (const [what, response] of responses) {
    expect(departures(path, { ...reply, ...response }).join()).toContain(what);
  }
});
