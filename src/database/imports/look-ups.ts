/** Looks up the lines of imported files. */
import type { HeldVoucher } from "../../domain/records.ts";
import type { Connection } from "../connection.ts";
import type { EntryRow } from "../ledger/ledger.ts";
import type { NewMember } from "../members/members.ts";
import type { BusinessTime } from "../rows.ts";
import { type Fragment, fragment, raw, tableOf } from "../sql.ts";

/**
 * Joins the row that has a key, if any, as a table of this name. LATERAL with OFFSET 0 makes each a look-up by key. The
 * business's id comes from a table `own`. If it were a parameter, the planner would expect one row of a business that is missing
 * from its statistics, and read all its rows for each look-up.
 */
function lookUp(name: string, columns: string, key: string): Fragment {
  return raw(`LEFT JOIN LATERAL (
    SELECT ${columns} WHERE business_id = own.business_id AND ${key} OFFSET 0
  ) AS ${name} ON true`);
}

const own = ({ businessId }: BusinessTime) =>
  fragment`WITH own AS MATERIALIZED (SELECT ${businessId}::bigint AS business_id)`;

const clock = raw(`CROSS JOIN LATERAL (
    SELECT coalesce(clock_at, clock_timestamp()) AS now FROM ledger WHERE business_id = own.business_id OFFSET 0
  ) AS clock`);

/** Lines as a table `line`. Their fields have the names of the API, and are null where they are missing or wrong. */
const lineTable = (lines: readonly object[], fields: string) => tableOf("line", lines, fields, null);

/** The instant of a line's text. It has an offset from UTC or is in a time zone. */
const instantOf = (field: string, timeZone: Fragment) => fragment`
  CASE WHEN ${raw(`line.${field}`)} ~ '(Z|[+-]\\d\\d:\\d\\d)$' THEN ${raw(`line.${field}`)}::timestamptz
    ELSE ${raw(`line.${field}`)}::timestamp AT TIME ZONE ${timeZone} END`;

/**
 * The local time of an instant, for the identity of a line: the same for every way to write the time, and also after the
 * business has another time zone. At the end of summer time an hour occurs twice; a plus sign marks the times of one of them.
 */
const localTime = (instant: string, timeZone: string) => fragment`
  to_char(${raw(instant)} AT TIME ZONE ${timeZone}, 'YYYY-MM-DD HH24:MI:SS.US')
    || CASE WHEN ${raw(instant)} AT TIME ZONE ${timeZone} AT TIME ZONE ${timeZone} = ${raw(instant)} THEN '' ELSE '+' END`;

/** The result of looking up a member of a file. */
export interface FoundMember {
  readonly phone_number_taken: boolean;
  readonly email_taken: boolean;
  readonly external_ref_taken: boolean;
  readonly card_code_taken: boolean;
  readonly joined_at: string;
  /** The time in the line; null without one. */
  readonly local_time: string | null;
  readonly future: boolean;
  /** The day on the business's clock. */
  readonly today: string;
}

/** Looks up members of a file, in their order. */
export function findMembersToImport(tx: Connection, of: BusinessTime, members: readonly object[]) {
  const fields = "phone_number text, email text, external_ref text, card_code text, joined_at text";
  return tx<FoundMember[]>`
    ${own(of)}
    SELECT p.found IS NOT NULL AS phone_number_taken, e.found IS NOT NULL AS email_taken,
      r.found IS NOT NULL AS external_ref_taken, k.found IS NOT NULL AS card_code_taken, coalesce(moment.given, clock.now) AS joined_at,
      ${localTime("moment.given", of.timeZone)} AS local_time, coalesce(moment.given > clock.now, false) AS future,
      to_char(clock.now AT TIME ZONE ${of.timeZone}, 'YYYY-MM-DD') AS today
    FROM own CROSS JOIN ${lineTable(members, fields)}
    ${clock}
    CROSS JOIN LATERAL (SELECT ${instantOf("joined_at", fragment`${of.timeZone}`)} AS given) AS moment
    ${lookUp("p", "true AS found FROM member", "phone_number = line.phone_number")}
    ${lookUp("e", "true AS found FROM member", "lower(email) = lower(line.email)")}
    ${lookUp("r", "true AS found FROM member", "external_ref = line.external_ref")}
    ${lookUp("k", "true AS found FROM card", "card_code = line.card_code")}
    ORDER BY line.nth`;
}

/** The member that a line names. */
export interface FoundContact {
  readonly contact_id: number | null;
  /** Whether the member was erased. */
  readonly erased: boolean;
  /** Whether the member is a gift card, which nobody has claimed. */
  readonly gift: boolean;
}

/** The member who has the sales of a member now: that member, or the one into which it was merged. */
const present = "coalesce(merged_into, contact_id) AS contact_id";

/** The member of a line: its columns, and the look-ups from which they come. */
const foundContact =
  raw(`coalesce(c.contact_id, p.contact_id, r.contact_id, k.contact_id, e.contact_id) AS contact_id,
  coalesce(c.erased, p.erased, false) AS erased, coalesce(c.gift, k.gift, false) AS gift`);
