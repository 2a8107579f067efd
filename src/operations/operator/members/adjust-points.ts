import { Type } from "typebox";
import * as fields from "../../../contract/fields.ts";
import type { PostingOperation } from "../../../contract/operation.ts";
import { adjustRewardPoints } from "../../partner/reward-points/adjust.ts";

/** The partners' operation, for an operator: without a location, with a reason, and in the audit log. */
export const adjustPointsForOperator: PostingOperation = {
  ...adjustRewardPoints,
  path: "/op/members/adjust-points",
  scope: "operator",
  event: "member.points_adjusted",
  summary: "Correct a member's reward points",
  description:
    "Credits or debits a member's reward points by hand, with the same effect as an adjustment by a partner, and " +
    "records the reason in the ledger and in the audit log.",
  input: Type.Object({
    business_id: fields.businessId,
    contact_id: fields.contactId,
    points: fields.points,
    adjustment_type: fields.adjustmentType,
    reason: fields.reason,
  }),
};
