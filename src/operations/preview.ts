/** The fields of a preview of rules. */
import { fields, Type } from "../contract/declare.ts";
import { mostAffected } from "../domain/engine/preview.ts";
import { balanceLimit } from "../domain/ledger.ts";
import { changesOf, programFields, rateFields } from "./records.ts";
import { money, points } from "./sales.ts";
import { rewardSettings, ruleFields } from "./settings.ts";

const { maximum_points_per_order } = programFields;
export const programChange = Type.Object(
  { program_id: fields.programId, ...changesOf({ ...rateFields, maximum_points_per_order }) },
  { additionalProperties: false },
);
/** The settings that decide what a sale gives. */
export const previewedSettings = changesOf({
  enable_rp: rewardSettings.properties.enable_rp,
  default_program_id: ruleFields.default_program_id,
  earn_on: ruleFields.earn_on,
  value_points: ruleFields.value_points,
  value_amount: ruleFields.value_amount,
});

const outcome = (whose: string, example: number) =>
  Type.Object(
    {
      points: points(`The points that the sales earn with ${whose}, less those of refunds.`, example),
      points_amount: money(
        `The worth of these points with ${whose}, rounded down to whole multiples of value_points`,
        6000,
      ),
      value_points: ruleFields.value_points,
      value_amount: ruleFields.value_amount,
      capped_sales: fields.count(
        "Sales that earn the maximum of an order, and would earn more without it.",
        4,
      ),
      points_over_maximum: points(
        "What these sales would earn above the maximum. Customers who split their purchases get at most this.",
        120,
      ),
    },
    { description: `What ${whose} give.` },
  );

const affected = (which: string) =>
  Type.Array(
    Type.Object({
      contact_id: fields.contactId,
      sales: fields.count("The sales of the member.", 12),
      current_points: points("The member's points with today's rules.", 120),
      proposed_points: points("The member's points with the other rules.", 240),
      difference: fields.inPoints(fields.whole(-balanceLimit, balanceLimit, "The difference.", 120)),
    }),
    {
      maxItems: mostAffected,
      description: `The ${mostAffected} members ${which}, the largest differences first.`,
    },
  );

/** A preview of some members. */
export const previewPart = Type.Object({
  version: fields.whole(
    1,
    balanceLimit,
    "The version of today's rules. It is the same in all parts, unless somebody changes the rules.",
    3,
  ),
  members: fields.count("The members of this part.", 5000),
  members_with_sales: fields.count("Those with sales in the period.", 1000),
  sales: fields.count("Their sales.", 12_083),
  amount: money("The amount of the sales, less refunds", 25_000_000),
  recorded_points: points(
    "The points that the sales earned by the rules of their day, less those of refunds.",
    120_000,
  ),
  current: outcome("today's rules", 120_000),
  proposed: outcome("the other rules", 240_000),
  gains: affected("who would get more points"),
  losses: affected("who would get fewer points"),
  next: fields.nullable(
    fields.contactId,
    "Send it as after to preview the next members; null at the end.",
    105_000,
  ),
});
