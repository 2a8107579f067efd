/** What one business acknowledged and rejected, and the comparison with what the service stores. */

import type { Business, ExportedEntry, Fields, Operator } from "../../test/support/runs/operator.ts";
import { type Figure, none, times } from "../../test/support/runs/report.ts";
import type { Span, Violations } from "../../test/support/runs/run.ts";

/** What an entry must contain. */
type Expected = Partial<ExportedEntry>;
type ExpectedEntry = Expected & Pick<ExportedEntry, "account" | "event_type" | "amount">;

const isAdjustment = (event_type: string) => event_type.endsWith("_adjustment");

/**
 * The name of an entry: the key of an adjustment is its reason, and that of another write its reference. The reversal of a movement
 * has the same reference, and the opposite sign.
 */
function nameOf({ event_type, account, amount, reason, reference_id }: ExpectedEntry): string {
  if (isAdjustment(event_type)) return reason ?? "";
  return account === "sales" ? String(reference_id) : `${reference_id} ${event_type} ${Math.sign(amount)}`;
}

/** Tells the vouchers of a sale or a refund apart. */
const nthName = (name: string, nth: number) => (nth === 0 ? name : `${name} ${nth + 1}`);

/** Kinds of records: the operator's list of them, their id, and whether the load creates all of them. */
const kinds = {
  member: { id: "contact_id", list: undefined, made: true },
  benefit: { id: "benefit_id", list: "/op/topup-benefits/list", made: true },
  tier: { id: "tier_id", list: "/op/tiers/list", made: false },
  program: { id: "program_id", list: "/op/programs/list", made: false },
} as const;
type Kind = keyof typeof kinds;

/** The kind of record that an operation writes. */
const recordWrites: Readonly<Record<string, Kind>> = {
  "/sp/members/create": "member",
  "/sp/members/update": "member",
  "/sp/members/profile/update": "member",
  "/sp/wallet/topup-benefits/create": "benefit",
  "/sp/wallet/topup-benefits/update": "benefit",
  "/sp/member-tiers/update": "tier",
  "/sp/reward-programs/update": "program",
};
const accounts: Readonly<Record<string, string>> = {
  "/sp/wallet/adjust": "wallet",
  "/sp/reward-points/adjust": "points",
};

function amountOf({ amount, points, adjustment_type }: Fields): number {
  return Number(amount ?? points) * (adjustment_type === "debit" ? -1 : 1);
}

const idOf = ({ held_voucher_id }: { readonly held_voucher_id: number }) => held_voucher_id;

interface VouchersMoved extends Span {
  readonly contact_id: number;
  readonly sign: 1 | -1;
  readonly ids: readonly number[];
}

interface Rejected extends Span {
  readonly account: string;
  /** By which the account was to change. */
  readonly amount: number;
  /** The balance that the error names. */
  readonly balance: number;
}

/** Entries of these types have a write of their own, or are in the response of a sale or a refund. */
const alwaysAcknowledged: ReadonlySet<string> = new Set(["wallet_topup", "voucher_issued"]);

/** What comparisons found. */
export class Comparison {
  lost = 0;
  doubled = 0;
  /** Stored differently than acknowledged, or never acknowledged. */
  wrong = 0;
  /** Entries whose balance is not the previous balance of the account plus the amount, or below zero. */
  unbalanced = 0;
  /** Entries recorded before an entry that was acknowledged before they were sent. */
  outOfOrder = 0;
  /** Rejections that name a balance which the account did not have at that time, or which was enough. */
  unfounded = 0;
  entries = 0;
  /** Members, benefits, tiers, programs and settings. */
  records = 0;

  figures(): Figure[] {
    return [
      none("acknowledged writes lost", this.lost),
      none("writes done twice", this.doubled),
      none("done otherwise than acknowledged", this.wrong),
      none("entries with a wrong balance", this.unbalanced),
      none("entries recorded out of order", this.outOfOrder),
      none("rejections without a reason", this.unfounded),
      times("entries compared", this.entries),
      times("records compared", this.records),
    ];
  }
}

