/**
 * The vouchers of one customer, by cumulated counts alone. All vouchers have the same value and are valid for the same time, and
 * the one that lapses first is used first. So by a day s, all vouchers that lapse by s were used before s or have lapsed, and no
 * more lapses than that takes:
 *
 *   lapsed(T) = max(0, max over days s <= T of (issued and lapsing by s - used before s))
 *   held(T) = issued - used - lapsed(T)
 */
import { addMonths } from "./tiers.mjs";

export const voucherCents = 5_00;
export const voucherMonths = 2;

export class Vouchers {
  /** The first day on which each can't be used any more. @type {string[]} */
  #ends = [];
  /** @type {string[]} */
  #used = [];

  issue(/** @type {string} */ day) {
    const lastDay = addMonths(day, voucherMonths);
    this.#ends.push(new Date(Date.parse(lastDay) + 86_400_000).toISOString().slice(0, 10));
  }

  use(/** @type {string} */ day) {
    this.#used.push(day);
  }

  /** How many there are on a day, in cents. @param {string} day */
  at(day) {
    const ends = [...new Set(this.#ends)].filter((end) => end <= day);
    const owing = ends.map(
      (s) => this.#ends.filter((end) => end <= s).length - this.#used.filter((use) => use < s).length,
    );
    const lapsed = Math.max(0, ...owing);
    const held = this.#ends.length - this.#used.length - lapsed;
    return {
      vouchers: held * voucherCents,
      lapsed: lapsed * voucherCents,
      used: this.#used.length * voucherCents,
    };
  }
}
