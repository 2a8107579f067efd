/** The queries of the storefront. Each is about the customer who is signed in, and about nobody else. */
import { Inject } from "@nestjs/common";
import { Args, Mutation, Parent, Query, ResolveField, Resolver } from "@nestjs/graphql";
import {
  ActiveOrderService,
  Allow,
  Ctx,
  type Customer,
  CustomerService,
  idsAreEqual,
  type Order,
  Permission,
  type RequestContext,
  Transaction,
} from "@vendure/core";
import { gql } from "graphql-tag";
import { ApiError } from "loyalty-sdk";
import { Checkout, type Choice, explain, isForCustomer } from "./checkout.ts";
import { Records } from "./records.ts";
import { ServiceClient } from "./service-client.ts";

/** Amounts of the type Money are in the units of the shop, as everywhere in its API. */
export const shopSchema = gql`
  "A voucher that the member holds."
  type LoyaltyVoucher {
    id: Float!
    name: String!
    code: String!
    "Its value; 0 for a voucher of a percentage or an article."
    value: Money!
    percent: Int
    validThrough: String
  }

  type LoyaltyStampCard {
    name: String!
    stamps: Int!
    stampsNeeded: Int!
    "What the member gets for a full card."
    voucher: String!
    validThrough: String
  }

  "What the signed-in customer has as a member."
  type LoyaltyMember {
    firstName: String!
    "What the points are called."
    pointsName: String!
    points: Int!
    "What these points are worth."
    pointsWorth: Money!
    "Points that can't be spent yet."
    pointsPending: Int!
    wallet: Money!
    tier: String
    nextTier: String
    "The sales that the next tier still needs."
    nextTierNeeds: Money
    vouchers: [LoyaltyVoucher!]!
    stampCards: [LoyaltyStampCard!]!
  }

  type LoyaltyUsableVoucher {
    id: Float!
    code: String!
    "The amount of the cart that the voucher alone would pay."
    covers: Money!
  }

  "What the cart would earn, and what can pay for it."
  type LoyaltyQuote {
    pointsEarned: Int!
    "The reasons for this number of points."
    why: [String!]!
    "The most points and the most of the wallet that can pay for the cart."
    usablePoints: Int!
    usableWallet: Money!
    "The vouchers that can pay a part of the cart."
    usableVouchers: [LoyaltyUsableVoucher!]!
    "Why no points can pay; null if some can."
    noPoints: String
  }

  "What the customer has chosen to pay with."
  type LoyaltyPayment {
    points: Int!
    wallet: Money!
    vouchers: [Float!]
    "What all this is worth: the total is lower by this."
    worth: Money!
    "What keeps the order from being placed like this."
    problem: String
  }

  extend type Order {
    loyalty: LoyaltyPayment!
  }

  "Points and wallet can't pay like this. The message says why."
  type LoyaltyPaymentError implements ErrorResult {
    errorCode: ErrorCode!
    message: String!
    "The code of the service, such as insufficient_balance."
    loyaltyCode: String
  }

  union LoyaltyPayResult = Order | LoyaltyPaymentError

  extend type Query {
    "The member that the signed-in customer is; null for a guest, and for a customer who is none yet."
    loyaltyMember: LoyaltyMember
    "A quote for the active order; null without a member or without goods."
    loyaltyQuote: LoyaltyQuote
  }

  extend type Mutation {
    "Pays a part of the active order with points, the wallet and vouchers, by their id. 0 and no vouchers takes the choice back."
    loyaltyPay(points: Int!, wallet: Money!, vouchers: [Float!]): LoyaltyPayResult!
  }
`;

class LoyaltyPaymentError {
  readonly __typename = "LoyaltyPaymentError";
  readonly errorCode = "UNKNOWN_ERROR";
  constructor(
    readonly message: string,
    readonly loyaltyCode: string | null,
  ) {}
}

/** The messages of some errors are for the operator, and not for customers. */
async function explained<T>(what: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw new Error(explain(error, what));
  }
}

@Resolver()
export class ShopResolver {
  constructor(
    @Inject(ServiceClient) private readonly service: ServiceClient,
    @Inject(Checkout) private readonly checkout: Checkout,
    @Inject(CustomerService) private readonly customers: CustomerService,
    @Inject(ActiveOrderService) private readonly activeOrders: ActiveOrderService,
  ) {}

