import { fieldError, fields, listOperation, Type } from "../../../contract/declare.ts";
import { findToday } from "../../../database/access/businesses.ts";
import { listActivity } from "../../../database/ledger/activity.ts";
import { addDays } from "../../../domain/dates.ts";
import { reportUnits } from "../../../domain/reports/periods.ts";
import { failuresOfPast } from "../../members/members.ts";
import { locationId, rejectMissingLocations } from "../../records.ts";
import { net, netPoints, placeFigures } from "../../report-figures.ts";

const daysByDefault = 28;

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
    location_id: Type.Optional({
      ...locationId,
      description: "Only what happened at this location. By default, all locations and what has none.",
    }),
  },
  output: Type.Object({
    starts_on: fields.day("The first day of the period."),
    ends_on: fields.day("The last day of the period."),
    ...placeFigures,
    stamps_collected: fields.nullable(
      net("Stamps.", 210),
      "Stamps that sales and operators gave, without those that were taken off; null for one location.",
    ),
    stamp_cards_full: fields.nullable(
      net("Cards.", 18),
      "How often stamp cards were full, without what refunds undid; null for one location.",
    ),
    new_members: fields.nullable(
      net("Members.", 9),
      "Members that joined; null for one location, because members join a business.",
    ),
    referrals_created: fields.nullable(
      net("Referrals.", 5),
      "Members who were brought by another one; null for one location.",
    ),
    referrals_granted: fields.nullable(
      net("Referrals.", 3),
      "Referrals for which both got something; null for one location.",
    ),
    referrals_lapsed: fields.nullable(
      net("Referrals.", 1),
      "Referrals for which nobody got anything: the first sale was too small or given back, or the two were merged; null for one location.",
    ),
    occasions_granted: fields.nullable(
      net("Grants.", 14),
      "How often members got something on an occasion, such as a birthday, a referral or a bulk grant; null for one location.",
    ),
    occasions_points: fields.nullable(
      netPoints("Points.", 900),
      "The points that they got then; null for one location.",
    ),
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
  async check({ from, through }, { services, businessId }) {
    const today = await findToday(services.lookUps, businessId);
    const last = through ?? today;
    return [
      ...(from === undefined ? [] : failuresOfPast("from", from, false)),
      ...(through === undefined || today === undefined
        ? []
        : failuresOfPast("through", through, through > today)),
      ...(from !== undefined && last !== undefined && last < from
        ? [fieldError("from", "out_of_range", "must not be after through, which is today by default")]
        : []),
    ];
  },
  async list({ services, caller: { businessId }, input, page }) {
    const { by = "day", location_id } = input;
    const through = input.through ?? ((await findToday(services.lookUps, businessId)) as string);
    const from = input.from ?? addDays(through, 1 - daysByDefault);
    const named = location_id === undefined ? [] : [location_id];
    const missing = await rejectMissingLocations(services.lookUps, businessId, named);
    if (missing !== undefined) return missing;
    // It adds up the entries that are in no block.
    return services.scans.run(businessId, () =>
      listActivity(services.longRunning, businessId, { from, through, by, location_id }, page),
    );
  },
});
