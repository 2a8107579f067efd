/**
 * The operations beyond the contract: for each, a request that nothing is wrong with, and the errors of its own. The tests of
 * all operations read this table.
 */
import { expect } from "vitest";
import type { ErrorCode } from "../../src/contract/errors.ts";
import { newCardCode } from "../../src/credentials/card-codes.ts";

export type Body = Record<string, unknown>;

/** Records of one business, one of each kind that a request can name by its id. */
export interface Records {
  readonly contact_id: number;
  readonly location_id: number;
  readonly benefit_id: number;
  readonly program_id: number;
  readonly tier_id: number;
  readonly voucher_id: number;
  readonly phone_number: string;
  /** A member without a balance, who may be merged into another one. */
  readonly spare_contact_id: number;
  /** Another member, with a sale, a redemption and a payment from the wallet. */
  readonly buyer_contact_id: number;
  readonly sale_id: number;
  readonly redemption_id: number;
  /** The same at a location that a limited integration may not use. */
  readonly third_location_id: number;
  readonly third_sale_id: number;
  readonly third_redemption_id: number;
  readonly movement_id: number;
  readonly third_movement_id: number;
  /** Vouchers of the buyer: one that is held, and one that was redeemed. */
  readonly held_voucher_id: number;
  readonly redeemed_voucher_id: number;
  /** One that is good at the third location only, and was redeemed there. */
  readonly third_held_voucher_id: number;
  /** Unique codes of vouchers. */
  readonly unclaimed_code: string;
  readonly claimed_code: string;
  /** A card of the member, and one that was replaced. */
  readonly card_code: string;
  readonly replaced_card_code: string;
  /** An anonymous card, and the member of another one. */
  readonly anonymous_card_code: string;
  readonly other_anonymous_card_code: string;
  readonly other_anonymous_contact_id: number;
  /** The referral code of the spare member, and a member who can be brought. */
  readonly referral_code: string;
  readonly newcomer_contact_id: number;
  /** A gift card. */
  readonly gift_contact_id: number;
  /** A webhook endpoint of the integration that may do everything, and an event that it is done with. */
  readonly endpoint_id: number;
  readonly event_no: number;
  /** An endpoint of the limited integration, and an event at the third location. */
  readonly limited_endpoint_id: number;
  readonly third_event_no: number;
}

const absent = 9_007_199_254_740_000;

/** Members that the rejections are about. */
export interface RejectedMembers {
  /** Without a balance. */
  readonly poor: number;
  /** With the largest balances. */
  readonly rich: number;
  readonly inactive: number;
  /** One that was merged into the member of the records. */
  readonly merged: number;
  /** A sale that the wallet paid a part of, of a member whose wallet is full. */
  readonly rich_sale_id: number;
  /** A redemption of a member whose points are at their limit. */
  readonly rich_redemption_id: number;
  /** A payment of a member whose wallet is full, and a top-up that was spent. */
  readonly rich_movement_id: number;
  readonly spent_movement_id: number;
  readonly inactive_benefit_id: number;
  readonly archived_voucher_id: number;
  /** Its member has the largest balance of vouchers. */
  readonly rich_redeemed_voucher_id: number;
  /** A redemption that bought a voucher which was used. */
  readonly spent_redemption_id: number;
  readonly disabled_endpoint_id: number;
}

export interface Rejection {
  readonly when: string;
  readonly error: ErrorCode;
  /** The fields that make the difference to the valid request. */
  readonly body: (members: RejectedMembers, records: Records) => Body;
  readonly details?: (records: Records, members: RejectedMembers) => object;
  /** Absent: the integration that may do everything. */
  readonly by?: "limited";
}

interface Row {
  /** A body with every field that the operation takes, but for its key. */
  readonly body: (records: Records) => Body;
  readonly rejections?: readonly Rejection[];
}

