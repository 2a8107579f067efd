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

/** Sums up sales, for the person who is about to import them. Sums are bigint: they have no bound. */
export class SalesSum {
  lines = 0;
  #total = 0n;
  #smallest = Number.POSITIVE_INFINITY;
  #largest = 0;
  #first = "9999-12-31";
  #last = "";

  add({ amount, sold_at }: Line): void {
    if (typeof amount !== "number" || typeof sold_at !== "string") return;
    const day = sold_at.slice(0, 10);
    if (day < this.#first) this.#first = day;
    if (day > this.#last) this.#last = day;
    this.#smallest = Math.min(this.#smallest, amount);
    this.#largest = Math.max(this.#largest, amount);
    this.#total += BigInt(amount);
    this.lines += 1;
  }

  /** @param lines how many lines it sums up, in words */
  text({ currency, decimals }: Money, lines: string): string {
    const major = (amount: bigint | number) => majorText(amount, decimals);
    const days = this.#first === this.#last ? `on ${this.#first}` : `from ${this.#first} to ${this.#last}`;
    return (
      `Sales of ${major(this.#total)} ${currency} in ${lines}, ` +
      `${days}, the smallest ${major(this.#smallest)}, the largest ${major(this.#largest)}.`
    );
  }

  /** For programs, in minor units. */
  record(): object {
    if (this.lines === 0) return {};
    const amounts = { total: Number(this.#total), smallest: this.#smallest, largest: this.#largest };
    return { ...amounts, first_day: this.#first, last_day: this.#last };
  }
}

/** The same for the opening balances of members. */
class OpeningSum {
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

  text({ currency, decimals }: Money, lines: string): string {
    const [wallet, largest] = [this.#wallet, this.#largest].map((amount) => majorText(amount, decimals));
    return (
      `Opening balances of ${wallet} ${currency} and ${numberText(Number(this.#points))} points in ` +
      `${lines}, the largest in a wallet ${largest}.`
    );
  }

  record(): object {
    const [wallet_balance, points_balance] = [Number(this.#wallet), Number(this.#points)];
    return { wallet_balance, largest_wallet_balance: this.#largest, points_balance };
  }
}

export class Totals {
  lines = 0;
  imported = 0;
  skipped = 0;
  /** Of the lines that were not rejected. */
  readonly sum: SalesSum | OpeningSum;

  constructor({ sums }: ImportKind) {
    this.sum = sums === "sales" ? new SalesSum() : new OpeningSum();
  }
}

interface Outcome {
  readonly kind: ImportKind;
  /** Lines were checked, and none was imported: by --dry-run, or by --strict because a line was rejected. */
  readonly checked: "dry run" | "strict" | undefined;
  /** By Ctrl-C or by a failure. */
  readonly interrupted: boolean;
  readonly seconds: number;
  readonly report: RejectionReport;
  readonly money: Money;
}

/** Prints the totals of an import. */
export function printTotals({ json, out, err }: Context, totals: Totals, outcome: Outcome): void {
  const { lines, imported, skipped, sum } = totals;
  const { kind, checked, interrupted, seconds, report, money } = outcome;
  const rejected = lines - imported - skipped;
  const [file, linesFile] = report.lines > 0 ? [report.file, report.linesFile] : [];
  if (json) {
    const isDry = checked === "dry run";
    const counts = { dry_run: isDry, new: imported, imported: checked ? 0 : imported, skipped, rejected };
    const files = { report: file ?? null, rejected_lines: linesFile ?? null };
    const sums = { lines: sum.lines, currency: money.currency, ...sum.record() };
    out.line(JSON.stringify({ ...counts, ...files, interrupted, [kind.sums]: sums }));
    return;
  }
  const [some, known, bad] = [imported, skipped, rejected].map(numberText);
  const found = `${some} new, ${known} already imported, ${bad} rejected.`;
  if (checked === "dry run") out.line(`Dry run: ${found} Nothing was written.`);
  else if (checked === "strict") out.line(`Nothing was imported: ${found}`);
  else out.line(`Imported ${some}, skipped ${known} imported before, rejected ${bad}.`);
  if (sum.lines > 0) {
    const before = skipped === 0 ? "" : ` (${known} of them imported before)`;
    out.line(sum.text(money, `${numberText(sum.lines)} line${sum.lines === 1 ? "" : "s"}${before}`));
  }
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
