/** Imports an exported business. The business and its integrations get new ids. All other ids stay. */
import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import { insertAuditEntries, ownActor } from "../database/access/audit.ts";
import { advancePast } from "../database/cell.ts";
import type { Connection, Session } from "../database/connection.ts";
import { hasPages } from "../database/members/pages.ts";
import { readSchema } from "../database/migrate.ts";
import { countWrongBalances } from "../database/moving.ts";
import { firstRow, requiredRow } from "../database/rows.ts";
import { quotedName } from "../database/sql.ts";
import { analyze, beginLoad, rowsToAnalyze } from "../database/statistics.ts";
import { deleteWallets } from "../database/wallets/issuers.ts";
import { disableCopiedEndpoints } from "../database/webhooks/endpoints.ts";
import { OperatorError } from "../domain/access/operator-error.ts";
import type { ServiceEvent } from "../domain/audit-events.ts";
import {
  copyOf,
  explained,
  findMovedTables,
  inDatabaseOf,
  type LoadOptions,
  loadTables,
  type Rows,
  requireDatabase,
  requireTables,
  requireTemporaryTables,
} from "./copy.ts";
import { checkIncoming, incoming } from "./incoming.ts";
import {
  businessManifestName,
  fileRecordOf,
  type Manifest,
  summaryOf,
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
  await requireTemporaryTables(tx);
  await requireSchema(tx, manifest);
  await beginLoad(tx);
  const tables = await findMovedTables(tx);
  requireTables(manifest, tables);
  await loadTables(tx, options, manifest, async ({ table, columns }) => {
    await tx.query(
      `CREATE TEMP TABLE ${incoming(table)} (LIKE ${quotedName(table)} INCLUDING DEFAULTS) ON COMMIT DROP`,
    );
    return `${copyOf({ table: `incoming_${table}`, columns })} FROM STDIN`;
  });
  options.onProgress("Adding the rows …");
  await checkIncoming(tx, tables, manifest.business?.business_id ?? 0);
  const businessId = await assignIds(tx);
  for (const table of tables) await addRows(tx, table, businessId);
  const wrong = await countWrongBalances(tx, businessId);
  if (wrong > 0) {
    throw new OperatorError(
      `${wrong} balances of the export are not the sums of their entries. Nothing was imported. Verify the ledger of the ` +
        "other service: loyalty verify",
    );
  }
  const disabledEndpoints = await disableCopiedEndpoints(tx, businessId);
  // The passes on phones name the business by its number in the other service, and that one keeps them up to date.
  await deleteWallets(tx, businessId);
  await recordImport(tx, options, manifest, businessId);
  // This is last, because writes of other businesses wait for the sequences until the commit.
  for (const { table, identities } of tables) {
    const kept = Object.keys(identities).filter((name) => !assigned.has(name));
    await advancePast(tx, table, kept, incoming(table));
  }
  return { businessId, disabledEndpoints, endsPages: await hasPages(tx, businessId) };
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

/** The columns whose ids are new. */
const assigned: ReadonlySet<string> = new Set(["audit_id", "business_id", "integration_id"]);

/** The values of columns that don't come from the export. */
const newValues: Readonly<Record<string, string>> = {
  integration_id: "new_id",
  // The other service may have been moving the business.
  move_state: "NULL",
  move_database: "NULL",
};

/**
 * The actors of the audit log belong to the other installation, except the integrations. Nobody can check here what they did, so
 * the log says that their entries were imported.
 */
const newActors: Readonly<Record<string, string>> = {
  actor_id: "new_id",
  actor_name: `CASE WHEN new_id IS NOT NULL THEN 'integration ' || new_id
    ELSE regexp_replace(actor_name, ' \\(imported\\)$', '') || ' (imported)' END`,
};

/** Both installations would give it. Here, an operator decides whether the job goes on. */
const newGrants: Readonly<Record<string, string>> = {
  state: "CASE state WHEN 'running' THEN 'cancelled' ELSE state END",
  ended_at: "CASE state WHEN 'running' THEN now() ELSE ended_at END",
  actor:
    "actor || jsonb_build_object('id', NULL, 'name', regexp_replace(actor->>'name', ' \\(imported\\)$', '') || ' (imported)')",
};

const newValuesOf: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  audit_entry: newActors,
  bulk_grant: newGrants,
};

async function addRows(tx: Connection, { table, columns }: Rows, businessId: number): Promise<void> {
  const isAudit = table === "audit_entry";
  // The audit log numbers its entries over all businesses.
  const kept = columns.filter((column) => column !== "audit_id");
  const replaced = { ...newValues, business_id: String(businessId), ...newValuesOf[table] };
  const values = kept.map((column) => replaced[column as keyof typeof replaced] ?? quotedName(column));
  const ofIntegration = columns.includes("integration_id") && "incoming.integration_id";
  const mapped = isAudit ? "CASE actor_kind WHEN 'integration' THEN actor_id END" : ofIntegration;
  // Rows of an integration that was deleted lose its id, because another one has it here. Nobody can use its idempotency keys.
  const join = table === "idempotency_key" ? "JOIN" : "LEFT JOIN";
  const added = await tx.query(
    `INSERT INTO ${quotedName(table)} (${kept.map(quotedName).join(", ")}) SELECT ${values.join(", ")} ` +
      `FROM ${incoming(table)} AS incoming ` +
      (mapped ? `${join} new_integration ON old_id = ${mapped} ` : "") +
      (isAudit ? "ORDER BY audit_id" : ""),
  );
  // Rows of the next tables are looked up in this one.
  if (added.count >= rowsToAnalyze) await analyze(tx, [table]);
}

async function recordImport(
  tx: Connection,
  { source, signal }: LoadOptions,
  manifest: Manifest,
  business_id: number,
): Promise<void> {
  const { made_at, rows } = summaryOf(manifest);
  const { sha256 } = await fileRecordOf(source, businessManifestName, signal);
  const counts = tablesOf(manifest).filter(({ rows }) => rows > 0);
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
        manifest_sha256: sha256,
        rows,
        tables: Object.fromEntries(counts.map(({ table, rows }) => [table, rows])),
      },
    },
  ]);
}
