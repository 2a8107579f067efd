/** Points, wallet and vouchers in the checkout: the customer chooses them in the cart, and they are taken when the order is placed. */
import { Inject, Injectable } from "@nestjs/common";
import {
  EntityNotFoundError,
  Logger,
  Order,
  OrderService,
  type RequestContext,
  TransactionalConnection,
} from "@vendure/core";
import { ApiError, type SalesQuoteData } from "loyalty-sdk";
import {
  afterFailure,
  findOrder,
  quoteOf,
  type RecordedSale,
  recordOrder,
  refundOrder,
  type ShopSale,
  saleOf,
} from "loyalty-sdk/shops";
import { In, IsNull } from "typeorm";
import { Discount } from "./discount.ts";
import { loggerContext } from "./options.ts";
import { Records } from "./records.ts";
import { ServiceClient, type Shop } from "./service-client.ts";
import {
  amountsOf,
  type LineSettings,
  type ReadingSettings,
  saleRelations,
  shopOrderOf,
} from "./shop-order.ts";

/** What a customer chose to pay with; money in the shop's units. */
export interface Choice {
  readonly points: number;
  readonly wallet: number;
  /** By held_voucher_id. */
  readonly vouchers: readonly number[] | null;
}

/** The customer can fix this, or somebody of the shop. The message says how. */
export class CheckoutProblem extends Error {}

const unevenWorth =
  "The shop's prices have fewer decimals than what these points are worth. Choose another number.";
const otherTotal =
  "What points, wallet and vouchers pay has changed meanwhile. Look at the total, and pay the rest.";
const otherWorth = "The points are worth another amount now. Choose them again.";

/** A checkout is tried again this often before a person has to look at it. */
const mostAttempts = 20;

@Injectable()
export class Checkout {
  constructor(
    @Inject(ServiceClient) private readonly service: ServiceClient,
    @Inject(Discount) private readonly discount: Discount,
    @Inject(Records) private readonly records: Records,
    @Inject(OrderService) private readonly orders: OrderService,
    @Inject(TransactionalConnection) private readonly connection: TransactionalConnection,
  ) {}

  /**
   * Quotes a cart for a member: what it earns, and what could pay for it.
   * @returns undefined for a cart without an amount, or in another currency
   * @throws ApiError, ConnectionError
   */
  async quote(
    ctx: RequestContext,
    orderId: Order["id"],
    contactId: number,
    choice: Choice,
  ): Promise<SalesQuoteData | undefined> {
    const order = await this.read(ctx, orderId);
    const settings = await this.reading();
    const { toService, shop } = settings;
    if (order.currencyCode !== shop.business.currency) return undefined;
    const { money, discounted } = amountsOf(order, settings);
    if (money + discounted <= 0) return undefined;
    const payment = { ...choice, wallet: toService(choice.wallet), worth: discounted };
    const shopOrder = shopOrderOf(order, { id: order.code, placedAt: new Date(), payment }, settings);
    const { customer } = order;
    const ask = (id: number) => this.service.client.sales.quote(quoteOf(shopOrder, id, settings.shop));
    return customer ? this.service.ofMember(ctx, customer, contactId, ask) : ask(contactId);
  }

  /**
   * Chooses what points, wallet and vouchers pay, and lowers the total by what they are worth. Nothing is taken yet. Call it in a transaction.
   * @throws CheckoutProblem, ApiError, ConnectionError
   */
  async choose(ctx: RequestContext, orderId: Order["id"], contactId: number, choice: Choice): Promise<Order> {
    const { toShop, toService } = await this.service.shop();
    // Waits for an attempt to place the order: its sale would look like one that a failed checkout has left.
    const { chosen } = await this.records.holdOrder(ctx, orderId);
    await this.#expectOpen(ctx, orderId);
    // A checkout that failed may have left a sale, and then the points are not there to be chosen.
    if (chosen) await this.giveBack(await this.read(ctx, orderId));
    const isPaying = choice.points > 0 || choice.wallet > 0 || (choice.vouchers ?? []).length > 0;
    if (isPaying) await this.expectCurrency(await this.read(ctx, orderId));
    const quote = isPaying ? await this.quote(ctx, orderId, contactId, choice) : undefined;
    const paid = quote === undefined ? 0 : quote.amount - quote.amount_due;
    const worth = toShop(paid);
    if (toService(worth) !== paid) throw new CheckoutProblem(unevenWorth);
    await this.records.keepOrder(ctx, orderId, {
      ...choice,
      worth,
      chosen: chosen || isPaying,
      problem: null,
    });
    const order = await this.orders.findOne(ctx, orderId);
    if (order === undefined) throw new EntityNotFoundError("Order", orderId);
    await this.orders.applyPriceAdjustments(ctx, order);
    await this.#expectDiscount(ctx, orderId);
    return (await this.orders.findOne(ctx, orderId)) ?? order;
  }

