/** The errors of vouchers and their codes. */
import * as details from "./error-details.ts";

export const voucherErrors = {
  voucher_archived: {
    status: 409,
    message: "The voucher is no longer issued.",
    cause: "The definition of the voucher is archived. Vouchers that members hold stay good.",
    remedy:
      "Issue another voucher: /sp/vouchers/definitions/list shows those that are not archived. Or an operator restores it.",
  },
  voucher_not_usable: {
    status: 409,
    details: details.voucherProblem,
    message: "The voucher can't be used like this.",
    messages: {
      redeemed: "The voucher has been used.",
      lapsed: "The voucher has lapsed. With sold_on, it can pay a sale of a day on which it was valid.",
      location: "The voucher is good at another location only, which is named here.",
      not_needed: "The other vouchers pay all that vouchers can pay. Leave this one out.",
      not_redeemed: "The voucher is not used, so nothing can be reversed.",
      of_a_sale: "The voucher paid a sale. Refund the sale instead.",
      not_for_points: "The voucher has no price in points. Issue it instead.",
      minimum_amount: "The sale is smaller than the minimum of the voucher.",
      no_item: "The voucher pays for no line of the sale. If you sent no lines, send those of the receipt.",
      second_percent: "A sale can use only one voucher for a percentage. Leave this one out.",
      needs_sale: "What the voucher pays depends on the sale. Use it when you record the sale.",
      not_begun: "The code can't be used before its first day, which is named here.",
      ended: "The code can no longer be used.",
      used_up: "The code was used as often as it can be.",
      most_per_member: "The member has used the code as often as a member can.",
      worth_nothing: "The share is less than the smallest amount of money. Leave the voucher out.",
      claimed: "The code was used before.",
    },
    cause: "The reason is in details.reason.",
    remedy:
      "redeemed, lapsed: use another voucher, or send sold_on if the sale was on a day on which it was valid. needs_sale: send it in " +
      "use_vouchers. of_a_sale: refund the sale. not_for_points: issue it instead. not_redeemed: nothing is to be reversed. Otherwise, " +
      "leave it out.",
  },
  voucher_code_not_found: {
    status: 404,
    details: details.codeProblem,
    message: "No voucher of the business has this code. Check how it is written.",
    cause: "A code in use_codes, or the code to claim, is not one of the business.",
    remedy:
      "Check the code. Case, blanks and hyphens make no difference. After 20 wrong codes in a minute, wait.",
  },
} as const;
