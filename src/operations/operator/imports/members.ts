import { fieldError, fields, type Static, Type, writeOperation } from "../../../contract/declare.ts";
import { findToday } from "../../../database/access/businesses.ts";
import { type TierRow, tiers } from "../../../database/catalog.ts";
import type { Connection } from "../../../database/connection.ts";
import {
  type FoundMember,
  findImportedMembers,
  findMembersToImport,
  type ImportedMember,
} from "../../../database/imports/look-ups.ts";
import { completeMembers, type MemberToRecord, recordMembers } from "../../../database/imports/recording.ts";
import { importCards } from "../../../database/members/cards.ts";
import type { BusinessTime } from "../../../database/rows.ts";
import { addDays, lastDay } from "../../../domain/dates.ts";
import { mostMembersInEvent } from "../../../domain/events.ts";
import { importBodyBytes } from "../../../domain/imports/limits.ts";
import type { Lot, TierStanding } from "../../../domain/records.ts";
import { openLedger } from "../../../pipeline/postings/open-ledger.ts";
import {
  candidateOf,
  type Decisions,
  decideLines,
  differing,
  digestOf,
  type Identity,
  type Known,
  referenceDigest,
} from "../../imports/imported-lines.ts";
import { failuresOfTier, importedStanding } from "../../imports/imported-tiers.ts";
import {
  importResult,
  type LineError,
  lineChecker,
  lineError,
  linesOf,
  memberFields,
  trialFields,
  withStoredNumbers,
} from "../../imports/imports.ts";
import { checkOwnNumber } from "../../members/cards.ts";
import { failuresOfPast } from "../../members/members.ts";

const lines = linesOf(memberFields);
type MemberLine = Static<typeof lines>[number];

const checkMemberFields = lineChecker(memberFields);

const checkMemberLine = (line: MemberLine) =>
  checkMemberFields(line, (has) => [
    ...(has("tier_until") && !has("tier")
      ? [lineError(line, "tier", "required", "is required with tier_until")]
      : []),
    ...checkOwnNumber("card_code", line.card_code).map((failure) => ({ line: line.line, ...failure })),
  ]);

export const importMembers = writeOperation({
  path: "/op/imports/members",
  role: "manager",
  event: "members.imported",
  emits: "members.imported",
  maximumBodyBytes: importBodyBytes,
  summary: "Import members",
  message: "Members imported.",
  description:
    "Creates active members, with opening entries for their wallets and points. The valid lines of a request are " +
    "imported in one transaction. A member of another system keeps its tier until tier_until; from then on, its sales decide. " +
    "A line is identified by its external_ref, or else by its values. A line that is " +
    "already imported is skipped. A line whose external_ref was imported is rejected if it is another person or has " +
    "another wallet_balance or points_balance, and if the member was erased. Phone number, e-mail address, external_ref and " +
    "card_code are unique in the business.",
  input: {
    business_id: fields.businessId,
    lines,
    ...trialFields,
    points_valid_through: Type.Optional(
      fields.day("The last day on which the opening points can be spent. By default, they don't expire."),
    ),
  },
  output: importResult,
  errors: ["validation_failed"],
  async check({ points_valid_through: day }, { services, businessId }) {
    if (day === undefined) return [];
    const today = (await findToday(services.lookUps, businessId)) ?? day;
    if (day >= today && day < lastDay) return [];
    const problem = day < today ? "must not be in the past" : `must be before ${lastDay}`;
    return [fieldError("points_valid_through", "out_of_range", problem)];
  },
  // A job decides about lines while it records those before. A request does so in its transaction, and so do lines with tiers, which may be
  // deleted meanwhile.
  prepare: async ({ sql, caller, input }) =>
    input.lines.some(hasTier) ? undefined : sql.begin((tx) => decideMembers(tx, caller, input)),
  needsPreparation: () => false,
  async write({ input, tx, caller, prepared, audit, emit }) {
    const { dry_run = false, points_valid_through } = input;
    const { rows, skipped, rejected, identities } = prepared ?? (await decideMembers(tx, caller, input));
    const isRecorded = !dry_run && rows.length > 0;
    if (isRecorded) {
      const contactIds = await recordMembersWithBalances(tx, caller.businessId, rows, points_valid_through);
      for (let first = 0; first < contactIds.length; first += mostMembersInEvent) {
        const contact_ids = contactIds.slice(first, first + mostMembersInEvent);
        emit({ contact_ids, data: { contact_ids } });
      }
    }
    const result = { imported: rows.length, skipped, rejected };
    audit({ before: null, after: isRecorded ? { ...result, rejected: rejected.length } : null });
    return { ...result, ...(dry_run && { identities }) };
  },
});

