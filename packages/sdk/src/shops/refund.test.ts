import { describe, expect, it } from "vitest";
import { type RefundableSale, type ReturnedLine, refundOf } from "./refund.ts";

const line = (line_no: number, quantity: number, amount: number, back = 0) => ({
  ...{ line_no, quantity, amount, returned: back },
  refundable: amount - Math.floor((amount * back) / quantity),
});
const sale: RefundableSale = {
  amount: 6500,
  amount_due: 6300,
  refundable: 6500,
  lines: [line(1, 3, 2500), line(2, 1, 4000)],
};
const back = (lineNo: number | undefined, returned: number): ReturnedLine => ({
  ...{ lineNo, returned, quantity: 3, amount: 2500 },
});

describe("the refund that a sale lacks", () => {
  it.each([
    ["nothing, if nothing came back", {}, undefined],
    ["all of it, if the order is cancelled", { cancelled: true }, {}],
    ["the units that came back", { lines: [back(1, 2)] }, { lines: [{ line_no: 1, quantity: 2 }] }],
    [
      "units of a line at most as often as it has them",
      { lines: [back(2, 5)] },
      { lines: [{ line_no: 2, quantity: 1 }] },
    ],
    ["an amount, if the sale has no such line", { lines: [back(undefined, 2)] }, { amount: 1666 }],
    ["an amount for money without goods, with the part of the points", { money: 630 }, { amount: 650 }],
    [
      "the goods only, if the money was for them",
      { lines: [back(2, 1)], money: 3876 },
      { lines: [{ line_no: 2, quantity: 1 }] },
    ],
    [
      "the goods only, if the shop rounded their money up",
      { lines: [back(2, 1)], money: 3877 },
      { lines: [{ line_no: 2, quantity: 1 }] },
    ],
    ["no more than the sale", { money: 99_999 }, { amount: 6500 }],
  ])("is %s", (_, returns, refund) => {
    expect(refundOf(sale, returns)).toEqual(refund);
  });

  it("is what is new, if a part was refunded before", () => {
    const after = { ...sale, refundable: 5667, lines: [line(1, 3, 2500, 1), line(2, 1, 4000)] };
    expect(refundOf(after, { lines: [back(1, 1)] })).toBeUndefined();
    expect(refundOf(after, { lines: [back(1, 3)] })).toEqual({ lines: [{ line_no: 1, quantity: 2 }] });
  });

  it("is nothing for goods whose money was paid back before they came", () => {
    // 4000 of the sale were refunded as an amount, so lines no longer have all of theirs.
    const paid = {
      ...sale,
      refundable: 2500,
      lines: [
        { ...line(1, 3, 2500), refundable: 962 },
        { ...line(2, 1, 4000), refundable: 1538 },
      ],
    };
    const returns = { lines: [back(2, 1)], money: 3876 };
    expect(refundOf(paid, returns)).toBeUndefined();
    expect(refundOf(paid, { ...returns, money: 3877 + 969 })).toEqual({ amount: 1000 });
  });

  it("is nothing beside goods whose money the shop rounded up", () => {
    // 3999 of 10999 are 3889.93 of the 10699 that were paid in money.
    const line = { line_no: 1, quantity: 1, amount: 3999, returned: 1, refundable: 0 };
    const after = { amount: 10_999, amount_due: 10_699, refundable: 7000, lines: [line] };
    const goods = { lineNo: 1, returned: 1, quantity: 1, amount: 3999 };
    expect(refundOf(after, { lines: [goods], money: 3890 })).toBeUndefined();
    expect(refundOf(after, { lines: [goods], money: 3891 })).toEqual({ amount: 2 });
  });

  it("is nothing if all was refunded, whatever comes", () => {
    expect(refundOf({ ...sale, refundable: 0 }, { cancelled: true, money: 6300 })).toBeUndefined();
  });
});
