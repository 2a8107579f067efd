/** What partners are told. The build puts the declarations of their operations here (tools/console/partners.ts). */

/** The scope of an operation, by its path. */
export const scopes: Readonly<Record<string, string | undefined>> = {};

/** What a partner is told, and then does, by the error code. */
export const errors: Readonly<Record<string, Readonly<{ message: string; remedy: string }> | undefined>> = {};
