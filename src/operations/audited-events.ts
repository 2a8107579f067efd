import { credentialEventNames } from "../domain/access.ts";

/** The events of the audit log. The list of operators' operations adds its writes: imported here, it would be a cycle. */
export const auditedEvents: Set<string> = new Set(credentialEventNames);
