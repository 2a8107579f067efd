/** The part of the money in wallets that comes from the bonuses of top-ups. */

/**
 * The share of bonuses in what is left is taken to be their share in all that was added, because the contract gives no order in
 * which wallets spend them. It is rounded down. Money that was taken by hand counts as money that members had paid.
 */
export function bonusIn(of: {
  readonly wallet: number;
  readonly wallet_added: number;
  readonly bonuses_added: number;
}): number {
  const { wallet, wallet_added, bonuses_added } = of;
  if (bonuses_added > 0 && bonuses_added >= wallet_added) return wallet;
  if (wallet_added <= 0) return 0;
  return Number((BigInt(wallet) * BigInt(bonuses_added)) / BigInt(wallet_added));
}
