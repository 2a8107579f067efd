/** Placed orders: each gets its sale, and its refunds. Comparing an order with its sale can be repeated at any time. */
import { Inject, Injectable } from "@nestjs/common";
import {
  type ID,
  type JobQueue,
  JobQueueService,
  Logger,
  type Order,
  orderTotalIsCovered,
  type RequestContext,
  RequestContextService,
} from "@vendure/core";
import { afterFailure, refundOrder, saleOf } from "loyalty-sdk/shops";
import { Checkout, CheckoutProblem, paymentOf } from "./checkout.ts";
import { loggerContext } from "./options.ts";
import { Records } from "./records.ts";
import { ServiceClient } from "./service-client.ts";
import { returnsOf, shopOrderOf } from "./shop-order.ts";

/** Databases store times of changes in whole seconds. */
const clockStepMilliseconds = 2000;

@Injectable()
export class PlacedOrders {
  #queue: JobQueue<{ orderId: ID }> | undefined;

  constructor(
    @Inject(ServiceClient) private readonly service: ServiceClient,
    @Inject(Checkout) private readonly checkout: Checkout,
    @Inject(JobQueueService) private readonly queues: JobQueueService,
    @Inject(RequestContextService) private readonly contexts: RequestContextService,
    @Inject(Records) private readonly records: Records,
  ) {}

  async openQueue(): Promise<void> {
    this.#queue = await this.queues.createQueue({
      name: "loyalty-orders",
      process: async ({ data }) =>
        this.compare(await this.contexts.create({ apiType: "admin" }), data.orderId),
    });
  }

  /** Compares the order soon. If that is lost, the sweep finds the order. */
  async enqueue(orderId: ID): Promise<void> {
    try {
      await this.#queue?.add({ orderId }, { retries: 5 });
    } catch (error) {
      Logger.warn(`Order ${orderId} is not in the queue: ${error}. The sweep sends it.`, loggerContext);
    }
  }

  /**
   * Compares an order with its sale: records the sale that is missing, and refunds what has come back. A problem that a repetition
   * can't solve is kept with the order, for a person.
   * @throws ApiError, ConnectionError: then compare it again later
   */
  async compare(ctx: RequestContext, orderId: ID): Promise<void> {
    const comparedAt = new Date(Date.now() - clockStepMilliseconds);
    const order = await this.checkout.read(ctx, orderId);
    if (order.orderPlacedAt == null) return;
    try {
      const known = await this.records.order(ctx, orderId);
      const saleId = known.saleId ?? (await this.#record(ctx, order)) ?? null;
      await this.records.keepOrder(ctx, orderId, { saleId });
      if (saleId !== null) await this.#refund(order, known, saleId);
      await this.records.keepOrder(ctx, orderId, { comparedAt, problem: null });
    } catch (error) {
      const isFinal = error instanceof CheckoutProblem || afterFailure(error) === "put_aside";
      if (!isFinal) throw error;
      const problem = error instanceof Error ? error.message : String(error);
      Logger.error(`Order ${order.code} needs a person: ${problem}`, loggerContext);
      await this.records.keepOrder(ctx, orderId, { comparedAt, problem });
    }
  }

  /** Records the sale of an order that is paid. @returns undefined if there is none, such as for a guest */
  async #record(ctx: RequestContext, order: Order): Promise<number | undefined> {
    const { customer, orderPlacedAt } = order;
    const { createMembers = true, guests = false } = this.service.options;
    if (customer === undefined || orderPlacedAt === undefined || !(customer.user || guests)) return undefined;
    if (order.state === "Cancelled" || !orderTotalIsCovered(order, "Settled")) return undefined;
    const { toService } = await this.service.shop();
    if (toService(order.totalWithTax) <= 0) return undefined;
    // No member is made for an order that can't be recorded.
    await this.checkout.expectCurrency(order);
    const contactId = await this.service.contactOf(ctx, customer, createMembers);
    if (contactId === "taken_by_another") {
      throw new CheckoutProblem("Another member has the customer's phone number or e-mail address.");
    }
    return typeof contactId === "number"
      ? this.checkout.record(ctx, order, contactId, orderPlacedAt)
      : undefined;
  }

  async #refund(order: Order, chosen: Parameters<typeof paymentOf>[0], saleId: number): Promise<void> {
    const settings = await this.checkout.reading();
    const placedAt = order.orderPlacedAt ?? order.createdAt;
    const payment = paymentOf(chosen, settings);
    const shopOrder = shopOrderOf(order, { id: order.code, placedAt, payment }, settings);
    const { lineNos } = saleOf(shopOrder, 1, settings.shop);
    const returns = returnsOf(order, { lineNos, shopOrder }, settings);
    const reason = `Return of order ${order.code}`;
    for (const { refunded, money_back } of await refundOrder(
      this.service.client,
      { saleId, reason },
      returns,
      settings.shop,
    )) {
      Logger.info(`Order ${order.code}: ${refunded} refunded, ${money_back} of it in money`, loggerContext);
    }
  }
}
