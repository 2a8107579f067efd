import { type Static, Type } from "typebox";
import { fields, writeOperation } from "../../../contract/declare.ts";
import type { Connection } from "../../../database/connection.ts";
import {
  countImportedMembers,
  type FoundMember,
  findTakenMembers,
  type MemberToRecord,
  type OpeningBalance,
  recordMembers,
  recordOpeningBalances,
} from "../../../database/imports/members.ts";
import { lockLedger } from "../../../database/ledger/ledger.ts";
import { dayOf, hasOffset } from "../../../domain/dates.ts";
import {
  amountDiffers,
  type CheckedLine,
  dryRun,
  importBodyBytes,
  importResult,
  lineChecker,
  linesOf,
  memberFields,
  type Rejection,
  rejection,
} from "../../imports.ts";
import { checkDateOfBirth } from "../../members.ts";

const lines = linesOf(memberFields);
type MemberLine = Static<typeof lines>[number];

const checkLine = lineChecker(memberFields, () => []);

export const importMembers = writeOperation({
  path: "/op/imports/members",
  event: "members.imported",
  maximumBodyBytes: importBodyBytes,
  summary: "Import members",
  description:
    "Makes active members, with what they had in their wallets and points as opening entries of the ledger. The " +
    "lines of a request are imported together, without rejected lines and lines that are already imported. Phone " +
    "number, e-mail address and external_ref are unique in the business. A line whose external_ref was imported with " +
    "another wallet_balance or points_balance is rejected.",
  message: "Members imported.",
  input: { business_id: fields.businessId, lines, dry_run: Type.Optional(dryRun) },
  output: importResult,
  async write({ input: { lines, dry_run = false }, tx, caller, services, audit }) {
    const checked = lines.map(checkLine);
    const lookups = checked.map(({ line }) => toFind(line));
    const found = await findTakenMembers(tx, caller, lookups);
    const today = dayOf(services.clock(), caller.timeZone);
    const { members, skipped, rejected } = decideMembers(checked, found, today);
    if (!dry_run && members.length > 0) await record(tx, caller.businessId, members);
    const result = { imported: members.length, skipped, rejected };
    const changed = !dry_run && result.imported > 0;
    audit({ before: null, after: changed ? { ...result, rejected: rejected.length } : null });
    return result;
  },
});

/**
 * Records members and their opening balances. The ledger is locked for the opening entries only, because nobody else
 * changes new members. Indexes keep their phone numbers, e-mail addresses and references unique. If another chunk takes
 * one of them meanwhile, this transaction fails and is run again.
 */
async function record(tx: Connection, businessId: number, members: readonly MemberToRecord[]): Promise<void> {
  const { memberIds, contactIds } = await recordMembers(tx, businessId, members);
  const openings = members.flatMap((member, index): OpeningBalance[] => {
    const contact_id = contactIds[index] as number;
    const { wallet_balance, points_balance } = member;
    return [
      { contact_id, account: "wallet", event_type: "wallet_adjustment", amount: wallet_balance },
      { contact_id, account: "points", event_type: "reward_points_adjustment", amount: points_balance },
    ];
  });
  const held = openings.filter(({ amount }) => amount > 0);
  if (held.length > 0) {
    const head = await lockLedger(tx, businessId);
    if (head === undefined) throw new Error(`business ${businessId} has no ledger`);
    await recordOpeningBalances(tx, businessId, head, held);
  }
  await countImportedMembers(tx, businessId, memberIds);
}

/** The fields that are wrong are missing from the line. */
function toFind(line: Partial<MemberLine> & Pick<MemberLine, "digest">) {
  const absent = { phone_number: null, email: null, external_ref: null, joined_at: null };
  return { ...absent, ...line, has_offset: line.joined_at !== undefined && hasOffset(line.joined_at) };
}

/** Decides the lines in their order: of two lines with the same phone number, the first has it. */
function decideMembers(
  checked: readonly CheckedLine<MemberLine>[],
  found: readonly FoundMember[],
  today: string,
) {
  const members: MemberToRecord[] = [];
  const rejected: Rejection[] = [];
  const taken = new Set<string>();
  /** The members by digest: a digest may come twice. */
  const decided = new Map<string, MemberToRecord>();
  let skipped = 0;
  for (const [index, { line, bad, rejections }] of checked.entries()) {
    const known = found[index] as FoundMember;
    const earlier = decided.get(line.digest);
    const isKnown = known.imported || earlier !== undefined;
    const names = uniqueNames(line);
    const more = isKnown
      ? differences(line, earlier?.wallet_balance ?? known.wallet, earlier?.points_balance ?? known.points)
      : failuresOf(line, known, names, taken, today);
    if (bad || more.length > 0) rejected.push(...rejections, ...more);
    else if (isKnown) skipped += 1;
    else {
      for (const { name } of names) taken.add(name);
      const member = memberOf(line, known);
      members.push(member);
      decided.set(line.digest, member);
    }
  }
  return { members, skipped, rejected: rejected.sort((a, b) => a.line - b.line) };
}

function memberOf(line: MemberLine, { joined_at }: FoundMember): MemberToRecord {
  const absent = {
    email: null,
    date_of_birth: null,
    external_ref: null,
    wallet_balance: 0,
    points_balance: 0,
  };
  return { ...absent, ...line, joined_at };
}

/**
 * Compares the opening balances of a line with those that were imported under its external_ref. The other fields are
 * not compared: members change them later.
 */
function differences(line: MemberLine, wallet: number | null, points: number | null): Rejection[] {
  if (line.external_ref === undefined) return [];
  const pairs = [
    ["wallet_balance", wallet],
    ["points_balance", points],
  ] as const;
  return pairs.flatMap(([field, imported]) => {
    const given = line[field];
    if (given === undefined || imported === null || given === imported) return [];
    return [amountDiffers(line, field, `external_ref ${line.external_ref}`, { given, imported })];
  });
}

const uniqueFields = ["phone_number", "email", "external_ref"] as const;
type UniqueField = (typeof uniqueFields)[number];

/** The values of a line that no other member may have. Each name holds its field and its value. */
function uniqueNames(line: Partial<MemberLine>): { field: UniqueField; name: string }[] {
  return uniqueFields.flatMap((field) => {
    const value = field === "email" ? line.email?.toLowerCase() : line[field];
    return value === undefined ? [] : [{ field, name: `${field} ${value}` }];
  });
}

function failuresOf(
  line: MemberLine,
  known: FoundMember,
  names: readonly { field: UniqueField; name: string }[],
  taken: ReadonlySet<string>,
  today: string,
): Rejection[] {
  const elsewhere: Record<UniqueField, boolean> = {
    phone_number: known.phone_taken,
    email: known.email_taken,
    external_ref: known.external_ref_taken,
  };
  const failures = names
    .filter(({ field, name }) => elsewhere[field] || taken.has(name))
    .map(({ field }) => rejection(line, field, "member_already_exists", "is another member's"));
  if (known.future) failures.push(rejection(line, "joined_at", "out_of_range", "must not be in the future"));
  for (const failure of checkDateOfBirth(line.date_of_birth, () => today)) {
    failures.push({ line: line.line, ...failure });
  }
  return failures;
}
