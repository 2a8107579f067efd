/**
 * The events of the audit log by what is stored: the path of an operation, or the name of a credential event. The list of
 * operators' operations adds its writes, because importing it here would be a cycle.
 */
export const auditedEvents: Map<string, string> = new Map([
  ["business_imported", "business.imported"],
  ["client_credentials_refused", "client_credentials.rejected"],
  ["operator_key_refused", "operator_key.rejected"],
  ["token_issued", "token.issued"],
]);
