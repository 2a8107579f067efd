/** What a load was told of one business: every write that was acknowledged, and what it must have done. */

export interface Posted {
  readonly contact_id: number;
  readonly account: "wallet" | "points";
  /** Signed. */
  readonly amount: number;
  readonly balance_after: number;
}

/** A sale or a refund: what it moved the sales account by, and whose. */
export interface Sold {
  readonly contact_id: number;
  readonly event_type: "sale" | "sale_refund";
  /** Signed. */
  readonly amount: number;
}

export type Fields = Record<string, string | number | boolean | null>;

/** Records as the last acknowledged write left them, by id. Each is written by one writer alone. */
export type Kept = Map<number, Fields>;

export class Books {
  /** By idempotency key, which is also the reason in the ledger. */
  readonly postings = new Map<string, Posted>();
  /** Sales and refunds, by idempotency key, which is also the reference in the ledger. */
  readonly sales = new Map<string, Sold>();
  readonly members: Kept = new Map();
  readonly benefits: Kept = new Map();
  readonly tiers: Kept = new Map();
  readonly programs: Kept = new Map();
  settings: Fields | undefined;
}

/** What a load met with, over all its businesses. */
export class Tally {
  /** Writes that were acknowledged. */
  acknowledged = 0;
  /** Tries that left nobody knowing whether they took effect: lost connections, no answer in time, 503. */
  unknown = 0;
  /** Of these, how many had taken effect: the next try was answered from the first. */
  unknownButDone = 0;
  /** Requests that were not answered in time. */
  overdue = 0;
  refused = 0;
  reads = 0;
  /** Acknowledged writes that were sent again later, and answered as at first. */
  repeats = 0;
  /** The longest that any answer took, in milliseconds. */
  longest = 0;
  /** When the last request was answered with a success, by performance.now(). */
  lastSuccessAt = 0;
  /** When the last write was acknowledged. */
  lastWriteAt = 0;
  /** When a request was last answered with service_unavailable. */
  lastUnavailableAt = 0;
}
