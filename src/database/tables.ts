/**
 * The table of all tables: whose rows each one has, and what is done with them. The deletion and the move of a business, the
 * erasure, the merge and the export of a member derive from it. A backup has all tables.
 *
 * The rows of a business are deleted in this order, and added in the reverse one: a table precedes those to which it refers.
 * test/database/tables.test.ts compares the table with the catalog of the database.
 */
import type { Kind } from "../domain/records.ts";
import { kindNames, kinds, type Merging, type VerifiedPart } from "./engine/kinds.ts";

interface OfBusiness {
  readonly owner: "business";
  /** The part of the verification that checks the rows; null: nothing else implies them. */
  readonly verified: VerifiedPart | null;
  /** The rows concern this installation, so exports and moves of the business leave them out. */
  readonly stays?: true;
  /** The rows are kept when the business is deleted. */
  readonly outlives?: true;
  /** The service deletes rows when they are old, so a copy may keep some for longer. */
  readonly expires?: true;
}

/** Instead of a value after an erasure: the erasure deletes the whole row. */
export const deletesRow = Symbol("an erasure deletes the row");

/** The phone number of a member without one. No country has the code +999, and the contact_id makes it unique in the business. */
export const numberOfNobody = "'+999' || right('000000000000' || contact_id, 12)";

interface OfMember extends Omit<OfBusiness, "owner"> {
  readonly owner: "member";
  /** The columns that an erasure leaves as they are. */
  readonly columns: readonly string[];
  /** The columns with personal data, and the expressions for their values after an erasure. */
  readonly erased: Readonly<Record<string, string | typeof deletesRow>>;
  /** What a merge does with the rows of the member that is merged. */
  readonly merging: Merging;
  /** The part of the export of a member that has the rows; null: they repeat what others have, or are not about the person. */
  readonly exported: "member" | "transactions" | "records" | null;
}

export type Table = { readonly owner: "installation" } | OfBusiness | OfMember;

const ofBusiness = (verified: VerifiedPart | null): OfBusiness => ({ owner: "business", verified });
const ofMember = (fate: Pick<OfMember, "merging" | "exported" | "verified">) =>
  ({ owner: "member", erased: {}, ...fate }) as const;
const ofInstallation = { owner: "installation" } as const;

/** The records of the engine. */
const ofKinds = Object.fromEntries(
  kindNames.toReversed().map((name: Kind): [string, OfMember] => {
    const { table, columns, more = [], erased, merging, verified } = kinds[name];
    const all = ["business_id", ...more, ...Object.keys(columns)];
    const left = all.filter((column, index) => !(column in erased) && all.indexOf(column) === index);
    return [table, { owner: "member", columns: left, erased, merging, exported: "records", verified }];
  }),
);

