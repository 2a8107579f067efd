/** Hooks into the states of an order: what points and wallet pay is checked before the payment, and taken when the order is placed. */
import { ConfigService, type OrderProcess } from "@vendure/core";
import { Checkout } from "./checkout.ts";

let checkout: Checkout;
let config: ConfigService;

export const loyaltyOrderProcess: OrderProcess<never> = {
  init(injector) {
    checkout = injector.get(Checkout);
    config = injector.get(ConfigService);
  },
  async onTransitionStart(fromState, toState, { ctx, order }) {
    if (toState === "ArrangingPayment") return checkout.obstacle(ctx, order);
    const { orderPlacedStrategy } = config.orderOptions;
    if (!order.active) return undefined;
    const isPlaced = await orderPlacedStrategy.shouldSetAsPlaced(ctx, fromState, toState, order);
    return isPlaced ? checkout.place(ctx, order) : undefined;
  },
};
