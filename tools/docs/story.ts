/**
 * The story that the examples of the documents tell: a day at the demo business, of its first member. `npm run generate` sends
 * the requests in this order to a new service, and keeps the first request of each operation with its response.
 */

import { type Said, type Step, step } from "./step.ts";
import { walletSteps } from "./story-of-wallets.ts";
import { webhookSteps } from "./story-of-webhooks.ts";

const base64 = (text: string) => Buffer.from(text).toString("base64");

const mateo = { contact_id: 100001 };
const shop = { location_id: 1 };
const credit = { adjustment_type: "credit" };
const ana = { first_name: "Ana", last_name: "López", phone_number: "+34600111222", email: "ana@example.com" };

const credentialsOf = ({ client_id, client_secret }: Readonly<Record<string, unknown>>) => ({
  client_id,
  client_secret,
});
const benefitOfShop = (said: Said) => ({ benefit_id: said("/sp/wallet/topup-benefits/create").benefit_id });
const heldVoucher = (said: Said) => ({ held_voucher_id: said("/sp/vouchers/issue").held_voucher_id });
const password = "correct horse battery staple";
const newPassword = "seven quiet lighthouses";
const operatorOf = (said: Said) => ({ operator_id: said("/op/operators/create").operator_id });
/** A gift card earns nothing in the demo. */
const receipt = [
  { sku: "FLAT-WHITE", category: "coffee", quantity: 2, amount: 1200 },
  { category: "gift cards", amount: 1200 },
];
const saleOf = (said: Said) => ({ sale_id: said("/sp/sales/record").sale_id });

