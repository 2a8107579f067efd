import { createRequire } from "node:module";

let common: ReadonlySet<string> | undefined;

/**
 * Whether a password is one of the most used (NIST SP 800-63B 3.1.1.2), without regard to case or to
 * how its characters are encoded: it is compared in the normal form in which it would be hashed. The list is read at the first use: most processes never need it.
 */
export function isCommonPassword(password: string): boolean {
  common ??= readList();
  return common.has(password.normalize("NFKC").toLowerCase());
}

function readList(): ReadonlySet<string> {
  const { dictionary } = createRequire(import.meta.url)("@zxcvbn-ts/language-common") as {
    dictionary: Record<string, string[]>;
  };
  return new Set(dictionary["passwords-common"]);
}
