/** The rules for text in requests, and the text that searches for members use. */

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are rejected
const controlCharacters = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

/** Embeddings, overrides and isolates, which make a text look like another one. */
const bidirectionalControls = /[\u202a-\u202e\u2066-\u2069]/;

/** Marks of direction, which texts have that are copied from contacts, pages and messages. */
const directionMarks = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

export function withoutDirectionMarks(text: string): string {
  return text.replace(directionMarks, "");
}

/** White space, zero-width and other ignorable characters, and the braille pattern without dots. */
const visible = /[^\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Zs}\u2800]/u;

function isSafe(text: string): boolean {
  return text.isWellFormed() && !controlCharacters.test(text) && !bidirectionalControls.test(text);
}

/** Valid text without a visible character, on any number of lines. */
export function isBlank(text: string): boolean {
  return isSafe(text.replaceAll("\n", " ")) && !visible.test(text);
}

/** Well-formed Unicode on one line, no control characters or bidirectional overrides, at least one visible character. */
export function isPlainText(text: string): boolean {
  return isSafe(text) && visible.test(text);
}

/** Plain text, perhaps with marks of direction: for texts that are looked up and not stored. */
export function isPastedText(text: string): boolean {
  return isPlainText(withoutDirectionMarks(text));
}

/** A text that was sent, as a message can show it: on one line, without characters that hide others, and not too long. */
export function shownText(text: string, longest = 255): string {
  const unsafe = new RegExp(`${controlCharacters.source}|${bidirectionalControls.source}`, "gu");
  const characters = [...text.toWellFormed().replace(unsafe, "\ufffd")];
  return characters.length <= longest ? characters.join("") : `${characters.slice(0, longest - 1).join("")}…`;
}

/** Plain text on any number of lines, which line feeds separate. */
export function isPlainLines(text: string): boolean {
  return isPlainText(text.replaceAll("\n", " "));
}

/** An international phone number with its plus sign (ITU-T E.164: at most 15 digits). */
export function isPhoneNumber(text: string): boolean {
  return /^\+[1-9]\d{6,14}$/.test(text);
}

// The addresses that HTML's input type=email accepts, if the domain has a dot. They are ASCII, so addresses that look equal are
// equal, and every database compares them in the same way.
const emailAddress =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)+$/;

export function isEmail(text: string): boolean {
  return text.length <= 254 && emailAddress.test(text);
}

/** ASCII characters from ! to ~, with blanks between them. */
export function isPrintableAscii(text: string): boolean {
  return /^[\x20-\x7e]+$/.test(text) && text === text.trim();
}

/** One or more ASCII characters from ! to ~. */
export function isVisibleAscii(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}

/**
 * The form in which names and codes are compared: without regard to case, width, marks of direction and outer blanks. Every comparison, limit and unique
 * index of them uses it, because PostgreSQL, and a program in another language, lower some letters in another way (İ).
 */
export function nameKey(name: string): string {
  // A tenth of the time, for most codes of articles.
  if (/^[\x20-\x7e]*$/.test(name)) return name.toLowerCase().trim();
  // Each sale compares the words of all promotions: with 2,000 words, it takes a quarter of the time with this.
  const known = foldedNames.get(name);
  if (known !== undefined) return known;
  // A second pass settles letters that become others, such as ẞ, SS, ss.
  const key = foldCase(foldCase(withoutDirectionMarks(name))).trim();
  if (foldedNames.size === mostFoldedNames) foldedNames.clear();
  foldedNames.set(name, key);
  return key;
}

const mostFoldedNames = 10_000;
const foldedNames = new Map<string, string>();

function foldCase(text: string): string {
  const lower = text.normalize("NFKC").toUpperCase().toLowerCase();
  return lower.replaceAll("ς", "σ").replaceAll("i\u0307", "i").normalize("NFKC");
}

/** Plain forms of letters that Unicode does not decompose. */
const plainTwins: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  þ: "th",
  ł: "l",
  ø: "o",
  đ: "d",
  ð: "d",
  ħ: "h",
  ŧ: "t",
  ı: "i",
  // Greek has another lower case sigma at the end of a word.
  ς: "σ",
};
const withPlainTwin = new RegExp(`[${Object.keys(plainTwins).join("")}]`, "gu");

/** Spacing accents that are typed as apostrophes. Unicode decomposes them to a space and an accent. */
const accentsAsApostrophes = /[\u00b4\u0384\u1fbd\u1fbf\u1ffd\u1ffe]/gu;

