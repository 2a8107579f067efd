import type { PartnerOperation } from "../contract/operation.ts";
import { issueToken } from "./partner/auth/token.ts";
import { getOwnBusiness } from "./partner/business/get.ts";
import { getCardBalance } from "./partner/cards/balance.ts";
import { blockCard } from "./partner/cards/block.ts";
import { claimCard } from "./partner/cards/claim.ts";
import { createCard } from "./partner/cards/create.ts";
import { issueCard } from "./partner/cards/issue.ts";
import { listCardsOperation } from "./partner/cards/list.ts";
import { replaceCard } from "./partner/cards/replace.ts";
import { listEventsOperation } from "./partner/events/list.ts";
import { listLocationsForPartner } from "./partner/locations/list.ts";
import { deleteMemberTier } from "./partner/member-tiers/delete.ts";
import { listMemberTiers } from "./partner/member-tiers/list.ts";
import { updateMemberTier } from "./partner/member-tiers/update.ts";
import { getBalances } from "./partner/members/balances.ts";
import { createMember } from "./partner/members/create.ts";
import { findMemberOperation } from "./partner/members/find.ts";
import { getMember } from "./partner/members/get.ts";
import { listMembersOperation } from "./partner/members/list.ts";
import { mergeMembers } from "./partner/members/merge.ts";
import { linkMemberPage } from "./partner/members/page-link.ts";
import { changeMemberPassword } from "./partner/members/password/change.ts";
import { updateMemberProfile } from "./partner/members/profile/update.ts";
import { updateMemberOperation } from "./partner/members/update.ts";
import { listPromotions } from "./partner/promotions/list.ts";
import { getReferralCode } from "./partner/referrals/code.ts";
import { createReferral } from "./partner/referrals/create.ts";
import { listReferralsOfMember } from "./partner/referrals/list.ts";
import { listOwnRequests } from "./partner/requests/list.ts";
import { adjustRewardPoints } from "./partner/reward-points/adjust.ts";
import { listPoints } from "./partner/reward-points/list.ts";
import { redeemPoints } from "./partner/reward-points/redeem.ts";
import { reverseRedemption } from "./partner/reward-points/reverse.ts";
import { listRewardPrograms } from "./partner/reward-programs/list.ts";
import { updateRewardProgram } from "./partner/reward-programs/update.ts";
import { getRewardSettings } from "./partner/reward-settings/get.ts";
import { updateRewardSettings } from "./partner/reward-settings/update.ts";
import { getSale } from "./partner/sales/get.ts";
import { listSalesOperation } from "./partner/sales/list.ts";
import { quoteSale } from "./partner/sales/quote.ts";
import { recordSale } from "./partner/sales/record.ts";
import { refundSale } from "./partner/sales/refund.ts";
import { advanceClockOperation } from "./partner/sandbox/clock/advance.ts";
import { getClock } from "./partner/sandbox/clock/get.ts";
import { listStampCards } from "./partner/stamp-cards/list.ts";
import { listTransactionsOperation } from "./partner/transactions/list.ts";
import { claimVoucher } from "./partner/vouchers/claim.ts";
import { listVoucherDefinitions } from "./partner/vouchers/definitions/list.ts";
import { getVoucher } from "./partner/vouchers/get.ts";
import { issueVoucher } from "./partner/vouchers/issue.ts";
import { listVouchersOfMember } from "./partner/vouchers/list.ts";
import { redeemVoucher } from "./partner/vouchers/redeem.ts";
import { reverseVoucher } from "./partner/vouchers/reverse.ts";
import { adjustWallet } from "./partner/wallet/adjust.ts";
import { payFromWallet } from "./partner/wallet/pay.ts";
import { reverseMovement } from "./partner/wallet/reverse.ts";
import { topUpWallet } from "./partner/wallet/topup.ts";
import { createTopupBenefit } from "./partner/wallet/topup-benefits/create.ts";
import { listTopupBenefitsForPartner } from "./partner/wallet/topup-benefits/list.ts";
import { updateTopupBenefit } from "./partner/wallet/topup-benefits/update.ts";
import { getWebhookDelivery } from "./partner/webhook-deliveries/get.ts";
import { listWebhookDeliveries } from "./partner/webhook-deliveries/list.ts";
import { replayWebhookDeliveries } from "./partner/webhook-deliveries/replay.ts";
import { retryWebhookDelivery } from "./partner/webhook-deliveries/retry.ts";
import { createWebhookEndpoint } from "./partner/webhook-endpoints/create.ts";
import { deleteWebhookEndpoint } from "./partner/webhook-endpoints/delete.ts";
import { disableWebhookEndpoint } from "./partner/webhook-endpoints/disable.ts";
import { enableWebhookEndpoint } from "./partner/webhook-endpoints/enable.ts";
import { getWebhookEndpoint } from "./partner/webhook-endpoints/get.ts";
import { listWebhookEndpoints } from "./partner/webhook-endpoints/list.ts";
import { rotateWebhookSecret } from "./partner/webhook-endpoints/rotate-secret.ts";
import { testWebhookEndpoint } from "./partner/webhook-endpoints/test.ts";
import { updateWebhookEndpoint } from "./partner/webhook-endpoints/update.ts";

/** All partner operations, in the order of the documents. */
export const partnerOperations: readonly PartnerOperation[] = [
  issueToken,
  listTransactionsOperation,
  listMembersOperation,
  createMember,
  updateMemberOperation,
  updateMemberProfile,
  changeMemberPassword,
  adjustWallet,
  createTopupBenefit,
  updateTopupBenefit,
  adjustRewardPoints,
  updateRewardSettings,
  updateRewardProgram,
  listMemberTiers,
  updateMemberTier,
  deleteMemberTier,
  getVoucher,
  quoteSale,
  recordSale,
  refundSale,
  getSale,
  listSalesOperation,
  redeemPoints,
  reverseRedemption,
  listPoints,
  listRewardPrograms,
  listPromotions,
  listStampCards,
  getRewardSettings,
  topUpWallet,
  payFromWallet,
  reverseMovement,
  issueVoucher,
  claimVoucher,
  redeemVoucher,
  reverseVoucher,
  listVouchersOfMember,
  findMemberOperation,
  linkMemberPage,
  createCard,
  replaceCard,
  blockCard,
  listCardsOperation,
  issueCard,
  claimCard,
  getCardBalance,
  getReferralCode,
  createReferral,
  listReferralsOfMember,
  mergeMembers,
  getMember,
  getBalances,
  getOwnBusiness,
  listLocationsForPartner,
  listTopupBenefitsForPartner,
  listVoucherDefinitions,
  listEventsOperation,
  listOwnRequests,
  createWebhookEndpoint,
  listWebhookEndpoints,
  getWebhookEndpoint,
  updateWebhookEndpoint,
  disableWebhookEndpoint,
  enableWebhookEndpoint,
  rotateWebhookSecret,
  listWebhookDeliveries,
  getWebhookDelivery,
  replayWebhookDeliveries,
  testWebhookEndpoint,
  retryWebhookDelivery,
  deleteWebhookEndpoint,
  getClock,
  advanceClockOperation,
];
