/** The cards of members. */
import type { Anonymous, CardKind, CardStatus } from "../../domain/cards.ts";
import type { Page, PageRequest } from "../../domain/pagination.ts";
import type { Connection } from "../connection.ts";
import { todayOf } from "../engine/due.ts";
import {
  type BusinessTime,
  firstInstant,
  firstRow,
  inTurn,
  type ListSource,
  newestFirst,
  readPage,
  requiredRow,
  wallClock,
} from "../rows.ts";
import { fragment, list, raw, tableOf } from "../sql.ts";
import { numberOfNobody } from "../tables.ts";
import { lockMember } from "./members.ts";

export interface CardRow {
  readonly card_id: number;
  readonly card_code: string;
  readonly contact_id: number;
  readonly kind: CardKind;
  readonly status: CardStatus;
  /** Wall-clock time of the business, YYYY-MM-DD HH:MM:SS. */
  readonly created_at: string;
}

const columnsOf = ({ timeZone }: BusinessTime) =>
  fragment`card_id, card_code, contact_id, kind, status, ${wallClock("created_at", timeZone)} AS created_at`;

/** @param code in the form in which codes are compared */
export function findCard(sql: Connection, of: BusinessTime, code: string) {
  return firstRow(sql<CardRow[]>`
    SELECT ${columnsOf(of)} FROM card WHERE business_id = ${of.businessId} AND card_code = ${code}`);
}

/**
 * Finds a card, and locks its member and then the card to the end of the transaction, as a merge does.
 * @param code in the form in which codes are compared
 */
export async function lockCard(tx: Connection, of: BusinessTime, code: string) {
  for (;;) {
    const found = await findCard(tx, of, code);
    if (found === undefined) return undefined;
    const member = await lockMember(tx, of.businessId, found.contact_id);
    const card = await firstRow(tx<CardRow[]>`
      SELECT ${columnsOf(of)} FROM card WHERE business_id = ${of.businessId} AND card_code = ${code} FOR UPDATE`);
    if (card === undefined || member === undefined) return undefined;
    // Otherwise a merge has moved the card meanwhile.
    if (card.contact_id === found.contact_id) return card;
  }
}

export type NewCard = Pick<CardRow, "card_code" | "contact_id" | "kind">;

/** Makes a card. The caller holds the member's lock. @returns undefined when another card has the code */
export function insertCard(tx: Connection, of: BusinessTime, { card_code, contact_id, kind }: NewCard) {
  return firstRow(tx<CardRow[]>`
    INSERT INTO card (business_id, card_code, contact_id, kind, created_at)
    VALUES (${of.businessId}, ${card_code}, ${contact_id}, ${kind},
      coalesce((SELECT clock_at FROM ledger WHERE business_id = ${of.businessId}), now()))
    ON CONFLICT (business_id, card_code) DO NOTHING
    RETURNING ${columnsOf(of)}`);
}

/**
 * Makes the cards of imported members.
 * @throws unique_violation when another card has got one of the numbers since they were looked up
 */
export function importCards(
  tx: Connection,
  businessId: number,
  cards: readonly { readonly card_code: string; readonly contact_id: number; readonly created_at: string }[],
) {
  return tx`
    INSERT INTO card (business_id, card_code, contact_id, kind, created_at)
    SELECT ${businessId}, card_code, contact_id, 'plastic', created_at
    FROM ${tableOf("made", cards, "card_code text, contact_id bigint, created_at timestamptz")} ORDER BY nth`;
}

/**
 * Makes an anonymous member with its four empty accounts.
 * @param lapsesOn the first day on which its money can no longer be used; null: it does not lapse
 * @returns its contact_id
 */
