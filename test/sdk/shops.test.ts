/** Orders of a shop become sales, and what comes back refunds, against the real service: once, whatever is repeated or overtaken. */
import { LoyaltyClient } from "loyalty-sdk";
import {
  afterFailure,
  findOrder,
  memberOf,
  recordOrder,
  refundOrder,
  type ShopOrder,
  saleOf,
  undoOrder,
} from "loyalty-sdk/shops";
import { beforeAll, describe, expect, it } from "vitest";
import { operatorWrite } from "../support/operator-requests.ts";
import { randomFrom } from "../support/random.ts";
import { useWorld } from "../support/world.ts";

const world = useWorld();
let client: LoyaltyClient;
let settings = { shop: "web", locationId: 0, timeZone: "Europe/Madrid" };

beforeAll(() => {
  const { client_id: clientId, client_secret: clientSecret } = world.home.everywhere;
  client = new LoyaltyClient({ baseUrl: world.baseUrl, clientId, clientSecret });
  settings = { ...settings, locationId: world.home.locationIds[0] };
});

let orders = 0;
function newOrder(fields: Partial<ShopOrder> = {}): ShopOrder {
  orders += 1;
  return {
    id: `order_${orders}`,
    placedAt: new Date(),
    amount: 6500,
    lines: [
      { id: "a", sku: "SHIRT", quantity: 3, amount: 2500 },
      { id: "b", sku: "COAT", quantity: 1, amount: 4000 },
    ],
    ...fields,
  };
}

async function withPoints(points: number): Promise<number> {
  const contact_id = await world.member();
  await client.rewardPoints.adjust({ contact_id, points, adjustment_type: "credit", reference_id: "start" });
  return contact_id;
}
const pointsOf = async (contact_id: number) => (await client.members.balances({ contact_id })).points;

async function record(order: ShopOrder, contact: number) {
  const made = saleOf(order, contact, settings);
  return { sale: made, recorded: await recordOrder(client, made) };
}
const refunded = async (sale_id: number) => {
  const { amount, refundable } = await client.sales.get({ sale_id });
  return amount - refundable;
};

describe("an order", () => {
  it("is recorded once, also at the same time, after a change, and after a merge", async () => {
    const contact = await withPoints(100);
    const order = newOrder({ usePoints: 40 });
    const first = await Promise.all([record(order, contact), record(order, contact)]);
    const changed = await record({ ...order, amount: 6400 }, contact);
    const into = await withPoints(1);
    await client.members.merge({ from_contact_id: contact, contact_id: into });
    const merged = await record(order, into);
    const ids = [...first, changed, merged].map(({ recorded }) => recorded.sale_id);
    expect(new Set(ids).size).toBe(1);
    expect(merged.recorded).toMatchObject({ points_used: 40, points_amount: 200, amount_due: 6300 });
    expect(await pointsOf(into)).toBe(61);
  });

  it("goes to the member into which its member was merged", async () => {
    const [from, into] = [await world.member(), await world.member()];
    await client.members.merge({ from_contact_id: from, contact_id: into });
    expect((await record(newOrder(), from)).recorded.contact_id).toBe(into);
  });

  it("is rejected without effect if the points are gone, and its undoing does nothing", async () => {
    const contact = await withPoints(30);
    const order = newOrder({ usePoints: 40 });
    const error = await record(order, contact).catch((error) => error);
    expect([error.code, afterFailure(error)]).toEqual(["insufficient_balance", "put_aside"]);
    await undoOrder(client, order.id, saleOf(order, contact, settings), settings);
    expect(await findOrder(client, settings, order.id)).toBeUndefined();
    expect(await pointsOf(contact)).toBe(30);
  });

  it("is undone once, also if it was never sent, and also twice at once", async () => {
    const contact = await withPoints(40);
    const order = newOrder({ usePoints: 40 });
    const sale = saleOf(order, contact, settings);
    await Promise.all([1, 2].map(() => undoOrder(client, order.id, sale, settings)));
    await undoOrder(client, order.id, sale, settings);
    const found = await findOrder(client, settings, order.id);
    expect(found).toMatchObject({ amount: 6500, refunded: 6500 });
    expect(await pointsOf(contact)).toBe(40);
  });
});

