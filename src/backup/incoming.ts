/** What must hold for the rows of an exported business. They come from a file that somebody may have changed. */
import type { Connection } from "../database/connection.ts";
import { requiredRow } from "../database/rows.ts";
import { quotedName } from "../database/sql.ts";
import { allScopes, scopesInRealTime } from "../domain/access/access.ts";
import { OperatorError } from "../domain/access/operator-error.ts";
import type { TableRecord } from "./manifest.ts";

/** The temporary table with the rows of a table. */
export const incoming = (table: string) => quotedName(`incoming_${table}`);

/** New records get higher ids than those that came, and no id may come near 2^53. */
const highestId = 10 ** 15;

const textArray = (texts: readonly string[]) => `'{${texts.join(",")}}'::text[]`;
const isOfBusiness = `integration_id IN (SELECT integration_id FROM ${incoming("integration")})`;
const isSandbox = `(SELECT clock_at IS NOT NULL FROM ${incoming("ledger")})`;

/** Whether JSON is the list of the lots that a spending used. Statements that read members take it apart. */
const isUses = `CASE jsonb_typeof(uses) WHEN 'array' THEN NOT EXISTS (
  SELECT FROM jsonb_array_elements(uses) AS used
  WHERE (used->>'lot_id' ~ '^[0-9]{1,16}$' AND used->>'points' ~ '^[0-9]{1,16}$') IS NOT TRUE
) ELSE false END`;

/** Whether JSON is a list of tiers. */
const isTiers = (column: string) => `CASE jsonb_typeof(${column}) WHEN 'array' THEN NOT EXISTS (
  SELECT FROM jsonb_array_elements(${column}) AS tier
  WHERE (jsonb_typeof(tier->'tier_id') = 'number' AND tier->>'since' ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'
    AND tier->>'ends_on' ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$') IS NOT TRUE
) ELSE false END`;

const isObject = (column: string) => `json_typeof(${column}::json) = 'object'`;

/** Conditions on rows, beside the constraints of the tables: what others in this installation rely on. */
const conditions: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  business: {
    "an unknown time zone":
      "EXISTS (SELECT FROM pg_timezone_names z WHERE lower(z.name) = lower(time_zone)) AND time_zone ~* '^([a-z_]+/[a-z0-9_+/-]+|utc|gmt)$'",
    "an unknown currency": "currency ~ '^[A-Z]{3}$' AND currency_decimals BETWEEN 0 AND 4",
  },
  ledger: {
    "a clock that no sandbox can have":
      "clock_at IS NULL OR clock_at BETWEEN now() - interval '50 years' AND now() + interval '50 years'",
  },
  integration: {
    "an unknown scope": `scopes <@ ${textArray(allScopes)}`,
    "a scope of sandboxes, and the business is none": `${isSandbox} OR scopes <@ ${textArray(scopesInRealTime)}`,
    "a client_id of another form": "client_id ~ '^loy_[A-Za-z0-9_-]{16}$'",
  },
  integration_secret: { "an integration that is not in the export": isOfBusiness },
  webhook_endpoint: {
    "an integration that is not in the export": `integration_id IS NULL OR ${isOfBusiness}`,
    "a URL of another protocol": "url ~ '^https?://[^/]'",
  },
  reward_rules: {
    "rules of another form": `${isObject("rules")} AND jsonb_typeof(rules->'tiers') = 'array'`,
  },
  sale: { "uses of another form": isUses },
  points_redemption: { "uses of another form": isUses },
  tier_standing: {
    "tiers of another form": `${isTiers("promised")} AND jsonb_typeof(before_refunds) = 'array'
      AND (rests_on IS NULL OR ${isObject("rests_on")})`,
  },
  event: { "data of another form": isObject("data") },
  rejected_request: { "fields of another form": "json_typeof(field_errors) = 'array'" },
  idempotency_key: { "another business": "named_business_id IS NULL" },
  // The oldest entries are swept in the order in which they came.
  audit_entry: { "a time in the future": "recorded_at <= now() + interval '1 day'" },
};

/** A table of which every business has one row. */
const single = ["business", "ledger"];

/** Checks the rows in the temporary tables. @throws OperatorError for what an export does not write */
export async function checkIncoming(
  tx: Connection,
  tables: readonly Pick<TableRecord, "table" | "identities">[],
  exportedId: number,
): Promise<void> {
  for (const { table, identities } of tables) {
    const all: [what: string, condition: string][] = [
      ["another business", `business_id = ${exportedId}`],
      ...Object.entries(conditions[table] ?? {}),
      ...Object.keys(identities).map((column): [string, string] => [
        `a ${column} that no service makes`,
        `${quotedName(column)} BETWEEN 1 AND ${highestId}`,
      ]),
    ];
    const held = all.map(
      ([, condition], index) => `coalesce(bool_and(coalesce(${condition}, false)), true) AS c${index}`,
    );
    const found = await requiredRow(
      tx.query<Record<string, unknown>[]>(
        `SELECT count(*) AS rows, ${held.join(", ")} FROM ${incoming(table)} AS t`,
      ),
    );
    const broken = all.find((_, index) => found[`c${index}`] !== true);
    if (broken !== undefined) throw untrusted(`its table ${table} has a row with ${broken[0]}`);
    if (single.includes(table) && found.rows !== 1)
      throw untrusted(`its table ${table} has ${found.rows} rows`);
  }
}

const untrusted = (why: string) =>
  new OperatorError(`The export was changed: ${why}. Don't trust it; nothing was imported.`);
