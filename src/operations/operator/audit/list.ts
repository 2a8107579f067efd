import { type FieldError, fields, listOperation, Type, wrongValue } from "../../../contract/declare.ts";
import { listAuditEntries } from "../../../database/access/audit.ts";
import { actorKinds } from "../../../domain/audit-events.ts";
import { checkPeriod } from "../../transactions.ts";

/**
 * Rejects an event that is never recorded, because an empty list would hide the mistake. The error names the events that are about
 * the same, or what events are about.
 */
function checkEvent(event: string | undefined, events: readonly string[]): FieldError[] {
  if (event === undefined || events.includes(event)) return [];
  const about = (name: string) => `${name.split(".")[0]}.`;
  const similar = events.filter((known) => about(known) === about(event));
  const allowed =
    similar.length > 0
      ? `be one of: ${similar.toSorted().join(", ")}`
      : `begin with one of: ${[...new Set(events.map(about))].toSorted().join(", ")}`;
  return [wrongValue("event", `must ${allowed}`)];
}

const event = Type.String({
  minLength: 1,
  maxLength: 100,
  format: "visible-ascii",
  description: "The name of an operator's write or of a credential event.",
  examples: ["integration.secret_rotated"],
});

const recordThen = (description: string, example: object) =>
  fields.nullable(Type.Object({}, { additionalProperties: true }), description, example);

const actorKind = fields.choice(
  actorKinds,
  "Who did it: an account or a key of an operator, root (the operator key), an integration, or the service. The service records " +
    "rejected credentials.",
);
const actorId = fields.identifier("The number of the actor.", 3);

const entry = Type.Object({
  audit_id: fields.identifier("The number of the audit entry.", 1042),
  business_id: fields.nullable(fields.businessId, "The business of the entry, or null."),
  recorded_at: fields.utcTimestamp,
  actor_kind: actorKind,
  actor_id: fields.nullable(
    actorId,
    "Its operator_id, key_id or integration_id; null for root and the service.",
  ),
  actor_name: fields.returnedText(255, "Its name at that time.", "anna"),
  note: fields.nullable(
    fields.returnedText(255, "A note.", "ana@example.com"),
    "What an operator said about itself in the header X-Actor, or null.",
  ),
  address: fields.returnedText(255, "The address of the caller.", "192.0.2.7"),
  request_id: fields.returnedText(
    255,
    "The X-Request-Id of the request.",
    "0f8fad5b-d9cb-469f-a165-70867728950e",
  ),
  event,
  contact_id: fields.nullable(fields.contactId, "The member that the entry is about, or null."),
  before: recordThen("The record before the change, or null if it did not exist.", { name: "Main Street" }),
  after: recordThen("The record after the change, or null if it was deleted.", { name: "High Street" }),
});

export const listAudit = listOperation({
  path: "/op/audit/list",
  role: "viewer",
  summary: "List the audit log",
  message: "Audit log listed.",
  description:
    "Lists every operator write and every credential event, newest first: who did what, when, of which member, and " +
    "from where, with the record before and after. Without business_id, it lists the entries of all businesses, and those without a business if you may use all businesses.",
  columns: ["audit_id", "recorded_at", "business_id", "event", "contact_id", "actor_kind", "actor_name"],
  input: {
    business_id: Type.Optional(fields.businessId),
    contact_id: Type.Optional(fields.contactId),
    event: Type.Optional(event),
    actor_kind: Type.Optional({ ...actorKind, description: "Only entries of actors of this kind." }),
    actor_id: Type.Optional(
      fields.identifier(
        "Only entries of the account, key or integration with this number. Send actor_kind, too.",
        3,
      ),
    ),
    actor_name: Type.Optional(fields.text(255, "Only entries of actors with exactly this name.", "anna")),
    start_date: Type.Optional(
      fields.day("The first day to list, inclusive, in the time zone of business_id; in UTC without it."),
    ),
    end_date: Type.Optional(
      fields.day("The last day to list, inclusive, in the time zone of business_id; in UTC without it."),
    ),
  },
  output: entry,
  check: ({ event, ...period }, { events }) => [...checkEvent(event, events), ...checkPeriod(period)],
  list: ({ sql, services: { scans }, caller, input, page }) =>
    listAuditEntries({ sql, scans }, input, caller.operator?.business_ids ?? null, page),
});