const noMember: Rejection = {
  when: "nobody has the contact_id",
  error: "member_not_found",
  body: () => ({ contact_id: absent }),
};
const inactiveMember: Rejection = {
  when: "the member is inactive",
  error: "member_inactive",
  body: ({ inactive }) => ({ contact_id: inactive }),
};
const mergedMember: Rejection = {
  when: "the member was merged into another one",
  error: "member_inactive",
  body: ({ merged }) => ({ contact_id: merged }),
  details: ({ contact_id }) => ({ merged_into: contact_id }),
};
const anonymousMember: Rejection = {
  when: "the member is an anonymous card",
  error: "member_anonymous",
  body: (_members, { other_anonymous_contact_id }) => ({ contact_id: other_anonymous_contact_id }),
};
const noCard: Rejection = {
  when: "no card has the code",
  error: "card_not_found",
  body: () => ({ card_code: "NO-SUCH-CARD" }),
  details: () => ({ reason: "unknown" }),
};
const replacedCard = (more: Body = {}): Rejection => ({
  when: "the card was replaced",
  error: "card_blocked",
  body: (_members, { replaced_card_code }) => ({ ...more, card_code: replaced_card_code }),
  details: () => ({ status: "replaced" }),
});
const giftCard: Rejection = {
  when: "the member is a gift card",
  error: "gift_card_money_only",
  body: (_members, { gift_contact_id }) => ({ contact_id: gift_contact_id }),
};
const noLocation: Rejection = {
  when: "the location does not exist",
  error: "sp_location_not_allowed",
  body: () => ({ location_id: absent }),
  details: () => ({ location_id: absent }),
};
const otherLocation: Rejection = {
  when: "the integration may not use the location",
  error: "sp_location_not_allowed",
  body: (_members, { third_location_id }) => ({ location_id: third_location_id }),
  details: ({ third_location_id }) => ({ location_id: third_location_id }),
  by: "limited",
};
const noSale: Rejection = {
  when: "no sale has the sale_id",
  error: "sale_not_found",
  body: () => ({ sale_id: absent }),
};
const saleElsewhere: Rejection = {
  when: "the integration may not use the sale's location",
  error: "sp_location_not_allowed",
  body: (_members, { third_sale_id }) => ({ sale_id: third_sale_id }),
  details: ({ third_location_id }) => ({ location_id: third_location_id }),
  by: "limited",
};
const dates = (field: string, problem: string) => () => ({
  errors: [{ field, code: "out_of_range", message: expect.stringContaining(problem) }],
});
const fromRich =
  (body: Body) =>
  ({ rich }: RejectedMembers) => ({ contact_id: rich, ...body });
