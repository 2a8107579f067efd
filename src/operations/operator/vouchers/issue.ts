import { postingForOperators } from "../../for-operators.ts";
import { issueVoucher } from "../../partner/vouchers/issue.ts";

export const issueVoucherForOperator = postingForOperators(issueVoucher, {
  path: "/op/vouchers/issue",
  role: "support",
  event: "voucher.issued",
  summary: "Issue a voucher to a member",
  description:
    "Gives a member a voucher of a definition. The voucher keeps the value and the code that the definition has now. The reason " +
    "is stored in the ledger and in the audit log. To sell one for points, use /op/reward-points/redeem.",
});
