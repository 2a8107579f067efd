/** The command of an operation, made from its declaration. */
import { Command, Option } from "commander";
import { bodyOf } from "../../contract/body.ts";
import type { Operation } from "../../contract/operation.ts";
import type { Acting, Context, Options } from "../context.ts";
import { commandOfPath } from "./command-names.ts";
import { type DeclaredField, examplesOf, exampleText } from "./examples.ts";
import { type FieldSchema, fieldOption, flagOf, none } from "./field-options.ts";
import { listEveryPage } from "./list-pages.ts";
import { showResponse } from "./show-response.ts";

/** Fields that examples leave out: they have a good value when nothing is said. */
const notInExamples = new Set(["idempotency_key", "page", "per_page"]);

/** Makes the command. */
export function operationCommand(operation: Operation, acting: Acting): Command {
  const words = commandOfPath(operation.path);
  const fields = declaredFields(operation);
  const command = new Command(words.at(-1)).summary(operation.summary);
  command.description(withFlags(operation.description, fields));
  for (const { field, options } of fields) {
    for (const option of options) {
      // The option is by what it says.
      option.description = withFlags(option.description.replace(`, by ${field}.`, "."), fields);
      command.addOption(option);
    }
  }
  if (operation.kind === "list") {
    command.addOption(new Option("--all", "Every page, one after the other.").conflicts("page"));
  }
  const shown = fields.filter(({ field }) => !notInExamples.has(field));
  return command
    .addHelpText("after", exampleText(examplesOf(words, shown, neededFields(operation))))
    .action(acting((context, options) => perform(operation, context, options)));
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
    return { schema, required: isRequired, ...fieldOption(field, schema, isRequired) };
  });
}

/** Names options where a text for users of the API names fields. */
function withFlags(text: string, fields: readonly DeclaredField[]): string {
  return text
    .replaceAll(" is null", " is none")
    .replace(/\b[a-z]+(?:_[a-z]+)+\b/g, (word) => fields.find(({ field }) => field === word)?.flag ?? word);
}

/** Of the fields that an operation needs though its schema doesn't say so, one that satisfies it. */
function neededFields({ atLeastOneOf, input }: Operation): readonly string[] {
  return atLeastOneOf ?? ("all_locations" in input.properties ? ["all_locations"] : []);
}

/** The body that a command's options make. */
export function requestBody(operation: Operation, options: Options): Record<string, unknown> {
  const given = declaredFields(operation).filter(({ attribute }) => options[attribute] !== undefined);
  return Object.fromEntries(
    given.map(({ field, attribute }) => [field, options[attribute] === none ? null : options[attribute]]),
  );
}

async function perform(operation: Operation, context: Context, options: Options): Promise<void> {
  const body = requestBody(operation, options);
  if (options.all === true) return listEveryPage(operation, context, body);
  const client = await context.client();
  const write = operation.kind === "write" || operation.kind === "posting";
  showResponse(operation, context, await client.call(operation.path, body, { write, nameOf: flagOf }));
}
