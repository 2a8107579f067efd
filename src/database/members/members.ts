/** Creates, finds and changes single members. */
import type { Anonymous } from "../../domain/cards.ts";
import { searchTextOf } from "../../domain/text.ts";
import type { Connection } from "../connection.ts";
import { lockLedger } from "../ledger/ledger.ts";
import { firstRow, requiredRow } from "../rows.ts";
import { assignmentsOf, type ChangeOf, type Fragment, fragment, raw } from "../sql.ts";
import { countMembers, countNewMembers, type ListedMember } from "./list.ts";

export interface MemberRow extends ListedMember {
  readonly email: string | null;
  readonly external_ref: string | null;
  readonly active: boolean;
  readonly anonymous: Anonymous | null;
}

export interface NewMember {
  readonly first_name: string;
  readonly last_name: string;
  readonly phone_number: string;
  readonly email: string | null;
  readonly date_of_birth: string | null;
  readonly external_ref: string | null;
  readonly password_hash: string | null;
}

export const memberColumns = raw(
  "member_id, contact_id, first_name, last_name, phone_number, email, external_ref, active, anonymous",
);

/** A member that has been made, and whether an occasion gives something for joining. */
interface MadeMember extends MemberRow {
  readonly has_welcome: boolean;
}

const welcomes = (businessId: number) => fragment`
  SELECT FROM occasion WHERE business_id = ${businessId} AND kind = 'joined' AND status = 'active'`;

/**
 * Creates a member with its four empty accounts, in one round trip.
 * @throws a unique violation when the phone number, e-mail address or external reference is taken
 */
export async function insertMember(
  tx: Connection,
  businessId: number,
  member: NewMember,
): Promise<MadeMember> {
  // What is given for joining is recorded in the ledger, whose lock comes before that of the counts of members.
  const locked = tx`
    SELECT FROM ledger WHERE business_id = ${businessId} AND EXISTS (${welcomes(businessId)}) FOR UPDATE`;
  const inserted = tx<MadeMember[]>`
    INSERT INTO member (business_id, first_name, last_name, phone_number, email, date_of_birth, external_ref,
      password_hash, searchable_text, joined_at)
    VALUES (${businessId}, ${member.first_name}, ${member.last_name}, ${member.phone_number}, ${member.email},
      ${member.date_of_birth}, ${member.external_ref}, ${member.password_hash}, ${searchTextOf(member)},
      coalesce((SELECT clock_at FROM ledger WHERE business_id = ${businessId}), now()))
    RETURNING ${memberColumns}, EXISTS (${welcomes(businessId)}) AS has_welcome`;
  const accounts = tx`
    INSERT INTO account (business_id, contact_id, account)
    SELECT m.business_id, m.contact_id, each.account
    FROM member m CROSS JOIN unnest(enum_range(NULL::account_name)) AS each (account)
    WHERE m.business_id = ${businessId} AND m.phone_number = ${member.phone_number}`;
  const made = fragment`
    SELECT member_id FROM member WHERE business_id = ${businessId} AND phone_number = ${member.phone_number}`;
  const counted = countNewMembers(tx, businessId, made);
  const [[row]] = await Promise.all([inserted, locked, accounts, counted]);
  return row as MadeMember;
}

/** The fields that are unique in a business, in the order in which they are reported. */
const uniqueFields = ["phone_number", "email", "external_ref"] as const;

/** Returns the unique fields that another member already has. */
export async function findTakenFields(
  tx: Connection,
  businessId: number,
  wanted: { readonly [Field in (typeof uniqueFields)[number]]?: string | null | undefined },
  exceptContactId = 0,
): Promise<(typeof uniqueFields)[number][]> {
  const { phone_number = null, email = null, external_ref = null } = wanted;
  const taken = (matches: Fragment) => fragment`EXISTS (
    SELECT FROM member WHERE business_id = ${businessId} AND ${matches} AND contact_id <> ${exceptContactId})`;
  const found = await requiredRow(tx<Record<(typeof uniqueFields)[number], boolean>[]>`
    SELECT ${taken(fragment`phone_number = ${phone_number}`)} AS phone_number,
      ${taken(fragment`lower(email) = lower(${email})`)} AS email,
      ${taken(fragment`external_ref = ${external_ref}`)} AS external_ref`);
  return uniqueFields.filter((field) => found[field]);
}

