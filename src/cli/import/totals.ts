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

/** How many repeated lines a text names. */
const mostNamed = 10;

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
    const before = this.skipped - this.repeated.length;
    const known = before === 0 ? "" : ` (${numberText(before)} of them imported before)`;
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

  /** What else there is to know about skipped and rejected lines, and what to do about it. */
  notes({ reference, options }: ImportKind): string[] {
    const { repeated, withoutPoints, pointsAdded, reused } = this;
    const named = repeated.slice(0, mostNamed).map(([line, earlier]) => `${line} (as ${earlier})`);
    const others = repeated.length > mostNamed ? ", …" : "";
    const repeats =
      repeated.length === 1
        ? "1 line repeats an earlier line"
        : `${numberText(repeated.length)} lines repeat earlier lines`;
    const scope =
      "If receipt numbers restart each day or at each location, add --reference-per day, location or day,location.";
    return [
      ...(repeated.length > 0
        ? [`${repeats} of the file, and would be skipped: ${named.join(", ")}${others}.`]
        : []),
      ...(pointsAdded > 0
        ? [`Sales that were imported before without points, and earn them now: ${numberText(pointsAdded)}.`]
        : []),
      ...(withoutPoints > 0
        ? [
            `${numberText(withoutPoints)} of the sales that are already imported were imported without points. To give ` +
              "them their points, once, add --earn-imported.",
          ]
        : []),
      ...(reused > 0 && options.includes("reference_per")
        ? [`Lines with the ${reference} of another sale: ${numberText(reused)}. ${scope}`]
        : []),
    ];
  }

  /** The same for programs. */
  noteRecord(): object {
    const { withoutPoints, pointsAdded, repeated } = this;
    return {
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
    const more = { ...totals.noteRecord(), ...totals.sumRecord(kind, money) };
    out.line(JSON.stringify({ ...counts, ...files, interrupted, ...more }));
    return;
  }
  const [some, known, bad] = [imported, skipped, rejected].map(numberText);
  const found = `${some} new, ${known} already imported, ${bad} rejected.`;
  if (checked === "dry run") out.line(`Dry run: ${found} Nothing was written.`);
  else if (checked === "strict") out.line(`Nothing was imported: ${found}`);
  else out.line(`Imported ${some}, skipped ${known} already imported, rejected ${bad}.`);
  const sum = totals.sumText(kind, money);
  if (sum !== undefined) out.line(sum);
  for (const note of totals.notes(kind)) out.line(note);
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
