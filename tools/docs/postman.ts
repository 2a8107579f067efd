/**
 * A Postman collection (v2.1) of the partner operations: a folder for each tag, and in it every operation with a
 * body to send and a test of its response. Sent from top to bottom it works on any business that has a location,
 * a program, tiers and a voucher, as often as one likes: ids that a response gives are kept for the requests after
 * it, and nothing is deleted that was not named.
 */
import { isAuthorized, type Operation } from "../../src/contract/operation.ts";
import { listMemberTiers } from "../../src/operations/partner/member-tiers/list.ts";
import { findMemberOperation } from "../../src/operations/partner/members/find.ts";
import { partnerOperations } from "../../src/operations/partner.ts";
import { idsMadeBy, madeIds, operationExample } from "./examples.ts";
import { tagOf, tagsOf } from "./names.ts";
import { audiences, describe } from "./openapi.ts";
import { statusOf } from "./responses.ts";
import type { Json, JsonObject } from "./schemas.ts";
import { story } from "./story.ts";

/** The variables of the environment. The requests find out the rest. */
const environment: readonly [key: string, value: string, secret?: "secret"][] = [
  ["base_url", ""],
  ["client_id", ""],
  ["client_secret", "", "secret"],
  ["access_token", "", "secret"],
  ["location_id", "1"],
  ["program_id", "1"],
  ["tier_id", "1"],
  ["delete_tier_id", ""],
  ["merge_from_contact_id", ""],
  ["voucher_id", "1"],
  ["found_phone_number", ""],
  ["in_sandbox", ""],
  ...madeIds(partnerOperations).map((name): [string, string] => [name, ""]),
];
const environmentNames = new Set(environment.map(([key]) => key));

/** Fields that must differ from one run to the next. */
const fresh: Readonly<Record<string, string>> = {
  idempotency_key: "{{$guid}}",
  phone_number: "+34{{unique_number}}",
  email: "member.{{unique_number}}@example.com",
  external_ref: "C-{{unique_number}}",
};

const placeInStory = ({ path }: Operation) => story.findIndex((step) => step.path === path);
/** So that each request finds what those before it have made. */
const inStoryOrder = partnerOperations.toSorted((one, other) => placeInStory(one) - placeInStory(other));

/** Makes the collection of the partner operations. */
export function postmanCollection(): JsonObject {
  return {
    info: {
      name: audiences.partner.title,
      description: `${audiences.partner.description("").replace(documentLink, "$1")}\n\nFill in client_id and client_secret in the environment, then run it. The requests that delete a tier or merge a member are skipped unless delete_tier_id or merge_from_contact_id names one, because they can't be undone.`,
      schema: "https://schema.getpostman.com/json/collection/v2.1.0/collection.json",
    },
    auth: { type: "bearer", bearer: [{ key: "token", value: "{{access_token}}", type: "string" }] },
    event: [
      script("prerequest", [
        "// Phone numbers and e-mail addresses are unique in a business.",
        'pm.variables.set("unique_number", String(600000000 + Math.floor(Math.random() * 99999999)));',
      ]),
    ],
    item: tagsOf(inStoryOrder).map(({ name, description }) => ({
      name,
      description,
      item: inStoryOrder.filter((operation) => tagOf(operation).name === name).map(item),
    })),
  };
}

/** Links of the document lead to pages beside it, and a collection lies elsewhere. */
const documentLink = /\[([^\]]+)\]\((?!https?:)[^)]*\)/g;

function item(operation: Operation): JsonObject {
  const { path } = operation;
  return {
    name: operation.summary,
    event: [...skippedUnlessNamed(operation), script("test", testOf(operation))],
    request: {
      method: "POST",
      ...(!isAuthorized(operation) ? { auth: { type: "noauth" } } : {}),
      header: [{ key: "Content-Type", value: "application/json" }],
      url: { raw: `{{base_url}}${path}`, host: ["{{base_url}}"], path: path.split("/").slice(1) },
      body: { mode: "raw", raw: requestBody(operation), options: { raw: { language: "json" } } },
      description: describe(operation),
    },
    response: [],
  };
}

/**
 * The variable that names what an operation ends, such as delete_tier_id. A run must not do what can't be undone, so the variable is
 * empty until somebody sets it.
 */