/** Finds a member, or the one into which it was merged. */
export async function findMember(
  sql: Connection,
  businessId: number,
  contactId: number,
): Promise<MemberRow | undefined> {
  const found = await firstRow(sql<MemberRow[]>`
    SELECT ${memberColumns} FROM member WHERE business_id = ${businessId} AND contact_id = ${contactId}`);
  return found && follow(sql, businessId, found);
}

/** Members that were merged are inactive. So an active member costs no further look-up. */
async function follow(sql: Connection, businessId: number, found: MemberRow) {
  if (found.active) return found;
  const target = await findMergedInto(sql, businessId, found.contact_id);
  return target === undefined ? found : findMember(sql, businessId, target);
}

/** The contact_id of a member, or of the one into which it was merged. */
export const presentContact = (businessId: number, contactId: number) => fragment`(
  SELECT coalesce(merged_into, contact_id) FROM member WHERE business_id = ${businessId} AND contact_id = ${contactId}
)`;

/** The member into which one was merged. */
export async function findMergedInto(sql: Connection, businessId: number, contactId: number) {
  const row = await firstRow(sql<{ merged_into: number | null }[]>`
    SELECT merged_into FROM member WHERE business_id = ${businessId} AND contact_id = ${contactId}`);
  return row?.merged_into ?? undefined;
}

/** One field, which identifies a member of a business. */
export interface MemberKey {
  readonly contact_id?: number | undefined;
  readonly phone_number?: string | undefined;
  readonly email?: string | undefined;
  readonly external_ref?: string | undefined;
}

/** The condition that a row of `member` has a key. */
export function matchesKey({ contact_id, phone_number, email, external_ref }: MemberKey): Fragment {
  if (contact_id !== undefined) return fragment`contact_id = ${contact_id}`;
  if (phone_number !== undefined) return fragment`phone_number = ${phone_number}`;
  if (email !== undefined) return fragment`lower(email) = lower(${email})`;
  return fragment`external_ref = ${external_ref ?? null}`;
}

/** Finds a member that is not erased, and locks it to the end of the transaction. */
export function lockMember(tx: Connection, businessId: number, contactId: number) {
  return firstRow(tx<MemberRow[]>`
    SELECT ${memberColumns} FROM member WHERE business_id = ${businessId} AND contact_id = ${contactId} AND erased_at IS NULL
    FOR NO KEY UPDATE`);
}

/** Null clears the e-mail address, the date of birth, the external reference and the remarks. */
export type MemberChange = ChangeOf<Omit<NewMember, "password_hash"> & { remarks: string | null }>;

const names = ["first_name", "last_name"] as const;
const changeable = [...names, ...uniqueFields, "date_of_birth", "remarks"] as const;

/** Changes some fields. The caller holds the member's lock. */
export async function updateMember(
  tx: Connection,
  businessId: number,
  member: MemberRow,
  change: MemberChange,
): Promise<MemberRow> {
  const changed = {
    ...member,
    first_name: change.first_name ?? member.first_name,
    last_name: change.last_name ?? member.last_name,
    phone_number: change.phone_number ?? member.phone_number,
    email: change.email === undefined ? member.email : change.email,
    external_ref: change.external_ref === undefined ? member.external_ref : change.external_ref,
  };
  await tx`
    UPDATE member SET searchable_text = ${searchTextOf(changed)},
      ${assignmentsOf<MemberChange>(changeable, change)}
    WHERE business_id = ${businessId} AND contact_id = ${member.contact_id}`;
  return changed;
}

export function updatePasswordHash(tx: Connection, businessId: number, contactId: number, hash: string) {
  return tx`
    UPDATE member SET password_hash = ${hash}
    WHERE business_id = ${businessId} AND contact_id = ${contactId}`;
}