/** A friend joins; the member changes his data, tops up, buys, returns a part, redeems; the business changes its program. */
const partnerSteps: readonly Step[] = [
  step("/op/businesses/update", { idempotency_key: "business-1-2", business_id: 1, events_enabled: true }),
  step("/sp/auth/token", (said) => credentialsOf(said("demo")), ["expires_at"]),
  step("/sp/members/create", { idempotency_key: "sign-up-2210", ...ana }),
  step("/sp/members/find", { phone_number: "+353209100016" }),
  step("/sp/members/get", mateo),
  step("/sp/members/list", { search: "garc" }),
  step("/sp/members/update", { idempotency_key: "crm-100001-7", ...mateo, last_name: "García" }),
  step("/sp/members/profile/update", {
    idempotency_key: "crm-100001-8",
    ...mateo,
    email: "mateo.garcia@example.org",
    external_ref: "C-4711",
  }),
  step("/sp/cards/create", {
    idempotency_key: "card-100001-1",
    ...mateo,
    kind: "plastic",
    card_code: "LC0004700",
  }),
  step("/sp/cards/replace", {
    idempotency_key: "card-100001-2",
    card_code: "LC0004700",
    new_card_code: "LC0004701",
  }),
  step("/sp/cards/block", { idempotency_key: "card-100001-3", card_code: "LC0004701" }),
  step("/sp/cards/list", mateo),
  step("/sp/members/page-link", { idempotency_key: "page-100001", ...mateo }),
  step("/sp/cards/issue", {
    idempotency_key: "till-1-card-88",
    location_id: 1,
    kind: "plastic",
    card_code: "LC0004800",
    amount: 2500,
  }),
  step("/sp/cards/balance", { card_code: "LC0004800" }),
  step("/sp/cards/claim", (said) => ({
    idempotency_key: "till-1-claim-88",
    card_code: "LC0004800",
    contact_id: said("/sp/members/create").contact_id,
  })),
  step("/sp/members/password/change", {
    idempotency_key: "app-password-5531",
    ...mateo,
    new_password: "correct horse battery staple",
  }),

  step("/sp/wallet/topup-benefits/create", {
    idempotency_key: "benefit-spring",
    title: "Top up 50, get 5",
    amount: 5000,
    promo_amount: 500,
    ...shop,
    status: "active",
  }),
  step("/sp/wallet/topup-benefits/update", (said) => ({
    idempotency_key: "benefit-spring-2",
    benefit_id: said("/sp/wallet/topup-benefits/create").benefit_id,
    title: "Top up 50, get 7.50",
    promo_amount: 750,
  })),
  step("/sp/wallet/topup-benefits/list"),
  step("/sp/wallet/topup", (said) => ({
    idempotency_key: "sale/2026-04-17/1/811/topup",
    ...mateo,
    ...shop,
    ...benefitOfShop(said),
    reference_id: "receipt-000811",
  })),
  step("/sp/wallet/pay", {
    idempotency_key: "sale/2026-04-17/1/811/deposit",
    ...mateo,
    ...shop,
    amount: 300,
    reason: "Deposit for a cup",
  }),
  step("/sp/wallet/reverse", (said) => ({
    idempotency_key: "sale/2026-04-17/1/811/deposit-back",
    movement_id: said("/sp/wallet/pay").movement_id,
    ...shop,
    reason: "The cup came back",
  })),
  step("/sp/wallet/adjust", {
    idempotency_key: "case-4070",
    ...mateo,
    ...shop,
    amount: 250,
    ...credit,
    reason: "A wrong price",
  }),
  step("/sp/reward-points/adjust", {
    idempotency_key: "case-4071",
    ...mateo,
    points: 120,
    ...credit,
    reason: "Goodwill after a late delivery",
    reference_id: "case-4071",
  }),

  step("/sp/sales/quote", { ...mateo, ...shop, amount: 2400, lines: receipt }),
  step("/sp/sales/record", {
    idempotency_key: "sale/2026-04-17/1/812",
    ...mateo,
    ...shop,
    amount: 2400,
    lines: receipt,
    use_wallet: 200,
    reference_id: "receipt-000812",
  }),
  step("/sp/sales/refund", (said) => ({
    idempotency_key: "refund/2026-04-17/1/830",
    ...saleOf(said),
    ...shop,
    lines: [{ line_no: 1, quantity: 1 }],
    reason: "Too cold",
  })),
  step("/sp/sales/get", saleOf),
  step("/sp/sales/list", { ...mateo, per_page: 1 }),
  step("/sp/reward-points/redeem", {
    idempotency_key: "sale/2026-04-17/1/813/mug",
    ...mateo,
    ...shop,
    points: 20,
    reason: "A mug",
  }),
  step("/sp/reward-points/reverse", (said) => ({
    idempotency_key: "sale/2026-04-17/1/813/mug-back",
    redemption_id: said("/sp/reward-points/redeem").redemption_id,
    reason: "Out of mugs",
  })),
  step("/sp/vouchers/issue", {
    idempotency_key: "case-4072",
    ...mateo,
    voucher_id: 1,
    reason: "Sorry for the wait",
  }),
  step("/sp/vouchers/claim", { idempotency_key: "letter-2026-04-17", ...mateo, code: "k7qd 3mvx 9trb" }),
  step("/sp/vouchers/redeem", (said) => ({
    idempotency_key: "sale/2026-04-17/1/814/voucher",
    ...mateo,
    ...shop,
    ...heldVoucher(said),
  })),
  step("/sp/vouchers/reverse", (said) => ({
    idempotency_key: "sale/2026-04-17/1/814/voucher-back",
    ...heldVoucher(said),
    reason: "Out of beans",
  })),
  step("/sp/vouchers/list", { ...mateo, status: "held" }),
  step("/sp/reward-points/list", mateo),
  step("/sp/events/list", { types: ["sale.*"], limit: 1 }),
  step("/sp/requests/list", { operation: "/sp/sales/record" }),
  ...webhookSteps("sp"),
  step("/sp/members/balances", mateo),
  step("/sp/transactions/list", { ...mateo, per_page: 1 }),
  step("/sp/members/merge", {
    idempotency_key: "merge-100008-100007",
    from_contact_id: 100008,
    contact_id: 100007,
  }),

  step("/sp/business/get"),
  step("/sp/locations/list"),
  step("/sp/vouchers/definitions/list", { per_page: 1 }),
  step("/sp/vouchers/get", { voucher_id: 1 }),
  step("/sp/member-tiers/list"),
  step("/sp/member-tiers/update", { idempotency_key: "tiers-2026-1", tier_id: 1, name: "Copper" }),
  step("/sp/member-tiers/delete", { idempotency_key: "tiers-2026-2", tier_id: 3 }),
  step("/sp/reward-settings/get"),
  step("/sp/reward-settings/update", { idempotency_key: "settings-2026-1", rp_name: "Stars" }),
  step("/sp/reward-programs/update", {
    idempotency_key: "program-2026-1",
    program_id: 1,
    maximum_points_per_order: 50,
  }),
  step("/sp/reward-programs/list"),
  step("/sp/promotions/list", { location_id: 1 }),
  step("/sp/stamp-cards/list", (said) => ({ contact_id: said("/sp/members/create").contact_id })),
  step("/op/occasions/create", {
    idempotency_key: "occasion-birthday",
    business_id: 1,
    name: "Birthday",
    kind: "birthday",
    days_before: 7,
    points: 100,
    validity: 3,
    validity_period: "month",
  }),
  step("/op/occasions/create", {
    ...{
      idempotency_key: "referral-1",
      business_id: 1,
      name: "Friend of a friend",
      kind: "referred",
      points: 20,
    },
  }),
  step("/sp/referrals/code", { idempotency_key: "code-100001-1", ...mateo }),
  step("/sp/referrals/create", (said) => ({
    idempotency_key: "referral-2210",
    contact_id: said("/sp/members/create").contact_id,
    referral_code: said("/sp/referrals/code").referral_code,
  })),
  step("/sp/referrals/list", mateo),

  // A token of the demo's sandbox.
  step("/sp/auth/token", (said) => credentialsOf(said("demo").sandbox as Readonly<Record<string, unknown>>)),
  step("/sp/sandbox/clock/get"),
  step("/sp/sandbox/clock/advance", { idempotency_key: "sandbox-1", to: "2026-05-01" }),
];

