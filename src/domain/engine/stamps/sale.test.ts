/** What refunds take off cards whose stamps or vouchers have lapsed, and where cards are shown. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addDays } from "../../dates.ts";
import type { HeldVoucher, MemberStampCard, Sale } from "../../records.ts";
import { Rejection } from "../../rejection.ts";
import type { Rules, StampCard } from "../rules.ts";
import { lapse } from "../voucher.ts";
import { plainVoucher } from "../vouchers/terms.ts";
import { lapseCards, newCard } from "./cards.ts";
import { showCard, stampSale, takeStampsBack } from "./sale.ts";

const coffee: StampCard["voucher"] = {
  ...plainVoucher,
  ...{
    voucher_id: 1,
    campaign_name: "Free coffee",
    coupon_code: "TENTH",
    coupon_value: 350,
    archived: false,
  },
  ...{ location_id: null, points_price: null, validity: 3, validity_period: "month" },
};
const ofTen: StampCard = {
  ...{ stamp_card_id: 1, name: "Coffee card", stamps_needed: 10, voucher_id: 1, voucher: coffee },
  ...{ counts: "unit", most_per_day: null, skus: [], categories: [], minimum_amount: 0, location_ids: [] },
  ...{ validity: 1, validity_period: "month" },
};

/** A member that buys coffees for 1.00 each, and brings some back. */
class Member {
  cards: readonly MemberStampCard[] = [];
  vouchers: readonly HeldVoucher[] = [];
  today = "2026-01-01";
  rules: Pick<Rules, "stamp_cards">;
  constructor(card: StampCard = ofTen) {
    this.rules = { stamp_cards: [card] };
  }

  get stamps() {
    const { stamps, lapsed, completed } = this.cards[0] ?? newCard(1);
    return { stamps, lapsed, completed };
  }

  get statuses() {
    return this.vouchers.map(({ status }) => status);
  }

  on(day: string) {
    this.today = day;
    this.cards = lapseCards(this.cards, day);
    this.vouchers = lapse(this.vouchers, day).vouchers;
    return this;
  }

  use(held_voucher_id: number) {
    this.vouchers = this.vouchers.map((one) =>
      one.held_voucher_id === held_voucher_id ? { ...one, status: "redeemed" } : one,
    );
  }

  buy(quantity: number, location_id = 1) {
    const amount = quantity * 100;
    const line = { sku: null, category: "coffee", quantity, amount, earns: false, covered: 0, returned: 0 };
    const sold = { contact_id: 1, location_id, sold_on: this.today, receipt_lines: [line], freeUnits: [] };
    const sale = { ...sold, amount, refunded: 0, voucher_amount: 0, grants: null };
    const moment = { today: this.today, voucherNo: this.vouchers.length + 1 };
    const made = stampSale(this.cards, sale, this.rules, 0, moment);
    if (made instanceof Rejection) throw new Error(made.code);
    this.#change(made.cards, made.vouchers);
    return { shown: made.shown, sale: { ...sale, stamps: made.stamps } as unknown as Sale };
  }

  /** @returns what is left of the sale */
  bringBack(sale: Sale, quantity: number): Sale {
    const refunded = sale.refunded + quantity * 100;
    const receipt_lines = sale.receipt_lines?.map((line) => ({ ...line, covered: refunded })) ?? null;
    const after = { ...sale, refunded, receipt_lines };
    const made = takeStampsBack(this, sale, after, this.rules, this.today);
    this.#change(made.cards, made.changed);
    return { ...after, stamps: made.stamps };
  }

  #change(cards: readonly MemberStampCard[], vouchers: readonly HeldVoucher[]) {
    if (cards.length > 0) this.cards = cards;
    const others = this.vouchers.filter(
      (one) => !vouchers.some(({ held_voucher_id }) => held_voucher_id === one.held_voucher_id),
    );
    this.vouchers = [...others, ...vouchers];
  }
}

