/** What refunds take off cards whose stamps or vouchers have lapsed, and where cards are shown. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { coffeeCard, heldVoucher } from "../../../../test/support/vouchers.ts";
import { addDays } from "../../dates.ts";
import { balanceLimit } from "../../ledger.ts";
import type { HeldVoucher, MemberStampCard, Sale } from "../../records.ts";
import { Rejection } from "../../rejection.ts";
import type { Rules, StampCard } from "../rules.ts";
import { lapse } from "../vouchers/voucher.ts";
import { lapseCards, newCard } from "./cards.ts";
import { joinStamps, payOwedStamps, showCard, stampSale, type TakenStamps, takeStampsBack } from "./sale.ts";

interface Bought {
  readonly location_id?: number;
  readonly category?: string;
  readonly free?: number;
}

/** A member that buys coffees for 1.00 each, and brings some back. */
class Member {
  cards: readonly MemberStampCard[] = [];
  vouchers: readonly HeldVoucher[] = [];
  today = "2026-01-01";
  /** What the last refund told the till. */
  shown: readonly TakenStamps[] = [];
  /** The vouchers that it took, and those of them that were in the balance. */
  taken: readonly number[][] = [];
  rules: Pick<Rules, "stamp_cards">;
  balance = 0;
  constructor(...cards: StampCard[]) {
    this.rules = { stamp_cards: cards.length === 0 ? [coffeeCard] : cards };
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

  decide(quantity: number, { location_id = 1, category = "coffee", free = 0 }: Bought = {}) {
    const amount = quantity * 100;
    const line = { sku: null, category, quantity, amount, earns: false, covered: 0, returned: 0, free };
    const sold = { contact_id: 1, location_id, sold_on: this.today, receipt_lines: [line] };
    const sale = { ...sold, amount, refunded: 0, voucher_amount: 0, grants: null };
    const moment = { today: this.today, voucherNo: this.vouchers.length + 1 };
    return { sale, made: stampSale(this.cards, sale, this.rules, this.balance, moment) };
  }

  buy(quantity: number, more: Bought = {}) {
    const { sale, made } = this.decide(quantity, more);
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
    const { stamps, cards, changed, shown, taken, valued } = made;
    this.#change(cards, changed);
    this.shown = shown;
    this.taken = [taken, valued].map((some) => some.map(({ held_voucher_id }) => held_voucher_id));
    return { ...after, stamps };
  }

  #change(cards: readonly MemberStampCard[], vouchers: readonly HeldVoucher[]) {
    const ids = new Set(cards.map(({ stamp_card_id }) => stamp_card_id));
    this.cards = [...this.cards.filter((one) => !ids.has(one.stamp_card_id)), ...cards];
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
    expect([member.statuses, member.taken]).toEqual([["returned"], [[1], [1]]]);
  });

  it("gives no new stamps for a voucher that has lapsed", () => {
    const member = new Member();
    const { sale } = member.buy(10);
    const left = member.on("2026-05-01").bringBack(sale, 1);
    expect(member.stamps).toEqual({ stamps: 0, lapsed: 0, completed: 1 });
    expect([member.statuses, member.taken]).toEqual([["lapsed"], [[], []]]);
    member.bringBack(left, 9);
    expect(member.stamps).toEqual({ stamps: 0, lapsed: 0, completed: 0 });
    expect([member.statuses, member.taken]).toEqual([["returned"], [[1], []]]);
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

  it("excuses lapsed stamps that had come back from a voucher of the sale, whichever sale it undid", () => {
    const member = new Member();
    member.buy(10);
    const [first, last] = [member.buy(4).sale, member.buy(6).sale];
    member.use(1);
    const left = member.bringBack(first, 1);
    expect(member.cards[0]).toMatchObject({ stamps: 9, begun_on: "2026-01-01", lapses_on: "2026-04-02" });
    member.on("2026-04-02").bringBack(last, 6);
    expect(member.stamps).toEqual({ stamps: 0, lapsed: 3, completed: 1 });
    member.bringBack(left, 3);
    expect(member.stamps).toEqual({ stamps: 0, lapsed: 0, completed: 1 });
  });

  it("excuses lapsed stamps of the sale itself before those that the member has now", () => {
    const member = new Member();
    member.buy(2);
    const { sale } = member.buy(3);
    member.on("2026-02-01");
    expect(member.stamps).toMatchObject({ stamps: 5, lapsed: 0 });
    const { sale: last } = member.on("2026-02-02").buy(5);
    const left = member.bringBack(sale, 1);
    expect([member.stamps, member.shown]).toEqual([
      { stamps: 5, lapsed: 4, completed: 0 },
      [{ stamp_card_id: 1, taken: 1, stamps: 5, stamps_owed: 0 }],
    ]);
    member.bringBack(left, 2);
    expect(member.stamps).toEqual({ stamps: 5, lapsed: 2, completed: 0 });
    // Those of the new card have not lapsed.
    member.bringBack(last, 1);
    expect(member.stamps).toEqual({ stamps: 4, lapsed: 2, completed: 0 });
    const unlimited = new Member({ ...coffeeCard, validity: null, validity_period: null });
    const { sale: other } = unlimited.buy(3);
    unlimited.on("2027-01-01").bringBack(other, 2);
    expect(unlimited.stamps).toEqual({ stamps: 1, lapsed: 0, completed: 0 });
  });

  it("excuses none for vouchers of the sale that are not taken back, or still valid, nor for those of other sales", () => {
    const withLapsed = () => {
      const member = new Member();
      member.buy(5);
      return member.on("2026-02-10");
    };
    const lapsing = withLapsed();
    const { sale: first } = lapsing.buy(10);
    lapsing.on("2026-06-01").bringBack(first, 1);
    expect([lapsing.stamps.lapsed, lapsing.vouchers[0]?.stamps_used]).toEqual([5, 9]);
    const valid = withLapsed();
    const left = valid.bringBack(valid.buy(10).sale, 1);
    valid.bringBack(left, 2);
    expect(valid.stamps).toEqual({ stamps: 7, lapsed: 5, completed: 0 });
    const other = new Member();
    other.bringBack(other.buy(10).sale, 1);
    const { sale: last } = other.on("2026-04-02").buy(10);
    other.bringBack(last, 1);
    expect([other.stamps, other.statuses]).toEqual([
      { stamps: 9, lapsed: 9, completed: 0 },
      ["returned", "returned"],
    ]);
  });

  it("leaves nothing owed for stamps that paid what was owed, and lapsed with the voucher that came back", () => {
    const member = new Member();
    const { sale } = member.buy(10);
    member.use(1);
    const left = member.bringBack(sale, 4);
    const { sale: paying } = member.buy(4);
    // The sale that the voucher paid is refunded.
    member.vouchers = member.vouchers.map((one) => ({ ...one, status: "held" }));
    member.bringBack(left, 6);
    expect(member.stamps).toEqual({ stamps: 4, lapsed: 0, completed: 0 });
    member.on("2026-04-02").bringBack(paying, 4);
    expect(member.stamps).toEqual({ stamps: 0, lapsed: 0, completed: 0 });
  });

  it("of a sale without stamps takes a voucher that comes back, if stamps are owed", () => {
    const member = new Member();
    const { sale } = member.buy(10);
    member.use(1);
    member.bringBack(sale, 4);
    const { sale: cake } = member.buy(2, { location_id: 2 });
    const plain = { ...cake, stamps: null };
    member.vouchers = member.vouchers.map((one) => ({ ...one, status: "held" }));
    member.cards = member.cards.map((card) => ({ ...card, stamps: -4 }));
    const left = member.bringBack(plain, 1);
    expect([member.shown, member.statuses]).toEqual([
      [{ stamp_card_id: 1, taken: 0, stamps: 6, stamps_owed: 0 }],
      ["returned"],
    ]);
    member.bringBack(left, 1);
    expect(member.shown).toEqual([]);
  });

  it("says what is owed for a voucher that was used, and takes others back", () => {
    const member = new Member();
    const { sale } = member.buy(12);
    member.use(1);
    const left = member.bringBack(sale, 5);
    expect(member.shown).toEqual([{ stamp_card_id: 1, taken: 5, stamps: 0, stamps_owed: 3 }]);
    expect(member.buy(2).sale.stamps).toMatchObject([{ added: 2, on_card: 0, held_voucher_ids: [] }]);
    member.buy(12);
    expect(member.stamps).toMatchObject({ stamps: 1, completed: 2 });
    member.bringBack(left, 2);
    expect([member.statuses.toSorted(), member.stamps.stamps]).toEqual([["redeemed", "returned"], 9]);
  });

  it("takes a visit off its day once, when too little is left for it", () => {
    const visits: StampCard = { ...coffeeCard, counts: "visit", most_per_day: 2, minimum_amount: 200 };
    const member = new Member(visits);
    const sales = [member.buy(4).sale, member.buy(4).sale];
    const given = () => member.cards[0]?.visits.map((one) => one.given);
    let [left] = sales as [Sale];
    const counts = [2, 1, 1].map((quantity) => {
      left = member.bringBack(left, quantity);
      return [...(given() ?? []), member.stamps.stamps];
    });
    expect(counts).toEqual([
      [2, 2],
      [1, 1],
      [1, 1],
    ]);
  });

  it("lets another sale of the day give the stamp of a visit", () => {
    const visits = { ...coffeeCard, counts: "visit", most_per_day: 1, validity: null, validity_period: null };
    const member = new Member(visits as StampCard);
    const { sale } = member.buy(4);
    expect([member.buy(1).sale.stamps, member.stamps.stamps]).toEqual([null, 1]);
    const left = member.bringBack(sale, 3);
    expect([member.stamps.stamps, member.buy(1).sale.stamps]).toEqual([1, null]);
    member.bringBack(left, 1);
    expect([member.stamps.stamps, member.cards[0]?.visits]).toEqual([0, []]);
    member.buy(1);
    expect(member.on("2026-01-02").buy(1).sale.stamps).toMatchObject([
      { own: { counts: "visit", lines: null } },
    ]);
    expect(member.stamps.stamps).toBe(2);
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
        const member = new Member({ ...coffeeCard, stamps_needed });
        const pass = (days: number) => member.on(addDays(member.today, days));
        const sales = bought.map(({ days, coffees }) => pass(days).buy(coffees).sale);
        for (const number of numbers)
          if (member.vouchers.some((one) => one.held_voucher_id === number && one.status === "held"))
            member.use(number);
        const used = member.vouchers.filter(({ status }) => status === "redeemed");
        const bringBack = (nth: number, quantity: number) => {
          const sale = sales[nth];
          if (sale !== undefined && sale.refunded < sale.amount)
            sales[nth] = member.bringBack(sale, quantity);
          // Never more is owed than vouchers have taken that were used.
          const owed = used.length * stamps_needed;
          expect(member.stamps.stamps + owed).toBeGreaterThanOrEqual(0);
        };
        for (const { nth, days } of backs) {
          pass(days);
          bringBack(nth, 1);
        }
        for (const [nth, { amount, refunded }] of sales.entries()) bringBack(nth, (amount - refunded) / 100);
        expect(member.statuses.filter((status) => status === "held" || status === "lapsed")).toEqual([]);
        const owed = used.length * stamps_needed;
        expect(member.stamps).toEqual({ stamps: 0 - owed, lapsed: 0, completed: used.length });
      }),
    );
  });
});