interface Request {
  readonly lines: readonly MemberLine[];
  readonly dry_run?: boolean;
}

const hasTier = ({ tier }: MemberLine) => tier !== undefined;

/** Decides which lines are new members. Unique indexes reject what another transaction records meanwhile. */
async function decideMembers(
  tx: Connection,
  of: BusinessTime & { readonly country: string | null },
  { lines, dry_run = false }: Request,
) {
  const checked = lines.map((line) => checkMemberLine(withStoredNumbers(line, of.country)));
  const found = await findMembersToImport(
    tx,
    of,
    checked.map(({ line }) => line),
  );
  const candidates = checked.map((one, index) => {
    const ofLine = found[index] as FoundMember;
    return candidateOf(one, ofLine, identityOf(one.line, one.bad, ofLine));
  });
  const digests = candidates.flatMap(({ identity }) => identity?.digest ?? []);
  const recorded = await findImportedMembers(tx, of, digests);
  const named = lines.some(hasTier) ? await tiers.all(tx, of.businessId) : [];
  return decideLines(candidates, memberDecisions(recorded, named, dry_run));
}

const personFields = ["first_name", "last_name", "phone_number", "email", "date_of_birth"] as const;
const balanceFields = ["wallet_balance", "points_balance"] as const;
const uniqueFields = ["phone_number", "email", "external_ref", "card_code"] as const;

type Person = { readonly [Field in (typeof personFields)[number]]?: string | null | undefined };

/** The same for addresses that differ in case. */
const lowerCased = (field: string, value: string | null | undefined) =>
  field === "email" ? value?.toLowerCase() : value;

const personDigest = (line: Person) =>
  digestOf(...personFields.map((field) => lowerCased(field, line[field])));

function identityOf(line: MemberLine, bad: boolean, { local_time }: FoundMember): Identity | undefined {
  const { external_ref } = line;
  const { wallet_balance = 0, points_balance = 0 } = line;
  const content = personDigest(line);
  const values = () =>
    wallet_balance === 0 && points_balance === 0
      ? content
      : digestOf(content, wallet_balance, points_balance);
  if (external_ref !== undefined) {
    const digest = referenceDigest("members by external_ref", external_ref);
    return { digest, candidates: [digest], values, content };
  }
  if (bad) return undefined;
  const digest = digestOf("member", values(), local_time);
  return { digest, candidates: [digest], values, content: null };
}

/** A member as it is recorded, or as an earlier line of the request makes it. */
type KnownMember = Known & Omit<ImportedMember, "digest">;

/** Decisions about members. Of two lines with the same phone number, the first has it. */
function memberDecisions(
  recorded: readonly ImportedMember[],
  tiers: readonly TierRow[],
  isTrial: boolean,
): Decisions<MemberLine, FoundMember, KnownMember, NewMember> {
  const taken = new Set<string>();
  const nameOf = (line: MemberLine, field: (typeof uniqueFields)[number]) =>
    `${field} ${lowerCased(field, line[field])}`;
  return {
    isTrial,
    records: new Map(recorded.map((one) => [one.digest, one])),
    differencesOf: differencesOfMember,
    failuresOf(line, found) {
      const failures: LineError[] = [];
      for (const field of uniqueFields)
        if (line[field] !== undefined && (found[`${field}_taken`] || taken.has(nameOf(line, field))))
          failures.push(lineError(line, field, "member_already_exists", "is another member's"));
      const { joined_at, date_of_birth } = line;
      const ofPast = [
        ...(joined_at === undefined ? [] : failuresOfPast("joined_at", joined_at, found.future)),
        ...(date_of_birth === undefined
          ? []
          : failuresOfPast("date_of_birth", date_of_birth, date_of_birth > found.today)),
      ];
      failures.push(...ofPast.map((failure) => ({ line: line.line, ...failure })));
      failures.push(...failuresOfTier(line, tiers, found.today));
      return failures;
    },
    accept(line, { joined_at, today }, { digest, content }) {
      for (const field of uniqueFields) if (line[field] !== undefined) taken.add(nameOf(line, field));
      const standing = importedStanding(line, tiers, today);
      // With a spread, this would take 5 µs.
      return {
        line: line.line,
        first_name: line.first_name,
        last_name: line.last_name,
        phone_number: line.phone_number,
        email: line.email ?? null,
        date_of_birth: line.date_of_birth ?? null,
        external_ref: line.external_ref ?? null,
        card_code: line.card_code,
        wallet_balance: line.wallet_balance ?? 0,
        points_balance: line.points_balance ?? 0,
        joined_at,
        standing,
        digest,
        content,
        erased: false,
      };
    },
    recordOf: (_line, _found, _identity, member) => member,
  };
}

