/**
 * Columns of a batch as text, for `unnest`. The driver's own way looks at every element anew, which the write path, with
 * a dozen columns a batch, would feel.
 */

/**
 * An array literal (section "Array Input and Output Syntax" of PostgreSQL's manual).
 * @param values numbers, or texts without anything that would have to be quoted, such as names of an enum
 */
export function plainArray(values: readonly (number | string | null)[]): string {
  return `{${values.map((value) => value ?? "NULL").join(",")}}`;
}

/**
 * The values of an array literal, without any that is quoted or null.
 * @param text null, what `array_agg` gives for no row at all, is taken for an empty array
 */
export function plainValues(text: string | null): string[] {
  return text === null || text === "{}" ? [] : text.slice(1, -1).split(",");
}

/** Between texts, and in place of a null: control characters, which no field may hold. */
const textSeparator = "\u001f";
const nullText = "\u001e";

/**
 * Texts for `string_to_array(…, chr(31), chr(30))`: nothing in them need be quoted.
 * @param values at least one, none of them empty
 * @throws when a text is empty or holds one of the two characters
 */
export function separatedTexts(values: readonly (string | null)[]): string {
  const text = values.map((value) => value ?? nullText).join(textSeparator);
  const [separators, nulls, empty] = [count(text, textSeparator), count(text, nullText), values.includes("")];
  if (
    empty ||
    separators !== values.length - 1 ||
    nulls !== values.filter((value) => value === null).length
  ) {
    throw new RangeError("a text is empty, or holds a character that separates texts");
  }
  return text;
}

function count(text: string, character: string): number {
  let found = 0;
  for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) found += 1;
  return found;
}
