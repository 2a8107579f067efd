/** The columns of the tables of lists. */
import type { Operation } from "../../contract/operation.ts";
import { usageError } from "../cli-error.ts";

/** The columns without --wide: as many as fit 100 columns, the most useful first. */
const shown: Readonly<Record<string, readonly string[]>> = {
  "/op/audit/list": ["audit_id", "recorded_at", "business_id", "event", "actor"],
  "/op/businesses/list": ["business_id", "name", "currency", "time_zone", "sandbox"],
  "/op/integrations/list": ["integration_id", "name", "client_id", "enabled", "created_at"],
  "/op/members/list": [
    ...["contact_id", "first_name", "last_name", "phone_number", "tier_name"],
    ...["wallet_balance", "points_balance"],
  ],
};

/** The columns of a list: the fields that its items declare. */
export function allColumnsOf({ output }: Operation): string[] {
  return Object.keys((output as { properties?: object }).properties ?? {});
}

/** The columns that a list shows when nothing is said. */
export function shownColumnsOf(operation: Operation): readonly string[] {
  return shown[operation.path] ?? allColumnsOf(operation);
}

/** @throws CliError when a list has no such column */
export function pickedColumns(operation: Operation, names: readonly string[]): readonly string[] {
  const all = allColumnsOf(operation);
  const wrong = names.filter((name) => !all.includes(name)).map((name) => `"${name}"`);
  if (names.length > 0 && wrong.length === 0) return names;
  throw usageError(
    wrong.length === 0 ? "--columns names no column." : `--columns: no column is named ${wrong.join(", ")}.`,
    `The columns are ${all.join(", ")}.`,
  );
}
