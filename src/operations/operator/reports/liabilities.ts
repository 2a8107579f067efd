import { fields, readOperation, type Static, Type } from "../../../contract/declare.ts";
import { findToday } from "../../../database/access/businesses.ts";
import { findLiabilities } from "../../../database/engine/liabilities.ts";
import { type FoundRules, findRules } from "../../../database/engine/members.ts";
import { bonusIn } from "../../../domain/engine/earning/bonus.ts";
import { worthOf } from "../../../domain/engine/worth.ts";
import { money, points } from "../../amounts.ts";
import { failuresOfPast } from "../../members/members.ts";
import * as shared from "../../sales/sales.ts";

const mostMonths = 2600;

const liabilities = Type.Object({
  on: fields.day("The day."),
  points: points("Points that members could spend.", 120_000),
  points_amount: money("The maximum value of these points by the rules of the day", 600_000),
  points_by_month: Type.Array(
    Type.Object({
      month: shared.nullableMonth("The last month in which they can be spent; null if they don't expire."),
      points: points("The points.", 20_000),
      amount: money(
        "Their maximum value. Rounded down by itself, so all months can be worth a little less than the total",
        100_000,
      ),
    }),
    { maxItems: mostMonths, description: "The points that members could spend, by month." },
  ),
  points_pending: points("Points that members had earned, but could not spend yet.", 4500),
  points_pending_amount: money("The maximum value of the pending points", 22_500),
  points_owed: points("Points that members owed, because they had spent points of refunded sales.", 12),
  wallet: money("Money in wallets", 254_000),
  wallet_gift_cards: money("The part of it that was on gift cards", 42_000),
  gift_cards: fields.count("Gift cards that had money.", 14),
  wallet_bonus: money("The part of it that is taken to come from bonuses of top-ups", 21_166),
  wallet_added: money(
    "What top-ups and adjustments have added to wallets until the end of the day, less what they have taken",
    600_000,
  ),
  bonuses_added: money("The bonuses of top-ups in it, without those that were reversed", 50_000),
  vouchers: fields.count("Vouchers that members held.", 40),
  vouchers_amount: money("The value of these vouchers", 20_000),
  vouchers_by_month: Type.Array(
    Type.Object({
      month: shared.nullableMonth("The last month in which they can be used; null if they don't lapse."),
      vouchers: fields.count("The vouchers.", 12),
      amount: money("Their value", 6000),
    }),
    { maxItems: mostMonths, description: "The vouchers that members held, by month." },
  ),
});
export type LiabilitiesReport = Static<typeof liabilities>;

export const reportLiabilities = readOperation({
  path: "/op/reports/liabilities",
  role: "viewer",
  summary: "Report what a business owes its members",
  description:
    "Returns what a business owed its members at the end of a day: points, money in wallets, and vouchers. The day can be any day " +
    "of the past, such as the last day of a year. The report is as if everything that was due by then had been recorded " +
    "then. What is valid through the day is still owed at its end. The contract gives no order in which wallets spend " +
    "bonuses, so the report takes their share to be the same in what was spent and in what is left: " +
    "wallet_bonus = wallet × bonuses_added ÷ wallet_added, rounded down, and at most wallet.",
  message: "Liabilities reported.",
  input: {
    business_id: fields.businessId,
    on: Type.Optional(
      fields.day("The day, in the time zone of the business: today, as by default, or an earlier day."),
    ),
  },
  output: liabilities,
  async check({ on }, { services, businessId }) {
    if (on === undefined) return [];
    const today = await findToday(services.lookUps, businessId);
    return today === undefined ? [] : failuresOfPast("on", on, on > today);
  },
  async read({ services, sql, caller: { businessId }, input }) {
    const today = (await findToday(sql, businessId)) as string;
    const { on = today } = input;
    const [owed, rules] = await Promise.all([
      findLiabilities(services.longRunning, businessId, { day: on, isToday: on === today }),
      findRules(sql, [{ businessId, rulesOn: on }]),
    ]);
    const worth = (points: number) => worthOf((rules[0] as FoundRules).rules, points);
    return {
      on,
      ...owed,
      points_amount: worth(owed.points),
      points_by_month: owed.points_by_month.map((one) => ({ ...one, amount: worth(one.points) })),
      points_pending_amount: worth(owed.points_pending),
      wallet_bonus: bonusIn(owed),
      vouchers_by_month: [...owed.vouchers_by_month],
    };
  },
});
