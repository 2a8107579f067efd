/** What partners are told. The build puts the declarations of their operations here (tools/console/partners.ts). */

/** The scope of an operation, by its path. */
export const scopes: Readonly<Record<string, string | undefined>> = {};

/** By the error code. */
export const errors: Readonly<Record<string, ErrorTexts | undefined>> = {};

interface ErrorTexts {
  readonly message: string;
  /** What a partner does then. */
  readonly remedy: string;
}
