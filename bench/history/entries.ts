/** Ledger entries as lines of COPY's text format: a realistic mix, in which every balance adds up. */
import { accounts, type EventType, eventTypes } from "../../src/domain/ledger.ts";

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

/** How often each kind of entry occurs, in thousandths. */
const mix: readonly (readonly [EventType, number])[] = [
  ["sale", 380],
  ["reward_points_earned", 310],
  ["wallet_payment", 100],
  ["wallet_topup", 60],
  ["reward_points_redeemed", 45],
  ["voucher_issued", 35],
  ["voucher_redeemed", 22],
  ["wallet_adjustment", 15],
  ["reward_points_adjustment", 13],
  ["reward_points_expired", 10],
  ["sale_refund", 7],
  ["voucher_reversed", 3],
];

/** What takes from an account, and what is recorded instead when the account is empty. */
const instead: Partial<Record<EventType, EventType>> = {
  wallet_payment: "wallet_topup",
  reward_points_redeemed: "reward_points_earned",
  reward_points_expired: "reward_points_earned",
  voucher_redeemed: "voucher_issued",
  voucher_reversed: "voucher_issued",
  sale_refund: "sale",
};
/** These are an office's doing, not a location's. */
const withoutLocation = new Set<EventType>(["reward_points_adjustment", "reward_points_expired"]);

const memberExponent = 0.8;
const locationExponent = 0.6;
const largestAmount = 15_000;
const millisecondsOfDay = 86_400_000;
const opensAt = 8 / 24;
const openFor = 14 / 24;
const bulkImportMilliseconds = 10 * 60 * 1000;
const historyDays = 3 * 365;

export const entryColumns =
  "business_id, entry_no, contact_id, account, event_type, amount, balance_after, location_id, integration_id, " +
  "reference_id, reason, created_at";

/**
 * A line for each entry, in the order of recording.
 * @param balances of each account by member; they stand as the ledger says when all lines are taken
 */
export function* entryLines(
  plan: HistoryPlan,
  random: () => number,
  balances: readonly Float64Array[],
): Generator<string> {
  const { businessId, integrationId, firstContactId, members, entries, firstEntryNo, locationIds } = plan;
  const nextEventType = weighted(random, mix);
  const nextRank = zipf(random, members, memberExponent);
  const nextLocation = zipf(random, locationIds.length, locationExponent);
  const step = scatterStep(members);
  const createdAt = clockOf(plan);
  for (let index = 0; index < entries; index++) {
    const member = (nextRank() * step) % members;
    const entryNo = firstEntryNo + index;
    let eventType = nextEventType();
    const accountNumber = accounts.indexOf(eventTypes[eventType].account);
    const balanceOf = balances[accountNumber] as Float64Array;
    const balance = balanceOf[member] as number;
    if (balance === 0) eventType = instead[eventType] ?? eventType;
    // Small ones are the most frequent, as at a till.
    const size = 100 + Math.floor(largestAmount * random() * random() * random());
    const amount = instead[eventType] === undefined ? size : -Math.min(size, balance);
    const balanceAfter = balance + amount;
    balanceOf[member] = balanceAfter;
    const location = withoutLocation.has(eventType) ? "\\N" : locationIds[nextLocation()];
    const reason = eventType.endsWith("_adjustment") ? "Goodwill after a late delivery" : "\\N";
    yield `${businessId}\t${entryNo}\t${firstContactId + member}\t${eventTypes[eventType].account}\t${eventType}\t` +
      `${amount}\t${balanceAfter}\t${location}\t${integrationId}\t${eventTypes[eventType].prefix}-${entryNo}\t` +
      `${reason}\t${createdAt(index)}\n`;
  }
}

/**
 * When each entry happened: over the whole time in opening hours, or, for a business that brought its history
 * in one import, all within the import.
 */
function clockOf({ startsAt, endsAt, entries, bulkImport }: HistoryPlan): (index: number) => string {
  if (bulkImport)
    return (index) => new Date(startsAt + ((endsAt - startsAt) * index) / entries).toISOString();
  const days = (endsAt - startsAt) / millisecondsOfDay;
  return (index) => {
    const position = (index / entries) * days;
    const day = Math.floor(position);
    const time = opensAt + (position - day) * openFor;
    // Never past the end: the last day may be cut.
    return new Date(Math.min(endsAt, startsAt + (day + time) * millisecondsOfDay)).toISOString();
  };
}

/** The time that a history covers, up to the start of the day or, after a bulk import, to a minute ago. */
export function timeOf({ bulkImport }: HistoryOrder, now: number): { startsAt: number; endsAt: number } {
  if (bulkImport) {
    const endsAt = now - 60_000;
    return { startsAt: endsAt - bulkImportMilliseconds, endsAt };
  }
  const endsAt = Math.floor(now / millisecondsOfDay) * millisecondsOfDay;
  return { startsAt: endsAt - historyDays * millisecondsOfDay, endsAt };
}

/**
 * Draws ranks from 0 to below `count` after Zipf: a rank's share falls with its number to the power of
 * `exponent`. By inversion of the continuous distribution, which costs the same for any count.
 */
function zipf(random: () => number, count: number, exponent: number): () => number {
  const power = 1 - exponent;
  const span = (count + 1) ** power - 1;
  return () => Math.min(count - 1, Math.floor((random() * span + 1) ** (1 / power)) - 1);
}

/** Draws items by their weights. */
function weighted<Item>(random: () => number, weights: readonly (readonly [Item, number])[]): () => Item {
  // A table of a thousand places makes a draw one look-up.
  const total = weights.reduce((sum, [, weight]) => sum + weight, 0);
  const table = weights.flatMap(([item, weight]) =>
    Array.from({ length: Math.max(1, Math.round((weight / total) * 1000)) }, () => item),
  );
  return () => table[Math.floor(random() * table.length)] as Item;
}

/** A number that shares no factor with `count`: stepping by it visits every place once, far apart. */
function scatterStep(count: number): number {
  let step = Math.max(1, Math.floor(count * 0.618));
  while (greatestCommonDivisor(step, count) !== 1) step += 1;
  return step;
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
