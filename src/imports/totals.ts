/** Counts what a job did with the lines of a file. */
import { majorText } from "../domain/amount-text.ts";
import type { ImportResult } from "../domain/import-jobs.ts";
import type { ImportKind } from "../operations/import-kinds.ts";
import type { Fit, Line, Rejection } from "./lines.ts";

export interface Money {
  readonly currency: string;
  readonly decimals: number;
}

/** How many repeated lines a text names, how many lines a reason names, and how many reasons are kept. */
const mostNamed = 10;
const mostLinesNamed = 3;
const mostReasons = 200;

const numberText = (number: number) => number.toLocaleString("en");
export const linesText = (count: number) => `${numberText(count)} line${count === 1 ? "" : "s"}`;

/** What is counted, as it is stored. Sums are texts, because they have no bound. */
interface Counts {
  lines: number;
  imported: number;
  skipped: number;
  rejected: number;
  left_out: number;
  /** Further lines of receipts. */
  joined: number;
  /** Sales with lines of a receipt, by how these compare with the amount. */
  receipts: Record<Fit, number>;
  /** How many lines are left out, by the reason. */
  left_out_by: Record<string, number>;
  without_points: number;
  points_added: number;
  /** Lines that were rejected because their reference is that of another record. */
  reused: number;
  summed: number;
  amount: string;
  smallest: number;
  largest: number;
  points: string;
  first_day: string | null;
  last_day: string | null;
  refunds: number;
  refunded: string;
  /** Rejected ones. */
  bad_refunds: number;
  bad_refunded: string;
  /** Lines of a check that are the same records as earlier lines. */
  repeated: number;
  /** The first of them, each with the earlier one. */
  repeats: (readonly [line: number, earlier: number])[];
  reasons: { reason: string; lines: number; first_lines: number[] }[];
  /** Lines with reasons beyond the ones that are kept. */
  other_reasons: number;
}

const nothing: Counts = {
  lines: 0,
  imported: 0,
  skipped: 0,
  rejected: 0,
  left_out: 0,
  joined: 0,
  receipts: { exact: 0, short: 0, over: 0 },
  left_out_by: {},
  without_points: 0,
  points_added: 0,
  reused: 0,
  summed: 0,
  amount: "0",
  smallest: 0,
  largest: 0,
  points: "0",
  first_day: null,
  last_day: null,
  refunds: 0,
  refunded: "0",
  bad_refunds: 0,
  bad_refunded: "0",
  repeated: 0,
  repeats: [],
  reasons: [],
  other_reasons: 0,
};

/** A result as a job stores it: with what it needs to go on counting. */
export interface StoredResult extends ImportResult {
  readonly counts: Counts;
}

export class Totals {
  readonly counts: Counts;
  readonly #reasons: Map<string, Counts["reasons"][number]>;

  /** @param before what was stored; the totals don't change it */
  constructor(before: StoredResult | null = null) {
    this.counts = structuredClone(before?.counts ?? nothing);
    this.#reasons = new Map(this.counts.reasons.map((one) => [one.reason, one]));
  }

  /** Adds a line that is not rejected: a sale, a voucher, or a member with its opening balances. */
  add({ amount, coupon_value, wallet_balance = 0, points_balance = 0, sold_at }: Line, fit?: Fit): void {
    if (fit !== undefined) this.counts.receipts[fit] += 1;
    const money = Number(amount ?? coupon_value ?? wallet_balance);
    if (money < 0) {
      this.counts.refunds += 1;
      this.counts.refunded = String(BigInt(this.counts.refunded) + BigInt(money));
      return;
    }
    if (money === 0 && points_balance === 0) return;
    const { counts } = this;
    if (sold_at !== undefined) {
      const day = String(sold_at).slice(0, 10);
      if (counts.first_day === null || day < counts.first_day) counts.first_day = day;
      if (counts.last_day === null || day > counts.last_day) counts.last_day = day;
    }
    counts.smallest = counts.summed === 0 ? money : Math.min(counts.smallest, money);
    counts.largest = Math.max(counts.largest, money);
    counts.amount = String(BigInt(counts.amount) + BigInt(money));
    counts.points = String(BigInt(counts.points) + BigInt(Number(points_balance)));
    counts.summed += 1;
  }

  leaveOut(reason: string): void {
    const { left_out_by } = this.counts;
    this.counts.left_out += 1;
    if (reason in left_out_by || Object.keys(left_out_by).length < mostReasons)
      left_out_by[reason] = (left_out_by[reason] ?? 0) + 1;
  }

  repeat(line: number, earlier: number): void {
    this.counts.repeated += 1;
    if (this.counts.repeats.length < mostNamed) this.counts.repeats.push([line, earlier]);
  }

  reject({ message, reason = message, field, line: number }: Rejection, line: Line | undefined): void {
    const { counts } = this;
    let counted = this.#reasons.get(reason);
    if (counted === undefined && this.#reasons.size < mostReasons) {
      counted = { reason, lines: 0, first_lines: [] };
      this.#reasons.set(reason, counted);
      counts.reasons.push(counted);
    }
    if (counted === undefined) counts.other_reasons += 1;
    else {
      counted.lines += 1;
      if (counted.first_lines.length < mostLinesNamed) counted.first_lines.push(number);
    }
    const amount = Number(line?.[field]);
    if (field !== "amount" || !(amount < 0)) return;
    counts.bad_refunds += 1;
    counts.bad_refunded = String(BigInt(counts.bad_refunded) + BigInt(amount));
  }

