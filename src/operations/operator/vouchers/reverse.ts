import { postingForOperators } from "../../for-operators.ts";
import { reverseVoucher } from "../../partner/vouchers/reverse.ts";

export const reverseVoucherForOperator = postingForOperators(reverseVoucher, {
  path: "/op/vouchers/reverse",
  role: "support",
  undoes: true,
  event: "voucher.reversed",
  summary: "Reverse the redemption of a voucher",
  description:
    "Gives a member back a voucher that was redeemed without a sale. If its date has passed meanwhile, it is valid for some " +
    "more days, as the business's rules say of points. A voucher that paid a part of a sale comes back with the sale's refund: " +
    "use /op/sales/refund.",
});
