/** The command of an operation, made from its declaration. */
import { Argument, type Command, Option } from "commander";
import { bodyOf, isAuthorized, type Operation } from "../../contract/operation.ts";
import { type Context, exampleText, type Options, ServiceCommand, shellWord } from "../command.ts";
import { chooseBusiness, getBusiness, identifiesBusiness } from "../service/businesses.ts";
import { type OperatorClient, pagesOf } from "../service/client.ts";
import {
  commandOfPath,
  type Fields,
  flagOf,
  inWordsOfCommands,
  operationAt,
  pluralOf,
  recordField,
  recordName,
  subjectField,
} from "../service/command-names.ts";
import { recordNotFound, rejectedBefore } from "../service/failure.ts";
import { usageError } from "../terminal/cli-error.ts";
import { confirm } from "../terminal/terminal.ts";
import { earningLines, findWhatEarns } from "./earning.ts";
import { type FieldSchema, fieldOptions, givenValue, recordText } from "./field-options.ts";
import { hasTimes, hasUnits, type ListOptions, listOptions, showList, showResponse } from "./responses.ts";

export function operationCommand(operation: Operation): ServiceCommand {
  const words = commandOfPath(operation.path);
  const fields = declaredFields(operation);
  const names = Object.fromEntries(fields.map(({ field }) => [field, true]));
  const described = (text: string) => inWordsOfCommands(text, names);
  const command = new ServiceCommand(words.at(-1))
    .summary(operation.summary)
    .description(described(operation.description))
    .requires(operation);
  const subject = subjectField(operation);
  if (subject !== undefined) {
    const argument = new Argument("[id]", `The same as ${flagOf(subject)}.`);
    command.addArgument(argument);
  }
  for (const option of fields.flatMap(({ options }) => options)) {
    option.description = described(option.description);
    command.addOption(option);
  }
  if (operation.kind === "list") for (const option of listOptions()) command.addOption(option);
  if (isAuthorized(operation) && operation.confirm !== undefined)
    command.addOption(new Option("--yes", "Do not ask for confirmation."));
  return command
    .addHelpText(
      "after",
      () => shownFieldsText(command, operation) + exampleText(examplesOf(operation, fields)),
    )
    .act((context, options, [id]) => runOperation(operation, context, options, id));
}

/** What a command that reads shows, as help says it: the fields of the record with their meaning. */
function shownFieldsText(command: Command, { kind, output }: Operation): string {
  const { properties } = output as FieldSchema;
  if ((kind !== "read" && kind !== "list") || properties === undefined) return "";
  const helper = command.createHelp();
  helper.prepareContext({ helpWidth: command.configureOutput().getOutHelpWidth?.() ?? 80 });
  const width = Math.max(...Object.keys(properties).map((name) => name.length));
  const lines = Object.entries(properties).map(([name, { description = "" }]) =>
    helper.formatItem(name, width, description.replace(/,? in minor units/, "").replace("null", "-"), helper),
  );
  return `\nIt shows:\n${lines.join("\n")}\n`;
}

/** The fields of an operation in the order of help, each with its options. The rarely used key is last. */
function declaredFields(operation: Operation) {
  const { properties, required = [] as string[] } = bodyOf(operation);
  const { idempotency_key, ...rest } = properties as Readonly<Record<string, FieldSchema>>;
  const inOrder = { ...rest, ...(idempotency_key && { idempotency_key }) };
  return Object.entries(inOrder).map(([field, schema]) => {
    // Without a key, the command makes one.
    const isRequired = required.includes(field) && field !== "idempotency_key";
    const isFound = field === "business_id" && subjectField(operation) !== field;
    const need = !isRequired ? "optional" : isFound ? "found" : "required";
    return { field, schema, need, options: fieldOptions(field, schema, need) } as const;
  });
}

type DeclaredField = ReturnType<typeof declaredFields>[number];

