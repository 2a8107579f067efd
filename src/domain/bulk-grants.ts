/** What an operator gives to many members at once, by a job. */

/** cancelled, failed: it can be resumed, and goes on where it was. */
export const bulkGrantStates = ["running", "ended", "cancelled", "failed"] as const;
export type BulkGrantState = (typeof bulkGrantStates)[number];
