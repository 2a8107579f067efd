/** Two requests of a customer at once. */
import { LoyaltyClient, type SalesListItem } from "loyalty-sdk";
import { vi } from "vitest";
import type { World } from "../support/world.ts";
import * as customers from "./vendure-customers.ts";
import type { ShopOnPostgres } from "./vendure-on-postgresql.ts";
import type { Session } from "./vendure-shop.ts";

export function clientOf({ baseUrl, home }: World): LoyaltyClient {
  const { client_id: clientId, client_secret: clientSecret } = home.everywhere;
  return new LoyaltyClient({ baseUrl, clientId, clientSecret });
}

export interface Race {
  /** A new member, whose order of 30.00 is at the payment, with points. */
  atPayment(points: number): Promise<{
    readonly session: Session;
    readonly contactId: number;
    readonly order: { readonly id: string; readonly code: string };
  }>;
  saleOf(code: string): Promise<SalesListItem | undefined>;
  pointsOf(contactId: number): Promise<number>;
  /** Sends two requests at once that both hold the order. The first one gets it first. */
  inTurn<First, Second>(
    order: { readonly id: string },
    first: () => Promise<First>,
    second: () => Promise<Second>,
  ): Promise<readonly [First, Second]>;
  /** Waits until so many requests of the shop wait for the row that holds what pays for an order. */
  untilWaiting(count: number): Promise<void>;
  /** Ends the wait of a payment that is held. */
  release(orderCode: string): void;
}

export function raceIn(world: World, { sql, running: shop }: ShopOnPostgres): Race {
  const client = clientOf(world);
  let people = 0;

  async function untilWaiting(count: number): Promise<void> {
    const isReached = async () => {
      const [row] = await sql<{ waiting: number }[]>`
        SELECT count(*)::int AS waiting FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%loyalty_order%'`;
      return (row?.waiting ?? 0) >= count;
    };
    await vi.waitUntil(isReached, { timeout: 120_000, interval: 20 });
  }

  return {
    async atPayment(points) {
      people += 1;
      const person = {
        ...{ firstName: "Ana", lastName: "López", emailAddress: `race${people}@example.com` },
        phoneNumber: `+34633${100_000 + people}`,
      };
      const session = await customers.signUp(shop, person);
      const { contact_id } = await client.members.create({
        ...{ first_name: "Ana", last_name: "López" },
        ...{ phone_number: person.phoneNumber, email: person.emailAddress },
      });
      const credit = { contact_id, adjustment_type: "credit" as const, reference_id: "start" };
      await client.rewardPoints.adjust({ ...credit, points });
      await customers.fill(session, { 1: 1 });
      await customers.choose(session, points);
      await customers.toPayment(session);
      return { session, contactId: contact_id, order: await customers.cart(session) };
    },
    async saleOf(code) {
      return (await client.sales.list({ reference_id: `shop/postgresql/order/${code}` })).data[0];
    },
    async pointsOf(contact_id) {
      return (await client.members.balances({ contact_id })).points;
    },
    async inTurn(order, first, second) {
      const answers = await sql.begin(async (tx) => {
        // No update: those who wait for one get the row in any order.
        await tx`SELECT FROM loyalty_order WHERE "orderId" = ${order.id} FOR UPDATE`;
        const one = first();
        await untilWaiting(1);
        const other = second();
        await untilWaiting(2);
        // Not awaited here: they wait for the end of this transaction.
        return () => Promise.all([one, other] as const);
      });
      return answers();
    },
    untilWaiting,
    release: (orderCode) => shop.release(orderCode),
  };
}
