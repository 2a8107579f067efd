/** Partners' operations, as operators have them: with the operator key, of any business, at all locations. */
import { type TProperties, Type } from "typebox";
import type { ErrorCode } from "../contract/errors.ts";
import * as fields from "../contract/fields.ts";
import type {
  ListOperation,
  OperatorAccess,
  PostingOperation,
  ReadOperation,
} from "../contract/operation.ts";
import type { AuditEvent } from "../domain/audit-events.ts";
import type { NamedKind } from "../domain/decision.ts";
import type { Records } from "../domain/records.ts";
import { locationId, rejectMissingLocations } from "./records.ts";

type Texts = Pick<ReadOperation, "path" | "summary" | "description"> & Omit<OperatorAccess, "scope">;

/** The rejection of a location that a partner may not use does not concern operators. */
export const errorsOfOperators = (errors: readonly ErrorCode[]) =>
  errors.filter((code) => code !== "sp_location_not_allowed");

/** An operation that reads. */
export function forOperators<Operation extends ReadOperation | ListOperation>(
  operation: Operation,
  texts: Texts,
): Operation {
  const { input, errors } = operation;
  return {
    ...operation,
    ...texts,
    scope: "operator",
    input: Type.Object({ business_id: fields.businessId, ...(input.properties as TProperties) }),
    errors: errorsOfOperators(errors),
  };
}

type PostingTexts = Texts &
  Pick<PostingOperation, "confirm" | "rejects" | "undoes"> & {
    readonly event: AuditEvent;
    /** Its entries have no location. */
    readonly withoutLocation?: true;
  };

/**
 * An operation that adds entries: with a reason, and in the audit log. One that names an earlier record, such as a sale, is at the
 * location of this record.
 */
export function postingForOperators(
  operation: PostingOperation,
  { withoutLocation, ...declared }: PostingTexts,
): PostingOperation {
  const [named] = operation.needs.named ?? [];
  const { reason: _, ...input } = operation.input.properties as TProperties;
  const { location_id } = input;
  const located = location_id !== undefined && named === undefined && withoutLocation === undefined;
  if (located) input.location_id = Type.IsOptional(location_id) ? Type.Optional(locationId) : locationId;
  else delete input.location_id;
  return {
    ...operation,
    ...declared,
    scope: "operator",
    input: Type.Object({ business_id: fields.businessId, ...input, reason: fields.reason }),
    errors: [...errorsOfOperators(operation.errors), ...(located ? (["location_not_found"] as const) : [])],
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
