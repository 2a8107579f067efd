/** Counts what an import did, and prints it. */
import type { Context } from "../command.ts";
import { durationText, majorText, numberText } from "../terminal/quantities.ts";
import { printable, wrapText } from "../terminal/terminal.ts";
import type { ImportKind } from "./kinds.ts";
import type { Line, Rejection } from "./lines.ts";
import type { RejectionReport } from "./report.ts";

export interface Money {
  readonly currency: string;
  readonly decimals: number;
}

/** How many repeated lines a text names, and how many reasons it lists. */
const mostNamed = 10;
const mostReasons = 10;

const linesText = (count: number) => `${numberText(count)} line${count === 1 ? "" : "s"}`;

/** Counts lines, and sums up those that are not rejected. Sums are bigint, because they have no bound. */
export class Totals {
  lines = 0;
  imported = 0;
  skipped = 0;
  /** Skipped sales that were imported without points. */
  withoutPoints = 0;
  /** Skipped sales that earn points now. */
  pointsAdded = 0;
  /** Lines of a dry run that are the same records as earlier lines, each with the earlier one. */
  readonly repeated: (readonly [line: number, earlier: number])[] = [];
  /** Lines that were rejected because their reference is that of another record. */
  reused = 0;
  #summed = 0;
  #amount = 0n;
  #smallest = Number.POSITIVE_INFINITY;
  #largest = 0;
  #points = 0n;
  #firstDay = "9999-12-31";
  #lastDay = "";
  readonly #reasons = new Map<string, number>();
  #refunds = 0;
  #refunded = 0n;

