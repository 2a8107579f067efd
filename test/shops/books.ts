/** The books of a shop and of the service, compared after both were killed again and again. */
import type { LoyaltyClient, SalesListItem } from "loyalty-sdk";

/** An order of the shop. */
export interface ShopBook {
  readonly isCancelled: boolean;
  /** What was paid with money, in minor units. */
  readonly paid: number;
}

/** What a member had before the first order. */
export interface Opening {
  readonly contactId: number;
  readonly points: number;
  readonly wallet: number;
}

export interface Comparison {
  readonly placed: number;
  readonly withPoints: number;
  readonly cancelled: number;
  /** Sales of checkouts that a kill ended, which were given back. */
  readonly undone: number;
  readonly differences: readonly string[];
}

/**
 * Compares the orders of a shop with the sales of the service, and both with what members have.
 * @param orders by the name that their sales have after `shop/…/order/`. Sales of earlier orders, and of other members, do not count
 */
export async function compareBooks(
  client: LoyaltyClient,
  orders: ReadonlyMap<string, ShopBook>,
  members: readonly Opening[],
): Promise<Comparison> {
  const sales: SalesListItem[] = [];
  for (const { contactId } of members) {
    for await (const sale of client.sales.list({ contact_id: contactId })) sales.push(sale);
  }
  const differences: string[] = [];
  const live = new Map<string, SalesListItem>();
  let undone = 0;
  for (const sale of sales) {
    const name = sale.reference_id.replace(/^shop\/[^/]+\/order\//, "").replace(/~\d+$/, "");
    const order = orders.get(name);
    const isRefunded = sale.refunded === sale.amount;
    if (isRefunded && !order?.isCancelled) undone += 1;
    else if (order === undefined) differences.push(`sale ${sale.reference_id} has no order`);
    else if (live.has(name) && !isRefunded) differences.push(`order ${name} has two sales`);
    else if (!live.has(name) || !isRefunded) live.set(name, sale);
  }
  for (const [name, { isCancelled, paid }] of orders) {
    const sale = live.get(name);
    if (sale === undefined) {
      // One that was cancelled before it was recorded needs none.
      if (!isCancelled) differences.push(`order ${name} has no sale`);
    } else if (sale.amount_due !== paid && !(isCancelled && paid === 0)) {
      differences.push(`order ${name}: paid ${paid}, sale ${sale.amount_due}`);
    } else if (sale.refunded !== (isCancelled ? sale.amount : 0)) {
      const state = isCancelled ? "cancelled" : "kept";
      differences.push(`order ${name} is ${state}, and ${sale.refunded} of ${sale.amount} is refunded`);
    }
  }
  for (const member of members) differences.push(...(await differencesOf(client, member, sales)));
  return {
    placed: orders.size,
    withPoints: [...live.values()].filter((sale) => sale.points_used + sale.wallet_used > 0).length,
    cancelled: [...orders.values()].filter(({ isCancelled }) => isCancelled).length,
    undone,
    differences,
  };
}

/** What a member has must be what its sales leave. */
async function differencesOf(
  client: LoyaltyClient,
  { contactId, ...start }: Opening,
  sales: readonly SalesListItem[],
): Promise<string[]> {
  const own = sales.filter((sale) => sale.contact_id === contactId && sale.refunded < sale.amount);
  const sum = (field: "points_used" | "points_amount" | "points_earned" | "wallet_used" | "amount") =>
    own.reduce((all, sale) => all + sale[field], 0);
  const { points, wallet, sales: bought } = await client.members.balances({ contact_id: contactId });
  const expected = {
    points: start.points - sum("points_used") + sum("points_earned"),
    wallet: start.wallet - sum("wallet_used"),
    sales: sum("amount") - sum("points_amount"),
  };
  const has = { points, wallet, sales: bought };
  if (JSON.stringify(has) === JSON.stringify(expected)) return [];
  return [`member ${contactId} has ${JSON.stringify(has)} instead of ${JSON.stringify(expected)}`];
}
