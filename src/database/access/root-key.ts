import type { Connection } from "../connection.ts";
import { firstRow } from "../rows.ts";

/**
 * Stores the fingerprint of the operator key that is in use. The row is locked to the end of the transaction, so that of several
 * processes only one sees the change.
 * @returns whether another key was in use before; false for the first key
 */
export async function replaceRootKey(tx: Connection, fingerprint: string): Promise<boolean> {
  await tx`INSERT INTO root_key (fingerprint) VALUES (${fingerprint}) ON CONFLICT DO NOTHING`;
  const before = await firstRow(tx<{ fingerprint: string }[]>`SELECT fingerprint FROM root_key FOR UPDATE`);
  if (before?.fingerprint === fingerprint) return false;
  await tx`UPDATE root_key SET fingerprint = ${fingerprint}, changed_at = now()`;
  return true;
}
