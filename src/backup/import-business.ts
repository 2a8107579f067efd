/** Imports an exported business. The business and its integrations get new ids. All other ids stay. */
import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import { insertAuditEntries, ownActor } from "../database/access/audit.ts";
import { advancePast } from "../database/cell.ts";
import type { Connection, Session } from "../database/connection.ts";
import { readSchema } from "../database/migrate.ts";
import { firstRow, requiredRow } from "../database/rows.ts";
import { quotedName } from "../database/sql.ts";
import { movedTables } from "../database/tables.ts";
import { disableCopiedEndpoints } from "../database/webhooks/endpoints.ts";
import type { ServiceEvent } from "../domain/audit-events.ts";
import { OperatorError } from "../domain/operator-error.ts";
import { copyOf, explained, inDatabaseOf, type LoadOptions, loadTables, requireDatabase } from "./copy.ts";
import {
  businessManifestName,
  type Manifest,
  summaryOf,
  type TableRecord,
  tablesOf,
  verifyBackup,
} from "./manifest.ts";

/**
 * Imports a business in one transaction. The service may be running.
 * @returns the manifest, the id of the new business, and how many of its webhook endpoints were disabled
 * @throws OperatorError with a line for the operator; nothing is imported then
 */
export async function importBusiness(given: LoadOptions) {
  const { onProgress, signal } = given;
  const options = { ...given, source: resolve(given.source) };
  await requireDatabase(options);
  onProgress("Checking the files of the business …");
  const manifest = await verifyBackup(options.source, signal, undefined, businessManifestName);
  try {
    const added = await inDatabaseOf(options, { applicationName: "loyalty import", signal }, (tx) =>
      addBusiness(tx, options, manifest),
    );
    return { manifest, ...added };
  } catch (error) {
    throw explained(error, signal, "The business can't be imported");
  }
}

async function addBusiness(tx: Session, options: LoadOptions, manifest: Manifest) {
  // Temporary tables have no indexes.
  await tx`SET LOCAL enable_seqscan = on`;
  await requireSchema(tx, manifest);
  await loadTables(tx, options, manifest, async ({ table, columns }) => {
    await tx.query(
      `CREATE TEMP TABLE ${incoming(table)} (LIKE ${quotedName(table)} INCLUDING DEFAULTS) ON COMMIT DROP`,
    );
    return `${copyOf({ table: `incoming_${table}`, columns })} FROM STDIN`;
  });
  options.onProgress("Adding the rows …");
  const tables = tablesOf(manifest);
  const businessId = await assignIds(tx);
  const inOrder = movedTables.flatMap((name) => tables.filter(({ table }) => table === name));
  for (const record of inOrder) await addRows(tx, record, businessId);
  const disabledEndpoints = await disableCopiedEndpoints(tx, businessId);
  await recordImport(tx, manifest, businessId);
  await tx`ANALYZE`;
  // This is last, because writes of other businesses wait for the sequences until the commit.
  for (const { table, identities } of tables) {
    const kept = Object.keys(identities).filter((name) => !assigned.has(name));
    await advancePast(tx, table, kept, incoming(table));
  }
  return { businessId, disabledEndpoints };
}

async function requireSchema(tx: Connection, { schema_version, schema_digest }: Manifest): Promise<void> {
  const { version, digest } = await readSchema(tx);
  if (digest === schema_digest) return;
  throw new OperatorError(
    `The business was exported with schema version ${schema_version}, and this database has ` +
      `${version === schema_version ? "another schema of this number" : `version ${version}`}: ` +
      "bring both services to the same release and export it again.",
  );
}

const incoming = (table: string) => quotedName(`incoming_${table}`);

/** Assigns new ids, because others may have the old ones in this database. @returns the id of the business */
async function assignIds(tx: Connection): Promise<number> {
  const taken = await firstRow(tx<{ client_id: string }[]>`
    SELECT client_id FROM incoming_integration JOIN integration USING (client_id)`);
  if (taken !== undefined) {
    throw new OperatorError(
      `The integration with client_id ${taken.client_id} exists here: the business was exported from this database, or ` +
        "is imported already.",
    );
  }
  await tx`
    CREATE TEMP TABLE new_integration ON COMMIT DROP AS
    SELECT integration_id AS old_id, nextval(pg_get_serial_sequence('integration', 'integration_id')) AS new_id
    FROM incoming_integration`;
  const { business_id } = await requiredRow(tx<{ business_id: number }[]>`
    SELECT nextval(pg_get_serial_sequence('business', 'business_id')) AS business_id`);
  return business_id;
}

/**
 * Rows of these tables can be without an integration. Ledger entries of a deleted integration lose its id, because another one has
 * it here. Webhook endpoints of operators have none.
 */
const withoutIntegration: ReadonlySet<string> = new Set(["ledger_entry", "webhook_endpoint"]);

async function addRows(tx: Connection, { table, columns }: TableRecord, businessId: number): Promise<void> {
  // The audit log numbers its entries over all businesses.
  const kept = columns.filter((column) => column !== "audit_id");
  const values = kept.map((column) => {
    if (column === "business_id") return String(businessId);
    // Operators belong to the other installation.
    if (column === "actor_id") {
      return "CASE WHEN actor_kind = 'integration' THEN (SELECT new_id FROM new_integration WHERE old_id = actor_id) END";
    }
    return column === "integration_id" ? "new_id" : `incoming.${quotedName(column)}`;
  });
  const mapped = columns.includes("integration_id");
  // Idempotency keys of operators have no integration. They are not imported, because a retry would name another business_id.
  const join = withoutIntegration.has(table) ? "LEFT JOIN" : "JOIN";
  await tx.query(
    `INSERT INTO ${quotedName(table)} (${kept.map(quotedName).join(", ")}) SELECT ${values.join(", ")} ` +
      `FROM ${incoming(table)} AS incoming ` +
      (mapped ? `${join} new_integration ON old_id = incoming.integration_id ` : "") +
      (table === "audit_entry" ? "ORDER BY incoming.audit_id" : ""),
  );
}

async function recordImport(tx: Connection, manifest: Manifest, business_id: number): Promise<void> {
  const { made_at, rows } = summaryOf(manifest);
  await insertAuditEntries(tx, [
    {
      business_id,
      actor: ownActor("root", randomUUID()),
      event: "business.imported" satisfies ServiceEvent,
      before: null,
      after: {
        business_id,
        exported_business_id: manifest.business?.business_id,
        exported_at: made_at,
        rows,
      },
    },
  ]);
}

/** The columns whose ids are new. */
const assigned: ReadonlySet<string> = new Set(["audit_id", "business_id", "integration_id"]);
