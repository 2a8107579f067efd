/** Holds live responses to what the OpenAPI documents say of them. */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { isMoment } from "../../src/domain/dates.ts";
import {
  isPastedText,
  isPhoneNumber,
  isPlainLines,
  isPlainText,
  isPrintableAscii,
  isVisibleAscii,
} from "../../src/domain/text.ts";
import { openApiDocument } from "../../tools/docs/openapi.ts";
import type { JsonObject } from "../../tools/docs/schemas.ts";

const documents: Readonly<Record<string, JsonObject>> = {
  "/sp/": openApiDocument("partner", "/api"),
  "/op/": openApiDocument("operator", "/api"),
};

export interface LiveResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** What is wrong with a value, by a schema that a document publishes under its components. */
export function faultsOfValue(prefix: "/sp/" | "/op/", name: string, value: unknown): string[] {
  const validate = ajv.compile({ $ref: `${libraryOf(prefix)}#/$defs/${name}` });
  return validate(value) ? [] : [ajv.errorsText(validate.errors)];
}

/** Headers that mean something to callers: none may come that the document doesn't promise. */
const promised = ["ratelimit", "ratelimit-policy", "retry-after", "idempotent-replayed", "www-authenticate"];

/**
 * What a document says otherwise of a response to a POST: its status, its headers, its body down to the last
 * field. Paths that no document knows are not looked at.
 */
export function departures(url: string, response: LiveResponse): string[] {
  const [path = ""] = url.split("?", 1);
  const [prefix, document] = Object.entries(documents).find(([prefix]) => path.startsWith(prefix)) ?? [];
  const operation = at(document ?? {}, ["paths", path, "post"]);
  if (prefix === undefined || operation === undefined) return [];
  const declared = at(operation, ["responses", String(response.status)]);
  if (declared === undefined) return [`${path} returns ${response.status}, which the document does not know`];
  return [
    ...headerDepartures(document as JsonObject, declared, response.headers),
    ...bodyDepartures(prefix, declared, response),
  ].map((problem) => `${path} ${response.status}: ${problem}`);
}

function headerDepartures(document: JsonObject, response: JsonObject, headers: Headers): string[] {
  const declared = Object.keys(response.headers as JsonObject);
  const unknown = promised.filter(
    (name) => headers.has(name) && !declared.some((known) => known.toLowerCase() === name),
  );
  return [
    ...unknown.map((name) => `the header ${name} is not declared`),
    ...declared.flatMap((name) => {
      const { required, schema } = at(document, ["components", "headers", name]) as JsonObject;
      const value = headers.get(name);
      if (value === null) return required === true ? [`the header ${name} is missing`] : [];
      const typed = (schema as JsonObject).type === "integer" ? Number(value) : value;
      const validate = ajv.compile(schema as JsonObject);
      return validate(typed) ? [] : [`the header ${name}: ${ajv.errorsText(validate.errors)}`];
    }),
  ];
}

function bodyDepartures(prefix: string, response: JsonObject, { body }: LiveResponse): string[] {
  const validate = ofResponses.get(response) ?? validatorOf(prefix, response);
  ofResponses.set(response, validate);
  return validate(body) ? [] : [ajv.errorsText(validate.errors, { dataVar: "body" })];
}

const ofResponses = new Map<JsonObject, ValidateFunction>();
/** By the text of the schema: many responses have the same. */
const ofSchemas = new Map<string, ValidateFunction>();

function validatorOf(prefix: string, response: JsonObject): ValidateFunction {
  const schema = inLibrary(prefix, at(response, ["content", "application/json", "schema"]) as JsonObject);
  const key = JSON.stringify(schema);
  const validate = ofSchemas.get(key) ?? ajv.compile(schema);
  ofSchemas.set(key, validate);
  return validate;
}

function at(document: JsonObject, names: readonly string[]): JsonObject | undefined {
  return names.reduce<JsonObject | undefined>(
    (found, name) => found?.[name] as JsonObject | undefined,
    document,
  );
}

// A validator of JSON Schema as OpenAPI 3.1 uses it, with our formats, that knows both documents. */
const ajv = makeAjv();

function makeAjv(): Ajv2020 {
  // What most schemas share is compiled once, and without optimization, which takes longer than it saves here.
  const settings = { inlineRefs: false, code: { optimize: false } };
  const made = new Ajv2020({ ...settings, allErrors: true, allowUnionTypes: true, strictRequired: false });
  addFormats.default(made);
  made.addFormat("plain-text", isPlainText);
  made.addFormat("pasted-text", isPastedText);
  made.addFormat("plain-lines", isPlainLines);
  made.addFormat("e164", isPhoneNumber);
  made.addFormat("printable-ascii", isPrintableAscii);
  made.addFormat("visible-ascii", isVisibleAscii);
  made.addFormat("moment", isMoment);
  for (const [prefix, document] of Object.entries(documents)) {
    const schemas = at(document, ["components", "schemas"]) as JsonObject;
    made.addSchema({ $id: libraryOf(prefix), $defs: inLibrary(prefix, closed(schemas) as JsonObject) });
  }
  return made;
}

function libraryOf(prefix: string): string {
  return `urn:loyalty:${prefix.replaceAll("/", "")}`;
}

/** A schema of a document with its references led to where the validator keeps that document's schemas. */
function inLibrary(prefix: string, schema: JsonObject): JsonObject {
  const text = JSON.stringify(schema).replaceAll("#/components/schemas/", `${libraryOf(prefix)}#/$defs/`);
  return JSON.parse(text) as JsonObject;
}

/** Responses may grow, so the published schemas are open; ours must hold nothing but what is published. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, inner]) => [name, closed(inner)]);
  const object = Object.fromEntries(entries) as JsonObject;
  return object.type === "object" && object.properties !== undefined && !("additionalProperties" in object)
    ? { ...object, additionalProperties: false }
    : object;
}
