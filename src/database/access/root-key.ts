import { isComparable } from "../../domain/idempotency.ts";
import type { Connection } from "../connection.ts";
import { firstRow } from "../rows.ts";

/**
 * Stores the fingerprint of the operator key that is in use. The row is locked to the end of the transaction, so that of several
 * processes only one sees the change.
 * @param fingerprints by the secret of the service, and by the previous one if it is known
 * @returns whether another key was in use before; false for the first key, and if its fingerprint is of an unknown secret
 */
export async function replaceRootKey(
  tx: Connection,
  fingerprints: readonly [string, ...string[]],
): Promise<boolean> {
  const [fingerprint] = fingerprints;
  await tx`INSERT INTO root_key (fingerprint) VALUES (${fingerprint}) ON CONFLICT DO NOTHING`;
  const before = await firstRow(tx<{ fingerprint: string }[]>`SELECT fingerprint FROM root_key FOR UPDATE`);
  const old = before?.fingerprint;
  if (old === undefined || old === fingerprint) return false;
  await tx`UPDATE root_key SET fingerprint = ${fingerprint}, changed_at = now()`;
  const comparable = fingerprints.find((one) => isComparable(one, old));
  return comparable !== undefined && comparable !== old;
}
