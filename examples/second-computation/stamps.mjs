/**
 * Computes the stamps of exported sales a second time, and the vouchers of full cards, from two files alone:
 *
 *   loyalty export sales --business 1 --format ndjson --output sales.ndjson
 *   loyalty stamp-card list --business 1 --all --json > cards.json
 *   node stamps.mjs sales.ndjson cards.json
 *
 * The cards must be as they were when the sales were recorded. Promotions must give no stamps. The files don't say when a
 * refund or a change by hand came between two sales, so vouchers are computed for members without refunds.
 */
import { readFileSync } from "node:fs";

/** @typedef {Record<string, any>} Row */

const same = (/** @type {string | null} */ one, /** @type {string} */ other) =>
  one?.trim().toLowerCase() === other.trim().toLowerCase();
const sum = (/** @type {number[]} */ numbers) => numbers.reduce((all, one) => all + one, 0);

/** The most stamps that a sale gives on a card. */
const most = 100;

/** The stamps of a sale on a card. @param {Row} card @param {Row} sale @param {number} visits of the member on that day */
export function stampsOf(card, sale, visits) {
  if (card.location_ids.length > 0 && !card.location_ids.includes(sale.location_id)) return 0;
  const isAny = card.skus.length + card.categories.length === 0;
  const bought = sale.lines.filter((/** @type {Row} */ line) => line.amount > 0 || card.counts_free_lines);
  const own = bought.filter(
    (/** @type {Row} */ line) =>
      isAny ||
      card.skus.some((/** @type {string} */ word) => same(line.sku, word)) ||
      card.categories.some((/** @type {string} */ word) => same(line.category, word)),
  );
  const isWhole = isAny && card.counts === "visit";
  const amount = isWhole ? sale.amount : sum(own.map((/** @type {Row} */ line) => line.amount));
  const paid = sale.amount - sale.voucher_amount;
  if (paid === 0 || Math.min(amount, paid) < card.minimum_amount || (!isWhole && own.length === 0)) return 0;
  if (card.counts === "visit") return card.most_per_day !== null && visits >= card.most_per_day ? 0 : 1;
  return Math.min(most, sum(own.map((/** @type {Row} */ line) => line.quantity - line.free)));
}

/** Follows the cards of members from sale to sale. @param {Row[]} sales @param {Row[]} cards @returns what differs from the export */
export function differencesOf(sales, cards) {
  const refunded = new Set(sales.flatMap((sale) => (sale.refunded > 0 ? [sale.contact_id] : [])));
  /** @type {Map<string, number>} */
  const known = new Map();
  const count = (/** @type {string} */ name, /** @type {number} */ more) => {
    known.set(name, (known.get(name) ?? 0) + more);
    return known.get(name) ?? 0;
  };
  return sales.flatMap((sale) =>
    cards.flatMap((card) => {
      const { stamp_card_id: id, stamps_needed: needed } = card;
      const day = `${sale.contact_id} ${id} ${sale.sold_on}`;
      const stamps = stampsOf(card, sale, known.get(day) ?? 0);
      if (stamps > 0) count(day, 1);
      const all = count(`${sale.contact_id} ${id}`, stamps);
      const full = Math.floor(all / needed) - Math.floor((all - stamps) / needed);
      const none = { stamps_given: 0, completed: 0 };
      const told = sale.stamp_cards_given.find((/** @type {Row} */ one) => one.stamp_card_id === id) ?? none;
      const isFollowed = !refunded.has(sale.contact_id);
      if (told.stamps_given === stamps && (!isFollowed || told.completed === full)) return [];
      const recorded = `${told.stamps_given} stamps and ${told.completed} vouchers recorded`;
      return [`Sale ${sale.sale_id}, card ${id}: ${recorded}, ${stamps} and ${full} computed.`];
    }),
  );
}

const [salesFile, cardsFile] = process.argv.slice(2);
if (cardsFile === undefined || salesFile === undefined) {
  console.error("Usage: node stamps.mjs sales.ndjson cards.json");
  process.exit(2);
}
/** @type {Row[]} */
const sales = readFileSync(salesFile, "utf8")
  .trim()
  .split("\n")
  .filter(Boolean)
  .map((line) => JSON.parse(line));
/** @type {Row[]} */
const cards = JSON.parse(readFileSync(cardsFile, "utf8")).data;
const differences = differencesOf(sales, cards);
for (const one of differences) console.log(one);
const stamped = sales.filter((sale) => sale.stamp_cards_given.length > 0).length;
console.log(`${sales.length} sales, ${stamped} with stamps: ${differences.length || "no"} differences.`);
process.exitCode = differences.length > 0 ? 1 : 0;
