/** What the demo business has besides members and their history: a coffee house with two branches. */

export const business = { name: "Lantern Coffee", time_zone: "UTC", currency: "EUR" };

export const locationNames = ["Harbour Street", "Station Road"] as const;

export const tiers = [
  { name: "Bronze", expiry: 12, expiry_period: "month" },
  { name: "Silver", expiry: 12, expiry_period: "month" },
  { name: "Gold", expiry: 2, expiry_period: "year" },
] as const;

/** What a member must have bought for each tier, in minor units. */
export const tierThresholds = [2_000, 6_000, 15_000] as const;

export const program = { membership_name: "Lantern Club", maximum_points_per_order: 25 };

export const rewardSettings = {
  enable_rp: true,
  rp_name: "Beans",
  rp_sales_calculation_period: 12,
  rp_sales_calculation_period_type: "month",
} as const;

/** `location` is an index of the locations; without one a voucher can be used everywhere. */
export const vouchers = {
  welcome: { campaign_name: "Welcome drink", coupon_code: "WELCOME", coupon_value: 350 },
  reward: { campaign_name: "Coffee for Beans", coupon_code: "BEANS60", coupon_value: 400 },
  opening: {
    campaign_name: "Opening of Station Road",
    coupon_code: "STATION",
    coupon_value: 250,
    location: 1,
  },
  archived: { campaign_name: "Rainy days", coupon_code: "RAIN", coupon_value: 200 },
} as const;

/** Points that the reward voucher costs. */
export const rewardPrice = 60;
