/** The fields of what reads and lists return. */
import type { Fields, ListPath, ReadPath } from "./declarations.ts";
import { reads } from "./reads.ts";

/** The fields of a response, or of one item of it. */
export function outputOf(path: ReadPath | ListPath): Fields {
  const { output } = reads[path];
  return (output.type === "array" ? output.items?.properties : output.properties) ?? {};
}
