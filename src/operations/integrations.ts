/** What operations on integrations share: what may be granted, and enabling and disabling. */
import {
  type FieldError,
  fail,
  fieldError,
  fields,
  type Refusal,
  writeOperation,
} from "../contract/declare.ts";
import type { CheckContext, WriteOperation } from "../contract/operation.ts";
import { lockIntegration, newTokenGeneration, updateIntegration } from "../database/access/integrations.ts";
import type { Connection } from "../database/connection.ts";
import { findClock } from "../database/engine/sandbox.ts";
import type { Scope } from "../domain/access.ts";
import { integration } from "./operator-fields.ts";

interface LocationGrant {
  readonly all_locations?: boolean | undefined;
  readonly location_ids?: readonly number[] | undefined;
}

/** All present and future locations, or a list. One of the two must say it, and they must not say different things. */
export function checkLocationGrant(
  { all_locations, location_ids }: LocationGrant,
  presence: "required" | "optional",
  { refused }: CheckContext,
): FieldError[] {
  if (refused.has("all_locations") || refused.has("location_ids")) return [];
  if (all_locations === true && location_ids !== undefined && location_ids.length > 0) {
    return [fieldError("location_ids", "not_allowed_value", "must be left out when all_locations is true")];
  }
  if (all_locations !== true && location_ids === undefined) {
    // Nothing sent is a change of something else; all_locations false alone says no locations.
    if (presence === "optional" && all_locations === undefined) return [];
    return [fieldError("location_ids", "required", "is required unless all_locations is true")];
  }
  return [];
}

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

/** What differs between enabling and disabling. */
type Texts = Pick<WriteOperation, "path" | "summary" | "description" | "message"> & {
  readonly event: string;
};

/** Declares the operation that enables or disables an integration. */
export function switchIntegration(enabled: boolean, texts: Texts): WriteOperation {
  return writeOperation({
    ...texts,
    input: { business_id: fields.businessId, integration_id: fields.integrationId },
    output: integration,
    errors: ["integration_not_found"],
    async write({ input: { integration_id }, tx, caller, audit, fail }) {
      const before = await lockIntegration(tx, caller, integration_id);
      if (before === undefined) return fail("integration_not_found");
      // A disabled integration loses its tokens for good.
      const token_generation = enabled ? undefined : newTokenGeneration();
      await updateIntegration(tx, caller.businessId, integration_id, { enabled, token_generation });
      const after = { ...before, enabled };
      audit({ before, after });
      return after;
    },
  });
}
