/** The reference: every operation of an audience as one page, with a form to try each. */
import { marked } from "marked";
import type { TSchema } from "typebox";
import { escapeHtml, highlight, samples } from "../../docs/pages/code.js";
import { errors } from "../../src/contract/errors.ts";
import { bodyOf, errorsOf, isAuthorized, isWrite, type Operation } from "../../src/contract/operation.ts";
import { partnerOperations } from "../../src/operations/partner.ts";
import { operationExample } from "./examples.ts";
import { fieldsOf } from "./fields.ts";
import { operationId, tagGroupsOf, tagOf } from "./names.ts";
import { describe } from "./openapi.ts";
import { paths } from "./paths.ts";
import { statusOf } from "./responses.ts";

/** The errors that the guide for partners explains. */
const explainedErrors: ReadonlySet<string> = new Set(partnerOperations.flatMap(errorsOf));

/** The operations whose common errors are listed once, at the end. */
const groups: readonly [title: string, has: (operation: Operation) => boolean][] = [
  ["Errors of every operation", () => true],
  ["Errors of every operation that needs authorization", isAuthorized],
  ["Errors of every operation with an idempotency_key", isWrite],
];

/** Every operation, and common errors at the end. */
export function referenceHtml(operations: readonly Operation[]): string {
  const listed = new Set<string>();
  const common = groups.map(([title, has]) => {
    const ofEach = operations.filter(has).map(errorsOf);
    const codes = ofEach.reduce((one, other) => one.filter((code) => other.includes(code)));
    const rest = codes.filter((code) => !listed.has(code));
    for (const code of rest) listed.add(code);
    return { title, has, codes: rest };
  });
  const sections = operations.map((operation) => {
    const shared: string[] = common.flatMap(({ has, codes }) => (has(operation) ? codes : []));
    return operationHtml(
      operation,
      errorsOf(operation).filter((code) => !shared.includes(code)),
    );
  });
  return `${sections.join("\n")}
<section class="operation" id="errors">
<h2>Common errors</h2>
<p>Program by the code: messages are for people.</p>
${common.map(({ title, codes }) => `<h3>${title}</h3>${errorList(codes)}`).join("\n")}
</section>`;
}

/** The operations by subject, for the navigation. */
export function operationIndex(operations: readonly Operation[]): string {
  const link = (operation: Operation) =>
    `<li><a class="entry" href="#${operationId(operation)}">${escapeHtml(operation.summary)}` +
    `<small>${operation.path}</small></a></li>`;
  const listOf = (tag: string) => {
    const own = operations.filter((operation) => tagOf(operation).name === tag);
    return `<ul>${own.map(link).join("")}</ul>`;
  };
  return tagGroupsOf(operations)
    .map(({ name, tags }) => `<p>${name}</p>${tags.map(listOf).join("")}`)
    .join("");
}

/** @param ownErrors those that are not listed at the end */
function operationHtml(operation: Operation, ownErrors: readonly string[]): string {
  const id = operationId(operation);
  const { summary, path } = operation;
  return `<section class="operation" id="${id}">
<h2><a href="#${id}">${escapeHtml(summary)}</a></h2>
<p class="path"><b>POST</b> <code>${path}</code></p>
<div class="about">
${marked.parse(describe(operation), { async: false })}
${fieldTable("<h3>Fields</h3>", bodyOf(operation), "request")}
</div>
${formOf(operation)}
<div class="about">
<details><summary>Fields of the response</summary>${fieldTable("", operation.output, "response")}</details>
<h3>Errors</h3>${errorList(ownErrors)}
<p>Also the <a href="#errors">common errors</a>.</p>
</div>
</section>`;
}

/** A form to send a request, the code that sends it, and the response. */
function formOf(operation: Operation): string {
  const { path } = operation;
  const { request, response } = operationExample(operation);
  const shown = "client_secret" in request ? { ...request, client_secret: maskedSecret } : request;
  const body = JSON.stringify(shown, null, 2);
  const newKey = isWrite(operation) ? '<button type="button" class="new-key">New key</button>' : "";
  const views = ["Request", ...samples.map(({ name }) => name)].map(
    (name, index) =>
      `<label><input type="radio" name="view" value="${index}"${index === 0 ? " checked" : ""}>${name}</label>`,
  );
  const codes = samples.map(
    ({ code }, index) =>
      `<div class="view" data-sample="${index}"><pre tabindex="0"><code>${escapeHtml(code(path, request))}</code></pre></div>`,
  );
  return `<form class="try">
<div class="views" role="radiogroup" aria-label="Show as">${views.join("")}</div>
<div class="view">
<textarea aria-label="Request" spellcheck="false" rows="${body.split("\n").length}">${escapeHtml(body)}</textarea>
<p><button>Send</button>${newKey}<output></output></p>
</div>
${codes.join("\n")}
<p class="status">Response, ${statusOf(operation)}</p>
<div class="response"><pre tabindex="0"><code>${highlight(JSON.stringify(response, null, 2), "json")}</code></pre></div>
</form>`;
}

/** What the page shows for a secret. The script of the page puts that of the credentials in its place. */
const maskedSecret = "••••••••";

function errorList(codes: readonly string[]): string {
  const items = codes.map((code) => {
    const { status, message } = errors[code as keyof typeof errors];
    const name = `<code>${code}</code>`;
    const link = explainedErrors.has(code) ? `<a href="${paths.errors}#${code}">${name}</a>` : name;
    return `<li>${link} ${status}<br>${escapeHtml(message)}</li>`;
  });
  return items.length === 0 ? "" : `<ul class="errors">${items.join("")}</ul>`;
}

/** The fields of a request, where those that must be sent are marked, or of a response. */
function fieldTable(heading: string, schema: TSchema, of: "request" | "response"): string {
  const rows = fieldsOf(schema).map(({ path, type, isRequired, description }) => {
    const needed = of === "request" && isRequired ? ' <span class="required">required</span>' : "";
    const about = marked.parseInline(description, { async: false });
    return `<div><dt><code>${path}</code> <span class="type">${escapeHtml(type)}</span>${needed}</dt><dd>${about}</dd></div>`;
  });
  return rows.length === 0 ? "" : `${heading}<dl class="fields">${rows.join("")}</dl>`;
}
