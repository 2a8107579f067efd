import { type Static, Type } from "typebox";
import { fields, writeOperation } from "../../../contract/declare.ts";
import type { Services } from "../../../contract/operation.ts";
import type { Connection } from "../../../database/connection.ts";
import {
  countImportedMembers,
  type FoundMember,
  findMembersToImport,
  type MemberToRecord,
  recordMembers,
} from "../../../database/imports.ts";
import {
  decideLines,
  dryRun,
  importBodyBytes,
  importResult,
  lineChecker,
  linesOf,
  memberFields,
  rejection,
} from "../../imports.ts";
import { failuresOfBirthday } from "../../members.ts";
import { withPhoneNumber } from "../../phone-numbers.ts";

const lines = linesOf(memberFields);
type MemberLine = Static<typeof lines>[number];

const checkMemberFields = lineChecker(memberFields);

export const importMembers = writeOperation({
  path: "/op/imports/members",
  event: "members.imported",
  maximumBodyBytes: importBodyBytes,
  summary: "Import members",
  description:
    "Creates active members, with opening entries for their wallets and points. The valid lines of a request are " +
    "imported in one transaction. Lines that are already imported are skipped. Phone " +
    "number, e-mail address and external_ref are unique in the business. A line whose external_ref was imported with " +
    "another wallet_balance or points_balance is rejected.",
  message: "Members imported.",
  input: { business_id: fields.businessId, lines, dry_run: Type.Optional(dryRun) },
  output: importResult,
  async write({ input: { lines, dry_run = false }, tx, caller, services, audit }) {
    const checked = lines.map((line) => checkMemberFields(withPhoneNumber(line, caller.country)));
    const found = await findMembersToImport(
      tx,
      caller,
      checked.map(({ line }) => line),
    );
    const { rows, skipped, rejected } = decideLines(checked, found, {
      reference: "external_ref",
      amounts: ["wallet_balance", "points_balance"],
      ...memberDecisions(),
    });
    const isRecorded = !dry_run && rows.length > 0;
    if (isRecorded) await recordMembersWithBalances(tx, services, caller.businessId, rows);
    const result = { imported: rows.length, skipped, rejected };
    audit({ before: null, after: isRecorded ? { ...result, rejected: rejected.length } : null });
    return result;
  },
});

const uniqueFields = ["phone_number", "email", "external_ref"] as const;

/** Decisions about members. Of two lines with the same phone number, the first has it. */
function memberDecisions() {
  const taken = new Set<string>();
  const nameOf = (line: MemberLine, field: (typeof uniqueFields)[number]) =>
    `${field} ${field === "email" ? line.email?.toLowerCase() : line[field]}`;
  return {
    failuresOf(line: MemberLine, found: FoundMember) {
      const failures = uniqueFields
        .filter((field) => line[field] !== undefined)
        .filter((field) => found[`${field}_taken`] || taken.has(nameOf(line, field)))
        .map((field) => rejection(line, field, "member_already_exists", "is another member's"));
      if (found.future) {
        failures.push(rejection(line, "joined_at", "out_of_range", "must not be in the future"));
      }
      const ofBirth =
        line.date_of_birth === undefined ? [] : failuresOfBirthday(line.date_of_birth, found.today);
      return [...failures, ...ofBirth.map((failure) => ({ line: line.line, ...failure }))];
    },
    accept(line: MemberLine, { joined_at }: FoundMember) {
      for (const field of uniqueFields) if (line[field] !== undefined) taken.add(nameOf(line, field));
      const absent = { email: null, date_of_birth: null, external_ref: null };
      return { ...absent, wallet_balance: 0, points_balance: 0, ...line, joined_at };
    },
  };
}

/** Entries that open the accounts of a member, by the field with the balance. */
const openings = [
  { field: "wallet_balance", event_type: "wallet_adjustment" },
  { field: "points_balance", event_type: "reward_points_adjustment" },
] as const;
const openedAccounts = ["wallet", "points"] as const;

interface NewMember extends MemberToRecord, Record<(typeof openings)[number]["field"], number> {
  readonly digest: string;
}

/**
 * Records members with their lines and opening balances. The ledger is locked only for the opening entries, because no other
 * transaction changes new members. If another transaction takes one of their unique values meanwhile, this one fails and is run
 * again.
 */
async function recordMembersWithBalances(
  tx: Connection,
  services: Services,
  business_id: number,
  members: readonly NewMember[],
): Promise<void> {
  const lines = members.map(({ digest, external_ref, wallet_balance, points_balance }) => {
    const [amount, points] = external_ref === null ? [null, null] : [wallet_balance, points_balance];
    return { business_id, digest, amount, points };
  });
  const ids = await recordMembers(tx, business_id, members, lines);
  const opened = ids.flatMap(({ contact_id }, index) => {
    const member = members[index] as NewMember;
    return openings
      .filter(({ field }) => member[field] > 0)
      .map(({ field, event_type }) => ({ contact_id, event_type, amount: member[field] }));
  });
  if (opened.length > 0) {
    const contactIds = opened.map(({ contact_id }) => contact_id);
    const ledger = await services.members.openLedger(tx, business_id, contactIds, {
      balances: openedAccounts,
    });
    for (const { contact_id, event_type, amount } of opened) {
      const entry = { event_type, amount, reference_id: "opening-balance" };
      ledger.post(contact_id, () => ({ entries: [entry], data: {} }));
    }
    await ledger.record();
  }
  const memberIds = ids.map(({ member_id }) => member_id);
  await countImportedMembers(tx, business_id, memberIds);
}
