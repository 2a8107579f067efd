/** Buys in a shop while it and the service are killed again and again, and compares its orders with the ledger. */
import { setTimeout as sleep } from "node:timers/promises";
import type { LoyaltyClient } from "loyalty-sdk";
import type { Customer, Json, MedusaShop } from "./medusa-shop.ts";
import { randomFrom } from "./random.ts";
import type { ServiceProcess } from "./service-process.ts";

export interface KillPlan {
  readonly orders: number;
  /** How many customers buy at the same time. */
  readonly customers: number;
  /** How often each of shop and service is killed, in turn. */
  readonly kills: number;
}

export interface Killed {
  readonly shop: MedusaShop;
  startService(): ServiceProcess;
  readonly buyers: readonly Customer[];
}

/** What became of the orders that customers tried to place. */
export interface Bought {
  /** The orders that customers were told of. */
  readonly placed: readonly string[];
  readonly kills: number;
  readonly failed: number;
  /** The service that was started last. */
  readonly service: ServiceProcess;
}

/** Places orders, every second one with points, and pays them. Whatever fails is tried again, as people and browsers do. */
export async function buyUnderKills({ shop, buyers, startService }: Killed, plan: KillPlan): Promise<Bought> {
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
    for (let attempt = 0; attempt < 200; attempt += 1) {
      try {
        return await work();
      } catch {
        failed += 1;
        await sleep(500);
      }
    }
    throw new Error(`the shop did not recover: ${shop.log}`);
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
  await shop.asAdmin("POST", `/admin/payments/${payment.id}/capture`, {});
}

/** An order of the shop and the sales that the ledger has for it. */
export interface Compared {
  readonly order: Json;
  readonly sales: readonly {
    readonly amount: number;
    readonly refunded: number;
    readonly points_used: number;
  }[];
}

/** Reads all orders of the shop with their sales. */
export async function compare(shop: MedusaShop, loyalty: LoyaltyClient): Promise<Compared[]> {
  const found: Compared[] = [];
  for (let offset = 0; ; offset += 100) {
    const fields = "id,status,*credit_lines,payment_collections.captured_amount";
    const { orders } = await shop.asAdmin("GET", `/admin/orders?limit=100&offset=${offset}&fields=${fields}`);
    for (const order of orders) {
      const { data: sales } = await loyalty.sales.list({ reference_id: `shop/medusa/order/${order.id}` });
      found.push({ order, sales });
    }
    if (orders.length < 100) return found;
  }
}