/** The body that a command line makes. @param id of the record, without its option */
export function requestBody(operation: Operation, options: Options, id?: string): Record<string, unknown> {
  const given = Object.keys(bodyOf(operation).properties).map((field) => [field, givenValue(field, options)]);
  const body = Object.fromEntries(given.filter(([, value]) => value !== undefined));
  const subject = subjectField(operation);
  if (id === undefined || subject === undefined) return body;
  if (subject in body) throw usageError(`Give the id ${id} or ${flagOf(subject)}, not both.`);
  if (/^\d+$/.test(id) && Number.isSafeInteger(Number(id))) return { ...body, [subject]: Number(id) };
  throw usageError(`The id must be a whole number, not "${id}".`);
}

/** @throws CliError that names every option that is missing */
function requireFields(operation: Operation, body: Fields): void {
  const missing = declaredFields(operation)
    .filter(({ field, need }) => need === "required" && !(field in body))
    .map(({ options: [{ flags }] }) => flags);
  if (missing.length === 0) return;
  throw usageError(
    missing.length === 1
      ? `The option ${missing[0]} is required.`
      : `These options are required: ${missing.join(", ")}.`,
    `See: loyalty ${commandOfPath(operation.path).join(" ")} --help`,
  );
}

async function runOperation(operation: Operation, context: Context, options: Options, id?: string) {
  const given = requestBody(operation, options, id);
  requireFields(operation, given);
  const client = await context.client();
  const needsBusiness = operation.input.required?.includes("business_id") && !("business_id" in given);
  // A list has no subject. Its business is that of a record by which it is filtered.
  const record = [subjectField(operation) ?? "contact_id", ...Object.keys(given)].find(
    (field) => field in given && identifiesBusiness(recordField(field)),
  );
  const business_id = needsBusiness
    ? await chooseBusiness(
        client,
        record === undefined ? undefined : { field: recordField(record), id: given[record] },
      )
    : given.business_id;
  const body: Fields = { ...given, business_id };
  if (operation.kind === "list") return showList(operation, context, body, options as ListOptions);
  const consequence = options.yes === true ? undefined : consequenceOf(operation, body);
  if (consequence !== undefined) await confirm(await actionText(client, operation, body), consequence);
  const response = await client.call(operation.path, body);
  const concernsEarning = isAuthorized(operation) && operation.concernsEarning === true;
  const isShown = !context.json && (concernsEarning || hasTimes(response.data) || hasUnits(operation.output));
  // The operation has succeeded, so a failure of this look-up must not look like a failure of the operation.
  const business =
    isShown && typeof business_id === "number"
      ? await getBusiness(client, business_id).catch(() => undefined)
      : undefined;
  showResponse(operation, context, response, business);
  const { invitation_token: invitation } = response.data as { invitation_token?: string };
  if (invitation !== undefined) {
    context.err.line(
      "Send this link to the person, who sets the password with it. It is valid once, for 24 hours:",
    );
    context.err.line(`${client.baseUrl}/console/accept#token=${invitation}`);
  }
  if (concernsEarning && business !== undefined) {
    const earning = await findWhatEarns(client, business, response.data as Fields).catch(() => undefined);
    for (const line of earning === undefined ? [] : earningLines(earning, business)) context.out.line(line);
  }
}

/** The consequence that a command asks about first; undefined when it does not ask. */
function consequenceOf(operation: Operation, body: Fields): string | undefined {
  const confirm = isAuthorized(operation) ? operation.confirm : undefined;
  if (body.dry_run === true) return undefined;
  if (typeof confirm !== "object") return confirm;
  return Object.entries(confirm).find(([field]) => field in body)?.[1];
}

/**
 * The effect of a command, for a question: "Delete integration 5, Till, of business 1, Café Aurora".
 * @throws CliError if the record does not exist, or the service would reject the request
 */
