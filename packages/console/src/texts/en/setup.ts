/** The texts of the pages on which a business sets up its programme. */
import { countedText, wholeText } from "../decimals.ts";

const pointsOf = (count: number) => countedText(count, "point", "points");
const salesOf = (count: number) => countedText(count, "sale", "sales");

export const setupPages = {
  setup: "First steps",
  locations: "Locations",
  tiers: "Tiers",
  programs: "Programs",
  promotions: "Promotions",
  "stamp-cards": "Stamp cards",
  occasions: "Occasions",
  referrals: "Referrals",
  vouchers: "Vouchers",
  topups: "Top-ups",
  rules: "Rules",
  imports: "Imports",
  passes: "Member's page",
  segments: "Segments",
  "bulk-grants": "Bulk grants",
} as const;

/** Also of the members of promotions. */
export const occasionKinds = {
  birthday: "Around their birthday",
  anniversary: "On the anniversary of joining",
  tier_reached: "When they reach a tier",
  referred: "Was brought by a member",
  referrer: "Has brought a member",
  bulk: "Given to many at once",
} as const;

export const setupLabels = {
  segment_id: "Segment",
  filters: "Which members",
  members_found: "Members",
  members_given: "Got it",
  members_skipped: "Did not get it",
  earn_on: "Points are earned on",
  points_validity: "Points are valid for",
  points_validity_period: "Days, weeks, months or years",
  points_expiry_rounding: "Points end with the",
  tier_downgrade: "Tier after one that ends",
  tier_grace_days: "Days that an ended tier is kept",
  tier_after_refund: "After the refund of its sale, a tier is",
  expiry: "Valid for",
  expiry_period: "Days, weeks, months or years",
  delimiter: "Between the columns",
  amount_unit: "Amounts",
  decimal: "Before the decimals",
  defaults: "Texts of empty cells",
  sample: "As it is read",
  file_name: "File",
  lines_done: "Lines",
  date_format: "How days are written",
  exported_by: "System that exported it",
  message: "Reason",
  sold_at: "Time of the sale",
  earn: "Sales earn points",
  earn_imported: "Also sales that were imported without points",
  what: "Result",
  current: "By today's rules",
  proposed: "By the new rules",
  current_points: "By today's rules",
  proposed_points: "By the new rules",
  value_points: "Points that are worth an amount",
  value_amount: "Amount that they are worth",
  redeem_minimum_points: "Fewest points to pay with",
  pending_days: "Days until points can be used",
  clawback_shortfall: "Refunds of used points",
  restored_points_valid_days: "Days that returned points are valid",
  expiring_notice_days: "Days of notice before an end",
  anonymous_cards_earn: "Anonymous cards earn",
  referral_minimum_amount: "First sale of a referral, at least",
  referral_hold_days: "Days until referrals count",
  referral_most_per_year: "Referrals in a year, at most",
  gift_validity: "Gift cards are valid for",
  gift_validity_period: "Days, weeks, months or years of gift cards",
  gift_maximum_amount: "Most money on a gift card",
  enable_rp: "Sales earn points",
  rp_sales_calculation_period: "Sales count for tiers for",
  rp_sales_calculation_period_type: "Days, weeks, months or years",
} as const;

