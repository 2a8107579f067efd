import { fields, readOperation, Type } from "../../../contract/declare.ts";
import type { VerifiedPart } from "../../../database/engine/kinds.ts";
import { recordVerification } from "../../../database/server.ts";
import { verifyEntryCounts, verifyMemberCounts } from "../../../database/verify/counts.ts";
import {
  inSlice,
  mostMismatches,
  type VerifySlice,
  verifyAccounts,
  verifyEntries,
  verifyPoints,
} from "../../../database/verify/ledger.ts";
import { verifyReports } from "../../../database/verify/reports.ts";
import { balanceLimit } from "../../../domain/ledger.ts";
import { entryNo } from "../../transactions.ts";

/** The parts of the verification, and the usual size of their slices. */
const parts = {
  accounts: { verify: verifyAccounts, limit: 25_000 },
  points: { verify: verifyPoints, limit: 25_000 },
  entries: { verify: verifyEntries, limit: 50_000 },
  entry_counts: { verify: verifyEntryCounts, limit: 50 },
  member_counts: { verify: verifyMemberCounts, limit: 200 },
  reports: { verify: verifyReports, limit: 31 },
} as const satisfies Record<VerifiedPart, { verify: VerifySlice; limit: number }>;
const partNames = Object.keys(parts) as (keyof typeof parts)[];

const text = Type.String({ maxLength: 255 });

const mismatch = Type.Object({
  kind: Type.String({
    maxLength: 50,
    description:
      "balance: it is not the sum of the account's entries. balance_after: it is not the previous balance plus the " +
      "amount. account_of_entry: the entry's account does not fit its event type. account_missing: a member lacks an " +
      "account. account_without_member: an account has no member. entries_without_account: entries have no account. " +
      "account_active, account_anonymous: it differs from the member's. merged_member: a member that was merged has a balance or is active, or the " +
      "other member is missing. account_entries: it is not the number of the account's entries. " +
      "entry_no: a number is missing. entry_count, member_count, sale_count: a stored count is wrong. points_in_lots: lots have " +
      "more points left than the balance. lot_use: a lot was used less than sales and redemptions say. due: the sums " +
      "of what is due are not those of the lots, vouchers, tiers and stamp cards. vouchers_held: the vouchers of the member are not worth the " +
      "balance. sales_by_day: the sales of the days do not add up to the balance. refunds: they differ from the sale. vouchers_used: the vouchers of a sale paid another amount than it says. " +
      "receipt_lines: the lines of a sale do not add up to its amount, or refunds cover more of them. grants: the promotions of a " +
      "sale gave more points than it earned, or have more of them left. sale_entry: a sale is not in the " +
      "ledger. occasion_grant: the points or the voucher that a member got on an occasion differ. referral: its first sale is missing. " +
      "stamps: a member's stamp card is not what its sales, changes by hand and vouchers leave. grant_count: a promotion gave " +
      "something for another number of sales. block_sequence: the first block does not begin at the start of the ledger. counted_through: it is not " +
      "the number of counted entries. day_total: a sum behind reports, or a day of an active member, is wrong. liability: what is owed is not what the " +
      "changes of all days add up to.",
    examples: ["balance"],
  }),
  contact_id: fields.nullable(fields.contactId, "The member of the mismatch, or null."),
  account: fields.nullable(text, "The account of the mismatch, or null.", "wallet"),
  entry_no: fields.nullable(entryNo, "The entry of the mismatch, or null."),
  place: fields.nullable(text, "For a count, its block; otherwise null.", null),
  expected: fields.nullable(
    text,
    "The value that the rest of the ledger implies, or null if there should be none.",
    "1370",
  ),
  found: fields.nullable(text, "The stored value, or null if there is none.", "1470"),
});

export const verifyLedger = readOperation({
  path: "/op/ledger/verify",
  role: "viewer",
  summary: "Verify the ledger",
  description:
    "Recomputes one part of a business's data from its ledger, a slice at a time. accounts: every balance and every " +
    "balance_after. points: the points of sales. entries: the sequence of entry numbers. entry_counts and " +
    "member_counts: the counts that lists use. reports: the sums that reports use. Repeat the request with next as after until it is null. Each slice is " +
    "read in one snapshot, so writes at the same time cause no false alarms.",
  message: "Ledger verified.",
  input: {
    business_id: fields.businessId,
    part: fields.choice(partNames, "The part to verify."),
    after: fields.wholeOr(0, 0, balanceLimit, "The beginning of the slice: next from the previous response."),
    limit: Type.Optional(
      fields.whole(
        1,
        200_000,
        `How many members (${parts.accounts.limit} unless said), entries (${parts.entries.limit}), blocks or days at most.`,
        1000,
      ),
    ),
  },
  output: Type.Object({
    checked: Type.Object(
      {
        members: fields.count("Members.", 1000),
        accounts: fields.count("Accounts.", 4000),
        entries: fields.count("Entries.", 12_083),
        blocks: fields.count("Blocks of counts.", 0),
      },
      { description: "The numbers of records in the slice." },
    ),
    mismatch_count: fields.count("The number of mismatches in the slice.", 1),
    mismatches: Type.Array(mismatch, {
      maxItems: mostMismatches,
      description: `The first ${mostMismatches} mismatches.`,
    }),
    next: fields.nullable(
      fields.count("A place.", 101_000),
      "Send it as after to verify the next slice; null at the end.",
    ),
  }),
  async read({ sql, services, caller, input: { part, after = 0, limit = parts[part].limit } }) {
    const { verify } = parts[part];
    const slice = await inSlice(services.longRunning, (tx) => verify(tx, caller.businessId, after, limit));
    const { members, accounts, entries, blocks, mismatch_count, mismatches, next } = slice;
    services.ledgerVerified(mismatch_count);
    await recordVerification(sql, mismatch_count);
    return {
      checked: { members, accounts, entries, blocks },
      mismatch_count,
      mismatches: [...mismatches],
      next,
    };
  },
});
