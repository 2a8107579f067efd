/** The languages of the console. */
import type { ConsoleLanguage } from "../../../../src/domain/access/operators.ts";

/** The languages by their own names. Each has a folder beside this file, with the same files and texts as English. */
export const languages = {
  en: "English",
  de: "Deutsch",
  fr: "Français",
  es: "Español",
} as const satisfies Record<ConsoleLanguage, string>;

/**
 * What a translation has: the keys and the arguments of the English texts. A text that a language lacks does not compile.
 */
export type Texts<English> = English extends string
  ? string
  : English extends number
    ? number
    : English extends (...values: infer Values) => infer Text
      ? (...values: Values) => Texts<Text>
      : { readonly [Key in keyof English]: Texts<English[Key]> };

/** Words that English needs only in part: the others are in the declarations and responses, or are the names in words. */
export type More = Readonly<
  Record<"errors", Readonly<Record<string, unknown>>> &
    Record<"labels" | "choices" | "problems", Readonly<Record<string, string>>>
>;
