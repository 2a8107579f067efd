/** The names of operations in the documents, and the groups that they are shown in: one for each folder of operations. */
import type { Operation } from "../../src/contract/operation.ts";
import { contractOperations } from "../../src/operations/partner.ts";

/** `member_not_found` or `members/profile/update` in PascalCase. */
export function componentName(words: string): string {
  return words
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
}

/** An operation's path without its prefix, in PascalCase: MembersProfileUpdate. */
export function operationName({ path }: Operation): string {
  return componentName(path.split("/").slice(2).join("/"));
}

/** The same in camelCase, as operationId: membersProfileUpdate. */
export function operationId(operation: Operation): string {
  const name = operationName(operation);
  return name.charAt(0).toLowerCase() + name.slice(1);
}

export interface Tag {
  readonly name: string;
  readonly description: string;
}

/** By folder; where partners and operators have one of the same name, it is about the same. */
const descriptions: Readonly<Record<string, string>> = {
  auth: "Access tokens for client credentials.",
  transactions: "The ledger: every change of wallets, points, vouchers and sales.",
  members: "The people in the loyalty program.",
  wallet: "Members' money, and the benefits that they get for top-ups.",
  "reward-points": "Members' points.",
  "reward-settings": "The name of points, and the rules for points.",
  "reward-programs": "The name of a program, and the maximum points per order.",
  "member-tiers": "The levels of membership.",
  vouchers: "Voucher definitions.",
  sales: "Purchases, the points that they earn, and refunds.",
  sandbox: "The clock of a sandbox business, for tests.",

  businesses: "The businesses of the service. Each has its own members, ledger and definitions.",
  locations: "The shops, branches and tills of a business.",
  integrations: "The programs of partners: their credentials, scopes and locations.",
  tiers: "The levels of membership.",
  programs: "Reward programs: name, rate, and maximum points per order.",
  "topup-benefits": "Benefits that members get for top-ups of their wallets.",
  imports: "Members and sales from files, in batches that can be retried.",
  exports: "Members, sales and ledger entries for files, page by page.",
  ledger: "Verification of ledgers.",
  audit: "Who did what: every operator write and every credential event.",
  engine: "Points that are due, and the value of all points.",
  status: "The status of the service.",
};

const beyondContract = "Beyond the contract";

/** Whether an operation is a partner's, and not one of the contract. */
function isBeyondContract(operation: Operation): boolean {
  return operation.path.startsWith("/sp/") && !contractOperations.includes(operation);
}

/**
 * The first segment of the path below its prefix, in words. What is beyond the contract has a tag of its own, also where the
 * contract has operations of the same name.
 */
export function tagOf(operation: Operation): Tag {
  const { path } = operation;
  const folder = path.split("/")[2] as string;
  const words = folder.replaceAll("-", " ");
  const name = folder === "auth" ? "Authentication" : words.charAt(0).toUpperCase() + words.slice(1);
  const description = descriptions[folder];
  if (description === undefined) throw new Error(`tools/docs/names.ts says nothing of the folder ${folder}.`);
  const isShared = contractOperations.some((other) => other.path.split("/")[2] === folder);
  return isBeyondContract(operation) && isShared
    ? { name: `More on ${words}`, description }
    : { name, description };
}

/** The tags of some operations, in the order in which they first appear. */
export function tagsOf(operations: readonly Operation[]): Tag[] {
  return [...new Map(operations.map((operation) => [tagOf(operation).name, tagOf(operation)])).values()];
}

/** The tags of the contract's operations and of the others, as readers of the document show them apart. */
export function tagGroupsOf(operations: readonly Operation[]): { name: string; tags: string[] }[] {
  const groups = [
    { name: "The contract", of: operations.filter((operation) => !isBeyondContract(operation)) },
    { name: beyondContract, of: operations.filter(isBeyondContract) },
  ];
  return groups.map(({ name, of }) => ({ name, tags: tagsOf(of).map((tag) => tag.name) }));
}
