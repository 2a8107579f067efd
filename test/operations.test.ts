/** What each operation needs besides its file: a place in the list, and a request in the tables of tests. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Operation } from "../src/contract/operation.ts";
import { operatorOperations } from "../src/operations/operator.ts";
import { partnerOperations } from "../src/operations/partner.ts";
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

  it.each(requested)("$path has a request", ({ path }) => {
    expect(requests().includes(path), `Add a valid request for ${path} to ${table}.`).toBe(true);
  });
});
