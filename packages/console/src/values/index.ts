/** What other folders use of this one. */
export * from "./links.tsx";
export * from "./member-names.ts";
export * from "./periods.ts";
export * from "./references.ts";
export * from "./state.tsx";
export * from "./value.tsx";