describe("a sale", () => {
  const tea: StampCard = { ...coffeeCard, stamp_card_id: 2, name: "Tea card", categories: ["tea"] };

  it("gives stamps on each card that counts it, and shows others on which the member has some", () => {
    const member = new Member({ ...coffeeCard, categories: ["coffee"] }, tea);
    expect(member.buy(1).shown).toEqual([
      {
        ...{ stamp_card_id: 1, name: "Coffee card", stamps_needed: 10, stamps_owed: 0 },
        ...{ stamps_added: 1, stamps: 1, completed: 0, text: "9 stamps left for Free coffee" },
      },
    ]);
    expect(member.cards[0]?.visits).toEqual([]);
    const { shown, sale } = member.buy(4, { category: "tea" });
    expect(shown.map(({ stamps_added, stamps }) => [stamps_added, stamps])).toEqual([
      [0, 1],
      [4, 4],
    ]);
    expect(member.buy(2, { category: "tea" }).sale.stamps).toMatchObject([{ added: 2, on_card: 2 }]);
    expect(sale.stamps?.map(({ stamp_card_id }) => stamp_card_id)).toEqual([2]);
    expect(member.buy(1, { category: "cake" }).sale.stamps).toBeNull();
  });

  it("gives the vouchers of all full cards, if the balance has room for them", () => {
    const member = new Member(coffeeCard, { ...coffeeCard, stamp_card_id: 2 });
    const { shown, sale } = member.buy(21);
    expect(
      member.vouchers.map(({ held_voucher_id: id, stamp_card_id, stamps_used }) => [
        id,
        stamp_card_id,
        stamps_used,
      ]),
    ).toEqual([
      [1, 1, 10],
      [2, 1, 10],
      [3, 2, 10],
      [4, 2, 10],
    ]);
    expect(sale.stamps?.map(({ on_card, held_voucher_ids }) => [on_card, held_voucher_ids])).toEqual([
      [1, [1, 2]],
      [1, [3, 4]],
    ]);
    expect(shown).toMatchObject([{ completed: 2, text: "Card full 2 times: Free coffee" }, {}]);
    const last = new Member(coffeeCard, { ...coffeeCard, stamp_card_id: 2 });
    last.balance = balanceLimit - 4 * 350;
    expect(last.decide(21).made).toMatchObject({ vouchers: [{}, {}, {}, {}] });
    last.balance += 1;
    expect(last.decide(21).made).toMatchObject({ code: "balance_limit_exceeded" });
  });

  it("gives none for units that a voucher for an article paid, and a visit counts them", () => {
    const of = (more: Partial<StampCard>) => new Member({ ...coffeeCard, ...more }).buy(3, { free: 2 });
    expect(of({ minimum_amount: 300 }).sale.stamps).toMatchObject([
      { added: 1, own: { counts: "unit", lines: [1], minimum_amount: 300 } },
    ]);
    const onCoffee = new Member({ ...coffeeCard, counts: "visit", categories: ["coffee"] });
    expect(onCoffee.buy(1, { category: "cake" }).sale.stamps).toBeNull();
    const [visit] = of({ counts: "visit", categories: ["coffee"] }).sale.stamps ?? [];
    expect(visit).toMatchObject({ added: 1, own: { lines: [1] } });
  });

  it("without lines, or of a business without cards, gives none", () => {
    const member = new Member();
    const { sale } = member.decide(3);
    const bare = { ...sale, receipt_lines: null };
    const moment = { today: member.today, voucherNo: 1 };
    expect(stampSale([], bare, member.rules, 0, moment)).toMatchObject({ stamps: null, shown: [] });
    expect(stampSale([], sale, { stamp_cards: [] }, 0, moment)).toMatchObject({ stamps: null, shown: [] });
  });
});

