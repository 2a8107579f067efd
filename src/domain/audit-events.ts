/** The names of events in the audit log: what an event is about, and what happened to it. */
export type AuditEvent = `${string}.${string}`;

/** The events that are not operations of an operator, whose declarations name theirs. */
export const serviceEvents = [
  "business.imported",
  "client_credentials.rejected",
  "operator_key.rejected",
  "token.issued",
] as const satisfies readonly AuditEvent[];

export type ServiceEvent = (typeof serviceEvents)[number];
