/** Finds what events and jobs have lost: placed orders that were not compared with their sale, and sales of orders that were not placed. */
import { Inject, Injectable } from "@nestjs/common";
import {
  type ID,
  isGraphQlErrorResult,
  Logger,
  Order,
  OrderService,
  orderTotalIsCovered,
  type RequestContext,
  ScheduledTask,
  TransactionalConnection,
} from "@vendure/core";
import { afterFailure } from "loyalty-sdk/shops";
import { LessThan } from "typeorm";
import { Checkout } from "./checkout.ts";
import { loggerContext } from "./options.ts";
import { PlacedOrders } from "./placed-orders.ts";
import { LoyaltyOrder, Records } from "./records.ts";

const minute = 60_000;
const day = 24 * 60 * minute;
/** The service accepts the sales of 31 days. */
const windowMilliseconds = 31 * day;
/** A checkout is left alone for as long as its customer may be paying. */
const checkoutMilliseconds = 10 * minute;
const mostOrders = 200;
const timeMilliseconds = 50_000;

export const sweepTask = new ScheduledTask({
  id: "loyalty-sweep",
  description:
    "Sends orders to the loyalty service that events have lost, and gives back the points of failed checkouts",
  schedule: (cron) => cron.everyMinute(),
  execute: ({ injector, scheduledContext }) => injector.get(Sweep).run(scheduledContext),
});

@Injectable()
export class Sweep {
  constructor(
    @Inject(PlacedOrders) private readonly placed: PlacedOrders,
    @Inject(Checkout) private readonly checkout: Checkout,
    @Inject(Records) private readonly records: Records,
    @Inject(OrderService) private readonly orders: OrderService,
    @Inject(TransactionalConnection) private readonly connection: TransactionalConnection,
  ) {}

  /** @param checkoutAge the age in milliseconds from which a checkout is seen as left */
  async run(
    ctx: RequestContext,
    checkoutAge: number = checkoutMilliseconds,
  ): Promise<{ sent: number; left: number }> {
    const until = Date.now() + timeMilliseconds;
    const sent = await this.#each(await this.#notCompared(ctx), until, (id) => this.placed.compare(ctx, id));
    const left = await this.#each(await this.#notPlaced(ctx, checkoutAge), until, (id) =>
      this.connection.withTransaction(ctx, (inside) => this.#endCheckout(inside, id, checkoutAge)),
    );
    return { sent, left };
  }

  async #each(ids: readonly ID[], until: number, act: (id: ID) => Promise<void>): Promise<number> {
    let done = 0;
    for (const id of ids) {
      if (Date.now() > until) break;
      try {
        await act(id);
        done += 1;
      } catch (error) {
        Logger.warn(`Order ${id}: ${error}`, loggerContext);
        // The service is away or does not let the shop in, so the others would fail, too.
        if (afterFailure(error) !== "put_aside") break;
      }
    }
    return done;
  }

  async #notCompared(ctx: RequestContext): Promise<ID[]> {
    const compared = "loyalty.comparedAt";
    const found = await this.connection
      .getRepository(ctx, Order)
      .createQueryBuilder("order")
      .select("order.id", "id")
      .distinct(true)
      .leftJoin(LoyaltyOrder, "loyalty", "loyalty.orderId = order.id")
      .leftJoin("order.lines", "line")
      .leftJoin("order.payments", "payment")
      .leftJoin("payment.refunds", "refund")
      .where("order.orderPlacedAt > :since", { since: new Date(Date.now() - windowMilliseconds) })
      .andWhere("loyalty.problem IS NULL")
      .andWhere(
        `(${compared} IS NULL OR line.updatedAt > ${compared} OR payment.updatedAt > ${compared} OR refund.updatedAt > ${compared})`,
      )
      .orderBy("order.id")
      .limit(mostOrders)
      .getRawMany<{ id: ID }>();
    return found.map(({ id }) => id);
  }

  async #notPlaced(ctx: RequestContext, checkoutAge: number): Promise<ID[]> {
    const found = await this.connection
      .getRepository(ctx, Order)
      .createQueryBuilder("order")
      .select("order.id", "id")
      .innerJoin(LoyaltyOrder, "loyalty", "loyalty.orderId = order.id")
      .where("loyalty.chosen = :chosen", { chosen: true })
      .andWhere("order.orderPlacedAt IS NULL")
      .andWhere("order.updatedAt < :before AND loyalty.updatedAt < :before", {
        before: new Date(Date.now() - checkoutAge),
      })
      .andWhere("order.createdAt > :since", { since: new Date(Date.now() - windowMilliseconds) })
      .orderBy("order.updatedAt")
      .limit(mostOrders)
      .getRawMany<{ id: ID }>();
    return found.map(({ id }) => id);
  }

  /** Places an order that is paid and was kept from it by a failure, or gives back what its checkout has taken. */
  async #endCheckout(ctx: RequestContext, id: ID, checkoutAge: number): Promise<void> {
    // Holds the record, unless the order is being placed.
    const claimed = await this.connection
      .getRepository(ctx, LoyaltyOrder)
      .update({ orderId: id, updatedAt: LessThan(new Date(Date.now() - checkoutAge)) }, { chosen: true });
    if (claimed.affected === 0) return;
    const order = await this.checkout.read(ctx, id);
    if (order.orderPlacedAt != null) return;
    const isPaid =
      order.state === "ArrangingPayment" &&
      // An order that points pay in full is covered from the start, but nobody has ordered it yet.
      order.payments.some(({ state }) => state === "Authorized" || state === "Settled") &&
      orderTotalIsCovered(order, ["Authorized", "Settled"]);
    if (isPaid) {
      const toState = orderTotalIsCovered(order, "Settled") ? "PaymentSettled" : "PaymentAuthorized";
      const placed = await this.orders.transitionToState(ctx, id, toState);
      if (!isGraphQlErrorResult(placed)) return;
    }
    await this.checkout.giveBack(order);
    // The next attempt to pay sets it again. So a cart that nobody comes back to is looked at once, and a paid order is tried again.
    if (!isPaid) await this.records.keepOrder(ctx, id, { chosen: false });
  }
}
