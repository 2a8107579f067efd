/** A sandbox business with the rules of the second computation, over the API. */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { mostPointsPerSale } from "./closed-form.mjs";
import { tiers, windowMonths } from "./tiers.mjs";
import { voucherCents, voucherMonths } from "./vouchers.mjs";

/** @param {string} url of the API @param {string} path @param {object} body @param {string | undefined} token */
async function call(url, path, body, token) {
  const write = !/\/(list|get|find|balances|quote|token|status)$/.test(path);
  const sent = JSON.stringify(write ? { idempotency_key: randomUUID(), ...body } : body);
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  for (;;) {
    const response = await fetch(url + path, {
      method: "POST",
      headers: { "content-type": "application/json", ...authorization },
      body: sent,
    });
    const envelope = await response.json();
    if (response.status === 429 || response.status === 503) {
      await sleep(Number(response.headers.get("retry-after") ?? 1) * 1000);
      continue;
    }
    if (!envelope.success) throw new Error(`${path}: ${JSON.stringify(envelope.error)}`);
    return envelope;
  }
}

const scopes = [
  ...["wa.members.read", "wa.members.write", "wa.wallet.read", "wa.rewards.write"],
  ...["wa.sales.read", "wa.sales.write", "wa.vouchers.read", "wa.vouchers.write", "wa.sandbox.write"],
];

/**
 * @typedef {object} Found
 * @property {number} netSales
 * @property {number} earned
 * @property {number} spent
 * @property {number} expired
 * @property {number} balance
 * @property {number} owed
 * @property {number} vouchers the value of those that are held
 * @property {number} used the value of vouchers
 * @property {number} lapsed the value of vouchers
 * @property {string | null} tier
 * @property {string | null} since
 * @property {string | null} validThrough
 */

/** One run: a business, its clock, and a member for each customer. */
export class Sandbox {
  /** @type {Map<string, number>} contact_id by customer */
  members = new Map();
  #url;
  #operatorKey;
  #businessId = 0;
  #locationId = 0;
  #voucherId = 0;
  #credentials = {};
  #token = "";
  #today = "";

  constructor(/** @type {string} */ url, /** @type {string} */ operatorKey) {
    this.#url = url;
    this.#operatorKey = operatorKey;
  }

