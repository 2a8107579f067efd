/** What signs the passes of a business for a wallet of phones, and what it is set up with. */
import type { Connection } from "../connection.ts";
import { lastEventNo } from "../events.ts";
import { firstRow } from "../rows.ts";
import { type Fragment, fragment, raw } from "../sql.ts";

export type WalletKind = "apple" | "google";

export interface WalletIssuer {
  /** For Apple, the pass type; for Google, the number of the issuer. */
  readonly issuer: string;
  /** For Apple, the team; for Google, the address of the service account. */
  readonly account: string;
  /** Whose certificate it is. */
  readonly subject: string | null;
  /** As ISO 8601. */
  readonly ends_at: string | null;
  readonly logo_url: string | null;
  readonly sealed: string;
}

const issuerColumns = fragment`w.issuer, w.account, w.subject, w.logo_url, w.sealed,
  ${raw(`to_char(w.ends_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`)} AS ends_at`;

/** A business that moves to another database accepts nothing that would be lost. */
export const staysHere = (businessId: string) =>
  raw(`NOT EXISTS (
  SELECT FROM ledger l WHERE l.business_id = ${businessId} AND l.move_state <> 'copying')`);

/** A certificate that has ended signs nothing. */
export const isUsable = raw("coalesce(w.ends_at > now(), true)");

/** What signs the passes that pages offer, encrypted, by the kind of wallet. Google must have accepted the set-up. */
export const signsPasses = (businessId: string) => fragment`(
  SELECT coalesce(jsonb_object_agg(w.kind, w.sealed), '{}') FROM wallet_issuer AS w
  WHERE w.business_id = ${raw(businessId)} AND ${isUsable} AND (w.kind = 'apple' OR w.class_shown IS NOT NULL))`;

/** A digest of what all passes of a business show. */
export const shownBy = (businessId: Fragment | number) => fragment`(
  SELECT md5(jsonb_build_array(b.name, b.color, b.logo_digest, r.rules->'rp_name', r.rules->'value_points', r.rules->'value_amount',
    r.rules->'tiers', r.rules->'stamp_cards', (
      SELECT jsonb_agg(v.campaign_name ORDER BY v.voucher_id) FROM voucher AS v WHERE v.business_id = b.business_id
    ))::text)
  FROM business AS b CROSS JOIN LATERAL (
    SELECT rules FROM reward_rules WHERE business_id = b.business_id ORDER BY valid_from DESC, version DESC LIMIT 1
  ) AS r
  WHERE b.business_id = ${businessId})`;

export interface FoundWallet extends WalletIssuer {
  readonly is_here: boolean;
  readonly problem: string | null;
  readonly is_accepted: boolean;
  readonly passes: number;
  readonly phones: number;
}

export function findWallet(sql: Connection, businessId: number, kind: WalletKind) {
  return firstRow(sql<FoundWallet[]>`
    SELECT ${issuerColumns}, ${staysHere("w.business_id")} AS is_here, w.problem, w.class_shown IS NOT NULL AS is_accepted,
      (SELECT count(*) FROM wallet_pass AS p WHERE p.business_id = w.business_id AND p.kind = w.kind) AS passes,
      (SELECT count(DISTINCT d.device_hash) FROM wallet_pass_device AS d
      WHERE d.business_id = w.business_id AND w.kind = 'apple') AS phones
    FROM wallet_issuer AS w WHERE w.business_id = ${businessId} AND w.kind = ${kind}`);
}

export interface PassSignature extends WalletIssuer {
  readonly is_here: boolean;
  readonly is_usable: boolean;
  readonly set_up_at: string;
  /** Names what signs, which a renewal changes. */
  readonly set_up: string;
  /** The digest of what all passes show, and the one that Google's class of them was sent with. */
  readonly shown: string;
  readonly class_shown: string | null;
  /** Of the business. */
  readonly name: string;
  readonly color: string | null;
}

/** What a request about a pass needs. */
export function findSignature(sql: Connection, businessId: number, kind: WalletKind) {
  return firstRow(sql<PassSignature[]>`
    SELECT ${issuerColumns}, ${staysHere("w.business_id")} AS is_here, ${isUsable} AS is_usable, w.shown, w.class_shown,
      extract(epoch FROM w.created_at)::text AS set_up_at, md5(w.sealed) AS set_up, b.name, b.color
    FROM wallet_issuer AS w JOIN business AS b ON b.business_id = w.business_id
    WHERE w.business_id = ${businessId} AND w.kind = ${kind}`);
}

export interface WalletHealth {
  readonly business_id: number;
  readonly kind: WalletKind;
  /** When the certificate ends, in seconds since the epoch; null: it has no end. */
  readonly ends_at: number | null;
  /** What the service of the wallet said about what it did not accept. */
  readonly problem: string | null;
  /** Since the last change of the pass that has waited longest to be told; 0 after the end of the certificate, which lets none be told. */
  readonly untold_seconds: number;
}

/** How the wallets of all businesses do. */
export const listWalletHealth = (sql: Connection) => sql<WalletHealth[]>`
  SELECT w.business_id, w.kind, extract(epoch FROM w.ends_at)::float8 AS ends_at, w.problem, coalesce((
    SELECT extract(epoch FROM clock_timestamp() - min(p.changed_at)) FROM wallet_pass AS p
    WHERE p.business_id = w.business_id AND p.kind = w.kind AND p.changes > p.pushed_changes
      AND coalesce(w.ends_at > now(), true)
  ), 0)::float8 AS untold_seconds
  FROM wallet_issuer AS w WHERE ${staysHere("w.business_id")} ORDER BY w.business_id, w.kind`;

/** Sets passes up, or renews the key. Passes of another issuer are deleted: nothing can update them any more. */
export async function putWallet(
  tx: Connection,
  businessId: number,
  kind: WalletKind,
  { issuer, account, subject, ends_at, logo_url, sealed }: WalletIssuer,
): Promise<void> {
  await tx`DELETE FROM wallet_issuer WHERE business_id = ${businessId} AND kind = ${kind} AND issuer <> ${issuer}`;
  await tx`
    INSERT INTO wallet_issuer (business_id, kind, issuer, account, subject, ends_at, logo_url, sealed, cursor_event_no, shown)
    VALUES (${businessId}, ${kind}, ${issuer}, ${account}, ${subject}, ${ends_at}::timestamptz, ${logo_url}, ${sealed},
      ${lastEventNo(businessId)}, ${shownBy(businessId)})
    ON CONFLICT (business_id, kind) DO UPDATE
      SET account = excluded.account, subject = excluded.subject, ends_at = excluded.ends_at, logo_url = excluded.logo_url,
        sealed = excluded.sealed, shown = excluded.shown, class_shown = NULL, problem = NULL`;
}

/** Deletes what signs passes, the passes and their phones. */
export const deleteWallet = (tx: Connection, businessId: number, kind: WalletKind) =>
  tx`DELETE FROM wallet_issuer WHERE business_id = ${businessId} AND kind = ${kind}`;

/** Deletes those of an imported business: its passes name it by its number in the other service. */
export const deleteWallets = (tx: Connection, businessId: number) =>
  tx`DELETE FROM wallet_issuer WHERE business_id = ${businessId}`;

/** Leaves passes to the service that was copied: phones ask it, and it tells Google. */
export async function forgetPhones(tx: Connection): Promise<void> {
  await tx`DELETE FROM wallet_pass_device`;
  await tx`DELETE FROM wallet_issuer WHERE kind = 'google'`;
}
