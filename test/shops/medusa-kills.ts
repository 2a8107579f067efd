/** Customers buy in Medusa while it and the service are killed, and then the books of both are compared. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import type { FaultyProxy } from "../support/faulty-proxy.ts";
import type { Customer, Json, MedusaShop } from "../support/medusa-shop.ts";
import { randomFrom } from "../support/random.ts";
import { freePort, type ServiceProcess, startService } from "../support/service-process.ts";
import { testSecret, type World } from "../support/world.ts";
import { compareBooks, type ShopBook } from "./books.ts";
import type { MedusaOrders } from "./medusa-orders.ts";

export interface Trial {
  readonly world: World;
  readonly shop: MedusaShop;
  readonly orders: MedusaOrders;
  /** What stands between the shop and the service. */
  readonly proxy: FaultyProxy;
  /** Makes all orders of the shop so old that their checkout counts as left. */
  readonly age: () => Promise<void>;
  readonly plan: KillPlan;
}

export interface KillPlan {
  readonly orders: number;
  /** How many customers buy at the same time. */
  readonly customers: number;
  /** How often shop and service are killed, in turn. */
  readonly kills: number;
}

/** The most milliseconds in which the shop recovers from a kill. */
const patience = 280_000;

const start = { points: 100_000, wallet: 0 };

/** Runs a trial. The shop is left running. @returns the figures, and what differs */
export async function buyThroughKills({ world, shop, orders, proxy, age, plan }: Trial) {
  const data = await mkdtemp(join(tmpdir(), "loyalty-medusa-"));
  const port = await freePort();
  const people = await Promise.all(
    Array.from({ length: plan.customers }, () => orders.withPoints(start.points)),
  );
  const before = new Set((await booksOf(shop)).keys());
  proxy.retarget(`http://127.0.0.1:${port}/api`);
  const began = Date.now();
  const buyers = people.map(({ customer }) => customer);
  const killed = { shop, buyers, startService: () => serviceOf(world, data, port) };
  const { service, placed: told, kills, failed } = await buyUnderKills(killed, plan);
  try {
    const seconds = Math.round((Date.now() - began) / 1000);
    const isBusy = async () => {
      await age();
      const { orders: states } = await orders.settle();
      return states.taking + states.undoing;
    };
    await expect.poll(isBusy, { interval: 2000, timeout: patience }).toBe(0);
    const broken = await cancelUnpaid(shop, before);
    // A kill of the shop can break off one checkout of each customer. Its points come back with the order.
    expect(broken).toBeLessThanOrEqual(Math.ceil(plan.kills / 2) * plan.customers);
    const members = people.map(({ contact_id: contactId }) => ({ contactId, ...start }));
    const compared = async () => {
      await age();
      await orders.settle();
      const all = await booksOf(shop, before);
      const lost = told.filter((id) => !all.has(id)).map((id) => `order ${id} is not in the shop`);
      const found = await compareBooks(orders.loyalty, all, members);
      return { ...found, differences: [...lost, ...found.differences] };
    };
    await expect
      .poll(async () => (await compared()).differences, { interval: 2000, timeout: patience })
      .toEqual([]);
    return { ...(await compared()), told: told.length, broken, kills, failed, seconds };
  } finally {
    proxy.retarget(world.baseUrl);
    await service.stop();
    await rm(data, { recursive: true, force: true });
  }
}

function serviceOf({ database: { connection } }: World, data: string, port: number): ServiceProcess {
  const { database, host, user, password } = connection;
  const environment = {
    ...{ DATABASE_URL: `postgres:///${database}`, PGHOST: host, PGPORT: String(connection.port) },
    ...{ PGUSER: user, PGPASSWORD: password, LOYALTY_DATA_DIR: data, LOYALTY_DEMO: "off" },
    ...{ LOYALTY_SECRET: testSecret, LOYALTY_RATE_LIMIT: "0", LOYALTY_FAILED_TOKEN_LIMIT: "0" },
    PORT: `${port}`,
  };
  return startService({ directory: join(import.meta.dirname, "../.."), environment });
}

/** Cancels the orders whose checkout was broken off before the payment. @returns how many they are */
async function cancelUnpaid(shop: MedusaShop, before: ReadonlySet<string>): Promise<number> {
  const unpaid = [...(await booksOf(shop, before))].filter(([, { paid }]) => paid === 0);
  for (const [id, { isCancelled }] of unpaid) {
    if (!isCancelled) await shop.asAdmin("POST", `/admin/orders/${id}/cancel`, {});
  }
  return unpaid.length;
}

