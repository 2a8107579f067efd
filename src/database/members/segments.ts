/** Segments: filters of members that a business has saved under a name. */
import { recordTable } from "../catalog.ts";
import type { Connection } from "../connection.ts";
import { newestFirst } from "../rows.ts";
import type { MemberConditions } from "./filters.ts";

export interface SegmentRow {
  readonly segment_id: number;
  readonly name: string;
  readonly filters: MemberConditions;
}

export const segments = {
  ...recordTable<SegmentRow, "segment_id">(
    "member_segment",
    "segment_id",
    ["name", "filters"],
    newestFirst("segment_id"),
  ),
  present: (sql: Connection, businessId: number) =>
    sql<
      Omit<SegmentRow, "filters">[]
    >`SELECT segment_id, name FROM member_segment WHERE business_id = ${businessId}`,
};
