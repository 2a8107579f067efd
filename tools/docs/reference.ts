/** The reference: every operation of an audience as one page, with a form to try each. */
import { marked } from "marked";
import type { TSchema } from "typebox";
import { errors } from "../../src/contract/errors.ts";
import { bodyOf, errorsOf, isWrite, type Operation } from "../../src/contract/operation.ts";
import { partnerOperations } from "../../src/operations/partner.ts";
import { operationExample } from "./examples.ts";
import { escapeHtml, highlight } from "./html.ts";
import { operationId, tagGroupsOf, tagOf } from "./names.ts";
import { describe } from "./openapi.ts";
import { paths } from "./paths.ts";
import { statusOf } from "./responses.ts";

/** A schema as the documents publish it. */
interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

/** The errors that the guide for partners explains. */
export const explainedErrors: ReadonlySet<string> = new Set(partnerOperations.flatMap(errorsOf));

/** Every operation, with the errors that all of them have at the end. */
export function referenceHtml(operations: readonly Operation[]): string {
  const common = operations.map(errorsOf).reduce((one, other) => one.filter((code) => other.includes(code)));
  const sections = operations.map((operation) => operationHtml(operation, common));
  return `${sections.join("\n")}
<section class="operation" id="errors">
<h2>Errors of every operation</h2>
<p>Each of these can come from any operation. Program by the code: messages are for people.</p>
${errorList(common)}
</section>`;
}

/** The operations in their groups, for the navigation. */
export function operationIndex(operations: readonly Operation[]): string {
  const link = (operation: Operation) =>
    `<li><a class="entry" href="#${operationId(operation)}">${escapeHtml(operation.summary)}` +
    `<small>${operation.path}</small></a></li>`;
  const tags = (names: readonly string[]) =>
    names.map((name) => {
      const own = operations.filter((operation) => tagOf(operation).name === name);
      return `<p>${escapeHtml(name)}</p><ul>${own.map(link).join("")}</ul>`;
    });
  return tagGroupsOf(operations)
    .filter((group) => group.tags.length > 0)
    .map((group, _, all) => (all.length > 1 ? `<h2>${group.name}</h2>` : "") + tags(group.tags).join(""))
    .join("");
}

function operationHtml(operation: Operation, common: readonly string[]): string {
  const id = operationId(operation);
  const { summary, path } = operation;
  const own = errorsOf(operation).filter((code) => !common.includes(code));
  const { request, response } = operationExample(operation);
  const example = JSON.stringify(request, null, 2);
  const newKey = isWrite(operation) ? ' <button type="button" class="new-key">New key</button>' : "";
  return `<section class="operation" id="${id}">
<h2><a href="#${id}">${escapeHtml(summary)}</a></h2>
<p class="path"><b>POST</b> <code>${path}</code></p>
<div class="about">
${marked.parse(describe(operation), { async: false })}
${fieldTable("<h3>Fields</h3>", bodyOf(operation), "request")}
</div>
<form class="try" data-path="${path}">
<label for="${id}-body">Request</label>
<textarea id="${id}-body" spellcheck="false" rows="${example.split("\n").length}">${escapeHtml(example)}</textarea>
<p><button>Send</button>${newKey} <output></output></p>
<p class="label">Response, ${statusOf(operation)}</p>
<pre tabindex="0"><code>${highlight(JSON.stringify(response, null, 2), "json")}</code></pre>
</form>
<div class="about">
<details><summary>Fields of the response</summary>${fieldTable("", operation.output, "response")}</details>
${own.length === 0 ? "" : `<h3>Errors</h3>${errorList(own)}`}
</div>
</section>`;
}

function errorList(codes: readonly string[]): string {
  const items = codes.map((code) => {
    const { status, message } = errors[code as keyof typeof errors];
    const name = `<code>${code}</code>`;
    const link = explainedErrors.has(code) ? `<a href="${paths.errors}#${code}">${name}</a>` : name;
    return `<li>${link} ${status}<br>${escapeHtml(message)}</li>`;
  });
  return `<ul class="errors">${items.join("")}</ul>`;
}