  /**
   * Says what keeps an order from being paid as it is: the cart or the balance has changed since the customer chose.
   * @returns undefined if nothing does
   */
  async obstacle(ctx: RequestContext, order: Order): Promise<string | undefined> {
    const { points, wallet, vouchers, worth } = await this.records.order(ctx, order.id);
    if (worth === 0) return undefined;
    return this.#explained(ctx, order, async () => {
      const { toShop } = await this.service.shop();
      await this.#expectDiscount(ctx, order.id);
      const choice = { points, wallet, vouchers };
      const quote = await this.quote(ctx, order.id, await this.#contactOf(ctx, order), choice);
      if (quote === undefined || toShop(quote.amount - quote.amount_due) !== worth) {
        throw new CheckoutProblem(otherWorth);
      }
    });
  }

  /**
   * Records the sale of an order that is being placed, which takes its points and money. The order keeps the sale.
   * @returns why it can't be placed; undefined if it can
   */
  async place(ctx: RequestContext, order: Order): Promise<string | undefined> {
    const before = await this.records.order(ctx, order.id);
    if (before.worth !== 0 && !before.chosen) await this.records.markChosen(order.id);
    // Held until the order is placed, so that nothing changes the choice or gives the points back meanwhile.
    const { worth } = await this.records.holdOrder(ctx, order.id);
    return this.#explained(ctx, order, async () => {
      await this.records.keepOrder(ctx, order.id, { problem: null });
      const now = await this.#expectDiscount(ctx, order.id);
      // The customer has chosen otherwise since the order was read, and it would be placed with the old total.
      if (now.totalWithTax !== order.totalWithTax) throw new CheckoutProblem(otherTotal);
      // Without points, the service is not asked: it may be away.
      if (worth === 0) return;
      const contactId = await this.#contactOf(ctx, order);
      const saleId = await this.record(ctx, now, contactId, new Date());
      await this.records.keepOrder(ctx, order.id, { saleId });
    });
  }

  /**
   * Finds the sale of an order or records it. A checkout that failed may have left one that is not this order any more: it is refunded,
   * and the next attempt has the next name.
   * @param order as `read` returns it
   * @throws ApiError, ConnectionError, RangeError
   */
  async record(ctx: RequestContext, order: Order, contactId: number, placedAt: Date): Promise<number> {
    await this.expectCurrency(order);
    const settings = await this.reading();
    const { client } = this.service;
    const payment = paymentOf(await this.records.order(ctx, order.id), settings);
    for (let attempt = 1; attempt <= mostAttempts; attempt += 1) {
      const id = attemptName(order, attempt);
      const sale = saleOf(shopOrderOf(order, { id, placedAt, payment }, settings), contactId, settings.shop);
      const found = await findOrder(client, settings.shop, id);
      // An order with points keeps its sale when it is placed, so this one was given back.
      if (found !== undefined && found.refunded > 0 && payment !== undefined) {
        await this.#undo(found.sale_id, settings.shop);
        continue;
      }
      const recorded = found ?? (await recordOrder(client, sale));
      const isSame = await this.#isSame(recorded, sale);
      if (isSame && recorded.amount_due !== sale.body.amount - settings.toService(payment?.worth ?? 0)) {
        // The value of points was changed since the customer chose them, and the total was lowered by another amount.
        await this.#undo(recorded.sale_id, settings.shop);
        throw new CheckoutProblem(otherWorth);
      }
      if (isSame) {
        if (recorded.contact_id !== contactId && order.customer) {
          await this.records.keepContact(ctx, order.customer.id, recorded.contact_id);
        }
        return recorded.sale_id;
      }
      await this.#undo(recorded.sale_id, settings.shop);
    }
    throw new CheckoutProblem("The payment with points failed too often. Pay without points.");
  }

  /**
   * Refunds the sales of an order that is not placed: what a checkout has left that failed after the service had recorded it.
   * @throws ApiError, ConnectionError: then give it back again later
   */
  async giveBack(order: Pick<Order, "code">): Promise<void> {
    const shop = await this.service.shop();
    for (let attempt = 1; attempt <= mostAttempts; attempt += 1) {
      const found = await findOrder(this.service.client, shop, attemptName(order, attempt));
      if (found === undefined) return;
      if (found.refunded < found.amount) {
        Logger.info(`Order ${order.code} is not placed: sale ${found.sale_id} is undone`, loggerContext);
        await this.#undo(found.sale_id, shop);
      }
    }
  }

  /** Whether a sale is that of the order as it is now, with what pays for it. */
  async #isSame(recorded: RecordedSale, { body }: ShopSale): Promise<boolean> {
    const { amount, use_points = 0, use_wallet = 0, use_vouchers = [] } = body;
    const { points_used, wallet_used, voucher_amount } = recorded;
    if (recorded.amount !== amount || points_used !== use_points || wallet_used !== use_wallet) return false;
    if (voucher_amount === 0 && use_vouchers.length === 0) return true;
    const { vouchers_used } = await this.service.client.sales.get({ sale_id: recorded.sale_id });
    const used = new Set(vouchers_used.map(({ held_voucher_id }) => held_voucher_id));
    return used.size === use_vouchers.length && use_vouchers.every((id) => used.has(id));
  }

  async #undo(saleId: number, shop: Shop): Promise<void> {
    const reason = "The checkout failed.";
    await refundOrder(this.service.client, { saleId, reason }, { cancelled: true }, shop);
  }

  /** Reads an order as it is stored, with what a sale needs. */
  async read(ctx: RequestContext, id: Order["id"]): Promise<Order> {
    return this.connection
      .getRepository(ctx, Order)
      .findOneOrFail({ where: { id }, relations: saleRelations, relationLoadStrategy: "query" });
  }

  /** How orders are read. */
  async reading(): Promise<ReadingSettings & { readonly shop: Shop }> {
    const shop = await this.service.shop();
    return { ...(await this.#readingLines()), shop, toService: shop.toService };
  }

  async #readingLines(): Promise<LineSettings> {
    const { categoryFacet = "category" } = this.service.options;
    return { discountSource: await this.discount.source(), categoryFacet };
  }

  /** @throws CheckoutProblem for an order in another currency */
  async expectCurrency({ currencyCode }: Order): Promise<void> {
    const { currency } = (await this.service.shop()).business;
    if (currencyCode === currency) return;
    throw new CheckoutProblem(`The order is in ${currencyCode}, and the business in ${currency}.`);
  }

  /** Holds an order that is not placed. Once it is, it keeps its price and its sale. */
  async #expectOpen(ctx: RequestContext, id: Order["id"]): Promise<void> {
    // A write sees the order as it is now, on every database.
    const held = await this.connection
      .getRepository(ctx, Order)
      .update(
        { id, orderPlacedAt: IsNull(), state: In(["AddingItems", "ArrangingPayment"]) },
        { updatedAt: new Date() },
      );
    if (held.affected === 0) throw new CheckoutProblem("The order is placed, and can't be changed any more.");
  }

  /** Without its promotion, the total would not be lower, and the customer would pay twice. */
  async #expectDiscount(ctx: RequestContext, orderId: Order["id"]): Promise<Order> {
    const order = await this.read(ctx, orderId);
    const { discounted } = amountsOf(order, await this.#readingLines());
    const { worth } = await this.records.order(ctx, orderId);
    const roundings = worth === 0 ? 0 : order.lines.reduce((sum, { quantity }) => sum + quantity, 1);
    if (Math.abs(discounted - worth) <= roundings) return order;
    throw new CheckoutProblem(
      "Points, wallet and vouchers don't fit this order any more. Choose them again.",
    );
  }

  /** Stores why something failed, where the shop and its customer can read it. */
  async #explained(ctx: RequestContext, order: Order, act: () => Promise<void>): Promise<string | undefined> {
    try {
      await act();
      return undefined;
    } catch (error) {
      const problem = explain(error, `Order ${order.code}`);
      await this.records.keepOrder(ctx, order.id, { problem });
      return problem;
    }
  }

  async #contactOf(ctx: RequestContext, { customer }: Order): Promise<number> {
    const contactId = customer && (await this.records.contact(ctx, customer.id));
    if (contactId !== undefined) return contactId;
    throw new CheckoutProblem("Only members can pay with points.");
  }
}

