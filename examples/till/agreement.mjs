/** Compares a file of purchases with what the service holds. Nothing is sent here. */
import { creditsOf } from "./purchases.mjs";

/** @typedef {import("./purchases.mjs").Customer} Customer */
/** @typedef {{ event_type: string, contact_id: number, reference_id: string, amount: number, balance_after: number }} Entry */

/**
 * The points part of a ledger, by member.
 * @typedef {Map<number, { balance: number, entries: Entry[] }>} PointsLedger
 */

/**
 * @param {AsyncIterable<Entry>} entries newest first
 * @returns {Promise<PointsLedger>}
 */
export async function byMember(entries) {
  /** @type {PointsLedger} */
  const ledger = new Map();
  for await (const entry of entries) {
    const member = ledger.get(entry.contact_id);
    // The first we meet is the newest: the balance after it is the balance now.
    if (member === undefined) {
      ledger.set(entry.contact_id, { balance: entry.balance_after, entries: [entry] });
    } else member.entries.push(entry);
  }
  return ledger;
}

/**
 * @typedef {object} Agreement
 * @property {number} entries that the ledger holds for the customers
 * @property {number} points that these entries add up to
 * @property {string[]} differences empty when all is as the file says
 */

/**
 * @param {Customer[]} customers
 * @param {Map<string, number>} contactIds by phone number
 * @param {PointsLedger} ledger
 * @returns {Agreement}
 */
export function compare(customers, contactIds, ledger) {
  /** @type {string[]} */
  const differences = [];
  let entries = 0;
  let points = 0;
  for (const customer of customers) {
    const contactId = contactIds.get(customer.phoneNumber);
    if (contactId === undefined) {
      differences.push(`customer ${customer.id} is no member`);
      continue;
    }
    const account = ledger.get(contactId) ?? { balance: 0, entries: [] };
    entries += account.entries.length;
    points += account.entries.reduce((sum, { amount }) => sum + amount, 0);
    for (const difference of differencesOf(customer, account)) {
      differences.push(`customer ${customer.id} (contact_id ${contactId}): ${difference}`);
    }
  }
  const expected = customers.flatMap(creditsOf);
  const expectedPoints = sumOf(expected);
  if (entries !== expected.length) {
    differences.push(
      `the ledger holds ${entries} entries of these members; the file says ${expected.length}`,
    );
  }
  if (points !== expectedPoints) {
    differences.push(`the ledger's entries add up to ${points} points; the file says ${expectedPoints}`);
  }
  return { entries, points, differences };
}

/** @param {{ points: number }[]} purchases */
export function sumOf(purchases) {
  return purchases.reduce((sum, { points }) => sum + points, 0);
}

/**
 * @param {Customer} customer
 * @param {{ balance: number, entries: Entry[] }} account
 */
function differencesOf(customer, { balance, entries }) {
  /** @type {string[]} */
  const differences = [];
  const credits = creditsOf(customer);
  const expectedBalance = sumOf(credits);
  if (balance !== expectedBalance) {
    differences.push(`the balance is ${balance}; the file says ${expectedBalance}`);
  }
  const unmatched = new Map(credits.map((credit) => [credit.reference, credit]));
  for (const { event_type, reference_id, amount } of entries) {
    const credit = unmatched.get(reference_id);
    unmatched.delete(reference_id);
    if (credit === undefined) differences.push(`${event_type} ${reference_id} is not in the file, or twice`);
    else if (amount !== credit.points) {
      differences.push(`${reference_id} moved ${amount} points; the file says ${credit.points}`);
    }
  }
  for (const { reference, line } of unmatched.values()) {
    differences.push(`${reference} (line ${line}) is missing`);
  }
  return differences;
}
