import { forOperators } from "../../for-operators.ts";
import { listVouchersOfMember } from "../../partner/vouchers/list.ts";

export const listVouchersOfMemberForOperator = forOperators(listVouchersOfMember, {
  path: "/op/vouchers/held",
  role: "viewer",
  summary: "List the vouchers of a member",
  description: "Lists the vouchers that were issued to a member, newest first.",
});
