/**
 * Cursors: the texts by which a list continues after the last item of a page. A cursor is signed, so that it is valid only for the
 * list, the business and the filters with which it was made.
 */
import { timingSafeEqual } from "node:crypto";
import { wrongValue } from "../contract/field-errors.ts";
import type { Body } from "../contract/validation.ts";
import { type ServiceKeys, signatureBytes } from "../credentials/keys.ts";
import { canonicalJson } from "../domain/idempotency.ts";
import type { Place } from "../domain/pagination.ts";

/** A list with its filters, as the text that cursors sign. */
export function listText(path: string, businessId: number, input: Body): string {
  const { page: _, per_page: __, after: ___, ...filters } = input;
  return `${path}\n${businessId}\n${canonicalJson(filters)}\n`;
}

/** Makes the cursor of a place. */
export function cursorOf(keys: ServiceKeys, list: string, place: Place): string {
  const text = JSON.stringify(place);
  return Buffer.concat([keys.signCursor(list + text), Buffer.from(text)]).toString("base64url");
}

/** Reads a cursor. @returns undefined if it was made for another list, or not by this service */
export function placeOfCursor(keys: ServiceKeys, list: string, cursor: string): Place | undefined {
  const bytes = Buffer.from(cursor, "base64url");
  const [signature, text] = [bytes.subarray(0, signatureBytes), bytes.toString("utf8", signatureBytes)];
  if (signature.length < signatureBytes) return undefined;
  return timingSafeEqual(signature, keys.signCursor(list + text)) ? (JSON.parse(text) as Place) : undefined;
}

export const wrongCursor = wrongValue(
  "after",
  "must be meta.next of this list with the same filters; without after, the list begins again",
);