export const tables: Readonly<Record<string, Table>> = {
  member_due: {
    ...ofMember({ merging: "by_sums", exported: null, verified: "points" }),
    columns: ["business_id", "contact_id", "day", "event", "amount", "noticed"],
  },
  liability_change: ofBusiness("reports"),
  sale_count: ofBusiness("points"),
  ...ofKinds,
  settling_run: ofBusiness(null),
  // Files have personal data of members. No erasure finds it, so they are deleted after some days (domain/imports/jobs.ts).
  import_rejection: { ...ofBusiness(null), stays: true },
  import_part: { ...ofBusiness(null), stays: true },
  import_job: { ...ofBusiness(null), stays: true },
  import_mapping: ofBusiness(null),
  imported_line: {
    ...ofMember({ merging: "stays", exported: null, verified: null }),
    // The digests don't tell the values (docs/decisions/imports.md).
    columns: [
      ...["business_id", "digest", "imported_at", "entry_no", "contact_id", "held_voucher_id", "content"],
      ...["amount", "points"],
    ],
  },
  operator_correction: { ...ofBusiness(null), stays: true },
  // The background job that counts entries locks a row of this first.
  ledger_count: {
    ...ofMember({ merging: "stays", exported: null, verified: "entry_counts" }),
    columns: [
      ...["business_id", "contact_id", "counted_entries", "blocks_end_at", "blocks_end_no", "groups_end_at"],
      ...["groups_end_no", "former_days_end"],
    ],
  },
  entry_count: {
    ...ofMember({ merging: "stays", exported: null, verified: "entry_counts" }),
    columns: [
      ...["business_id", "contact_id", "level", "from_at", "from_no", "location_id"],
      ...["event_type", "entries"],
    ],
  },
  day_total: ofBusiness("reports"),
  active_day: {
    ...ofMember({ merging: "stays", exported: null, verified: "reports" }),
    columns: ["business_id", "contact_id", "day", "location_id"],
  },
  ledger_entry: {
    ...ofMember({ merging: "stays", exported: "transactions", verified: "entries" }),
    columns: [
      ...["business_id", "entry_no", "contact_id", "amount", "balance_after", "location_id"],
      ...["integration_id", "created_at", "account", "event_type", "reference_id", "reason"],
    ],
  },
  account: {
    ...ofMember({ merging: "by_entries", exported: "member", verified: "accounts" }),
    columns: [
      ...["business_id", "contact_id", "account", "active", "balance", "entries"],
      ...["anonymous", "lapses_on"],
    ],
  },
  card: {
    ...ofMember({ merging: "moves", exported: "records", verified: null }),
    columns: ["business_id", "card_id", "contact_id", "kind", "status", "created_at"],
    erased: { card_code: deletesRow },
  },
  member_page: {
    ...ofMember({ merging: "stays", exported: null, verified: null }),
    columns: ["business_id", "contact_id", "generation", "created_at"],
    erased: { token_hash: deletesRow },
  },
  // An erasure and a merge leave these, so that phones get a void pass. They are deleted some days after the erasure.
  wallet_pass_device: {
    ...ofMember({ merging: "stays", exported: null, verified: null }),
    columns: ["business_id", "device_hash", "serial_number", "contact_id", "push_token", "registered_at"],
  },
  wallet_pass: {
    ...ofMember({ merging: "stays", exported: null, verified: null }),
    columns: [
      ...["business_id", "serial_number", "contact_id", "authentication_hash", "changed_at", "changes"],
      ...["kind", "page_generation", "sent_changes", "pushed_changes", "next_push_at"],
    ],
  },
  referral: {
    ...ofMember({ merging: "by_rule", exported: "records", verified: "points" }),
    columns: [
      ...["business_id", "contact_id", "referrer_contact_id", "status", "created_at", "sale_id"],
      ...["minimum_amount", "ends_on"],
    ],
  },
  member_block: ofBusiness("member_counts"),
  member: {
    ...ofMember({ merging: "stays", exported: "member", verified: "member_counts" }),
    columns: [
      ...["business_id", "contact_id", "member_id", "active", "joined_at", "erased_at", "merged_into"],
      ...["anonymous"],
    ],
    erased: {
      first_name: "'Erased'",
      last_name: "'Member'",
      phone_number: numberOfNobody,
      email: "NULL",
      date_of_birth: "NULL",
      password_hash: "NULL",
      external_ref: "NULL",
      remarks: "NULL",
      referral_code: "NULL",
      searchable_text: "''",
    },
  },
  member_segment: ofBusiness(null),
  member_tier: ofBusiness(null),
  topup_benefit: ofBusiness(null),
  promotion: ofBusiness(null),
  stamp_card: ofBusiness(null),
  bulk_grant: ofBusiness(null),
  occasion: ofBusiness(null),
  voucher_code: ofBusiness(null),
  voucher: ofBusiness(null),
  wallet_issuer: ofBusiness(null),
  location: ofBusiness(null),
  reward_rules: ofBusiness(null),
  reward_settings: ofBusiness(null),
  reward_program: ofBusiness(null),
  webhook_attempt: { ...ofBusiness(null), expires: true },
  webhook_retry: ofBusiness(null),
  webhook_secret: ofBusiness(null),
  webhook_endpoint: ofBusiness(null),
  integration_secret: ofBusiness(null),
  integration: ofBusiness(null),
  // The writer of the request log locks the integrations first.
  rejected_request: { ...ofBusiness(null), stays: true },
  request_count: { ...ofBusiness(null), stays: true },
  ledger: ofBusiness(null),
  // A write under way may have locked all rows above before these. Events follow their number, so that none is added behind them.
  event_head: ofBusiness(null),
  event: {
    ...ofMember({ merging: "stays", exported: null, verified: null }),
    columns: [
      ...["business_id", "event_no", "type", "occurred_at", "recorded_at", "contact_ids"],
      ...["location_id", "data"],
    ],
    expires: true,
  },
  idempotency_key: {
    ...ofMember({ merging: "stays", exported: null, verified: null }),
    columns: [
      ...["business_id", "integration_id", "idempotency_key", "fingerprint", "status", "created_at"],
      ...["named_business_id", "contact_id", "erased_response"],
    ],
    erased: { response: "erased_response" },
    expires: true,
  },
  audit_entry: {
    ...ofMember({ merging: "stays", exported: null, verified: null }),
    columns: [
      ...["audit_id", "business_id", "recorded_at", "actor_kind", "actor_id", "actor_name", "note"],
      ...["address", "request_id", "event", "contact_id", "before", "after"],
    ],
    outlives: true,
  },
  business: ofBusiness(null),

  operator_session: ofInstallation,
  operator_account: ofInstallation,
  operator_key: ofInstallation,
  root_key: ofInstallation,
  installation: ofInstallation,
};

/** The tables with rows of businesses. */
const owned = Object.entries(tables).flatMap(([name, table]) =>
  table.owner === "installation" ? [] : [{ name, ...table }],
);

export interface MemberTable extends OfMember {
  readonly name: string;
}

/** The tables with rows about members. */
export const memberTables: readonly MemberTable[] = owned.filter((table) => table.owner === "member");

/** The tables whose rows are deleted with their business, in this order. */
export const deletedTables = owned.filter(({ outlives }) => outlives !== true).map(({ name }) => name);

const largeOfBusinesses = new Set(["liability_change", "day_total", "voucher_code", "webhook_attempt"]);

/** Of these tables, a business can have very many rows. Transactions of their own delete them, in this order, before all others. */
export const largeTables = owned
  .filter(
    ({ owner, name, outlives }) => (owner === "member" || largeOfBusinesses.has(name)) && outlives !== true,
  )
  .map(({ name }) => name);

/** The tables whose rows an export or a move of a business takes along, in the order in which they can be added. */
export const movedTables = owned
  .filter(({ stays }) => stays !== true)
  .map(({ name }) => name)
  .reverse();
