/** The build puts what every page knows of the operator operations here: reads with all facts, and writes without their forms. */
import type { Declaration, Outline } from "../../../../tools/console/declaration.ts";

export const declared: Readonly<Record<string, Outline & Partial<Declaration>>> = {};
