/** Counts what a job did with the lines of a file. */
import { majorText } from "../domain/amount-text.ts";
import type { ImportResult } from "../operations/imports/import-jobs.ts";
import type { ImportKind } from "../operations/imports/import-kinds.ts";
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

/** What is counted, as it is stored. */
const nothing = {
  figures: {
    ...{ lines: 0, imported: 0, skipped: 0, rejected: 0, left_out: 0, joined: 0 },
    ...{ without_points: 0, points_added: 0 },
  },
  sums: {
    ...{ lines: 0, amount: 0, smallest: 0, largest: 0, points: 0 },
    ...{ first_day: null as string | null, last_day: null as string | null },
  },
  reasons: [] as { reason: string; lines: number; first_lines: number[] }[],
  /** Sales with lines of a receipt, by how these compare with the amount. */
  receipts: { exact: 0, short: 0, over: 0 } satisfies Record<Fit, number>,
  /** Receipts of several lines, and how many of them have the same amount in all lines. */
  several: { receipts: 0, repeated: 0 },
  /** How many lines are left out, by the reason. */
  left_out_by: {} as Record<string, number>,
  /** Lines that were rejected because their reference is that of another record. */
  reused: 0,
  /** Lines that repeat, or differ from, the sale of the line before. */
  apart: 0,
  /** New sales of a check that can be recorded already. */
  alike: 0,
  refunds: { lines: 0, amount: 0 },
  /** Rejected ones. */
  bad_refunds: { lines: 0, amount: 0 },
  /** Lines of a check that are the same records as earlier lines. */
  repeated: 0,
  /** The first of them, each with the earlier one. */
  repeats: [] as (readonly [line: number, earlier: number])[],
};

/** A result as a job stores it: with what it needs to go on counting. */
export interface StoredResult extends ImportResult {
  readonly counts: typeof nothing;
}

const addTo = (sum: { lines: number; amount: number }, amount: number) => {
  sum.lines += 1;
  sum.amount += amount;
};

export class Totals {
  readonly counts: typeof nothing;
  readonly #reasons: Map<string, (typeof nothing.reasons)[number]>;

  /** @param before what was stored; the totals don't change it */
  constructor(before: StoredResult | null = null) {
    this.counts = structuredClone(before?.counts ?? nothing);
    this.#reasons = new Map(this.counts.reasons.map((one) => [one.reason, one]));
  }

  /** Adds a line that is imported: a sale, a voucher, or a member with its opening balances. */
  add({ amount, coupon_value, wallet_balance = 0, points_balance = 0, sold_at }: Line, fit?: Fit): void {
    const { receipts, refunds, sums } = this.counts;
    if (fit !== undefined) receipts[fit] += 1;
    const money = Number(amount ?? coupon_value ?? wallet_balance);
    if (money < 0) {
      addTo(refunds, money);
      return;
    }
    if (money === 0 && points_balance === 0) return;
    if (sold_at !== undefined) {
      const day = String(sold_at).slice(0, 10);
      if (sums.first_day === null || day < sums.first_day) sums.first_day = day;
      if (sums.last_day === null || day > sums.last_day) sums.last_day = day;
    }
    sums.smallest = sums.lines === 0 ? money : Math.min(sums.smallest, money);
    sums.largest = Math.max(sums.largest, money);
    sums.points += Number(points_balance);
    addTo(sums, money);
  }

  leaveOut(reason: string): void {
    const { figures, left_out_by } = this.counts;
    figures.left_out += 1;
    if (reason in left_out_by || Object.keys(left_out_by).length < mostReasons)
      left_out_by[reason] = (left_out_by[reason] ?? 0) + 1;
  }

  repeat(line: number, earlier: number): void {
    this.counts.repeated += 1;
    if (this.counts.repeats.length < mostNamed) this.counts.repeats.push([line, earlier]);
  }

  reject({ message, reason = message, field, line: number }: Rejection, line: Line | undefined): void {
    const { reasons, bad_refunds } = this.counts;
    let counted = this.#reasons.get(reason);
    if (counted === undefined && reasons.length < mostReasons) {
      counted = { reason, lines: 0, first_lines: [] };
      this.#reasons.set(reason, counted);
      reasons.push(counted);
    }
    if (counted !== undefined) {
      counted.lines += 1;
      if (counted.first_lines.length < mostLinesNamed) counted.first_lines.push(number);
    }
    const amount = Number(line?.[field]);
    if (field === "amount" && amount < 0) addTo(bad_refunds, amount);
  }

