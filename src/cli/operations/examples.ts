/** Command lines to copy, made from the examples that fields declare. */
import type { FieldOption, FieldSchema } from "./field-options.ts";

/** A field of an operation, as its command knows it. */
export interface DeclaredField extends FieldOption {
  readonly schema: FieldSchema;
  readonly required: boolean;
}

const plainWord = /^[\w@%+=:,./-]+$/;

/** Quotes a word for a shell, when it needs to be. */
export function shellWord(text: string): string {
  if (plainWord.test(text)) return text;
  // Between double quotes, some shells take ! for a reference to earlier commands.
  return /["!$`\\]/.test(text) ? `'${text.replaceAll("'", `'\\''`)}'` : `"${text}"`;
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
export function examplesOf(
  command: readonly string[],
  fields: readonly DeclaredField[],
  needed: readonly string[],
): string[] {
  const line = (some: readonly DeclaredField[]) =>
    ["loyalty", ...command, ...some.flatMap((field) => wordsOf(field))].join(" ");
  const short = fields.filter(({ field, required }) => required || field === needed[0]);
  return [...new Set([line(short), line(fields)])];
}

/** Examples for the end of a help page. */
export function exampleText(examples: readonly string[]): string {
  const title = examples.length === 1 ? "Example" : "Examples";
  return `\n${title}:\n${examples.map((line) => `  ${line}`).join("\n")}`;
}
