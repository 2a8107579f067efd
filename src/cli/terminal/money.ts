/** Amounts of money as people write them. */

/** How many decimals the major unit of a currency has: 2 for EUR, 0 for JPY. */
export function decimalsOf(currency: string): number {
  const format = new Intl.NumberFormat("en", { style: "currency", currency });
  return format.resolvedOptions().maximumFractionDigits ?? 2;
}

/** Writes an amount in minor units as people do: 125000 is 1,250.00. */
export function majorText(amount: bigint | number, decimals: number): string {
  const sign = amount < 0 ? "-" : "";
  const digits = String(amount)
    .replace("-", "")
    .padStart(decimals + 1, "0");
  const whole = sign + BigInt(digits.slice(0, digits.length - decimals)).toLocaleString("en-US");
  return decimals === 0 ? whole : `${whole}.${digits.slice(-decimals)}`;
}
