/** The plugin in a real Medusa shop, with the real service: a customer buys, earns, pays with points, returns, and cancels. */
import { randomBytes } from "node:crypto";
import { LoyaltyClient } from "loyalty-sdk";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { signWebhook } from "../../packages/sdk/src/webhooks.ts";
import { openDatabase } from "../../src/database/connection.ts";
import { type FaultyProxy, startFaultyProxy } from "../support/faulty-proxy.ts";
import { installPlugin, isMedusaInstalled, MedusaShop } from "../support/medusa-shop.ts";
import { operatorWrite } from "../support/operator-requests.ts";
import { useWorld } from "../support/world.ts";
import { buyThroughKills } from "./medusa-kills.ts";
import { MedusaOrders } from "./medusa-orders.ts";
import { giveVoucher } from "./vouchers.ts";

const reason = "SHOPS names no folder with Medusa: see CONTRIBUTING.md";
if (!isMedusaInstalled) process.stderr.write(`The tests of the plugin for Medusa are skipped: ${reason}\n`);

describe.skipIf(!isMedusaInstalled)("the plugin for Medusa", () => {
  const world = useWorld();
  const shop = new MedusaShop();
  const database = { ...inject("server"), database: `medusa_${randomBytes(6).toString("hex")}` };
  const webhookSecret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
  let proxy: FaultyProxy;
  /** Whether the shop reaches the service. */
  let isReached = true;
  let loyalty: LoyaltyClient;
  let orders: MedusaOrders;

  async function onServer(statement: string, connection = inject("server")) {
    const admin = openDatabase(connection, {
      ...{ connections: 1, statementTimeoutMilliseconds: 60_000, applicationName: "loyalty tests" },
    });
    await admin.query(statement);
    await admin.end();
  }

  beforeAll(async () => {
    const { client_id: clientId, client_secret: clientSecret } = world.home.everywhere;
    loyalty = new LoyaltyClient({ baseUrl: world.baseUrl, clientId, clientSecret });
    orders = new MedusaOrders(shop, loyalty);
    const business_id = world.home.businessId;
    const program = {
      membership_name: "Web",
      earn_points: 1,
      earn_amount: 100,
      maximum_points_per_order: 10_000,
    };
    const { program_id } = await operatorWrite(world, "/op/programs/create", { business_id, ...program });
    const rules = { business_id, default_program_id: program_id };
    await operatorWrite(world, "/op/reward-settings/rules/update", rules);
    proxy = await startFaultyProxy(world.baseUrl, () => (isReached ? "pass" : "lose_request"));
    const options = {
      ...{
        baseUrl: proxy.baseUrl,
        clientId,
        clientSecret,
        match: ["email", "phone_number"],
        locationId: world.home.locationIds[0],
      },
      ...{
        webhookSecret: `whsec_${Buffer.alloc(32, 7).toString("base64")}`,
        consoleUrl: "https://x.example/console",
      },
    };
    await installPlugin();
    await onServer(`CREATE DATABASE ${database.database}`);
    await shop.prepare(database, options);
  });
  afterAll(async () => {
    await shop.stop();
    await proxy?.close();
    await onServer(`DROP DATABASE IF EXISTS ${database.database} WITH (FORCE)`);
  });

  afterEach(({ task }) => {
    if (task.result?.state === "fail")
      process.stderr.write(`The shop's log of "${task.name}":\n${shop.log}\n`);
    shop.log = "";
  });

  it("records an order when it is paid, for a member that it creates", async () => {
    const ana = await shop.customer(orders.person());
    const order = await ana.buy({ SHIRT: 2, COAT: 1 });
    expect(await orders.salesOf(order)).toEqual([]);
    await orders.capture(order);
    await expect.poll(() => orders.salesOf(order)).toHaveLength(1);
    const [sale] = await orders.salesOf(order);
    expect(sale).toMatchObject({ amount: 8499, amount_due: 8499, points_earned: 84 });
    const { lines, why } = await loyalty.sales.get({ sale_id: sale!.sale_id });
    expect(
      lines.map((line) => `${line.sku} ${line.category} ${line.quantity} ${line.amount}`).sort(),
    ).toEqual(["COAT clothes 1 3999", "SHIRT clothes 2 4000", "null shipping 1 500"]);
    expect(why.map(({ code }) => code)).toEqual(["earned"]);
    const { loyalty: mine } = await ana.send("GET", "/store/customers/me/loyalty");
    expect(mine).toMatchObject({ balances: { points: 84, points_amount: 400 }, tier: null, vouchers: [] });
  });

  it("takes points in the checkout, which lower what is paid, and refunds a returned line and the rest", async () => {
    const { customer, points } = await orders.withPoints(100);
    const cartId = await customer.cart({ SHIRT: 2, COAT: 1, GIFT: 1 });
    const { loyalty: quoted } = await customer.send("GET", `/store/carts/${cartId}/loyalty`);
    expect(quoted).toMatchObject({ points: 0, pays: 0, quote: { amount: 10_999, usable: { points: 100 } } });
    await customer.send("POST", `/store/carts/${cartId}/loyalty`, { points: 40 });
    const { loyalty: chosen } = await customer.send("POST", `/store/carts/${cartId}/loyalty`, { points: 60 });
    expect(chosen).toMatchObject({ points: 60, pays: 3, quote: { amount_due: 10_699 } });
    const { cart } = await customer.send("GET", `/store/carts/${cartId}`);
    expect([cart.total, cart.credit_lines.length]).toEqual([106.99, 1]);
    const { body } = await customer.complete(cartId);
    expect(body).toMatchObject({ type: "order", order: { total: 106.99 } });
    const [sale] = await orders.salesOf(body.order);
    expect(sale).toMatchObject({ amount: 10_999, points_used: 60, points_amount: 300, amount_due: 10_699 });
    expect(await points()).toBe(100 - 60 + 106);
    await orders.capture(body.order);
    await orders.returnGoods(body.order, "COAT", 1);
    await expect.poll(async () => (await orders.salesOf(body.order))[0]?.refunded).toBe(3999);
    const { lines, refunds } = await loyalty.sales.get({ sale_id: sale!.sale_id });
    expect(lines.flatMap(({ sku, returned }) => (returned === 0 ? [] : [[sku, returned]]))).toEqual([
      ["COAT", 1],
    ]);
    expect(refunds).toMatchObject([{ reason: `Returned order ${body.order.id}`, points_back: 21 }]);
    // The money for the coat counts with the coat.
    await orders.refundMoney(body.order, 38.9);
    await orders.refundMoney(body.order, 10);
    await expect.poll(async () => (await orders.salesOf(body.order))[0]?.refunded).toBe(5028);
  });

  it("leaves the sale alone when what was added later is paid back", async () => {
    const ana = await shop.customer(orders.person());
    const order = await ana.buy({ SHIRT: 1 });
    await orders.capture(order);
    await expect.poll(() => orders.salesOf(order)).toHaveLength(1);
    const items = [{ variant_id: shop.seeded.variants.COAT, quantity: 1 }];
    await shop.asAdmin("POST", "/admin/order-edits", { order_id: order.id });
    await shop.asAdmin("POST", `/admin/order-edits/${order.id}/items`, { items });
    await shop.asAdmin("POST", `/admin/order-edits/${order.id}/request`, {});
    await shop.asAdmin("POST", `/admin/order-edits/${order.id}/confirm`, {});
    const added = (await orders.paymentsOf(order)).find(({ status }) => status === "not_paid");
    const paid = { order_id: order.id };
    await shop.asAdmin("POST", `/admin/payment-collections/${added.id}/mark-as-paid`, paid);
    await orders.refundMoney(order, 39.99, 39.99);
    await orders.settle();
    expect(await orders.salesOf(order)).toMatchObject([{ amount: 2500, refunded: 0 }]);
    await orders.refundMoney(order, 10, 25);
    await expect.poll(() => orders.salesOf(order)).toMatchObject([{ amount: 2500, refunded: 1000 }]);
  });

  it("records the total of an order, and not the sum of its rounded lines", async () => {
    const ana = await shop.customer(orders.person());
    const cartId = await ana.cart({ STICKER: 1 });
    for (const colour of ["red", "blue"]) {
      const item = { variant_id: shop.seeded.variants.STICKER, quantity: 1, metadata: { colour } };
      await ana.send("POST", `/store/carts/${cartId}/line-items`, item);
    }
    const { body } = await ana.complete(cartId);
    expect([body.order.total, body.order.items.length]).toEqual([14.996, 3]);
    await orders.capture(body.order);
    await expect.poll(() => orders.salesOf(body.order)).toMatchObject([{ amount: 1500 }]);
  });

  it("lets points pay no more than other credits leave", async () => {
    const { customer, points } = await orders.withPoints(1000);
    const cartId = await customer.cart({ SHIRT: 1 });
    const giftCard = (amount: number) => {
      const values = `'gift', '${cartId}', 'gift card', ${amount}, '{"value": "${amount}", "precision": 20}'`;
      return onServer(
        `INSERT INTO credit_line (id, cart_id, reference, amount, raw_amount) VALUES (${values})
         ON CONFLICT (id) DO UPDATE SET amount = excluded.amount, raw_amount = excluded.raw_amount`,
        database,
      );
    };
    await giftCard(20);
    const path = `/store/carts/${cartId}/loyalty`;
    const tooMuch = await shop.try("POST", path, { points: 200 }, customer.token);
    expect([tooMuch.status, tooMuch.body.message]).toEqual([400, expect.stringContaining("at most 5 EUR")]);
    await customer.send("POST", path, { points: 100 });
    await giftCard(22);
    const complete = () => shop.try("POST", `/store/carts/${cartId}/complete`, {}, customer.token);
    const refused = await complete();
    expect([refused.status, refused.body.message]).toEqual([400, expect.stringContaining("left to pay")]);
    expect(await points()).toBe(1000);
    await giftCard(20);
    const { body } = await complete();
    expect(body.order.total).toBe(0);
    expect(await orders.salesOf(body.order)).toMatchObject([
      { amount: 2500, points_used: 100, amount_due: 2000 },
    ]);
  });

  it("lets a voucher pay beside points, and gives it back with the whole order", async () => {
    const { customer, contact_id, points } = await orders.withPoints(100);
    const voucher = await giveVoucher(world, loyalty, contact_id, 700);
    const cartId = await customer.cart({ SHIRT: 1 });
    const path = `/store/carts/${cartId}/loyalty`;
    const { loyalty: quoted } = await customer.send("GET", path);
    expect(quoted.quote.usable.vouchers).toMatchObject([{ held_voucher_id: voucher, covers: 700 }]);
    expect((await shop.try("POST", path, { vouchers: [1.5] }, customer.token)).status).toBe(400);
    const { loyalty: chosen } = await customer.send("POST", path, { points: 20, vouchers: [voucher] });
    expect(chosen).toMatchObject({ points: 20, vouchers: [voucher], pays: 8 });
    const { body } = await customer.complete(cartId);
    expect(body.order.total).toBe(17);
    const sale = { amount: 2500, voucher_amount: 700, points_used: 20, amount_due: 1700 };
    expect(await orders.salesOf(body.order)).toMatchObject([sale]);
    expect((await loyalty.members.balances({ contact_id })).vouchers).toBe(0);
    await shop.asAdmin("POST", `/admin/orders/${body.order.id}/cancel`, {});
    await expect.poll(async () => (await orders.salesOf(body.order))[0]?.refunded).toBe(2500);
    expect((await loyalty.members.balances({ contact_id })).vouchers).toBe(700);
    expect(await points()).toBe(100);
  });

  it("lets points pay all of an order, and gives them back when it is cancelled", async () => {
    const { customer, points } = await orders.withPoints(1000);
    const order = await customer.buy({ SHIRT: 1 }, { points: 500 });
    expect(order.total).toBe(0);
    const [sale] = await orders.salesOf(order);
    expect(sale).toMatchObject({ amount: 2500, points_used: 500, amount_due: 0 });
    await shop.asAdmin("POST", `/admin/orders/${order.id}/cancel`, {});
    await expect.poll(async () => (await orders.salesOf(order))[0]?.refunded).toBe(2500);
    expect(await points()).toBe(1000);
  });

  it("gives points back when the checkout fails, and takes them when it is tried again", async () => {
    const { customer, contact_id, points } = await orders.withPoints(100);
    const cartId = await customer.cart({ SHIRT: 1 });
    await customer.send("POST", `/store/carts/${cartId}/loyalty`, { points: 100 });
    await customer.send("POST", `/store/carts/${cartId}`, { metadata: { fails: true } });
    expect((await customer.complete(cartId)).body.type).not.toBe("order");
    const { data: undone } = await loyalty.sales.list({ contact_id });
    expect(undone).toMatchObject([{ amount: 2500, refunded: 2500, points_used: 100 }]);
    expect(await points()).toBe(100);
    await customer.send("POST", `/store/carts/${cartId}`, { metadata: { fails: false } });
    const { body } = await customer.complete(cartId);
    expect(body.type).toBe("order");
    expect(await orders.salesOf(body.order)).toMatchObject([{ amount: 2500, refunded: 0, points_used: 100 }]);
    expect(await points()).toBe(20);
  });

  it("refuses a checkout whose points are gone, or are worth another amount, without effect", async () => {
    const { customer, contact_id, points } = await orders.withPoints(100);
    const cartId = await customer.cart({ SHIRT: 1 });
    await customer.send("POST", `/store/carts/${cartId}/loyalty`, { points: 100 });
    await loyalty.rewardPoints.adjust({
      contact_id,
      points: 50,
      adjustment_type: "debit",
      reference_id: "till",
    });
    const refused = await customer.complete(cartId);
    expect([refused.status, refused.body.message]).toEqual([
      400,
      expect.stringContaining("insufficient_balance"),
    ]);
    expect(await points()).toBe(50);
    await customer.send("DELETE", `/store/carts/${cartId}/loyalty`);
    const { cart } = await customer.send("GET", `/store/carts/${cartId}`);
    expect(cart.total).toBe(25);
    expect((await customer.complete(cartId)).body.type).toBe("order");
  });

  it("shows and changes only what is the customer's own", async () => {
    const { customer } = await orders.withPoints(100);
    const other = await shop.customer(orders.person());
    const cartId = await customer.cart({ SHIRT: 1 });
    const path = `/store/carts/${cartId}/loyalty`;
    for (const [method, body] of [["GET"], ["POST", { points: 10 }], ["DELETE"]] as const) {
      expect((await shop.try(method, path, body, other.token)).status).toBe(404);
      expect((await shop.try(method, path, body)).status).toBe(401);
    }
    expect((await shop.try("GET", "/store/customers/me/loyalty")).status).toBe(401);
    expect((await shop.try("POST", path, { points: 1.5 }, customer.token)).status).toBe(400);
    expect((await shop.try("POST", path, { points: 200 }, customer.token)).body.message).toContain(
      "insufficient",
    );
  });

  it("finds nobody by a number that somebody typed into an address", async () => {
    const { contact_id, points } = await orders.withPoints(100);
    const { phone_number: phone } = await loyalty.members.get({ contact_id });
    const stranger = await shop.customer({ email: "stranger@example.com" });
    const place = { address_1: "Calle Mayor 1", city: "Madrid", postal_code: "28001", country_code: "es" };
    const address = { first_name: "Eva", last_name: "López", phone, ...place };
    await stranger.send("POST", "/store/customers/me/addresses", address);
    const problem = "Another member has the phone number or the e-mail address of the customer.";
    const looked = await shop.try("GET", "/store/customers/me/loyalty", undefined, stranger.token);
    expect([looked.status, looked.body.message]).toEqual([400, problem]);
    const cartId = await stranger.cart({ SHIRT: 1 });
    await stranger.send("POST", `/store/carts/${cartId}`, { shipping_address: address });
    const { body } = await stranger.complete(cartId);
    await orders.capture(body.order);
    await expect.poll(() => orders.stateOf(body.order)).toMatchObject({ state: "none", problem });
    expect(await points()).toBe(100);
  });

  it("leaves guests and customers without a number alone, and the admin says why", async () => {
    const guest = shop.guest("guest@example.com");
    const order = await guest.buy({ COAT: 1 });
    await orders.capture(order);
    await expect
      .poll(() => orders.stateOf(order))
      .toMatchObject({ state: "none", problem: "The customer is a guest.", sale: null });
  });

  it("shows the member and the order to the operator of the shop", async () => {
    const { customer, contact_id } = await orders.withPoints(100);
    const amount = {
      amount: 1000,
      adjustment_type: "credit",
      location_id: world.home.locationIds[0],
    } as const;
    await loyalty.wallet.adjust({ contact_id, ...amount });
    const order = await customer.buy({ SHIRT: 1 }, { points: 20, wallet: 600 });
    expect(order.total).toBe(18);
    const { order: shown } = await shop.asAdmin("GET", `/admin/loyalty/orders/${order.id}`);
    expect(shown).toMatchObject({ state: "recorded", sale: { points_used: 20, wallet_used: 600 } });
    expect(shown.sale.why).toMatchObject([{ code: "earned" }]);
    const page = `https://x.example/console/${world.home.businessId}`;
    expect(shown.console).toBe(`${page}/sales/${shown.sale.sale_id}`);
    const { member } = await shop.asAdmin("GET", `/admin/loyalty/customers/${customer.id}`);
    expect(member).toMatchObject({
      contact_id,
      balances: { points: 104, wallet: 400 },
      console: `${page}/members/${contact_id}`,
    });
  });

  it("accepts only webhooks that the service signed, and follows a member who was merged", async () => {
    const { customer, contact_id: from_contact_id } = await orders.withPoints(10);
    const contact_id = await world.member();
    const event = { type: "member.merged", event_no: 1, data: { from_contact_id, contact_id } };
    const receive = async (id: string, secret: string) => {
      const body = JSON.stringify(event);
      const timestamp = Math.floor(Date.now() / 1000);
      const headers = {
        ...{ "content-type": "application/json", "webhook-id": id, "webhook-timestamp": `${timestamp}` },
        "webhook-signature": await signWebhook(secret, { id, timestamp, body }),
      };
      return (await fetch(`${shop.url}/hooks/loyalty`, { method: "POST", headers, body })).status;
    };
    const memberOf = async () =>
      (await shop.asAdmin("GET", `/admin/loyalty/customers/${customer.id}`)).member;
    expect(await receive("evt_1", `whsec_${Buffer.alloc(32, 8).toString("base64")}`)).toBe(400);
    expect(await receive("evt_test_1", webhookSecret)).toBe(200);
    expect(await memberOf()).toMatchObject({ contact_id: from_contact_id });
    expect(await receive("evt_2", webhookSecret)).toBe(200);
    await expect.poll(memberOf).toMatchObject({ contact_id });
  });

  it("records and refunds what the service missed, also if nothing says so any more", async () => {
    const { customer, points } = await orders.withPoints(100);
    const [paid, returned] = [await customer.buy({ SHIRT: 1 }), await customer.buy({ SHIRT: 1 })];
    await orders.capture(returned);
    // The ledger has the sale before the shop has stored that.
    await expect.poll(() => orders.stateOf(returned)).toMatchObject({ state: "recorded" });
    const both = await customer.buy({ SHIRT: 1, COAT: 1 });
    await orders.capture(both);
    await expect.poll(() => orders.stateOf(both)).toMatchObject({ state: "recorded" });
    const [shirt] = [
      await orders.requestReturn(both, "SHIRT", 1),
      await orders.requestReturn(both, "COAT", 1),
    ];
    await orders.settle();
    isReached = false;
    await orders.capture(paid);
    await orders.refundMoney(returned, 10);
    await orders.receiveReturn(shirt);
    const missed = { problem: expect.stringContaining("no response"), next_try: expect.any(String) };
    await expect.poll(() => orders.stateOf(paid)).toMatchObject({ state: "waiting", ...missed });
    for (const order of [returned, both]) {
      await expect
        .poll(() => orders.stateOf(order))
        .toMatchObject({ state: "recorded", next_try: expect.any(String) });
    }
    const cartId = await customer.cart({ COAT: 1 });
    const refused = await shop.try("POST", `/store/carts/${cartId}/loyalty`, { points: 20 }, customer.token);
    expect([refused.status, refused.body.message]).toEqual([
      500,
      expect.stringContaining("pay without them"),
    ]);
    await expect.poll(() => shop.log).toContain("a customer can't use points and the wallet at the moment: ");
    expect((await customer.complete(cartId)).body.type).toBe("order");
    await shop.stop("SIGKILL");
    // As if the crash had come before the failures were stored.
    await onServer("UPDATE loyalty_order SET next_try = NULL", database);
    isReached = true;
    await shop.start();
    await orders.settle();
    await expect.poll(() => orders.salesOf(paid)).toMatchObject([{ amount: 2500, refunded: 0 }]);
    await expect.poll(() => orders.salesOf(returned)).toMatchObject([{ amount: 2500, refunded: 1000 }]);
    await expect.poll(() => orders.salesOf(both)).toMatchObject([{ amount: 6499, refunded: 2000 }]);
    expect(await points()).toBe(100 + 25 + 15 + 44);
  });

  it("puts an order aside that the service rejects, until the operator sends it again", async () => {
    const { customer, contact_id } = await orders.withPoints(100);
    const order = await customer.buy({ SHIRT: 1 });
    await world.deactivate(contact_id);
    await orders.capture(order);
    await expect
      .poll(() => orders.stateOf(order))
      .toMatchObject({ state: "aside", problem: expect.stringContaining("member_inactive") });
    await operatorWrite(world, "/op/members/activate", { business_id: world.home.businessId, contact_id });
    const { order: sent } = await shop.asAdmin("POST", `/admin/loyalty/orders/${order.id}`);
    expect(sent).toMatchObject({ state: "recorded", problem: null, sale: { amount: 2500 } });
  });

  it("keeps an order undone whose points were given back, and says to cancel it", async () => {
    const { customer, points } = await orders.withPoints(100);
    const order = await customer.buy({ SHIRT: 1 }, { points: 20 });
    const [sale] = await orders.salesOf(order);
    // As if the checkout had been killed after it gave the points back, and before it removed the order.
    const refund = { idempotency_key: `${order.id}-undone`, location_id: world.home.locationIds[0]! };
    await loyalty.sales.refund({ sale_id: sale!.sale_id, ...refund });
    const undone = `UPDATE loyalty_order SET state = 'undone', updated_at = now() - interval '1 hour'`;
    const left = { state: "undone", problem: expect.stringContaining("Cancel the order") };
    const swept = async () => {
      await onServer(`${undone} WHERE order_id = '${order.id}'`, database);
      await orders.settle();
      return orders.stateOf(order);
    };
    await expect.poll(swept).toMatchObject(left);
    expect((await shop.asAdmin("POST", `/admin/loyalty/orders/${order.id}`)).order).toMatchObject(left);
    await shop.asAdmin("POST", `/admin/orders/${order.id}/cancel`, {});
    await expect.poll(() => orders.stateOf(order)).toMatchObject({ state: "undone", problem: null });
    expect(await points()).toBe(100);
  });

  const { SHOP_KILLS = "2", SHOP_ORDERS = "12" } = process.env;
  it(`has one sale for each order after ${SHOP_KILLS} kills of the shop and the service in turn`, {
    timeout: 300_000 + 5000 * Number(SHOP_ORDERS),
  }, async () => {
    const plan = { orders: Number(SHOP_ORDERS), kills: Number(SHOP_KILLS), customers: 4 };
    const aged = `updated_at = now() - interval '1 hour', next_try = CASE WHEN next_try IS NOT NULL THEN now() END`;
    const age = () => onServer(`UPDATE loyalty_order SET ${aged}`, database);
    const report = await buyThroughKills({ world, shop, orders, proxy, age, plan });
    process.stdout.write(`Kills of the shop and the service: ${JSON.stringify(report)}\n`);
    expect(report.differences).toEqual([]);
    expect(report.told).toBe(plan.orders);
    expect(report.withPoints).toBeGreaterThan(0);
  });
});
