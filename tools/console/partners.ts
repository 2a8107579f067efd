/** What the console knows about the operations of partners: it says why their requests were rejected. */
import { errors } from "../../src/contract/errors.ts";
import { partnerOperations } from "../../src/operations/operations.ts";

/** The scope of each operation, by its path; and what an error code means, and what a partner does then. */
export function partnerFacts(): Record<"scopes" | "errors", object> {
  const scopes = partnerOperations.flatMap((operation) =>
    "scope" in operation ? [[operation.path, operation.scope]] : [],
  );
  const texts = Object.entries(errors).map(([code, { message, remedy }]) => [code, { message, remedy }]);
  return { scopes: Object.fromEntries(scopes), errors: Object.fromEntries(texts) };
}
