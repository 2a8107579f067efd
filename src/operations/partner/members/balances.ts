import { fields, readOperation, Type } from "../../../contract/declare.ts";
import { expiringPoints, pendingPoints } from "../../../domain/engine/lots.ts";
import { owedOf } from "../../../domain/engine/settle.ts";
import { worthOf } from "../../../domain/engine/worth.ts";
import { money, points } from "../../amounts.ts";
import * as shared from "../../sales/sales.ts";

const many = 10_000;

export const getBalances = readOperation({
  path: "/sp/members/balances",
  scope: "wa.wallet.read",
  summary: "Get a member's balances",
  message: "Balances found.",
  description:
    "Returns the balances of a member: money, points that can be spent and their expiry dates, pending points, and " +
    "owed points.",
  operator: {
    role: "viewer",
    description:
      "Returns the balances of a member: money, points by the last day on which they can be spent, points that can't be " +
      "spent yet, and points that the member owes.",
  },
  input: { contact_id: fields.contactId },
  output: Type.Object({
    rp_name: fields.rpName,
    wallet: money("Money in the wallet", 1370),
    points: points("Points that can be spent.", 165),
    points_amount: money("The value of these points", 825),
    points_pending: Type.Array(
      Type.Object({
        matures_on: fields.day("The first day on which they can be spent."),
        points: points("The points.", 45),
      }),
      { maxItems: many, description: "Points that can't be spent yet, by day." },
    ),
    points_expiring: Type.Array(
      Type.Object({
        valid_through: shared.nullableDay(
          "The last day on which they can be spent; null if they don't expire.",
        ),
        points: points("The points.", 165),
      }),
      { maxItems: many, description: "The points that can be spent, by their last day." },
    ),
    points_owed: shared.pointsOwed,
    vouchers: money("Value of the vouchers that the member has not used"),
    sales: money("Sum of all purchases", 45_120),
  }),
  errors: ["member_not_found"],
  async read({ services, caller: { businessId }, input, reject }) {
    const member = await services.members.find(services.lookUps, { businessId, contactId: input.contact_id });
    if (member === undefined) return reject("member_not_found");
    const { rules, balances, points, due } = member;
    return {
      rp_name: rules.rp_name,
      wallet: balances.wallet,
      points: points.balance,
      points_amount: worthOf(rules, points.balance),
      points_pending: pendingPoints(due),
      points_expiring: expiringPoints(points.balance, due),
      points_owed: owedOf(points),
      vouchers: balances.vouchers,
      sales: balances.sales,
    };
  },
});