  /** The result so far. @param options what becomes of the points of a check; undefined for an import */
  result(kind: ImportKind, money: Money, options?: Readonly<Record<string, unknown>>): StoredResult {
    const { counts } = this;
    const notes = [
      ...this.#sumTexts(kind, money),
      ...(options === undefined ? [] : this.#pointsTexts(kind, options)),
      ...this.#notes(kind, money),
    ];
    const reasons = counts.reasons.toSorted((one, other) => other.lines - one.lines);
    return { ...counts.figures, sums: counts.sums, reasons, notes, counts };
  }

  /** A text with the sums of the lines; none when there are no sums. */
  #sumTexts({ name }: ImportKind, { currency, decimals }: Money): string[] {
    const { sums } = this.counts;
    const { lines: summed, points, first_day, last_day } = sums;
    if (summed === 0) return [];
    const lines = linesText(summed);
    const [amount, smallest, largest] = [sums.amount, sums.smallest, sums.largest].map((one) =>
      majorText(one, decimals),
    );
    if (name === "members") {
      const all = `Opening balances of ${amount} ${currency} and ${numberText(points)} points`;
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
      const lines = this.#receipts > 0 ? ", and the lines of their receipts would not be kept" : "";
      return [`The sales would earn no points${lines}. To let them earn, add earn.`];
    }
    if (name === "vouchers" || this.counts.sums.points === 0) return [];
    const day = options.points_valid_through;
    if (day !== undefined) return [`The points could be spent until ${day}.`];
    return ["The points would never expire. To let them expire, add points_valid_through."];
  }

  get #receipts(): number {
    const { exact, short, over } = this.counts.receipts;
    return exact + short + over;
  }

  /** What else there is to know about skipped and rejected lines, and what to do about it. */
  #notes({ reference, options }: ImportKind, { currency, decimals }: Money): string[] {
    const {
      figures,
      repeated,
      repeats,
      reused,
      apart,
      alike,
      refunds,
      bad_refunds,
      receipts,
      several,
      left_out_by,
    } = this.counts;
    const { joined, points_added, without_points } = figures;
    const named = repeats.map(([line, earlier]) => `${line} (as ${earlier})`);
    const more = repeated > repeats.length ? ", …" : "";
    const repeat = repeated === 1 ? "repeats an earlier line" : "repeat earlier lines";
    const sumOf = ({ lines, amount }: typeof refunds) =>
      `${linesText(lines)}, ${majorText(amount, decimals)} ${currency}`;
    const noteIf = (number: number, text: string) => (number > 0 ? [text] : []);
    return [
      ...noteIf(
        repeated,
        `${linesText(repeated)} ${repeat} of the file, and would be skipped: ${named.join(", ")}${more}.`,
      ),
      ...noteIf(
        options.includes("join_lines") ? apart : 0,
        `Lines with the ${reference} of the line before: ${numberText(apart)}. If the lines of a receipt are its articles, add join_lines: ` +
          "then they are one sale.",
      ),
      ...noteIf(
        alike,
        `${linesText(alike)} ${alike === 1 ? "has" : "have"} the member, the day and the amount of a sale that is recorded, and no receipt number tells them apart. ` +
          "If they are the same sales, they would be recorded twice: import the file with the columns of the first time.",
      ),
      ...Object.entries(left_out_by).map(([reason, lines]) => `Left out: ${linesText(lines)} ${reason}.`),
      ...noteIf(joined, `Lines that were added to the receipt of the line before: ${numberText(joined)}.`),
      ...noteIf(
        2 * several.repeated > several.receipts ? several.repeated : 0,
        `In ${numberText(several.repeated)} of ${numberText(several.receipts)} receipts of several lines, all lines have the same amount, and ` +
          "it is added up. If it is that of the whole receipt, say which column has the amounts of lines, as line_amount or line_price, " +
          "or add defaults of line_amount, such as 0.",
      ),
      ...noteIf(this.#receipts, `Sales with lines of their receipts: ${numberText(this.#receipts)}.`),
      ...noteIf(
        receipts.short,
        `In ${numberText(receipts.short)} of them, the lines lack a part of the amount, which becomes a line of its own.`,
      ),
      ...noteIf(
        receipts.over,
        `In ${numberText(receipts.over)} of them, the lines are more than the amount, and are lowered in proportion.`,
      ),
      ...noteIf(
        points_added,
        `Sales that were imported before without points and earn them now: ${numberText(points_added)}.`,
      ),
      ...noteIf(
        without_points,
        `${numberText(without_points)} of the sales that are already imported were imported without points. To give ` +
          "them their points, once, add earn_imported.",
      ),
      ...noteIf(refunds.lines, `Refunds: ${sumOf(refunds)}.`),
      ...noteIf(bad_refunds.lines, `Refunds that were left out: ${sumOf(bad_refunds)}.`),
      ...noteIf(
        options.includes("reference_per") ? reused : 0,
        `Lines with the ${reference} of another sale: ${numberText(reused)}. If receipt numbers restart each day or at ` +
          "each location, add reference_per day, location or both. If they are lines of one receipt, add join_lines.",
      ),
    ];
  }
}
