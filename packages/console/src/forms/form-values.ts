/** What a form holds, and the request that it becomes. Fields keep the text that a person wrote until the form is sent. */
import type { Declaration, Field, Fields } from "../api/declarations.ts";
import { editedDecimal } from "../texts/decimals.ts";
import { texts } from "../texts/en/texts.ts";
import * as typed from "../texts/typed.ts";
import { numberOf } from "../values/periods.ts";
import type { Row } from "../values/value.tsx";

/** A text, a flag, the chosen values of a list, or records. */
export type FormValue = string | boolean | readonly string[] | readonly FormValues[];
export interface FormValues extends Readonly<Record<string, FormValue>> {}
export type Problems = Readonly<Record<string, string>>;

/** Some fields of a request. Names of others are left out. */
export const fieldsOf = (input: Fields, names: readonly string[]): Fields =>
  Object.fromEntries(names.flatMap((name) => (input[name] ? [[name, input[name]]] : [])));

/** A dry run is what a preview sends, and not a choice of the person. */
const ofPreview = "dry_run";

/**
 * The names of the fields that a form asks for: by default all that the page has not set.
 * @param fixed those that the page sets; what can be sent instead of one of them is left out, too
 */
export function namesOf(
  { input, exactlyOneOf = [] }: Declaration,
  fixed: object,
  names: readonly string[] = Object.keys(input),
) {
  const decided = exactlyOneOf.some((name) => name in fixed) ? exactlyOneOf : [];
  const known = new Set([...Object.keys(fixed), ...decided, ofPreview]);
  return [...new Set(names)].filter((name) => !known.has(name));
}

/** Whether a field is on or off. One with choices can also be left out. */
export const isFlag = ({ type, enum: choices }: Field): boolean =>
  type === "boolean" && choices === undefined;

const isAsked = ({ askedIf = {} }: Field, values: FormValues) =>
  Object.entries(askedIf).every(
    ([other, allowed]) => !(other in values) || allowed.includes(`${values[other]}`),
  );

/** The fields that a form asks for. What was chosen in one can leave nothing to write in another. */
export const askedFields = (fields: Fields, values: FormValues): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, field]) => isAsked(field, values)));

/** The values that a form sends: a field that it does not ask for is empty, or has its first choice. */
export function sentValues(fields: Fields, values: FormValues): FormValues {
  const entries = Object.entries(fields).flatMap(([name, field]) => {
    const empty = isFlag(field) ? false : (field.enum?.[0] ?? (field.nullable ? "" : undefined));
    const value = isAsked(field, values) ? (values[name] ?? "") : empty;
    return field.local || value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(entries);
}

/** The values of a form. @param initial the record as it is, for a change */
export function formValues(fields: Fields, initial: Row, decimals: number): FormValues {
  // A period begins with the usual unit.
  const known = (name: string) => initial[name] ?? (numberOf(name, Object.keys(fields)) && usualUnit);
  const entry = ([name, field]: [string, Field]) => [name, formValue(field, known(name), decimals)];
  return Object.fromEntries(Object.entries(fields).map(entry));
}

/** With which a period begins. */
const usualUnit = "month";

function formValue(field: Field, known: unknown, decimals: number): FormValue {
  const value = known ?? field.default;
  if (isFlag(field)) return value === true;
  if (field.type === "array") {
    const items = Array.isArray(value) ? value : [];
    const record = recordOf(field);
    if (record) return items.map((item) => formValues(record, item as Row, decimals));
    if (!isWritten(field)) return items.map(String);
    const lineOf = (item: unknown) => (typeof item === "string" ? item : typed.itemText(field, item as Row));
    return items.map(lineOf).join("\n");
  }
  if (value === null || value === undefined) {
    // A choice that must be made begins with the first value.
    return field.enum !== undefined && !field.optional && !field.nullable ? (field.enum[0] ?? "") : "";
  }
  return typeof value === "number" ? editedDecimal(value, typed.decimalsOf(field, decimals)) : String(value);
}

type Read = Readonly<{ request: Record<string, unknown>; problems: Problems }>;

/**
 * Makes the request of a form.
 * @param before the values of a record that is changed; only fields with other values are sent
 */
export function readForm(fields: Fields, values: FormValues, decimals: number, before?: FormValues): Read {
  const request: Record<string, unknown> = {};
  const problems: Record<string, string> = {};
  for (const [name, field] of Object.entries(fields)) {
    const number = numberOf(name, Object.keys(fields)) ?? "";
    if (number in problems) continue;
    // A period without a number has no unit.
    const valueIn = (all: FormValues) => (all[number] === "" ? "" : (all[name] ?? ""));
    const value = valueIn(values);
    if (before !== undefined && JSON.stringify(value) === JSON.stringify(valueIn(before))) continue;
    const read = readValue(field, value, decimals, before !== undefined);
    if (read instanceof Error) problems[name] = read.message;
    else if (read !== undefined) request[name] = read;
  }
  return { request, problems };
}

/** @returns undefined for a field that is not sent, and an error with the text of a problem */
function readValue(field: Field, value: FormValue, decimals: number, isChange: boolean): unknown {
  if (typeof value === "boolean")
    return !isChange && field.optional && value === (field.default ?? false) ? undefined : value;
  const record = recordOf(field);
  if (record) return readRecords(record, value as readonly FormValues[], decimals);
  if (typeof value !== "string") {
    if (value.length === 0 && field.optional && !isChange) return undefined;
    if (value.length === 0 && field.nullable) return null;
    return field.items?.type === "integer" ? value.map(Number) : value;
  }
  // Blanks around a name or a code come from pasting it.
  const text = typed.typedText(value);
  if (text === "") return readNothing(field, isChange);
  if (field.type === "array") return typed.typedItems(field, text);
  if (field.type === "boolean") return text === "true";
  if (typed.isDay(field)) return typed.typedMoment(field, text);
  if (field.format === "time") return typed.typedClock(text);
  return field.type === "integer" ? typed.typedNumber(field, text, decimals) : text;
}

function readNothing({ nullable, optional, type }: Field, isChange: boolean) {
  if (nullable && (isChange || !optional)) return null;
  if (optional && !isChange) return undefined;
  return type === "array" ? [] : new Error(texts.forms.required);
}

/** The fields of the records in a list that have inputs of their own; undefined for another field. */
export const recordOf = ({ items }: Field): Fields | undefined =>
  items?.properties && Object.keys(items.properties).length > 2 ? items.properties : undefined;

function readRecords(fields: Fields, records: readonly FormValues[], decimals: number) {
  const read = records.map((values) => {
    const sent = sentValues(fields, values);
    return readForm(fieldsOf(fields, Object.keys(sent)), sent, decimals);
  });
  const [problem] = read.flatMap(({ problems }) => Object.values(problems));
  return problem === undefined ? read.map(({ request }) => request) : new Error(problem);
}

/** Whether people write a list, and don't choose its items: words, or records of two fields. */
const isWritten = ({ items }: Field) =>
  items?.properties !== undefined || (items?.type === "string" && items.enum === undefined);

/** The warnings of a request: those of all requests, or of the fields that it sends. */
export function warningsOf({ confirm = {} }: Declaration, request: Row): readonly string[] {
  if (typeof confirm === "string") return [confirm];
  return Object.entries(confirm).flatMap(([field, warning]) => (field in request ? [warning] : []));
}