/** The fields of a request, where those that must be sent are marked, or of a response. */
function fieldTable(heading: string, schema: TSchema, of: "request" | "response"): string {
  // Without the notes that typebox keeps in schemas.
  const objects = objectsIn(JSON.parse(JSON.stringify(schema)) as Schema);
  const rows = objects.flatMap((object) =>
    fieldRows(of === "request" ? object : { ...object, required: [] }, ""),
  );
  return rows.length === 0 ? "" : `${heading}<dl class="fields">${rows.join("")}</dl>`;
}

/**
 * A row for each field; fields of objects and of lists of objects follow theirs.
 * @param condition which of several objects has the fields
 */
function fieldRows({ properties = {}, required = [] }: Schema, prefix: string, condition = ""): string[] {
  return Object.entries(properties).flatMap(([name, field]) => {
    const path = prefix + name;
    const needed = required.includes(name) && prefix === "" ? ' <span class="required">required</span>' : "";
    const about = marked.parseInline(field.description ?? "", { async: false });
    const only = onlyValue(field) === undefined ? condition : "";
    const row =
      `<div><dt><code>${path}</code> <span class="type">${escapeHtml(typeText(field) + only)}</span>${needed}</dt>` +
      `<dd>${about}</dd></div>`;
    const variants = objectsIn(field);
    const inner = `${path}${field.type === "array" ? "[]" : ""}.`;
    return [
      row,
      ...variants.flatMap((variant) =>
        fieldRows(variant, inner, variants.length > 1 ? conditionOf(variant) : ""),
      ),
    ];
  });
}

/** Every object that a field may be, or that its list may hold. */
function objectsIn({ properties, items, anyOf = [], ...schema }: Schema): Schema[] {
  if (properties !== undefined) return [{ ...schema, properties }];
  return [...anyOf, ...(items === undefined ? [] : [items])].flatMap(objectsIn);
}

/** What distinguishes an object from the others that a field may be: the field with one value. */
function conditionOf({ properties = {} }: Schema): string {
  const [name, field] = Object.entries(properties).find(([, { enum: values }]) => values?.length === 1) ?? [];
  return field === undefined ? "" : `, if ${name} is ${JSON.stringify(onlyValue(field))}`;
}

function onlyValue({ enum: values, const: value }: Schema): unknown {
  return value ?? (values?.length === 1 ? values[0] : undefined);
}

/** The JSON type of a field, and which values it takes. Bounds that no caller meets by accident are left out. */
function typeText(schema: Schema): string {
  const { type, items, anyOf, default: fallback } = schema;
  if (anyOf !== undefined) return [...new Set(anyOf.map(typeText))].join(" or ");
  const ending = fallback === undefined ? "" : `, ${JSON.stringify(fallback)} by default`;
  const values = schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);
  if (values !== undefined)
    return `string: ${values.map((value) => JSON.stringify(value)).join(" or ")}${ending}`;
  if (type === "array") return `array of ${typeText(items ?? {})}`;
  if (type === "integer") return `integer${rangeText(schema)}${ending}`;
  if (type === "string") return `string${textType(schema)}${ending}`;
  return `${type ?? ""}${ending}`;
}

function rangeText({ minimum, maximum }: Schema): string {
  const shown = (bound: number | undefined) =>
    bound === undefined || Math.abs(bound) >= 2 ** 31 - 1 ? undefined : bound.toLocaleString("en");
  const [least, most] = [shown(minimum), shown(maximum)];
  if (most !== undefined) return `, ${least ?? 0} to ${most}`;
  return least === undefined || Number(minimum) <= 1 ? "" : `, at least ${least}`;
}

const formats: Readonly<Record<string, string>> = {
  date: ", YYYY-MM-DD",
  email: ", e-mail address",
  e164: ", phone number",
};

function textType({ format, maxLength }: Schema): string {
  const name = formats[format ?? ""];
  if (name !== undefined) return name;
  return maxLength === undefined || maxLength > 10_000 ? "" : `, up to ${maxLength} characters`;
}