function endsNamed(operation: Operation): string | undefined {
  if (!isAuthorized(operation) || operation.confirm === undefined) return undefined;
  // A run ends the webhook endpoint that it made.
  if (operation.path.startsWith("/sp/webhook-")) return undefined;
  const id = Object.keys(operation.input.properties).find((name) => name.endsWith("_id"));
  return `${verbOf(operation)}_${id}`;
}

const verbOf = ({ path }: Operation) => path.split("/").at(-1);

function skippedUnlessNamed(operation: Operation): JsonObject[] {
  const isInSandbox = isAuthorized(operation) && operation.scope === "wa.sandbox.write";
  // Only a sandbox business has a clock. The environment says which one.
  const variable = endsNamed(operation) ?? (isInSandbox ? "in_sandbox" : undefined);
  if (variable === undefined) return [];
  return [script("prerequest", [`if (!pm.environment.get("${variable}")) pm.execution.skipRequest();`])];
}

/** The example with variables where they have to be: in quotes for text, bare for numbers. */
function requestBody(operation: Operation): string {
  // A search finds somebody in the demo business; in another it may find nobody.
  const fields = Object.entries(operationExample(operation).request).filter(([name]) => name !== "search");
  const lines = fields.map(([name, value]) => {
    // A search by key names a member that the collection has made.
    const known = operation === findMemberOperation ? `found_${name}` : name;
    return `  ${JSON.stringify(name)}: ${fieldValue(known, value, operation)}`;
  });
  return lines.length === 0 ? "{}" : `{\n${lines.join(",\n")}\n}`;
}

function fieldValue(name: string, value: Json, operation: Operation): string {
  if (name in fresh) return JSON.stringify(fresh[name]);
  const ended = `${verbOf(operation)}_${name}`;
  const variable = ended === endsNamed(operation) ? ended : name;
  if (!environmentNames.has(variable)) return JSON.stringify(value);
  return typeof value === "number" ? `{{${variable}}}` : `"{{${variable}}}"`;
}

function testOf(operation: Operation): string[] {
  const status = statusOf(operation);
  const { data, meta } = operationExample(operation).response;
  const record = (Array.isArray(data) ? data[0] : data) as JsonObject;
  const lines = [
    "const answer = pm.response.json();",
    `pm.test("answers ${status}", () => pm.response.to.have.status(${status}));`,
    'pm.test("answers in the envelope", () => {',
    "  pm.expect(answer.success).to.equal(true);",
    '  pm.expect(answer.message).to.be.a("string");',
    ...("pagination" in meta ? ["  pm.expect(answer.meta.pagination.current_page).to.equal(1);"] : []),
    "});",
    'pm.test("names the request", () => pm.expect(pm.response.headers.get("X-Request-Id")).to.be.a("string"));',
    Array.isArray(data) ? "const record = answer.data[0];" : "const record = answer.data;",
    `pm.test("answers every field", () => pm.expect(record).to.include.keys(${JSON.stringify(Object.keys(record))}));`,
  ];
  if (operation.kind === "token") {
    lines.push('pm.environment.set("access_token", answer.data.access_token);');
  }
  // The last tier is the one to try changes on: a business's first are the ones its members have.
  if (operation === listMemberTiers) {
    lines.push('pm.environment.set("tier_id", answer.data.at(-1).tier_id);');
  }
  for (const name of idsMadeBy(operation).filter((each) => environmentNames.has(each))) {
    lines.push(`pm.environment.set(${JSON.stringify(name)}, record.${name});`);
  }
  if ("phone_number" in record) {
    lines.push('pm.environment.set("found_phone_number", record.phone_number);');
  }
  return lines;
}

function script(listen: "prerequest" | "test", exec: readonly string[]): JsonObject {
  return { listen, script: { type: "text/javascript", exec } };
}

/** @param baseUrl where the service lies */
export function postmanEnvironment(baseUrl: string): JsonObject {
  return {
    name: "Loyalty",
    values: environment.map(([key, value, type = "default"]) => ({
      key,
      value: key === "base_url" ? baseUrl : value,
      type,
      enabled: true,
    })),
    _postman_variable_scope: "environment",
  };
}
