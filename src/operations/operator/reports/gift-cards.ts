import { fields, readOperation, Type } from "../../../contract/declare.ts";
import { reportGiftMoney } from "../../../database/engine/gift-cards.ts";
import { findReportedDays, reportedDayFields } from "../../report-days.ts";
import { netMoney } from "../../report-figures.ts";

export const reportGiftCards = readOperation({
  path: "/op/reports/gift-cards",
  role: "viewer",
  summary: "Report gift cards that were sold, used and are open",
  message: "Gift cards reported.",
  description:
    "Returns how many gift cards were sold on some days and for how much, what was used of all gift cards on these days, and what is " +
    "left on them at the end of the last day. The money that is left was there before the first day, or was sold, and was neither used " +
    "nor ended: open_amount = open_amount of the day before from + sold_amount - used_amount - ended_amount.",
  input: { business_id: fields.businessId, ...reportedDayFields },
  output: Type.Object({
    from: fields.day("The first day."),
    through: fields.day("The last day."),
    sold: fields.count("Gift cards that were sold.", 20),
    sold_amount: netMoney("The money on them when they were sold, with bonuses", 100_000),
    used_amount: netMoney("What gift cards paid, without what refunds gave back to them", 58_000),
    ended_amount: netMoney(
      "What lapsed, went to members who claimed their gift card, or was taken by hand",
      5000,
    ),
    open: fields.count("Gift cards that had money at the end.", 14),
    open_amount: netMoney("The money on them", 42_000),
  }),
  errors: ["validation_failed"],
  async read({ sql, services: { longRunning, scans }, caller: { businessId }, input, reject }) {
    // It reads what happened on gift cards before these days, too, so a limit would save nothing.
    const range = await findReportedDays(sql, businessId, input, null);
    if ("errors" in range) return reject("validation_failed", range);
    const sums = await scans.run(businessId, () => reportGiftMoney(longRunning, businessId, range));
    return { ...range, ...sums };
  },
});
