/** What pages use of this folder. */
export * from "./page-title.tsx";
