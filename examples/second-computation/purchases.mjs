/** The file of purchases: customer, number in the sample, YYYYMMDD, number of CDs, dollars. */
import { readFileSync } from "node:fs";

/**
 * Reads a file of purchases, by day, and each day in the order of the file. Every third purchase of a customer pays with
 * points. Purchases of nothing are in the list, but they don't count.
 * @param {string} file
 * @returns {import("./closed-form.mjs").Purchase[]}
 */
export function readPurchases(file) {
  const counts = new Map();
  const lines = readFileSync(file, "utf8").split(/\r?\n/);
  const purchases = lines.flatMap((line, index) => {
    if (line.trim() === "") return [];
    const [customer, , date, , dollars] = line.trim().split(/\s+/);
    if (!/^\d{8}$/.test(date ?? "") || !/^\d+(\.\d+)?$/.test(dollars ?? "")) {
      throw new Error(`${file}, line ${index + 1}: not a purchase`);
    }
    const cents = Math.round(Number(dollars) * 100);
    const count = (counts.get(customer) ?? 0) + (cents > 0 ? 1 : 0);
    counts.set(customer, count);
    const day = `${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6)}`;
    return [{ customer, day, cents, pays: cents > 0 && count % 3 === 0 }];
  });
  return purchases.sort((one, other) => (one.day === other.day ? 0 : one.day < other.day ? -1 : 1));
}

/** The purchases by day, in order. @template {{ day: string }} T @param {readonly T[]} purchases */
export function byDay(purchases) {
  /** @type {Map<string, T[]>} */
  const days = new Map();
  for (const purchase of purchases) {
    const known = days.get(purchase.day);
    if (known === undefined) days.set(purchase.day, [purchase]);
    else known.push(purchase);
  }
  return days;
}
