import { searchTextOf } from "../../domain/text.ts";
import type { Connection } from "../connection.ts";
import { first, only } from "../rows.ts";
import { type ChangeOf, fragment, raw } from "../sql.ts";
import { countMembers } from "./blocks.ts";

export interface MemberRow {
  readonly member_id: number;
  readonly contact_id: number;
  readonly first_name: string;
  readonly last_name: string;
  readonly phone_number: string;
  readonly email: string | null;
  readonly active: boolean;
}

export interface NewMember {
  readonly first_name: string;
  readonly last_name: string;
  readonly phone_number: string;
  readonly email: string | null;
  readonly date_of_birth: string | null;
  readonly password_hash: string | null;
}

const columns = raw("member_id, contact_id, first_name, last_name, phone_number, email, active");

/**
 * Creates a member with its four empty accounts, in one round trip.
 * @throws a unique violation when the phone number or e-mail address is taken
 */
export async function insertMember(
  tx: Connection,
  businessId: number,
  member: NewMember,
): Promise<MemberRow> {
  const inserted = tx<MemberRow[]>`
    INSERT INTO member (business_id, first_name, last_name, phone_number, email, date_of_birth, password_hash,
      searchable_text, joined_at)
    VALUES (${businessId}, ${member.first_name}, ${member.last_name}, ${member.phone_number}, ${member.email},
      ${member.date_of_birth}, ${member.password_hash}, ${searchTextOf(member)},
      coalesce((SELECT clock_at FROM ledger WHERE business_id = ${businessId}), now()))
    RETURNING ${columns}`;
  const accounts = tx`
    INSERT INTO account (business_id, contact_id, account)
    SELECT m.business_id, m.contact_id, each.account
    FROM member m CROSS JOIN unnest(enum_range(NULL::account_name)) AS each (account)
    WHERE m.business_id = ${businessId} AND m.phone_number = ${member.phone_number}`;
  const made = fragment`
    SELECT member_id FROM member WHERE business_id = ${businessId} AND phone_number = ${member.phone_number}`;
  const counted = countMembers(tx, businessId, made, { members: 1, active: 1 });
  const [[row]] = await Promise.all([inserted, accounts, counted]);
  return row as MemberRow;
}

/** Which of a member's unique fields another member already has, the phone number first. */
export async function findTakenFields(
  tx: Connection,
  businessId: number,
  wanted: { phone_number?: string | undefined; email?: string | null | undefined },
  exceptContactId = 0,
): Promise<("phone_number" | "email")[]> {
  const { phone, email } = await only(tx<{ phone: boolean; email: boolean }[]>`
    SELECT
      EXISTS (SELECT FROM member WHERE business_id = ${businessId}
        AND phone_number = ${wanted.phone_number ?? null} AND contact_id <> ${exceptContactId}) AS phone,
      EXISTS (SELECT FROM member WHERE business_id = ${businessId}
        AND lower(email) = lower(${wanted.email ?? null}) AND contact_id <> ${exceptContactId}) AS email`);
  return [...(phone ? (["phone_number"] as const) : []), ...(email ? (["email"] as const) : [])];
}

export function findMember(sql: Connection, businessId: number, contactId: number) {
  return first(sql<MemberRow[]>`
    SELECT ${columns} FROM member WHERE business_id = ${businessId} AND contact_id = ${contactId}`);
}

/** What names one member of a business: exactly one of them. */
export interface MemberKey {
  readonly phone_number?: string | undefined;
  readonly email?: string | undefined;
  readonly external_ref?: string | undefined;
}

/** Finds the member who has a key. @returns undefined when there is none */
export function findMemberByKey(
  sql: Connection,
  businessId: number,
  { phone_number, email, external_ref }: MemberKey,
) {
  const matches =
    phone_number !== undefined
      ? fragment`phone_number = ${phone_number}`
      : email !== undefined
        ? fragment`lower(email) = lower(${email})`
        : fragment`external_ref = ${external_ref ?? null}`;
  return first(sql<MemberRow[]>`
    SELECT ${columns} FROM member WHERE business_id = ${businessId} AND ${matches}`);
}

/** Finds a member that is not erased, and locks it to the end of the transaction. */
export function lockMember(tx: Connection, businessId: number, contactId: number) {
  return first(tx<MemberRow[]>`
    SELECT ${columns} FROM member WHERE business_id = ${businessId} AND contact_id = ${contactId} AND erased_at IS NULL
    FOR NO KEY UPDATE`);
}

/** Null clears the e-mail address and the date of birth. */
export type MemberChange = ChangeOf<Omit<NewMember, "password_hash">>;

/** Changes the fields given; the others stay. The caller holds the member's lock. */
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
  };
  await tx`
    UPDATE member SET first_name = ${changed.first_name}, last_name = ${changed.last_name},
      phone_number = ${changed.phone_number}, email = ${changed.email},
      date_of_birth = CASE WHEN ${change.date_of_birth === undefined} THEN date_of_birth
        ELSE ${change.date_of_birth ?? null}::date END,
      searchable_text = ${searchTextOf(changed)}
    WHERE business_id = ${businessId} AND contact_id = ${member.contact_id}`;
  return changed;
}

export function updatePasswordHash(tx: Connection, businessId: number, contactId: number, hash: string) {
  return tx`
    UPDATE member SET password_hash = ${hash}
    WHERE business_id = ${businessId} AND contact_id = ${contactId}`;
}
