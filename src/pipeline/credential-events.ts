import type { Logger } from "pino";
import { insertAuditEntry } from "../database/audit.ts";
import { type Connection, describeFault } from "../database/connection.ts";
import type { OperationRequest } from "./request.ts";

export interface CredentialEvents {
  operatorKeyRefused(request: OperationRequest): void;
  clientCredentialsRefused(request: OperationRequest, clientId: string): void;
}

/**
 * Writes refused credentials to the audit log. The caller does not wait for it, and a database that is away
 * costs the entry, not the answer: the log line stays. The limits on failed attempts bound how many there are.
 */
export function createCredentialEvents(sql: Connection, log: Logger): CredentialEvents {
  const record = (request: OperationRequest, name: string, event: string, after: object) => {
    const actor = { name, address: request.address, requestId: request.id };
    insertAuditEntry(sql, { business_id: null, actor, event, before: null, after }).catch((error: unknown) =>
      log.warn({ request_id: request.id, event, fault: describeFault(error) }, "not in the audit log"),
    );
  };
  return {
    operatorKeyRefused: (request) => record(request, "unknown", "operator_key_refused", {}),
    clientCredentialsRefused: (request, clientId) =>
      record(request, "unknown", "client_credentials_refused", { client_id: clientId.slice(0, 64) }),
  };
}
