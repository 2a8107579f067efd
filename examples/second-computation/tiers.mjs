/**
 * The tier of each customer, computed from nothing but the list of purchases: on each day that matters, all purchases of the last
 * months are added up again. It shares no code with the service, so that the two check each other.
 */

/** By rank. A tier is reached with so much in the months of the window, in cents, and is valid for some months. */
export const tiers = [
  { name: "Silver", from: 200_00, months: 12 },
  { name: "Gold", from: 500_00, months: 4 },
];
export const windowMonths = 6;

/** The same day some months later or earlier, or the last day of a shorter month. @param {string} day @param {number} months */
export function addMonths(day, months) {
  const [year = 0, month = 0, date = 0] = day.split("-").map(Number);
  const lastOfMonth = new Date(Date.UTC(year, month + months, 0));
  lastOfMonth.setUTCDate(Math.min(date, lastOfMonth.getUTCDate()));
  return lastOfMonth.toISOString().slice(0, 10);
}

/** @param {string} day @param {number} days */
const addDays = (day, days) => new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);

/** The tiers of one customer, one purchase after the other. */
export class Standing {
  /** @type {{ day: string, cents: number }[]} */
  #bought = [];
  #rank = -1;
  /** @type {string | null} */
  since = null;
  /** The last day of the tier. @type {string | null} */
  validThrough = null;
  /** The first day of each tier that was ever reached. @type {Record<string, string>} */
  reached = {};
  /** Lower tiers that were reached before, with their days. @type {{ rank: number, since: string | null, validThrough: string }[]} */
  #before = [];

  /** @param {string} day @param {number} cents */
  buy(day, cents) {
    this.liveUntil(day);
    this.#bought.push({ day, cents });
    const rank = this.#rankOn(day);
    if (rank <= this.#rank) return;
    if (this.validThrough !== null)
      this.#before.push({ rank: this.#rank, since: this.since, validThrough: this.validThrough });
    this.#hold(rank, day);
  }

  /**
   * Lets the tiers end that end by a day: who still qualifies keeps the tier. Who does not gets the tier that the purchases reach, or
   * a higher one that was reached before and is still valid.
   */
  liveUntil(/** @type {string} */ day) {
    while (this.validThrough !== null && this.validThrough < day) {
      const end = addDays(this.validThrough, 1);
      const rank = this.#rankOn(end);
      this.#before = this.#before.filter(({ validThrough }) => validThrough >= end);
      const back = this.#before.at(-1);
      if (rank >= this.#rank) this.validThrough = addDays(addMonths(end, this.#months(this.#rank)), -1);
      else if (back === undefined || rank > back.rank || this.#isLonger(rank, end, back))
        this.#hold(rank, end);
      else [this.#rank, this.since, this.validThrough] = [back.rank, back.since, back.validThrough];
    }
  }

  /** What a customer holds on a day. @param {string} day */
  at(day) {
    this.liveUntil(day);
    return { tier: tiers[this.#rank]?.name ?? null, since: this.since, validThrough: this.validThrough };
  }

  /** @param {string} day */
  #rankOn(day) {
    const before = addMonths(day, -windowMonths);
    const sum = this.#bought
      .filter((purchase) => purchase.day > before && purchase.day <= day)
      .reduce((all, { cents }) => all + cents, 0);
    return tiers.findLastIndex(({ from }) => sum >= from);
  }

  /** @param {number} rank */
  #months(rank) {
    return tiers[rank]?.months ?? 0;
  }

  /** @param {number} rank @param {string} day @param {{ rank: number, validThrough: string }} other */
  #isLonger(rank, day, other) {
    return rank === other.rank && addMonths(day, this.#months(rank)) > other.validThrough;
  }

  /** @param {number} rank @param {string} day */
  #hold(rank, day) {
    this.#rank = rank;
    this.since = rank < 0 ? null : day;
    this.validThrough = rank < 0 ? null : addMonths(day, this.#months(rank));
    for (const { name } of tiers.slice(0, rank + 1)) this.reached[name] ??= day;
  }
}
