/**
 * The promotion by which points and wallet pay. It takes their worth off goods and shipping in proportion, as the service does: then the
 * refund that the shop suggests for a line is the money that the service gives back for it.
 */
import { Inject, Injectable } from "@nestjs/common";
import { AdjustmentType } from "@vendure/common/lib/generated-types";
import {
  Channel,
  isGraphQlErrorResult,
  LanguageCode,
  type Order,
  type OrderLine,
  Promotion,
  PromotionCondition,
  PromotionOrderAction,
  PromotionService,
  PromotionShippingAction,
  type RequestContext,
  RequestContextService,
  type ShippingLine,
  TransactionalConnection,
} from "@vendure/core";
import { IsNull } from "typeorm";
import { Records } from "./records.ts";

const label = (value: string) => [{ languageCode: LanguageCode.en, value }];
/** After all other promotions, so that they count with the full price. */
const last = 1_000_000;

/**
 * The part of the discount that is left. A placed order keeps it for what was bought with it and not taken out again since, because the
 * service gives the rest back as points and wallet.
 */
function keptWorth(order: Order, worth: number): number {
  if (order.orderPlacedAt == null) return worth;
  const full = (quantityOf: (line: Order["lines"][number]) => number) =>
    order.lines.reduce((sum, line) => sum + line.unitPriceWithTax * quantityOf(line), 0);
  const bought = full((line) => line.orderPlacedQuantity);
  const kept = full((line) => Math.min(line.quantity, line.orderPlacedQuantity));
  return bought === 0 ? 0 : Math.round((worth * kept) / bought);
}

let discount: Discount;

export const hasChosen = new PromotionCondition({
  code: "loyalty_chosen",
  description: label("The customer pays with points or wallet"),
  args: {},
  init(injector) {
    discount = injector.get(Discount);
  },
  async check(ctx, order, _args, promotion) {
    // Only one promotion may take the worth off, also if somebody has made another one of these parts.
    if ((await discount.source()) !== sourceOf(promotion)) return false;
    const worth = keptWorth(order, await discount.worthOf(ctx, order));
    return worth > 0 && { worth, source: sourceOf(promotion), description: promotion.name };
  },
});

export const offGoods = new PromotionOrderAction({
  code: "loyalty_goods",
  description: label("Points and wallet pay for goods"),
  args: {},
  conditions: [hasChosen],
  priorityValue: last,
  /** Adds its part to each line itself: what Vendure divides among lines of several tax rates is not the same amount any more. */
  execute(_ctx, order, _args, { loyalty_chosen }) {
    const { lines, shippingLines } = order;
    const shipping = shippingLines.reduce((sum, line) => sum + line.discountedPriceWithTax, 0);
    const goods = lines.reduce((sum, line) => sum + line.proratedLinePriceWithTax, 0);
    const whole = goods + shipping + takenBy(loyalty_chosen.source, shippingLines);
    let [through, given] = [0, 0];
    for (const line of lines) {
      const { proratedLinePriceWithTax: price, listPriceIncludesTax, taxRate } = line;
      if (price <= 0) continue;
      through += price;
      const share = Math.min(price, Math.floor((loyalty_chosen.worth * through) / whole) - given);
      given += share;
      line.addAdjustment({
        amount: -(listPriceIncludesTax ? share : share / (1 + taxRate / 100)),
        adjustmentSource: loyalty_chosen.source,
        description: loyalty_chosen.description,
        type: AdjustmentType.DISTRIBUTED_ORDER_PROMOTION,
        data: {},
      });
    }
    return 0;
  },
});

export const offShipping = new PromotionShippingAction({
  code: "loyalty_shipping",
  description: label("Points and wallet pay for shipping"),
  args: {},
  conditions: [hasChosen],
  execute(_ctx, shippingLine, order, _args, { loyalty_chosen }) {
    const { discountedPrice, discountedPriceWithTax, listPriceIncludesTax } = shippingLine;
    if (discountedPriceWithTax <= 0) return 0;
    const rest =
      loyalty_chosen.worth - takenBy(loyalty_chosen.source, [...order.lines, ...order.shippingLines]);
    const worth = Math.max(0, Math.min(rest, discountedPriceWithTax));
    return -(listPriceIncludesTax ? worth : (worth * discountedPrice) / discountedPriceWithTax);
  },
});

/** What the promotion has taken off lines, taxes included. */
function takenBy(source: string, lines: readonly Pick<OrderLine | ShippingLine, "discounts">[]): number {
  const own = lines
    .flatMap(({ discounts }) => discounts)
    .filter(({ adjustmentSource }) => adjustmentSource === source);
  return -own.reduce((sum, { amountWithTax }) => sum + amountWithTax, 0);
}

const sourceOf = ({ id }: Pick<Promotion, "id">): string => `PROMOTION:${id}`;

@Injectable()
export class Discount {
  #source: string | undefined;
  /** One calculation of prices asks for each line, always with the same object. */
  readonly #worth = new WeakMap<Order, Promise<number>>();

  constructor(
    @Inject(TransactionalConnection) private readonly connection: TransactionalConnection,
    @Inject(PromotionService) private readonly promotions: PromotionService,
    @Inject(RequestContextService) private readonly contexts: RequestContextService,
    @Inject(Records) private readonly records: Records,
  ) {}

  /** What points and wallet are to take off an order. */
  worthOf(ctx: RequestContext, order: Order): Promise<number> {
    const known = this.#worth.get(order);
    if (known !== undefined) return known;
    const read = this.records.order(ctx, order.id).then(({ worth }) => worth);
    this.#worth.set(order, read);
    return read;
  }

  /** Names the discount in the adjustments of an order; undefined before the shop has the promotion. */
  async source(): Promise<string | undefined> {
    const promotion = this.#source === undefined ? await this.#find() : undefined;
    if (promotion !== undefined) this.#source = sourceOf(promotion);
    return this.#source;
  }

  /** Makes the promotion if the shop has none, and offers it in all channels. */
  async prepare(): Promise<void> {
    const ctx = await this.contexts.create({ apiType: "admin" });
    const promotion = (await this.#find()) ?? (await this.#create(ctx));
    const channels = await this.connection.getRepository(ctx, Channel).find();
    const relation = this.connection.getRepository(ctx, Promotion).createQueryBuilder().relation("channels");
    const missing = channels.filter(({ id }) => !promotion.channels.some((one) => one.id === id));
    await relation.of(promotion.id).add(missing.map(({ id }) => id));
  }

  async #create(ctx: RequestContext): Promise<Promotion> {
    const made = await this.promotions.createPromotion(ctx, {
      enabled: true,
      conditions: [{ code: hasChosen.code, arguments: [] }],
      actions: [offGoods, offShipping].map(({ code }) => ({ code, arguments: [] })),
      translations: [{ languageCode: ctx.languageCode, name: "Points and wallet" }],
    });
    if (isGraphQlErrorResult(made)) throw new Error(`The promotion can't be made: ${made.message}`);
    const promotion = await this.#find();
    if (promotion === undefined) throw new Error("The promotion was made, but is not found.");
    return promotion;
  }

  /** The first one, if two servers that started together have made two. */
  async #find(): Promise<Promotion | undefined> {
    const all = await this.connection.rawConnection.getRepository(Promotion).find({
      where: { deletedAt: IsNull() },
      relations: { channels: true },
      order: { createdAt: "ASC", id: "ASC" },
    });
    return all.find(({ actions }) => actions.some(({ code }) => code === offGoods.code));
  }
}