describe("stamps that are owed", () => {
  const owing = { ...newCard(1), stamps: -4, completed: 1 };
  const back = heldVoucher({
    held_voucher_id: 5,
    stamp_card_id: 1,
    stamps_used: 10,
    coupon_value: 350,
    lapses_on: "2026-05-01",
  });
  const unlimited = { ...coffeeCard, stamp_card_id: 9, validity: null, validity_period: null };
  const rules = { stamp_cards: [unlimited, coffeeCard] };
  const entry = (amount: number) => ({ event_type: "voucher_issued" as const, amount });

  it("take a voucher that comes back", () => {
    const given = { ...entry(350), event_type: "voucher_reversed" as const };
    const decision = {
      ...{ entries: [given], reference_id: "R", changes: { held_voucher: [back] } },
      data: { balance_after: 900, other: 1 },
    };
    expect(payOwedStamps(decision, [owing], rules)).toEqual({
      ...{ entries: [given, entry(-350)], reference_id: "R" },
      changes: {
        held_voucher: [{ ...back, status: "returned" }],
        member_stamp_card: [
          { ...owing, stamps: 6, completed: 0, begun_on: back.issued_on, lapses_on: back.lapses_on },
        ],
      },
      data: { balance_after: 550, other: 1, vouchers_taken: [5] },
    });
    const kept = payOwedStamps(decision, [{ ...owing, stamps: 0 }], rules);
    expect(kept).toEqual({ ...decision, data: { ...decision.data, vouchers_taken: [] } });
  });

  it("are excused by one that comes back and has lapsed", () => {
    const lapsed = { ...back, status: "lapsed" as const };
    const decision = { entries: [], reference_id: "R", changes: { held_voucher: [lapsed] } };
    const paid = payOwedStamps({ ...decision, data: { balance_after: 900 } }, [owing], rules);
    expect(paid.changes).toMatchObject({
      held_voucher: [{ held_voucher_id: 5, status: "lapsed", stamps_used: 6 }],
      member_stamp_card: [{ stamps: 0, completed: 1 }],
    });
    expect(paid.data).toEqual({ balance_after: 900, vouchers_taken: [] });
  });

  it("take vouchers of the other member in a merge, and full cards give some", () => {
    const other = { ...newCard(1), stamps: 3, begun_on: "2026-01-05", completed: 1 };
    const of = { active: true, balances: { vouchers: 0 }, cards: [owing], vouchers: [back] };
    type Of = Parameters<typeof joinStamps>[0];
    const moment = { today: "2026-01-20", voucherNo: 7 };
    const join = (more: object, cards: MemberStampCard[], by: Pick<Rules, "stamp_cards"> = rules) =>
      joinStamps({ ...of, ...more } as unknown as Of, cards, by, 4, moment);
    expect(join({}, [other])).toEqual({
      cards: [
        { ...newCard(1), stamps: 9, completed: 1, begun_on: back.issued_on, lapses_on: back.lapses_on },
      ],
      vouchers: [{ ...back, status: "returned" }],
      entries: [entry(-350)],
    });
    const many = [1, 9].map((id) => ({ ...newCard(id), stamps: 8, begun_on: "2026-01-05" }));
    const full = join({ cards: many, vouchers: [] }, many);
    expect(full).toMatchObject({
      cards: [
        { stamp_card_id: 1, stamps: 6, completed: 1, begun_on: "2026-01-20" },
        { stamp_card_id: 9, stamps: 6, completed: 1 },
      ],
      vouchers: [
        { held_voucher_id: 7, contact_id: 4, stamp_card_id: 1 },
        { held_voucher_id: 8, stamp_card_id: 9 },
      ],
      entries: [entry(350), entry(350)],
    });
    const limit = (more: number) => ({
      cards: many,
      vouchers: [],
      balances: { vouchers: balanceLimit - 700 + more },
    });
    expect(join(limit(0), many)).toMatchObject({ vouchers: [{}, {}] });
    expect(join(limit(1), many)).toMatchObject({ code: "balance_limit_exceeded" });
    // A card that has ended only adds up.
    expect(join({ cards: many, vouchers: [] }, many, { stamp_cards: [] })).toMatchObject({
      ...{ cards: [{ stamps: 16, completed: 0 }, { stamps: 16 }], vouchers: [], entries: [] },
    });
  });
});

