import { describe, expect, it } from "vitest";
import { quoteOf, type ShopOrder, saleOf } from "./order.ts";

const settings = { shop: "web", locationId: 7, timeZone: "Europe/Madrid" };
const order: ShopOrder = {
  id: "order 1",
  placedAt: new Date("2026-04-16T22:30:00Z"),
  amount: 5000,
  lines: [
    { id: "a", sku: "SHIRT", category: "clothes", quantity: 2, amount: 4000 },
    { id: "b", sku: "MUG", quantity: 1, amount: 1000 },
  ],
};

describe("the sale of an order", () => {
  it("has a key of the order, its day in the time zone of the business, and its lines", () => {
    const { body, lineNos } = saleOf({ ...order, usePoints: 40, useWallet: 0 }, 100001, settings);
    expect(body).toEqual({
      idempotency_key: "shop/web/order/order%201",
      reference_id: "shop/web/order/order%201",
      contact_id: 100001,
      location_id: 7,
      amount: 5000,
      use_points: 40,
      sold_on: "2026-04-17",
      sold_at: "00:30",
      lines: [
        { sku: "SHIRT", category: "clothes", quantity: 2, amount: 4000 },
        { sku: "MUG", quantity: 1, amount: 1000 },
      ],
    });
    expect([...lineNos]).toEqual([
      ["a", 1],
      ["b", 2],
    ]);
  });

  it("is quoted without key, reference and time", () => {
    const quote = quoteOf(order, 100001, settings);
    expect(Object.keys(quote).sort()).toEqual(["amount", "contact_id", "lines", "location_id"]);
  });

  it.each([
    ["a discount of the order", 4001, [3200, 801]],
    ["a fee that is no line", 5001, [4000, 1001]],
    ["an order that is nearly free", 1, [0, 1]],
  ])("divides %s among the lines", (_, amount, amounts) => {
    const { lines } = saleOf({ ...order, amount }, 1, settings).body;
    expect(lines?.map((line) => line.amount)).toEqual(amounts);
  });

  it("has no lines if none has an amount, and then they have no place", () => {
    const free = order.lines.map((line) => ({ ...line, amount: 0 }));
    const { body, lineNos } = saleOf({ ...order, lines: free }, 1, settings);
    expect(body.lines).toBeUndefined();
    expect(lineNos.size).toBe(0);
  });

  it("joins the lines by category if there are more than a sale can have", () => {
    const lines = Array.from({ length: 201 }, (_, nth) => ({
      id: `${nth}`,
      sku: `${nth}`,
      category: nth % 2 === 0 ? "even" : "odd",
      quantity: 2,
      amount: 10,
    }));
    const { body, lineNos } = saleOf({ ...order, amount: 2010, lines }, 1, settings);
    expect(body.lines).toEqual([
      { category: "even", quantity: 202, amount: 1010 },
      { category: "odd", quantity: 200, amount: 1000 },
    ]);
    expect(lineNos.size).toBe(0);
  });

  it("cuts words that are longer than the service takes, between characters", () => {
    const sku = `${"x".repeat(63)}🎁🎁`;
    const { lines } = saleOf(
      { ...order, lines: [{ id: "a", sku, quantity: 1, amount: 5000 }] },
      1,
      settings,
    ).body;
    expect(lines?.[0]?.sku).toBe(`${"x".repeat(63)}🎁`);
  });

  it.each([{ amount: 0 }, { amount: 10.5 }, { lines: [{ id: "a", quantity: 0.5, amount: 5000 }] }])(
    "is not made of %o",
    (part) => {
      expect(() => saleOf({ ...order, ...part }, 1, settings)).toThrow(RangeError);
    },
  );
});