  /** The result so far. @param options what becomes of the points of a check; undefined for an import */
  result(kind: ImportKind, money: Money, options?: Readonly<Record<string, unknown>>): StoredResult {
    const { counts } = this;
    const reasons = counts.reasons.toSorted((one, other) => other.lines - one.lines);
    return {
      lines: counts.lines,
      imported: counts.imported,
      skipped: counts.skipped,
      rejected: counts.rejected,
      left_out: counts.left_out,
      joined: counts.joined,
      without_points: counts.without_points,
      points_added: counts.points_added,
      sums: {
        lines: counts.summed,
        amount: Number(counts.amount),
        smallest: counts.smallest,
        largest: counts.largest,
        points: Number(counts.points),
        first_day: counts.first_day,
        last_day: counts.last_day,
      },
      reasons,
      notes: [
        ...this.#sumTexts(kind, money),
        ...(options === undefined ? [] : this.#pointsTexts(kind, options)),
        ...this.#notes(kind, money),
      ],
      counts,
    };
  }

  /** A text with the sums of the lines; none when there are no sums. */
  #sumTexts({ name }: ImportKind, { currency, decimals }: Money): string[] {
    const { summed, skipped, repeated, imported, points, first_day, last_day } = this.counts;
    if (summed === 0) return [];
    const before = skipped - repeated;
    // Lines without an amount are not summed, and may be those that were imported before.
    const isAll = summed === imported + before;
    const known = before === 0 || !isAll ? "" : ` (${numberText(before)} of them imported before)`;
    const lines = `${linesText(summed)}${known}`;
    const { amount: sum, smallest: least, largest: most } = this.counts;
    const [amount, smallest, largest] = [BigInt(sum), least, most].map((one) => majorText(one, decimals));
    if (name === "members") {
      const all = `Opening balances of ${amount} ${currency} and ${numberText(Number(points))} points`;
      return [`${all} in ${lines}, the largest in a wallet ${largest}.`];
    }
    if (name === "vouchers")
      return [`Vouchers of ${amount} ${currency} in ${lines} with a coupon_value, the largest ${largest}.`];
    const days = first_day === last_day ? `on ${first_day}` : `from ${first_day} to ${last_day}`;
    return [
      `Sales of ${amount} ${currency} in ${lines}, ${days}, the smallest ${smallest}, the largest ${largest}.`,
    ];
  }

  /** What becomes of the points. */
  #pointsTexts({ name }: ImportKind, options: Readonly<Record<string, unknown>>): string[] {
    if (name === "sales") {
      if (options.earn === true) return ["The sales would earn points by the rules of their days."];
      const { exact, short, over } = this.counts.receipts;
      const lines = exact + short + over > 0 ? ", and the lines of their receipts would not be kept" : "";
      return [`The sales would earn no points${lines}: earn is missing.`];
    }
    if (name === "vouchers" || this.counts.points === "0") return [];
    const day = options.points_valid_through;
    if (day !== undefined) return [`The points could be spent until ${day}.`];
    return ["The points would never expire. To let them expire, add points_valid_through."];
  }

  /** What else there is to know about skipped and rejected lines, and what to do about it. */
  #notes({ reference, options }: ImportKind, { currency, decimals }: Money): string[] {
    const { repeated, repeats, without_points, points_added, reused } = this.counts;
    const { refunds, refunded, bad_refunds, bad_refunded } = this.counts;
    const notes: string[] = [];
    if (repeated > 0) {
      const named = repeats.map(([line, earlier]) => `${line} (as ${earlier})`);
      const others = repeated > repeats.length ? ", …" : "";
      const repeat = repeated === 1 ? "repeats an earlier line" : "repeat earlier lines";
      notes.push(
        `${linesText(repeated)} ${repeat} of the file, and would be skipped: ${named.join(", ")}${others}.`,
      );
    }
    for (const [reason, lines] of Object.entries(this.counts.left_out_by))
      notes.push(`Left out: ${linesText(lines)} ${reason}.`);
    if (this.counts.joined > 0)
      notes.push(
        `Lines that were added to the receipt of the line before: ${numberText(this.counts.joined)}.`,
      );
    const { exact, short, over } = this.counts.receipts;
    if (exact + short + over > 0)
      notes.push(`Sales with lines of their receipts: ${numberText(exact + short + over)}.`);
    if (short > 0)
      notes.push(
        `In ${numberText(short)} of them, the lines lack a part of the amount, which becomes a line of its own.`,
      );
    if (over > 0)
      notes.push(
        `In ${numberText(over)} of them, the lines are more than the amount, and are lowered in proportion.`,
      );
    if (points_added > 0) {
      notes.push(
        `Sales that were imported before without points and earn them now: ${numberText(points_added)}.`,
      );
    }
    if (without_points > 0) {
      notes.push(
        `${numberText(without_points)} of the sales that are already imported were imported without points. To give ` +
          "them their points, once, add earn_imported.",
      );
    }
    const sumOf = (sum: string) => `${majorText(BigInt(sum), decimals)} ${currency}`;
    if (refunds > 0) notes.push(`Refunds: ${linesText(refunds)}, ${sumOf(refunded)}.`);
    if (bad_refunds > 0)
      notes.push(`Refunds that were left out: ${linesText(bad_refunds)}, ${sumOf(bad_refunded)}.`);
    if (reused > 0 && options.includes("reference_per")) {
      notes.push(
        `Lines with the ${reference} of another sale: ${numberText(reused)}. If receipt numbers restart each day or at ` +
          "each location, add reference_per day, location or both.",
      );
    }
    return notes;
  }
}