const business = { business_id: 1 };
const day = { start_date: "2026-04-17", end_date: "2026-04-17" };
/** The record that an operation has made, by the name of its id. */
const madeBy = (path: string, id: string) => (said: Said) => ({ ...business, [id]: said(path)[id] });
const airport = madeBy("/op/locations/create", "location_id");
const integrationOf = madeBy("/op/integrations/create", "integration_id");
const tierOf = madeBy("/op/tiers/create", "tier_id");
const programOf = madeBy("/op/programs/create", "program_id");
const voucherOf = madeBy("/op/vouchers/create", "voucher_id");
const promotionOf = madeBy("/op/promotions/create", "promotion_id");
const occasionOf = madeBy("/op/occasions/create", "occasion_id");
const segmentOf = madeBy("/op/segments/create", "segment_id");
const bulkGrantOf = madeBy("/op/bulk-grants/start", "occasion_id");
const stampCardOf = madeBy("/op/stamp-cards/create", "stamp_card_id");
const benefitOf = madeBy("/op/topup-benefits/create", "benefit_id");
const heldByOperator = madeBy("/op/vouchers/issue", "held_voucher_id");
const anaOf = madeBy("/sp/members/create", "contact_id");

/** A white square of 64 pixels. */
const storyLogo =
  "iVBORw0KGgoAAAANSUhEUgAAAEAAAABAAQAAAACCEkxzAAAAEklEQVR42mP4DwUMo4xRBukMAOPT/hAC2mzjAAAAAElFTkSuQmCC";

