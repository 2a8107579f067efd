/** What other folders use of this one. */
export * from "./details.tsx";
export * from "./list-page.tsx";
export * from "./operation-table.tsx";
export * from "./parts.tsx";
export * from "./record-table.tsx";
