/** The rules of a business as its operator reads and sets them. */
import { Type } from "typebox";
import * as fields from "../contract/fields.ts";
import { amountLimit } from "../domain/ledger.ts";

const whole = (minimum: number, maximum: number, description: string, example: number) =>
  Type.Integer({ minimum, maximum, description, examples: [example] });
const choice = <const Values extends string[]>(values: [...Values], description: string) =>
  Type.Enum(values, { description, examples: [values[0] as string] });

export const ruleFields = {
  default_program_id: Type.Union([fields.programId, Type.Null()], {
    description: "The program by which members earn; null: sales earn nothing.",
    examples: [1],
  }),
  earn_on: choice(
    ["paid", "total"],
    "Whether a sale earns on what money and wallet paid, or also on what points paid.",
  ),
  value_points: whole(1, 1_000_000, "So many points are worth value_amount.", 1),
  value_amount: whole(
    0,
    1_000_000_000,
    "What value_points are worth, in minor units; 0: points can't pay.",
    5,
  ),
  redeem_minimum_points: whole(0, 1_000_000_000, "The fewest points that can be spent at once.", 0),
  points_validity: Type.Union([whole(1, 1200, "", 6), Type.Null()], {
    description:
      "How many periods points are good for; null: they never expire. Set it together with its period.",
    examples: [6],
  }),
  points_validity_period: Type.Union([fields.periodUnit, Type.Null()], {
    description: "The unit of points_validity; null when points never expire.",
    examples: ["month"],
  }),
  points_expiry_rounding: choice(
    ["month_end", "day"],
    "Whether points are good to the end of the month in which they would expire, or to the day.",
  ),
  pending_days: whole(0, 365, "How many days after the sale points can be spent.", 0),
  clawback_shortfall: choice(
    ["owe", "forgive"],
    "What happens when a refund takes back more points than the member has: later points pay it, or it is forgotten.",
  ),
  restored_points_valid_days: whole(
    0,
    365,
    "How many days points are good that a refund gives back after their date has passed.",
    30,
  ),
};

export const rules = Type.Object({
  version: whole(1, amountLimit, "The version, which each change of the rules raises.", 3),
  ...ruleFields,
});
