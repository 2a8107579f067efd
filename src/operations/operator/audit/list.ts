import { Type } from "typebox";
import { type FieldError, fieldError } from "../../../contract/errors.ts";
import * as fields from "../../../contract/fields.ts";
import { listOperation } from "../../../contract/operation.ts";
import { listAuditEntries } from "../../../database/access/audit.ts";
import { auditedEvents } from "../../audited-events.ts";
import * as operator from "../../operator-fields.ts";
import { checkPeriod } from "../../transactions.ts";

/** An event that is never recorded is a mistake, and not a list without entries. */
function checkEvent(event: string | undefined): FieldError[] {
  const names = [...auditedEvents.values()].sort();
  if (event === undefined || names.includes(event)) return [];
  return [fieldError("event", "not_allowed_value", `must be one of: ${names.join(", ")}`)];
}

function storedAs(event: string): string | undefined {
  for (const [stored, name] of auditedEvents) if (name === event) return stored;
  return undefined;
}

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
    actor: Type.Optional(operator.auditActor),
    start_date: Type.Optional(fields.day("The first day in UTC, inclusive.")),
    end_date: Type.Optional(fields.day("The last day in UTC, inclusive.")),
  }),
  output: operator.auditEntry,
  errors: [],
  check: ({ event, ...period }) => [...checkEvent(event), ...checkPeriod(period)],
  async list({ sql, input, page }) {
    const event = input.event === undefined ? undefined : storedAs(input.event);
    const found = await listAuditEntries(sql, { ...input, event }, page);
    const rows = found.rows.map((row) => ({ ...row, event: auditedEvents.get(row.event) ?? row.event }));
    return { ...found, rows };
  },
});
