/**
 * What a search for members looks for. It is split at white space; a member is found if every word is part of the name,
 * phone number or e-mail address. Phone numbers are found with or without spaces, hyphens, plus and leading 00.
 */
import { fold } from "./text.ts";

/** The words that a member's text must contain, all of them. */
export interface Wording {
  readonly words: readonly string[];
  /** Parts of the words to look up in a trigram index: a text that contains the words contains these. */
  readonly indexed: readonly string[];
}

/** A part of a phone number: digits and punctuation, perhaps with a plus before them. */
const partOfPhone = /^\+?[\d()./-]*$/;

/**
 * The wordings of a search. A member is found by any of them: as the search was typed, and with its digits written as
 * a phone number, if that differs.
 */
export function wordingsOf(search: string): Wording[] {
  const typed = fold(search)
    .split(/\s+/u)
    .filter((word) => word !== "");
  const asPhone = joinPhones(typed);
  const differs = asPhone.join(" ") !== typed.join(" ");
  return (differs ? [typed, asPhone] : [typed]).map((words) => ({ words, indexed: indexedParts(words) }));
}

/** Writes words that follow each other and look like a phone number as one number: `0034 600-111` as `+34600111`. */
function joinPhones(words: readonly string[]): string[] {
  const joined: string[] = [];
  let parts: string[] = [];
  const join = () => {
    const phone = parts.join("");
    joined.push(...(/\d/.test(phone) ? [plainPhone(phone)] : parts));
    parts = [];
  };
  for (const word of words) {
    if (partOfPhone.test(word)) parts.push(word);
    else {
      join();
      joined.push(word);
    }
  }
  join();
  return joined;
}

function plainPhone(phone: string): string {
  const digits = phone.replace(/\D/g, "");
  if (phone.startsWith("+")) return `+${digits}`;
  return /^00[1-9]/.test(digits) ? `+${digits.slice(2)}` : digits;
}

/** More parts narrow little down. */
const mostIndexed = 3;
/**
 * The end of a word is looked up, of an e-mail address the end before the @: many members share country codes and
 * domains, whose lists in the index are long. Among a million members it took 3 ms instead of 62 to 130.
 */
const mostCharacters = 8;

/** A trigram has three letters or digits. */
const hasTrigram = /[\p{L}\p{N}]{3}/u;

function indexedParts(words: readonly string[]): string[] {
  return words
    .map((word) => {
      const [local = ""] = word.split("@", 1);
      return [...(hasTrigram.test(local) ? local : word)].slice(-mostCharacters).join("");
    })
    .filter((part) => hasTrigram.test(part))
    .sort((one, other) => other.length - one.length)
    .slice(0, mostIndexed);
}
