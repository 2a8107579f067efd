/** What other folders use of this one. */
export * from "./client.ts";
export * from "./declarations.ts";
export * from "./fields.ts";
export * from "./queries.ts";
export * from "./reads.ts";
