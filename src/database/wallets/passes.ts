/** The passes of members in wallets of phones, and the phones with Apple Wallet that are told of changes. */
import type { Connection } from "../connection.ts";
import { firstRow } from "../rows.ts";
import { staysHere, type WalletKind } from "./issuers.ts";

const isHere = staysHere("m.business_id");

/**
 * Remembers that a member has asked for a pass. One for Google is due at once, because Google must have it.
 * @returns whether it is stored: not while the business moves to another database
 */
export async function putPass(
  sql: Connection,
  businessId: number,
  kind: WalletKind,
  pass: Pick<StoredPass, "page_generation" | "contact_id"> & {
    readonly serial: string;
    readonly hash: Buffer | null;
  },
): Promise<boolean> {
  const { count } = await sql`
    INSERT INTO wallet_pass (business_id, kind, serial_number, contact_id, page_generation, authentication_hash, changes)
    SELECT m.business_id, ${kind}, ${pass.serial}, m.contact_id, ${pass.page_generation}, ${pass.hash},
      ${kind === "google" ? 1 : 0}
    FROM member AS m WHERE m.business_id = ${businessId} AND m.contact_id = ${pass.contact_id} AND ${isHere}
    ON CONFLICT (business_id, serial_number) DO UPDATE SET sent_changes = wallet_pass.changes`;
  return count === 1;
}

export interface StoredPass {
  readonly contact_id: number;
  /** The address of the member's page from which it came. With another address, it is void. */
  readonly page_generation: number;
  readonly authentication_hash: Buffer;
}

export function findPass(sql: Connection, businessId: number, passType: string, serial: string) {
  return firstRow(sql<StoredPass[]>`
    SELECT p.contact_id, p.page_generation, p.authentication_hash
    FROM wallet_pass AS p
    JOIN wallet_issuer AS w ON w.business_id = p.business_id AND w.kind = p.kind AND w.issuer = ${passType}
    WHERE p.business_id = ${businessId} AND p.serial_number = ${serial} AND p.kind = 'apple'`);
}

/** A pass is on few phones, so further registrations end the oldest ones. */
const mostPhones = 20;

/** Registers a phone for a pass. @returns whether it was not registered before; undefined while the business moves */
export async function registerPhone(
  tx: Connection,
  businessId: number,
  serial: string,
  device: Buffer,
  pushToken: string,
): Promise<boolean | undefined> {
  const stored = await firstRow(tx<{ is_new: boolean }[]>`
    INSERT INTO wallet_pass_device AS d (business_id, device_hash, serial_number, contact_id, push_token)
    SELECT business_id, ${device}, serial_number, contact_id, ${pushToken} FROM wallet_pass AS m
    WHERE business_id = ${businessId} AND serial_number = ${serial} AND ${isHere}
    ON CONFLICT (business_id, device_hash, serial_number) DO UPDATE SET push_token = excluded.push_token
    RETURNING xmax = 0 AS is_new`);
  if (stored?.is_new !== true) return stored?.is_new;
  // What has changed since the download is told at once.
  await tx`
    UPDATE wallet_pass SET pushed_changes = least(pushed_changes, sent_changes), next_push_at = now()
    WHERE business_id = ${businessId} AND serial_number = ${serial} AND changes > sent_changes`;
  await tx`
      DELETE FROM wallet_pass_device WHERE business_id = ${businessId} AND serial_number = ${serial}
        AND device_hash IN (
          SELECT device_hash FROM wallet_pass_device WHERE business_id = ${businessId} AND serial_number = ${serial}
          ORDER BY registered_at DESC OFFSET ${mostPhones})`;
  return true;
}

export const forgetPhone = (sql: Connection, businessId: number, serial: string, device: Buffer) => sql`
  DELETE FROM wallet_pass_device
  WHERE business_id = ${businessId} AND serial_number = ${serial} AND device_hash = ${device}`;

/**
 * The passes on a phone that have changed after a time. The time of a change is that of its statement, and phones see it
 * when it commits. So a tag is at least a minute old, and the next answer has what committed late.
 * @param since as `tag` of an earlier answer; null: all
 */
export function listChangedPasses(
  sql: Connection,
  businessId: number,
  { passType, device, since }: { passType: string; device: Buffer; since: string | null },
) {
  return sql<{ serial_number: string; tag: string }[]>`
    SELECT p.serial_number,
      floor(extract(epoch FROM least(p.changed_at, now() - interval '1 minute')) * 1000000)::bigint::text AS tag
    FROM wallet_pass_device AS d
    JOIN wallet_pass AS p ON p.business_id = d.business_id AND p.serial_number = d.serial_number
    JOIN wallet_issuer AS w ON w.business_id = d.business_id AND w.kind = p.kind AND w.issuer = ${passType}
    WHERE d.business_id = ${businessId} AND d.device_hash = ${device}
      AND (${since}::bigint IS NULL OR floor(extract(epoch FROM p.changed_at) * 1000000) > ${since}::bigint)
    ORDER BY p.changed_at`;
}
