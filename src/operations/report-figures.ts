/** The figures of reports. What was undone is subtracted when it was, so each can be negative. */
import { fields, Type } from "../contract/declare.ts";
import { balanceLimit } from "../domain/ledger.ts";

export const net = (description: string, example: number) =>
  Type.Integer({ minimum: -balanceLimit, maximum: balanceLimit, description, examples: [example] });
export const netMoney = (description: string, example: number) =>
  fields.inMinorUnits(net(`${description}, in minor units.`, example));
export const netPoints = (description: string, example: number) => fields.inPoints(net(description, example));

/** What happens at a location, or at none. Those of days, and of locations, add up. */
export const placeFigures = {
  sales: net("Sales.", 184),
  sales_amount: netMoney("The amount of these sales, without what vouchers and points paid", 412_300),
  refunds: net("Refunds of sales.", 3),
  refunds_amount: netMoney(
    "The amount of these refunds, without vouchers and points that were given back",
    4100,
  ),
  points_given: netPoints("Points that sales gave, without those that refunds took back.", 3980),
  points_used: netPoints("Points that were spent, without those that were put back.", 1200),
  points_expired: netPoints("Points that expired.", 310),
  points_adjusted: netPoints("Points that were added by hand; negative if more were taken.", -50),
  vouchers_issued: net("Vouchers that members got.", 40),
  vouchers_used: net("Vouchers that were redeemed.", 22),
  vouchers_lapsed: net("Vouchers that lapsed.", 4),
  topups: net("Top-ups of wallets.", 12),
  topups_amount: netMoney("The amount that was paid for top-ups", 60_000),
  topups_bonus: netMoney("The bonuses of these top-ups", 6000),
  wallet_paid: netMoney("The amount that wallets paid, for sales and otherwise", 48_250),
  wallet_adjusted: netMoney("The amount that was added to wallets by hand; negative if more was taken", -500),
};

/** What is counted for a business only. */
export const businessFigures = {
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
};

export const averageSale = fields.nullable(
  netMoney("The average of these sales", 2241),
  "The amount of the sales divided by their number, in minor units, rounded; null without sales.",
);
