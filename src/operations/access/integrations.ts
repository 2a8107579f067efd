/** Fields, checks and declarations that operations on integrations share. */
import {
  type FieldError,
  fieldError,
  fields,
  type Rejection,
  reject,
  Type,
  writeOperation,
  wrongValue,
} from "../../contract/declare.ts";
import type { CheckContext, OperatorWrite } from "../../contract/operation.ts";
import {
  type IntegrationGrant,
  lockIntegration,
  updateIntegration,
} from "../../database/access/integrations.ts";
import type { Connection } from "../../database/connection.ts";
import { findClock } from "../../database/engine/sandbox.ts";
import type { ChangeOf } from "../../database/sql.ts";
import { allScopes, type Scope } from "../../domain/access/access.ts";
import { locationId } from "../records.ts";

/** What operators set. */
export const integrationFields = {
  name: fields.text(255, "The name of the integration.", "Till"),
  scopes: Type.Array(fields.choice(allScopes, "A scope."), {
    minItems: 1,
    maxItems: allScopes.length,
    uniqueItems: true,
    description: "The scopes of the integration.",
    examples: [["wa.members.read", "wa.members.write"]],
  }),
  all_locations: fields.flag("Whether the integration may use all locations, including future ones.", true),
  location_ids: Type.Array(locationId, {
    maxItems: 1000,
    uniqueItems: true,
    description: "The locations that the integration may use; empty if it may use all or none.",
    examples: [[]],
  }),
};
export const clientId = Type.String({
  minLength: 1,
  maxLength: 255,
  description: "Identifies the integration in token requests.",
  examples: ["loy_Nq3fXyZk2b7wQ1sT"],
});
export const clientSecret = fields.shownOnce(
  Type.String({
    minLength: 1,
    maxLength: 255,
    description: "The integration's secret. Only this response shows it.",
    examples: ["loysec_4fJt..."],
  }),
);
export const integration = Type.Object({
  integration_id: fields.integrationId,
  name: integrationFields.name,
  client_id: clientId,
  scopes: Type.Array(fields.returnedText(100, "A scope.", "wa.members.read"), {
    maxItems: 100,
    description: "The scopes of the integration.",
    examples: [["wa.members.read", "wa.members.write"]],
  }),
  all_locations: integrationFields.all_locations,
  location_ids: integrationFields.location_ids,
  enabled: fields.flag("Whether the integration may get and use tokens.", true),
  created_at: fields.timestamp,
});

/** The times of the secrets of an integration or a webhook endpoint. The secrets themselves are never returned. */
export const secretTimes = Type.Array(
  Type.Object({
    created_at: fields.timestamp,
    expires_at: fields.nullable(
      fields.timestamp,
      "The time until which the secret is valid; null for the newest.",
    ),
  }),
  {
    maxItems: 2,
    description:
      "The secrets that are valid now, newest first. There are two while a new secret replaces the old one.",
  },
);

/** Checks that a grant has either all_locations, for all present and future locations, or location_ids. */
export function checkLocationGrant(
  { all_locations, location_ids }: ChangeOf<IntegrationGrant>,
  presence: "required" | "optional",
  { rejected }: CheckContext,
): FieldError[] {
  if (rejected.has("all_locations") || rejected.has("location_ids")) return [];
  if (all_locations === true && location_ids !== undefined && location_ids.length > 0) {
    return [wrongValue("location_ids", "must be left out when all_locations is true")];
  }
  if (all_locations !== true && location_ids === undefined) {
    // An update without either field changes other things. all_locations false needs a list.
    if (presence === "optional" && all_locations === undefined) return [];
    return [fieldError("location_ids", "required", "is required unless all_locations is true")];
  }
  return [];
}

const scope: Scope = "wa.sandbox.write";

/** The rejection of a scope that can't be granted in a business in real time. */
export function notASandbox(): Rejection<never> {
  return reject("sp_scope_not_granted", { scope }) as Rejection<never>;
}

/** Only integrations of a sandbox can be given the scope to advance its clock. */
export async function checkSandboxScope(tx: Connection, businessId: number, scopes: readonly Scope[] = []) {
  if (!scopes.includes(scope) || (await findClock(tx, businessId)) !== undefined) return undefined;
  const problem = `can't contain ${scope}, because the business is not a sandbox`;
  return reject("validation_failed", { errors: [wrongValue("scopes", problem)] });
}

/**
 * Declares an operation that changes one integration and returns it.
 * @param change the changed fields. A new generation ends all tokens that were issued before.
 */
export const changesIntegration = (
  texts: Pick<
    OperatorWrite,
    "path" | "role" | "event" | "summary" | "message" | "description" | "confirm"
  > & {
    readonly sensitive?: true;
  },
  change: () => { readonly enabled?: boolean; readonly token_generation?: number },
) =>
  writeOperation({
    ...texts,
    input: { business_id: fields.businessId, integration_id: fields.integrationId },
    output: integration,
    errors: ["integration_not_found"],
    async write({ input: { integration_id }, tx, caller, audit, reject }) {
      const before = await lockIntegration(tx, caller, integration_id);
      if (before === undefined) return reject("integration_not_found");
      const { enabled, token_generation } = change();
      await updateIntegration(tx, caller.businessId, integration_id, { enabled, token_generation });
      if (enabled === undefined) {
        audit({ before, after: { ...before, tokens: "revoked" } });
        return before;
      }
      // Disabling a disabled integration again changes nothing.
      const after = { ...before, enabled };
      audit({ before, after });
      return after;
    },
  });
