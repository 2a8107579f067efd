/** The label of a field: its own, or its name in words. */
import { texts } from "../texts/en.ts";

export function labelOf(field: string): string {
  const own = (texts.labels as Readonly<Record<string, string>>)[field];
  return own ?? inWords(field);
}

/** "qualifying_sales" is "Qualifying sales". */
function inWords(name: string): string {
  const words = name.replaceAll(/[_.-]/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The words of one of some values, such as "Wallet adjustment". */
export function choiceText(value: string): string {
  const own = (texts.choices as Readonly<Record<string, string>>)[value];
  return own ?? inWords(value);
}
