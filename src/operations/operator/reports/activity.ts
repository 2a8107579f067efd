import { fields, listOperation, Rejection, Type } from "../../../contract/declare.ts";
import { listActivity } from "../../../database/ledger/activity.ts";
import { reportUnits } from "../../../domain/reports/periods.ts";
import { checkPastDays, findAskedActivity, ofLocation } from "../../asked-activity.ts";
import { daysByDefault } from "../../report-days.ts";
import { businessFigures, net, placeFigures } from "../../report-figures.ts";

export const reportActivity = listOperation({
  path: "/op/reports/activity",
  role: "viewer",
  summary: "Report the activity of a business by day, week or month",
  description:
    "Returns what happened in each period, the earliest first. A period in which nothing happened has zeros. Weeks begin on " +
    "Monday. The first and the last period are whole: they can begin before from and end after through. Everything counts " +
    "on the day when it was recorded, in the time zone of the business; imported sales count on the day of the sale. What " +
    "was undone later is subtracted on the day when it was undone, so a number can be negative.",
  message: "Activity reported.",
  columns: [
    ...(["starts_on", "sales", "sales_amount", "points_given", "points_used", "points_expired"] as const),
    ...(["topups_amount", "new_members", "active_members", "returning_members"] as const),
  ],
  input: {
    business_id: fields.businessId,
    from: Type.Optional(
      fields.day(`A day of the first period. By default, ${daysByDefault} days end with through.`),
    ),
    through: Type.Optional(fields.day("A day of the last period: today, as by default, or an earlier day.")),
    by: Type.Optional(fields.choice(reportUnits, "The length of a period; day by default.", "month")),
    ...ofLocation,
  },
  output: Type.Object({
    starts_on: fields.day("The first day of the period."),
    ends_on: fields.day("The last day of the period."),
    ...placeFigures,
    ...businessFigures,
    active_members: net(
      "Members that bought something, topped up their wallet, or paid with their wallet, points or a voucher. Each counts " +
        "once in a period, so the numbers of days don't add up to that of the month.",
      131,
    ),
    returning_members: net(
      "Those of them that had been active before the period, too; for one location, at this location.",
      96,
    ),
  }),
  errors: ["location_not_found"],
  check: checkPastDays,
  async list({ services, caller: { businessId }, input, page }) {
    const asked = await findAskedActivity(services, businessId, input);
    if (asked instanceof Rejection) return asked;
    // It adds up the entries that are in no block.
    return services.scans.run(businessId, () => listActivity(services.longRunning, businessId, asked, page));
  },
});
