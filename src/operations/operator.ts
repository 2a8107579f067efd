/** All operator operations, in the order of the documents. */
import type { Operation } from "../contract/operation.ts";
import { listAudit } from "./operator/audit/list.ts";
import { createBusiness } from "./operator/businesses/create.ts";
import { deleteBusinessOperation } from "./operator/businesses/delete.ts";
import { findBusinessesOperation } from "./operator/businesses/find.ts";
import { listBusinessesOperation } from "./operator/businesses/list.ts";
import { updateBusinessOperation } from "./operator/businesses/update.ts";
import { listConsoles } from "./operator/consoles/list.ts";
import { getEngineStatus } from "./operator/engine/status.ts";
import { listEventsForOperator } from "./operator/events/list.ts";
import { exportMembersOperation } from "./operator/exports/members.ts";
import { exportSalesOperation } from "./operator/exports/sales.ts";
import { exportTransactions } from "./operator/exports/transactions.ts";
import { exportVouchersOperation } from "./operator/exports/vouchers.ts";
import { importMembers } from "./operator/imports/members.ts";
import { importSales } from "./operator/imports/sales.ts";
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
import { adjustPointsForOperator } from "./operator/members/adjust-points.ts";
import { adjustWalletForOperator } from "./operator/members/adjust-wallet.ts";
import { assignTier } from "./operator/members/assign-tier.ts";
import { getBalancesForOperator } from "./operator/members/balances.ts";
import { createMemberForOperator } from "./operator/members/create.ts";
import { deactivateMember } from "./operator/members/deactivate.ts";
import { eraseMemberOperation } from "./operator/members/erase.ts";
import { exportMemberOperation } from "./operator/members/export.ts";
import { findMemberForOperator } from "./operator/members/find.ts";
import { getMemberForOperator } from "./operator/members/get.ts";
import { listMembersForOperator } from "./operator/members/list.ts";
import { mergeMembersForOperator } from "./operator/members/merge.ts";
import { getMemberNames } from "./operator/members/names.ts";
import { settleMember } from "./operator/members/settle.ts";
import { updateMemberForOperator } from "./operator/members/update.ts";
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
import { reportActivity } from "./operator/reports/activity.ts";
import { reportLiabilities } from "./operator/reports/liabilities.ts";
import { countRequests } from "./operator/requests/counts.ts";
import { listRequests } from "./operator/requests/list.ts";
import { extendPoints } from "./operator/reward-points/extend.ts";
import { listPointsForOperator } from "./operator/reward-points/list.ts";
import { redeemPointsForOperator } from "./operator/reward-points/redeem.ts";
import { reverseRedemptionForOperator } from "./operator/reward-points/reverse.ts";
import { getRewardSettings } from "./operator/reward-settings/get.ts";
import { getRules } from "./operator/reward-settings/rules/get.ts";
import { updateRules } from "./operator/reward-settings/rules/update.ts";
import { updateRewardSettingsForOperator } from "./operator/reward-settings/update.ts";
import { previewRules } from "./operator/rules/preview.ts";
import { getSaleForOperator } from "./operator/sales/get.ts";
import { listSalesForOperator } from "./operator/sales/list.ts";
import { previewRefund } from "./operator/sales/preview-refund.ts";
import { refundSaleForOperator } from "./operator/sales/refund.ts";
import { advanceClockForOperator } from "./operator/sandbox/clock/advance.ts";
import { getClockForOperator } from "./operator/sandbox/clock/get.ts";
import { changePassword } from "./operator/session/change-password.ts";
import { createSession } from "./operator/session/create.ts";
import { deleteSession } from "./operator/session/delete.ts";
import { getSession } from "./operator/session/get.ts";
import { listSessionsOperation } from "./operator/sessions/list.ts";
import { revokeSessionOperation } from "./operator/sessions/revoke.ts";
import { getStatus } from "./operator/status/get.ts";
import { createTier } from "./operator/tiers/create.ts";
import { deleteTierForOperator } from "./operator/tiers/delete.ts";
import { listTiersForOperator } from "./operator/tiers/list.ts";
import { updateTierForOperator } from "./operator/tiers/update.ts";
import { createTopupBenefitForOperator } from "./operator/topup-benefits/create.ts";
import { listTopupBenefits } from "./operator/topup-benefits/list.ts";
import { updateTopupBenefitForOperator } from "./operator/topup-benefits/update.ts";
import { listTransactionsForOperator } from "./operator/transactions/list.ts";
import { archiveVoucher } from "./operator/vouchers/archive.ts";
import { createVoucher } from "./operator/vouchers/create.ts";
import { listVouchersOfMemberForOperator } from "./operator/vouchers/held.ts";
import { issueVoucherForOperator } from "./operator/vouchers/issue.ts";
import { listVouchers } from "./operator/vouchers/list.ts";
import { redeemVoucherForOperator } from "./operator/vouchers/redeem.ts";
import { reverseVoucherForOperator } from "./operator/vouchers/reverse.ts";
import { updateVoucherOperation } from "./operator/vouchers/update.ts";
import { payFromWalletForOperator } from "./operator/wallet/pay.ts";
import { reverseMovementForOperator } from "./operator/wallet/reverse.ts";
import { topUpWalletForOperator } from "./operator/wallet/topup.ts";
import { getWebhookDeliveryForOperator } from "./operator/webhook-deliveries/get.ts";
import { listWebhookDeliveriesForOperator } from "./operator/webhook-deliveries/list.ts";
import { replayWebhookDeliveriesForOperator } from "./operator/webhook-deliveries/replay.ts";
import { retryWebhookDeliveryForOperator } from "./operator/webhook-deliveries/retry.ts";
import { createWebhookEndpointForOperator } from "./operator/webhook-endpoints/create.ts";
import { deleteWebhookEndpointForOperator } from "./operator/webhook-endpoints/delete.ts";
import { disableWebhookEndpointForOperator } from "./operator/webhook-endpoints/disable.ts";
import { enableWebhookEndpointForOperator } from "./operator/webhook-endpoints/enable.ts";
import { getWebhookEndpointForOperator } from "./operator/webhook-endpoints/get.ts";
import { listWebhookEndpointsForOperator } from "./operator/webhook-endpoints/list.ts";
import { rotateWebhookSecretForOperator } from "./operator/webhook-endpoints/rotate-secret.ts";
import { testWebhookEndpointForOperator } from "./operator/webhook-endpoints/test.ts";
import { updateWebhookEndpointForOperator } from "./operator/webhook-endpoints/update.ts";

