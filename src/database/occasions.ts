/** The occasions that a business defines. */
import type { Occasion } from "../domain/engine/rules.ts";
import { acting, isActing, type RecordStatus, recordTable } from "./catalog.ts";
import type { Connection } from "./connection.ts";
import { beginOccasion } from "./engine/rewards/occasions.ts";
import { newestFirst } from "./rows.ts";
import type { ChangeOf } from "./sql.ts";

/** An occasion, as operators define it. */
export interface OccasionRow extends Omit<Occasion, "voucher"> {
  readonly status: RecordStatus;
}

const occasionTable = recordTable<OccasionRow, "occasion_id">(
  "occasion",
  "occasion_id",
  [
    ...(["name", "status", "kind", "days_before", "inactive_days", "minimum_membership_days"] as const),
    ...(["first_day", "last_day", "points", "validity", "validity_period", "voucher_id"] as const),
  ],
  newestFirst("occasion_id"),
);

export const occasions = {
  ...occasionTable,
  async insert(tx: Connection, businessId: number, occasion: Omit<OccasionRow, "occasion_id">) {
    const made = await acting(occasionTable).insert(tx, businessId, occasion);
    if (isActing(made)) await beginOccasion(tx, businessId, made.occasion_id);
    return made;
  },
  async update(
    tx: Connection,
    businessId: number,
    id: number,
    change: ChangeOf<Omit<OccasionRow, "occasion_id">>,
  ) {
    const changed = await acting(occasionTable).update(tx, businessId, id, change);
    if (changed && isActing(changed.after) && !isActing(changed.before))
      await beginOccasion(tx, businessId, id);
    return changed;
  },
  /** Those that have not ended. */
  present: (sql: Connection, businessId: number) =>
    sql<Pick<OccasionRow, "occasion_id" | "name">[]>`
      SELECT occasion_id, name FROM occasion
      WHERE business_id = ${businessId} AND status <> 'ended' ORDER BY business_id, occasion_id`,
};
