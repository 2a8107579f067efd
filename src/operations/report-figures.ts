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
