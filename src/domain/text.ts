/** What text the service accepts, and how members are searched. */

// biome-ignore lint/suspicious/noControlCharactersInRegex: refusing control characters is the point
const controlCharacters = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

/** Embeddings, overrides and isolates: they let a text look like another one. */
const bidirectionalControls = /[\u202a-\u202e\u2066-\u2069]/;

/** White space, zero-width and other ignorable characters, and the braille pattern without dots. */
const visible = /[^\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Zs}\u2800]/u;

function isSafe(text: string): boolean {
  return text.isWellFormed() && !controlCharacters.test(text) && !bidirectionalControls.test(text);
}

/** Text without a visible character, on any number of lines, and otherwise valid. */
export function isBlank(text: string): boolean {
  return isSafe(text.replaceAll("\n", " ")) && !visible.test(text);
}

/** Well-formed Unicode on one line, no control characters or bidirectional overrides, at least one visible character. */
export function isPlainText(text: string): boolean {
  return isSafe(text) && visible.test(text);
}

/** Plain text on any number of lines, which line feeds separate. */
export function isPlainLines(text: string): boolean {
  return isPlainText(text.replaceAll("\n", " "));
}

const e164 = /^\+[1-9]\d{6,14}$/;

/** An international phone number with its plus sign (ITU-T E.164: at most 15 digits). */
export function isPhoneNumber(text: string): boolean {
  return e164.test(text);
}

// The address that HTML's input type=email accepts, with a dot in the domain: ASCII on purpose, so that two
// addresses are the same in every database and language exactly when they look the same.
const emailAddress =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)+$/;

/** An e-mail address of ASCII characters. */
export function isEmail(text: string): boolean {
  return text.length <= 254 && emailAddress.test(text);
}

const visibleAscii = /^[\x21-\x7e]+$/;

/** One or more ASCII characters from ! to ~. */
export function isVisibleAscii(text: string): boolean {
  return visibleAscii.test(text);
}

/** Letters that have a plain twin and no decomposition in Unicode. Migration 0009 folds stored texts the same way. */
export const plainTwins: Readonly<Record<string, string>> = {
  ...{ ß: "ss", æ: "ae", œ: "oe", þ: "th", ł: "l", ø: "o", đ: "d", ð: "d", ħ: "h", ŧ: "t", ı: "i" },
  // The lower case of the Greek sigma depends on whether its word goes on.
  ς: "σ",
};
const withPlainTwin = new RegExp(`[${Object.keys(plainTwins).join("")}]`, "gu");

/**
 * Lower case without accents, in plain letters: what searches compare. A part of a text folds to a part of the folded
 * text.
 */
export function fold(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(withPlainTwin, (letter) => plainTwins[letter] as string);
}

/**
 * The text of a member that searches look through. Its parts are separated by a line feed, which no search
 * can hold, so that no match runs across two of them; first and last name together make the full name.
 */
export function searchTextOf(member: {
  first_name: string;
  last_name: string;
  phone_number: string;
  email: string | null;
}): string {
  return fold(
    [`${member.first_name} ${member.last_name}`, member.phone_number, member.email ?? ""].join("\n"),
  );
}
