/** What only a sandbox has: a clock that an integration can advance. */
import { Type } from "typebox";
import { fail, fieldError, type Refusal } from "../contract/errors.ts";
import type { Scope } from "../contract/scopes.ts";
import type { Connection } from "../database/connection.ts";
import { findClock } from "../database/engine/sandbox.ts";

const scope: Scope = "wa.sandbox.write";

/** The rejection of an integration in a business in real time: its scope can't be granted there. */
export function notASandbox(): Refusal<never> {
  return fail("sp_scope_not_granted", { scope }) as Refusal<never>;
}

/** Only integrations of a sandbox can be given the scope to advance its clock. */
export async function checkSandboxScope(
  tx: Connection,
  businessId: number,
  scopes: readonly Scope[] = [],
): Promise<Refusal<"validation_failed"> | undefined> {
  if (!scopes.includes(scope) || (await findClock(tx, businessId)) !== undefined) return undefined;
  const problem = `can't hold ${scope}, because the business is not a sandbox`;
  return fail("validation_failed", { errors: [fieldError("scopes", "not_allowed_value", problem)] });
}

/** YYYY-MM-DD, or YYYY-MM-DD HH:MM:SS. */
export const sandboxTime = (description: string) =>
  Type.String({
    minLength: 10,
    maxLength: 19,
    pattern: "^\\d{4}-\\d{2}-\\d{2}( \\d{2}:\\d{2}:\\d{2})?$",
    format: "moment",
    description: `${description} Wall-clock time in the business's time zone.`,
    examples: ["2027-01-01"],
  });