/** What differs between a line and the member with its external_ref: another balance, or another person. */
function differencesOfMember(
  line: MemberLine,
  _found: FoundMember,
  known: KnownMember,
  { content }: Identity,
): LineError[] {
  const { external_ref } = line;
  if (known.erased) return [lineError(line, "", "member_erased", "is of a member who was erased")];
  if (external_ref === undefined) return [];
  const differs = differing(line, `external_ref ${external_ref}`, known);
  const ofBalances = balanceFields.flatMap((field) => {
    const [given, imported] = [line[field], known[field]];
    if (given === undefined || imported === null || given === imported) return [];
    return differs(field, given, imported, true);
  });
  if (known.content === content) return ofBalances;
  const ofPerson = personFields.flatMap((field) => {
    const [given, has = null] = [line[field], known[field]];
    if (given === undefined || lowerCased(field, given) === lowerCased(field, has)) return [];
    return differs(field, given, has ?? "none");
  });
  return [...ofBalances, ...ofPerson];
}

/** Entries that open the accounts of a member, by the field with the balance. */
const openings = [
  { field: "wallet_balance", event_type: "wallet_adjustment" },
  { field: "points_balance", event_type: "reward_points_adjustment" },
] as const;
const openedAccounts = ["wallet", "points"] as const;

interface NewMember extends MemberToRecord, Record<(typeof openings)[number]["field"], number> {
  readonly line: number;
  readonly digest: string;
  /** Of the person, in a line with a reference. */
  readonly content: string | null;
  readonly erased: false;
  readonly standing: TierStanding | undefined;
  readonly card_code: string | undefined;
}

const reference_id = "opening-balance";

/** Opening points that expire. They are a lot without a sale. */
function openingLot(lot_id: number, points: number, today: string, validThrough: string): Lot {
  return {
    lot_id,
    reference_id,
    location_id: null,
    occasion_id: null,
    earned_on: today,
    matures_on: today,
    expires_on: addDays(validThrough, 1),
    matured: true,
    points,
    clawed: 0,
    used: 0,
    expired: 0,
    lapsed: 0,
  };
}

/**
 * Records members with their lines, opening balances and tiers. The ledger is locked only for these, because no other
 * transaction changes new members. If another transaction takes one of their unique values meanwhile, this one fails and is run
 * again.
 */
async function recordMembersWithBalances(
  tx: Connection,
  business_id: number,
  members: readonly NewMember[],
  validThrough: string | undefined,
): Promise<number[]> {
  const ids = await recordMembers(tx, business_id, members, ({ contact_id }, index) => {
    const { digest, content, wallet_balance, points_balance } = members[index] as NewMember;
    const isReferred = content !== null;
    const [amount, points] = isReferred ? [wallet_balance, points_balance] : [null, null];
    return { business_id, digest, contact_id, content, amount, points };
  });
  const cards = ids.flatMap(({ contact_id }, index) => {
    const { card_code, joined_at } = members[index] as NewMember;
    return card_code === undefined ? [] : { card_code, contact_id, created_at: joined_at };
  });
  if (cards.length > 0) await importCards(tx, business_id, cards);
  const opened = ids.flatMap(({ contact_id }, index) => {
    const member = members[index] as NewMember;
    const { standing } = member;
    const entries = openings.filter(({ field }) => member[field] > 0);
    if (entries.length === 0 && standing === undefined) return [];
    return { contact_id, standing, amounts: entries.map((one) => ({ ...one, amount: member[one.field] })) };
  });
  if (opened.length > 0) {
    const contactIds = opened.map(({ contact_id }) => contact_id);
    const ledger = await openLedger(tx, business_id, contactIds, { balances: openedAccounts }, "record_new");
    for (const { contact_id, standing, amounts } of opened) {
      for (const { event_type, amount } of amounts) {
        const entries = [{ event_type, amount }];
        const expires = event_type === "reward_points_adjustment" ? validThrough : undefined;
        ledger.post(contact_id, ({ entryNo }) => {
          const lot = expires === undefined ? [] : [openingLot(entryNo, amount, ledger.today, expires)];
          return { entries, reference_id, changes: { lot }, data: {} };
        });
      }
      if (standing !== undefined)
        ledger.post(contact_id, () => ({
          entries: [],
          reference_id,
          changes: { tier_standing: [standing] },
          data: {},
        }));
    }
    await ledger.record();
  }
  await completeMembers(tx, business_id, ids);
  return ids.map(({ contact_id }) => contact_id);
}
