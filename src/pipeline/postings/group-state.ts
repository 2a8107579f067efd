/** A group of postings: its commands, what is read for it, and what it saves. */
import type { PostingOperation } from "../../contract/operation.ts";
import type { NewAuditEntry } from "../../database/access/audit.ts";
import type { CorrectionRow } from "../../database/access/corrections.ts";
import type { StoredMember } from "../../database/engine/members.ts";
import type { ChangedRecords } from "../../database/engine/saving.ts";
import type { DayHappening } from "../../database/ledger/day-totals.ts";
import type { StoredKey } from "../../database/ledger/idempotency-keys.ts";
import type { AccountRow, LockedLedger, Recording } from "../../database/ledger/ledger.ts";
import type { LocationAccess } from "../../domain/access/access.ts";
import type { Rules } from "../../domain/engine/rules.ts";
import type { CodeLimit } from "../../domain/engine/vouchers/limits.ts";
import type { AuditedCommand } from "./group-audit.ts";
import type { CommandLimits } from "./group-corrections.ts";
import type { GroupEvents } from "./group-events.ts";
import type { IdempotencyKey, Outcome } from "./outcome.ts";

/** One posting that waits to be recorded. */
export interface PostingCommand extends AuditedCommand {
  readonly operation: Pick<PostingOperation, "path" | "message" | "needs" | "decide"> & {
    /** The type of its event; undefined for a decision in the transaction of a write, which has an event itself. */
    readonly emits: PostingOperation["emits"] | undefined;
    /** Whether its event comes after the one of the write of its transaction, because the write is its cause. */
    readonly follows?: boolean;
  };
  /** The integration of its entries; null for an operator and for the service itself. */
  readonly integrationId: number | null;
  /** The locations that the caller may use. */
  readonly locations: LocationAccess;
  /** Undefined for a command of the service itself. Its repetition has no effect. */
  readonly idempotencyKey: IdempotencyKey | undefined;
  /** What the operation found before. */
  readonly record?: unknown;
  /** The limits of the operator who sent it, if they concern it. */
  readonly limits?: CommandLimits | undefined;
}

export interface ReadMember {
  readonly businessId: number;
  readonly contactId: number;
  readonly member: StoredMember;
}

/** A ledger that a group has locked, with what its decisions have added. */
export interface LedgerState extends LockedLedger {
  /** The points that promotions with a budget have given, with those of the group. */
  readonly given: Map<number, number>;
  /** What the limits of codes count, with the uses of the group. */
  readonly codeUses: Map<CodeLimit, number>;
  nextEntryNo: number;
  nextVoucherNo: number;
}

/** What is read for a group under the locks of its ledgers. */
export interface GroupState {
  /** The ledgers that the group has locked. */
  readonly ledgers: readonly LockedLedger[];
  /** What operators with limits have corrected. */
  readonly corrections?: readonly CorrectionRow[];
  /** The responses to keys that were used before. */
  readonly stored: readonly StoredKey[];
  /** The accounts of commands that need no points, if they exist. */
  readonly accounts: readonly AccountRow[];
  /** The members of commands that need points. */
  readonly members: readonly ReadMember[];
  /** The rules of commands that need points. */
  readonly rules: ReadonlyMap<PostingCommand, Rules>;
  /** The rules of today, by business, if commands need tiers. */
  readonly rulesToday: ReadonlyMap<number, Rules>;
  /** The points that promotions with a budget have given: by business, by promotion_id. */
  readonly given: ReadonlyMap<number, Map<number, number>>;
  /** What the limits of codes count, by business. */
  readonly codeUses: ReadonlyMap<number, Map<CodeLimit, number>>;
}

/** What a group saves in one transaction. */
export interface GroupRecording extends Recording {
  readonly records: ChangedRecords;
  readonly happenings: readonly DayHappening[];
  readonly audited: readonly NewAuditEntry[];
  readonly corrections: readonly CorrectionRow[];
  readonly events: GroupEvents | undefined;
  /** The members whose money has lapsed. */
  readonly lapsed: readonly Pick<AccountRow, "business_id" | "contact_id">[];
}

/**
 * The outcome of a command in a group; undefined when its ledger is locked. If more lots of its member are due than one
 * transaction settles, the member is settled in part, and the command is decided in the next group.
 */
export type GroupOutcome = Outcome | "settled_in_part" | undefined;

/** The ledgers with the numbers of what is added next, and with what was counted. */
export function ledgerStates({ ledgers, given, codeUses }: GroupState): ReadonlyMap<number, LedgerState> {
  return new Map(
    ledgers.map((ledger) => {
      const { business_id, last_entry_no, last_voucher_no } = ledger;
      const next = { nextEntryNo: last_entry_no + 1, nextVoucherNo: last_voucher_no + 1 };
      const counted = {
        given: given.get(business_id) ?? new Map(),
        codeUses: codeUses.get(business_id) ?? new Map(),
      };
      return [business_id, { ...ledger, ...next, ...counted }];
    }),
  );
}
