/** What the sales of a file come to, for whoever is about to book them. */
import { numberText } from "../terminal/quantities.ts";
import type { Line } from "./lines.ts";
import { majorText } from "./values.ts";

export interface Money {
  readonly currency: string;
  readonly decimals: number;
}

export class SalesSum {
  lines = 0;
  /** A bigint: the members' balances are bounded, their sum is not. */
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

  /** @param skipped how many of the lines were imported before */
  text({ currency, decimals }: Money, skipped: number): string {
    const major = (amount: bigint | number) => majorText(amount, decimals);
    const before = skipped === 0 ? "" : ` (${numberText(skipped)} of them imported before)`;
    const days = this.#first === this.#last ? `on ${this.#first}` : `from ${this.#first} to ${this.#last}`;
    return (
      `Sales of ${major(this.#total)} ${currency} in ${numberText(this.lines)} line${this.lines === 1 ? "" : "s"}${before}, ` +
      `${days}, the smallest ${major(this.#smallest)}, the largest ${major(this.#largest)}.`
    );
  }

  /** In minor units, for programs. */
  record({ currency }: Money): object {
    const { lines } = this;
    if (lines === 0) return { lines, currency };
    const days = { first_day: this.#first, last_day: this.#last };
    const amounts = { total: Number(this.#total), smallest: this.#smallest, largest: this.#largest };
    return { lines, currency, ...amounts, ...days };
  }
}
