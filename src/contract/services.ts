import type { Connection, Database } from "../database/connection.ts";
import type { TokenClaims } from "../domain/access.ts";
import type { FairQueue } from "../domain/fair-queue.ts";

/** What a process did in the last minutes. */
export interface RecentActivity {
  readonly minutes: number;
  readonly requests: number;
  /** Answered with a 4xx. */
  readonly refused: number;
  /** Answered with a 5xx. */
  readonly failed: number;
  /** All requests together. */
  readonly requestSeconds: number;
  /** Groups of postings. */
  readonly batches: number;
  readonly postings: number;
  /** All groups together. */
  readonly batchSeconds: number;
}

/** The state of the process that responds. */
export interface ProcessStatus {
  readonly version: string;
  readonly uptimeSeconds: number;
  readonly database: "embedded" | "external";
  /** Postings that wait or are in flight. */
  readonly queueDepth: number;
  readonly recent: RecentActivity;
}

/** What operations use besides the database; made once at start. */
export interface Services {
  readonly passwords: {
    /**
     * Hashes a password, off the event loop; a bounded number at once, for which businesses take turns.
     * @throws OverloadedError, at once, when too many of the business's wait already
     */
    hash(businessId: number, password: string): Promise<string>;
  };
  readonly tokens: {
    /** Signs an access token. @returns the token and the instant it expires, in milliseconds */
    issue(claims: TokenClaims): Promise<{ token: string; expiresAt: number }>;
  };
  /**
   * Only for statements that read a few rows by key. A slow one delays the others.
   */
  readonly lookUps: Database;
  /**
   * Settles members, in a transaction that holds the ledger's lock.
   * @returns how many entries were recorded
   */
  readonly settle: (tx: Connection, businessId: number, contactIds: readonly number[]) => Promise<number>;
  /** Settles a member and writes off all that its accounts hold, in a transaction that holds the ledger's lock. */
  readonly closeAccounts: (
    tx: Connection,
    businessId: number,
    contactId: number,
    reason: string | undefined,
  ) => Promise<void>;
  /** For statements that may take long. */
  readonly longRunning: Database;
  /** For searches for members, by business. */
  readonly searches: FairQueue;
  /** How this process is doing now. */
  readonly status: () => ProcessStatus;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
}
