/** What the documents are made of. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [name: string]: Json;
}

/** A document as it is written to a file: stable, readable in a review. */
export function toFile(document: JsonObject): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}
