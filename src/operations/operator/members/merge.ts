import { Type } from "typebox";
import * as fields from "../../../contract/fields.ts";
import type { WriteOperation } from "../../../contract/operation.ts";
import { mergeMembers } from "../../partner/members/merge.ts";

/** The partners' operation, for an operator. */
export const mergeMembersForOperator: WriteOperation = {
  ...mergeMembers,
  path: "/op/members/merge",
  role: "manager",
  scope: "operator",
  event: "member.merged",
  input: Type.Object({ business_id: fields.businessId, ...mergeMembers.input.properties }),
};
