/** The build puts the declarations of reads and lists here. Today starts without them. */
import type { Declaration, ListPath, ReadPath } from "./declarations.ts";

export const reads = {} as Readonly<Record<ReadPath | ListPath, Declaration>>;
