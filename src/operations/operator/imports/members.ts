import { type Static, Type } from "typebox";
import * as fields from "../../../contract/fields.ts";
import { writeOperation } from "../../../contract/operation.ts";
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
import { amountLimit } from "../../../domain/ledger.ts";
import { checkDateOfBirth } from "../../checks.ts";
import {
  dryRun,
  importBodyBytes,
  importResult,
  lineChecker,
  linesOf,
  type Rejection,
  rejection,
} from "../../import-lines.ts";
import * as operator from "../../operator-fields.ts";

const openingBalance = (description: string, example: number) =>
  Type.Integer({ minimum: 0, maximum: amountLimit, description, examples: [example] });

const member = Type.Object({
  first_name: fields.firstName,
  last_name: fields.lastName,
  phone_number: fields.phoneNumber,
  email: Type.Optional(fields.email),
  date_of_birth: Type.Optional(fields.dateOfBirth),
  external_ref: Type.Optional(operator.externalRef),
  joined_at: Type.Optional(operator.pastMoment("When the member joined; now unless said.")),
  wallet_balance: Type.Optional(openingBalance("Money in the wallet to begin with, in minor units.", 1250)),
  points_balance: Type.Optional(openingBalance("Reward points to begin with.", 120)),
});
const lines = linesOf(member);
type MemberLine = Static<typeof lines>[number];

const checkLines = lineChecker(member, () => []);

export const importMembers = writeOperation({
  path: "/op/imports/members",
  scope: "operator",
  status: 200,
  maximumBodyBytes: importBodyBytes,
  summary: "Import members",
  description:
    "Makes active members, with what they had in their wallets and points as opening entries of the ledger. The " +
    "lines of a request land together, without those that are refused and those imported before. Phone number, " +
    "e-mail address and external_ref are unique in the business.",
  message: "Members imported.",
  input: Type.Object({ business_id: fields.businessId, lines, dry_run: Type.Optional(dryRun) }),
  output: importResult,
  errors: [],
  async write({ input: { lines, dry_run = false }, tx, caller, services, audit }) {
    const { sound, repeated, rejected } = checkLines(lines);
    const found = await findTakenMembers(tx, caller, sound.map(toFind));
    const today = dayOf(services.clock(), caller.timeZone);
    const decided = decideMembers(sound, found, today);
    if (!dry_run && decided.members.length > 0) {
      await record(tx, caller.businessId, decided.members);
    }
    const result = {
      imported: decided.members.length,
      skipped: repeated + decided.skipped,
      rejected: [...rejected, ...decided.rejected].sort((a, b) => a.line - b.line),
    };
    audit({ before: null, after: { ...result, rejected: result.rejected.length, dry_run } });
    return result;
  },
});

/**
 * Records members, and what they had. New members are nobody's business yet: the ledger is locked for their opening
 * entries only, and their names are unique by the indexes. Another chunk that takes one of them meanwhile fails this
 * one, and it is done again from its look at what is taken.
 */
async function record(tx: Connection, businessId: number, members: readonly MemberToRecord[]): Promise<void> {
  const { memberIds, contactIds } = await recordMembers(tx, businessId, members);
  const openings: OpeningBalance[] = [];
  for (const [index, { wallet_balance, points_balance }] of members.entries()) {
    const contact_id = contactIds[index] as number;
    if (wallet_balance > 0) {
      openings.push({
        contact_id,
        account: "wallet",
        event_type: "wallet_adjustment",
        amount: wallet_balance,
      });
    }
    if (points_balance > 0) {
      const event_type = "reward_points_adjustment";
      openings.push({ contact_id, account: "points", event_type, amount: points_balance });
    }
  }
  if (openings.length > 0) {
    const head = await lockLedger(tx, businessId);
    if (head === undefined) throw new Error(`business ${businessId} has no ledger`);
    await recordOpeningBalances(tx, businessId, head, openings);
  }
  await countImportedMembers(tx, businessId, memberIds);
}

function toFind(line: MemberLine) {
  return {
    digest: line.digest,
    phone_number: line.phone_number,
    email: line.email ?? null,
    external_ref: line.external_ref ?? null,
    joined_at: line.joined_at ?? null,
    has_offset: line.joined_at !== undefined && hasOffset(line.joined_at),
  };
}

/** Decides line by line, in their order: of two lines with the same phone number the first has it. */
function decideMembers(sound: readonly MemberLine[], found: readonly FoundMember[], today: string) {
  const members: MemberToRecord[] = [];
  const rejected: Rejection[] = [];
  const taken = new Set<string>();
  let skipped = 0;
  for (const [index, line] of sound.entries()) {
    const known = found[index] as FoundMember;
    if (known.imported) {
      skipped += 1;
      continue;
    }
    const names = uniqueNames(line);
    const failures = failuresOf(line, known, names, taken, today);
    if (failures.length > 0) {
      rejected.push(...failures);
      continue;
    }
    for (const { name } of names) taken.add(name);
    members.push({
      digest: line.digest,
      first_name: line.first_name,
      last_name: line.last_name,
      phone_number: line.phone_number,
      email: line.email ?? null,
      date_of_birth: line.date_of_birth ?? null,
      external_ref: line.external_ref ?? null,
      joined_at: known.joined_at,
      wallet_balance: line.wallet_balance ?? 0,
      points_balance: line.points_balance ?? 0,
    });
  }
  return { members, skipped, rejected };
}

type UniqueField = "phone_number" | "email" | "external_ref";

/** What of a line no other member may have, each under a name of its own. */
function uniqueNames(line: MemberLine): { field: UniqueField; name: string }[] {
  const names: { field: UniqueField; name: string }[] = [
    { field: "phone_number", name: `phone_number ${line.phone_number}` },
  ];
  if (line.email !== undefined) names.push({ field: "email", name: `email ${line.email.toLowerCase()}` });
  if (line.external_ref !== undefined) {
    names.push({ field: "external_ref", name: `external_ref ${line.external_ref}` });
  }
  return names;
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
