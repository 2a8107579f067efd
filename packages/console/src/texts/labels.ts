/** The words for fields and choices: their own, or their names in words. */
import { outlineOf, type Path } from "../api/declarations.ts";
import { quoted } from "./en/language.ts";
import { texts } from "./en/texts.ts";

/** @param place a prefix of labels that are there only in some place */
export function labelOf(field: string, place = ""): string {
  const own = texts.labels as Readonly<Record<string, string>>;
  return own[place + field] ?? own[field] ?? inWords(field);
}

/** "qualifying_sales" is "Qualifying sales". */
function inWords(name: string): string {
  const words = name.replaceAll(/[_.-]/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The words of one of some values, such as "Wallet adjustment". @param format codes stay as they are: partners and guides name them */
export function choiceText(value: string, format?: string): string {
  if (format === "code") return value;
  const own = (texts.choices as Readonly<Record<string, string>>)[value];
  // Scopes are codes, which partners know.
  return own ?? (value.startsWith("wa.") ? value : inWords(value).replace(" *", texts.ofAllKinds));
}

type Words = Readonly<Record<string, string | undefined>>;

/** What a ledger entry is. One with the opposite sign of its kind takes back what others gave. */
export function entryText(eventType: string, amount: unknown, isOfMerge = false): string {
  const { added, taken, merged } = texts.entries;
  const own: Words = isOfMerge ? merged : Number(amount) < 0 ? taken : added;
  return own[eventType] ?? choiceText(eventType);
}

/** A kind of ledger entries, with all the words that its entries have. */
function entryKindText(eventType: string): string {
  const own = Object.values(texts.entries as Readonly<Record<string, Words>>).map(
    (words) => words[eventType],
  );
  return [choiceText(eventType), ...own].filter(Boolean).join(" / ");
}

/** The words of a choice of a field. Some mean something else there, such as the kind of an occasion. */
export function optionText(name: string, value: string, format?: string): string {
  if (name === "event_types") return entryKindText(value);
  return (texts.choices as Words)[`${name}.${value}`] ?? choiceText(value, format);
}

/** A choice of a field. What it means explains its words, and stands before a code. */
export function choiceOf(
  value: string,
  name: string,
  { format }: { readonly format?: string },
  meaning: string | undefined,
) {
  const label = optionText(name, value, format);
  if (label === value && meaning !== undefined) return { value, label: meaning, description: value };
  return { value, label, description: meaning };
}

/** What the absence of a value says, if it says something. */
export function absenceText(name: string): string | undefined {
  return (texts.absent as Readonly<Record<string, string>>)[name];
}

/** Pages that are not called as the numbers of their records. */
const otherPages: Words = {
  ...{ benefit: "topups", business: "businesses", operator: "accounts", key: "accounts" },
};

/** What a choice says of records of which there are none, with the page that adds them. */
export function noneText(field: string): string {
  const pages: Words = texts.menu.pages;
  const record = field.replace(/^default_|_ids?$/g, "").replaceAll("_", "-");
  const page = pages[otherPages[record] ?? `${record}s`];
  return page === undefined ? texts.none : texts.forms.noneYet(page);
}

/** The label of a button that opens the form of an operation. */
export function actionText(path: Path): string {
  const own: Words = texts.actions;
  return own[path] ?? own[path.split("/").at(-1) ?? ""] ?? outlineOf(path).summary;
}

/** What a notice says after a write. */
export function doneText(path: string, message = ""): string {
  return (texts.done as Readonly<Record<string, string>>)[path] ?? message;
}

/** A message about a field, which it names first, or says to be added. @param fields those that it can be about */
export function messageText(message: string, fields: object): string {
  const named = message
    .replace(/^[a-z_]+\b/, (word) => (word in fields ? labelOf(word) : word))
    .replaceAll(/\badd ([a-z_]+)\b/g, (words, name: string) =>
      name in fields ? `choose ${quoted(labelOf(name))}` : words,
    );
  return forPeople(named);
}

/** Why a file can't be read. @param hint stands for the names of its columns, which the page shows */
export function importProblemText(problem: string, hint: string): string {
  // Names in a query stay as they are.
  const names = /^.*?(?=\(SELECT |$)/s;
  return problem.replace(/ The columns are: .*/s, hint).replace(names, (text) => forPeople(text));
}

/** A description says what programs send. The console takes amounts with decimals, and an empty field, and shows labels. */
export function forPeople(description: string, choices: readonly string[] = []): string {
  return description
    .replaceAll(/\b[a-z_]+(?=:)/g, (word) => (choices.includes(word) ? choiceText(word) : word))
    .replaceAll(/, by (?:the )?[a-z_]+_id(?= |\.|,)(?: from \/sp\/[\w/-]+(?: or \/sp\/[\w/-]+)*)?/g, "")
    .replaceAll(/,? in minor units(?: of the business's currency \(cents\))?,?/g, "")
    .replaceAll("With null,", "Without it,")
    .replaceAll(/\bnull\b/g, "empty")
    .replaceAll(/\b[a-z]+(?:_[a-z]+)+\b/g, (field) => quoted(labelOf(field)));
}

const naming = [
  "card_code",
  "name",
  "title",
  "campaign_name",
  "membership_name",
  "file_name",
  "url",
  "reference_id",
];

/** What a record is called, by the fields that name records. */
export function nameOf(record: object): string | undefined {
  const row = record as Readonly<Record<string, unknown>>;
  const person = [row.first_name, row.last_name].filter(Boolean).join(" ");
  return (
    person ||
    (naming.map((field) => row[field]).find((name) => typeof name === "string") as string | undefined)
  );
}