const ofEndpoint: readonly Rejection[] = [
  {
    when: "no endpoint has the endpoint_id",
    error: "webhook_endpoint_not_found",
    body: () => ({ endpoint_id: absent }),
  },
  {
    when: "the endpoint belongs to another integration",
    error: "webhook_endpoint_not_found",
    body: () => ({}),
    by: "limited",
  },
];
const disabledEndpoint: Rejection = {
  when: "the endpoint is disabled",
  error: "webhook_endpoint_disabled",
  body: ({ disabled_endpoint_id }) => ({ endpoint_id: disabled_endpoint_id }),
};
const noEvent: Rejection = {
  when: "no event has the event_no",
  error: "event_not_found",
  body: () => ({ event_no: absent }),
};
const eventElsewhere: Rejection = {
  when: "the integration may not use the location of the event",
  error: "sp_location_not_allowed",
  body: (_members, records) => ({
    endpoint_id: records.limited_endpoint_id,
    event_no: records.third_event_no,
  }),
  details: ({ third_location_id }) => ({ location_id: third_location_id }),
  by: "limited",
};
const notHeld: Rejection = {
  when: "the member holds no such voucher",
  error: "voucher_not_held",
  body: () => ({ held_voucher_id: absent }),
};
const wronglyUsed = (when: string, reason: string, body: (records: Records) => Body): Rejection => ({
  when,
  error: "voucher_not_usable",
  body: (_members, records) => body(records),
  details: () => ({ reason, held_voucher_id: expect.toBeOneOf([null, expect.any(Number)]) }),
});
const noVoucher: Rejection = {
  when: "no voucher has the voucher_id",
  error: "voucher_not_found",
  body: () => ({ voucher_id: absent, points: undefined }),
};
const archived: Rejection = {
  when: "the voucher is archived",
  error: "voucher_archived",
  body: ({ archived_voucher_id }) => ({ voucher_id: archived_voucher_id, points: undefined }),
};
const saleRejections: readonly Rejection[] = [
  noLocation,
  otherLocation,
  noMember,
  inactiveMember,
  mergedMember,
  {
    when: "the wallet holds less",
    error: "insufficient_balance",
    body: ({ poor }) => ({ contact_id: poor, use_wallet: 1 }),
    details: () => ({ account: "wallet", balance: 0 }),
  },
  {
    when: "the member has fewer points",
    error: "insufficient_balance",
    body: ({ poor }) => ({ contact_id: poor, use_points: 10 }),
    details: () => ({ account: "points", balance: 0 }),
  },
  {
    when: "what was bought would pass the largest balance",
    error: "balance_limit_exceeded",
    body: fromRich({}),
    details: () => ({ account: "sales", balance: Number.MAX_SAFE_INTEGER }),
  },
  {
    when: "the points are no multiple of the step",
    error: "redemption_not_allowed",
    body: fromRich({ use_points: 15 }),
    details: () => ({ reason: "step", step: 10 }),
  },
  {
    when: "the points are fewer than the minimum",
    error: "redemption_not_allowed",
    body: fromRich({ use_points: 5 }),
    details: () => ({ reason: "minimum", minimum_points: 10 }),
  },
  {
    when: "the points are worth more than the sale",
    error: "redemption_not_allowed",
    body: fromRich({ amount: 40, eligible_amount: 0, use_points: 10 }),
    details: () => ({ reason: "exceeds_amount", maximum_points: 0 }),
  },
  {
    when: "points and wallet are worth more than the sale",
    error: "redemption_not_allowed",
    body: fromRich({ amount: 100, eligible_amount: 0, use_points: 10, use_wallet: 60 }),
    details: () => ({ reason: "exceeds_amount", maximum_amount: 50 }),
  },
  { ...notHeld, body: () => ({ use_vouchers: [absent] }) },
  {
    when: "no voucher has the code",
    error: "voucher_code_not_found",
    body: () => ({ use_codes: ["NONE"] }),
    details: () => ({ field: "use_codes.0" }),
  },
  {
    when: "the code is of an archived voucher",
    error: "voucher_archived",
    body: () => ({ use_codes: ["old20"] }),
  },
  wronglyUsed("a voucher was redeemed", "redeemed", ({ buyer_contact_id, redeemed_voucher_id }) => ({
    contact_id: buyer_contact_id,
    use_vouchers: [redeemed_voucher_id],
  })),
  {
    when: "the sale is of tomorrow",
    error: "validation_failed",
    body: () => ({ sold_on: "2099-01-01" }),
    details: dates("sold_on", "must be a day from"),
  },
  {
    when: "the sale is too long ago",
    error: "validation_failed",
    body: () => ({ sold_on: "1999-01-01" }),
    details: dates("sold_on", "must be a day from"),
  },
  {
    when: "no more can earn than was bought",
    error: "validation_failed",
    body: () => ({ amount: 100, eligible_amount: 101 }),
    details: dates("eligible_amount", "must not be more than amount"),
  },
];
const sale = ({ contact_id, location_id }: Records): Body => ({
  contact_id,
  location_id,
  amount: 2500,
  eligible_amount: 2400,
});

