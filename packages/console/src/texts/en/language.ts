/**
 * The language of this folder. The console is built once for each language: the build puts the files of another folder in the
 * place of these, so no browser loads the texts of two languages.
 */
export const language = {
  /** The language, as pages and cookies name it. */
  code: "en",
  /** The form of numbers, days and names. */
  locale: "en-GB",
  direction: "ltr",
  product: "Loyalty console",
  withoutScript: "The console needs JavaScript.",
} as const;

/** A phrase inside of a sentence. */
export const phrase = (text: string): string => text.toLowerCase();

/** A name in quotation marks. */
export const quoted = (name: string): string => `“${name}”`;

/** Between a label and its value. */
export const colon = ": ";