const isGift = "merged_into IS NULL AND anonymous = 'gift'";
const contactLookUps = fragment`
  ${lookUp("c", `${present}, erased_at IS NOT NULL AS erased, coalesce(${isGift}, false) AS gift FROM member`, "contact_id = line.contact_id")}
  ${lookUp("p", `${present}, erased_at IS NOT NULL AS erased FROM member`, "phone_number = line.phone_number")}
  ${lookUp("r", `${present} FROM member`, "external_ref = line.external_ref")}
  ${lookUp(
    "k",
    `contact_id, EXISTS (
      SELECT FROM member m WHERE m.business_id = card.business_id AND m.contact_id = card.contact_id AND ${isGift}
    ) AS gift FROM card`,
    "card_code = line.card_code",
  )}
  ${lookUp("e", `${present} FROM member`, "lower(email) = lower(line.email)")}`;
const contactFields = "contact_id bigint, phone_number text, external_ref text, card_code text, email text";

/** The result of looking up a sale of a file. */
export interface FoundSale extends FoundContact {
  readonly located: boolean;
  readonly created_at: string;
  /** Null, like the day, without a time that can be read. */
  readonly local_time: string | null;
  /** The day of the sale in the business's time zone. */
  readonly sold_on: string | null;
  readonly future: boolean;
}

/** Looks up sales of a file, in their order. */
export function findSalesToImport(tx: Connection, of: BusinessTime, sales: readonly object[]) {
  const fields = `${contactFields}, location_id bigint, sold_at text, time_zone text`;
  return tx<FoundSale[]>`
    ${own(of)}
    SELECT ${foundContact}, line.location_id IS NULL OR l.location_id IS NOT NULL AS located, moment.created_at,
      ${localTime("moment.created_at", of.timeZone)} AS local_time,
      to_char(moment.created_at AT TIME ZONE ${of.timeZone}, 'YYYY-MM-DD') AS sold_on,
      coalesce(moment.created_at > clock.now, false) AS future
    FROM own CROSS JOIN ${lineTable(sales, fields)}
    ${clock}
    CROSS JOIN LATERAL (SELECT ${instantOf("sold_at", fragment`coalesce(line.time_zone, ${of.timeZone})`)} AS created_at) AS moment
    ${contactLookUps}
    ${lookUp("l", "location_id FROM location", "location_id = line.location_id")}
    ORDER BY line.nth`;
}

/**
 * Counts new sales that have the member, the day and the amount of one that is recorded, where no receipt number tells the two apart.
 * They can be the same sale, which a file with other columns identifies otherwise.
 */
export async function countAlikeSales(
  tx: Connection,
  of: BusinessTime,
  sales: readonly object[],
): Promise<number> {
  const fields = "contact_id bigint, sold_on date, amount bigint, reference_id text";
  const [row] = await tx<{ alike: number }[]>`
    ${own(of)}
    SELECT count(found)::integer AS alike FROM own CROSS JOIN ${lineTable(sales, fields)}
    LEFT JOIN LATERAL (
      SELECT true AS found FROM ledger_entry
      WHERE business_id = own.business_id AND contact_id = line.contact_id AND event_type = 'sale' AND amount = line.amount
        AND created_at >= line.sold_on::timestamp AT TIME ZONE ${of.timeZone}
        AND created_at < (line.sold_on + 1)::timestamp AT TIME ZONE ${of.timeZone}
        AND (line.reference_id IS NULL OR reference_id IN (line.reference_id, 'SA-' || entry_no))
      LIMIT 1
    ) AS recorded ON true`;
  return row?.alike ?? 0;
}

/** Finds the members that lines name, in their order. */
export function findContactsOfLines(tx: Connection, of: BusinessTime, lines: readonly object[]) {
  return tx<FoundContact[]>`
    ${own(of)}
    SELECT ${foundContact} FROM own CROSS JOIN ${lineTable(lines, contactFields)}
    ${contactLookUps}
    ORDER BY line.nth`;
}

/** Imported lines with these digests, as a table `i`. */
const importedLines = (digests: readonly string[]) => fragment`
  own CROSS JOIN unnest(${digests}::uuid[]) AS wanted (digest)
  CROSS JOIN LATERAL (
    SELECT replace(digest::text, '-', '') AS digest, entry_no, contact_id, held_voucher_id, replace(content::text, '-', '') AS content,
      amount, points
    FROM imported_line WHERE business_id = own.business_id AND digest = wanted.digest OFFSET 0
  ) AS i`;

/** A member as the line that was imported and as it is now. */
export interface ImportedMember
  extends Pick<NewMember, "first_name" | "last_name" | "phone_number" | "email" | "date_of_birth"> {
  readonly erased: boolean;
  readonly digest: string;
  readonly content: string | null;
  readonly wallet_balance: number | null;
  readonly points_balance: number | null;
}