  /** Adds a line that is not rejected: a sale, a voucher, or a member with its opening balances. */
  add({ amount, coupon_value, wallet_balance = 0, points_balance = 0, sold_at = "" }: Line): void {
    const money = Number(amount ?? coupon_value ?? wallet_balance);
    if (money === 0 && points_balance === 0) return;
    const day = String(sold_at).slice(0, 10);
    if (day < this.#firstDay) this.#firstDay = day;
    if (day > this.#lastDay) this.#lastDay = day;
    this.#smallest = Math.min(this.#smallest, money);
    this.#largest = Math.max(this.#largest, money);
    this.#amount += BigInt(money);
    this.#points += BigInt(Number(points_balance));
    this.#summed += 1;
  }

  /** A text with the sums of the lines; undefined when there are none. */
  sumText({ name }: ImportKind, { currency, decimals }: Money): string | undefined {
    if (this.#summed === 0) return undefined;
    const before = this.skipped - this.repeated.length;
    // Lines without an amount are not summed, and may be those that were imported before.
    const isAll = this.#summed === this.imported + before;
    const known = before === 0 || !isAll ? "" : ` (${numberText(before)} of them imported before)`;
    const lines = `${linesText(this.#summed)}${known}`;
    const [amount, smallest, largest] = [this.#amount, this.#smallest, this.#largest].map((one) =>
      majorText(one, decimals),
    );
    if (name === "members") {
      const points = numberText(Number(this.#points));
      return `Opening balances of ${amount} ${currency} and ${points} points in ${lines}, the largest in a wallet ${largest}.`;
    }
    if (name === "vouchers")
      return `Vouchers of ${amount} ${currency} in ${lines} with a coupon_value, the largest ${largest}.`;
    const [first, last] = [this.#firstDay, this.#lastDay];
    const days = first === last ? `on ${first}` : `from ${first} to ${last}`;
    return `Sales of ${amount} ${currency} in ${lines}, ${days}, the smallest ${smallest}, the largest ${largest}.`;
  }

  /** What becomes of the points. */
  pointsTexts({ name }: ImportKind, fields: Readonly<Record<string, unknown>>): string[] {
    if (name === "sales") {
      const earned = "The sales would earn points by the rules of their days.";
      return [fields.earn === true ? earned : "The sales would earn no points: --earn is missing."];
    }
    if (name === "vouchers" || this.#points === 0n) return [];
    const day = fields.points_valid_through;
    if (day !== undefined) return [`The points could be spent until ${day}.`];
    return ["The points would never expire. To let them expire, add --points-valid-through DAY."];
  }

  addReason({ message, reason = message, field }: Rejection, line: Line | undefined): void {
    this.#reasons.set(reason, (this.#reasons.get(reason) ?? 0) + 1);
    const amount = Number(line?.[field]);
    if (field !== "amount" || !(amount < 0)) return;
    this.#refunds += 1;
    this.#refunded += BigInt(amount);
  }

  /** The reasons with the number of their lines, the most frequent first. */
  reasons(): { reason: string; lines: number }[] {
    const counted = [...this.#reasons].map(([reason, lines]) => ({ reason, lines }));
    return counted.sort((one, other) => other.lines - one.lines);
  }

  /** The reasons as lines of text. @param width of the terminal */
  reasonTexts(width?: number): string[] {
    const reasons = this.reasons();
    const numbers = Math.max(0, ...reasons.map(({ lines }) => numberText(lines).length));
    const listed = reasons.slice(0, mostReasons).map(({ reason, lines }) => {
      return wrapText(printable(reason), width, `  ${numberText(lines).padStart(numbers)}  `);
    });
    const more = reasons.length - listed.length;
    return [
      ...(listed.length > 0 ? ["Reasons for rejection, with the number of lines:"] : []),
      ...listed,
      ...(more > 0 ? [`  and ${numberText(more)} other reasons`] : []),
    ];
  }

  /** What else there is to know about skipped and rejected lines, and what to do about it. */
  notes({ reference, options }: ImportKind, { currency, decimals }: Money): string[] {
    const { repeated, withoutPoints, pointsAdded, reused } = this;
    const notes: string[] = [];
    if (repeated.length > 0) {
      const named = repeated.slice(0, mostNamed).map(([line, earlier]) => `${line} (as ${earlier})`);
      const others = repeated.length > mostNamed ? ", …" : "";
      const repeats = repeated.length === 1 ? "repeats an earlier line" : "repeat earlier lines";
      notes.push(
        `${linesText(repeated.length)} ${repeats} of the file, and would be skipped: ${named.join(", ")}${others}.`,
      );
    }
    if (pointsAdded > 0) {
      notes.push(
        `Sales that were imported before without points and earn them now: ${numberText(pointsAdded)}.`,
      );
    }
    if (withoutPoints > 0) {
      notes.push(
        `${numberText(withoutPoints)} of the sales that are already imported were imported without points. To give ` +
          "them their points, once, add --earn-imported.",
      );
    }
    if (this.#refunds > 0) {
      const sum = `${majorText(this.#refunded, decimals)} ${currency}`;
      notes.push(`Refunds that were left out: ${linesText(this.#refunds)}, ${sum}.`);
    }
    if (reused > 0 && options.includes("reference_per")) {
      notes.push(
        `Lines with the ${reference} of another sale: ${numberText(reused)}. If receipt numbers restart each day or at ` +
          "each location, add --reference-per day, location or day,location.",
      );
    }
    return notes;
  }

  /** The same for programs. */
  noteRecord(): object {
    const { withoutPoints, pointsAdded, repeated } = this;
    const reasons = this.reasons();
    return {
      ...(reasons.length > 0 && { reasons }),
      ...(this.#refunds > 0 && { refunds: { lines: this.#refunds, total: Number(this.#refunded) } }),
      ...(repeated.length > 0 && { repeated: repeated.map(([line, earlier]) => ({ line, earlier })) }),
      ...(withoutPoints > 0 && { without_points: withoutPoints }),
      ...(pointsAdded > 0 && { points_added: pointsAdded }),
    };
  }

  /** The sums for programs, in minor units. */
  sumRecord({ name }: ImportKind, { currency }: Money): object {
    const lines = { lines: this.#summed, currency };
    const [amount, largest] = [Number(this.#amount), this.#largest];
    if (name === "members") {
      const balances = { wallet_balance: amount, largest_wallet_balance: largest };
      return { opening_balances: { ...lines, ...balances, points_balance: Number(this.#points) } };
    }
    if (name === "vouchers") return { vouchers: { ...lines, total: amount, largest } };
    if (this.#summed === 0) return { sales: lines };
    const days = { first_day: this.#firstDay, last_day: this.#lastDay };
    return { sales: { ...lines, total: amount, smallest: this.#smallest, largest, ...days } };
  }
}

export interface Outcome {
  /** Lines were checked, and none was imported: by --dry-run, or by --strict because a line was rejected. */
  readonly checked: "dry run" | "strict" | undefined;
  /** By Ctrl-C or by a failure. */
  readonly interrupted: boolean;
  readonly seconds: number;
}

interface Imported {
  readonly options: { readonly fields: Readonly<Record<string, unknown>> };
  readonly kind: ImportKind;
  readonly context: Context;
  readonly report: RejectionReport;
  readonly money: Money;
}

export function printTotals(
  { kind, context: { json, out, err }, report, money, options: { fields } }: Imported,
  totals: Totals,
  { checked, interrupted, seconds }: Outcome,
): void {
  const { lines, imported, skipped } = totals;
  const rejected = lines - imported - skipped;
  const [file, linesFile] = report.lines > 0 ? [report.file, report.linesFile] : [];
  if (json) {
    const isDry = checked === "dry run";
    const counts = { dry_run: isDry, new: imported, imported: checked ? 0 : imported, skipped, rejected };
    const files = { report: file ?? null, rejected_lines: linesFile ?? null };
    const more = { ...totals.noteRecord(), ...totals.sumRecord(kind, money) };
    out.line(JSON.stringify({ ...counts, ...files, interrupted, ...more }));
    return;
  }
  const [some, known, bad] = [imported, skipped, rejected].map(numberText);
  const found = `${some} new, ${known} already imported, ${bad} rejected.`;
  const say = (...texts: string[]) => {
    for (const text of texts) out.line(wrapText(text, out.width));
  };
  if (checked === "dry run") say(`Dry run: ${found} Nothing was written.`);
  else if (checked === "strict") say(`Nothing was imported: ${found}`);
  else say(`Imported ${some}, skipped ${known} already imported, rejected ${bad}.`);
  const sum = totals.sumText(kind, money);
  if (sum !== undefined) say(sum);
  if (sum !== undefined && checked === "dry run") say(...totals.pointsTexts(kind, fields));
  for (const text of totals.reasonTexts(out.width)) out.line(text);
  say(...totals.notes(kind, money));
  if (file !== undefined) say(`The rejected lines and the reasons are listed in ${printable(file)}.`);
  if (linesFile !== undefined) {
    say(
      `The lines themselves are in ${printable(linesFile)}. Fix them, and import that file with the same options.`,
    );
  }
  const rate = numberText(Math.round(lines / Math.max(seconds, 0.001)));
  err.line(err.style("dim", `${linesText(lines)} in ${durationText(seconds)}, ${rate}/s.`));
  if (interrupted && !checked) {
    err.line("To continue, run the same command again: lines that are already imported are skipped.");
  }
}