describe("what comes back", () => {
  it("is refunded by line, once, whatever is repeated and however many find it at once", async () => {
    const contact = await withPoints(40);
    const order = newOrder({ usePoints: 40 });
    const { sale, recorded } = await record(order, contact);
    const one = { lineNo: sale.lineNos.get("a"), returned: 1, quantity: 3, amount: 2500 };
    const two = { lineNo: sale.lineNos.get("b"), returned: 1, quantity: 1, amount: 4000 };
    const { sale_id: saleId } = recorded;
    const send = (returns: object) => refundOrder(client, { saleId }, returns, settings);
    const [first, second] = await Promise.all([send({ lines: [one] }), send({ lines: [one, two] })]);
    expect([...first, ...second].reduce((sum, refund) => sum + refund.refunded, 0)).toBe(833 + 4000);
    expect(await send({ lines: [one] })).toEqual([]);
    const { refunds, lines } = await client.sales.get({ sale_id: saleId });
    expect(lines.map(({ returned }) => returned)).toEqual([1, 1]);
    expect(refunds.every(({ lines_back }) => lines_back.length > 0)).toBe(true);
    await send({ cancelled: true });
    expect(await refunded(saleId)).toBe(6500);
    expect(await pointsOf(contact)).toBe(40);
  });

  it("ends the same in any order of goods and money", async () => {
    const draw = randomFrom(58);
    for (let round = 0; round < 20; round += 1) {
      const contact = await world.member();
      const order = newOrder();
      const { sale, recorded } = await record(order, contact);
      const { sale_id: saleId } = recorded;
      let state = { a: 0, b: 0, money: 0 };
      for (let step = 0; step < 5; step += 1) {
        const [a, b] = [Math.min(3, state.a + draw.below(2)), Math.max(state.b, draw.below(2))];
        const money = Math.min(6500, state.money + draw.below(2500));
        state = { a, b, money };
        const returns = {
          money,
          lines: [
            { lineNo: sale.lineNos.get("a"), returned: a, quantity: 3, amount: 2500 },
            { lineNo: sale.lineNos.get("b"), returned: b, quantity: 1, amount: 4000 },
          ],
        };
        await refundOrder(client, { saleId }, returns, settings);
        const goods = Math.floor((2500 * a) / 3) + 4000 * b;
        expect(await refunded(saleId), `${round}: ${JSON.stringify(state)}`).toBe(Math.max(goods, money));
      }
    }
  });
});

describe("a customer", () => {
  const rules = { shop: "web", match: ["email", "phone_number"], create: true } as const;

  it("is found by e-mail or phone number, and is created once by requests at once", async () => {
    const customer = { id: "c1", email: "Nina@example.com", phone: "+34 655 100 200", firstName: "Nina" };
    const ids = await Promise.all([1, 2, 3].map(() => memberOf(client, customer, rules)));
    expect(new Set(ids).size).toBe(1);
    expect(await memberOf(client, { id: "c2", phone: "0034655100200" }, rules)).toBe(ids[0]);
    const member = await client.members.find({ email: "nina@example.com" });
    expect(member).toMatchObject({ contact_id: ids[0], first_name: "Nina", last_name: "Nina" });
  });

  it("is no member without a number, without creation, or if another has what is not matched", async () => {
    const other = { id: "c3", email: "olga@example.com", phone: "655 100 201" };
    expect(await memberOf(client, other, rules)).toBe("phone_number_needed");
    expect(await memberOf(client, other, { ...rules, create: false })).toBe("not_found");
    const taken = { ...other, phone: "+34655100200" };
    expect(await memberOf(client, taken, { ...rules, match: ["email"] })).toBe("taken_by_another");
  });

  it("is created once by requests at once that match by nothing, and after a crash that forgot it", async () => {
    const own = { ...rules, match: [] };
    const customer = { id: "c4", email: "pia@example.com", phone: "+34655100204" };
    const ids = await Promise.all([1, 2, 3].map(() => memberOf(client, customer, own)));
    expect(new Set([...ids, await memberOf(client, customer, own)])).toEqual(new Set([expect.any(Number)]));
    const elsewhere = memberOf(client, { ...customer, phone: "+34655100205" }, own);
    await expect(elsewhere).rejects.toThrow("just become a member");
    expect(afterFailure(await elsewhere.catch((error) => error))).toBe("retry");
    expect(await memberOf(client, customer, { ...own, shop: "other" })).toBe("taken_by_another");
  });

  it("becomes another member after the first one was erased", async () => {
    const own = { ...rules, match: [] };
    const customer = { id: "c5", phone: "+34655100206" };
    const first = await memberOf(client, customer, own);
    const business_id = world.home.businessId;
    await operatorWrite(world, "/op/members/erase", { business_id, contact_id: first });
    const second = await memberOf(client, customer, own);
    expect(second).toEqual(expect.any(Number));
    expect(second).not.toBe(first);
  });
});
