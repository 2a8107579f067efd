/** The queries of the dashboard: what a customer has, and what an order earned and why. */
import { Inject } from "@nestjs/common";
import { Args, Mutation, Query, Resolver } from "@nestjs/graphql";
import {
  Allow,
  Ctx,
  Customer,
  type ID,
  Order,
  Permission,
  type RequestContext,
  TransactionalConnection,
} from "@vendure/core";
import { gql } from "graphql-tag";
import { PlacedOrders } from "./placed-orders.ts";
import { Records } from "./records.ts";
import { ServiceClient, type Shop } from "./service-client.ts";

export const adminSchema = gql`
  "A customer as a member."
  type LoyaltyAccount {
    contactId: Float!
    name: String!
    pointsName: String!
    points: Int!
    pointsWorth: Money!
    pointsPending: Int!
    wallet: Money!
    currencyCode: String!
    tier: String
    "The member in the console, if the plugin knows its address."
    consoleUrl: String
  }

  "The sale of an order."
  type LoyaltySale {
    saleId: Float!
    amount: Money!
    amountDue: Money!
    pointsUsed: Int!
    walletUsed: Money!
    vouchersUsed: Money!
    pointsEarned: Int!
    currencyCode: String!
    "Why it earned this number of points."
    why: [String!]!
    refunds: [LoyaltyRefund!]!
    "What the customer gets in money, if all that is left comes back."
    moneyBack: Money!
    consoleUrl: String
  }

  type LoyaltyRefund {
    day: String!
    amount: Money!
    moneyBack: Money!
    pointsBack: Int!
    pointsTaken: Int!
  }

  type LoyaltyOrder {
    "Null: the order has no sale yet, or never gets one, such as that of a guest."
    sale: LoyaltySale
    "Why a person has to look at it."
    problem: String
  }

  extend type Query {
    "Null: the customer is no member."
    loyaltyAccount(customerId: ID!): LoyaltyAccount
    loyaltyOrder(orderId: ID!): LoyaltyOrder!
  }

  extend type Mutation {
    "Compares the order with its sale again, after its problem was solved."
    loyaltySendOrder(orderId: ID!): LoyaltyOrder!
  }
`;

@Resolver()
export class AdminResolver {
  constructor(
    @Inject(ServiceClient) private readonly service: ServiceClient,
    @Inject(Records) private readonly records: Records,
    @Inject(PlacedOrders) private readonly placed: PlacedOrders,
    @Inject(TransactionalConnection) private readonly connection: TransactionalConnection,
  ) {}

  @Query()
  @Allow(Permission.ReadCustomer)
  async loyaltyAccount(@Ctx() ctx: RequestContext, @Args() { customerId }: { customerId: ID }) {
    const customer = await this.connection.getEntityOrThrow(ctx, Customer, customerId, {
      relations: ["user"],
      channelId: ctx.channelId,
    });
    const contactId = await this.service.contactOf(ctx, customer, false);
    if (typeof contactId !== "number") return null;
    const { client } = this.service;
    const { toShop, business } = await this.service.shop();
    const [member, balances] = await Promise.all([
      client.members.get({ contact_id: contactId }),
      client.members.balances({ contact_id: contactId }),
    ]);
    return {
      contactId,
      name: `${member.first_name} ${member.last_name}`,
      pointsName: balances.rp_name,
      points: balances.points,
      pointsWorth: toShop(balances.points_amount),
      pointsPending: balances.points_pending.reduce((sum, { points }) => sum + points, 0),
      wallet: toShop(balances.wallet),
      currencyCode: business.currency,
      tier: member.tier?.name ?? null,
      consoleUrl: this.#consoleUrl(business, `members/${contactId}`),
    };
  }

  @Query()
  @Allow(Permission.ReadOrder)
  async loyaltyOrder(@Ctx() ctx: RequestContext, @Args() { orderId }: { orderId: ID }) {
    await this.#expectOrder(ctx, orderId);
    const { saleId, problem } = await this.records.order(ctx, orderId);
    return { problem, sale: saleId === null ? null : await this.#sale(saleId) };
  }

  @Mutation()
  @Allow(Permission.UpdateOrder)
  async loyaltySendOrder(@Ctx() ctx: RequestContext, @Args() { orderId }: { orderId: ID }) {
    await this.#expectOrder(ctx, orderId);
    await this.placed.compare(ctx, orderId);
    return this.loyaltyOrder(ctx, { orderId });
  }

  async #expectOrder(ctx: RequestContext, orderId: ID): Promise<void> {
    await this.connection.getEntityOrThrow(ctx, Order, orderId, { channelId: ctx.channelId });
  }

  async #sale(saleId: number) {
    const sale = await this.service.client.sales.get({ sale_id: saleId });
    const { toShop, business } = await this.service.shop();
    return {
      saleId,
      currencyCode: business.currency,
      amount: toShop(sale.amount),
      amountDue: toShop(sale.amount_due),
      pointsUsed: sale.points_used,
      walletUsed: toShop(sale.wallet_used),
      vouchersUsed: toShop(sale.voucher_amount),
      pointsEarned: sale.points_earned,
      why: sale.why.map(({ text }) => text),
      refunds: sale.refunds.map((one) => ({
        day: one.created_at.slice(0, 10),
        amount: toShop(one.amount),
        moneyBack: toShop(one.money_back),
        pointsBack: one.points_back,
        pointsTaken: one.points_clawed,
      })),
      moneyBack: toShop(sale.full_refund?.money_back ?? 0),
      consoleUrl: this.#consoleUrl(business, `sales/${saleId}`),
    };
  }

  #consoleUrl({ business_id }: Shop["business"], path: string): string | null {
    const { consoleUrl } = this.service.options;
    return consoleUrl ? `${consoleUrl.replace(/\/+$/, "")}/${business_id}/${path}` : null;
  }
}
