/** The command of an operation, made from its declaration. */
import { Argument, Command, Option } from "commander";
import { bodyOf } from "../../contract/body.ts";
import type { Operation } from "../../contract/operation.ts";
import { usageError } from "../cli-error.ts";
import { acting, type Context, exampleText, type Options, shellWord } from "../command.ts";
import { chooseBusiness, findBusiness } from "../service/businesses.ts";
import type { OperatorClient } from "../service/client.ts";
import { confirm } from "../terminal/terminal.ts";
import { commandOfPath, subjectField } from "./command-names.ts";
import {
  completed,
  type FieldOption,
  type FieldSchema,
  fieldOption,
  flagOf,
  givenValue,
  none,
} from "./field-options.ts";
import { actionText, consequenceOf } from "./questions.ts";
import { hasMoney, hasTimes, type ListOptions, listOptions, showList, showResponse } from "./responses.ts";

/** A field of an operation, as its command knows it. */
interface DeclaredField extends FieldOption {
  readonly schema: FieldSchema;
  readonly required: boolean;
}

/** Fields with a good default, which examples leave out. */
const notInExamples = new Set(["idempotency_key", "page", "per_page"]);

/** Makes the command. */
export function operationCommand(operation: Operation): Command {
  const words = commandOfPath(operation.path);
  const fields = declaredFields(operation);
  const command = new Command(words.at(-1)).summary(operation.summary);
  command.description(withFlags(operation.description, fields));
  const subject = fields.find(({ field }) => field === subjectField(operation));
  if (subject !== undefined) {
    const text = `The same as ${subject.flag}.`;
    const argument = new Argument("[id]", text).argParser(idOf);
    completed.set(argument, subject);
    command.addArgument(argument);
  }
  for (const { field, options } of fields) {
    for (const option of options) {
      // The option is by what it says.
      option.description = withFlags(option.description.replace(`, by ${field}.`, "."), fields);
      command.addOption(option);
    }
  }
  if (operation.kind === "list") for (const option of listOptions()) command.addOption(option);
  // Some of its requests ask first, such as those that change a currency.
  if (consequenceOf(operation, { currency: "" }) !== undefined)
    command.addOption(new Option("--yes", "Do it without asking."));
  const shown = fields.filter(({ field }) => !notInExamples.has(field));
  return command
    .addHelpText("after", exampleText(examplesOf(words, shown, neededFields(operation))))
    .action(acting((context, options, given) => perform(operation, context, options, given)));
}

/** @throws CliError when the text is not an id */
function idOf(text: string): number {
  if (/^\d+$/.test(text) && Number.isSafeInteger(Number(text))) return Number(text);
  throw usageError(`The id must be a whole number, not "${text}".`);
}

function declaredFields(operation: Operation): DeclaredField[] {
  const { properties, required = [] } = bodyOf(operation) as unknown as {
    properties: Record<string, FieldSchema>;
    required?: string[];
  };
  // What a person seldom needs comes last.
  const { idempotency_key, ...rest } = properties;
  const inOrder = idempotency_key === undefined ? rest : { ...rest, idempotency_key };
  return Object.entries(inOrder).map(([field, schema]) => {
    // Without a key, the command makes one.
    const isRequired = required.includes(field) && field !== "idempotency_key";
    const isFound = field === "business_id" && subjectField(operation) !== field;
    const need = isRequired ? (isFound ? "found" : "required") : "optional";
    return { schema, required: isRequired, ...fieldOption(field, schema, need) };
  });
}

/** Names options where a text for users of the API names fields. */
function withFlags(text: string, fields: readonly DeclaredField[]): string {
  return text
    .replaceAll(" is null", " is none")
    .replace(/\b[a-z]+(?:_[a-z]+)+\b/g, (word) => fields.find(({ field }) => field === word)?.flag ?? word);
}

