/** Counts what an import did, and prints it. */
import type { Context } from "../context.ts";
import { durationText, majorText, numberText } from "../terminal/quantities.ts";
import { printable } from "../terminal/terminal.ts";
import type { Line } from "./lines.ts";
import type { RejectionReport } from "./report.ts";

export interface Money {
  readonly currency: string;
  readonly decimals: number;
}

/** Sums up the amounts of a file, for the person who is about to import them. */
export interface Sum {
  readonly lines: number;
  add(line: Line): void;
  /** @param skipped how many of the lines were already imported */
  text(money: Money, skipped: number): string;
  /** For programs, in minor units. */
  record(money: Money): object;
}

const linesText = (lines: number) => `${numberText(lines)} line${lines === 1 ? "" : "s"}`;
const beforeText = (skipped: number) =>
  skipped === 0 ? "" : ` (${numberText(skipped)} of them imported before)`;

/** Sums up sales. */
export class SalesSum implements Sum {
  lines = 0;
  /** A bigint: balances are bounded, their sum is not. */
  #total = 0n;
  #smallest = Number.POSITIVE_INFINITY;
  #largest = 0;
  #first = "";
  #last = "";

  add({ amount, sold_at }: Line): void {
    if (typeof amount !== "number" || typeof sold_at !== "string") return;
    const day = sold_at.slice(0, 10);
    this.#first = this.lines === 0 || day < this.#first ? day : this.#first;
    this.#last = day > this.#last ? day : this.#last;
    this.#smallest = Math.min(this.#smallest, amount);
    this.#largest = Math.max(this.#largest, amount);
    this.#total += BigInt(amount);
    this.lines += 1;
  }

  text({ currency, decimals }: Money, skipped: number): string {
    const major = (amount: bigint | number) => majorText(amount, decimals);
    const days = this.#first === this.#last ? `on ${this.#first}` : `from ${this.#first} to ${this.#last}`;
    return (
      `Sales of ${major(this.#total)} ${currency} in ${linesText(this.lines)}${beforeText(skipped)}, ` +
      `${days}, the smallest ${major(this.#smallest)}, the largest ${major(this.#largest)}.`
    );
  }

  record({ currency }: Money): object {
    const { lines } = this;
    if (lines === 0) return { lines, currency };
    const days = { first_day: this.#first, last_day: this.#last };
    const amounts = { total: Number(this.#total), smallest: this.#smallest, largest: this.#largest };
    return { lines, currency, ...amounts, ...days };
  }
}

/** Sums up the opening balances of members. */
export class OpeningSum implements Sum {
  lines = 0;
  #wallet = 0n;
  #largest = 0;
  #points = 0n;

  add({ wallet_balance: wallet = 0, points_balance: points = 0 }: Line): void {
    if (typeof wallet !== "number" || typeof points !== "number" || (wallet === 0 && points === 0)) return;
    this.#wallet += BigInt(wallet);
    this.#largest = Math.max(this.#largest, wallet);
    this.#points += BigInt(points);
    this.lines += 1;
  }

  text({ currency, decimals }: Money, skipped: number): string {
    const [wallet, largest] = [this.#wallet, this.#largest].map((amount) => majorText(amount, decimals));
    return (
      `Opening balances of ${wallet} ${currency} and ${numberText(Number(this.#points))} points in ` +
      `${linesText(this.lines)}${beforeText(skipped)}, the largest in a wallet ${largest}.`
    );
  }

  record({ currency }: Money): object {
    const [wallet_balance, points_balance] = [Number(this.#wallet), Number(this.#points)];
    return {
      lines: this.lines,
      currency,
      wallet_balance,
      largest_wallet_balance: this.#largest,
      points_balance,
    };
  }
}

export class Totals {
  lines = 0;
  imported = 0;
  skipped = 0;
  /** Of the lines that were not rejected. */
  readonly sum: Sum;

  constructor(sum: Sum) {
    this.sum = sum;
  }

  get rejected(): number {
    return this.lines - this.imported - this.skipped;
  }
}

interface Outcome {
  /** Lines were checked, and none was imported: by --dry-run, or by --strict because a line was rejected. */
  readonly checked: "dry run" | "strict" | undefined;
  /** By Ctrl-C or by a failure. */
  readonly interrupted: boolean;
  readonly seconds: number;
  readonly report: RejectionReport;
  readonly money: Money;
  /** The name of the sums, for programs. */
  readonly sums: "sales" | "opening_balances";
}

/** Prints the totals of an import. */
export function printTotals({ json, out, err }: Context, totals: Totals, outcome: Outcome): void {
  const { lines, imported, skipped, rejected, sum } = totals;
  const { checked, interrupted, seconds, report, money, sums } = outcome;
  const [file, linesFile] = report.lines > 0 ? [report.file, report.linesFile] : [];
  if (json) {
    const isDry = checked === "dry run";
    const counts = { dry_run: isDry, new: imported, imported: checked ? 0 : imported, skipped, rejected };
    const files = { report: file ?? null, rejected_lines: linesFile ?? null };
    out.line(JSON.stringify({ ...counts, ...files, interrupted, [sums]: sum.record(money) }));
    return;
  }
  const [some, known, bad] = [imported, skipped, rejected].map(numberText);
  const found = `${some} new, ${known} already imported, ${bad} rejected.`;
  if (checked === "dry run") out.line(`Dry run: ${found} Nothing was written.`);
  else if (checked === "strict") out.line(`Nothing was imported: ${found}`);
  else out.line(`Imported ${some}, skipped ${known} imported before, rejected ${bad}.`);
  if (sum.lines > 0) out.line(sum.text(money, skipped));
  if (file !== undefined) out.line(`Which lines were rejected and why is in ${printable(file)}.`);
  if (linesFile !== undefined) {
    out.line(
      `The lines are in ${printable(linesFile)}: fix them, and import that file with the same options.`,
    );
  }
  const rate = numberText(Math.round(lines / Math.max(seconds, 0.001)));
  err.line(err.style("dim", `${numberText(lines)} lines in ${durationText(seconds)}, ${rate}/s.`));
  if (interrupted && !checked) {
    err.line("To continue, run the same command again: lines that are already imported are skipped.");
  }
}