export const operatorOperations: readonly Operation[] = [
  createBusiness,
  listBusinessesOperation,
  findBusinessesOperation,
  updateBusinessOperation,
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
  findMemberForOperator,
  getMemberForOperator,
  getMemberNames,
  getBalancesForOperator,
  updateMemberForOperator,
  adjustWalletForOperator,
  adjustPointsForOperator,
  activateMember,
  deactivateMember,
  mergeMembersForOperator,
  eraseMemberOperation,
  exportMemberOperation,
  assignTier,
  settleMember,
  createTier,
  listTiersForOperator,
  updateTierForOperator,
  deleteTierForOperator,
  createProgram,
  listProgramsOperation,
  updateProgramForOperator,
  deleteProgramForOperator,
  createVoucher,
  listVouchers,
  updateVoucherOperation,
  archiveVoucher,
  issueVoucherForOperator,
  redeemVoucherForOperator,
  reverseVoucherForOperator,
  listVouchersOfMemberForOperator,
  createTopupBenefitForOperator,
  listTopupBenefits,
  updateTopupBenefitForOperator,
  topUpWalletForOperator,
  payFromWalletForOperator,
  reverseMovementForOperator,
  getRewardSettings,
  updateRewardSettingsForOperator,
  getRules,
  updateRules,
  previewRules,
  listPointsForOperator,
  redeemPointsForOperator,
  reverseRedemptionForOperator,
  extendPoints,
  getEngineStatus,
  reportLiabilities,
  reportActivity,
  listSalesForOperator,
  getSaleForOperator,
  previewRefund,
  refundSaleForOperator,
  listTransactionsForOperator,
  listEventsForOperator,
  createWebhookEndpointForOperator,
  listWebhookEndpointsForOperator,
  getWebhookEndpointForOperator,
  updateWebhookEndpointForOperator,
  disableWebhookEndpointForOperator,
  enableWebhookEndpointForOperator,
  rotateWebhookSecretForOperator,
  listWebhookDeliveriesForOperator,
  getWebhookDeliveryForOperator,
  replayWebhookDeliveriesForOperator,
  testWebhookEndpointForOperator,
  retryWebhookDeliveryForOperator,
  deleteWebhookEndpointForOperator,
  importMembers,
  importSales,
  importVouchers,
  exportMembersOperation,
  exportTransactions,
  exportSalesOperation,
  exportVouchersOperation,
  getClockForOperator,
  advanceClockForOperator,
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
  listRequests,
  countRequests,
  listAudit,
  getStatus,
  listConsoles,
];
