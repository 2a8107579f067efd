import type { NewAuditEntry } from "../../database/access/audit.ts";
import type { Actor, AuditEvent } from "../../domain/audit-events.ts";
import { namedKinds } from "../../domain/decision.ts";
import type { Account } from "../../domain/ledger.ts";
import type { GroupMember } from "./group-member.ts";

/** The parts of a command that its audit entry tells. */
export interface AuditedCommand {
  readonly businessId: number;
  /** The member whose accounts it changes. */
  readonly contactId: number;
  readonly input: Readonly<Record<string, unknown>>;
  /** The operator who sent it, and the name of the change. */
  readonly audit?: { readonly actor: Actor; readonly event: AuditEvent } | undefined;
}

/** The audit entry of a posting: the balances that it changed, the records that it names, and the reason. */
export function auditEntryOf(
  { businessId, contactId, input, audit }: AuditedCommand,
  before: GroupMember["balances"],
  after: GroupMember["balances"],
  data: unknown,
): NewAuditEntry {
  const accounts = (Object.keys(after) as Account[]).filter((account) => before[account] !== after[account]);
  const changed = (of: GroupMember["balances"]) =>
    Object.fromEntries(accounts.map((account) => [account, of[account]]));
  const fields: Readonly<Record<string, unknown>> = { ...input, ...(data as object) };
  const records = namedKinds.map((kind) => [`${kind}_id`, fields[`${kind}_id`] ?? undefined]);
  return {
    business_id: businessId,
    ...(audit as NonNullable<typeof audit>),
    before: { contact_id: contactId, ...changed(before) },
    after: {
      contact_id: contactId,
      ...changed(after),
      ...Object.fromEntries(records),
      reason: input.reason,
    },
  };
}
