/**
 * Computes the points of exported sales a second time, with their promotions, from two files alone:
 *
 *   loyalty export sales --business 1 --format ndjson --output sales.ndjson
 *   loyalty promotion list --business 1 --all --json > promotions.json
 *   node promotions.mjs sales.ndjson promotions.json
 *
 * The promotions must be as they were when the sales were recorded. The files don't say which tier a member had, when it joined, or
 * what it had bought before, so promotions that ask for these, or have limits, are taken as the export says.
 */
import { readFileSync } from "node:fs";

/** @typedef {Record<string, any>} Row */

const same = (/** @type {string | null} */ one, /** @type {string} */ other) =>
  one?.trim().toLowerCase() === other.trim().toLowerCase();
const sum = (/** @type {number[]} */ numbers) => numbers.reduce((all, one) => all + one, 0);
const weekday = (/** @type {string} */ day) => new Date(day).getUTCDay() || 7;
const dayBefore = (/** @type {string} */ day) =>
  new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10);

/** Whether a promotion asks for what the files don't say. @param {Row} one */
const isTold = (one) =>
  one.tier_ids.length > 0 ||
  one.member !== "any" ||
  one.most_per_member ||
  one.most_per_member_day ||
  one.budget_points;

/** Whether the time and the place of a sale are those of a promotion. @param {Row} one @param {Row} sale */
function isOn(one, sale) {
  const isOfDay = sale.created_at.slice(0, 10) === sale.sold_on;
  const time = sale.sold_at ?? (isOfDay ? sale.created_at.slice(11, 16) : null);
  let day = sale.sold_on;
  if (one.from_time !== null) {
    if (time === null) return false;
    const isNight = one.from_time > one.until_time;
    if (isNight && time < one.until_time) day = dayBefore(day);
    else if (time < one.from_time || (!isNight && time >= one.until_time)) return false;
  }
  return (
    (one.first_day ?? day) <= day &&
    day <= (one.last_day ?? day) &&
    (one.weekdays.length === 0 || one.weekdays.includes(weekday(day))) &&
    (one.location_ids.length === 0 || one.location_ids.includes(sale.location_id))
  );
}

/** What a promotion would act on; undefined if it does not act. @param {Row} one @param {Row} sale @param {Row[]} lines */
function partOf(one, sale, lines) {
  const isAny = one.skus.length + one.categories.length === 0;
  const own = lines.filter(
    (line) =>
      isAny ||
      one.skus.some((/** @type {string} */ word) => same(line.sku, word)) ||
      one.categories.some((/** @type {string} */ word) => same(line.category, word)),
  );
  const all = sum(lines.map(({ amount }) => amount));
  const base = all === 0 ? 0 : Math.floor((sale.earning_base * sum(own.map(({ amount }) => amount))) / all);
  const units = sum(own.map(({ units }) => units));
  const acts = own.length > 0 && base >= Math.max(1, one.minimum_amount) && units >= one.minimum_quantity;
  return acts ? { one, own, units } : undefined;
}

/** The rates of a sale, each with its lines. @param {Row} sale @param {Row[]} lines */
function rated(sale, lines) {
  const keys = lines.map(({ rate }) => JSON.stringify(rate));
  return [...new Set(keys)].map((key) => {
    const own = lines.filter((_, nth) => keys[nth] === key);
    const { earn_points: points, earn_amount: amount } = JSON.parse(key) ?? sale.rate;
    return { own, points, amount };
  });
}

/** The points of the program, without the maximum. @param {Row} sale @param {Row[]} lines */
function byProgram(sale, lines) {
  if (sale.earning_base < sale.rate.earn_minimum_amount) return 0;
  const all = sum(lines.map(({ amount }) => amount));
  const groups = rated(sale, lines).map(({ own, points, amount }) => {
    const base = Math.floor((sale.earning_base * sum(own.map((line) => line.amount))) / all);
    if (amount !== null) return Math.floor((base * points) / amount);
    return base > 0 ? points * sum(own.map(({ units }) => units)) : 0;
  });
  return all === 0 ? 0 : sum(groups);
}

/** The points that promotions give together, without the maximum. @param {any[]} acting @param {Row} sale @param {Row[]} lines */
function extra(acting, sale, lines) {
  const all = sum(lines.map(({ amount }) => amount));
  const fixed = acting.map(({ one, units }) => (one.points ?? 0) * (one.per === "unit" ? units : 1));
  const extraOf = (/** @type {Row} */ line) => {
    const factors = acting.map(({ one, own }) => (own.includes(line) ? (one.multiply ?? 100) : 100));
    return Math.max(100, ...factors) - 100;
  };
  if (all === 0 || sale.earning_base < sale.rate.earn_minimum_amount) return sum(fixed);
  const multiplied = rated(sale, lines).map(({ own, points, amount }) => {
    const weigh = (/** @type {string} */ by) => sum(own.map((line) => line[by] * extraOf(line)));
    const exact =
      amount === null
        ? (points * weigh("units")) / 100
        : (sale.earning_base * weigh("amount") * points) / (all * amount * 100);
    // The quotient of whole numbers may be a little less than the whole number that it is.
    return Math.floor(exact + 1e-9);
  });
  return sum(fixed) + sum(multiplied);
}

/** The points that a sale should have earned. @param {Row} sale @param {Row[]} promotions */
export function pointsOf(sale, promotions) {
  const { rate } = sale;
  if (rate === null) return 0;
  // A sale without lines is one line, which has no units. What a voucher for an article paid is not bought.
  const whole = { sku: null, category: null, units: 0, amount: sale.amount, rate: null };
  const bought = sale.lines.map((/** @type {Row} */ line) => ({ ...line, units: line.quantity - line.free }));
  const lines =
    sale.lines.length === 0 ? [whole] : bought.filter((/** @type {Row} */ line) => line.earning_base > 0);
  const acting = promotions.flatMap((one) => {
    const wasGiven = sale.promotions.some(
      (/** @type {Row} */ given) => given.promotion_id === one.promotion_id,
    );
    const isActing = isTold(one) ? wasGiven : one.status === "active" && isOn(one, sale);
    return (isActing && partOf(one, sale, lines)) || [];
  });
  const together = extra(
    acting.filter(({ one }) => !one.exclusive),
    sale,
    lines,
  );
  const alone = acting.filter(({ one }) => one.exclusive).map((one) => extra([one], sale, lines));
  return Math.min(rate.maximum_points_per_order, byProgram(sale, lines) + Math.max(together, ...alone));
}

const [salesFile, promotionsFile] = process.argv.slice(2);
if (promotionsFile === undefined || salesFile === undefined) {
  console.error("Usage: node promotions.mjs sales.ndjson promotions.json");
  process.exit(2);
}
/** @type {Row[]} */
const sales = readFileSync(salesFile, "utf8")
  .trim()
  .split("\n")
  .filter(Boolean)
  .map((line) => JSON.parse(line));
/** @type {Row[]} */
const promotions = JSON.parse(readFileSync(promotionsFile, "utf8")).data;
const differences = sales.filter((sale) => pointsOf(sale, promotions) !== sale.points_earned);
for (const sale of differences)
  console.log(
    `Sale ${sale.sale_id}: ${sale.points_earned} recorded, ${pointsOf(sale, promotions)} computed.`,
  );
const promoted = sales.filter((sale) => sale.promotions.length > 0).length;
console.log(`${sales.length} sales, ${promoted} with promotions: ${differences.length || "no"} differences.`);
process.exitCode = differences.length > 0 ? 1 : 0;
