import { type FieldError, fieldError, fields, listOperation, Type } from "../../../contract/declare.ts";
import { listAuditEntries } from "../../../database/access/audit.ts";
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
  return [fieldError("event", "not_allowed_value", `must ${allowed}`)];
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

const entry = Type.Object({
  audit_id: fields.identifier("The number of the audit entry.", 1042),
  business_id: fields.nullable(fields.businessId, "The business of the entry, or null.", 1),
  recorded_at: fields.utcTimestamp,
  actor: fields.returnedText(
    255,
    "The actor from the header X-Actor; operator if the request had no such header.",
    "ana@example.com",
  ),
  address: fields.returnedText(255, "The address of the caller.", "192.0.2.7"),
  request_id: fields.returnedText(
    255,
    "The X-Request-Id of the request.",
    "0f8fad5b-d9cb-469f-a165-70867728950e",
  ),
  event,
  contact_id: fields.nullable(fields.contactId, "The member that the entry is about, or null.", 100001),
  before: recordThen("The record before the change, or null if it did not exist.", { name: "Main Street" }),
  after: recordThen("The record after the change, or null if it was deleted.", { name: "High Street" }),
});

export const listAudit = listOperation({
  path: "/op/audit/list",
  role: "viewer",
  summary: "List the audit log",
  description:
    "Lists every operator write and every credential event, newest first: who did what, when, of which member, and " +
    "from where, with the record before and after. Without business_id, it lists the entries of all businesses and those without a business.",
  columns: ["audit_id", "recorded_at", "business_id", "event", "contact_id", "actor"],
  input: {
    business_id: Type.Optional(fields.businessId),
    contact_id: Type.Optional(fields.contactId),
    event: Type.Optional(event),
    actor: Type.Optional(
      fields.text(255, "Only entries of the actor with exactly this name.", "ana@example.com"),
    ),
    start_date: Type.Optional(fields.day("The first day to list, in UTC, inclusive.")),
    end_date: Type.Optional(fields.day("The last day to list, in UTC, inclusive.")),
  },
  output: entry,
  check: ({ event, ...period }, { events }) => [...checkEvent(event, events), ...checkPeriod(period)],
  list: ({ sql, input, page }) => listAuditEntries(sql, input, page),
});