export interface StandingRow extends Pick<MemberRow, "member_id" | "contact_id" | "active"> {
  /** Null without a tier, or if it was deleted. */
  readonly tier_id: number | null;
}

/** Finds a member that is not erased, and locks it to the end of the transaction. */
export function lockStanding(tx: Connection, businessId: number, contactId: number) {
  return firstRow(tx<StandingRow[]>`
    SELECT m.member_id, m.contact_id, m.active, t.tier_id
    FROM member m
    LEFT JOIN tier_standing s ON s.business_id = ${businessId} AND s.contact_id = m.contact_id
    LEFT JOIN member_tier t ON t.business_id = ${businessId} AND t.tier_id = s.tier_id AND t.deleted_on IS NULL
    WHERE m.business_id = ${businessId} AND m.contact_id = ${contactId} AND m.erased_at IS NULL
    FOR NO KEY UPDATE OF m`);
}

/** Makes a member active or inactive, with its accounts. @returns its standing before; undefined when there is no member */
export async function setActive(tx: Connection, businessId: number, contactId: number, active: boolean) {
  // Postings check under the ledger's lock whether a member is active. The ledger is locked before the member.
  await lockLedger(tx, businessId);
  const before = await lockStanding(tx, businessId, contactId);
  if (before !== undefined && before.active !== active) await updateActive(tx, businessId, before, active);
  return before;
}

/** The caller holds the locks of the ledger and the member. */
async function updateActive(
  tx: Connection,
  businessId: number,
  { contact_id }: Pick<StandingRow, "contact_id">,
  active: boolean,
) {
  await tx`
    UPDATE member SET active = ${active}
    WHERE business_id = ${businessId} AND contact_id = ${contact_id}`;
  await tx`
    UPDATE account SET active = ${active} WHERE business_id = ${businessId} AND contact_id = ${contact_id}`;
  const person = fragment`
    SELECT member_id FROM member WHERE business_id = ${businessId} AND contact_id = ${contact_id} AND anonymous IS NULL`;
  await countMembers(tx, businessId, person, { members: 0, active: active ? 1 : -1 });
}

/** The members that were merged into one and are not erased. */
export async function listMergedInto(tx: Connection, businessId: number, contactId: number) {
  const rows = await tx<{ contact_id: number }[]>`
    SELECT contact_id FROM member WHERE business_id = ${businessId} AND merged_into = ${contactId} AND erased_at IS NULL
    ORDER BY business_id, merged_into, contact_id`;
  return rows.map(({ contact_id }) => contact_id);
}

interface MergingRow extends Pick<MemberRow, "member_id" | "contact_id" | "active" | "anonymous"> {
  readonly merged_into: number | null;
}

/** Finds two members that are not erased, and locks them to the end of the transaction. */
export function lockMerging(tx: Connection, businessId: number, contactIds: readonly number[]) {
  return tx<MergingRow[]>`
    SELECT member_id, contact_id, active, merged_into, anonymous FROM member
    WHERE business_id = ${businessId} AND contact_id = ANY (${contactIds}::bigint[]) AND erased_at IS NULL
    ORDER BY contact_id FOR NO KEY UPDATE`;
}

/**
 * Makes a member inactive, and sets the one into which it was merged: also for the members that were merged into it, so that
 * each is followed in one step. That one gets the remarks. The caller holds the locks of the ledger and of both members.
 */
export async function setMergedInto(
  tx: Connection,
  businessId: number,
  from: MergingRow,
  into: number,
): Promise<void> {
  await tx`
    UPDATE member SET remarks = concat_ws(E'\\n', member.remarks, other.remarks)
    FROM member AS other
    WHERE member.business_id = ${businessId} AND member.contact_id = ${into}
      AND other.business_id = ${businessId} AND other.contact_id = ${from.contact_id} AND other.remarks IS NOT NULL`;
  await tx`
    UPDATE member SET merged_into = ${into}, remarks = NULL
    WHERE business_id = ${businessId} AND (contact_id = ${from.contact_id} OR merged_into = ${from.contact_id})`;
  await updateActive(tx, businessId, from, false);
}
