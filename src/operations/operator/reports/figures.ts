import { fields, Rejection, readOperation, Type } from "../../../contract/declare.ts";
import { sumActivity } from "../../../database/ledger/activity.ts";
import { figuresOf } from "../../../domain/reports/figures.ts";
import { reportUnits, wholePeriods } from "../../../domain/reports/periods.ts";
import { rangeBefore } from "../../../domain/reports/ranges.ts";
import { checkPastDays, findAskedActivity, ofLocation } from "../../asked-activity.ts";
import { reportedDayFields } from "../../report-days.ts";
import { averageSale, businessFigures, net, placeFigures } from "../../report-figures.ts";

const figures = Type.Object({
  ...placeFigures,
  average_sale: averageSale,
  redemption_percent: fields.nullable(
    net("Points.", 30),
    "The points used for each 100 points given; null if none were given.",
  ),
  ...businessFigures,
  active_members: fields.nullable(
    net("Members.", 131),
    "The members that were active in a whole period, on average; null if no period lies wholly in the days.",
  ),
  returning_members: fields.nullable(
    net("Members.", 96),
    "Those of them that had been active before the period, on average; null if no period lies wholly in the days.",
  ),
});

export const reportFigures = readOperation({
  path: "/op/reports/figures",
  role: "viewer",
  summary: "Report the figures of some days, and those of the days before",
  description:
    "Returns the sums of what happened on some days, and on the days before, to compare them. Days that begin with a month are compared " +
    "with the same part of the month before, or of as many months before, and those that begin with a year with the same part of the " +
    "year before. Other days are compared with as many days before. Numbers of members are averages of days, weeks or months, because " +
    "they don't add up. Only periods that lie wholly in the days count, so that part of a month is not compared with a whole one. " +
    "Without such a period, the numbers are null.",
  message: "Figures reported.",
  input: {
    business_id: fields.businessId,
    ...reportedDayFields,
    through: Type.Optional(fields.day("The last day: today, as by default, or an earlier day.")),
    by: Type.Optional(fields.choice(reportUnits, "The length of these periods; day by default.", "month")),
    ...ofLocation,
  },
  output: Type.Object({
    from: fields.day("The first day."),
    through: fields.day("The last day."),
    figures: { ...figures, description: "The figures of these days." },
    before_from: fields.day("The first day before."),
    before_through: fields.day("The last day before."),
    before: { ...figures, description: "The figures of the days before." },
  }),
  errors: ["location_not_found"],
  check: checkPastDays,
  async read({ services, caller: { businessId }, input }) {
    const asked = await findAskedActivity(services, businessId, input);
    if (asked instanceof Rejection) return asked;
    const { from, through, by } = asked;
    const before = rangeBefore(asked);
    const [now, then] = await services.scans.run(businessId, () =>
      sumActivity(services.longRunning, businessId, asked, before),
    );
    return {
      ...{ from, through, figures: figuresOf(now, wholePeriods(asked, by).count) },
      ...{ before_from: before.from, before_through: before.through },
      before: figuresOf(then, wholePeriods(before, by).count),
    };
  },
});