export class Books {
  /** By the name of the entry, which contains the idempotency key. */
  readonly entries = new Map<string, Expected & Span>();
  /** Records as the last acknowledged write left them, by id. One writer writes to a record. */
  readonly records: Readonly<Record<Kind, Map<number, Fields>>> = {
    member: new Map(),
    benefit: new Map(),
    tier: new Map(),
    program: new Map(),
  };
  readonly #rejected: Rejected[] = [];
  /** The member of each sale. */
  readonly #sales = new Map<number, number>();
  /** The vouchers that promotions, stamp cards and codes gave, with their values. */
  readonly #granted = new Map<number, number>();
  /** The vouchers that the codes of a sale made. */
  readonly #ofCodes = new Map<number, readonly number[]>();
  /** Those that sales gave and refunds took back, by the reference of the write and in the order of the response. */
  readonly #vouchersMoved = new Map<string, VouchersMoved>();
  /** The entry of each top-up and payment, by movement_id. */
  readonly #movements = new Map<number, ExpectedEntry>();
  #settings: Fields | undefined;

  get rejections(): number {
    return this.#rejected.length;
  }

  /** Notes an acknowledged write. */
  keep(path: string, body: Fields, data: Fields, span: Span): void {
    const { idempotency_key, ...fields } = body;
    const entry = this.#entryOf(path, body, data);
    if (entry !== undefined) {
      const name = nameOf({
        reason: String(idempotency_key),
        reference_id: String(idempotency_key),
        ...entry,
      });
      this.entries.set(name, { ...span, ...this.entries.get(name), ...entry });
    }
    this.#keepVouchers(path, body, data, span);
    if (path === "/sp/reward-settings/update") this.#settings = { ...this.#settings, ...fields };
    const kind = recordWrites[path];
    if (kind === undefined) return;
    const { id } = kinds[kind];
    const number = (fields[id] ?? data[id]) as number;
    const made = path === "/sp/members/create" ? { email: null, active: true } : {};
    const { location_id: _, ...kept } = fields;
    this.records[kind].set(number, { ...this.records[kind].get(number), ...made, ...kept, [id]: number });
  }

