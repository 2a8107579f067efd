import { fields, listOperation, Type } from "../../../contract/declare.ts";
import { findToday } from "../../../database/access/businesses.ts";
import { listTierReport } from "../../../database/engine/tier-report.ts";
import { findReportedDays, reportedDayFields } from "../../report-days.ts";

const ofTier = (description: string, example: number) =>
  fields.nullable(fields.count("Members.", example), `${description}; null for the members without a tier.`);

export const reportTiers = listOperation({
  path: "/op/reports/tiers",
  role: "viewer",
  summary: "Report the members by tier",
  description:
    "Returns how many members have each tier at the end of the last day, and how many reached and lost it on some days. Tiers are in the " +
    "order of the sales that they need. The members without a tier are last. They are there only if the last day is today, because " +
    "nothing says how many members there were before. A change counts on the day when it was recorded: a tier that ends is taken away in " +
    "the background on that day, or with the next sale.",
  message: "Tiers reported.",
  columns: ["tier_name", "members", "reached", "lost"],
  input: { business_id: fields.businessId, ...reportedDayFields },
  output: Type.Object({
    tier_id: fields.nullable(fields.tierId, "The tier; null for the members without one."),
    tier_name: fields.nullable(fields.tierName, "The name of the tier; null for the members without one."),
    members: fields.count("Members that have it, also inactive ones; or active members without a tier.", 120),
    reached: ofTier("How often a member got it: by sales, by a merge, by hand or with an import", 14),
    lost: ofTier(
      "How often a member no longer had it: it ended, the member got another one, or was merged into another one or erased",
      5,
    ),
  }),
  errors: ["validation_failed"],
  async list({ sql, services: { longRunning, scans }, caller: { businessId }, input, page, reject }) {
    const range = await findReportedDays(sql, businessId, input, null);
    if ("errors" in range) return reject("validation_failed", range);
    const isToday = range.through >= ((await findToday(sql, businessId)) as string);
    return scans.run(businessId, () => listTierReport(longRunning, businessId, { ...range, isToday }, page));
  },
});
