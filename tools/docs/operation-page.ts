/** The pages of the reference: one for each operation, and one that lists those of an audience. */
import { marked } from "marked";
import type { TSchema } from "typebox";
import { escapeHtml } from "../../docs/pages/code.js";
import { errors } from "../../src/contract/errors.ts";
import { bodyOf, errorsOf, isWrite, type Operation } from "../../src/contract/operation.ts";
import { partnerOperations } from "../../src/operations/operations.ts";
import type { Document } from "./documents.ts";
import { madeIds, operationExample } from "./examples.ts";
import { fieldsOf } from "./fields.ts";
import { pageOfOperation } from "./menu.ts";
import { operationId, tagGroupsOf, tagOf, tagsOf } from "./names.ts";
import { type Audience, audiences, describe } from "./openapi.ts";
import { statusOf } from "./responses.ts";

/** The errors that the guide for partners explains. */
const explainedErrors: ReadonlySet<string> = new Set(partnerOperations.flatMap(errorsOf));

/** The facts at the beginning of a page. JSON is YAML, too. */
function page(matter: object, lines: readonly string[]): string {
  return `---\n${JSON.stringify(matter)}\n---\n\n${lines.join("\n\n")}\n`;
}

/** The page of one operation: what it does, a form to try it, its fields and its errors. */
export function operationPage(
  operation: Operation,
  audience: Audience,
  documents: readonly Document[] = [],
): string {
  const { operations, title } = audiences[audience];
  const { path, summary } = operation;
  const common = operations.map(errorsOf).reduce((one, other) => one.filter((code) => other.includes(code)));
  const isCommon = (code: (typeof common)[number]) => common.includes(code);
  const { request, response } = operationExample(operation);
  const matter = {
    title: `${summary}: ${title}`,
    description: plainSentence(operation.description),
    pageClass: "operation",
    aside: false,
    keywords: `${path} ${operationId(operation)} ${tagOf(operation).name}`,
    operation: {
      ...{ path, request, response, status: statusOf(operation), isWrite: isWrite(operation) },
      needsToken: "scope" in operation || "role" in operation,
      // The examples go on with the demo's member: a new one has no money.
      passedOn: [...madeIds(operations).filter((name) => name !== "contact_id"), "client_id", "to"],
    },
  };
  return page(matter, [
    '<div class="about">',
    `# ${summary}`,
    `<p class="path"><b>POST</b> <code>${path}</code></p>`,
    withoutTags(withCode(describe(operation))),
    ...guidesOf(path, documents),
    "</div>",
    "<TryIt />",
    '<div class="about">',
    ...fieldList("## Fields", bodyOf(operation), "request"),
    ...fieldList("## Fields of the response", operation.output, "response"),
    "## Errors",
    ...errorList(errorsOf(operation).filter((code) => !isCommon(code))),
    `Also the errors of every operation: ${common.map(errorLink).join(", ")}.`,
    "</div>",
  ]);
}

/** Lists that name nearly every operation. */
const lists = ["scopes", "changes", "errors", "event-types", "sdk"].map((name) => `guides/${name}`);
const mostGuides = 4;

/** Where guides for those who call an operation are. */
const folderOf = (path: string) => (path.startsWith("/op/") ? "operators/" : "guides/");

/** Links to the guides that name an operation, most often first. */
function guidesOf(path: string, documents: readonly Document[]): string[] {
  const named = new RegExp(`${path}(?![/a-z-])`, "g");
  const guides = documents
    .filter(({ page }) => page.startsWith(folderOf(path)) && !lists.includes(page))
    .map(({ page, title, markdown }) => ({ page, title, times: markdown.match(named)?.length ?? 0 }))
    .filter(({ times }) => times > 0)
    .toSorted((one, other) => other.times - one.times)
    .slice(0, mostGuides);
  return guides.length === 0
    ? []
    : [`Guides: ${guides.map(({ page, title }) => `[${title}](/${page})`).join(", ")}`];
}

/** Where the operations of an audience are that had an anchor on one page. */
export function movedTo(audience: Audience): Record<string, string> {
  const { operations } = audiences[audience];
  const moved = operations.map((each) => [operationId(each), pageOfOperation(each)]);
  return { ...Object.fromEntries(moved), errors: "guides/errors" };
}

/** The page with all operations of an audience. */
export function referencePage(audience: Audience): string {
  const { operations, title, summary, description } = audiences[audience];
  const document = `/BASE_PATH/${audience === "partner" ? "" : "op/"}openapi.json`;
  return page({ title: `${title}: reference`, description: summary, moved: movedTo(audience) }, [
    `# ${title}`,
    description("").replaceAll("](/guides)", "](/guides/)"),
    `For programs, there is an <a href="${document}">OpenAPI document</a>.`,
    ...tagGroupsOf(operations).flatMap(({ name, tags }) => [
      `## ${name}`,
      ...tagsOf(operations)
        .filter((tag) => tags.includes(tag.name))
        .flatMap((tag) => [
          tag.description,
          operations
            .filter((operation) => tagOf(operation).name === tag.name)
            .map((each) => `- [${each.summary}](/${pageOfOperation(each)}) <code>${each.path}</code>`)
            .join("\n"),
        ]),
    ]),
  ]);
}

const errorLink = (code: string) =>
  `[\`${code}\`](/${explainedErrors.has(code) ? "guides" : "operators"}/errors#${code})`;

function errorList(codes: readonly (keyof typeof errors)[]): string[] {
  if (codes.length === 0) return [];
  const items = codes.map((code) => {
    const { status, message } = errors[code];
    return `- ${errorLink(code)} ${status}<br>${withoutTags(withCode(message))}`;
  });
  return [items.join("\n")];
}

/** The fields of a request, where those that must be sent are marked, or of a response. */
function fieldList(heading: string, schema: TSchema, of: "request" | "response"): string[] {
  const rows = fieldsOf(schema).map(({ path, type, isRequired, description }) => {
    const needed = of === "request" && isRequired ? ' <span class="required">required</span>' : "";
    const about = marked.parseInline(withCode(description), { async: false });
    // Fields of objects in objects, and then those of one of several objects, are further to the right.
    const depth = path.split(".").length + (type.includes(", if ") ? 1 : 0);
    return `<div class="deep-${depth}"><dt><code>${path}</code> <span class="type">${escapeHtml(type)}</span>${needed}</dt><dd>${about}</dd></div>`;
  });
  return rows.length === 0 ? [] : [heading, `<dl class="fields" v-pre>\n${rows.join("\n")}\n</dl>`];
}

/** Text in which the names of fields and codes are code. */
function withCode(markdown: string): string {
  const names = /`[^`]*`|\]\([^)]*\)|(?<![\w/.$-])[a-z]+(?:_[a-z0-9]+)+(?:\.[a-z_]+)*(?![\w/(-])/g;
  return markdown.replaceAll(names, (found) => (/^[`\]]/.test(found) ? found : `\`${found}\``));
}

/** Text in which nothing is HTML. Code stays as it is. */
function withoutTags(markdown: string): string {
  return markdown.replaceAll(/`[^`]*`|</g, (found) => (found === "<" ? "&lt;" : found));
}

const plainSentence = (markdown: string) =>
  (markdown.split(/(?<=\.)\s/, 1)[0] ?? "").replaceAll(/[`*]|\[|\]\([^)]*\)/g, "");