  #keepVouchers(path: string, body: Fields, data: Fields, span: Span): void {
    const granted = (data.vouchers_granted ?? []) as { held_voucher_id: number; coupon_value: number }[];
    const used = (body.use_codes ? data.vouchers_used : []) as { held_voucher_id: number; covered: number }[];
    // A code makes a voucher of what it covers, and uses it. A sale with one uses no others.
    const made = used.map((one) => ({ held_voucher_id: idOf(one), coupon_value: one.covered }));
    const issued = [...made, ...granted];
    for (const one of issued) this.#granted.set(one.held_voucher_id, one.coupon_value);
    const isSale = path === "/sp/sales/record";
    if (!isSale && path !== "/sp/sales/refund") return;
    const ids = isSale
      ? issued.map(idOf)
      : [...this.#codesReturned(body, data), ...(data.vouchers_taken as number[])];
    if (made.length > 0) this.#ofCodes.set(Number(data.sale_id), made.map(idOf));
    const contact_id = isSale ? Number(body.contact_id) : (this.#sales.get(Number(body.sale_id)) as number);
    const moved: VouchersMoved = { ...span, contact_id, sign: isSale ? 1 : -1, ids };
    // The response of a retry is the same, but later.
    const reference = String(body.reference_id);
    if (!this.#vouchersMoved.has(reference)) this.#vouchersMoved.set(reference, moved);
  }

  /** The vouchers of codes that a refund returns: with the rest of their sale. */
  #codesReturned({ sale_id }: Fields, { refundable }: Fields): readonly number[] {
    return refundable === 0 ? (this.#ofCodes.get(Number(sale_id)) ?? []) : [];
  }

  /** Adds the entries of vouchers. A refund may take one back before the response of its sale has come. */
  #addVoucherEntries(): void {
    for (const [reference_id, { ids, contact_id, sign, sentAt, respondedAt }] of this.#vouchersMoved) {
      for (const [nth, id] of ids.entries()) {
        const amount = sign * (this.#granted.get(id) ?? 0);
        const entry = { contact_id, account: "vouchers", event_type: "voucher_issued", amount };
        this.entries.set(nthName(nameOf({ reference_id, ...entry }), nth), { ...entry, sentAt, respondedAt });
      }
    }
  }

  /** Notes an adjustment that was rejected for lack of money. */
  reject(path: string, body: Fields, balance: number, span: Span): void {
    const account = `${body.contact_id} ${accounts[path]}`;
    if (path in accounts) this.#rejected.push({ ...span, account, amount: amountOf(body), balance });
  }

  #entryOf(path: string, body: Fields, data: Fields): ExpectedEntry | undefined {
    const number = (name: string) => Number(data[name]);
    const account = accounts[path];
    if (account !== undefined) {
      const event_type = account === "wallet" ? "wallet_adjustment" : "reward_points_adjustment";
      const balance_after = number("balance_after");
      return { contact_id: number("contact_id"), account, event_type, amount: amountOf(body), balance_after };
    }
    if (path === "/sp/sales/record") {
      const contact_id = Number(body.contact_id);
      this.#sales.set(number("sale_id"), contact_id);
      const amount = number("wallet_used") + number("amount_due");
      return { contact_id, account: "sales", event_type: "sale", amount };
    }
    const signs: Readonly<Record<string, readonly [event_type: string, account: string, sign: 1 | -1]>> = {
      "/sp/wallet/topup": ["wallet_topup", "wallet", 1],
      "/sp/wallet/pay": ["wallet_payment", "wallet", -1],
      "/sp/vouchers/issue": ["voucher_issued", "vouchers", 1],
      "/sp/vouchers/redeem": ["voucher_redeemed", "vouchers", -1],
    };
    const moved = signs[path];
    if (moved !== undefined) {
      const [event_type, account, sign] = moved;
      const amount = sign * Number(data.amount ?? data.coupon_value);
      const entry = { contact_id: Number(body.contact_id), account, event_type, amount };
      if (account === "wallet") {
        this.#movements.set(number("movement_id"), { ...entry, reference_id: String(body.reference_id) });
      }
      return { ...entry, balance_after: number("balance_after") };
    }
    if (path === "/sp/wallet/reverse") {
      const made = this.#movements.get(number("movement_id")) as ExpectedEntry;
      return { ...made, amount: -made.amount, balance_after: number("balance_after") };
    }
    if (path !== "/sp/sales/refund") return undefined;
    const contact_id = this.#sales.get(Number(body.sale_id)) as number;
    const amount = -(number("money_back") + number("wallet_back"));
    return amount === 0 ? undefined : { contact_id, account: "sales", event_type: "sale_refund", amount };
  }

  /** Compares everything with what the service stores. No write may be in progress. */
  async compare(operator: Operator, { businessId }: Business, violations: Violations, result: Comparison) {
    await operator.verify(businessId, violations);
    const history = new History();
    this.#addVoucherEntries();
    await this.#compareEntries(operator.entries(businessId), violations, result, history);
    result.outOfOrder += history.countOutOfOrder(violations);
    result.unfounded += history.countUnfounded(this.#rejected, violations);
    for (const kind of Object.keys(kinds) as Kind[]) {
      const { list } = kinds[kind];
      const found =
        list === undefined ? await operator.members(businessId) : await operator.list(list, businessId);
      this.#compareRecords(kind, found, violations, result);
    }
    if (this.#settings === undefined) return;
    const settings = await operator.ask<Fields>("/op/reward-settings/get", { business_id: businessId });
    result.records += 1;
    compareFields("settings", this.#settings, settings, violations, result);
  }

  /** The other entries of sales, and reversed vouchers, are compared with the records by the verification. */
  async #compareEntries(
    entries: AsyncIterable<ExportedEntry>,
    violations: Violations,
    result: Comparison,
    history: History,
  ): Promise<void> {
    const seen = new Set<string>();
    const vouchers = new Map<string, number>();
    for await (const entry of entries) {
      result.entries += 1;
      const name = nameOf(entry);
      const nth = vouchers.get(name) ?? 0;
      // A sale can give several vouchers, and a refund can take several back.
      if (entry.event_type === "voucher_issued") vouchers.set(name, nth + 1);
      const key = nthName(name, nth);
      const expected = this.entries.get(key);
      if (!history.add(entry, expected)) {
        result.unbalanced += 1;
        violations.add(
          `entry ${entry.entry_no} does not follow from the one before: ${JSON.stringify(entry)}`,
        );
      }
      const isAcknowledged = isAdjustment(entry.event_type) || entry.account === "sales";
      if (expected === undefined && !isAcknowledged && !alwaysAcknowledged.has(entry.event_type)) continue;
      if (expected === undefined) {
        result.wrong += 1;
        violations.add(`entry ${entry.entry_no} was never acknowledged: ${JSON.stringify(entry)}`);
      } else if (seen.has(key)) {
        result.doubled += 1;
        violations.add(`${key} took effect again in entry ${entry.entry_no}`);
      } else {
        const { sentAt: _, respondedAt: __, ...fields } = expected;
        compareFields(key, fields, entry, violations, result);
      }
      seen.add(key);
    }
    for (const [key, expected] of this.entries) {
      if (seen.has(key)) continue;
      result.lost += 1;
      violations.add(`${key} was acknowledged and is missing: ${JSON.stringify(expected)}`);
    }
  }

  #compareRecords(kind: Kind, records: readonly Fields[], violations: Violations, result: Comparison): void {
    const { id, made } = kinds[kind];
    const kept = this.records[kind];
    const found = new Map(records.map((record) => [record[id], record]));
    for (const [number, fields] of kept) {
      result.records += 1;
      const record = found.get(number);
      if (record === undefined) {
        result.lost += 1;
        violations.add(`${kind} ${number} was acknowledged and is missing`);
      } else compareFields(`${kind} ${number}`, fields, record, violations, result);
    }
    if (!made || found.size === kept.size) return;
    result.doubled += Math.max(0, found.size - kept.size);
    violations.add(`${found.size} of kind ${kind} exist, and ${kept.size} were acknowledged`);
  }
}

function compareFields(
  what: string,
  expected: object,
  found: object,
  violations: Violations,
  result: Comparison,
): void {
  const actual = found as Record<string, unknown>;
  if (Object.entries(expected).every(([name, value]) => actual[name] === value)) return;
  result.wrong += 1;
  violations.add(`${what} was acknowledged as ${JSON.stringify(expected)}, but is ${JSON.stringify(found)}`);
}

const always: Span = { sentAt: Number.NEGATIVE_INFINITY, respondedAt: Number.POSITIVE_INFINITY };

/** The balance of an account, and from when until when it may have been that at most. */
interface Period {
  readonly balance: number;
  readonly from: number;
  until: number;
}

/** The entries of a ledger in the order of recording, and when each may have been recorded. */
class History {
  readonly #spans: (Span & { readonly entry_no: number })[] = [];
  readonly #periods = new Map<string, Period[]>();

  /** @returns whether the balance is right */
  add({ entry_no, contact_id, account, amount, balance_after }: ExportedEntry, span: Span = always): boolean {
    this.#spans.push({ entry_no, sentAt: span.sentAt, respondedAt: span.respondedAt });
    const periods = this.#of(`${contact_id} ${account}`);
    const last = periods.at(-1) as Period;
    last.until = span.respondedAt;
    periods.push({ balance: balance_after, from: span.sentAt, until: Number.POSITIVE_INFINITY });
    return balance_after === last.balance + amount && balance_after >= 0;
  }

  #of(account: string): Period[] {
    const known = this.#periods.get(account);
    if (known !== undefined) return known;
    const periods = [{ balance: 0, from: always.sentAt, until: always.respondedAt }];
    this.#periods.set(account, periods);
    return periods;
  }

  /** A request that got its response before another was sent must come before it in the ledger. */
  countOutOfOrder(violations: Violations): number {
    let count = 0;
    let earliestResponse = Number.POSITIVE_INFINITY;
    for (const { entry_no, sentAt, respondedAt } of this.#spans.toReversed()) {
      if (earliestResponse < sentAt) {
        count += 1;
        violations.add(`entry ${entry_no} was sent after a later entry had been acknowledged`);
      }
      earliestResponse = Math.min(earliestResponse, respondedAt);
    }
    return count;
  }

  /** The account must have had the balance that the rejection names while the request was on its way: too little. */
  countUnfounded(rejected: readonly Rejected[], violations: Violations): number {
    // An account without entries has had the balance 0.
    for (const { account } of rejected) this.#of(account);
    const byBalance = new Map<string, Period[]>();
    for (const [account, periods] of this.#periods) {
      for (const period of periods) {
        const name = `${account} ${period.balance}`;
        const known = byBalance.get(name);
        if (known === undefined) byBalance.set(name, [period]);
        else known.push(period);
      }
    }
    const unfounded = rejected.filter(({ account, amount, balance, sentAt, respondedAt }) => {
      const periods = byBalance.get(`${account} ${balance}`) ?? [];
      return (
        balance + amount >= 0 || !periods.some(({ from, until }) => from < respondedAt && until > sentAt)
      );
    });
    for (const each of unfounded) {
      violations.add(`an adjustment was rejected without a reason: ${JSON.stringify(each)}`);
    }
    return unfounded.length;
  }
}
