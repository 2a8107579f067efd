/**
 * What the members of the demo business did in the past months, as ledger entries. Pure: the same seed and the
 * same `now` give the same history.
 */
import { type EventType, eventTypes, generatedReference, move } from "../domain/ledger.ts";
import { program, rewardPrice, vouchers } from "./business.ts";
import type { Random } from "./random.ts";

/** An entry of the history; its number is its place in it, from 1. */
export interface HistoryEntry {
  /** An index of the members. */
  readonly member: number;
  readonly event_type: EventType;
  readonly amount: number;
  readonly balance_after: number;
  /** An index of the locations. */
  readonly location: number | null;
  readonly reference_id: string;
  readonly reason: string | null;
  /** Milliseconds since the epoch. */
  readonly created_at: number;
}

interface Occasion {
  readonly at: number;
  readonly member: number;
  readonly kind: "welcome" | "visit" | "goodwill" | "correction" | "points" | "expiry";
}

const day = 24 * 60 * 60 * 1000;
const historyDays = 180;
/** Points of members who have not come for so long expire on the days of expiry. */
const expiryDays = 75;
const expiryRuns = [60, 30];

/**
 * Makes the history.
 * @param joinedAt of every member, in milliseconds; nobody does anything before
 * @param now milliseconds; the last entry is from the day before, at the latest
 */
export function makeHistory(random: Random, joinedAt: readonly number[], now: number): HistoryEntry[] {
  const recorder = new Recorder(random);
  for (const occasion of planOccasions(random, joinedAt, now)) recorder.take(occasion);
  return recorder.entries;
}

/** When everybody joined: over the past year, in ascending order, the last a few days ago. */
export function makeJoiningTimes(random: Random, members: number, now: number): number[] {
  const days = Array.from({ length: members }, () => random.between(3, 400)).sort((a, b) => b - a);
  return days.map((daysAgo) => openingHours(random, now, daysAgo)).sort((a, b) => a - b);
}

/** A moment between 8:00 and 20:00 on a day in the past. */
function openingHours(random: Random, now: number, daysAgo: number): number {
  return midnightBefore(now) - daysAgo * day + random.between(8 * 3600, 20 * 3600) * 1000;
}

/** The history counts from there, so that it is the same at every time of the day. */
function midnightBefore(milliseconds: number): number {
  return Math.floor(milliseconds / day) * day;
}

/** Every occasion of every member, in the order of time. */
function planOccasions(random: Random, joinedAt: readonly number[], now: number): Occasion[] {
  const occasions: Occasion[] = [];
  for (const [member, joined] of joinedAt.entries()) {
    const daysHere = (midnightBefore(now) - midnightBefore(joined)) / day;
    const plan = (kind: Occasion["kind"], daysAgo: number) => {
      occasions.push({ at: Math.max(joined, openingHours(random, now, daysAgo)), member, kind });
    };
    if (daysHere < historyDays) occasions.push({ at: joined, member, kind: "welcome" });
    // A few come often, many now and then; some have stopped coming.
    const visits = random.once(5) ? random.between(6, 12) : random.between(0, 3);
    const lastVisit = random.once(4) ? Math.min(90, daysHere) : 1;
    const firstVisit = Math.max(lastVisit, Math.min(historyDays, daysHere));
    for (let visit = 0; visit < visits; visit++) plan("visit", random.between(lastVisit, firstVisit));
    for (const kind of ["goodwill", "correction", "points"] as const) {
      if (random.once(6)) plan(kind, random.between(1, firstVisit));
    }
    for (const daysAgo of expiryRuns) if (daysAgo < daysHere) plan("expiry", daysAgo);
  }
  return occasions.sort((a, b) => a.at - b.at || a.member - b.member);
}

type Details = Partial<Pick<HistoryEntry, "location" | "reference_id" | "reason">>;

