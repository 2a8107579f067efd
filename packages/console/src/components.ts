/** What pages are made of. */
export * from "./api/index.ts";
export * from "./business.tsx";
export * from "./feedback/index.ts";
export * from "./files/save-file.tsx";
export * from "./forms/operation-button.tsx";
export * from "./forms/operation-menu.tsx";
export * from "./forms/segments.tsx";
export * from "./session/session.tsx";
export * from "./shell/page-title.tsx";
export * from "./tables/index.ts";
export * from "./values/index.ts";
