/** A definition of vouchers, a stamp card that gives them, and a voucher that a member holds, for the tests beside the rules. */
import { anyLocation } from "../../src/domain/access/access.ts";
import type { Moment } from "../../src/domain/decision.ts";
import type { StampCard, VoucherDefinition } from "../../src/domain/engine/rules.ts";
import { plainVoucher } from "../../src/domain/engine/vouchers/terms.ts";
import type { HeldVoucher } from "../../src/domain/records.ts";

/** The currency of amounts in texts. */
export const euros = { currency: "EUR", currency_decimals: 2 };

export const freeCoffee: VoucherDefinition = {
  ...plainVoucher,
  ...{ voucher_id: 1, campaign_name: "Free coffee", coupon_code: "TENTH", coupon_value: 350 },
  ...{ archived: false, location_id: null, points_price: null, validity: 3, validity_period: "month" },
};

/** Ten coffees, within a month. */
export const coffeeCard: StampCard = {
  ...{ stamp_card_id: 1, name: "Coffee card", stamps_needed: 10, voucher_id: 1, voucher: freeCoffee },
  ...{
    counts: "unit",
    most_per_day: null,
    skus: [],
    categories: [],
    counts_free_lines: false,
    minimum_amount: 0,
    location_ids: [],
  },
  ...{ validity: 1, validity_period: "month" },
};

export const heldVoucher = (more: Partial<HeldVoucher> = {}): HeldVoucher => ({
  ...{ held_voucher_id: 1, contact_id: 1, voucher_id: 1, coupon_code: "A", coupon_key: "a" },
  ...{ coupon_value: 500, excused: false, location_id: null, reference_id: "HV-1" },
  ...{ issued_on: "2026-01-10", valid_from: "2026-01-10", lapses_on: null, status: "held" },
  ...{ redeemed_at: null, sale_id: null, covered: null, redemption_id: null, terms: null, code_id: null },
  ...{ stamp_card_id: null, stamps_used: null },
  ...more,
});

export const momentOn = (today: string, more: Partial<Moment> = {}): Moment => ({
  ...{ today, now: today, localTime: `${today} 09:00:00`, entryNo: 1, voucherNo: 7 },
  ...{ locations: anyLocation, given: new Map(), codeUses: new Map(), currency: euros },
  ...more,
});