/** Takes the occasions in turn and records what comes of them, as far as the ledger's rules allow. */
class Recorder {
  readonly entries: HistoryEntry[] = [];
  readonly #random: Random;
  readonly #balances = new Map<string, number>();
  readonly #lastVisits = new Map<number, number>();
  /** The values of the vouchers that each member holds. */
  readonly #held = new Map<number, number[]>();
  #receipts = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  take(occasion: Occasion): void {
    const { member, kind, at } = occasion;
    const location = this.#random.between(0, 1);
    if (kind === "visit") this.#visit(occasion, location);
    else if (kind === "welcome") this.#giveVoucher(occasion, vouchers.welcome.coupon_value, {});
    else if (kind === "goodwill") {
      const reason = this.#random.pick(["Goodwill after a long wait", "Wrong drink served"]);
      this.#record(occasion, "wallet_adjustment", this.#random.between(2, 8) * 50, { location, reason });
    } else if (kind === "correction") {
      const amount = -this.#random.between(1, 4) * 50;
      this.#record(occasion, "wallet_adjustment", amount, { location, reason: "Top-up entered twice" });
    } else if (kind === "points") {
      const [amount, reason] = this.#random.pick([
        [15, "Receipt handed in later"],
        [40, "Brought a friend"],
        [-5, "Points given to the wrong member"],
      ] as const);
      this.#record(occasion, "reward_points_adjustment", amount, { reason });
    } else if (at - (this.#lastVisits.get(member) ?? at) > expiryDays * day) {
      this.#record(occasion, "reward_points_expired", -this.#balance(member, "points"), {});
    }
  }

  #visit(occasion: Occasion, location: number): void {
    const { member } = occasion;
    const random = this.#random;
    const price = random.between(28, 260) * 10;
    this.#receipts += 1;
    const receipt = { location, reference_id: `receipt-${String(this.#receipts).padStart(6, "0")}` };
    if (this.#balance(member, "wallet") < price && random.once(3)) {
      this.#record(occasion, "wallet_topup", random.pick([2000, 3000, 5000]), { location });
    }
    this.#record(occasion, "sale", price, receipt);
    const redeemed = random.once(2) ? this.#redeemVoucher(occasion, receipt) : 0;
    const due = price - redeemed;
    const paid = this.#record(occasion, "wallet_payment", -due, receipt);
    const points = Math.min(Math.floor(price / 100), program.maximum_points_per_order);
    this.#record(occasion, "reward_points_earned", points, receipt);
    this.#lastVisits.set(member, occasion.at);
    if (random.once(12)) {
      this.#record(occasion, "sale_refund", -price, { ...receipt, reason: "Order cancelled" });
      if (redeemed > 0) this.#giveBackVoucher(occasion, redeemed, receipt);
      const reason = "Order cancelled";
      if (paid) this.#record(occasion, "wallet_adjustment", due, { ...receipt, reason });
      this.#record(occasion, "reward_points_adjustment", -points, { ...receipt, reason });
    } else if (this.#balance(member, "points") >= rewardPrice && random.once(2)) {
      this.#record(occasion, "reward_points_redeemed", -rewardPrice, { location });
      this.#giveVoucher(occasion, vouchers.reward.coupon_value, { location });
    }
  }

  #giveVoucher(occasion: Occasion, value: number, details: Details): void {
    this.#hold(occasion.member, value);
    this.#record(occasion, "voucher_issued", value, details);
  }

  /** @returns the value of the voucher that was redeemed; 0 when the member holds none */
  #redeemVoucher(occasion: Occasion, receipt: Details): number {
    const value = this.#held.get(occasion.member)?.shift() ?? 0;
    this.#record(occasion, "voucher_redeemed", -value, receipt);
    return value;
  }

  #giveBackVoucher(occasion: Occasion, value: number, receipt: Details): void {
    this.#hold(occasion.member, value);
    this.#record(occasion, "voucher_reversed", value, receipt);
  }

  #hold(member: number, value: number): void {
    const held = this.#held.get(member);
    if (held === undefined) this.#held.set(member, [value]);
    else held.push(value);
  }

  #balance(member: number, account: string): number {
    return this.#balances.get(`${member} ${account}`) ?? 0;
  }

  /**
   * Records an entry, unless it moves nothing or the ledger's rules forbid it: who has no money pays in cash.
   * @returns whether it was recorded
   */
  #record(occasion: Occasion, event_type: EventType, amount: number, details: Details): boolean {
    const { member, at } = occasion;
    const { account } = eventTypes[event_type];
    const movement = move(
      { active: true, balances: { [account]: this.#balance(member, account) } },
      account,
      amount,
    );
    if (amount === 0 || movement.status !== "moved") return false;
    this.#balances.set(`${member} ${account}`, movement.balance);
    this.entries.push({
      member,
      event_type,
      amount,
      balance_after: movement.balance,
      location: details.location ?? null,
      reference_id: details.reference_id ?? generatedReference(event_type, this.entries.length + 1),
      reason: details.reason ?? null,
      created_at: at,
    });
    return true;
  }
}