/** Fields that the operation needs although its schema does not require each of them. */
function neededFields({ atLeastOneOf, input }: Operation): readonly string[] {
  return atLeastOneOf ?? ("all_locations" in input.properties ? ["all_locations"] : []);
}

/**
 * The body that a command line makes.
 * @param id of the record, without its option
 */
export function requestBody(operation: Operation, options: Options, id?: string): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const field of declaredFields(operation)) {
    const value = givenValue(field, options);
    if (value !== undefined) body[field.field] = value === none ? null : value;
  }
  const subject = subjectField(operation);
  if (id === undefined || subject === undefined) return body;
  if (subject in body) throw usageError(`Give the id ${id} or ${flagOf(subject)}, not both.`);
  return { ...body, [subject]: idOf(id) };
}

/** @throws CliError that names every option that is missing; the business may be found without */
function requireFields(operation: Operation, body: Readonly<Record<string, unknown>>): void {
  const subject = subjectField(operation);
  const missing = declaredFields(operation).filter(
    ({ field, required }) => required && !(field in body) && (field !== "business_id" || field === subject),
  );
  if (missing.length === 0) return;
  const names = missing.map(({ options }) => (options[0] as Option).flags);
  throw usageError(
    names.length === 1
      ? `The option ${names[0]} is required.`
      : `These options are required: ${names.join(", ")}.`,
    `See: loyalty ${commandOfPath(operation.path).join(" ")} --help`,
  );
}

/** Adds the business to a body that needs one and has none. */
async function withBusiness(
  operation: Operation,
  client: OperatorClient,
  body: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, unknown>>> {
  const isNeeded = (operation.input.required ?? []).includes("business_id");
  if (!isNeeded || "business_id" in body) return body;
  const field = subjectField(operation) ?? "contact_id";
  const id = body[field];
  return {
    business_id: await chooseBusiness(client, typeof id === "number" ? { field, id } : undefined),
    ...body,
  };
}

async function perform(
  operation: Operation,
  context: Context,
  options: Options,
  [id]: readonly string[],
): Promise<void> {
  const given = requestBody(operation, options, id);
  requireFields(operation, given);
  const client = await context.client();
  const body = await withBusiness(operation, client, given);
  if (operation.kind === "list") return showList(operation, context, body, options as ListOptions);
  const consequence = options.yes === true ? undefined : consequenceOf(operation, body);
  if (consequence !== undefined) await confirm(await actionText(client, operation, body), consequence);
  const write = operation.kind === "write" || operation.kind === "posting";
  const answer = await client.call(operation.path, body, { write, nameOf: flagOf });
  const isShown = !context.json && (hasTimes(answer.data) || hasMoney(answer.data));
  // The operation has succeeded, and a failure of this look-up must not make it look otherwise.
  const business =
    isShown && typeof body.business_id === "number"
      ? await findBusiness(client, body.business_id).catch(() => undefined)
      : undefined;
  showResponse(operation, context, answer, business);
}

/** The words that set a field to its example; none if the example says little. */
function wordsOf({ flag, schema, options }: DeclaredField): string[] {
  const example = schema.examples?.[0] ?? schema.items?.examples?.[0] ?? schema.enum?.[0];
  if (example === undefined || example === null) return [];
  if (typeof example === "boolean")
    return [example || options.length === 1 ? flag : flag.replace("--", "--no-")];
  if (Array.isArray(example)) return example.length === 0 ? [] : [flag, example.join(",")];
  return [flag, shellWord(String(example))];
}

/**
 * Up to two examples: the shortest that does something, and one with everything.
 * @param needed fields that the shortest request needs besides the required ones
 */
function examplesOf(
  command: readonly string[],
  fields: readonly DeclaredField[],
  needed: readonly string[],
): string[] {
  const line = (some: readonly DeclaredField[]) =>
    ["loyalty", ...command, ...some.flatMap((field) => wordsOf(field))].join(" ");
  const short = fields.filter(({ field, required }) => required || field === needed[0]);
  return [...new Set([line(short), line(fields)])];
}