export const engineOperations: Record<string, Row> = {
  "/sp/sales/quote": { body: sale, rejections: saleRejections },
  "/sp/sales/record": {
    body: (records) => ({ ...sale(records), reference_id: "receipt-000812" }),
    rejections: saleRejections,
  },
  "/sp/sales/refund": {
    body: ({ sale_id, location_id }) => ({ sale_id, location_id, amount: 1, reason: "Too small" }),
    rejections: [
      noLocation,
      otherLocation,
      noSale,
      saleElsewhere,
      {
        when: "it is more than is left of the sale",
        error: "refund_exceeds_sale",
        body: (_members, { third_sale_id }) => ({ sale_id: third_sale_id, amount: 5001 }),
        details: () => ({ refundable: 5000 }),
      },
      {
        when: "the wallet would pass the largest balance",
        error: "balance_limit_exceeded",
        body: ({ rich_sale_id }) => ({ sale_id: rich_sale_id, amount: 500 }),
        details: () => ({ account: "wallet", balance: Number.MAX_SAFE_INTEGER }),
      },
    ],
  },
  "/sp/sales/get": { body: ({ sale_id }) => ({ sale_id }), rejections: [noSale, saleElsewhere] },
  "/sp/sales/list": {
    body: ({ contact_id, location_id }) => ({
      contact_id,
      location_id,
      reference_id: "receipt-000812",
      start_date: "2026-01-01",
      end_date: "2026-12-31",
      per_page: 10,
      page: 1,
    }),
    rejections: [noLocation, otherLocation],
  },
  "/sp/reward-points/redeem": {
    body: ({ buyer_contact_id, location_id }) => ({
      contact_id: buyer_contact_id,
      location_id,
      points: 10,
      reason: "A mug",
      reference_id: "mug-7",
    }),
    rejections: [
      noLocation,
      otherLocation,
      noMember,
      inactiveMember,
      mergedMember,
      {
        when: "the member has fewer points",
        error: "insufficient_balance",
        body: ({ poor }) => ({ contact_id: poor }),
        details: () => ({ account: "points", balance: 0 }),
      },
      {
        when: "the points are fewer than the minimum",
        error: "redemption_not_allowed",
        body: () => ({ points: 5 }),
        details: () => ({ reason: "minimum", minimum_points: 10 }),
      },
      noVoucher,
      archived,
      wronglyUsed("the voucher has no price in points", "not_for_points", ({ voucher_id }) => ({
        voucher_id,
        points: undefined,
      })),
      {
        when: "the vouchers would pass the largest balance",
        error: "balance_limit_exceeded",
        body: ({ rich }, { voucher_id }) => ({ contact_id: rich, voucher_id, points: undefined }),
        details: () => ({ account: "vouchers", balance: Number.MAX_SAFE_INTEGER }),
      },
    ],
  },
  "/sp/reward-points/reverse": {
    body: ({ redemption_id }) => ({ redemption_id, reason: "Out of mugs" }),
    rejections: [
      {
        when: "no redemption has the redemption_id",
        error: "redemption_not_found",
        body: () => ({ redemption_id: absent }),
      },
      {
        when: "the integration may not use the redemption's location",
        error: "sp_location_not_allowed",
        body: (_members, { third_redemption_id }) => ({ redemption_id: third_redemption_id }),
        details: ({ third_location_id }) => ({ location_id: third_location_id }),
        by: "limited",
      },
      {
        when: "the voucher that it bought was used",
        error: "voucher_not_usable",
        body: ({ spent_redemption_id }) => ({ redemption_id: spent_redemption_id }),
        details: () => ({ reason: "redeemed", held_voucher_id: expect.any(Number) }),
      },
      {
        when: "the points would pass the largest balance",
        error: "balance_limit_exceeded",
        body: ({ rich_redemption_id }) => ({ redemption_id: rich_redemption_id }),
        details: () => ({ account: "points", balance: Number.MAX_SAFE_INTEGER }),
      },
    ],
  },
  "/sp/vouchers/issue": {
    body: ({ contact_id, voucher_id, location_id }) => ({
      contact_id,
      voucher_id,
      location_id,
      reference_id: "sorry-7",
      reason: "Sorry for the wait",
    }),
    rejections: [
      giftCard,
      noLocation,
      otherLocation,
      noMember,
      inactiveMember,
      mergedMember,
      noVoucher,
      archived,
      {
        when: "the vouchers would pass the largest balance",
        error: "balance_limit_exceeded",
        body: fromRich({}),
        details: () => ({ account: "vouchers", balance: Number.MAX_SAFE_INTEGER }),
      },
    ],
  },
  "/sp/vouchers/claim": {
    body: ({ contact_id, unclaimed_code }) => ({ contact_id, code: unclaimed_code.toLowerCase() }),
    rejections: [
      giftCard,
      noMember,
      inactiveMember,
      mergedMember,
      {
        when: "no voucher has the code",
        error: "voucher_code_not_found",
        body: () => ({ code: "NO-SUCH-CODE" }),
        details: () => ({ field: "code" }),
      },
      {
        when: "the voucher is archived",
        error: "voucher_archived",
        body: () => ({ code: "K7QD-3MVX-9TRC" }),
      },
      {
        when: "the integration may not use the location of the voucher",
        error: "sp_location_not_allowed",
        body: () => ({ code: "K7QD-3MVX-9TRD" }),
        details: ({ third_location_id }) => ({ location_id: third_location_id }),
        by: "limited",
      },
      {
        when: "the code has claimed its voucher",
        error: "voucher_not_usable",
        body: (_members, { claimed_code }) => ({ code: claimed_code }),
        details: () => ({ reason: "claimed", held_voucher_id: null, field: "code" }),
      },
      {
        when: "the vouchers would pass the largest balance",
        error: "balance_limit_exceeded",
        body: fromRich({}),
        details: () => ({ account: "vouchers", balance: Number.MAX_SAFE_INTEGER }),
      },
    ],
  },
  "/sp/vouchers/redeem": {
    body: ({ buyer_contact_id, location_id, held_voucher_id }) => ({
      contact_id: buyer_contact_id,
      location_id,
      held_voucher_id,
      reference_id: "coffee-7",
    }),
    rejections: [
      noLocation,
      otherLocation,
      noMember,
      inactiveMember,
      mergedMember,
      notHeld,
      wronglyUsed("the voucher was redeemed", "redeemed", ({ redeemed_voucher_id }) => ({
        held_voucher_id: redeemed_voucher_id,
      })),
    ],
  },
  "/sp/vouchers/reverse": {
    body: ({ redeemed_voucher_id }) => ({ held_voucher_id: redeemed_voucher_id, reason: "Out of coffee" }),
    rejections: [
      notHeld,
      wronglyUsed("the voucher is held", "not_redeemed", ({ held_voucher_id }) => ({ held_voucher_id })),
      {
        when: "the integration may not use the location of the voucher",
        error: "sp_location_not_allowed",
        body: (_members, { third_held_voucher_id }) => ({ held_voucher_id: third_held_voucher_id }),
        details: ({ third_location_id }) => ({ location_id: third_location_id }),
        by: "limited",
      },
      {
        when: "the vouchers would pass the largest balance",
        error: "balance_limit_exceeded",
        body: ({ rich_redeemed_voucher_id }) => ({ held_voucher_id: rich_redeemed_voucher_id }),
        details: () => ({ account: "vouchers", balance: Number.MAX_SAFE_INTEGER }),
      },
    ],
  },
  "/sp/vouchers/list": {
    body: ({ buyer_contact_id }) => ({ contact_id: buyer_contact_id, status: "held", per_page: 10, page: 1 }),
    rejections: [noMember],
  },
  "/sp/wallet/topup": {
    body: ({ contact_id, location_id }) => ({
      contact_id,
      location_id,
      amount: 500,
      reference_id: "topup-7",
    }),
    rejections: [
      giftCard,
      noLocation,
      otherLocation,
      noMember,
      inactiveMember,
      mergedMember,
      {
        when: "no top-up benefit has the benefit_id",
        error: "benefit_not_found",
        body: () => ({ benefit_id: absent, amount: undefined }),
      },
      {
        when: "the top-up benefit is inactive",
        error: "benefit_inactive",
        body: ({ inactive_benefit_id }) => ({ benefit_id: inactive_benefit_id, amount: undefined }),
      },
      {
        when: "the wallet would pass the largest balance",
        error: "balance_limit_exceeded",
        body: fromRich({}),
        details: () => ({ account: "wallet", balance: Number.MAX_SAFE_INTEGER }),
      },
    ],
  },
  "/sp/wallet/pay": {
    body: ({ buyer_contact_id, location_id }) => ({
      contact_id: buyer_contact_id,
      location_id,
      amount: 10,
      reason: "Locker",
      reference_id: "locker-7",
    }),
    rejections: [
      noLocation,
      otherLocation,
      noMember,
      inactiveMember,
      mergedMember,
      {
        when: "the wallet holds less",
        error: "insufficient_balance",
        body: ({ poor }) => ({ contact_id: poor }),
        details: () => ({ account: "wallet", balance: 0 }),
      },
    ],
  },
  "/sp/wallet/reverse": {
    body: ({ movement_id, location_id }) => ({ movement_id, location_id, reason: "Wrong member" }),
    rejections: [
      noLocation,
      otherLocation,
      {
        when: "no top-up or payment has the movement_id",
        error: "movement_not_found",
        body: () => ({ movement_id: absent }),
      },
      {
        when: "the integration may not use the location of the payment",
        error: "sp_location_not_allowed",
        body: (_members, { third_movement_id }) => ({ movement_id: third_movement_id }),
        details: ({ third_location_id }) => ({ location_id: third_location_id }),
        by: "limited",
      },
      {
        when: "the top-up was spent",
        error: "insufficient_balance",
        body: ({ spent_movement_id }) => ({ movement_id: spent_movement_id }),
        details: () => ({ account: "wallet", balance: 0 }),
      },
      {
        when: "the wallet would pass the largest balance",
        error: "balance_limit_exceeded",
        body: ({ rich_movement_id }) => ({ movement_id: rich_movement_id }),
        details: () => ({ account: "wallet", balance: Number.MAX_SAFE_INTEGER }),
      },
    ],
  },
  "/sp/reward-points/list": {
    body: ({ contact_id }) => ({ contact_id, include_closed: true, per_page: 10, page: 1 }),
    rejections: [noMember],
  },
  "/sp/events/list": {
    body: ({ contact_id }) => ({ after: 0, types: ["sale.*", "wallet.adjusted"], contact_id, limit: 10 }),
  },
  "/sp/requests/list": {
    body: () => ({
      operation: "/sp/sales/record",
      since: "2026-01-01",
      until: "2099-12-31 23:59:59",
      status: 422,
      error_code: "validation_failed",
      per_page: 10,
      page: 1,
    }),
  },
  "/sp/webhook-endpoints/create": {
    body: () => ({
      url: "https://receiver.invalid/webhooks",
      types: ["sale.*", "member.updated"],
      description: "Data warehouse",
      headers: [{ name: "Authorization", value: "Bearer 5Vn0JqM2" }],
      max_in_flight: 4,
      ordered: true,
    }),
  },
  "/sp/webhook-endpoints/update": {
    body: ({ endpoint_id }) => ({
      endpoint_id,
      url: "https://other.invalid/",
      types: ["*"],
      description: null,
      headers: [],
      max_in_flight: 32,
      ordered: false,
    }),
    rejections: ofEndpoint,
  },
  "/sp/webhook-endpoints/list": { body: () => ({ per_page: 10, page: 1 }) },
  "/sp/webhook-endpoints/get": { body: ({ endpoint_id }) => ({ endpoint_id }), rejections: ofEndpoint },
  "/sp/webhook-endpoints/disable": { body: ({ endpoint_id }) => ({ endpoint_id }), rejections: ofEndpoint },
  "/sp/webhook-endpoints/enable": {
    body: ({ endpoint_id }) => ({ endpoint_id, from: "now" }),
    rejections: ofEndpoint,
  },
  "/sp/webhook-endpoints/rotate-secret": {
    body: ({ endpoint_id }) => ({ endpoint_id, overlap_seconds: 60 }),
    rejections: ofEndpoint,
  },
  "/sp/webhook-endpoints/test": {
    body: ({ endpoint_id }) => ({ endpoint_id, type: "member.updated" }),
    rejections: ofEndpoint,
  },
  "/sp/webhook-endpoints/delete": { body: ({ endpoint_id }) => ({ endpoint_id }), rejections: ofEndpoint },
  "/sp/webhook-deliveries/list": {
    body: ({ endpoint_id }) => ({
      endpoint_id,
      status: "failed",
      since: "2026-01-01",
      before: "1776410999123456.812",
      limit: 10,
    }),
    rejections: ofEndpoint,
  },
  "/sp/webhook-deliveries/get": {
    body: ({ endpoint_id, event_no }) => ({ endpoint_id, event_no }),
    rejections: [...ofEndpoint, noEvent, eventElsewhere],
  },
  "/sp/webhook-deliveries/retry": {
    body: ({ endpoint_id, event_no }) => ({ endpoint_id, event_no }),
    rejections: [...ofEndpoint, noEvent, eventElsewhere, disabledEndpoint],
  },
  "/sp/webhook-deliveries/replay": {
    body: ({ endpoint_id }) => ({
      endpoint_id,
      since: "2026-01-01",
      until: "2026-01-02 12:00:00",
      only_failed: true,
      dry_run: false,
    }),
    rejections: [...ofEndpoint, disabledEndpoint],
  },
  "/sp/reward-programs/list": { body: () => ({ per_page: 10, page: 1 }) },
  "/sp/promotions/list": {
    body: ({ location_id, contact_id }) => ({ location_id, contact_id, per_page: 10, page: 1 }),
    rejections: [
      noLocation,
      otherLocation,
      {
        when: "no member has the contact_id",
        error: "member_not_found",
        body: () => ({ contact_id: absent }),
      },
    ],
  },
  "/sp/stamp-cards/list": {
    body: ({ contact_id }) => ({ contact_id, per_page: 10, page: 1 }),
    rejections: [
      {
        when: "no member has the contact_id",
        error: "member_not_found",
        body: () => ({ contact_id: absent }),
      },
    ],
  },
  "/sp/reward-settings/get": { body: () => ({}) },
  "/sp/business/get": { body: () => ({}) },
  "/sp/locations/list": { body: () => ({ per_page: 10, page: 1 }) },
  "/sp/wallet/topup-benefits/list": { body: () => ({ include_inactive: true, per_page: 10, page: 1 }) },
  "/sp/vouchers/definitions/list": { body: () => ({ include_archived: true, per_page: 10, page: 1 }) },
  "/sp/members/find": {
    body: ({ phone_number }) => ({ phone_number }),
    rejections: [
      {
        when: "nobody has the phone number",
        error: "member_not_found",
        body: () => ({ phone_number: "+34999999999" }),
      },
      {
        when: "no card has the code",
        error: "card_not_found",
        body: () => ({ phone_number: undefined, card_code: "7301 9482 1165 0341" }),
        details: () => ({ reason: "check_digit" }),
      },
      replacedCard({ phone_number: undefined }),
    ],
  },
  "/sp/members/page-link": {
    body: ({ contact_id }) => ({ contact_id, replace: false }),
    rejections: [noMember, mergedMember],
  },
  "/sp/cards/create": {
    body: ({ contact_id }) => ({ contact_id, kind: "plastic", card_code: newCardCode() }),
    rejections: [
      noMember,
      mergedMember,
      anonymousMember,
      {
        when: "another card has the number",
        error: "card_already_exists",
        body: (_members, { card_code }) => ({ card_code }),
      },
    ],
  },
  "/sp/cards/replace": {
    body: ({ card_code }) => ({ card_code, new_card_code: newCardCode() }),
    rejections: [
      noCard,
      replacedCard(),
      {
        when: "another card has the new number",
        error: "card_already_exists",
        body: (_members, { replaced_card_code }) => ({ new_card_code: replaced_card_code }),
      },
    ],
  },
  "/sp/cards/issue": {
    body: ({ location_id }) => ({
      ...{ location_id, kind: "plastic", card_code: newCardCode(), amount: 500 },
      ...{ reference_id: `R-${newCardCode()}`, reason: "A prize" },
    }),
    rejections: [
      {
        when: "a gift card may have less",
        error: "gift_card_limit_exceeded",
        body: () => ({ kind: "gift", benefit_id: undefined, amount: 1_000_000_000_000 }),
        details: () => ({ maximum: 999_999_999_999 }),
      },
      {
        when: "another card has the number",
        error: "card_already_exists",
        body: (_members, { card_code }) => ({ card_code }),
      },
      noLocation,
      otherLocation,
      {
        when: "the benefit is sold no more",
        error: "benefit_inactive",
        body: ({ inactive_benefit_id }) => ({ benefit_id: inactive_benefit_id, amount: undefined }),
      },
      {
        when: "the benefit does not exist",
        error: "benefit_not_found",
        body: () => ({ benefit_id: 999_999_999, amount: undefined }),
      },
    ],
  },
  "/sp/cards/claim": {
    body: ({ anonymous_card_code, contact_id }) => ({ card_code: anonymous_card_code, contact_id }),
    rejections: [
      noCard,
      replacedCard(),
      noMember,
      {
        when: "the member is inactive",
        error: "member_inactive",
        body: ({ inactive }) => ({ contact_id: inactive }),
        details: (_records, { inactive }) => ({ contact_id: inactive }),
      },
      {
        when: "the balances together would be too large",
        error: "balance_limit_exceeded",
        body: ({ rich }) => ({ contact_id: rich }),
        details: () => ({ account: "wallet", balance: Number.MAX_SAFE_INTEGER }),
      },
      {
        when: "a person has the card",
        error: "card_already_claimed",
        body: (_members, { card_code, spare_contact_id }) => ({ card_code, contact_id: spare_contact_id }),
      },
      {
        when: "the card is the member's own",
        error: "card_already_claimed",
        body: (_members, { card_code, contact_id }) => ({ card_code, contact_id }),
      },
      {
        when: "the member is another anonymous card",
        error: "member_anonymous",
        body: (_members, { other_anonymous_contact_id }) => ({ contact_id: other_anonymous_contact_id }),
      },
    ],
  },
  "/sp/cards/balance": {
    body: ({ anonymous_card_code }) => ({ card_code: anonymous_card_code }),
    rejections: [noCard, replacedCard()],
  },
  "/sp/cards/block": { body: ({ card_code }) => ({ card_code }), rejections: [noCard] },
  "/sp/cards/list": {
    body: ({ contact_id }) => ({ contact_id, per_page: 10, page: 1 }),
    rejections: [noMember],
  },
  "/sp/referrals/code": {
    body: ({ contact_id }) => ({ contact_id }),
    rejections: [noMember, inactiveMember, mergedMember, anonymousMember],
  },
  "/sp/referrals/create": {
    body: ({ newcomer_contact_id, referral_code }) => ({
      contact_id: newcomer_contact_id,
      referral_code: referral_code.toLowerCase(),
    }),
    rejections: [
      noMember,
      inactiveMember,
      mergedMember,
      anonymousMember,
      {
        when: "no member has the code",
        error: "referral_code_not_found",
        body: () => ({ referral_code: "NOSUCHCD" }),
      },
      {
        when: "the code is the member's own",
        error: "referral_refused",
        body: (_members, { spare_contact_id }) => ({ contact_id: spare_contact_id }),
        details: () => ({ reason: "own_code" }),
      },
      {
        when: "another one has brought the member",
        error: "referral_refused",
        body: (_members, { buyer_contact_id }) => ({ contact_id: buyer_contact_id }),
        details: () => ({ reason: "already_referred" }),
      },
    ],
  },
  "/sp/referrals/list": {
    body: ({ contact_id }) => ({ contact_id, per_page: 10, page: 1 }),
    rejections: [noMember],
  },
  "/sp/members/merge": {
    body: ({ spare_contact_id, contact_id }) => ({
      from_contact_id: spare_contact_id,
      contact_id,
      dry_run: false,
    }),
    rejections: [
      noMember,
      {
        when: "the member that would remain is an anonymous card",
        error: "member_anonymous",
        body: (_members, { other_anonymous_contact_id }) => ({ contact_id: other_anonymous_contact_id }),
      },
      {
        when: "both are the same",
        error: "members_are_the_same",
        body: (_members, { spare_contact_id }) => ({ contact_id: spare_contact_id }),
      },
      {
        when: "the member was merged before",
        error: "already_merged",
        body: ({ merged }) => ({ from_contact_id: merged }),
        details: ({ contact_id }) => ({ merged_into: contact_id }),
      },
      {
        when: "the other member is inactive",
        error: "member_inactive",
        body: ({ inactive }) => ({ contact_id: inactive }),
        details: (_records, { inactive }) => ({ contact_id: inactive }),
      },
      {
        when: "the member is inactive",
        error: "member_inactive",
        body: ({ inactive }) => ({ from_contact_id: inactive }),
        details: (_records, { inactive }) => ({ contact_id: inactive }),
      },
      {
        when: "the other member was merged",
        error: "member_inactive",
        body: ({ merged }) => ({ contact_id: merged }),
        details: ({ contact_id }, { merged }) => ({ contact_id: merged, merged_into: contact_id }),
      },
      {
        when: "the wallet would pass the largest balance",
        error: "balance_limit_exceeded",
        body: ({ rich }, { buyer_contact_id }) => ({ from_contact_id: buyer_contact_id, contact_id: rich }),
        details: () => ({ account: "wallet", balance: Number.MAX_SAFE_INTEGER }),
      },
    ],
  },
  "/sp/members/get": { body: ({ contact_id }) => ({ contact_id }), rejections: [noMember] },
  "/sp/members/balances": { body: ({ contact_id }) => ({ contact_id }), rejections: [noMember] },
};
