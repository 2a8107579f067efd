import { fields, readOperation, Type } from "../../../contract/declare.ts";
import { promotions, vouchers } from "../../../database/catalog.ts";
import {
  countMembersReached,
  findPromotionTotal,
  listPromotionDays,
} from "../../../database/engine/rewards/promotions.ts";
import { findCurrentRules } from "../../../database/engine/rules.ts";
import { worthOf } from "../../../domain/engine/worth.ts";
import { balanceLimit } from "../../../domain/ledger.ts";
import { money, points } from "../../amounts.ts";
import { promotion } from "../../promotions/promotions.ts";
import { findReportedDays, mostReportedDays, reportedDayFields } from "../../report-days.ts";
import { promotionName } from "../../sales/sale-reasons.ts";

const given = {
  sales: fields.count("Sales for which it gave points or a voucher.", 120),
  sales_taken: fields.count("Sales of which refunds took all of it back.", 2),
  points: points("Points that it gave.", 1480),
  points_taken: points("The part of points that refunds took back.", 25),
  sales_amount: fields.inMinorUnits(
    Type.Integer({
      minimum: -balanceLimit,
      maximum: balanceLimit,
      description:
        "What these sales brought, in minor units, less refunds and without what vouchers and points paid.",
      examples: [148_000],
    }),
  ),
};

export const reportPromotion = readOperation({
  path: "/op/promotions/report",
  role: "viewer",
  summary: "Report what a promotion gave",
  message: "Promotion reported.",
  description:
    "Returns what a promotion has given in all, and by day, and what is left of its budget. A day on which it gave and took back " +
    "nothing is left out. Everything counts on the day when it was recorded; members_reached counts by the day of the sale.",
  input: {
    business_id: fields.businessId,
    promotion_id: fields.promotionId,
    ...reportedDayFields,
  },
  output: Type.Object({
    promotion_id: fields.promotionId,
    name: promotionName,
    status: promotion.properties.status,
    members_reached: fields.count(
      "Members to whose sales of these days it gave something that refunds have left.",
      85,
    ),
    sales_reached: fields.count("Sales for which it gave something that refunds have left.", 118),
    points_kept: points("The points that it gave, less those of refunds.", 1455),
    points_amount: money("The worth of these points today", 7275),
    vouchers_kept: fields.count("The vouchers that it gave, less those that refunds took back.", 0),
    stamps_kept: fields.count("The stamps that it gave, less those that refunds took off.", 0),
    vouchers_amount: fields.nullable(
      money("The value of these vouchers by their definition today", 1500),
      "The value of these vouchers by their definition today; null if it depends on the sale that they pay, as for a share or an article.",
    ),
    budget_points: promotion.properties.budget_points,
    budget_left: fields.nullable(
      points("The points that it can still give.", 98_545),
      "The points that it can still give; null without a budget.",
    ),
    days: Type.Array(Type.Object({ day: fields.day("The day of recording."), ...given }), {
      maxItems: mostReportedDays,
      description: "What it gave and took back, by day.",
    }),
  }),
  errors: ["promotion_not_found", "validation_failed"],
  async read({ sql, services, caller: { businessId }, input, reject }) {
    const { promotion_id } = input;
    const found = await promotions.find(sql, businessId, promotion_id);
    if (found === undefined) return reject("promotion_not_found");
    const range = await findReportedDays(sql, businessId, input);
    if ("errors" in range) return reject("validation_failed", range);
    const [rules, members_reached, total, days] = await Promise.all([
      findCurrentRules(sql, businessId),
      services.scans.run(businessId, () =>
        countMembersReached(services.longRunning, businessId, promotion_id, range),
      ),
      findPromotionTotal(services.longRunning, businessId, promotion_id),
      listPromotionDays(services.longRunning, businessId, promotion_id, range),
    ]);
    const { name, status, budget_points, voucher_id, stamps } = found;
    const voucher = voucher_id === null ? undefined : await vouchers.find(sql, businessId, voucher_id);
    const vouchers_kept = voucher === undefined ? 0 : total.sales;
    return {
      ...{ promotion_id, name, status, budget_points, days },
      members_reached,
      sales_reached: total.sales,
      points_kept: total.points,
      points_amount: worthOf(rules, total.points),
      vouchers_kept,
      stamps_kept: total.sales * (stamps ?? 0),
      vouchers_amount: worthOfVouchers(vouchers_kept, voucher),
      budget_left: budget_points === null ? null : Math.max(0, budget_points - total.points),
    };
  },
});

/** The value of vouchers; null if only the sale that they pay says it. */
function worthOfVouchers(count: number, voucher: Awaited<ReturnType<typeof vouchers.find>>): number | null {
  if (voucher === undefined) return 0;
  return voucher.kind === "value" ? count * voucher.coupon_value : null;
}