describe("a refund", () => {
  it("excuses only the stamps that could lapse: those that were on the card after the sale", () => {
    const member = new Member();
    member.buy(5);
    const { sale } = member.on("2026-02-10").buy(12);
    expect(member.stamps).toEqual({ stamps: 2, lapsed: 5, completed: 1 });
    member.on("2026-03-15").bringBack(sale, 12);
    expect(member.stamps).toEqual({ stamps: 0, lapsed: 5, completed: 0 });
    expect(member.statuses).toEqual(["returned"]);
  });

  it("gives no new stamps for a voucher that has lapsed", () => {
    const member = new Member();
    const { sale } = member.buy(10);
    const left = member.on("2026-05-01").bringBack(sale, 1);
    expect(member.stamps).toEqual({ stamps: 0, lapsed: 0, completed: 1 });
    expect(member.statuses).toEqual(["lapsed"]);
    member.bringBack(left, 9);
    expect(member.stamps).toEqual({ stamps: 0, lapsed: 0, completed: 0 });
    expect(member.statuses).toEqual(["returned"]);
  });

  it("leaves no stamps on a card that collects none now", () => {
    const member = new Member();
    const { sale } = member.buy(10);
    member.rules = { stamp_cards: [] };
    const left = member.bringBack(sale, 1);
    expect([member.stamps.stamps, member.statuses]).toEqual([-1, ["held"]]);
    member.bringBack(left, 9);
    expect([member.stamps.stamps, member.statuses]).toEqual([0, ["returned"]]);
  });

  it("of all sales leaves nothing, whatever lapsed before and between, but what is owed for vouchers that were used", () => {
    const steps = fc.array(
      fc.record({ days: fc.constantFrom(0, 0, 3, 20, 40, 100), coffees: fc.integer({ min: 1, max: 9 }) }),
      { minLength: 1, maxLength: 6 },
    );
    const parts = fc.array(fc.record({ nth: fc.nat(5), days: fc.constantFrom(0, 0, 10, 40) }), {
      maxLength: 12,
    });
    const used = fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 2 });
    const needed = fc.constantFrom(2, 3, 10);
    fc.assert(
      fc.property(needed, steps, used, parts, (stamps_needed, bought, numbers, backs) => {
        const member = new Member({ ...ofTen, stamps_needed });
        const pass = (days: number) => member.on(addDays(member.today, days));
        const sales = bought.map(({ days, coffees }) => pass(days).buy(coffees).sale);
        for (const number of numbers)
          if (member.vouchers.some((one) => one.held_voucher_id === number && one.status === "held"))
            member.use(number);
        const isUsed = member.statuses.includes("redeemed");
        const bringBack = (nth: number, quantity: number) => {
          const sale = sales[nth];
          if (sale !== undefined && sale.refunded < sale.amount)
            sales[nth] = member.bringBack(sale, quantity);
        };
        for (const { nth, days } of backs) {
          pass(days);
          bringBack(nth, 1);
        }
        for (const [nth, { amount, refunded }] of sales.entries()) bringBack(nth, (amount - refunded) / 100);
        expect(member.statuses.filter((status) => status === "held" || status === "lapsed")).toEqual([]);
        expect(member.stamps.stamps).toBeLessThanOrEqual(0);
        if (!isUsed) expect(member.stamps).toEqual({ stamps: 0, lapsed: 0, completed: 0 });
      }),
    );
  });
});

describe("a card", () => {
  it("that collects none at the location of a sale is not shown to its till, and promotions give none on it", () => {
    const member = new Member({ ...ofTen, location_ids: [1] });
    expect(member.buy(3).shown).toMatchObject([{ stamps: 3 }]);
    const elsewhere = member.buy(3, 2);
    expect([elsewhere.shown, elsewhere.sale.stamps, member.stamps.stamps]).toEqual([[], null, 3]);
  });

  it("with more stamps than are needed says that the next one fills it", () => {
    const before = { ...newCard(1), stamps: 8 };
    expect(showCard({ ...ofTen, stamps_needed: 5 }, before, 0, 0).text).toBe("Next stamp: Free coffee");
    expect(showCard({ ...ofTen, stamps_needed: 8 }, before, 0, 0).text).toBe("Next stamp: Free coffee");
    expect(showCard({ ...ofTen, stamps_needed: 9 }, before, 0, 0).text).toBe("1 stamp left for Free coffee");
  });
});
