/** The examples of requests and responses, which `npm run generate` makes by playing the story. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isWrite, type Operation } from "../../src/contract/operation.ts";
import { packageRoot } from "../../src/package.ts";
import type { Json, JsonObject } from "./schemas.ts";

export interface Example {
  readonly request: JsonObject;
  readonly response: JsonObject & { readonly data: Json; readonly meta: JsonObject };
}

/** Where they are, from the root of the repository. */
export const examplesFile = "docs/api/examples.json";

let examples: Readonly<Record<string, Example>> | undefined;

/** The example of an operation: a request of the story, and the response that it got. */
export function operationExample({ path }: Operation): Example {
  examples ??= JSON.parse(readFileSync(join(packageRoot, examplesFile), "utf8")) as Record<string, Example>;
  const example = examples[path];
  if (example === undefined) throw new Error(`${examplesFile} has no ${path}: run npm run generate.`);
  return example;
}

/** The ids of records that a write makes, and that other requests name. */
export function madeIds(operations: readonly Operation[]): string[] {
  const named = new Set(operations.flatMap(({ input }) => Object.keys(input.properties)));
  return [...new Set(operations.flatMap(idsMadeBy))].filter((name) => named.has(name));
}

/** The ids that a response has and its request has not. */
function idsMadeBy(operation: Operation): string[] {
  if (!isWrite(operation)) return [];
  const { data } = operationExample(operation).response;
  return Object.keys(data as JsonObject).filter(
    (name) => /_id$/.test(name) && !(name in operation.input.properties),
  );
}
