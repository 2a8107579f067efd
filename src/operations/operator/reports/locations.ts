import { fields, listOperation, Type } from "../../../contract/declare.ts";
import { listLocationActivity } from "../../../database/ledger/activity-of-locations.ts";
import { nullableLocationId } from "../../records.ts";
import { findReportedDays, reportedDayFields } from "../../report-days.ts";
import { averageSale, placeFigures } from "../../report-figures.ts";

export const reportLocations = listOperation({
  path: "/op/reports/locations",
  role: "viewer",
  summary: "Report the activity of a business by location",
  description:
    "Returns what happened at each location between two days, in the order in which the locations were created, and at the end what has " +
    "no location, such as sales that were imported without one. The rows add up to what the business reports for these days. Open " +
    "locations are there even if nothing happened. Closed ones, and what has no location, are left out then. Everything counts on the " +
    "day when it was recorded, and imported sales on the day of the sale, as in the report by day.",
  message: "Locations reported.",
  columns: [
    ...(["location_name", "sales", "sales_amount", "average_sale", "refunds_amount"] as const),
    ...(["points_given", "points_used", "points_expired", "topups_amount"] as const),
  ],
  input: { business_id: fields.businessId, ...reportedDayFields },
  output: Type.Object({
    location_id: nullableLocationId,
    location_name: fields.nullable(
      fields.text(255, "Its name.", "Main Street"),
      "The name of the location; null for what has none.",
    ),
    closed: fields.flag("Whether the location is closed.", false),
    ...placeFigures,
    average_sale: averageSale,
  }),
  errors: ["validation_failed"],
  async list({ sql, services: { longRunning, scans }, caller: { businessId }, input, page, reject }) {
    const range = await findReportedDays(sql, businessId, input, null);
    if ("errors" in range) return reject("validation_failed", range);
    return scans.run(businessId, () => listLocationActivity(longRunning, businessId, range, page));
  },
});
