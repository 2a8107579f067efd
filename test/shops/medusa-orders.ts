/** What tests do with the orders of a Medusa shop, as its operator, and what the ledger has of them. */
import type { LoyaltyClient } from "loyalty-sdk";
import type { Json, MedusaShop } from "../support/medusa-shop.ts";

export class MedusaOrders {
  readonly loyalty: LoyaltyClient;
  readonly #shop: MedusaShop;
  #people = 0;

  constructor(shop: MedusaShop, loyalty: LoyaltyClient) {
    this.#shop = shop;
    this.loyalty = loyalty;
  }

  /** The data of another customer. */
  person() {
    this.#people += 1;
    const nth = this.#people;
    return { email: `customer-${nth}@example.com`, phone: `+34 655 000 ${100 + nth}` };
  }

  /** A customer with points. */
  async withPoints(points: number) {
    const customer = await this.#shop.customer(this.person());
    await customer.send("GET", "/store/customers/me/loyalty");
    const { contact_id } = await this.loyalty.members.find({ email: customer.email });
    const credit = { contact_id, points, adjustment_type: "credit", reference_id: "start" } as const;
    await this.loyalty.rewardPoints.adjust(credit);
    const left = async () => (await this.loyalty.members.balances({ contact_id })).points;
    return { customer, contact_id, points: left };
  }

  async capture(order: Json): Promise<void> {
    const path = `/admin/orders/${order.id}?fields=*payment_collections.payments`;
    const { order: read } = await this.#shop.asAdmin("GET", path);
    await this.#shop.asAdmin(
      "POST",
      `/admin/payments/${read.payment_collections[0].payments[0].id}/capture`,
      {},
    );
  }

  /** Does what the jobs of the plugin do. @returns how many orders have which state */
  settle = (): Promise<Json> => this.#shop.asAdmin("POST", "/admin/loyalty/settle");

  /** What the admin shows of an order. */
  async stateOf(order: Json): Promise<Json> {
    return (await this.#shop.asAdmin("GET", `/admin/loyalty/orders/${order.id}`)).order;
  }

  async salesOf(order: Json) {
    return (await this.loyalty.sales.list({ reference_id: `shop/medusa/order/${order.id}` })).data;
  }

  /** Ships goods, and receives them again. */
  async returnGoods(order: Json, sku: string, quantity: number): Promise<void> {
    await this.receiveReturn(await this.requestReturn(order, sku, quantity));
  }

  async requestReturn(order: Json, sku: string, quantity: number) {
    const item = order.items.find((one: Json) => one.variant_sku === sku);
    const items = [{ id: item.id, quantity }];
    await this.#shop.asAdmin("POST", `/admin/orders/${order.id}/fulfillments`, { items });
    const { return: made } = await this.#shop.asAdmin("POST", "/admin/returns", { order_id: order.id });
    const path = `/admin/returns/${made.id}`;
    await this.#shop.asAdmin("POST", `${path}/request-items`, { items });
    await this.#shop.asAdmin("POST", `${path}/request`, {});
    return { path, items };
  }

  async receiveReturn({ path, items }: { path: string; items: object[] }): Promise<void> {
    await this.#shop.asAdmin("POST", `${path}/receive`, {});
    await this.#shop.asAdmin("POST", `${path}/receive-items`, { items });
    await this.#shop.asAdmin("POST", `${path}/receive/confirm`, {});
  }

  async paymentsOf(order: Json): Promise<Json[]> {
    const fields = "*payment_collections,*payment_collections.payments";
    const path = `/admin/orders/${order.id}?fields=${fields}`;
    return (await this.#shop.asAdmin("GET", path)).order.payment_collections;
  }

  /** @param paid the amount of the payment of which it is a part, if there are several */
  async refundMoney(order: Json, amount: number, paid?: number): Promise<void> {
    const all = await this.paymentsOf(order);
    const [payment] = all.find((one) => paid === undefined || one.amount === paid).payments;
    await this.#shop.asAdmin("POST", `/admin/payments/${payment.id}/refund`, { amount });
  }
}
