/** The build puts the fields of all operations here, by their names (tools/console/known-fields.ts). */
import type { Fields } from "../../api/declarations.ts";

export const known: Fields = {};
