/** The help of fields. Only forms have it. */
import { fieldHelp, searchHelp } from "./en/help.ts";
import { forPeople } from "./labels.ts";

type Words = Readonly<Record<string, string | undefined>>;

/** The help of a field: the one of the console, or its description, which only the English console has. */
export function helpOf(name: string, { description = "", ...field }: Described): string {
  const own = (fieldHelp as Words)[name];
  // "The name of the tier." says no more than the label and the title of the form.
  if (/^The [\w-]+(?: benefit)?(?: of the \w+(?: \w+)?)?\.$/.test(description)) return own ?? "";
  return own ?? forPeople(description, field.enum ?? field.items?.enum ?? []);
}

interface Described {
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly items?: { readonly enum?: readonly string[] };
}

/** The help of the field in which people begin to look for something. Other filters have none. */
export function searchHelpOf(name: string, purpose: string | undefined): string | undefined {
  return purpose === "search" ? (searchHelp as Words)[name] : undefined;
}
