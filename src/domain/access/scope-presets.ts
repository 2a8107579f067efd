/** What programs of partners usually need, by their kinds. The last one chooses by itself. */
import type { Scope } from "./access.ts";

const usual: readonly Scope[] = [
  "wa.members.read",
  "wa.members.write",
  "wa.locations.read",
  "wa.requests.read",
];
const sales: readonly Scope[] = ["wa.sales.read", "wa.sales.write"];
const accounts: readonly Scope[] = ["wa.wallet.read", "wa.rewards.read", "wa.vouchers.read"];

export const scopePresets = {
  till: [...usual, ...sales, ...accounts, "wa.vouchers.write"],
  booking: [...usual, ...sales],
  app: [...usual, "wa.sales.read", "wa.tiers.read", ...accounts],
  reader: ["wa.members.read", "wa.sales.read", "wa.tiers.read", ...accounts],
  other: [],
} as const satisfies Record<string, readonly Scope[]>;
