/**
 * The file of purchases: a purchase a line, its columns separated by white space. They are the customer's id,
 * the customer's number in the sample (not used), the day (YYYYMMDD), the number of CDs and the dollars paid.
 */

/**
 * @typedef {object} Purchase
 * @property {number} line where it stands in the file, from 1
 * @property {string} reference names this purchase and no other, on every run
 * @property {number} points a point a dollar, rounded down
 * @property {string} reason
 */

/**
 * @typedef {object} Customer
 * @property {string} id as the file writes it the first time
 * @property {string} phoneNumber made from the id
 * @property {Purchase[]} purchases in the order of the file
 */

/** What is wrong with a file, a line for each fault. */
export class FileError extends Error {}

/**
 * Country code 999 belongs to no country: nobody's phone rings. What starts so is a customer of a till, and a
 * search for it finds all of them.
 */
export const phonePrefix = "+999";

const reportedFaults = 5;
const columns = "five columns: id, number in the sample, day (YYYYMMDD), CDs, dollars";
const pattern = /^\s*(\d{1,10})\s+\d+\s+(\d{4})(\d{2})(\d{2})\s+(\d{1,9})\s+(\d{1,12})(?:\.(\d{1,2}))?\s*$/;

/**
 * Reads the whole file, or says what is wrong with it: nothing is sent for a file that is half understood.
 * @param {string} text
 * @returns {Customer[]} in the order in which they first buy
 * @throws {FileError}
 */
export function readPurchases(text) {
  /** @type {string[]} */
  const faults = [];
  /** @type {Map<number, Customer>} */
  const customers = new Map();
  /** @type {Map<string, number>} */
  const seen = new Map();
  for (const [index, content] of text.split(/\r?\n/).entries()) {
    if (content.trim() === "") continue;
    const line = index + 1;
    const match = pattern.exec(content);
    if (match === null) {
      faults.push(`line ${line}: expected ${columns}; found "${content.trim().slice(0, 80)}"`);
      continue;
    }
    const [, id = "", year, month, day, count, dollars = "", cents = ""] = match;
    if (!isDay(Number(year), Number(month), Number(day))) {
      faults.push(`line ${line}: there is no day ${year}${month}${day}`);
      continue;
    }
    const customer = customers.get(Number(id)) ?? newCustomer(id);
    customers.set(Number(id), customer);
    const price = `${Number(dollars)}.${cents.padEnd(2, "0")}`;
    const what = `till-${Number(id)}-${year}${month}${day}-${Number(count)}-${price}`;
    // Two equal lines are two purchases. Counting them, rather than lines, keeps the names of those that are
    // already recorded when lines are added to the file or change places.
    const occurrence = (seen.get(what) ?? 0) + 1;
    seen.set(what, occurrence);
    customer.purchases.push({
      line,
      reference: `${what}-${occurrence}`,
      points: Number(dollars),
      reason: `${Number(count) === 1 ? "1 CD" : `${Number(count)} CDs`} for $${price} on ${year}-${month}-${day}`,
    });
  }
  if (faults.length > 0) throw new FileError(summary(faults));
  if (customers.size === 0) throw new FileError("it holds no purchases");
  return [...customers.values()];
}

/**
 * The purchases that earn something: what costs less than a dollar is worth no point and is not sent.
 * @param {Customer} customer
 */
export function creditsOf(customer) {
  return customer.purchases.filter(({ points }) => points > 0);
}

/** @param {string} id @returns {Customer} */
function newCustomer(id) {
  return { id, phoneNumber: `${phonePrefix}${id.padStart(10, "0")}`, purchases: [] };
}

/** @param {number} year @param {number} month @param {number} day */
function isDay(year, month, day) {
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

/** @param {string[]} faults */
function summary(faults) {
  const more = faults.length - reportedFaults;
  return [
    ...faults.slice(0, reportedFaults),
    ...(more > 0 ? [`and ${more} more lines like these`] : []),
  ].join("\n");
}