interface Killed {
  readonly shop: MedusaShop;
  readonly buyers: readonly Customer[];
  startService(): ServiceProcess;
}

/** What became of the orders that customers tried to place. */
interface Bought {
  /** The orders that customers were told of. */
  readonly placed: readonly string[];
  readonly kills: number;
  readonly failed: number;
  /** The service that was started last. */
  readonly service: ServiceProcess;
}

/** Places orders, every second one with points, and pays them. Whatever fails is tried again, as people and browsers do. */
async function buyUnderKills({ shop, buyers, startService }: Killed, plan: KillPlan): Promise<Bought> {
  const random = randomFrom(58);
  const placed: string[] = [];
  let [service, kills, failed, begun] = [startService(), 0, 0, 0];
  await service.ready();
  const buy = async (customer: Customer) => {
    while (begun < plan.orders) {
      begun += 1;
      const choice = begun % 2 === 0 ? { points: 20 } : undefined;
      const order = await persistently(() => placeOrder(customer, choice));
      placed.push(order);
      await persistently(() => captureOrder(shop, order));
    }
  };
  const persistently = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    for (const until = Date.now() + patience; ; ) {
      try {
        return await work();
      } catch (error) {
        if (Date.now() > until) throw new Error(`the shop did not recover: ${error}\n${shop.log}`);
        failed += 1;
        await sleep(500);
      }
    }
  };
  const killing = (async () => {
    for (; kills < plan.kills; kills += 1) {
      const next = ((kills + 1) * plan.orders) / (plan.kills + 1);
      while (placed.length < next) await sleep(50);
      await sleep(random.below(1000));
      if (kills % 2 === 0) {
        await shop.stop("SIGKILL");
        await shop.start();
      } else {
        service.kill("SIGKILL");
        await service.ended();
        service = startService();
        await service.ready();
      }
    }
  })();
  await Promise.all([killing, ...buyers.map(buy)]);
  return { placed, kills, failed, service };
}

/** Fills a cart and completes it. A cart whose completion had no response is completed again: then it is one order. */
async function placeOrder(
  customer: Customer,
  choice: { readonly points: number } | undefined,
): Promise<string> {
  const cartId = await customer.cart({ SHIRT: 1 });
  if (choice !== undefined) await customer.send("POST", `/store/carts/${cartId}/loyalty`, choice);
  for (let attempt = 0; ; attempt += 1) {
    try {
      const { body } = await customer.complete(cartId);
      if (body.type === "order") return body.order.id;
      throw new Error(JSON.stringify(body));
    } catch (error) {
      if (attempt === 3) throw error;
      await sleep(1500);
    }
  }
}

async function captureOrder(shop: MedusaShop, id: string): Promise<void> {
  const { order } = await shop.asAdmin(
    "GET",
    `/admin/orders/${id}?fields=status,*payment_collections.payments`,
  );
  const [payment] = order.payment_collections[0]?.payments ?? [];
  // A checkout that was broken off has left an order without a payment.
  if (payment === undefined || payment.captured_at) return;
  try {
    await shop.asAdmin("POST", `/admin/payments/${payment.id}/capture`, {});
  } catch (error) {
    // A kill has come between the capture and the time that Medusa stores of it. There is nothing more to capture.
    if (!String(error).includes("cannot capture more")) throw error;
  }
}

/** Reads the orders of the shop, without some. */
async function booksOf(
  shop: MedusaShop,
  without: ReadonlySet<string> = new Set(),
): Promise<Map<string, ShopBook>> {
  const found = new Map<string, ShopBook>();
  for (let offset = 0; ; offset += 100) {
    const fields = "id,status,payment_collections.captured_amount";
    const { orders } = await shop.asAdmin("GET", `/admin/orders?limit=100&offset=${offset}&fields=${fields}`);
    for (const { id, status, payment_collections } of orders) {
      if (without.has(id)) continue;
      const captured = payment_collections.map((one: Json) => Number(one.captured_amount ?? 0));
      const paid = captured.reduce((sum: number, amount: number) => sum + Math.round(amount * 100), 0);
      found.set(id, { isCancelled: status === "canceled", paid });
    }
    if (orders.length < 100) return found;
  }
}