/** What an order pays with points, wallet and vouchers, in the service's units; undefined for money alone. */
export function paymentOf(
  { points, wallet, vouchers, worth }: Choice & { readonly worth: number },
  { toService }: Pick<ReadingSettings, "toService">,
) {
  return worth === 0 ? undefined : { points, wallet: toService(wallet), vouchers, worth };
}

/** A sale that was undone keeps its name, so the next attempt has another one. */
const attemptName = ({ code }: Pick<Order, "code">, attempt: number): string =>
  attempt === 1 ? code : `${code}~${attempt}`;

/** Whether the customer can do something about an error. */
export const isForCustomer = (error: unknown): error is CheckoutProblem | ApiError =>
  error instanceof CheckoutProblem ||
  (error instanceof ApiError && ![401, 403].includes(error.status) && afterFailure(error) === "put_aside");

/** What a customer reads about errors that happen every day. */
const customerTexts: Readonly<Record<string, string>> = {
  insufficient_balance:
    "The balance is too low, perhaps because it was spent at a till. Choose again what pays.",
  voucher_not_held: "The voucher was used or has expired. Choose again what pays.",
};

/**
 * Says what to tell the customer, and logs the error itself.
 * @param what it failed at, for the log
 */
export function explain(error: unknown, what: string): string {
  if (isForCustomer(error)) {
    Logger.info(`${what}: ${error.message}`, loggerContext);
    if (error instanceof CheckoutProblem) return error.message;
    // The message of the error has the path and the number of the request, which are for the log.
    return (
      customerTexts[error.code] ??
      `Points, wallet and vouchers can't pay this (${error.code}). Choose again what pays.`
    );
  }
  Logger.error(`${what}: ${error}`, loggerContext, error instanceof Error ? error.stack : undefined);
  return "Points can't be used at the moment. Try again in a minute, or pay without them.";
}
