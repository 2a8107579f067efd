/** The secrets of an integration, as hashes: one, or two while one replaces the other. */
import type { Connection } from "../connection.ts";

/** Adds the first secret of an integration. */
export async function insertSecret(tx: Connection, integrationId: number, hash: Buffer): Promise<void> {
  await tx`INSERT INTO integration_secret (integration_id, secret_hash) VALUES (${integrationId}, ${hash})`;
}

/**
 * Adds a new secret. The newest one before it stays valid for a while; older ones end now. The caller holds
 * the integration's lock.
 * @returns until when the secret before is valid, in milliseconds; null when it ended now
 */
export async function replaceSecret(
  tx: Connection,
  integrationId: number,
  hash: Buffer,
  overlapSeconds: number,
): Promise<number | null> {
  await tx`
    DELETE FROM integration_secret
    WHERE integration_id = ${integrationId} AND (expires_at IS NOT NULL OR ${overlapSeconds} = 0)`;
  const [previous] = await tx<{ expires_at: number }[]>`
    UPDATE integration_secret SET expires_at = now() + make_interval(secs => ${overlapSeconds})
    WHERE integration_id = ${integrationId}
    RETURNING floor(extract(epoch FROM expires_at) * 1000)::bigint AS expires_at`;
  await insertSecret(tx, integrationId, hash);
  return previous?.expires_at ?? null;
}

export interface SecretRow {
  /** Wall-clock time of the business, YYYY-MM-DD HH:MM:SS. */
  readonly created_at: string;
  readonly expires_at: string | null;
}

/** When the secrets that are valid now were made, and until when they are valid; newest first. */
export function listSecrets(sql: Connection, integrationId: number, timeZone: string): Promise<SecretRow[]> {
  return sql<SecretRow[]>`
    SELECT to_char(created_at AT TIME ZONE ${timeZone}, 'YYYY-MM-DD HH24:MI:SS') AS created_at,
      to_char(expires_at AT TIME ZONE ${timeZone}, 'YYYY-MM-DD HH24:MI:SS') AS expires_at
    FROM integration_secret
    WHERE integration_id = ${integrationId} AND (expires_at IS NULL OR expires_at > now())
    ORDER BY integration_secret.created_at DESC`;
}
