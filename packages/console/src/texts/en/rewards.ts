/** Texts of the pages about what members can get besides points of sales. Only these pages load them. */
export const occasionTexts = {
  title: "Occasions",
  explanation:
    "Members get points or a voucher on their birthday, on the anniversary of joining, or some days after their last sale: once a year, from six in the morning. What is for joining or for a tier, they get at once.",
  empty: "There are no occasions yet, such as: 100 points for a birthday.",
} as const;

export const referralTexts = {
  title: "Referrals",
  explanation:
    "Who brought whom. Set up what each side gets as two occasions, of the kinds “Was brought by a member” and “Has brought a member”, and the minimum and the days in the rules.",
  empty: "No member has brought another one yet.",
} as const;

export const voucherTexts = {
  title: "Vouchers",
  kinds: {
    percent: (percent: number, of: string) => `${percent} %${of && ` of ${of}`}`,
    item: (_: number, of: string) => `One piece of ${of}`,
  },
  explanation:
    "What members can get and pay with. Issue one on the page of the member, or let stamp cards and promotions give it.",
  sample: "Try a free coffee",
  first: { campaign_name: "Free coffee", coupon_code: "FREE", kind: "item", categories: ["coffee"] },
  archive: "Archive",
  restore: "Use again",
  file: "Save held vouchers as CSV",
  codesFile: "Save codes as CSV",
  empty: "There are no vouchers yet.",
} as const;

export const topupTexts = {
  title: "Top-ups",
  explanation: "The bonus that members get when they top up their wallets. One that has ended is inactive.",
  empty: "There is no bonus for top-ups yet.",
} as const;
