/** All operator operations, in the order of the documents. */
import type { Operation } from "../contract/operation.ts";
import { forOperators } from "./for-operators.ts";
import { deleteAppleWallet } from "./operator/apple-wallet/delete.ts";
import { getAppleWallet } from "./operator/apple-wallet/get.ts";
import { setUpAppleWallet } from "./operator/apple-wallet/set-up.ts";
import { listAudit } from "./operator/audit/list.ts";
import { cancelBulkGrant } from "./operator/bulk-grants/cancel.ts";
import { listBulkGrantsOperation } from "./operator/bulk-grants/list.ts";
import { previewBulkGrant } from "./operator/bulk-grants/preview.ts";
import { resumeBulkGrant } from "./operator/bulk-grants/resume.ts";
import { startBulkGrant } from "./operator/bulk-grants/start.ts";
import { createBusiness } from "./operator/businesses/create.ts";
import { deleteBusinessOperation } from "./operator/businesses/delete.ts";
import { findBusinessesOperation } from "./operator/businesses/find.ts";
import { listBusinessesOperation } from "./operator/businesses/list.ts";
import { setLogo } from "./operator/businesses/logo.ts";
import { updateBusinessOperation } from "./operator/businesses/update.ts";
import { listCardsForOperator } from "./operator/cards/list.ts";
import { listConsoles } from "./operator/consoles/list.ts";
import { getEngineStatus } from "./operator/engine/status.ts";
import { exportCodesOperation } from "./operator/exports/codes.ts";
import { exportMembersOperation } from "./operator/exports/members.ts";
import { exportSalesOperation } from "./operator/exports/sales.ts";
import { exportTransactions } from "./operator/exports/transactions.ts";
import { exportVouchersOperation } from "./operator/exports/vouchers.ts";
import { deleteGoogleWallet } from "./operator/google-wallet/delete.ts";
import { getGoogleWallet } from "./operator/google-wallet/get.ts";
import { setUpGoogleWallet } from "./operator/google-wallet/set-up.ts";
import { cancelImport } from "./operator/imports/cancel.ts";
import { getImport } from "./operator/imports/get.ts";
import { listImports } from "./operator/imports/list.ts";
import { importMembers } from "./operator/imports/members.ts";
import { previewImport } from "./operator/imports/preview.ts";
import { listRejectedLines } from "./operator/imports/rejected.ts";
import { importSales } from "./operator/imports/sales.ts";
import { startImport } from "./operator/imports/start.ts";
import { uploadImport } from "./operator/imports/upload.ts";
import { importVouchers } from "./operator/imports/vouchers.ts";
import { createIntegration } from "./operator/integrations/create.ts";
import { deleteIntegrationOperation } from "./operator/integrations/delete.ts";
import { disableIntegration } from "./operator/integrations/disable.ts";
import { enableIntegration } from "./operator/integrations/enable.ts";
import { getIntegration } from "./operator/integrations/get.ts";
import { listIntegrationsOperation } from "./operator/integrations/list.ts";
import { revokeIntegrationTokens } from "./operator/integrations/revoke-tokens.ts";
import { rotateIntegrationSecret } from "./operator/integrations/rotate-secret.ts";
import { updateIntegrationOperation } from "./operator/integrations/update.ts";
import { verifyLedger } from "./operator/ledger/verify.ts";
import { createLocation } from "./operator/locations/create.ts";
import { listLocations } from "./operator/locations/list.ts";
import { updateLocation } from "./operator/locations/update.ts";
import { activateMember } from "./operator/members/activate.ts";
import { assignTier } from "./operator/members/assign-tier.ts";
import { createMemberForOperator } from "./operator/members/create.ts";
import { deactivateMember } from "./operator/members/deactivate.ts";
import { eraseMemberOperation } from "./operator/members/erase.ts";
import { exportMemberOperation } from "./operator/members/export.ts";
import { getMemberForOperator } from "./operator/members/get.ts";
import { listMembersForOperator } from "./operator/members/list.ts";
import { getMemberNames } from "./operator/members/names.ts";
import { settleMember } from "./operator/members/settle.ts";
import { updateMemberForOperator } from "./operator/members/update.ts";
import { createOccasion } from "./operator/occasions/create.ts";
import { endOccasion } from "./operator/occasions/end.ts";
import { getOccasion } from "./operator/occasions/get.ts";
import { listOccasions } from "./operator/occasions/list.ts";
import { pauseOccasion } from "./operator/occasions/pause.ts";
import { resumeOccasion } from "./operator/occasions/resume.ts";
import { updateOccasion } from "./operator/occasions/update.ts";
import { createOperatorKey } from "./operator/operator-keys/create.ts";
import { listOperatorKeys } from "./operator/operator-keys/list.ts";
import { revokeOperatorKey } from "./operator/operator-keys/revoke.ts";
import { acceptInvitationOperation } from "./operator/operators/accept.ts";
import { createOperator } from "./operator/operators/create.ts";
import { disableOperator } from "./operator/operators/disable.ts";
import { enableOperator } from "./operator/operators/enable.ts";
import { getInvitation } from "./operator/operators/get-invitation.ts";
import { listOperators } from "./operator/operators/list.ts";
import { resetOperator } from "./operator/operators/reset.ts";
import { updateOperator } from "./operator/operators/update.ts";
import { createProgram } from "./operator/programs/create.ts";
import { deleteProgramForOperator } from "./operator/programs/delete.ts";
import { listProgramsOperation } from "./operator/programs/list.ts";
import { updateProgramForOperator } from "./operator/programs/update.ts";
import { createPromotion } from "./operator/promotions/create.ts";
import { endPromotion } from "./operator/promotions/end.ts";
import { getPromotion } from "./operator/promotions/get.ts";
import { listPromotionsForOperator } from "./operator/promotions/list.ts";
import { pausePromotion } from "./operator/promotions/pause.ts";
import { reportPromotion } from "./operator/promotions/report.ts";
import { resumePromotion } from "./operator/promotions/resume.ts";
import { updatePromotion } from "./operator/promotions/update.ts";
import { listReferralsForOperator } from "./operator/referrals/list.ts";
import { reportActivity } from "./operator/reports/activity.ts";
import { reportGiftCards } from "./operator/reports/gift-cards.ts";
import { reportLiabilities } from "./operator/reports/liabilities.ts";
import { countRequests } from "./operator/requests/counts.ts";
import { extendPoints } from "./operator/reward-points/extend.ts";
import { checkEarning } from "./operator/reward-settings/check.ts";
import { getRules } from "./operator/reward-settings/rules/get.ts";
import { updateRules } from "./operator/reward-settings/rules/update.ts";
import { previewRules } from "./operator/rules/preview.ts";
import { previewRefund } from "./operator/sales/preview-refund.ts";
import { createSegment } from "./operator/segments/create.ts";
import { deleteSegment } from "./operator/segments/delete.ts";
import { listSegments } from "./operator/segments/list.ts";
import { updateSegment } from "./operator/segments/update.ts";
import { changePassword } from "./operator/session/change-password.ts";
import { createSession } from "./operator/session/create.ts";
import { deleteSession } from "./operator/session/delete.ts";
import { getSession } from "./operator/session/get.ts";
import { listSessionsOperation } from "./operator/sessions/list.ts";
import { revokeSessionOperation } from "./operator/sessions/revoke.ts";
import { createStampCard } from "./operator/stamp-cards/create.ts";
import { endStampCard } from "./operator/stamp-cards/end.ts";
import { getStampCard } from "./operator/stamp-cards/get.ts";
import { listStampCardsForOperator } from "./operator/stamp-cards/list.ts";
import { pauseStampCard } from "./operator/stamp-cards/pause.ts";
import { reportStampCard } from "./operator/stamp-cards/report.ts";
import { resumeStampCard } from "./operator/stamp-cards/resume.ts";
import { stampByHand } from "./operator/stamp-cards/stamp.ts";
import { updateStampCard } from "./operator/stamp-cards/update.ts";
import { getStatus } from "./operator/status/get.ts";
import { createTier } from "./operator/tiers/create.ts";
import { listTiersForOperator } from "./operator/tiers/list.ts";
import { updateTierForOperator } from "./operator/tiers/update.ts";
import { createTopupBenefitForOperator } from "./operator/topup-benefits/create.ts";
import { listTopupBenefits } from "./operator/topup-benefits/list.ts";
import { updateTopupBenefitForOperator } from "./operator/topup-benefits/update.ts";
import { listTransactionsForOperator } from "./operator/transactions/list.ts";
import { archiveVoucher } from "./operator/vouchers/archive.ts";
import { createVoucher } from "./operator/vouchers/create.ts";
import { createCodes } from "./operator/vouchers/create-codes.ts";
import { listVouchers } from "./operator/vouchers/list.ts";
import { updateVoucherOperation } from "./operator/vouchers/update.ts";
import { blockCard } from "./partner/cards/block.ts";
import { claimCard } from "./partner/cards/claim.ts";
import { createCard } from "./partner/cards/create.ts";
import { issueCard } from "./partner/cards/issue.ts";
import { listCardsOperation } from "./partner/cards/list.ts";
import { replaceCard } from "./partner/cards/replace.ts";
import { listEventsOperation } from "./partner/events/list.ts";
import { deleteMemberTier } from "./partner/member-tiers/delete.ts";
import { getBalances } from "./partner/members/balances.ts";
import { findMemberOperation } from "./partner/members/find.ts";
import { mergeMembers } from "./partner/members/merge.ts";
import { linkMemberPage } from "./partner/members/page-link.ts";
import { listOwnRequests } from "./partner/requests/list.ts";
import { adjustRewardPoints } from "./partner/reward-points/adjust.ts";
import { listPoints } from "./partner/reward-points/list.ts";
import { redeemPoints } from "./partner/reward-points/redeem.ts";
import { reverseRedemption } from "./partner/reward-points/reverse.ts";
import { getRewardSettings } from "./partner/reward-settings/get.ts";
import { updateRewardSettings } from "./partner/reward-settings/update.ts";
import { getSale } from "./partner/sales/get.ts";
import { listSalesOperation } from "./partner/sales/list.ts";
import { refundSale } from "./partner/sales/refund.ts";
import { advanceClockOperation } from "./partner/sandbox/clock/advance.ts";
import { getClock } from "./partner/sandbox/clock/get.ts";
import { listStampCards } from "./partner/stamp-cards/list.ts";
import { issueVoucher } from "./partner/vouchers/issue.ts";
import { listVouchersOfMember } from "./partner/vouchers/list.ts";
import { redeemVoucher } from "./partner/vouchers/redeem.ts";
import { reverseVoucher } from "./partner/vouchers/reverse.ts";
import { adjustWallet } from "./partner/wallet/adjust.ts";
import { payFromWallet } from "./partner/wallet/pay.ts";
import { reverseMovement } from "./partner/wallet/reverse.ts";
import { topUpWallet } from "./partner/wallet/topup.ts";
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

