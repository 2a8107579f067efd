/** Codes of vouchers: public ones, which are a part of a definition, and unique ones. */
import type { CodeOfVoucher } from "../../../domain/decision.ts";
import type { PublicDefinition, UniqueCode } from "../../../domain/engine/vouchers/codes.ts";
import { type CodeLimit, codeLimits, publicCode } from "../../../domain/engine/vouchers/limits.ts";
import type { HeldVoucher } from "../../../domain/records.ts";
import type { Connection } from "../../connection.ts";
import { ever, everywhere } from "../../ledger/day-totals.ts";
import type { ExportPage } from "../../ledger/transaction-list.ts";
import { type BusinessTime, firstRow, wallClock } from "../../rows.ts";
import { tableOf } from "../../sql.ts";
import { definitionColumns } from "../rules.ts";

/** Finds the definitions of public codes. @param keys the codes, in the form in which they are compared */
export function findPublicDefinitions(sql: Connection, businessId: number, keys: readonly string[]) {
  return sql<PublicDefinition[]>`
    SELECT ${definitionColumns}, public_code, public_key, most_per_member, most_uses, first_day::text, last_day::text
    FROM voucher WHERE business_id = ${businessId} AND public_key = ANY (${keys}::text[])`;
}

/** Finds a unique code with its definition. @param key the code, in the form in which it is compared */
export function findUniqueCode(sql: Connection, businessId: number, key: string) {
  return firstRow(sql<UniqueCode[]>`
    SELECT code_id, to_jsonb(v) AS definition
    FROM voucher_code c CROSS JOIN LATERAL (
      SELECT ${definitionColumns} FROM voucher WHERE business_id = c.business_id AND voucher_id = c.voucher_id
    ) AS v
    WHERE c.business_id = ${businessId} AND c.code_key = ${key}`);
}

/** A code that a member uses or claims. */
interface WantedCode extends CodeOfVoucher {
  readonly business_id: number;
  readonly contact_id: number;
}

/** Counts the uses of codes. Those of a public code are counted by the totals, and by member. */
export async function countCodeUses(
  sql: Connection,
  wanted: readonly WantedCode[],
): Promise<readonly (readonly [number, ReadonlyMap<CodeLimit, number>])[]> {
  const rows = await sql<{ uses: number; of_member: number }[]>`
    SELECT CASE WHEN wanted.code_id = 0 THEN (
        SELECT coalesce(sum(t.items), 0)::bigint FROM day_total t
        WHERE t.business_id = wanted.business_id AND t.location_id = ${everywhere} AND t.day = ${ever}::date
          AND t.what = 'code_uses ' || wanted.voucher_id
      ) ELSE (
        SELECT count(*) FROM held_voucher v
        WHERE v.business_id = wanted.business_id AND v.code_id = wanted.code_id AND v.code_id > 0
      ) END AS uses, (
        SELECT count(*) FROM held_voucher v
        WHERE v.business_id = wanted.business_id AND v.voucher_id = wanted.voucher_id AND v.contact_id = wanted.contact_id
          AND v.code_id = 0 AND v.status = 'redeemed'
      ) AS of_member
    FROM ${tableOf("wanted", wanted, "business_id bigint, contact_id bigint, voucher_id bigint, code_id bigint")}
    ORDER BY wanted.nth`;
  return wanted.map(({ business_id, contact_id, voucher_id, code_id }, index) => {
    const { uses = 0, of_member = 0 } = rows[index] ?? {};
    const counts: [CodeLimit, number][] =
      code_id === publicCode
        ? [
            [codeLimits.all(voucher_id), uses],
            [codeLimits.ofMember(voucher_id, contact_id), of_member],
          ]
        : [[codeLimits.claimed(code_id), uses]];
    return [business_id, new Map(counts)];
  });
}

/** Makes unique codes of a definition. @returns how many were new: a code that the business has already is left out */
export async function insertCodes(
  tx: Connection,
  businessId: number,
  voucherId: number,
  codes: readonly { readonly code: string; readonly code_key: string }[],
): Promise<number> {
  const rows = await tx`
    INSERT INTO voucher_code (business_id, voucher_id, code, code_key)
    SELECT ${businessId}, ${voucherId}, code, code_key FROM ${tableOf("made", codes, "code text, code_key text")}
    ORDER BY nth ON CONFLICT (business_id, code_key) DO NOTHING`;
  return rows.count;
}

/** A unique code, with the voucher that it has claimed. */
export interface ExportedCode {
  readonly code_id: number;
  readonly code: string;
  readonly voucher_id: number;
  readonly created_at: string;
  readonly held_voucher_id: number | null;
  readonly contact_id: number | null;
  readonly claimed_at: string | null;
  readonly status: HeldVoucher["status"] | null;
}

/** Unique codes, in the order in which they were made. */
export function exportCodes(
  sql: Connection,
  { businessId, timeZone }: BusinessTime,
  { after, limit }: ExportPage,
) {
  return sql<ExportedCode[]>`
    SELECT c.code_id, c.code, c.voucher_id, ${wallClock("c.created_at", timeZone)} AS created_at, v.held_voucher_id, v.contact_id,
      ${wallClock("v.created_at", timeZone)} AS claimed_at, v.status
    FROM (
      SELECT * FROM voucher_code WHERE business_id = ${businessId} AND code_id > ${after}
      ORDER BY business_id, code_id LIMIT ${limit}
    ) AS c LEFT JOIN held_voucher v ON v.business_id = c.business_id AND v.code_id = c.code_id AND v.code_id > 0
    ORDER BY c.code_id`;
}