async function actionText(client: OperatorClient, operation: Operation, body: Fields): Promise<string> {
  const commandWords = commandOfPath(operation.path);
  const [noun, verb = ""] = [commandWords.slice(0, -1).join(" "), commandWords.at(-1)];
  const words = `${verb.charAt(0).toUpperCase()}${verb.slice(1).replaceAll("-", " ")}`;
  const field = subjectField(operation) ?? "";
  // A request without a subject has its name, such as that of a bulk grant.
  const subject = field === "" ? body : await findRecord(client, pluralOf(operation.path), field, body);
  const code = isAuthorized(operation) ? operation.rejects?.(subject, body) : undefined;
  if (code !== undefined) throw rejectedBefore(code, body);
  const text = `${words}${verb === "rotate-secret" ? " of" : ""} ${noun.replaceAll("-", " ")} ${named(subject, body[field] ?? "")}`;
  if (noun === "business" || body.business_id === undefined) return text;
  const business = await findRecord(client, "businesses", "business_id", body);
  const from = `${text}, of business ${named(business, body.business_id)}`;
  if (recordField(field) === field || body[recordField(field)] === undefined) return from;
  const into = await findRecord(client, pluralOf(operation.path), recordField(field), body);
  return `${from}, into ${noun} ${named(into, body[recordField(field)])}`;
}

/** An id with the name of its record, if it has one. */
const named = (record: Fields, id: unknown) =>
  [id, recordName(record)].filter((part) => part !== "").join(", ");

/** Finds the record that a request names. @param noun the plural of its noun @throws CliError when there is none */
async function findRecord(
  client: OperatorClient,
  noun: string,
  field: string,
  body: Fields,
): Promise<Fields> {
  const id = body[field];
  const listed = recordField(field);
  const scope = noun === "businesses" ? {} : { business_id: body.business_id };
  if (operationAt(`/op/${noun}/get`) !== undefined)
    return (await client.call<Fields>(`/op/${noun}/get`, { ...scope, [listed]: id })).data;
  for await (const { data } of pagesOf<Fields>(client, `/op/${noun}/list`, scope)) {
    const found = data.find((record) => record[listed] === id);
    if (found !== undefined) return found;
  }
  throw recordNotFound(listed, id);
}

/** Fields with a good default, which examples leave out. */
const notInExamples = new Set(["idempotency_key", "page", "per_page", "after"]);

/** Fields that are sent instead of others. */
const insteadOfOthers = new Set(["segment_id"]);

/** The shortest example that is valid, and one with all options, or one for each option of which only one can be given. */
function examplesOf(operation: Operation, fields: readonly DeclaredField[]): string[] {
  const { path, atLeastOneOf, exactlyOneOf, onlyOneOf = exactlyOneOf, input } = operation;
  // The schema requires neither of these, but one of them must be there.
  const needed = atLeastOneOf?.[0] ?? ("all_locations" in input.properties ? "all_locations" : undefined);
  const shown = fields.filter(
    ({ field, need }) => !notInExamples.has(field) && !(need === "optional" && insteadOfOthers.has(field)),
  );
  const short = shown.filter(({ field, need }) => need !== "optional" || field === needed);
  const single = onlyOneOf
    ?.filter((name) => !notInExamples.has(name))
    .map((name) => shown.filter(({ field, need }) => need !== "optional" || field === name));
  const lines = (single?.length ? single : [short, shown]).map((some) =>
    ["loyalty", ...commandOfPath(path), ...some.flatMap(exampleWords)].join(" "),
  );
  return [...new Set(lines)];
}

/** The words that set a field to its example; none if the example says little. */
function exampleWords({ field, schema, options }: DeclaredField): string[] {
  const flag = flagOf(field);
  const example = schema.examples?.[0] ?? schema.items?.examples?.[0] ?? schema.enum?.[0];
  if (example === undefined || example === null) return [];
  const { file } = { ...schema, ...schema.anyOf?.[0] };
  if (file !== undefined) return [flag, `${field.replaceAll("_", "-")}${/\.\w+/.exec(file)?.[0] ?? ".png"}`];
  if (typeof example === "boolean")
    return [example || options.length === 1 ? flag : flag.replace("--", "--no-")];
  const values: readonly unknown[] = Array.isArray(example) ? example : [example];
  if (values.some((one) => typeof one === "object"))
    return values.flatMap((one) => [flag, shellWord(recordText(one as object, schema))]);
  return values.length === 0 ? [] : [flag, shellWord(values.join(","))];
}
