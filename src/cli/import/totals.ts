/** Counts what an import did, and prints it. */
import type { Context } from "../command.ts";
import { durationText, majorText, numberText } from "../terminal/quantities.ts";
import { printable } from "../terminal/terminal.ts";
import type { ImportKind } from "./columns.ts";
import type { Line } from "./lines.ts";
import type { RejectionReport } from "./report.ts";

export interface Money {
  readonly currency: string;
  readonly decimals: number;
}

/** Counts lines, and sums up those that are not rejected. Sums are bigint, because they have no bound. */
export class Totals {
  lines = 0;
  imported = 0;
  skipped = 0;
  #summed = 0;
  #amount = 0n;
  #smallest = Number.POSITIVE_INFINITY;
  #largest = 0;
  #points = 0n;
  #firstDay = "9999-12-31";
  #lastDay = "";

  /** Adds a line that is not rejected: a sale, or a member with its opening balances. */
  add({ amount, wallet_balance = 0, points_balance = 0, sold_at = "" }: Line): void {
    const money = Number(amount ?? wallet_balance);
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
    const known = this.skipped === 0 ? "" : ` (${numberText(this.skipped)} of them imported before)`;
    const lines = `${numberText(this.#summed)} line${this.#summed === 1 ? "" : "s"}${known}`;
    const [amount, smallest, largest] = [this.#amount, this.#smallest, this.#largest].map((one) =>
      majorText(one, decimals),
    );
    if (name === "members") {
      const points = numberText(Number(this.#points));
      return `Opening balances of ${amount} ${currency} and ${points} points in ${lines}, the largest in a wallet ${largest}.`;
    }
    const [first, last] = [this.#firstDay, this.#lastDay];
    const days = first === last ? `on ${first}` : `from ${first} to ${last}`;
    return `Sales of ${amount} ${currency} in ${lines}, ${days}, the smallest ${smallest}, the largest ${largest}.`;
  }

  /** The same for programs, in minor units. */
  sumRecord({ name }: ImportKind, { currency }: Money): object {
    const lines = { lines: this.#summed, currency };
    const [amount, largest] = [Number(this.#amount), this.#largest];
    if (name === "members") {
      const balances = { wallet_balance: amount, largest_wallet_balance: largest };
      return { opening_balances: { ...lines, ...balances, points_balance: Number(this.#points) } };
    }
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
  readonly kind: ImportKind;
  readonly context: Context;
  readonly report: RejectionReport;
  readonly money: Money;
}

/** Prints the totals of an import. */
export function printTotals(
  { kind, context: { json, out, err }, report, money }: Imported,
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
    out.line(JSON.stringify({ ...counts, ...files, interrupted, ...totals.sumRecord(kind, money) }));
    return;
  }
  const [some, known, bad] = [imported, skipped, rejected].map(numberText);
  const found = `${some} new, ${known} already imported, ${bad} rejected.`;
  if (checked === "dry run") out.line(`Dry run: ${found} Nothing was written.`);
  else if (checked === "strict") out.line(`Nothing was imported: ${found}`);
  else out.line(`Imported ${some}, skipped ${known} already imported, rejected ${bad}.`);
  const sum = totals.sumText(kind, money);
  if (sum !== undefined) out.line(sum);
  if (file !== undefined) out.line(`The rejected lines and the reasons are listed in ${printable(file)}.`);
  if (linesFile !== undefined) {
    out.line(
      `The lines themselves are in ${printable(linesFile)}. Fix them, and import that file with the same options.`,
    );
  }
  const rate = numberText(Math.round(lines / Math.max(seconds, 0.001)));
  err.line(err.style("dim", `${numberText(lines)} lines in ${durationText(seconds)}, ${rate}/s.`));
  if (interrupted && !checked) {
    err.line("To continue, run the same command again: lines that are already imported are skipped.");
  }
}
