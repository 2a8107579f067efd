/** The plugin in a real Vendure: buying, paying with points, returns, failures. SHOPS names the folder in which the shops are installed. */
import { randomInt } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LoyaltyClient } from "loyalty-sdk";
import { Webhook } from "standardwebhooks";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { Scope } from "../../src/domain/access/access.ts";
import { useInstallation } from "../support/installation.ts";
import { newPerson, useWorld } from "../support/world.ts";
import * as customers from "./vendure-customers.ts";
import { buyThroughKills, earnOnePoint } from "./vendure-kills.ts";
import { type ShopOnPostgres, startOnPostgres } from "./vendure-on-postgresql.ts";
import { clientOf, type Race, raceIn } from "./vendure-races.ts";
import { installPlugin, type Session, shopsFolder, VendureShop } from "./vendure-shop.ts";
import { giveVoucher } from "./vouchers.ts";

const folder = join(shopsFolder ?? "", "vendure");
const isInstalled = shopsFolder !== undefined && existsSync(join(folder, "node_modules/@vendure/core"));
if (!isInstalled)
  process.stderr.write("No Vendure in the folder SHOPS: the tests of its plugin are skipped.\n");

beforeAll(() => (isInstalled ? installPlugin(folder) : undefined));

describe.skipIf(!isInstalled)("a shop on Vendure", () => {
  const world = useWorld();
  let shop: VendureShop;
  let admin: Session;
  let client: LoyaltyClient;
  let directory: string;
  let setScopes: (some?: readonly Scope[]) => Promise<unknown>;

  beforeAll(async () => {
    client = clientOf(world);
    // Exactly those that the README names.
    const readme = await readFile(
      join(import.meta.dirname, "../../packages/vendure-plugin/README.md"),
      "utf8",
    );
    const scopes = [...readme.matchAll(/`(wa\.[a-z.]+)`/g)].map(([, scope]) => scope as Scope);
    const {
      client_id: clientId,
      client_secret: clientSecret,
      integrationId,
    } = await world.integration(world.home, { scopes });
    setScopes = (some) =>
      world.sql`UPDATE integration SET scopes = ${[...(some ?? scopes)]} WHERE integration_id = ${integrationId}`;
    await earnOnePoint(world);
    directory = await mkdtemp(join(tmpdir(), "loyalty-vendure-"));
    shop = await VendureShop.start(
      {
        folder,
        database: { type: "better-sqlite3", database: join(directory, "shop.sqlite") },
        options: {
          ...{ baseUrl: world.baseUrl, clientId, clientSecret, shop: "vendure" },
          ...{
            locationId: world.home.locationIds[0],
            webhookSecret,
            consoleUrl: "https://loyalty.example.com/console",
          },
        },
      },
      true,
    );
    admin = await shop.administrator();
  });
  afterEach(({ task }) => {
    if (task.result?.state === "fail")
      process.stderr.write(`What the shop said until "${task.name}" failed:\n${shop.said}\n`);
    shop.said = "";
  });
  afterAll(async () => {
    await shop?.end();
    await rm(directory, { recursive: true, force: true });
  });

  async function newCustomer(): Promise<{ session: Session; person: customers.Person }> {
    people += 1;
    const person = {
      ...{ firstName: "Ana", lastName: `López ${people}` },
      ...{ emailAddress: `ana${people}@example.com`, phoneNumber: `+34611${100_000 + people}` },
    };
    return { session: await customers.signUp(shop, person), person };
  }

  /** A customer who is a member with points and money. */
  async function newMember(points: number, wallet = 0) {
    const { session, person } = await newCustomer();
    const { contact_id } = await client.members.create({
      ...{ first_name: person.firstName, last_name: person.lastName },
      ...{ phone_number: person.phoneNumber, email: person.emailAddress },
    });
    const credit = { contact_id, adjustment_type: "credit" as const };
    if (points > 0) await client.rewardPoints.adjust({ ...credit, points, reference_id: "start" });
    if (wallet > 0) {
      await client.wallet.adjust({ ...credit, location_id: world.home.locationIds[0], amount: wallet });
    }
    return { session, contact_id };
  }
  const consolePage = () => `https://loyalty.example.com/console/${world.home.businessId}`;
  const balances = (contact_id: number) => client.members.balances({ contact_id });

  /** The sale of an order, as soon as it fits. */
  async function saleOf(orderId: string, fits: (sale: Sale) => boolean = () => true): Promise<Sale> {
    const found = await vi.waitUntil(
      async () => {
        const { sale, problem } = await customers.loyaltyOrder(admin, orderId);
        if (problem !== null) throw new Error(problem);
        return sale !== null && fits(sale) ? { sale } : undefined;
      },
      { timeout: 120_000, interval: 100 },
    );
    return found.sale;
  }

  describe("an order without points", () => {
    it("is recorded with its lines, and its customer becomes a member", async () => {
      const { session, person } = await newCustomer();
      await customers.fill(session, { 1: 2, 2: 1 });
      const order = await customers.buy(session);
      expect(order).toMatchObject({ __typename: "Order", state: "PaymentSettled", totalWithTax: 6499 });
      const sale = await saleOf(order.id);
      expect(sale).toMatchObject({ amount: 6499, amountDue: 6499, pointsUsed: 0, pointsEarned: 64 });
      expect(sale.consoleUrl).toBe(`${consolePage()}/sales/${sale.saleId}`);
      expect(sale.why[0]).toMatch(/64 points/);
      const stored = await client.sales.get({ sale_id: sale.saleId });
      expect(stored.reference_id).toBe(`shop/vendure/order/${order.code}`);
      expect(stored.lines).toMatchObject([
        { sku: "MUG", category: "mugs", quantity: 2, amount: 4800 },
        { sku: "TEA", category: "tea", quantity: 1, amount: 1099 },
        { sku: null, category: "shipping", quantity: 1, amount: 600 },
      ]);
      expect((await client.members.findByPhone(person.phoneNumber))?.contact_id).toBe(stored.contact_id);
    });

    it("is recorded when its payment is settled, and not if it is cancelled before", async () => {
      const { session, contact_id } = await newMember(0);
      await customers.fill(session, { 1: 1 });
      const order = await customers.buy(session, "Authorized");
      expect(order.state).toBe("PaymentAuthorized");
      await shop.sweep();
      expect((await customers.loyaltyOrder(admin, order.id)).sale).toBeNull();
      const { payments } = await customers.orderOf(admin, order.id);
      await admin.ask("mutation($id: ID!) { settlePayment(id: $id) { __typename } }", { id: payments[0].id });
      expect(await saleOf(order.id)).toMatchObject({ amount: 3000 });
      await customers.fill(session, { 3: 1 });
      const other = await customers.buy(session, "Authorized");
      await admin.ask("mutation($id: ID!) { cancelOrder(input: { orderId: $id }) { __typename } }", {
        id: other.id,
      });
      await shop.sweep();
      expect((await customers.loyaltyOrder(admin, other.id)).sale).toBeNull();
      expect((await balances(contact_id)).sales).toBe(3000);
    });

    it("of a guest is not recorded, and a guest can't use points", async () => {
      const guest = shop.session("shop-api");
      await customers.fill(guest, { 1: 1 });
      await guest.ask(
        `mutation { setCustomerForOrder(input: { emailAddress: "guest${people}@example.com", firstName: "G", lastName: "H" }) { __typename } }`,
      );
      expect(await customers.choose(guest, 10)).toMatchObject({ __typename: "LoyaltyPaymentError" });
      expect(await guest.ask("{ loyaltyMember { points } loyaltyQuote { pointsEarned } }")).toEqual({
        loyaltyMember: null,
        loyaltyQuote: null,
      });
      const order = await customers.buy(guest);
      expect(order.state).toBe("PaymentSettled");
      await shop.sweep();
      expect(await customers.loyaltyOrder(admin, order.id)).toEqual({ problem: null, sale: null });
    });
  });

  describe("points and wallet", () => {
    it("are shown to their member, with a quote", async () => {
      const { session } = await newMember(200, 1500);
      await customers.fill(session, { 1: 1 });
      const shown = await session.ask(`{
        loyaltyMember { pointsName points pointsWorth pointsPending wallet tier vouchers { name } stampCards { name } }
        loyaltyQuote { pointsEarned why usablePoints usableWallet noPoints } }`);
      expect(shown.loyaltyMember).toMatchObject({ points: 200, pointsWorth: 1000, wallet: 1500, tier: null });
      expect(shown.loyaltyQuote).toMatchObject({
        pointsEarned: 30,
        usablePoints: 200,
        usableWallet: 1500,
        noPoints: null,
      });
    });

    it("lower the total, are taken once when the order is placed, and come back with the lines", async () => {
      const { session, contact_id } = await newMember(200, 1500);
      await customers.fill(session, { 1: 1, 2: 1, 3: 1 });
      const full = (await customers.cart(session)).totalWithTax;
      expect(full).toBe(2400 + 1099 + 400 + 600);
      const chosen = await customers.choose(session, 100, 300);
      expect(chosen).toMatchObject({ loyalty: { points: 100, wallet: 300, worth: 800, problem: null } });
      expect(chosen.totalWithTax).toBe(full - 800);
      expect(await balances(contact_id)).toMatchObject({ points: 200, wallet: 1500 });
      const order = await customers.buy(session);
      expect(order).toMatchObject({ state: "PaymentSettled" });
      const sale = await saleOf(order.id);
      // What the customer paid with money is what the service thinks was paid with money.
      expect(sale).toMatchObject({ amountDue: order.totalWithTax, pointsUsed: 100, walletUsed: 300 });
      expect(sale.amount).toBe(order.totalWithTax + 800);
      const after = await balances(contact_id);
      expect(after).toMatchObject({ points: 100 + sale.pointsEarned, wallet: 1200 });

      const { lines } = await customers.orderOf(admin, order.id);
      const [mug] = lines;
      expect(mug.productVariant.sku).toBe("MUG");
      const back = [{ orderLineId: mug.id, quantity: 1 }];
      const result = await customers.returnLines(admin, order.id, back, mug.proratedUnitPriceWithTax);
      expect(result).toMatchObject({
        cancelOrder: { __typename: "Order" },
        refundOrder: { state: "Settled" },
      });
      const refunded = await saleOf(order.id, ({ refunds }) => refunds.length > 0);
      expect(refunded.refunds).toHaveLength(1);
      // The refund that the dashboard suggests is what the service says, but for a cent: points are whole.
      expect(
        Math.abs(Number(refunded.refunds[0]?.moneyBack) - mug.proratedUnitPriceWithTax),
      ).toBeLessThanOrEqual(1);
      expect(refunded.refunds[0]?.pointsBack).toBeGreaterThan(50);

      await admin.ask(
        "mutation($id: ID!) { cancelOrder(input: { orderId: $id, cancelShipping: true }) { __typename } }",
        {
          id: order.id,
        },
      );
      const cancelled = await saleOf(order.id, ({ moneyBack }) => moneyBack === 0);
      expect(cancelled.refunds).toHaveLength(2);
      expect(cancelled.refunds.reduce((sum, one) => sum + one.amount, 0)).toBe(sale.amount);
      expect(await balances(contact_id)).toMatchObject({ points: 200, wallet: 1500, sales: 0 });
    });

    it("pay beside a voucher, which comes back with the whole order", async () => {
      const { session, contact_id } = await newMember(100);
      const voucher = await giveVoucher(world, client, contact_id, 700);
      await customers.fill(session, { 1: 1 });
      const shown = await session.ask(
        "{ loyaltyMember { vouchers { id } } loyaltyQuote { usableVouchers { id code covers } } }",
      );
      expect(shown.loyaltyMember.vouchers).toEqual([{ id: voucher }]);
      expect(shown.loyaltyQuote.usableVouchers).toMatchObject([{ id: voucher, covers: 700 }]);
      const other = await giveVoucher(world, client, await world.member(), 700);
      expect(await customers.choose(session, 0, 0, [other])).toMatchObject({
        loyaltyCode: "voucher_not_held",
      });
      const chosen = await customers.choose(session, 20, 0, [voucher]);
      expect(chosen).toMatchObject({ totalWithTax: 3000 - 800, loyalty: { worth: 800 } });
      const order = await customers.buy(session);
      const sale = await saleOf(order.id);
      expect(sale).toMatchObject({ amount: 3000, amountDue: 2200, pointsUsed: 20, vouchersUsed: 700 });
      expect((await balances(contact_id)).vouchers).toBe(0);
      await admin.ask(
        "mutation($id: ID!) { cancelOrder(input: { orderId: $id, cancelShipping: true }) { __typename } }",
        { id: order.id },
      );
      await saleOf(order.id, ({ moneyBack }) => moneyBack === 0);
      expect(await balances(contact_id)).toMatchObject({ points: 100, vouchers: 700 });
    });

    it("can pay all of an order", async () => {
      const { session, contact_id } = await newMember(0, 9000);
      await customers.fill(session, { 1: 1, 2: 1 });
      const { totalWithTax } = await customers.cart(session);
      expect(await customers.choose(session, 0, totalWithTax)).toMatchObject({ totalWithTax: 0 });
      await customers.toPayment(session);
      // The customer has not ordered it yet.
      await shop.sweep(0);
      expect((await balances(contact_id)).wallet).toBe(9000);
      const order = await customers.pay(session);
      expect(order).toMatchObject({ state: "PaymentSettled", totalWithTax: 0 });
      expect(await saleOf(order.id)).toMatchObject({ amountDue: 0, walletUsed: totalWithTax });
      expect((await balances(contact_id)).wallet).toBe(9000 - totalWithTax);
    });

    it("can be taken back, and are never more than the member has", async () => {
      const { session } = await newMember(50);
      await customers.fill(session, { 1: 1 });
      const { totalWithTax } = await customers.cart(session);
      expect(await customers.choose(session, 60)).toMatchObject({ loyaltyCode: "insufficient_balance" });
      expect(await customers.choose(session, 5)).toMatchObject({ loyaltyCode: "redemption_not_allowed" });
      expect(await customers.choose(session, -5)).toMatchObject({ __typename: "LoyaltyPaymentError" });
      expect((await customers.cart(session)).totalWithTax).toBe(totalWithTax);
      expect((await customers.choose(session, 50)).totalWithTax).toBeLessThan(totalWithTax);
      expect(await customers.choose(session, 0)).toMatchObject({ totalWithTax, loyalty: { worth: 0 } });
    });

    it("are those of the customer who is signed in, whatever the request says", async () => {
      const { contact_id } = await newMember(50);
      const { session } = await newMember(20);
      await customers.fill(session, { 1: 1 });
      // Vendure accepts these, because it lets customers write custom fields of the shop.
      await session.ask(
        "mutation { setOrderCustomFields(input: { customFields: { loyaltyWorth: 100, worth: 100 } }) { __typename } }",
      );
      await session.ask(
        `mutation { updateCustomer(input: { customFields: { loyaltyContactId: ${contact_id}, contactId: ${contact_id} } }) { id } }`,
      );
      expect((await session.ask("{ loyaltyMember { points } }")).loyaltyMember.points).toBe(20);
      expect(await customers.cart(session)).toMatchObject({ totalWithTax: 3000, loyalty: { worth: 0 } });
      await expect(session.ask(`{ loyaltyOrder(orderId: "1") { problem } }`)).rejects.toThrow();
    });

    it("keep the order from being paid after the cart has become too small", async () => {
      const { session } = await newMember(0, 5000);
      await customers.fill(session, { 1: 1 });
      await customers.choose(session, 0, 3000);
      await session.ask("mutation { removeAllOrderLines { __typename } }");
      await customers.fill(session, { 3: 1 });
      expect(await customers.toPayment(session)).toMatchObject({ __typename: "OrderStateTransitionError" });
      expect((await customers.cart(session)).loyalty.problem).toMatch(/Choose them again/);
      await customers.choose(session, 0, 100);
      expect(await customers.buy(session)).toMatchObject({ state: "PaymentSettled" });
    });

    it("are given to one of two orders that want the same points", async () => {
      const { session, contact_id } = await newMember(100);
      await customers.fill(session, { 1: 1 });
      await customers.choose(session, 100);
      expect(await customers.toPayment(session)).toMatchObject({ state: "ArrangingPayment" });
      await client.rewardPoints.adjust({
        contact_id,
        points: 100,
        adjustment_type: "debit",
        reference_id: "till",
      });
      const unpaid = await customers.pay(session);
      expect(unpaid).toMatchObject({ state: "ArrangingPayment", active: true });
      expect(unpaid.loyalty.problem).toMatch(/balance is too low/);
      // The customer goes on without points, and pays the difference.
      await customers.choose(session, 0);
      const order = await customers.pay(session);
      expect(order).toMatchObject({ state: "PaymentSettled", totalWithTax: 3000 });
      const { payments } = await customers.orderOf(admin, order.id);
      expect(payments.map(({ amount }: { amount: number }) => amount)).toEqual([2500, 500]);
      expect(await saleOf(order.id)).toMatchObject({ amountDue: 3000, pointsUsed: 0 });
    });

    it("are given back when the checkout fails after they were taken", async () => {
      const { session, contact_id } = await newMember(100);
      await customers.fill(session, { 1: 1 });
      await customers.choose(session, 100);
      await customers.toPayment(session);
      const { code, totalWithTax } = await customers.cart(session);
      // What a shop leaves that is killed after the service has recorded the sale.
      const order = {
        contact_id,
        location_id: world.home.locationIds[0],
        amount: totalWithTax + 500,
        use_points: 100,
      };
      const reference_id = `shop/vendure/order/${code}`;
      await client.sales.record({ ...order, reference_id, idempotency_key: reference_id });
      expect((await balances(contact_id)).points).toBeLessThan(100);
      expect((await shop.sweep(0)).left).toBeGreaterThan(0);
      expect((await shop.sweep(0)).left).toBe(0);
      expect(await balances(contact_id)).toMatchObject({ points: 100, sales: 0 });
      // The customer comes back, and the points are taken again, once.
      const placed = await customers.pay(session);
      expect(placed).toMatchObject({ state: "PaymentSettled" });
      const sale = await saleOf(placed.id);
      expect(sale).toMatchObject({ pointsUsed: 100, amountDue: placed.totalWithTax });
      expect((await client.sales.get({ sale_id: sale.saleId })).reference_id).toBe(`${reference_id}~2`);
      expect((await balances(contact_id)).points).toBe(sale.pointsEarned);
    });
  });

  it("refunds the same, whatever events are lost, and shows a member to the dashboard", async () => {
    const { session, contact_id } = await newMember(0);
    await customers.fill(session, { 1: 3 });
    const order = await customers.buy(session);
    await saleOf(order.id);
    const { lines } = await customers.orderOf(admin, order.id);
    for (const _ of [1, 2]) {
      await customers.returnLines(admin, order.id, [{ orderLineId: lines[0].id, quantity: 1 }], 2400);
    }
    await Promise.all(
      [1, 2, 3].map(() =>
        admin.ask(`mutation($id: ID!) { loyaltySendOrder(orderId: $id) { problem } }`, { id: order.id }),
      ),
    );
    await shop.sweep();
    const sale = await saleOf(order.id);
    expect(sale.refunds.reduce((sum, { amount }) => sum + amount, 0)).toBe(4800);
    const { order: found } = await admin.ask("query($id: ID!) { order(id: $id) { customer { id } } }", {
      id: order.id,
    });
    const { loyaltyAccount } = await admin.ask(
      "query($id: ID!) { loyaltyAccount(customerId: $id) { contactId name points wallet tier consoleUrl } }",
      { id: found.customer.id },
    );
    expect(loyaltyAccount).toMatchObject({
      contactId: contact_id,
      points: 30,
      consoleUrl: `${consolePage()}/members/${contact_id}`,
    });
  });

  it("keeps the sale of an order to which a unit was added, until a unit of the sale comes back", async () => {
    const { session } = await newMember(0);
    await customers.fill(session, { 1: 2 });
    const order = await customers.buy(session);
    expect((await saleOf(order.id)).amount).toBe(5400);
    await customers.adjustLine(admin, order.id, 3);
    const { state, payments, lines } = await customers.orderOf(admin, order.id);
    expect([state, payments.map((one: { amount: number }) => one.amount)]).toEqual([
      "PaymentSettled",
      [5400, 2400],
    ]);
    const back = [{ orderLineId: lines[0].id, quantity: 1 }];
    await customers.returnLines(admin, order.id, back, 2400, 1);
    await shop.sweep();
    expect((await saleOf(order.id)).refunds).toEqual([]);
    await customers.returnLines(admin, order.id, back, 2400);
    const { refunds } = await saleOf(order.id, (sale) => sale.refunds.length > 0);
    expect(refunds.map(({ amount }) => amount)).toEqual([2400]);
  });

  it("takes no points for an order in another currency, and keeps it for a person", async () => {
    const { session, contact_id } = await newMember(100);
    const { activeChannel } = await session.ask("{ activeChannel { defaultCurrencyCode } }");
    const trade = (defaultCurrencyCode: string) =>
      admin.ask(
        `mutation($input: UpdateChannelInput!) { updateChannel(input: $input) { ... on Channel { id } } }`,
        { input: { id: 1, defaultCurrencyCode, availableCurrencyCodes: [defaultCurrencyCode] } },
      );
    await trade("JPY");
    try {
      await customers.fill(session, { 1: 1 });
      const message = expect.stringMatching(/^The order is in JPY, and the business in /);
      expect(await customers.choose(session, 100)).toMatchObject({ message });
      const order = await customers.buy(session);
      expect(order).toMatchObject({ state: "PaymentSettled", totalWithTax: 3000 });
      await shop.sweep();
      expect(await customers.loyaltyOrder(admin, order.id)).toEqual({ problem: message, sale: null });
      expect((await balances(contact_id)).points).toBe(100);
    } finally {
      await trade(activeChannel.defaultCurrencyCode);
    }
  });

  it("tells its log, and not its customers, that the integration may not do something", async () => {
    const { session } = await newMember(100);
    await customers.fill(session, { 1: 1 });
    await setScopes(["wa.members.read"]);
    try {
      // The service keeps for a moment what an integration may do.
      const rejected = await vi.waitUntil(
        async () => {
          const chosen = await customers.choose(session, 100);
          return chosen.__typename === "LoyaltyPaymentError" && chosen;
        },
        { timeout: 120_000, interval: 100 },
      );
      expect(rejected).toMatchObject({
        message: expect.stringMatching(/^Points can't be used at the moment/),
        loyaltyCode: null,
      });
      await expect(session.ask("{ loyaltyMember { points } }")).rejects.toThrow(/^Points can't be used/);
      await expect.poll(() => shop.said).toMatch(/scope/);
    } finally {
      await setScopes();
      const isBack = () =>
        session.ask("{ loyaltyMember { points } }").then(
          () => true,
          () => false,
        );
      await vi.waitUntil(isBack, { timeout: 120_000, interval: 100 });
    }
  });

  it("accepts webhooks with the right signature, and follows a merge", async () => {
    const { session, contact_id } = await newMember(50);
    const { contact_id: into } = await client.members.create({ ...newPerson() });
    expect((await session.ask("{ loyaltyMember { points } }")).loyaltyMember.points).toBe(50);
    await client.members.merge({ from_contact_id: contact_id, contact_id: into });
    const merged = { contact_id: into, from_contact_id: contact_id };
    expect(await webhook("evt_1", "member.merged", merged, " ")).toBe(400);
    expect(await webhook("evt_1", "member.merged", merged)).toBe(204);
    await client.rewardPoints.adjust({
      contact_id: into,
      points: 5,
      adjustment_type: "credit",
      reference_id: "more",
    });
    expect((await session.ask("{ loyaltyMember { points } }")).loyaltyMember.points).toBe(55);
  });

  it("forgets an erased member and those that were merged into it, and does nothing for a test of the endpoint", async () => {
    const { contact_id, session } = await newMember(50);
    const contacts = () =>
      session
        .ask("{ activeCustomer { id } loyaltyMember { points } }")
        .then(({ loyaltyMember }) => loyaltyMember);
    expect(await contacts()).toEqual({ points: 50 });
    const erased = { contact_id: 1, merged_contact_ids: [contact_id] };
    expect(await webhook("evt_test_1", "member.erased", erased)).toBe(204);
    // The shop keeps the member of a customer, also if the member gets another address.
    await client.members.update({ contact_id, email: `other${contact_id}@example.com` });
    expect(await contacts()).toEqual({ points: 50 });
    expect(await webhook("evt_2", "member.erased", erased)).toBe(204);
    expect(await contacts()).toBeNull();
  });

  /** @returns the status of the response */
  async function webhook(id: string, type: string, data: object, added = ""): Promise<number> {
    const timestamp = new Date();
    const body = JSON.stringify({ type, timestamp: timestamp.toISOString(), data });
    const headers = {
      "content-type": "application/json",
      ...{ "webhook-id": id, "webhook-timestamp": String(Math.floor(Number(timestamp) / 1000)) },
      "webhook-signature": new Webhook(webhookSecret).sign(id, timestamp, body),
    };
    const url = `${shop.baseUrl}/loyalty/webhook`;
    return (await fetch(url, { method: "POST", headers, body: body + added })).status;
  }
});

describe.skipIf(!isInstalled)("a shop on Vendure and PostgreSQL", () => {
  const world = useWorld();
  const installation = useInstallation();
  let shop: ShopOnPostgres;
  let race: Race;

  beforeAll(async () => {
    await earnOnePoint(world);
    shop = await startOnPostgres(world, folder);
    race = raceIn(world, shop);
  });
  afterAll(() => shop?.end());

  it.each([0, 100])("lets no customer choose %s points while the order is placed", async (points) => {
    const { session, contactId, order } = await race.atPayment(100);
    const paying = customers.pay(session, "Settled", true);
    const sale = await vi.waitUntil(() => race.saleOf(order.code), { timeout: 120_000, interval: 20 });
    const choosing = customers.choose(session, points);
    await race.untilWaiting(1);
    race.release(order.code);
    expect(await choosing).toMatchObject({
      message: expect.stringMatching(/The order is placed/),
    });
    expect(await paying).toMatchObject({ state: "PaymentSettled", totalWithTax: 2500 });
    expect(await race.saleOf(order.code)).toMatchObject({
      sale_id: sale.sale_id,
      refunded: 0,
      amount_due: 2500,
    });
    expect(await race.pointsOf(contactId)).toBe(sale.points_earned);
  });

  it("places no order with the total of points that were taken back meanwhile", async () => {
    const { session, contactId, order } = await race.atPayment(100);
    const [chosen, unpaid] = await race.inTurn(
      order,
      () => customers.choose(session, 0),
      () => customers.pay(session),
    );
    expect(chosen).toMatchObject({ totalWithTax: 3000 });
    expect(unpaid).toMatchObject({
      state: "ArrangingPayment",
      loyalty: { problem: expect.stringMatching(/pay the rest/) },
    });
    expect(await customers.pay(session)).toMatchObject({ state: "PaymentSettled", totalWithTax: 3000 });
    const sale = await vi.waitUntil(() => race.saleOf(order.code), { timeout: 120_000, interval: 100 });
    expect(sale).toMatchObject({ amount_due: 3000, points_used: 0 });
    expect(await race.pointsOf(contactId)).toBe(100 + sale.points_earned);
  });

  const { SHOP_KILLS = "2", SHOP_ORDERS = "16" } = process.env;
  const timeout = 300_000 + 5000 * Number(SHOP_ORDERS);

  it("has the same orders, points and money as the service, after both were killed while customers bought", {
    timeout,
  }, async () => {
    const report = await buyThroughKills({
      ...{ world, shop, directory: installation.directory },
      ...{ kills: Number(SHOP_KILLS), orders: Number(SHOP_ORDERS), customers: 8 },
    });
    if (process.env.SHOP_KILLS !== undefined) process.stdout.write(`${JSON.stringify(report)}\n`);
    expect(report.differences).toEqual([]);
    expect(report.placed).toBe(Number(SHOP_ORDERS));
    expect(report.withPoints).toBeGreaterThan(0);
  });
});

interface Sale {
  readonly saleId: number;
  readonly amount: number;
  readonly pointsEarned: number;
  readonly why: readonly string[];
  readonly consoleUrl: string;
  readonly moneyBack: number;
  readonly refunds: readonly {
    readonly amount: number;
    readonly moneyBack: number;
    readonly pointsBack: number;
  }[];
}

let people = randomInt(10_000) * 10;
const webhookSecret = `whsec_${Buffer.from("a secret of thirty-two bytes long").toString("base64")}`;
