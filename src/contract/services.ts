/** The parts of the process that operations use. */
import type { ServiceKeys } from "../credentials/keys.ts";
import type { Passwords } from "../credentials/passwords.ts";
import type { Tokens } from "../credentials/tokens.ts";
import type { Connection, Share } from "../database/connection.ts";
import type { StoredMember, WantedMember } from "../database/engine/members.ts";
import type { Customer, Moment } from "../domain/decision.ts";
import type { DuePoints } from "../domain/engine/lots.ts";
import type { Rules } from "../domain/engine/rules.ts";
import type { FairQueue } from "../domain/fair-queue.ts";
import type { Lot, Sale } from "../domain/records.ts";
import type { AddressPolicy } from "../domain/webhooks/addresses.ts";
import type { Rejection } from "./errors.ts";

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
    readonly rejected: number;
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
export interface SettledMember
  extends Customer,
    Pick<StoredMember, "erased" | "lapses_on">,
    Pick<Moment, "given" | "localTime" | "currency" | "today"> {
  /** Another one than wanted if the member was merged into it. */
  readonly contact_id: number;
  readonly rules: Rules;
  /** The points that are due on each day from tomorrow on. */
  readonly due: readonly DuePoints[];
  readonly sale: Sale | undefined;
  /** The lots that are different from what is stored, because they were due. */
  readonly settledLots: readonly Lot[];
}

/** Reads members as decisions see them. */
export interface MemberReader {
  /**
   * Finds a member, or the one into which it was merged. Those that are wanted at the same time share a statement.
   * @returns undefined when there is no such member
   */
  find(lookUps: Share, wanted: WantedMember): Promise<SettledMember | undefined>;
  /** The same in a transaction. */
  findIn(tx: Connection, wanted: WantedMember): Promise<SettledMember | undefined>;
}

/** Limits how often a caller can fail. */
export interface FailureLimit {
  /** The rejection that the next request of a caller gets, if it has failed too often. */
  rejection(caller: number | string): Rejection | undefined;
  /** Counts a failure of a request that was allowed. */
  owe(caller: number | string): void;
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
  readonly members: MemberReader;
  /** The consoles of all cells, if there are several. */
  readonly consoles: readonly { readonly name: string; readonly url: string }[];
  /** Counts wrong codes of vouchers and cards by caller; undefined without a limit. */
  readonly wrongCodes: FailureLimit | undefined;
  /** Where webhooks may be sent. */
  readonly webhookAddresses: AddressPolicy;
  /** Encrypts a text for one place. */
  readonly seal: ServiceKeys["seal"];
  readonly canUnseal: ServiceKeys["canUnseal"];
  /** Makes the token of a member's page. */
  readonly pageToken: ServiceKeys["pageToken"];
  readonly pageTokenBefore: ServiceKeys["pageTokenBefore"];
  status(): ProcessStatus;
  /** Counts a verified slice of a ledger in the metrics. */
  ledgerVerified(mismatches: number): void;
  /** Resolves when the request log has the requests that this process has handled so far, or the database does not accept them. */
  requestsWritten(): Promise<unknown>;
  /** Milliseconds since the epoch. */
  clock(): number;
}