describe("a card", () => {
  it("that collects none at the location of a sale is not shown to its till, and promotions give none on it", () => {
    const member = new Member({ ...coffeeCard, location_ids: [1] });
    expect(member.buy(3).shown).toMatchObject([{ stamps: 3 }]);
    const elsewhere = member.buy(3, { location_id: 2 });
    expect([elsewhere.shown, elsewhere.sale.stamps, member.stamps.stamps]).toEqual([[], null, 3]);
  });

  it("with more stamps than are needed says that the next one fills it", () => {
    const before = { ...newCard(1), stamps: 8 };
    expect(showCard({ ...coffeeCard, stamps_needed: 5 }, before, 0, 0).text).toBe("Next stamp: Free coffee");
    expect(showCard({ ...coffeeCard, stamps_needed: 8 }, before, 0, 0).text).toBe("Next stamp: Free coffee");
    expect(showCard({ ...coffeeCard, stamps_needed: 9 }, before, 0, 0).text).toBe(
      "1 stamp left for Free coffee",
    );
    expect(showCard(coffeeCard, { ...before, stamps: -2 }, 0, 0)).toMatchObject({
      stamps: 0,
      stamps_owed: 2,
      text: "2 stamps owed for Free coffee",
    });
    expect(showCard(coffeeCard, { ...before, stamps: -1 }, 0, 0).text).toBe("1 stamp owed for Free coffee");
  });
});