/** Punctuation that keyboards, word processors and other languages use in place of plain characters. */
const plainPunctuation: readonly (readonly [plain: string, others: RegExp])[] = [
  // Quotation marks, primes, and the letters of Hawaiian, Ukrainian, Armenian, Hebrew and others that look like apostrophes.
  [
    "'",
    /[`\u02b9\u02bb-\u02bf\u02c8\u02ca\u02cb\u055a\u05f3\u2018-\u201b\u2032\u2035\u2039\u203a\ua78b\ua78c]/gu,
  ],
  ['"', /[\u00ab\u00bb\u02ba\u05f4\u201c-\u201f]/gu],
  // Hyphens, dashes and the minus sign. Unicode decomposes the non-breaking hyphen and the wide ones.
  ["-", /[\u02d7\u058a\u05be\u1806\u2010-\u2015\u2043\u2212]/gu],
  // The dot in the middle of the line, as in Gal·la.
  [".", /[\u00b7\u2027]/gu],
  ["/", /[\u2044\u2215]/gu],
];

/**
 * Converts text to lower case, to letters without accents and to plain punctuation, for searches. Characters without a width are
 * left out. The folded form of a part of a text is a part of the folded text.
 */
export function fold(text: string): string {
  const letters = text
    .replace(accentsAsApostrophes, "'")
    .normalize("NFKD")
    .replace(/[\p{M}\p{Default_Ignorable_Code_Point}]/gu, "")
    .toLowerCase()
    .replace(withPlainTwin, (letter) => plainTwins[letter] as string);
  return plainPunctuation.reduce((folded, [plain, others]) => folded.replace(others, plain), letters);
}

/** The text of a member for searches. Line feeds separate its parts. No search contains one, so no match spans two parts. */
export function searchTextOf(member: {
  first_name: string;
  last_name: string;
  phone_number: string;
  email: string | null;
  external_ref: string | null;
}): string {
  const { first_name, last_name, phone_number, email, external_ref } = member;
  const parts = [`${first_name} ${last_name}`, phone_number, email ?? ""];
  if (external_ref !== null) parts.push(external_ref);
  // In both orders, because either can be typed.
  if (withoutBlanks.test(first_name + last_name)) parts.push(`${last_name}${first_name}${last_name}`);
  return fold(parts.join("\n"));
}

/** Names of scripts in which no blank is written between first and last name. */
const withoutBlanks =
  /^(?:[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}\p{M}ー・])+$/u;

/** Commas after a word, as in "García, Ana". They are left out, except if there is nothing else. */
const finalCommas = /(?<=.)[,\u3001]+$/u;

/** The words of a search, folded. */
function searchedWords(search: string): string[] {
  return fold(search)
    .split(/\s+/u)
    .filter((word) => word !== "")
    .map((word) => word.replace(finalCommas, ""));
}

/** A number that a member has, as pages show it: "101999", "#101999", "Member 101999". */
export function memberNumber(search: string): number | undefined {
  const [, digits] = /^(?:member\b)?\s*#?([1-9]\d{0,14})$/.exec(fold(search).trim()) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

/** The words of a search that a name can be similar to. A word of fewer letters is similar to too many names. */
export function lettersOf(search: string): string[] {
  return searchedWords(search)
    .filter((word) => /^\D{3,}$/u.test(word) && /\p{L}{3}/u.test(word))
    .slice(0, mostIndexed);
}

/** The words that a member's text must contain, all of them. */
export interface Wording {
  readonly words: readonly string[];
  /** The words that begin a number with 0. They don't match the middle of another number. */
  readonly zeros: readonly string[];
  /** Parts of these words, to look up in a trigram index. */
  readonly indexed: readonly string[];
}

/** Whether a word can be a part of a phone number: digits and punctuation, and perhaps a plus at the start. */
const isPartOfPhone = (word = "x") => /^\+?[\d()./-]*$/.test(word);

/**
 * The wordings of a search for members. A search is split at white space, also after a comma. A member is found if every word of a wording is part of
 * its name, phone number, e-mail address or external reference. The first wording is the search as it was typed. The others have
 * its digits written as a phone number, so phone numbers are found with or without spaces, hyphens, plus and leading 00.
 * @param readPhone reads a phone number or the beginning of one; undefined if it can't
 */
export function wordingsOf(
  search: string,
  readPhone: (text: string) => string | undefined = () => undefined,
): Wording[] {
  const typed = searchedWords(search);
  const inFull = (phone: string) => {
    const [read, plain] = [readPhone(phone), plainPhone(phone)];
    // If the plain digits are a part of the read number and don't begin with 0, they find all members that it finds.
    return read === undefined || (read.includes(plain) && !plain.startsWith("0")) ? plain : read;
  };
  const wordings = [typed, joinPhones(typed, plainPhone), joinPhones(typed, inFull)];
  const distinct = new Map(wordings.map((words) => [words.join(" "), words]));
  return [...distinct.values()].map((words) => {
    const zeros = words.filter((word, at) => /^0\d*$/.test(word) && !isPartOfPhone(words[at - 1]));
    return { words, zeros, indexed: indexedParts(words) };
  });
}

/** Writes words that follow each other and look like a phone number as one number: `0034 600-111` as `+34600111`. */
function joinPhones(words: readonly string[], write: (phone: string) => string): string[] {
  const joined: string[] = [];
  let parts: string[] = [];
  const join = () => {
    const phone = parts.join("");
    joined.push(...(/\d/.test(phone) ? [write(phone)] : parts));
    parts = [];
  };
  for (const word of words) {
    if (isPartOfPhone(word)) parts.push(word);
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

/** With more parts, the index would exclude few more members. */
const mostIndexed = 3;
/**
 * Only the end of a word is looked up, or the end of the part before the @. Many members have the same country code or domain,
 * whose lists in the index are long. Among a million members, a search took 3 ms instead of 62 to 130.
 */
const mostCharacters = 8;
/** Fewer of a number, because numbers that are given one after the other have most digits in common. It takes half the time. */
const mostDigits = 6;

/** A trigram has three letters or digits. */
const hasTrigram = /[\p{L}\p{N}]{3}/u;

function indexedParts(words: readonly string[]): string[] {
  return words
    .map((word) => {
      const [local = ""] = word.split("@", 1);
      const most = /^\+?\d+$/.test(word) ? mostDigits : mostCharacters;
      return [...(hasTrigram.test(local) ? local : word)].slice(-most).join("");
    })
    .filter((part) => hasTrigram.test(part))
    .sort((one, other) => other.length - one.length)
    .slice(0, mostIndexed);
}

/** Hides the password of a URL: all up to the last "@", because a password may contain one. */
export const withoutPassword = (url: string) => url.replace(/(:\/\/[^:@/]*):.*@/s, "$1:***@");