/** Looks up the lines of members that are imported, among these digests. */
export function findImportedMembers(
  tx: Connection,
  of: BusinessTime,
  digests: readonly string[],
): Promise<ImportedMember[]> {
  return tx<ImportedMember[]>`
    ${own(of)}
    SELECT i.digest, i.content, i.amount AS wallet_balance, i.points AS points_balance, first_name, last_name, phone_number,
      email, date_of_birth, coalesce(erased, true) AS erased
    FROM ${importedLines(digests)}
    ${lookUp(
      "m",
      "first_name, last_name, phone_number, email, date_of_birth::text, erased_at IS NOT NULL AS erased FROM member",
      "contact_id = i.contact_id",
    )}`;
}

/** An imported sale, with its values in the ledger. */
export interface ImportedSale
  extends Pick<EntryRow, "entry_no" | "contact_id" | "amount" | "location_id" | "reference_id"> {
  readonly digest: string;
  readonly content: string | null;
  readonly erased: boolean;
  readonly sold_on: string;
  /** Whether it is a sale with points, and not only an entry. */
  readonly is_sale: boolean;
  /** What refunds of files have taken from it. */
  readonly refunded: number;
}

/** Looks up the lines of sales that are imported, among these digests. */
export function findImportedSales(
  tx: Connection,
  of: BusinessTime,
  digests: readonly string[],
): Promise<ImportedSale[]> {
  return tx<ImportedSale[]>`
    ${own(of)}
    SELECT i.digest, i.content, i.entry_no, m.contact_id, m.erased, e.amount, e.location_id, e.reference_id,
      to_char(e.created_at AT TIME ZONE ${of.timeZone}, 'YYYY-MM-DD') AS sold_on, s.found IS NOT NULL AS is_sale,
      coalesce(s.refunded, i.amount, 0) AS refunded
    FROM ${importedLines(digests)}
    ${lookUp("e", "contact_id, amount, location_id, reference_id, created_at FROM ledger_entry", "entry_no = i.entry_no")}
    ${lookUp("m", `${present}, erased_at IS NOT NULL AS erased FROM member`, "contact_id = e.contact_id")}
    ${lookUp("s", "true AS found, refunded FROM sale", "sale_id = i.entry_no")}`;
}

/** A sale with points, such as one that a till recorded. */
export type RecordedSale = Omit<ImportedSale, "digest" | "content">;

/** More sales of one member with one reference are not looked at. */
export const mostOfReference = 20;

/** Looks up the sales of members with references: of each, the first ones. */
export function findSalesOfReferences(
  tx: Connection,
  of: BusinessTime,
  wanted: readonly { readonly contact_id: number | null; readonly reference_id?: string | undefined }[],
): Promise<RecordedSale[]> {
  return tx<RecordedSale[]>`
    ${own(of)}
    SELECT s.sale_id AS entry_no, s.reference_id, s.contact_id, coalesce(m.erased, true) AS erased, s.amount, s.location_id,
      s.sold_on::text, true AS is_sale, s.refunded
    FROM own CROSS JOIN ${lineTable(wanted, "contact_id bigint, reference_id text")}
    CROSS JOIN LATERAL (
      SELECT * FROM sale WHERE business_id = own.business_id AND reference_id = line.reference_id AND contact_id = line.contact_id
      ORDER BY sale_id LIMIT ${mostOfReference}
    ) AS s
    ${lookUp("m", "erased_at IS NOT NULL AS erased FROM member", "contact_id = s.contact_id")}
    ORDER BY s.sale_id`;
}

/** Stores what was refunded of imported sales, by the digests of their lines. */
export async function saveRefunded(
  tx: Connection,
  businessId: number,
  refunded: readonly (readonly [digest: string, amount: number])[],
): Promise<void> {
  if (refunded.length === 0) return;
  await tx`
    UPDATE imported_line SET amount = given.amount
    FROM unnest(${refunded.map(([digest]) => digest)}::uuid[], ${refunded.map(([, amount]) => amount)}::bigint[])
      AS given (digest, amount)
    WHERE business_id = ${businessId} AND imported_line.digest = given.digest`;
}

/** An imported voucher, as it was issued. */
export interface ImportedVoucher
  extends Pick<HeldVoucher, "contact_id" | "voucher_id" | "coupon_code" | "coupon_value" | "issued_on"> {
  readonly valid_through: string | null;
  readonly digest: string;
  readonly content: string | null;
  readonly erased: boolean;
}

/** Looks up the lines of vouchers that are imported, among these digests. */
export function findImportedVouchers(
  tx: Connection,
  of: BusinessTime,
  digests: readonly string[],
): Promise<ImportedVoucher[]> {
  return tx<ImportedVoucher[]>`
    ${own(of)}
    SELECT i.digest, i.content, v.contact_id, v.voucher_id, v.coupon_code, v.coupon_value, v.issued_on,
      v.valid_through, m.erased
    FROM ${importedLines(digests)}
    ${lookUp(
      "v",
      `contact_id, voucher_id, coupon_code, coupon_value, issued_on::text, (lapses_on - 1)::text AS valid_through
        FROM held_voucher`,
      "held_voucher_id = i.held_voucher_id",
    )}
    ${lookUp("m", "erased_at IS NOT NULL AS erased FROM member", "contact_id = v.contact_id")}`;
}
