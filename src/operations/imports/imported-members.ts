/** The members of an import: what identifies them, what is recorded about those imported before, and how they are recorded. */
import type { Static } from "../../contract/declare.ts";
import { type TierRow, tiers } from "../../database/catalog.ts";
import type { Connection, Share } from "../../database/connection.ts";
import {
  type FoundMember,
  findImportedMembers,
  findMembersToImport,
  type ImportedMember,
} from "../../database/imports/look-ups.ts";
import { completeMembers, type MemberToRecord, recordMembers } from "../../database/imports/recording.ts";
import { importCards } from "../../database/members/cards.ts";
import { addDays } from "../../domain/dates.ts";
import { mostMembersInEvent } from "../../domain/events.ts";
import type { Lot, TierStanding } from "../../domain/records.ts";
import { openLedger } from "../../pipeline/postings/open-ledger.ts";
import { checkOwnNumber } from "../members/cards.ts";
import { failuresOfPast } from "../members/members.ts";
import type { ChunkContext, ChunkOutcome, EarlierLine, EarlierLines, Kept } from "./chunks.ts";
import {
  candidateOf,
  type Decisions,
  decideLines,
  differing,
  digestOf,
  type Identity,
  type Known,
  recordsWith,
  referenceDigest,
} from "./imported-lines.ts";
import { failuresOfTier, importedStanding } from "./imported-tiers.ts";
import {
  type LineError,
  lineChecker,
  lineError,
  linesOf,
  memberFields,
  withStoredNumbers,
} from "./imports.ts";

export const memberLines = linesOf(memberFields);
type MemberLine = Static<typeof memberLines>[number];

const checkMemberFields = lineChecker(memberFields);

const checkMemberLine = (line: MemberLine) =>
  checkMemberFields(line, (has) => [
    ...(has("tier_until") && !has("tier")
      ? [lineError(line, "tier", "required", "is required with tier_until")]
      : []),
    ...checkOwnNumber("card_code", line.card_code).map((failure) => ({ line: line.line, ...failure })),
  ]);

type MemberContext = ChunkContext<{
  readonly lines: readonly MemberLine[];
  readonly dry_run?: boolean;
  readonly points_valid_through?: string;
}>;

/**
 * Decides about lines while a job records those before. Unique indexes reject what these take.
 * @returns undefined for lines with tiers, which may be deleted meanwhile
 */
export const prepareMemberLines = async (
  sql: Share,
  { caller, input }: Pick<MemberContext, "caller" | "input">,
) => (input.lines.some(hasTier) ? undefined : sql.begin((tx) => decideMembers({ tx, caller, input })));

/** @param context with what was prepared, if it was */
export async function recordMemberLines(
  context: MemberContext & { readonly prepared?: Awaited<ReturnType<typeof prepareMemberLines>> },
): Promise<ChunkOutcome> {
  const { input, tx, caller, prepared, emit } = context;
  const { dry_run = false, points_valid_through } = input;
  const { rows, ...outcome } = prepared ?? (await decideMembers(context));
  if (!dry_run && rows.length > 0) {
    const contactIds = await recordMembersWithBalances(tx, caller.businessId, rows, points_valid_through);
    for (let first = 0; first < contactIds.length; first += mostMembersInEvent) {
      const contact_ids = contactIds.slice(first, first + mostMembersInEvent);
      emit({ contact_ids, data: { contact_ids } });
    }
  }
  return outcome;
}

const hasTier = ({ tier }: MemberLine) => tier !== undefined;

/** Decides which lines are new members. Unique indexes reject what another transaction records meanwhile. */
async function decideMembers({
  tx,
  caller: of,
  input: { lines },
  earlier: waiting,
}: Omit<MemberContext, "emit">) {
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
  const earlier = await waiting;
  const records = recordsWith<KnownMember, ImportedMember>(recorded, digests, earlier, (kept) =>
    earlierMember(kept, earlier as EarlierLines),
  );
  const taken = new Map<string, number>();
  const decisions = memberDecisions({ records, tiers: named, taken, earlier });
  const { tried, ...decided } = decideLines(candidates, decisions, earlier !== undefined);
  const values =
    earlier === undefined ? [] : [...taken].map(([digest, line]) => ({ digest, line, values: [] }));
  return { ...decided, tried: [...tried, ...values] };
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
  if (external_ref !== undefined) {
    const digest = referenceDigest("members by external_ref", external_ref);
    return { digest, candidates: [digest], content };
  }
  if (bad) return undefined;
  const values =
    wallet_balance === 0 && points_balance === 0
      ? content
      : digestOf(content, wallet_balance, points_balance);
  const digest = digestOf("member", values, local_time);
  return { digest, candidates: [digest], content: null };
}

/** A member as it is recorded, or as an earlier line of the request makes it. */
type KnownMember = Known & Omit<ImportedMember, "digest">;

/** What a check keeps of a member: the balances and the person, as they are compared. */
const keptOfMember = (member: KnownMember): Kept[] => [
  ...balanceFields.map((field) => member[field]),
  ...personFields.map((field) => lowerCased(field, member[field]) ?? null),
];

/** A member of an earlier chunk of a check. */
function earlierMember({ line, values }: EarlierLine, earlier: EarlierLines): KnownMember {
  const [wallet_balance = null, points_balance = null, ...person] = values;
  return {
    ...nobody,
    ...{ line, wallet_balance, points_balance },
    has: (field, text) => person[personFields.indexOf(field as never)] === earlier.numberOf(text),
  };
}

const nobody = {
  ...{ first_name: "", last_name: "", phone_number: "", email: null, date_of_birth: null },
  ...{ erased: false, content: null },
};

interface MemberState {
  readonly records: Map<string, KnownMember>;
  readonly tiers: readonly TierRow[];
  /** The lines of unique values. */
  readonly taken: Map<string, number>;
  readonly earlier: EarlierLines | undefined;
}

/** Decisions about members. Of two lines with the same phone number, the first has it. */
function memberDecisions({
  records,
  tiers,
  taken,
  earlier,
}: MemberState): Decisions<MemberLine, FoundMember, KnownMember, NewMember> {
  const nameOf = (line: MemberLine, field: (typeof uniqueFields)[number]) =>
    `${field} ${lowerCased(field, line[field])}`;
  return {
    records,
    keptOf: keptOfMember,
    differencesOf: differencesOfMember,
    failuresOf(line, found) {
      const failures: LineError[] = [];
      for (const field of uniqueFields) {
        if (line[field] === undefined) continue;
        const name = nameOf(line, field);
        const before = found[`${field}_taken`] ? undefined : (taken.get(name) ?? earlier?.find(name)?.line);
        if (before === undefined && !found[`${field}_taken`]) continue;
        const problem = before === undefined ? "is another member's" : `is the same as in line ${before}`;
        failures.push(lineError(line, field, "member_already_exists", problem));
      }
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
      for (const field of uniqueFields)
        if (line[field] !== undefined) taken.set(nameOf(line, field), line.line);
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
    if (given === undefined) return [];
    const compared = lowerCased(field, given) as string;
    const isSame = known.has?.(field, compared) ?? compared === lowerCased(field, has);
    return isSame ? [] : differs(field, given, has ?? "none");
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
