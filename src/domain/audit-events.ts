/** The names of events in the audit log, such as tier.created. */
export type AuditEvent = `${string}.${string}`;

/** Who makes entries. The service makes those about rejected credentials. */
export const actorKinds = ["account", "key", "root", "integration", "service"] as const;

export type ActorKind = (typeof actorKinds)[number];

/** The author of a change, for the audit log. */
export interface Actor {
  readonly kind: ActorKind;
  /** The operator_id, key_id or integration_id; null for root and for the service. */
  readonly id: number | null;
  readonly name: string;
  /** What an operator says about itself. It proves nothing. */
  readonly note: string | null;
  readonly address: string;
  readonly requestId: string;
}

/** The events of the service itself. The declarations of operators' operations name the others. */
export const serviceEvents = [
  "bulk_grant.ended",
  "business.imported",
  "business.moved",
  "client_credentials.rejected",
  "operator_account.accepted",
  "operator_account.password_changed",
  "operator_key.rejected",
  "operator_key.replaced",
  "operator_session.created",
  "operator_session.ended",
  "operator_session.rejected",
  "token.issued",
  "webhook_endpoint.disabled",
  "webhook_endpoint.skipped",
] as const satisfies readonly AuditEvent[];

export type ServiceEvent = (typeof serviceEvents)[number];
