/** Makes the operations of operators that partners' operations declare. */
import { type TProperties, Type } from "typebox";
import * as fields from "../contract/fields.ts";
import type { AuthorizedOperation, PostingOperation } from "../contract/operation.ts";
import type { NamedKind } from "../domain/decision.ts";
import type { Records } from "../domain/records.ts";
import { locationId, rejectMissingLocations } from "./records.ts";

/** A partner's operation, as operators have it: of any business, at all locations. */
export function forOperators(partner: AuthorizedOperation): AuthorizedOperation {
  const { operator: variant, ...operation } = partner as Extract<typeof partner, { operator?: unknown }>;
  if (variant === undefined) throw new Error(`${operation.path} declares no variant for operators`);
  const { input, errors = [], withoutLocation, ...declared } = variant;
  const own = {
    ...operation,
    path: operation.path.replace("/sp/", "/op/"),
    ...declared,
    scope: "operator",
    input: Type.Object({
      business_id: fields.businessId,
      ...(input as TProperties),
      ...(operation.input.properties as TProperties),
    }),
    // Operators may use all locations.
    errors: [...operation.errors.filter((code) => code !== "sp_location_not_allowed"), ...errors],
  } as AuthorizedOperation;
  return own.kind === "posting" ? byHand(own, withoutLocation === undefined) : own;
}

/**
 * An operation that adds entries: with a reason. One that names an earlier record, such as a sale, is at the location of this record.
 */
function byHand(operation: PostingOperation, canHaveLocation: boolean): PostingOperation {
  const [named] = operation.needs.named ?? [];
  const { reason: _, ...input } = operation.input.properties as TProperties;
  const { location_id } = input;
  const located = location_id !== undefined && named === undefined && canHaveLocation;
  if (located) input.location_id = Type.IsOptional(location_id) ? Type.Optional(locationId) : locationId;
  else delete input.location_id;
  return {
    ...operation,
    input: Type.Object({ ...input, reason: fields.reason }),
    errors: [...operation.errors, ...(located ? (["location_not_found"] as const) : [])],
    async find(context) {
      const { contact_id, location_id } = context.input as { contact_id: number; location_id?: number };
      const ids = location_id === undefined ? [] : [location_id];
      const missing = await rejectMissingLocations(context.services.lookUps, context.caller.businessId, ids);
      return missing ?? operation.find?.(context) ?? { contact_id };
    },
    decide(context) {
      const member = context.member as Partial<Pick<Records, NamedKind>> | undefined;
      const location_id = named && member?.[named]?.location_id;
      return operation.decide({ ...context, input: { ...context.input, ...(named && { location_id }) } });
    },
  };
}
