/** Takes the entries of a ledger one by one, adds them up, and finds where they differ from a book. */

/** @typedef {import("loyalty-sdk").TransactionsListItem} Entry */
/** @typedef {import("./book.mjs").Line} Line */

/** The only kind of entry that carries a partner's own reference. */
const comparedKind = "reward_points_adjustment";

export class Comparison {
  entries = 0;
  #book;
  /** @type {Map<string, { entries: number, amount: number }>} */
  #totals = new Map();
  /** How often the ledger has a line of the book. @type {Map<string, number>} */
  #found = new Map();
  /** @type {string[]} */
  #differences = [];

  /** @param {Map<string, Line> | undefined} book */
  constructor(book) {
    this.#book = book;
  }

  /** @param {Entry} entry */
  add({ event_type, contact_id, reference_id, amount, created_at }) {
    this.entries += 1;
    const { entries, amount: sum } = this.#totals.get(event_type) ?? { entries: 0, amount: 0 };
    this.#totals.set(event_type, { entries: entries + 1, amount: sum + amount });
    if (this.#book === undefined || event_type !== comparedKind) return;
    const line = this.#book.get(reference_id);
    if (line === undefined) {
      this.#differences.push(
        `${reference_id}: ${amount} of contact ${contact_id}, ${created_at}, not in the book`,
      );
      return;
    }
    this.#found.set(reference_id, (this.#found.get(reference_id) ?? 0) + 1);
    if (line.points !== amount || line.contactId !== contact_id) {
      this.#differences.push(
        `${reference_id}: ${amount} of contact ${contact_id}; the book says ${line.points} of ${line.contactId}`,
      );
    }
  }

  /** Number and sum of the entries of each kind, by its name. */
  totals() {
    return [...this.#totals].sort(([one], [other]) => (one < other ? -1 : 1));
  }

  /** @returns {string[]} */
  differences() {
    const references = [...(this.#book ?? new Map()).keys()];
    const missing = references.filter((reference) => !this.#found.has(reference));
    const repeated = [...this.#found].filter(([, times]) => times > 1);
    return [
      ...missing.map((reference) => `${reference}: not in the ledger`),
      ...repeated.map(([reference, times]) => `${reference}: ${times} times in the ledger`),
      ...this.#differences,
    ];
  }
}