export async function insertAnonymousMember(
  tx: Connection,
  businessId: number,
  anonymous: Anonymous = "card",
  lapsesOn: string | null = null,
): Promise<number> {
  const { contact_id } = await requiredRow(tx<{ contact_id: number }[]>`
    WITH made AS (
      INSERT INTO member (business_id, contact_id, first_name, last_name, phone_number, searchable_text, joined_at, anonymous)
      SELECT ${businessId}, contact_id, ${anonymous === "gift" ? "Gift" : "Anonymous"}, 'Card', ${raw(numberOfNobody)}, '', coalesce(clock_at, now()), ${anonymous}
      FROM ledger, nextval(pg_get_serial_sequence('member', 'contact_id')) AS contact_id
      WHERE business_id = ${businessId}
      RETURNING contact_id, anonymous
    ), accounts AS (
      INSERT INTO account (business_id, contact_id, account, anonymous, lapses_on)
      SELECT ${businessId}, contact_id, each.account, anonymous,
        CASE WHEN each.account = 'wallet' THEN ${lapsesOn}::date END
      FROM made CROSS JOIN unnest(enum_range(NULL::account_name)) AS each (account)
    )
    SELECT contact_id FROM made`);
  return contact_id;
}

/** Whether a member has or had a card. */
export async function hasCard(sql: Connection, businessId: number, contactId: number) {
  const [row] = await sql`
    SELECT FROM card WHERE business_id = ${businessId} AND contact_id = ${contactId} LIMIT 1`;
  return row !== undefined;
}

/** The caller holds the card's lock. */
export function updateCardStatus(tx: Connection, businessId: number, cardId: number, status: CardStatus) {
  return tx`
    UPDATE card SET status = ${status} WHERE business_id = ${businessId} AND card_id = ${cardId}`;
}

/** A page of the cards of a member, newest first. */
export function listCards(
  source: Pick<ListSource, "sql" | "scans">,
  of: BusinessTime,
  contactId: number,
  page: PageRequest,
): Promise<Page<CardRow>> {
  const from = fragment`FROM card WHERE business_id = ${of.businessId} AND contact_id = ${contactId}`;
  const list = { columns: columnsOf(of), from, sort: newestFirst("card_id") };
  return inTurn(source, of.businessId, from, () => readPage<CardRow>(source.sql, list, page));
}

export interface CardFilter {
  /** In the form in which codes are compared. */
  readonly code?: string | undefined;
  readonly kind?: CardKind | undefined;
  readonly status?: CardStatus | undefined;
  /** The first day of the business on which they were made. */
  readonly start_date?: string | undefined;
  /** Whether to find only those of anonymous members. */
  readonly anonymous?: boolean | undefined;
}

export interface ListedCard extends CardRow {
  readonly anonymous: boolean;
  /** The money of an anonymous member; null for a person. */
  readonly wallet: number | null;
  /** The last day of the money of a gift card. */
  readonly valid_through: string | null;
}

/** A page of the cards of a business, newest first. */
export function listAllCards(
  source: Pick<ListSource, "sql" | "scans">,
  of: BusinessTime,
  { code, kind, status, start_date, anonymous = false }: CardFilter,
  page: PageRequest,
): Promise<Page<ListedCard>> {
  const account = fragment`FROM account a
    WHERE a.business_id = ${of.businessId} AND a.contact_id = card.contact_id AND a.account = 'wallet' AND a.anonymous IS NOT NULL`;
  const conditions = [
    fragment`business_id = ${of.businessId}`,
    code !== undefined && fragment`card_code = ${code}`,
    kind !== undefined && fragment`kind = ${kind}`,
    status !== undefined && fragment`status = ${status}`,
    start_date !== undefined &&
      fragment`created_at >= ${firstInstant(fragment`${start_date}::date`, fragment`${of.timeZone}`)}`,
    anonymous && fragment`EXISTS (SELECT ${account})`,
  ].filter((one) => one !== false);
  const from = fragment`FROM card WHERE ${list(conditions, " AND ")}`;
  const wallet = fragment`(
    SELECT CASE WHEN a.lapses_on <= ${todayOf(of.businessId)} THEN 0 ELSE a.balance END ${account}
  )`;
  const columns = fragment`${columnsOf(of)}, ${wallet} IS NOT NULL AS anonymous, ${wallet} AS wallet,
    (SELECT (a.lapses_on - 1)::text ${account}) AS valid_through`;
  return inTurn(source, of.businessId, from, () =>
    readPage<ListedCard>(source.sql, { columns, from, sort: newestFirst("card_id") }, page),
  );
}
