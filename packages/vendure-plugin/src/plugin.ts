/** The plugin: its settings, its parts, and the events that it listens to. */
import { Inject, type OnApplicationBootstrap } from "@nestjs/common";
import {
  EventBus,
  type ID,
  OrderLineEvent,
  OrderStateTransitionEvent,
  PaymentStateTransitionEvent,
  PluginCommonModule,
  ProcessContext,
  RefundStateTransitionEvent,
  type RuntimeVendureConfig,
  VendurePlugin,
} from "@vendure/core";
import { raw } from "express";
import { AdminResolver, adminSchema } from "./admin-api.ts";
import { Checkout } from "./checkout.ts";
import { Discount, hasChosen, offGoods, offShipping } from "./discount.ts";
import { type LoyaltyPluginOptions, pluginOptions } from "./options.ts";
import { loyaltyOrderProcess } from "./order-process.ts";
import { PlacedOrders } from "./placed-orders.ts";
import { LoyaltyCustomer, LoyaltyOrder, Records } from "./records.ts";
import { ServiceClient } from "./service-client.ts";
import { OrderResolver, PayResultResolver, ShopResolver, shopSchema } from "./shop-api.ts";
import { Sweep, sweepTask } from "./sweep.ts";
import { WebhookController, webhookPath } from "./webhook.ts";

/** Adds what the plugin needs to the configuration of the shop. */
function configure(config: RuntimeVendureConfig): RuntimeVendureConfig {
  config.orderOptions.process = [...(config.orderOptions.process ?? []), loyaltyOrderProcess];
  const { promotionOptions, schedulerOptions, apiOptions } = config;
  promotionOptions.promotionConditions = [...(promotionOptions.promotionConditions ?? []), hasChosen];
  promotionOptions.promotionActions = [...(promotionOptions.promotionActions ?? []), offGoods, offShipping];
  schedulerOptions.tasks = [...(schedulerOptions.tasks ?? []), sweepTask];
  // The signature of a webhook is that of its bytes.
  const handler = raw({ type: "*/*", limit: "1mb" });
  apiOptions.middleware = [
    ...apiOptions.middleware,
    { route: `/${webhookPath}`, handler, beforeListen: true },
  ];
  return config;
}

/** Connects a shop to the loyalty service. Add it to the plugins of the configuration as `LoyaltyPlugin.init({ … })`, the last one. */
@VendurePlugin({
  imports: [PluginCommonModule],
  providers: [
    { provide: pluginOptions, useFactory: () => LoyaltyPlugin.options },
    Records,
    ServiceClient,
    Discount,
    Checkout,
    PlacedOrders,
    Sweep,
  ],
  entities: [LoyaltyOrder, LoyaltyCustomer],
  controllers: [WebhookController],
  configuration: configure,
  shopApiExtensions: { schema: shopSchema, resolvers: [ShopResolver, OrderResolver, PayResultResolver] },
  adminApiExtensions: { schema: adminSchema, resolvers: [AdminResolver] },
  dashboard: "../dashboard/index.tsx",
  compatibility: "^3.3.0",
})
export class LoyaltyPlugin implements OnApplicationBootstrap {
  static options: LoyaltyPluginOptions;

  /** Sets the options. */
  static init(options: LoyaltyPluginOptions): typeof LoyaltyPlugin {
    LoyaltyPlugin.options = options;
    return LoyaltyPlugin;
  }

  constructor(
    @Inject(EventBus) private readonly events: EventBus,
    @Inject(ProcessContext) private readonly process: ProcessContext,
    @Inject(Discount) private readonly discount: Discount,
    @Inject(PlacedOrders) private readonly orders: PlacedOrders,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.orders.openQueue();
    if (this.process.isServer) await this.discount.prepare();
    const compare = ({
      order,
    }: {
      readonly order: { readonly id: ID; readonly orderPlacedAt?: Date | null };
    }) => {
      if (order.orderPlacedAt) void this.orders.enqueue(order.id);
    };
    // What happens to an order that is placed. Each event only says that it is time to look.
    this.events.ofType(OrderStateTransitionEvent).subscribe(compare);
    this.events.ofType(PaymentStateTransitionEvent).subscribe(compare);
    this.events.ofType(RefundStateTransitionEvent).subscribe(compare);
    this.events.ofType(OrderLineEvent).subscribe(compare);
  }
}
