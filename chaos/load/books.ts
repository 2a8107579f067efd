/** What a load was told of one business: every write that was acknowledged, and what it must have done. */
import { type Figure, none, type Violations } from "../chaos.ts";
import type { Business, ExportedEntry, Fields, Operator } from "../operator.ts";

/** What an entry must be like. */
type Expected = Partial<ExportedEntry>;

/** Kinds of records: the operator's list of them, how they are identified, and whether the load makes all of them. */
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

/** What a comparison found, and over how much. */
export class Comparison {
  /** Acknowledged writes that are not there. */
  lost = 0;
  /** Writes that took effect more than once. */
  doubled = 0;
  /** What is there otherwise than acknowledged, or without an acknowledgement. */
  wrong = 0;
  /** Entries of the ledger that were compared. */
  entries = 0;
  /** Members, benefits, tiers, programs and settings that were compared. */
  records = 0;

  /** What every load promises. */
  figures(): Figure[] {
    return [
      none("acknowledged writes lost", this.lost),
      none("writes done twice", this.doubled),
      none("done otherwise than acknowledged", this.wrong),
    ];
  }
}

export class Books {
  /** By idempotency key, which is also the reason of an adjustment and the reference of a sale or refund. */
  readonly entries = new Map<string, Expected>();
  /** Records as the last acknowledged write left them, by id. Each is written by one writer alone. */
  readonly records: Readonly<Record<Kind, Map<number, Fields>>> = {
    member: new Map(),
    benefit: new Map(),
    tier: new Map(),
    program: new Map(),
  };
  /** Whose sales they are. */
  readonly #sales = new Map<number, number>();
  #settings: Fields | undefined;

  /** Notes an acknowledged write. */
  keep(path: string, body: Fields, data: Fields): void {
    const { idempotency_key, ...fields } = body;
    this.#keepEntry(path, String(idempotency_key), body, data);
    if (path === "/sp/reward-settings/update") this.#settings = { ...this.#settings, ...fields };
    const kind = recordWrites[path];
    if (kind === undefined) return;
    const { id } = kinds[kind];
    const number = (fields[id] ?? data[id]) as number;
    const made = path === "/sp/members/create" ? { email: null, active: true } : {};
    const { location_id: _, ...kept } = fields;
    this.records[kind].set(number, { ...this.records[kind].get(number), ...made, ...kept, [id]: number });
  }

  #keepEntry(path: string, key: string, body: Fields, data: Fields): void {
    const number = (name: string) => Number(data[name]);
    if (path === "/sp/wallet/adjust" || path === "/sp/reward-points/adjust") {
      const amount = Number(body.amount ?? body.points) * (body.adjustment_type === "debit" ? -1 : 1);
      const account = path === "/sp/wallet/adjust" ? "wallet" : "points";
      const [contact_id, balance_after] = [number("contact_id"), number("balance_after")];
      this.entries.set(key, { contact_id, account, amount, balance_after });
    } else if (path === "/sp/sales/record") {
      const contact_id = Number(body.contact_id);
      const amount = number("wallet_used") + number("amount_due");
      this.#sales.set(number("sale_id"), contact_id);
      this.entries.set(key, { contact_id, account: "sales", event_type: "sale", amount });
    } else if (path === "/sp/sales/refund") {
      const contact_id = this.#sales.get(Number(body.sale_id)) as number;
      const amount = -(number("money_back") + number("wallet_back"));
      if (amount === 0) return;
      this.entries.set(key, { contact_id, account: "sales", event_type: "sale_refund", amount });
    }
  }

  /** Compares all that was acknowledged with what the service says; no write may be under way. */
  async compare(
    operator: Operator,
    { businessId }: Business,
    violations: Violations,
    result = new Comparison(),
  ): Promise<Comparison> {
    await operator.verify(businessId, violations);
    await this.#compareEntries(operator.entries(businessId), violations, result);
    for (const kind of Object.keys(kinds) as Kind[]) {
      const { list } = kinds[kind];
      const found =
        list === undefined ? await operator.members(businessId) : await operator.list(list, businessId);
      this.#compareRecords(kind, found, violations, result);
    }
    if (this.#settings !== undefined) {
      const settings = await operator.ask<Fields>("/op/reward-settings/get", { business_id: businessId });
      result.records += 1;
      compareFields("settings", this.#settings, settings, violations, result);
    }
    return result;
  }

  /** The other entries of sales are held against the lots by the verification. */
  async #compareEntries(
    entries: AsyncIterable<ExportedEntry>,
    violations: Violations,
    result: Comparison,
  ): Promise<void> {
    const seen = new Set<string>();
    for await (const entry of entries) {
      result.entries += 1;
      const adjusts = entry.event_type.endsWith("_adjustment");
      if (!adjusts && entry.account !== "sales") continue;
      const key = adjusts ? (entry.reason ?? "") : entry.reference_id;
      const expected = this.entries.get(key);
      if (expected === undefined) {
        result.wrong += 1;
        violations.add(`entry ${entry.entry_no} was never acknowledged: ${JSON.stringify(entry)}`);
      } else if (seen.has(key)) {
        result.doubled += 1;
        violations.add(`${key} took effect again in entry ${entry.entry_no}`);
      } else compareFields(key, expected, entry, violations, result);
      seen.add(key);
    }
    for (const [key, expected] of this.entries) {
      if (seen.has(key)) continue;
      result.lost += 1;
      violations.add(`${key} was acknowledged and is not there: ${JSON.stringify(expected)}`);
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
        violations.add(`${kind} ${number} was acknowledged and is not there`);
      } else compareFields(`${kind} ${number}`, fields, record, violations, result);
    }
    if (!made || found.size === kept.size) return;
    result.doubled += Math.max(0, found.size - kept.size);
    violations.add(`${found.size} of kind ${kind} are there, and ${kept.size} were acknowledged`);
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
