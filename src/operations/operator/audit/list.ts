import { Type } from "typebox";
import * as fields from "../../../contract/fields.ts";
import { listOperation } from "../../../contract/operation.ts";
import { listAuditEntries } from "../../../database/access/audit.ts";
import * as operator from "../../operator-fields.ts";

export const listAudit = listOperation({
  path: "/op/audit/list",
  scope: "operator",
  summary: "List the audit log",
  description:
    "Every operator write and every credential event, newest first: who did what, when and from where, with the " +
    "record before and after. Without business_id it is the log of all businesses and of what concerns none.",
  message: "Audit log listed.",
  input: Type.Object({
    business_id: Type.Optional(fields.businessId),
    event: Type.Optional(operator.auditEvent),
  }),
  output: operator.auditEntry,
  errors: [],
  list: ({ sql, input, page }) => listAuditEntries(sql, input, page),
});
