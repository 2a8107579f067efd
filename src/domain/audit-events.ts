/** The names of events in the audit log, such as tier.created. */
export type AuditEvent = `${string}.${string}`;

/** The events of the service itself. The declarations of operators' operations name the others. */
export const serviceEvents = [
  "business.imported",
  "client_credentials.rejected",
  "operator_key.rejected",
  "operator_key.replaced",
  "token.issued",
  "webhook_endpoint.disabled",
] as const satisfies readonly AuditEvent[];

export type ServiceEvent = (typeof serviceEvents)[number];
