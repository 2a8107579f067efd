/** The parts of the process that operations use. */
import type { ServiceKeys } from "../credentials/keys.ts";
import type { Passwords } from "../credentials/passwords.ts";
import type { Tokens } from "../credentials/tokens.ts";
import type { Connection, Share } from "../database/connection.ts";
import type { WantedMember } from "../database/engine/members.ts";
import type { Balances, Buyer, Decision, Member, Needs } from "../domain/decision.ts";
import type { DuePoints } from "../domain/engine/lots.ts";
import type { Rules } from "../domain/engine/rules.ts";
import type { tierResult } from "../domain/engine/tier-progress.ts";
import type { FairQueue } from "../domain/fair-queue.ts";
import type { Lot, Sale } from "../domain/records.ts";
import type { AddressPolicy } from "../domain/webhooks/addresses.ts";
import type { ErrorCode, Refusal } from "./errors.ts";

/** The state of the process that handles the request. */
export interface ProcessStatus {
  readonly version: string;
  readonly uptimeSeconds: number;
  readonly database: "embedded" | "external";
  /** Postings that wait or are in flight. */
  readonly queueDepth: number;
  /** The work of the process in the last minutes. */
  readonly recent: {
    readonly minutes: number;
    readonly requests: number;
    /** Requests with a 4xx response. */
    readonly refused: number;
    /** Requests with a 5xx response. */
    readonly failed: number;
    /** The time of all requests together. */
    readonly requestSeconds: number;
    /** Groups of postings. */
    readonly batches: number;
    readonly postings: number;
    readonly batchSeconds: number;
  };
}

/** A member with all balances and its points, settled in memory, and the rules. */
export interface SettledMember extends Buyer {
  /** False if no record was named. */
  readonly erased: boolean;
  /** Another one than wanted if the member was merged into it. */
  readonly contact_id: number;
  readonly rules: Rules;
  /** The day in the business's time zone, YYYY-MM-DD. */
  readonly today: string;
  /** The points that are due on each day from tomorrow on. */
  readonly due: readonly DuePoints[];
  readonly sale: Sale | undefined;
  /** The lots that are different from what is stored, because they were due. */
  readonly settledLots: readonly Lot[];
}

type TierResult = ReturnType<typeof tierResult>;

/** What a member had that was merged into another one. */
interface MergedParts extends Balances {
  readonly points_pending: number;
  readonly points_owed: number;
}

/** A ledger that is locked in a transaction, with some members. Decisions about these members add entries to it. */
export interface OpenLedger<N extends Needs = Needs> {
  /** The time of its entries, as PostgreSQL writes it. */
  readonly now: string;
  /** The day in the business's time zone. */
  readonly today: string;
  /** Decides in memory, after the decisions before. A refusal has no effect. */
  post(
    contactId: number,
    decide: (context: {
      readonly member: Member<N> | undefined;
      readonly today: string;
      readonly entryNo: number;
      readonly voucherNo: number;
    }) => Decision | Refusal<ErrorCode>,
  ): Decision | Refusal<ErrorCode>;
  /** Saves the decisions. @returns how many entries were recorded */
  record(): Promise<number>;
}

/** Reads members as decisions see them, and adds entries for the service itself. */
export interface MemberServices {
  /**
   * Finds a member, or the one into which it was merged. Those that are wanted at the same time share a statement.
   * @returns undefined when there is no such member
   */
  find(lookUps: Share, wanted: WantedMember): Promise<SettledMember | undefined>;
  /** The same in a transaction. */
  findIn(tx: Connection, wanted: WantedMember): Promise<SettledMember | undefined>;
  /** Records what is due of members, in a transaction. @returns how many entries were recorded */
  settle(tx: Connection, businessId: number, contactIds: readonly number[]): Promise<number>;
  /** Announces what ends soon, in a transaction. The members that are due were settled before. */
  announce(tx: Connection, businessId: number, today: string): Promise<void>;
  /** Locks the ledger of a business in a transaction, and reads what decisions about some members need. */
  openLedger<N extends Needs>(
    tx: Connection,
    businessId: number,
    contactIds: readonly number[],
    needs: N,
  ): Promise<OpenLedger<N>>;
  /** Moves the balances and records of a member to another one, in a transaction. Both are settled before. */
  merge(
    tx: Connection,
    businessId: number,
    merge: {
      readonly from: number;
      readonly to: number;
      /** The integration of the entries; null for an operator. */
      readonly integrationId: number | null;
    },
  ): Promise<
    | { readonly merged: MergedParts; readonly balances: Balances; readonly tier: TierResult }
    | Refusal<"member_not_found" | "balance_limit_exceeded">
  >;
  /** Settles a member, writes off its balances and closes its points, in a transaction. */
  close(tx: Connection, businessId: number, contactId: number, reason: string | undefined): Promise<void>;
}

/** The parts of the process that operations use besides `sql`. */
export interface Services {
  readonly passwords: Passwords;
  readonly tokens: Pick<Tokens, "issue">;
  /** Only for statements that read a few rows by key, because a slow statement delays the others. */
  readonly lookUps: Share;
  readonly longRunning: Share;
  /** For statements that read all rows that match, by business. */
  readonly scans: FairQueue;
  readonly members: MemberServices;
  /** The consoles of all cells, if there are several. */
  readonly consoles: readonly { readonly name: string; readonly url: string }[];
  /** Where webhooks may be sent. */
  readonly webhookAddresses: AddressPolicy;
  /** Encrypts a text for one place. */
  readonly seal: ServiceKeys["seal"];
  readonly canUnseal: ServiceKeys["canUnseal"];
  status(): ProcessStatus;
  /** Counts a verified slice of a ledger in the metrics. */
  ledgerVerified(mismatches: number): void;
  /** Resolves when the request log has the requests that this process has handled so far, or the database does not accept them. */
  requestsWritten(): Promise<unknown>;
  /** Milliseconds since the epoch. */
  clock(): number;
}
