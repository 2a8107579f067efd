/**
 * What the points of each customer must come to, computed without lots: by cumulated sums alone. It shares neither code nor
 * method with the service, so that the two check each other.
 *
 * All points are good for the same time, and those that expire first are spent first. So by a day s, all points that are due
 * by s were spent or have expired, and no more expires than that takes:
 *
 *   expired(T) = max(0, max over days s <= T of (earned and due by s - spent before s))
 *   balance(T) = earned - spent - expired(T)
 */

/** @typedef {{ customer: string, day: string, cents: number, pays: boolean }} Purchase */

export const mostPointsPerSale = 50;
export const centsPerPoint = 5;
const monthsValid = 6;

/** The first day on which points of a day are no longer good: six months later, after the end of that month. */
export function expiryOf(/** @type {string} */ day) {
  const [year, month] = day.split("-").map(Number);
  return new Date(Date.UTC(year, month - 1 + monthsValid + 1, 1)).toISOString().slice(0, 10);
}

/** The points of one customer. */
export class Customer {
  /** @type {{ due: string, points: number }[]} */
  #earned = [];
  /** @type {{ day: string, points: number }[]} */
  #spent = [];
  netSales = 0;

  /**
   * @param {Purchase} purchase
   * @returns how many points pay a part of it
   */
  buy({ day, cents, pays }) {
    const points = pays ? Math.min(Math.floor(cents / centsPerPoint), this.at(day).balance) : 0;
    const net = cents - points * centsPerPoint;
    if (points > 0) this.#spent.push({ day, points });
    if (cents > 0)
      this.#earned.push({ due: expiryOf(day), points: Math.min(mostPointsPerSale, Math.floor(net / 100)) });
    this.netSales += net;
    return points;
  }

  /** What a customer has on a day. */
  at(/** @type {string} */ day) {
    const sum = (/** @type {{ points: number }[]} */ rows) =>
      rows.reduce((all, { points }) => all + points, 0);
    const days = [...new Set(this.#earned.map(({ due }) => due))].filter((due) => due <= day);
    const owing = days.map(
      (s) =>
        sum(this.#earned.filter(({ due }) => due <= s)) - sum(this.#spent.filter((spend) => spend.day < s)),
    );
    const expired = Math.max(0, ...owing);
    const [earned, spent] = [sum(this.#earned), sum(this.#spent)];
    return { netSales: this.netSales, earned, spent, expired, balance: earned - spent - expired };
  }
}
