/** Command-line options, made from the fields that an operation declares. */

import { type Argument, type Command, InvalidArgumentError, Option } from "commander";
import * as fields from "../../contract/fields.ts";
import type { Options } from "../command.ts";

/** What of JSON Schema the declarations use. */
export interface FieldSchema {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly enum?: readonly string[];
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: FieldSchema;
  readonly anyOf?: readonly FieldSchema[];
}

const businessId: FieldSchema = fields.businessId;

export interface FieldOption {
  readonly field: string;
  /** With its dashes. */
  readonly flag: string;
  /** Two for a boolean that can be said no to, and a hidden one with the full name of the field if that is longer. */
  readonly options: readonly Option[];
}

/** What completion needs to know of an option or an argument: its field, and the possible items of a list. */
export interface Completed {
  readonly field: string;
  readonly items?: readonly string[] | undefined;
}

export const completed = new WeakMap<Option | Argument, Completed>();

/** The parsed value of "none". Commander takes null for a parser that failed. */
export const none = Symbol("none");

/** Fields that are the name of a record. */
const nameFields: ReadonlySet<string> = new Set(["campaign_name", "membership_name", "title"]);

/** business_id is --business, location_ids is --locations, the name of a record is --name, and others keep their name. */
export function flagOf(field: string): string {
  if (nameFields.has(field)) return "--name";
  return `--${field.replace(/_id$/, "").replace(/_ids$/, "s").replaceAll("_", "-")}`;
}

/** The value that a command line gives a field, under either name; undefined without one. */
export function givenValue({ options }: FieldOption, given: Options): unknown {
  return options.map((option) => given[option.attributeName()]).find((value) => value !== undefined);
}

/** Whether a command needs an option; the business is found without it. */
export type Need = "required" | "optional" | "found";

/** Makes the option of a field. */
export function fieldOption(field: string, schema: FieldSchema, need: Need): FieldOption {
  const flag = flagOf(field);
  const { of, nullable } = withoutNull(schema);
  if (of.type === "boolean") return booleanOption(field, flag, schema, need);
  const text = describe(schema, of, { nullable, need });
  const make = (name: string) => {
    const option = new Option(`${name} <${placeholder(field, of)}>`, text);
    if (of.enum !== undefined && !nullable) option.choices(of.enum);
    else option.argParser((text, previous) => parse(text, previous, of, nullable));
    completed.set(option, { field, items: of.items?.enum });
    return option;
  };
  const option = make(flag);
  const fullName = `--${field.replaceAll("_", "-")}`;
  const options =
    fullName === flag ? [option] : [option, make(fullName).hideHelp().conflicts(option.attributeName())];
  return { field, flag, options };
}

/** Adds the options of a field to a hand-written command. */
export function addField(command: Command, field: string, need: Need, schema = businessId): Command {
  for (const option of fieldOption(field, schema, need).options) command.addOption(option);
  return command;
}

function booleanOption(field: string, flag: string, schema: FieldSchema, need: Need): FieldOption {
  const yes = new Option(flag, describe(schema, schema, { nullable: false, need }));
  const no = new Option(flag.replace("--", "--no-"), `The opposite of ${flag}.`);
  // An option that is false by default needs no opposite.
  const options = schema.default === false ? [yes] : [yes, no];
  return { field, flag, options };
}

function withoutNull(schema: FieldSchema): { of: FieldSchema; nullable: boolean } {
  const others = schema.anyOf?.filter(({ type }) => type !== "null") ?? [];
  const [of] = others;
  return of !== undefined && others.length === 1 ? { of, nullable: true } : { of: schema, nullable: false };
}

function placeholder(field: string, { type, enum: values, format, items }: FieldSchema): string {
  if (type === "array") return items?.type === "integer" ? "ids" : "list";
  if (field.endsWith("_id") && type === "integer") return "id";
  if (type === "integer") return "number";
  if (format === "date") return "date";
  return values === undefined ? "text" : "value";
}

/** Ranges that no caller exceeds by accident are left out. */
const widestShownRange = 1_000_000_000;

function describe(
  schema: FieldSchema,
  of: FieldSchema,
  { nullable, need }: { readonly nullable: boolean; readonly need: Need },
): string {
  const notes: string[] = need === "required" ? ["required"] : [];
  if (of.type === "array") notes.push("several: separated by commas");
  if (of.items?.enum !== undefined) notes.push(`of: ${of.items.enum.join(", ")}`);
  const { minimum, maximum } = of;
  if (
    of.type === "integer" &&
    minimum !== undefined &&
    maximum !== undefined &&
    maximum <= widestShownRange
  ) {
    notes.push(`${minimum} to ${maximum}`);
  }
  if (need === "found") notes.push("default: LOYALTY_BUSINESS, or the only business");
  if (nullable) notes.push('"none" for none');
  if (schema.default !== undefined && schema.default !== false)
    notes.push(`default: ${String(schema.default)}`);
  // What is null in the API is none here.
  const description = (schema.description ?? "").replace(/,? or null(?: for none)?/, "");
  return notes.length === 0 ? description : `${description} (${notes.join("; ")})`;
}

/** Reads names that are separated by commas. */
export const names = (text: string) => text.split(",").map((name) => name.trim());

function parse(text: string, previous: unknown, schema: FieldSchema, nullable: boolean): unknown {
  if (nullable && text === "none") return none;
  if (schema.type === "integer") {
    if (/^\d+\.\d+$/.test(text) && /minor unit/.test(schema.description ?? "")) {
      throw new InvalidArgumentError("It must be in minor units, such as cents: 550 for 5.50.");
    }
    return integer(text);
  }
  if (schema.type === "array") {
    const items = names(text).filter((item) => item !== "");
    return [...((previous as unknown[] | undefined) ?? []), ...items.map((item) => one(item, schema.items))];
  }
  return text;
}

function one(text: string, schema: FieldSchema | undefined): string | number {
  if (schema?.type === "integer") return integer(text);
  if (schema?.enum !== undefined && !schema.enum.includes(text)) {
    throw new InvalidArgumentError(`"${text}" is none of ${schema.enum.join(", ")}.`);
  }
  return text;
}

function integer(text: string): number {
  const number = Number(text);
  if (!/^-?\d+$/.test(text)) throw new InvalidArgumentError("It must be a whole number.");
  if (Number.isSafeInteger(number)) return number;
  throw new InvalidArgumentError(`It must be at most ${Number.MAX_SAFE_INTEGER}.`);
}