export const operatorOperations: readonly Operation[] = [
  createBusiness,
  listBusinessesOperation,
  findBusinessesOperation,
  updateBusinessOperation,
  setLogo,
  deleteBusinessOperation,
  createLocation,
  listLocations,
  updateLocation,
  createIntegration,
  listIntegrationsOperation,
  getIntegration,
  updateIntegrationOperation,
  rotateIntegrationSecret,
  disableIntegration,
  enableIntegration,
  revokeIntegrationTokens,
  deleteIntegrationOperation,
  createMemberForOperator,
  listMembersForOperator,
  forOperators(findMemberOperation),
  getMemberForOperator,
  getMemberNames,
  forOperators(getBalances),
  updateMemberForOperator,
  forOperators(adjustWallet),
  forOperators(adjustRewardPoints),
  activateMember,
  deactivateMember,
  getAppleWallet,
  setUpAppleWallet,
  deleteAppleWallet,
  getGoogleWallet,
  setUpGoogleWallet,
  deleteGoogleWallet,
  createSegment,
  listSegments,
  updateSegment,
  deleteSegment,
  forOperators(linkMemberPage),
  forOperators(createCard),
  forOperators(replaceCard),
  forOperators(blockCard),
  forOperators(listCardsOperation),
  listCardsForOperator,
  forOperators(issueCard),
  forOperators(claimCard),
  forOperators(mergeMembers),
  eraseMemberOperation,
  exportMemberOperation,
  assignTier,
  settleMember,
  createTier,
  listTiersForOperator,
  updateTierForOperator,
  forOperators(deleteMemberTier),
  createProgram,
  listProgramsOperation,
  updateProgramForOperator,
  deleteProgramForOperator,
  createPromotion,
  listPromotionsForOperator,
  getPromotion,
  updatePromotion,
  pausePromotion,
  resumePromotion,
  endPromotion,
  reportPromotion,
  createOccasion,
  listOccasions,
  getOccasion,
  updateOccasion,
  pauseOccasion,
  resumeOccasion,
  endOccasion,
  previewBulkGrant,
  startBulkGrant,
  listBulkGrantsOperation,
  cancelBulkGrant,
  resumeBulkGrant,
  listReferralsForOperator,
  createStampCard,
  listStampCardsForOperator,
  getStampCard,
  updateStampCard,
  stampByHand,
  pauseStampCard,
  resumeStampCard,
  endStampCard,
  reportStampCard,
  forOperators(listStampCards),
  createVoucher,
  listVouchers,
  updateVoucherOperation,
  archiveVoucher,
  createCodes,
  forOperators(issueVoucher),
  forOperators(redeemVoucher),
  forOperators(reverseVoucher),
  forOperators(listVouchersOfMember),
  createTopupBenefitForOperator,
  listTopupBenefits,
  updateTopupBenefitForOperator,
  forOperators(topUpWallet),
  forOperators(payFromWallet),
  forOperators(reverseMovement),
  forOperators(getRewardSettings),
  forOperators(updateRewardSettings),
  getRules,
  checkEarning,
  updateRules,
  previewRules,
  forOperators(listPoints),
  forOperators(redeemPoints),
  forOperators(reverseRedemption),
  extendPoints,
  getEngineStatus,
  reportLiabilities,
  reportGiftCards,
  reportActivity,
  forOperators(listSalesOperation),
  forOperators(getSale),
  previewRefund,
  forOperators(refundSale),
  listTransactionsForOperator,
  forOperators(listEventsOperation),
  forOperators(createWebhookEndpoint),
  forOperators(listWebhookEndpoints),
  forOperators(getWebhookEndpoint),
  forOperators(updateWebhookEndpoint),
  forOperators(disableWebhookEndpoint),
  forOperators(enableWebhookEndpoint),
  forOperators(rotateWebhookSecret),
  forOperators(listWebhookDeliveries),
  forOperators(getWebhookDelivery),
  forOperators(replayWebhookDeliveries),
  forOperators(testWebhookEndpoint),
  forOperators(retryWebhookDelivery),
  forOperators(deleteWebhookEndpoint),
  uploadImport,
  previewImport,
  startImport,
  getImport,
  listImports,
  listRejectedLines,
  cancelImport,
  importMembers,
  importSales,
  importVouchers,
  exportMembersOperation,
  exportTransactions,
  exportSalesOperation,
  exportVouchersOperation,
  exportCodesOperation,
  forOperators(getClock),
  forOperators(advanceClockOperation),
  verifyLedger,
  createSession,
  getSession,
  changePassword,
  deleteSession,
  listSessionsOperation,
  revokeSessionOperation,
  createOperator,
  listOperators,
  updateOperator,
  disableOperator,
  enableOperator,
  resetOperator,
  getInvitation,
  acceptInvitationOperation,
  createOperatorKey,
  listOperatorKeys,
  revokeOperatorKey,
  forOperators(listOwnRequests),
  countRequests,
  listAudit,
  getStatus,
  listConsoles,
];
