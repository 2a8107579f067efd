/** The build puts the declarations of writes here. Their forms need them, so they are loaded after the first page. */
import type { Declaration, PathOf, WritePath } from "./declarations.ts";

export const writes = {} as Readonly<Record<WritePath | PathOf<"session">, Declaration>>;
