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
  auth: "Client credentials in, a bearer access token out.",
  transactions: "The ledger: every movement of wallets, points, vouchers and sales.",
  members: "The people in the loyalty program.",
  wallet: "Members' money, and the benefits they get for topping it up.",
  "reward-points": "Members' points.",
  "reward-settings": "How the business calls and counts its points.",
  "reward-programs": "What a program is called and how much one order earns.",
  "member-tiers": "The levels of membership.",
  vouchers: "Voucher definitions.",
  sales: "Purchases: what they cost, what they earn, and their refunds.",
  sandbox: "The clock of a sandbox business, for tests.",

  businesses: "Who has a loyalty program: each has its own members, ledger and definitions.",
  locations: "The shops, branches and tills of a business.",
  integrations: "The programs of partners: their credentials, scopes and locations.",
  tiers: "The levels of membership.",
  programs: "Reward programs: what they are called and how much one order earns.",
  "topup-benefits": "What members get for topping up their wallets.",
  imports: "Members and sales from files, in batches that can be retried.",
  exports: "Members and ledger entries for files, a slice at a time.",
  ledger: "Whether the ledger of a business is right.",
  audit: "Who did what: every operator write and every credential event.",
  engine: "Points that are due, and what all points are worth.",
  status: "How the service is doing.",
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