export const setupTexts = {
  locations: {
    title: "Locations",
    explanation:
      "Where members buy. A sale names its location, and vouchers and top-ups can be for one of them.",
    empty: "There are no locations yet. A sale needs one.",
    closedName: (name: unknown) => `${name} (closed)`,
  },

  businesses: {
    title: "Businesses",
    explanation:
      "Each has its own members, rules and currency. A sandbox is a business for trials, with its own clock, and can be deleted. To close another one, close its locations: its records stay.",
    empty: "There are no businesses yet.",
  },

  earning: {
    guide: "Set it up step by step",
    title: "Sales do not earn yet",
    steps: {
      no_location: "Add a location.",
      rewards_off: "Switch points on.",
      no_program: "Choose the usual program.",
      program_without_rate: "Say how many points the usual program gives for an amount.",
      maximum_is_zero: "Let the usual program give more than 0 points for a sale.",
      no_integration: "Add an integration that may record sales.",
      no_sale: "Record a sale that earns points.",
    },
  },

  tiers: {
    title: "Tiers",
    explanation: "What members reach with their sales. A member reaches a new tier with the next sale.",
    empty: "There are no tiers yet. Members don't need one to collect points.",
  },

  memberStampCards: {
    stamps: (stamps: number, owed: number) => (owed > 0 ? `${owed} owed` : String(stamps)),
    empty: "No stamp card collects stamps, and this member has none.",
  },

  programs: {
    title: "Programs",
    explanation: "How many points a sale earns. The rules name the usual program; a tier can have its own.",
    removeHelp: (name: string) => `Delete the program ${name}? Earned points stay.`,
    unused: "No sale earns by it now.",
    usual: "It is the usual program: sales of members earn by it if their tiers have none of their own.",
    withoutUsual: "Without it, these sales earn nothing.",
    ofTiers: (tiers: string, members: number) =>
      `It is the program of ${tiers}. Members with this tier: ${wholeText(members)}.`,
    withoutOfTiers: "Without it, they earn by the usual program, if there is another one.",
    empty: "There are no programs yet. Without one, sales earn no points.",
    example: ({ rates = [], excluded_categories: categories = [], excluded_skus: skus = [] }: Rates) =>
      rates.length + categories.length + skus.length === 0 ? "All lines of a receipt earn by this rate." : "",
    earnsNothing: (lines: string) => `${lines}: no points`,
    paidWithMoney: (lines: string) => `${lines}: not paid by points or vouchers`,
    rate: {
      eachAmount: (points: number, amount: string) => `${pointsOf(points)} for each ${amount}`,
      eachUnit: (points: number) => `${pointsOf(points)} for each piece`,
      ofLines: (lines: string, rate: string, example: string) => `${lines}: ${rate}, so ${example}`,
      ofAmount: (example: string, earned: string) => `${example} earns ${earned}`,
      ofUnits: (units: number, earned: string) =>
        `${countedText(units, "piece earns", "pieces earn")} ${earned}`,
    },
  },

  rules: {
    title: "Rules",
    explanation: "What sales earn, what points are worth, and how long they are valid.",
    settings: "Reward settings",
    rules: "Rules for points",
    suggestions: {
      "/op/programs/create":
        "Sales earn nothing by it until the rules or a tier name it. Look at what it would change as the program of all sales.",
      "/op/promotions/create": "You can look at what it would have given in the last three months.",
    },
    newPromotion: (name: string) => `By ${name}`,
    ofPromotion: (points: number, inSales: string) => `${pointsOf(points)} ${inSales}`,
    inSales: (sales: number) => `in ${salesOf(sales)}`,
    withoutLines: (sales: number) => `; it can't act on ${salesOf(sales)} without lines`,
    previewFirst: "Look at what this would change before you save it.",
    preview: "Show what would change",
    notPreviewed:
      "This changes neither what sales earn nor who reaches a tier, so there is nothing to compare. It applies from today on.",
    outcome: (sales: number, day: string) => `Calculated from ${salesOf(sales)} since ${day}`,
    points: "Points earned",
    worth: "Their worth",
    owed: (points: number) => `Worth of what members have now: ${pointsOf(points)}`,
    capped: "Sales at the maximum of points",
    inTier: (name: string) => `Members with the tier ${name}`,
    withoutTier: "Members without a tier",
    nobody: "No member would have earned other points.",
    gains: "Members who would gain most",
    losses: "Members who would lose most",
  },
} as const;

/** What a promotion can give, and the states of an import. */
export const setupChoices = {
  true: "Yes",
  false: "No",
  bulk_running: "Being given …",
  bulk_ended: "Given",
  bulk_cancelled: "Cancelled",
  bulk_failed: "Failed",
  voucher: "A voucher",
  import_uploading: "Not complete",
  import_uploaded: "Not checked",
  import_checking: "Checking …",
  import_checked: "Checked",
  import_importing: "Importing …",
  import_cancelled: "Cancelled",
  import_ended: "Imported",
  import_failed: "Failed",
} as const;

type Rates = Readonly<Partial<Record<"rates" | "excluded_categories" | "excluded_skus", readonly unknown[]>>>;