  #operator = async (/** @type {string} */ path, /** @type {object} */ body) =>
    (await call(this.#url, path, { business_id: this.#businessId, ...body }, this.#operatorKey)).data;

  async #ask(/** @type {string} */ path, /** @type {object} */ body) {
    return call(this.#url, path, body, this.#token);
  }

  /** @param {string} day the first of the clock */
  async create(day) {
    const business = { name: "Second computation", currency: "USD", sandbox: true, clock_at: day };
    const made = await call(this.#url, "/op/businesses/create", business, this.#operatorKey);
    this.#businessId = made.data.business_id;
    this.#today = day;
    this.#locationId = (await this.#operator("/op/locations/create", { name: "Shop" })).location_id;
    const { program_id } = await this.#operator("/op/programs/create", {
      membership_name: "Members",
      maximum_points_per_order: mostPointsPerSale,
      earn_points: 1,
      earn_amount: 100,
    });
    const grant = { name: "Till", scopes, all_locations: true };
    const { client_id, client_secret } = await this.#operator("/op/integrations/create", grant);
    this.#credentials = { client_id, client_secret };
    await this.#renew();
    await this.#ask("/sp/reward-settings/update", {
      enable_rp: true,
      rp_sales_calculation_period: windowMonths,
      rp_sales_calculation_period_type: "month",
    });
    for (const { name, from, months } of tiers) {
      const tier = { name, qualifying_sales: from, expiry: months, expiry_period: "month" };
      await this.#operator("/op/tiers/create", tier);
    }
    const voucher = { campaign_name: "Thank you", coupon_code: "THANKYOU", coupon_value: voucherCents };
    const validity = { validity: voucherMonths, validity_period: "month" };
    this.#voucherId = (await this.#operator("/op/vouchers/create", { ...voucher, ...validity })).voucher_id;
    await this.#operator("/op/reward-settings/rules/update", {
      default_program_id: program_id,
      value_points: 1,
      value_amount: 5,
      points_validity: 6,
      points_validity_period: "month",
    });
  }

  async #renew() {
    const { data } = await call(this.#url, "/sp/auth/token", this.#credentials, undefined);
    this.#token = data.access_token;
  }

  /** Makes a member for each customer. @param {Iterable<string>} customers */
  async addMembers(customers) {
    await inParallel([...customers], async (customer) => {
      const member = {
        first_name: "Customer",
        last_name: customer,
        phone_number: `+999${customer.padStart(10, "0")}`,
      };
      const { data } = await this.#ask("/sp/members/create", member);
      this.members.set(customer, data.contact_id);
    });
  }

  /** @param {string} day */
  async advance(day) {
    if (day <= this.#today) return;
    this.#today = day;
    await this.#ask("/sp/sandbox/clock/advance", { to: day });
  }

  /**
   * Records a purchase, and pays with points if it is one that does.
   * @param {import("./closed-form.mjs").Purchase} purchase
   * @param {boolean} [usesVoucher] whether a voucher pays a part, if there is one: the one that lapses first
   * @returns the sale_id
   */
  async record({ customer, cents, pays }, usesVoucher = false) {
    const contact_id = this.members.get(customer);
    let use_points = 0;
    if (pays) {
      const { data } = await this.#ask("/sp/members/balances", { contact_id });
      use_points = Math.min(Math.floor(cents / 5), data.points);
    }
    const { data } = await this.#ask("/sp/sales/record", {
      contact_id,
      location_id: this.#locationId,
      amount: cents,
      ...(use_points > 0 ? { use_points } : {}),
      ...(usesVoucher ? { use_vouchers: await this.#firstToLapse(contact_id) } : {}),
    });
    return data.sale_id;
  }

  /** @param {number | undefined} contact_id @returns the number of one voucher, or nothing */
  async #firstToLapse(contact_id) {
    let first;
    for await (const voucher of this.#rows("/sp/vouchers/list", { contact_id, status: "held" })) {
      if (first === undefined || voucher.valid_through <= first.valid_through) first = voucher;
    }
    return first === undefined ? [] : [first.held_voucher_id];
  }

  /**
   * All rows of a list, also while others are recorded.
   * @param {string} path @param {object} filter
   */
  async *#rows(path, filter) {
    for (let after; after !== null; ) {
      const { data, meta } = await this.#ask(path, { ...filter, after, per_page: 100 });
      yield* data;
      after = meta.next;
    }
  }

  async issueVoucher(/** @type {string} */ customer) {
    const contact_id = this.members.get(customer);
    await this.#ask("/sp/vouchers/issue", { contact_id, voucher_id: this.#voucherId });
  }

  /** @param {number} sale_id @param {number} [amount] all that is left when absent */
  async refund(sale_id, amount) {
    await this.#ask("/sp/sales/refund", {
      sale_id,
      location_id: this.#locationId,
      ...(amount ? { amount } : {}),
    });
  }

  /** What each customer has now, from the ledger, the balances and the member. */
  async read() {
    /** @type {Map<number, Found>} */
    const found = new Map();
    await inParallel([...this.members.values()], async (contact_id) => {
      const [{ data: balances }, { data: member }] = await Promise.all([
        this.#ask("/sp/members/balances", { contact_id }),
        this.#ask("/sp/members/get", { contact_id }),
      ]);
      const { points: balance, sales: netSales, points_owed: owed, vouchers } = balances;
      const { name: tier = null, since = null, valid_through: validThrough = null } = member.tier ?? {};
      const fromLedger = { earned: 0, spent: 0, expired: 0, used: 0, lapsed: 0 };
      found.set(contact_id, { netSales, balance, owed, vouchers, tier, since, validThrough, ...fromLedger });
    });
    const event_types = [
      ...["reward_points_earned", "reward_points_redeemed", "reward_points_expired"],
      ...["voucher_issued", "voucher_redeemed"],
    ];
    for await (const { contact_id, event_type, amount } of this.#rows("/sp/transactions/list", {
      event_types,
    })) {
      const member = found.get(contact_id);
      if (member === undefined) continue;
      if (event_type === "reward_points_earned") member.earned += amount;
      if (event_type === "reward_points_redeemed") member.spent -= amount;
      if (event_type === "reward_points_expired") member.expired -= amount;
      if (event_type === "voucher_redeemed") member.used -= amount;
      if (event_type === "voucher_issued" && amount < 0) member.lapsed -= amount;
    }
    return new Map([...this.members].map(([customer, contactId]) => [customer, found.get(contactId)]));
  }

  async delete() {
    await call(
      this.#url,
      "/op/businesses/delete",
      { sandbox_business_id: this.#businessId },
      this.#operatorKey,
    );
  }
}

/**
 * @template T
 * @param {readonly T[]} items
 * @param {(item: T) => Promise<void>} work
 */
export async function inParallel(items, work) {
  const waiting = items.values();
  const worker = async () => {
    for (const item of waiting) await work(item);
  };
  await Promise.all(Array.from({ length: 8 }, worker));
}
