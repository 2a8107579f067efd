import { fields, readOperation, Type } from "../../../contract/declare.ts";
import { summarizePoints } from "../../../database/engine/due.ts";
import { findSettings } from "../../../database/engine/rules.ts";
import { worthOf } from "../../../domain/engine/worth.ts";
import { money, points } from "../../amounts.ts";
import * as shared from "../../sales/sales.ts";

export const getEngineStatus = readOperation({
  path: "/op/engine/status",
  role: "viewer",
  summary: "Show all points of a business and their value",
  description:
    "Returns how many points the members of a business can spend, the most that these are worth, and the months in which " +
    "they expire. When points become spendable or expire, the service settles their member in the background: it adds the " +
    "entries to the ledger. The other fields show whether this job is up to date. Members and tills never see points " +
    "that are out of date, even before.",
  message: "State found.",
  input: { business_id: fields.businessId },
  output: Type.Object({
    points: points("Points that can be spent, of all members.", 120_000),
    points_amount: money("The maximum value of these points", 600_000),
    points_pending: points("Points that can't be spent yet.", 4500),
    points_owed: points("Points that members owe.", 12),
    expiring: Type.Array(
      Type.Object({
        month: shared.nullableMonth("The last month in which they can be spent; null if they don't expire."),
        points: points("The points.", 20_000),
      }),
      { maxItems: 1300, description: "The points that can be spent, by month." },
    ),
    members_due: fields.count("Members with points that have matured or expired but are not settled yet.", 0),
    oldest_due: shared.nullableDay("The first day on which points became due; null if nothing is due."),
    last_run_at: fields.nullable(
      fields.timestamp,
      "The last time that the service settled members in the background; null if it never did.",
      "2026-04-17 03:00:00",
    ),
    members_settled: fields.count("Members that it settled then.", 120),
    members_skipped: fields.count(
      "Members that were still due then. The log names some. Verify the ledger.",
      0,
    ),
  }),
  async read({ services, sql, caller: { businessId } }) {
    const [summary, rules] = await Promise.all([
      summarizePoints(services.longRunning, businessId),
      findSettings(sql, businessId),
    ]);
    const { points, ...others } = summary;
    return { points, points_amount: worthOf(rules, points), ...others };
  },
});
