/** What other folders use of this one. */
export * from "./dialog.tsx";
export * from "./failure.tsx";
export * from "./lazy-part.tsx";
export * from "./loading.tsx";
export * from "./read.tsx";
export * from "./secret-dialog.tsx";
export * from "./work.tsx";
