#!/usr/bin/env node
/**
 * Plays a file of purchases through the API, on the clock of a sandbox business, and compares what every member has with a
 * second computation.
 */
import { parseArgs } from "node:util";
import { Customer } from "./closed-form.mjs";
import { byDay, readPurchases } from "./purchases.mjs";
import { inParallel, Sandbox } from "./sandbox.mjs";
import { Standing, tiers } from "./tiers.mjs";
import { Vouchers, voucherCents } from "./vouchers.mjs";

const help = `Usage: node examples/second-computation/play.mjs FILE [--vouchers | --refunds] [--keep]

Plays FILE (the format of the CDNOW sample) through the API of a running service, in a sandbox business
that it makes and deletes, and compares each member's points and tier with a second computation.

  --settle-on DAY  compare on this day, too; may be repeated (the day after the last month, and a year later)
  --vouchers       give every customer a voucher with every second purchase, use them in every third one, and compare
                   vouchers and tiers; no points
  --refunds        refund every fifth purchase, a third after 10 days and the rest after 40, and compare points and
                   tiers with those of the same file without these purchases
  --keep           leave the sandbox business there

LOYALTY_URL (http://127.0.0.1:8080/api) says where the API is, LOYALTY_OPERATOR_KEY is the operator key.
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    "settle-on": { type: "string", multiple: true, default: [] },
    refunds: { type: "boolean", default: false },
    vouchers: { type: "boolean", default: false },
    keep: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
const [file] = positionals;
const operatorKey = process.env.LOYALTY_OPERATOR_KEY;
if (values.help || file === undefined || operatorKey === undefined) {
  process.stdout.write(help);
  process.exit(values.help ? 0 : 2);
}
const url = process.env.LOYALTY_URL ?? "http://127.0.0.1:8080/api";

/** @typedef {import("./closed-form.mjs").Purchase} Purchase */
/** @typedef {Purchase & { refunds?: true, usesVoucher?: boolean, givesVoucher?: boolean }} Played */

/** A day some days later. @param {string} day @param {number} days */
const later = (day, days) => new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);

/**
 * Lives through the purchases and the refunds, day by day. The purchases of a customer keep their order; customers don't.
 * @param {Sandbox} sandbox
 * @param {readonly Played[]} purchases
 * @param {string[]} stops days on which to compare
 * @param {(day: string) => Promise<void>} compare
 */
async function live(sandbox, purchases, stops, compare) {
  const days = byDay(purchases);
  /** @type {Map<string, (() => Promise<void>)[]>} */
  const refunds = new Map();
  const plan = (/** @type {string} */ day, /** @type {() => Promise<void>} */ refund) =>
    refunds.set(day, [...(refunds.get(day) ?? []), refund]);
  const lastDay = [...stops, ...days.keys()].reduce((one, other) => (one > other ? one : other));
  for (let day = purchases[0]?.day ?? lastDay; day <= lastDay; day = later(day, 1)) {
    const isStop = stops.includes(day);
    if (!isStop && !days.has(day) && !refunds.has(day)) continue;
    await sandbox.advance(day);
    if (isStop) await compare(day);
    await inParallel(refunds.get(day) ?? [], (refund) => refund());
    await inParallel(byCustomer(days.get(day) ?? []), async (bought) => {
      for (const purchase of bought.filter(({ cents }) => cents > 0)) {
        const saleId = await sandbox.record(purchase, purchase.usesVoucher);
        if (purchase.givesVoucher) await sandbox.issueVoucher(purchase.customer);
        if (!purchase.refunds) continue;
        plan(later(day, 10), () => sandbox.refund(saleId, Math.max(1, Math.floor(purchase.cents / 3))));
        plan(later(day, 40), () => sandbox.refund(saleId));
      }
    });
    if (process.stderr.isTTY) process.stderr.write(`\r${day} `);
  }
  if (process.stderr.isTTY) process.stderr.write("\r");
}

/** @param {readonly Played[]} purchases */
function byCustomer(purchases) {
  /** @type {Map<string, Played[]>} */
  const customers = new Map();
  for (const purchase of purchases) {
    customers.set(purchase.customer, [...(customers.get(purchase.customer) ?? []), purchase]);
  }
  return [...customers.values()];
}

let differences = 0;

/** @param {string} customer @param {object} expected @param {object | undefined} found */
function expectSame(customer, expected, found) {
  for (const [name, value] of Object.entries(expected)) {
    const other = /** @type {Record<string, number> | undefined} */ (found)?.[name];
    if (value === other) continue;
    differences += 1;
    if (differences <= 20)
      console.log(`customer ${customer}: ${name} is ${other}, and ${value} by the second computation`);
  }
}

/** @param {readonly Played[]} purchases @param {string[]} stops @param {(sandbox: Sandbox, day: string) => Promise<void>} compare */
async function inSandbox(purchases, stops, compare) {
  const sandbox = new Sandbox(url, /** @type {string} */ (operatorKey));
  await sandbox.create(/** @type {Played} */ (purchases[0]).day);
  await sandbox.addMembers(new Set(purchases.map(({ customer }) => customer)));
  await live(sandbox, purchases, stops, (day) => compare(sandbox, day));
  if (!values.keep) await sandbox.delete();
}

/** What a customer has by the second computation: points and tier. */
class Computed extends Customer {
  standing = new Standing();

  /** @param {Purchase} purchase */
  buy(purchase) {
    const before = this.netSales;
    const points = super.buy(purchase);
    if (purchase.cents > 0) this.standing.buy(purchase.day, this.netSales - before);
    return points;
  }
}

/** How many customers have ever reached each tier. @param {Iterable<{ standing: Standing }>} customers */
function tiersReached(customers) {
  const standings = [...customers].map(({ standing }) => standing);
  const counts = tiers.map(({ name }) => {
    return `${standings.filter(({ reached }) => name in reached).length} ${name}`;
  });
  return `Tiers reached: ${counts.join(", ")}.`;
}

/** Compares on each stop; prints a row of totals for each. @param {Purchase[]} purchases */
async function playRedemptions(purchases) {
  const stops = stopsOf(purchases);
  const customers = new Map(purchases.map(({ customer }) => [customer, new Computed()]));
  const rest = [...purchases];
  console.log("settled on   purchases  net sales    earned     spent   expired   balance");
  await inSandbox(purchases, stops, async (sandbox, day) => {
    while (rest[0] !== undefined && rest[0].day < day) {
      const purchase = /** @type {Purchase} */ (rest.shift());
      customers.get(purchase.customer)?.buy(purchase);
    }
    const found = await sandbox.read();
    const totals = [0, 0, 0, 0, 0];
    for (const [customer, computed] of customers) {
      const expected = computed.at(day);
      expectSame(customer, { ...expected, ...computed.standing.at(day) }, found.get(customer));
      for (const [index, value] of Object.values(expected).entries())
        totals[index] = (totals[index] ?? 0) + value;
    }
    const row = [purchases.length - rest.length, ...totals].map((value) => String(value).padStart(10));
    console.log(`${day} ${row.join("")}`);
  });
  console.log(tiersReached(customers.values()));
}

/** Compares vouchers and tiers on each stop. @param {Purchase[]} all */
async function playVouchers(all) {
  const counts = new Map();
  const purchases = all
    .filter(({ cents }) => cents > 0)
    .map((purchase) => {
      const count = (counts.get(purchase.customer) ?? 0) + 1;
      counts.set(purchase.customer, count);
      return { ...purchase, pays: false, usesVoucher: purchase.pays, givesVoucher: count % 2 === 0 };
    });
  const stops = stopsOf(purchases);
  const customers = new Map(
    purchases.map(({ customer }) => [customer, { standing: new Standing(), vouchers: new Vouchers() }]),
  );
  const rest = [...purchases];
  console.log("settled on   purchases      held      used    lapsed");
  await inSandbox(purchases, stops, async (sandbox, day) => {
    while (rest[0] !== undefined && rest[0].day < day) {
      const purchase = /** @type {(typeof purchases)[number]} */ (rest.shift());
      const computed = /** @type {{ standing: Standing, vouchers: Vouchers }} */ (
        customers.get(purchase.customer)
      );
      const { standing, vouchers } = computed;
      const pays = purchase.usesVoucher && vouchers.at(purchase.day).vouchers > 0;
      if (pays) vouchers.use(purchase.day);
      standing.buy(purchase.day, purchase.cents - (pays ? Math.min(voucherCents, purchase.cents) : 0));
      if (purchase.givesVoucher) vouchers.issue(purchase.day);
    }
    const found = await sandbox.read();
    const totals = { vouchers: 0, used: 0, lapsed: 0 };
    for (const [customer, { standing, vouchers }] of customers) {
      const expected = vouchers.at(day);
      expectSame(customer, { ...expected, ...standing.at(day) }, found.get(customer));
      totals.vouchers += expected.vouchers;
      totals.used += expected.used;
      totals.lapsed += expected.lapsed;
    }
    const row = [purchases.length - rest.length, totals.vouchers, totals.used, totals.lapsed];
    console.log(`${day} ${row.map((value) => String(value).padStart(10)).join("")}`);
  });
  console.log(tiersReached(customers.values()));
}

/** Compares a run with refunds to one without the purchases that were refunded. @param {Purchase[]} all */
async function playRefunds(all) {
  const played = all.map((purchase, index) => ({
    ...purchase,
    pays: false,
    ...(index % 5 === 4 && purchase.cents > 0 ? { refunds: /** @type {const} */ (true) } : {}),
  }));
  const kept = played.filter(({ refunds }) => !refunds);
  // After the last refund.
  const end = [later(/** @type {Purchase} */ (all.at(-1)).day, 41)];
  /** @type {Map<string, import("./sandbox.mjs").Found | undefined>[]} */
  const results = [];
  for (const purchases of [played, kept]) {
    await inSandbox(purchases, end, async (sandbox) => void results.push(await sandbox.read()));
  }
  const [withRefunds, without] = results;
  for (const [customer, found] of withRefunds ?? []) {
    const { balance = 0, netSales = 0, owed = 0 } = without?.get(customer) ?? {};
    const { tier = null, since = null, validThrough = null } = without?.get(customer) ?? {};
    expectSame(customer, { balance, netSales, owed, tier, since, validThrough }, found);
  }
  console.log(
    `${played.length - kept.length} purchases refunded in two parts, ${withRefunds?.size} customers compared`,
  );
}

/** @param {readonly Purchase[]} purchases */
function stopsOf(purchases) {
  if (values["settle-on"].length > 0) return values["settle-on"].toSorted();
  const [year = 0, month = 0] = (purchases.at(-1)?.day ?? "").split("-").map(Number);
  const first = (/** @type {number} */ months) =>
    new Date(Date.UTC(year, month + months, 1)).toISOString().slice(0, 10);
  return [first(0), first(12)];
}

const purchases = readPurchases(file);
const play = values.refunds ? playRefunds : values.vouchers ? playVouchers : playRedemptions;
await play(purchases);
console.log(differences === 0 ? "No differences." : `${differences} differences.`);
process.exitCode = differences === 0 ? 0 : 1;
