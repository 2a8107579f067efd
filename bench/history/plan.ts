/** What a generated history is to hold. */
export interface HistoryOrder {
  readonly businessId: number;
  readonly integrationId: number;
  readonly locationIds: readonly number[];
  readonly members: number;
  readonly entries: number;
  /** All entries happened within ten minutes, as after one bulk import; else over three years. */
  readonly bulkImport: boolean;
  readonly seed: number;
}

/** An order, and where in the database it begins. */
export interface HistoryPlan extends HistoryOrder {
  readonly firstContactId: number;
  readonly firstMemberId: number;
  readonly firstEntryNo: number;
  /** Milliseconds since the epoch. */
  readonly startsAt: number;
  readonly endsAt: number;
}

/** Keys of so many days ago are past their time. */
export const expiredDays = 40;

const bulkImportMilliseconds = 10 * 60 * 1000;
const historyDays = 3 * 365;

/** The time that a history covers, up to the start of the day or, after a bulk import, to a minute ago. */
export function timeOf({ bulkImport }: HistoryOrder, now: number): { startsAt: number; endsAt: number } {
  if (bulkImport) {
    const endsAt = now - 60_000;
    return { startsAt: endsAt - bulkImportMilliseconds, endsAt };
  }
  const day = 86_400_000;
  const endsAt = Math.floor(now / day) * day;
  return { startsAt: endsAt - historyDays * day, endsAt };
}