/** The operator opens a shop at the airport, with definitions of its own, and looks after the members. */
const operatorSteps: readonly Step[] = [
  step("/op/businesses/create", {
    idempotency_key: "business-aurora",
    name: "Café Aurora",
    time_zone: "America/Bogota",
    currency: "COP",
    country: "CO",
  }),
  step("/op/businesses/logo", { idempotency_key: "logo-1", ...business, logo: storyLogo }),
  step("/op/businesses/list", { per_page: 2 }),
  step("/op/businesses/find", mateo),
  step("/op/locations/create", { idempotency_key: "location-airport", ...business, name: "Airport" }),
  step("/op/locations/update", (said) => ({
    idempotency_key: "location-airport-2",
    ...airport(said),
    name: "Airport, gate 4",
  })),
  step("/op/locations/update", (said) => ({
    idempotency_key: "location-airport-3",
    ...airport(said),
    closed: false,
  })),
  step("/op/locations/list", business),
  step("/op/integrations/create", (said) => ({
    idempotency_key: "integration-airport",
    ...business,
    name: "Till at the airport",
    scopes: ["wa.members.read", "wa.sales.read", "wa.sales.write"],
    all_locations: false,
    location_ids: [said("/op/locations/create").location_id],
  })),
  step("/op/integrations/list", business),
  step("/op/integrations/update", (said) => ({
    idempotency_key: "integration-airport-2",
    ...integrationOf(said),
    scopes: ["wa.members.read", "wa.members.write", "wa.sales.read", "wa.sales.write"],
  })),
  step("/op/integrations/rotate-secret", (said) => ({
    idempotency_key: "integration-airport-3",
    ...integrationOf(said),
    overlap_seconds: 3600,
  })),
  step("/op/integrations/get", integrationOf),
  step("/op/integrations/disable", (said) => ({
    idempotency_key: "integration-airport-4",
    ...integrationOf(said),
  })),
  step("/op/integrations/enable", (said) => ({
    idempotency_key: "integration-airport-5",
    ...integrationOf(said),
  })),
  step("/op/integrations/revoke-tokens", (said) => ({
    idempotency_key: "integration-airport-6",
    ...integrationOf(said),
  })),

  step("/op/tiers/create", {
    idempotency_key: "tier-platinum",
    ...business,
    name: "Platinum",
    expiry: 2,
    expiry_period: "year",
  }),
  step("/op/tiers/update", (said) => ({
    idempotency_key: "tier-platinum-2",
    ...tierOf(said),
    expiry: 3,
  })),
  step("/op/tiers/list", business),
  step("/op/programs/create", {
    idempotency_key: "program-airport",
    ...business,
    membership_name: "Airport Club",
    maximum_points_per_order: 100,
    earn_points: 1,
    earn_amount: 100,
    earn_minimum_amount: 500,
  }),
  step("/op/programs/update", (said) => ({
    idempotency_key: "program-airport-2",
    ...programOf(said),
    earn_points: 2,
    rates: [
      { categories: ["duty free"], earn_points: 5, earn_amount: 100 },
      { categories: ["fuel"], earn_points: 2, earn_per: "unit" },
    ],
  })),
  step("/op/programs/list", business),
  step("/op/promotions/create", {
    idempotency_key: "promotion-tuesdays",
    ...business,
    name: "Double points on Tuesdays",
    weekdays: [2],
    from_time: "14:00",
    until_time: "17:00",
    multiply: 200,
  }),
  step("/op/promotions/update", (said) => ({
    idempotency_key: "promotion-tuesdays-2",
    ...promotionOf(said),
    categories: ["coffee"],
  })),
  step("/op/promotions/get", (said) => promotionOf(said)),
  step("/op/promotions/list", business),
  step("/op/promotions/report", (said) => promotionOf(said)),
  step("/op/promotions/pause", (said) => ({ idempotency_key: "promotion-tuesdays-3", ...promotionOf(said) })),
  step("/op/promotions/resume", (said) => ({
    idempotency_key: "promotion-tuesdays-4",
    ...promotionOf(said),
  })),
  step("/op/promotions/end", (said) => ({ idempotency_key: "promotion-tuesdays-5", ...promotionOf(said) })),
  step("/op/vouchers/create", {
    idempotency_key: "voucher-summer",
    ...business,
    campaign_name: "Summer 2026",
    coupon_code: "SUMMER10",
    coupon_value: 1000,
  }),
  step("/op/vouchers/update", (said) => ({
    idempotency_key: "voucher-summer-2",
    ...voucherOf(said),
    coupon_value: 1200,
  })),
  step("/op/vouchers/create-codes", (said) => ({
    idempotency_key: "voucher-summer-codes",
    ...voucherOf(said),
    count: 2,
  })),
  step("/op/occasions/update", (said) => ({
    idempotency_key: "occasion-birthday-2",
    ...occasionOf(said),
    points: 150,
  })),
  step("/op/referrals/list", business),
  step("/op/occasions/get", (said) => occasionOf(said)),
  step("/op/occasions/list", business),
  step("/op/occasions/pause", (said) => ({ idempotency_key: "occasion-birthday-3", ...occasionOf(said) })),
  step("/op/occasions/resume", (said) => ({ idempotency_key: "occasion-birthday-4", ...occasionOf(said) })),
  step("/op/occasions/end", (said) => ({ idempotency_key: "occasion-birthday-5", ...occasionOf(said) })),
  step("/op/stamp-cards/create", (said) => ({
    idempotency_key: "stamp-card-tea",
    ...business,
    name: "Tea card",
    stamps_needed: 9,
    voucher_id: said("/op/vouchers/create").voucher_id,
    counts: "unit",
    categories: ["tea"],
  })),
  step("/op/stamp-cards/update", (said) => ({
    idempotency_key: "stamp-card-tea-2",
    ...stampCardOf(said),
    validity: 12,
    validity_period: "month",
  })),
  step("/op/stamp-cards/get", (said) => stampCardOf(said)),
  step("/op/stamp-cards/list", business),
  step("/op/stamp-cards/stamp", (said) => ({
    idempotency_key: "stamp-by-hand",
    ...stampCardOf(said),
    contact_id: said("/sp/members/create").contact_id,
    stamps: 2,
    reason: "Her paper card",
  })),
  step("/op/stamp-cards/report", (said) => stampCardOf(said)),
  step("/op/stamp-cards/of-member", (said) => anaOf(said)),
  step("/op/stamp-cards/pause", (said) => ({ idempotency_key: "stamp-card-tea-3", ...stampCardOf(said) })),
  step("/op/stamp-cards/resume", (said) => ({ idempotency_key: "stamp-card-tea-4", ...stampCardOf(said) })),
  step("/op/stamp-cards/end", (said) => ({ idempotency_key: "stamp-card-tea-5", ...stampCardOf(said) })),
  step("/op/vouchers/archive", (said) => ({
    idempotency_key: "voucher-summer-3",
    ...voucherOf(said),
    archived: true,
  })),
  step("/op/vouchers/list", { ...business, include_archived: true, per_page: 2 }),
  step("/op/topup-benefits/create", (said) => ({
    idempotency_key: "benefit-airport",
    ...airport(said),
    title: "Top up 100, get 10",
    amount: 10_000,
    promo_amount: 1000,
    status: "active",
  })),
  step("/op/topup-benefits/update", (said) => ({
    idempotency_key: "benefit-airport-2",
    ...benefitOf(said),
    status: "inactive",
  })),
  step("/op/topup-benefits/list", business),
  step("/op/reward-settings/update", { idempotency_key: "settings-2026-2", ...business, rp_name: "Beans" }),
  step("/op/reward-settings/get", business),
  step("/op/reward-settings/rules/update", {
    idempotency_key: "rules-2026-1",
    ...business,
    points_validity: 12,
    points_validity_period: "month",
  }),
  step("/op/reward-settings/rules/get", business),
  step("/op/reward-settings/check", business),

  step("/op/members/list", { ...business, search: "garc" }),
  step("/op/members/get", { ...business, ...mateo }),
  step("/op/members/balances", { ...business, ...mateo }),
  step("/op/members/names", { ...business, contact_ids: [mateo.contact_id] }),
  step("/op/members/create", {
    idempotency_key: "counter-17",
    ...business,
    first_name: "Nia",
    last_name: "Owusu",
    phone_number: "+353209100077",
    external_ref: "C-4712",
  }),
  step("/op/members/update", (said) => ({
    idempotency_key: "counter-18",
    ...madeBy("/op/members/create", "contact_id")(said),
    last_name: "Owusu-Byrne",
    remarks: "Allergic to nuts",
  })),
  step("/op/members/page-link", { idempotency_key: "counter-18b", ...business, ...mateo }),
  step("/op/cards/create", {
    idempotency_key: "counter-19",
    ...business,
    ...mateo,
    kind: "plastic",
    card_code: "LC0004711",
  }),
  step("/op/members/find", { ...business, card_code: "lc-0004711" }),
  step("/op/cards/replace", {
    idempotency_key: "counter-20",
    ...business,
    card_code: "LC0004711",
    new_card_code: "LC0004712",
  }),
  step("/op/cards/block", { idempotency_key: "counter-21", ...business, card_code: "LC0004712" }),
  step("/op/cards/of-member", { ...business, ...mateo, per_page: 2 }),
  step("/op/cards/issue", {
    idempotency_key: "counter-22",
    ...business,
    location_id: 1,
    kind: "gift",
    card_code: "GC7Q4W81XK",
    amount: 5000,
    reason: "A prize of the street party",
  }),
  step("/op/cards/list", { ...business, anonymous: true, per_page: 2 }),
  step("/op/cards/claim", (said) => ({
    idempotency_key: "counter-23",
    ...madeBy("/op/members/create", "contact_id")(said),
    card_code: "GC7Q4W81XK",
  })),
  step("/op/members/assign-tier", { idempotency_key: "tier-of-100001", ...business, ...mateo, tier_id: 2 }),
  step("/op/members/settle", { idempotency_key: "settle-100001", ...business, ...mateo }),
  step("/op/members/adjust-wallet", (said) => ({
    idempotency_key: "case-4080-wallet",
    ...anaOf(said),
    amount: 1250,
    ...credit,
    reason: "A top-up that the till lost",
  })),
  step("/op/members/adjust-points", (said) => ({
    idempotency_key: "case-4080-points",
    ...anaOf(said),
    points: 60,
    ...credit,
    reason: "Points of a lost receipt",
  })),
  step("/op/members/deactivate", (said) => ({ idempotency_key: "case-4081", ...anaOf(said) })),
  step("/op/members/activate", (said) => ({ idempotency_key: "case-4082", ...anaOf(said) })),
  step("/op/members/merge", (said) => ({
    idempotency_key: "merge-ana",
    ...business,
    from_contact_id: 100009,
    ...anaOf(said),
    dry_run: true,
  })),
  step("/op/members/export", anaOf),
  step("/op/members/erase", (said) => ({
    idempotency_key: "case-4090",
    ...anaOf(said),
    reason: "She asked for it",
  })),
  step("/op/reward-points/list", { ...business, ...mateo, per_page: 2 }),
  step("/op/reward-points/redeem", {
    idempotency_key: "case-4093",
    ...business,
    ...mateo,
    ...shop,
    points: 20,
    reason: "A mug, by phone",
  }),
  step("/op/reward-points/reverse", (said) => ({
    idempotency_key: "case-4093-back",
    ...madeBy("/op/reward-points/redeem", "redemption_id")(said),
    reason: "Out of mugs",
  })),
  step("/op/vouchers/issue", {
    idempotency_key: "case-4094",
    ...business,
    ...mateo,
    voucher_id: 1,
    reason: "A late delivery",
  }),
  step("/op/vouchers/redeem", (said) => ({
    idempotency_key: "case-4094-used",
    ...heldByOperator(said),
    ...mateo,
    ...shop,
    reason: "The till was offline",
  })),
  step("/op/vouchers/reverse", (said) => ({
    idempotency_key: "case-4094-back",
    ...heldByOperator(said),
    reason: "The wrong voucher",
  })),
  step("/op/vouchers/held", { ...business, ...mateo, status: "held" }),
  step("/op/wallet/topup", {
    idempotency_key: "case-4095",
    ...business,
    ...mateo,
    ...shop,
    amount: 2000,
    reason: "Paid by bank transfer",
  }),
  step("/op/wallet/pay", {
    idempotency_key: "case-4096",
    ...business,
    ...mateo,
    ...shop,
    amount: 500,
    reason: "A deposit",
  }),
  step("/op/wallet/reverse", (said) => ({
    idempotency_key: "case-4096-back",
    ...madeBy("/op/wallet/pay", "movement_id")(said),
    reason: "The deposit was returned",
  })),
  step("/op/requests/list", { ...business, error_code: "validation_failed" }),
  step("/op/requests/counts", { ...business, integration_id: 1 }),
  step("/op/events/list", { ...business, types: ["voucher.*"], limit: 1 }),
  ...webhookSteps("op", business),
  step("/op/sales/list", { ...business, ...mateo, per_page: 2 }),
  step("/op/sales/preview-refund", (said) => ({ ...business, ...saleOf(said), amount: 300 })),
  step("/op/sales/refund", (said) => ({
    idempotency_key: "case-4091",
    ...business,
    ...saleOf(said),
    amount: 300,
    reason: "Too bitter",
  })),
  step("/op/sales/get", (said) => ({ ...business, ...saleOf(said) })),
  step("/op/reward-points/extend", {
    idempotency_key: "extend-2026-1",
    ...business,
    due_before: "2026-12-31",
    valid_through: "2027-04-30",
    dry_run: true,
  }),
  step("/op/engine/status", business, ["last_run_at"]),
  step("/op/rules/preview", {
    ...business,
    from: "2026-01-01",
    programs: [{ program_id: 1, earn_points: 2 }],
  }),
  step("/op/reports/liabilities", business),
  step("/op/reports/gift-cards", business),
  step("/op/reports/activity", { ...business, from: "2026-04-17", through: "2026-04-17" }),
  step("/op/reports/figures", { ...business, from: "2026-04-01", through: "2026-04-17" }),
  step("/op/reports/tiers", { ...business, from: "2026-04-01", through: "2026-04-17" }),
  step("/op/reports/locations", { ...business, from: "2026-04-01", through: "2026-04-17" }),

  step("/op/imports/members", {
    idempotency_key: "import-members-1",
    ...business,
    lines: [
      {
        line: 2,
        first_name: "Aoife",
        last_name: "Byrne",
        phone_number: "+353209100099",
        external_ref: "CRM 881",
        points_balance: 40,
      },
      {
        line: 3,
        first_name: "Mateo",
        last_name: "García",
        phone_number: "+353209100016",
      },
    ],
  }),
  step("/op/imports/sales", {
    idempotency_key: "import-sales-1",
    ...business,
    earn: true,
    ...shop,
    lines: [
      {
        line: 2,
        external_ref: "CRM 881",
        sold_at: "2026-04-10 16:20:00",
        amount: 700,
        reference_id: "old-till-70112",
      },
    ],
  }),
  step("/op/imports/vouchers", {
    idempotency_key: "import-vouchers-1",
    ...business,
    lines: [
      {
        line: 2,
        external_ref: "CRM 881",
        coupon_code: "SUMMER10",
        issued_on: "2026-04-01",
        valid_through: "2026-07-31",
        reference_id: "old-voucher-5521",
      },
    ],
  }),
  step("/op/exports/members", { ...business, limit: 1 }),
  step("/op/exports/sales", { ...business, limit: 1 }),
  step("/op/exports/transactions", { ...business, limit: 1 }),
  step("/op/exports/vouchers", { ...business, limit: 1 }),
  step("/op/exports/codes", { ...business, limit: 1 }),
  step("/op/transactions/list", { ...business, ...mateo, event_types: ["sale", "sale_refund"], ...day }),
  step("/op/ledger/verify", { ...business, part: "accounts" }),
  step("/op/operators/create", {
    idempotency_key: "operator-anna",
    name: "anna",
    role: "support",
    business_ids: [1],
    limit_amount: 2000,
    limit_points: 500,
  }),
  step("/op/operators/get-invitation", (said) => ({
    token: said("/op/operators/create").invitation_token as string,
  })),
  step("/op/operators/accept", (said) => ({
    token: said("/op/operators/create").invitation_token as string,
    password,
  })),
  step("/op/session/create", { name: "anna", password }),
  step("/op/session/set-language", { language: "de" }),
  step("/op/session/get", {}),
  step("/op/consoles/list", {}),
  step("/op/sessions/list", {}),
  step("/op/session/change-password", { name: "anna", password, new_password: newPassword }),
  step("/op/session/delete", {}),
  step("/op/session/create", { name: "anna", password: newPassword }),
  step("/op/sessions/revoke", { idempotency_key: "session-4", session_id: 4 }),
  step("/op/operators/list", {}),
  step("/op/operators/update", (said) => ({
    idempotency_key: "operator-anna-2",
    ...operatorOf(said),
    limit_amount: 3000,
  })),
  step("/op/operators/disable", (said) => ({ idempotency_key: "operator-anna-3", ...operatorOf(said) })),
  step("/op/operators/enable", (said) => ({ idempotency_key: "operator-anna-4", ...operatorOf(said) })),
  step("/op/operators/reset", (said) => ({ idempotency_key: "operator-anna-5", ...operatorOf(said) })),
  step("/op/operator-keys/create", {
    idempotency_key: "key-report",
    name: "nightly report",
    role: "viewer",
    business_ids: [1],
    expires_in_days: 365,
  }),
  step("/op/operator-keys/list", {}),
  step("/op/operator-keys/revoke", (said) => ({
    idempotency_key: "key-report-2",
    key_id: said("/op/operator-keys/create").key_id as number,
  })),
  step("/op/audit/list", (said) => ({ ...anaOf(said), event: "member.erased" })),
  step("/op/status/get", {}, [
    "uptime_seconds",
    "database",
    "ledger_lead_seconds",
    "requests",
    "postings",
    "webhooks",
  ]),

  step("/op/tiers/delete", (said) => ({ idempotency_key: "tier-platinum-3", ...tierOf(said) })),
  step("/op/programs/delete", (said) => ({
    idempotency_key: "program-airport-3",
    ...programOf(said),
  })),
  step("/op/integrations/delete", (said) => ({
    idempotency_key: "integration-airport-7",
    ...integrationOf(said),
  })),
  step("/op/sandbox/clock/get", { business_id: 2 }),
  step("/op/sandbox/clock/advance", { idempotency_key: "sandbox-3", business_id: 2, to: "2026-06-01" }),
  step("/op/businesses/delete", { idempotency_key: "sandbox-2", sandbox_business_id: 2 }),
  step("/op/imports/upload", {
    idempotency_key: "upload-sales-1",
    ...business,
    file_name: "sales.csv",
    part: 0,
    content: base64("Card;Date;Total\nCRM 881;17/03/2026;12,50\nCRM 882;31/03/2026;8,00\n"),
    last: true,
  }),
  step("/op/imports/preview", (said) => ({
    idempotency_key: "preview-sales-1",
    ...business,
    import_id: said("/op/imports/upload").import_id,
    kind: "sales",
    columns: [
      { field: "external_ref", column: "Card" },
      { field: "sold_at", column: "Date" },
      { field: "amount", column: "Total" },
    ],
  })),
  step("/op/imports/start", (said) => ({
    idempotency_key: "start-sales-1",
    ...business,
    import_id: said("/op/imports/upload").import_id,
  })),
  step("/op/imports/get", (said) => ({ ...business, import_id: said("/op/imports/upload").import_id })),
  step("/op/imports/list", business),
  step("/op/imports/rejected", (said) => ({ ...business, import_id: said("/op/imports/upload").import_id })),
  step("/op/imports/upload", {
    idempotency_key: "upload-sales-2",
    ...business,
    file_name: "sales-2.csv",
    part: 0,
    content: base64("Card;Date;Total\n"),
    last: true,
  }),
  step("/op/imports/cancel", (said) => ({
    idempotency_key: "cancel-sales-2",
    ...business,
    import_id: Number(said("/op/imports/upload").import_id) + 1,
  })),
  step("/op/segments/create", {
    idempotency_key: "segment-1",
    ...business,
    name: "Regulars with mail",
    least_visits: 1,
    has_email: true,
  }),
  step("/op/segments/update", (said) => ({
    idempotency_key: "segment-2",
    ...segmentOf(said),
    name: "Guests with mail",
  })),
  step("/op/segments/list", business),
  step("/op/segments/delete", (said) => ({ idempotency_key: "segment-3", ...segmentOf(said) })),
  step("/op/bulk-grants/preview", { ...business, points: 100, has_email: true }),
  step("/op/bulk-grants/start", {
    idempotency_key: "bulk-grant-1",
    ...business,
    name: "Sorry for the closed week",
    points: 100,
    validity: 3,
    validity_period: "month",
    has_email: true,
  }),
  step("/op/bulk-grants/list", business),
  step("/op/bulk-grants/cancel", (said) => ({ idempotency_key: "bulk-grant-2", ...bulkGrantOf(said) })),
  step("/op/bulk-grants/resume", (said) => ({ idempotency_key: "bulk-grant-3", ...bulkGrantOf(said) })),
  ...walletSteps(business),
];

export const story: readonly Step[] = [...partnerSteps, ...operatorSteps];
