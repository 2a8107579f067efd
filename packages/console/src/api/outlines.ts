/** The build puts here what every page knows of each operator operation. */
import type { Outline } from "../../../../tools/console/declaration.ts";

export const outlines: Readonly<Record<string, Outline>> = {};
