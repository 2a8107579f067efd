/** The build puts the declarations of the operator operations here (tools/console/declarations.ts). */
export const declared: Readonly<Record<string, unknown>> = {};
