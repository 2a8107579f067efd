/** The groups that the documents show operations in: one for each folder of operations. */
import type { Operation } from "../contract/operation.ts";

export interface Tag {
  readonly name: string;
  readonly description: string;
}

const descriptions: Readonly<Record<string, string>> = {
  auth: "Client credentials in, a bearer access token out.",
  transactions: "The ledger: every movement of wallets, points, vouchers and sales.",
  members: "The people in the loyalty program.",
  wallet: "Members' money, and the benefits they get for topping it up.",
  "reward-points": "Members' points.",
  "reward-settings": "How the business calls and counts its points.",
  "reward-programs": "What a program is called and how much one order earns.",
  "member-tiers": "The levels of membership.",
  vouchers: "Voucher definitions.",
};

/** The first segment of the path below its prefix, in words. */
export function tagOf({ path }: Operation): Tag {
  const folder = path.split("/")[2] as string;
  const words = folder.replaceAll("-", " ");
  const name = folder === "auth" ? "Authentication" : words.charAt(0).toUpperCase() + words.slice(1);
  return { name, description: descriptions[folder] ?? `${name} of a business.` };
}

/** The tags of some operations, in the order in which they first appear. */
export function tagsOf(operations: readonly Operation[]): Tag[] {
  return [...new Map(operations.map((operation) => [tagOf(operation).name, tagOf(operation)])).values()];
}
