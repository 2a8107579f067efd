/** What other folders use of this one. */
export * from "./dry-run.tsx";
export * from "./field-input.tsx";
export * from "./filters.tsx";
export * from "./form-values.ts";
export * from "./member-input.tsx";
export * from "./operation-dialog.tsx";
export * from "./operation-form.tsx";
export * from "./operation-menu.tsx";
export * from "./segments.tsx";
