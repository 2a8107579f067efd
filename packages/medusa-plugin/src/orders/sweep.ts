/** Finds the orders that the ledger does not show as they are, whatever became of the events about them. */

import type { MedusaContainer } from "@medusajs/framework/types";
import { ContainerRegistrationKeys } from "@medusajs/framework/utils";
import { ApiError, LoyaltyError } from "loyalty-sdk";
import { afterFailure } from "loyalty-sdk/shops";
import { LOYALTY_MODULE } from "../modules/loyalty/options";
import type { LoyaltyService } from "../modules/loyalty/service";
import { settleOrder } from "./settle";

const atOnce = 100;
/** Orders whose last change is older than this were swept many times. */
const lookBackMilliseconds = 2 * 24 * 3_600_000;

/** A sweep begins no further order after this time, so that it ends before the next one begins. */
const sweepMilliseconds = { due: 50_000, changed: 9 * 60_000 };

/**
 * Settles one order after the other, and goes on after a failure of one, which is stored with the order.
 * @param end in milliseconds
 * @returns whether it came to the end: not if the service is away, or the time is over
 */
async function settleAll(container: MedusaContainer, ids: Iterable<string>, end: number): Promise<boolean> {
  const logger = container.resolve(ContainerRegistrationKeys.LOGGER);
  for (const id of ids) {
    if (Date.now() > end) return false;
    try {
      await settleOrder(container, id);
    } catch (error) {
      logger.warn(`loyalty: order ${id}: ${error}`);
      if (isAway(error)) return false;
    }
  }
  return true;
}

/** Whether the next order will fail, too. A fault in the service (500) can be one with this order alone. */
const isAway = (error: unknown): boolean =>
  error instanceof LoyaltyError &&
  afterFailure(error) !== "put_aside" &&
  !(error instanceof ApiError && error.status === 500);

/** Tries again what is due: what could not be sent, and checkouts that were broken off. */
export async function settleDueOrders(container: MedusaContainer): Promise<void> {
  const loyalty: LoyaltyService = container.resolve(LOYALTY_MODULE);
  const end = Date.now() + sweepMilliseconds.due;
  const due = { next_try: { $lte: new Date() } };
  const rows = await loyalty.listLoyaltyOrders(due, {
    take: atOnce,
    order: { next_try: "ASC" },
    select: ["order_id"],
  });
  await settleAll(
    container,
    rows.map(({ order_id }) => order_id),
    end,
  );
}

/** Settles the orders that have changed since they were settled. */
export async function settleChangedOrders(container: MedusaContainer): Promise<void> {
  const loyalty: LoyaltyService = container.resolve(LOYALTY_MODULE);
  const end = Date.now() + sweepMilliseconds.changed;
  const since = new Date(Date.now() - lookBackMilliseconds);
  for await (const changes of changedOrders(container, since)) {
    const rows = await loyalty.listLoyaltyOrders({ order_id: [...changes.keys()] }, { take: changes.size });
    const settled = new Map(rows.map(({ order_id, state, settled_at }) => [order_id, { state, settled_at }]));
    const isBehind = ([id, changed]: [string, Date]) => {
      const row = settled.get(id);
      if (row === undefined || row.state === "waiting" || row.state === "undone") return true;
      if (row.state !== "recorded") return false;
      return row.settled_at === null || new Date(row.settled_at) < changed;
    };
    const behind = [...changes].filter(isBehind).map(([id]) => id);
    if (!(await settleAll(container, behind, end))) return;
  }
}

/** The orders that were placed, paid, cancelled or returned since a time, with the time of the last change, in pages. */
async function* changedOrders(container: MedusaContainer, since: Date): AsyncGenerator<Map<string, Date>> {
  const query = container.resolve(ContainerRegistrationKeys.QUERY);
  const created = { created_at: { $gte: since } };
  const sources = [
    { entity: "order", fields: ["id", "created_at"], filters: created },
    { entity: "order", fields: ["id", "canceled_at"], filters: { canceled_at: { $gte: since } } },
    {
      entity: "return",
      fields: ["order_id", "received_at", "updated_at"],
      filters: { updated_at: { $gte: since } },
    },
    { entity: "capture", fields: ["created_at", "payment.payment_collection.order.id"], filters: created },
    { entity: "refund", fields: ["created_at", "payment.payment_collection.order.id"], filters: created },
  ];
  for (const source of sources) {
    for (let skip = 0; ; skip += atOnce) {
      const { data } = await query.graph({
        ...source,
        pagination: { skip, take: atOnce, order: { id: "ASC" } },
      } as never);
      const changes = new Map<string, Date>();
      for (const one of data as Change[]) {
        const id =
          source.entity === "order" ? one.id : (one.order_id ?? one.payment?.payment_collection?.order?.id);
        if (id === undefined) continue;
        const times = [changes.get(id), one.canceled_at, one.received_at, one.updated_at, one.created_at];
        // An order can have several rows, such as two returns.
        changes.set(id, new Date(Math.max(...times.map((time) => new Date(time ?? 0).getTime()))));
      }
      if (changes.size > 0) yield changes;
      if (data.length < atOnce) break;
    }
  }
}

interface Change {
  readonly id?: string;
  readonly order_id?: string;
  readonly payment?: { readonly payment_collection?: { readonly order?: { readonly id: string } } };
  readonly created_at?: string;
  readonly updated_at?: string;
  readonly canceled_at?: string;
  readonly received_at?: string | null;
}