  @Query()
  @Allow(Permission.Owner)
  loyaltyMember(@Ctx() ctx: RequestContext) {
    return explained("The member", () => this.#account(ctx));
  }

  @Query()
  @Allow(Permission.Owner)
  loyaltyQuote(@Ctx() ctx: RequestContext) {
    return explained("The quote", () => this.#quote(ctx));
  }

  async #account(ctx: RequestContext) {
    const found = await this.#member(ctx);
    if (found === undefined) return null;
    const { client } = this.service;
    const { toShop } = await this.service.shop();
    const contact_id = found.contactId;
    const [member, balances, vouchers, cards] = await Promise.all([
      client.members.get({ contact_id }),
      client.members.balances({ contact_id }),
      client.vouchers.list({ contact_id, status: "held", per_page: 100 }),
      client.stampCards.list({ contact_id, per_page: 100 }),
    ]);
    return {
      firstName: member.first_name,
      pointsName: balances.rp_name,
      points: balances.points,
      pointsWorth: toShop(balances.points_amount),
      pointsPending: balances.points_pending.reduce((sum, { points }) => sum + points, 0),
      wallet: toShop(balances.wallet),
      tier: member.tier?.name ?? null,
      nextTier: member.next_tier?.name ?? null,
      nextTierNeeds: member.next_tier && toShop(member.next_tier.sales_missing),
      vouchers: vouchers.data.map((one) => ({
        id: one.held_voucher_id,
        name: one.campaign_name,
        code: one.coupon_code,
        value: toShop(one.coupon_value),
        percent: one.percent,
        validThrough: one.valid_through,
      })),
      stampCards: cards.data.map((one) => ({
        name: one.name,
        stamps: one.stamps,
        stampsNeeded: one.stamps_needed,
        voucher: one.campaign_name,
        validThrough: one.valid_through,
      })),
    };
  }

  async #quote(ctx: RequestContext) {
    const found = await this.#member(ctx);
    const order = found && (await this.#cart(ctx, found.customer));
    if (found === undefined || order === undefined) return null;
    const none = { points: 0, wallet: 0, vouchers: null };
    const quote = await this.checkout.quote(ctx, order.id, found.contactId, none);
    if (quote === undefined) return null;
    const { toShop } = await this.service.shop();
    return {
      pointsEarned: quote.points_earned,
      why: quote.why.map(({ text }) => text),
      usablePoints: quote.usable.points,
      usableWallet: toShop(quote.usable.wallet),
      usableVouchers: quote.usable.vouchers.map((one) => ({
        id: one.held_voucher_id,
        code: one.coupon_code,
        covers: toShop(one.covers),
      })),
      noPoints: quote.usable.no_points?.text ?? null,
    };
  }

  @Mutation()
  @Transaction()
  @Allow(Permission.Owner)
  async loyaltyPay(@Ctx() ctx: RequestContext, @Args() { points, wallet, vouchers = null }: Choice) {
    if (points < 0 || wallet < 0)
      return new LoyaltyPaymentError("points and wallet must be 0 or more.", null);
    try {
      const found = await this.#member(ctx);
      if (found === undefined) return new LoyaltyPaymentError("Only members can pay with points.", null);
      const order = await this.#cart(ctx, found.customer);
      if (order === undefined) return new LoyaltyPaymentError("There is no active order.", null);
      return await this.checkout.choose(ctx, order.id, found.contactId, { points, wallet, vouchers });
    } catch (error) {
      const code = error instanceof ApiError && isForCustomer(error) ? error.code : null;
      return new LoyaltyPaymentError(explain(error, "Points and wallet"), code);
    }
  }

  async #member(ctx: RequestContext): Promise<{ customer: Customer; contactId: number } | undefined> {
    if (!ctx.activeUserId) return undefined;
    const customer = await this.customers.findOneByUserId(ctx, ctx.activeUserId);
    if (customer === undefined) return undefined;
    const contactId = await this.service.contactOf(ctx, customer, false);
    return typeof contactId === "number" ? { customer, contactId } : undefined;
  }

  /** The cart of the customer who is signed in. Not that of a guest with the same session. */
  async #cart(ctx: RequestContext, customer: Customer): Promise<Order | undefined> {
    const order = await this.activeOrders.getActiveOrder(ctx, undefined);
    return idsAreEqual(order?.customerId, customer.id) ? order : undefined;
  }
}

@Resolver("Order")
export class OrderResolver {
  constructor(@Inject(Records) private readonly records: Records) {}

  @ResolveField()
  loyalty(@Ctx() ctx: RequestContext, @Parent() { id }: Order) {
    return this.records.order(ctx, id);
  }
}

@Resolver("LoyaltyPayResult")
export class PayResultResolver {
  @ResolveField()
  __resolveType(value: object): string {
    return value instanceof LoyaltyPaymentError ? "LoyaltyPaymentError" : "Order";
  }
}
