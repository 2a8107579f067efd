/** What other folders use of this one. */
export * from "./client.ts";
export * from "./declarations.ts";
export * from "./queries.ts";
