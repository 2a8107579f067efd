import type { Logger } from "pino";
import { insertAuditEntry } from "../database/audit.ts";
import { type Connection, describeFault } from "../database/connection.ts";
import type { OperationRequest } from "./request.ts";

export interface CredentialEvents {
  operatorKeyRefused(request: OperationRequest): void;
  clientCredentialsRefused(request: OperationRequest, clientId: string): void;
  tokenIssued(request: OperationRequest, to: TokenHolder): void;
}

/** For whom an access token was issued. */
export interface TokenHolder {
  readonly business_id: number;
  readonly integration_id: number;
}

/**
 * Writes what credentials were used for to the audit log, refused ones too. The caller does not wait for it, and a
 * database that is away costs the entry, not the answer: the log line stays. The limits on failed attempts bound
 * how many refusals there are.
 */
export function createCredentialEvents(sql: Connection, log: Logger): CredentialEvents {
  const record = (
    { id, address }: OperationRequest,
    name: string,
    entry: { event: string; after: object; business_id?: number },
  ) => {
    const actor = { name, address, requestId: id };
    insertAuditEntry(sql, { business_id: null, before: null, actor, ...entry }).catch((error: unknown) =>
      log.warn(
        { request_id: id, event: entry.event, fault: describeFault(error) },
        "an event is not in the audit log",
      ),
    );
  };
  return {
    operatorKeyRefused: (request) => record(request, "unknown", { event: "operator_key_refused", after: {} }),
    clientCredentialsRefused: (request, clientId) =>
      record(request, "unknown", {
        event: "client_credentials_refused",
        after: { client_id: clientId.slice(0, 64) },
      }),
    tokenIssued: (request, { business_id, integration_id }) =>
      record(request, `integration ${integration_id}`, {
        event: "token_issued",
        after: { integration_id },
        business_id,
      }),
  };
}
