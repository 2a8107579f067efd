import { fields, readOperation, Type } from "../../../contract/declare.ts";
import { verifyEntryCounts, verifyMemberCounts } from "../../../database/verify/counts.ts";
import {
  inSlice,
  mostMismatches,
  verifyAccounts,
  verifyEntries,
  verifyPoints,
} from "../../../database/verify/ledger.ts";
import { balanceLimit } from "../../../domain/ledger.ts";
import { entryNo } from "../../transactions.ts";

/** The parts of the verification, and the usual size of their slices. */
const parts = {
  accounts: { verify: verifyAccounts, limit: 25_000 },
  points: { verify: verifyPoints, limit: 25_000 },
  entries: { verify: verifyEntries, limit: 50_000 },
  entry_counts: { verify: verifyEntryCounts, limit: 50 },
  member_counts: { verify: verifyMemberCounts, limit: 200 },
} as const;
const partNames = Object.keys(parts) as (keyof typeof parts)[];

const text = Type.String({ maxLength: 255 });

const mismatch = Type.Object({
  kind: Type.String({
    maxLength: 50,
    description:
      "balance: not the sum of the account's entries. balance_after: not the one before plus the amount. " +
      "account_of_entry: not the account of the event type. account_missing: the member lacks it. " +
      "account_without_member: nobody has it. " +
      "entries_without_account: no account for these entries. account_active: not as the member is. entry_no: a gap. " +
      "created_at: after the last recording. last_entry_no: the ledger's head is not its last entry. entry_count, " +
      "member_count, sale_count: not what is there. points_in_lots: more is left of lots than the balance holds. lot_use: a lot " +
      "was used less than sales and redemptions say. lot_due: not when its dates say. refunds: not what the sale says. " +
      "sale_entry: not in the ledger. block_sequence: the first block does not begin with the ledger. counted_through: not how many entries are counted.",
    examples: ["balance"],
  }),
  contact_id: fields.nullable(fields.contactId, "The member that it concerns, or null.", 100001),
  account: fields.nullable(text, "The account that it concerns, or null.", "wallet"),
  entry_no: fields.nullable(entryNo, "The entry that it concerns, or null.", 1042),
  place: fields.nullable(text, "Of a count: the block that it is kept for, or null.", null),
  expected: fields.nullable(
    text,
    "What the rest of the ledger says it must be, or null for nothing.",
    "1370",
  ),
  found: fields.nullable(text, "What is there, or null for nothing.", "1470"),
});

export const verifyLedger = readOperation({
  path: "/op/ledger/verify",
  summary: "Verify the ledger",
  description:
    "Recomputes the balances of a business from its ledger, a slice at a time: with part accounts every balance and " +
    "every balance_after, member by member; with part points the points by the sales that they come from; with part entries the sequence of entry numbers; with entry_counts and " +
    "member_counts the counts behind the lists. Ask again with after set to next until it is null. What belongs " +
    "together is read in one snapshot, so that writes beside it raise no false alarm.",
  message: "Ledger verified.",
  input: {
    business_id: fields.businessId,
    part: Type.Enum(partNames, { description: "What to verify.", examples: ["accounts"] }),
    after: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: balanceLimit,
        default: 0,
        description: "Where the slice begins: the next that the slice before answered.",
        examples: [0],
      }),
    ),
    limit: Type.Optional(
      fields.whole(
        1,
        200_000,
        `How many members (${parts.accounts.limit} unless said), entries (${parts.entries.limit}) or blocks at most.`,
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
      { description: "What the slice held." },
    ),
    mismatch_count: fields.count("How many mismatches the slice has.", 1),
    mismatches: Type.Array(mismatch, {
      maxItems: mostMismatches,
      description: `The first ${mostMismatches} of them.`,
    }),
    next: fields.nullable(
      fields.count("A place.", 101_000),
      "Send it as after to go on; null at the end.",
      101_000,
    ),
  }),
  async read({ services, caller, input: { part, after = 0, limit = parts[part].limit } }) {
    const { verify } = parts[part];
    const slice = await inSlice(services.longRunning, (tx) => verify(tx, caller.businessId, after, limit));
    const { members, accounts, entries, blocks, mismatch_count, mismatches, next } = slice;
    return {
      checked: { members, accounts, entries, blocks },
      mismatch_count,
      mismatches: [...mismatches],
      next,
    };
  },
});
