import { postingForOperators } from "../../for-operators.ts";
import { redeemVoucher } from "../../partner/vouchers/redeem.ts";

export const redeemVoucherForOperator = postingForOperators(redeemVoucher, {
  path: "/op/vouchers/redeem",
  role: "support",
  event: "voucher.redeemed",
  summary: "Redeem a voucher of a member",
  description:
    "Uses a voucher that the member holds, without a sale. A coupon_code names the voucher of this code that lapses first. The " +
    "reason is stored in the ledger and in the audit log.",
});
