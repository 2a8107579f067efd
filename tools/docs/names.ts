/** The names of operations in the documents, and their order: by subject. */
import type { Operation } from "../../src/contract/operation.ts";
import { placeInFolder } from "../../src/operations/operations.ts";

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

/**
 * The subjects of the documents in the order of the documents, with the folders of their operations, which become tags. Where
 * partners and operators have a folder of one name, it is about the same.
 */
const subjects: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Sales: { sales: "Purchases, the points that they earn, and refunds." },
  Members: {
    members: "The people in the loyalty program.",
    segments: "Filters of members, saved under names.",
    cards: "The cards of members: codes by which a till finds them.",
    "member-tiers": "The levels of membership.",
    tiers: "The levels of membership.",
  },
  Points: {
    "reward-points": "Members' points.",
    "reward-programs": "The name of a program, and the maximum points per order.",
    programs: "Reward programs: name, rate, and maximum points per order.",
    promotions: "What sales earn besides the rate of the program, under conditions.",
    occasions: "What members get on days of their own, such as birthdays.",
    "bulk-grants": "Points or a voucher for many members at once.",
    referrals: "Members who bring others.",
    "stamp-cards": "Cards that collect stamps: for so many, a member gets a voucher.",
    "reward-settings": "The name of points, and the rules for points.",
    rules: "What other rules would have given.",
    engine: "Points that are due, and the value of all points.",
  },
  "Wallet and vouchers": {
    wallet: "Members' money, and the benefits that they get for top-ups.",
    "topup-benefits": "Benefits that members get for top-ups of their wallets.",
    vouchers: "Voucher definitions, and the vouchers that members hold.",
  },
  Ledger: {
    transactions: "The ledger: every change of wallets, points, vouchers and sales.",
    ledger: "Verification of ledgers.",
    reports: "What a business owes its members, and what happened by day, week or month.",
    events: "What happened to members and balances, to follow it.",
    webhooks: "Where events are sent, what was sent, and how to send it again.",
  },
  Business: {
    businesses: "The businesses of the service. Each has its own members, ledger and definitions.",
    business: "The business for which a token acts.",
    "apple-wallet": "The passes of members for Apple Wallet.",
    "google-wallet": "The passes of members for Google Wallet.",
    locations: "The shops, branches and tills of a business.",
    requests: "What went wrong with requests of partners.",
    integrations: "The programs of partners: their credentials, scopes and locations.",
    sandbox: "The clock of a sandbox business, for tests.",
  },
  Access: { auth: "Access tokens for client credentials." },
  Files: {
    imports: "Members and sales from files, in batches that can be retried.",
    exports: "Members, sales and ledger entries for files, page by page.",
  },
  Operators: {
    session: "The session of a person.",
    sessions: "The sessions of people.",
    operators: "The accounts of people.",
    "operator-keys": "The keys of scripts.",
  },
  Service: {
    audit: "Who did what: every operator write and every credential event.",
    status: "The status of the service.",
    consoles: "The consoles of all cells.",
  },
};

/** Folders in the order of the documents. */
const folders = Object.values(subjects).flatMap((tags) => Object.keys(tags));
const descriptions = Object.assign({}, ...Object.values(subjects)) as Readonly<Record<string, string>>;

/** Endpoints of webhooks and what was sent to them are one subject. */
const folderOf = ({ path }: Operation) => (path.split("/")[2] as string).replace(/^webhook-.*/, "webhooks");

/** The operations in the order of the documents: by subject, and what makes something before what needs it. */
export function inOrder(operations: readonly Operation[]): Operation[] {
  return operations.toSorted(
    (one, other) =>
      folders.indexOf(folderOf(one)) - folders.indexOf(folderOf(other)) ||
      placeInFolder(one) - placeInFolder(other),
  );
}

/** The first segment of the path below its prefix, in words. */
export function tagOf(operation: Operation): Tag {
  const folder = folderOf(operation);
  const words = folder.replaceAll("-", " ");
  const name = folder === "auth" ? "Authentication" : words.charAt(0).toUpperCase() + words.slice(1);
  const description = descriptions[folder];
  if (description === undefined)
    throw new Error(`tools/docs/names.ts has no subject for the folder ${folder}.`);
  return { name, description };
}

/** The tags of some operations, in the order in which they first appear. */
export function tagsOf(operations: readonly Operation[]): Tag[] {
  return [...new Map(operations.map((operation) => [tagOf(operation).name, tagOf(operation)])).values()];
}

/** The subjects of some operations, each with the names of its tags. */
export function tagGroupsOf(operations: readonly Operation[]): { name: string; tags: string[] }[] {
  const groups = Object.entries(subjects).map(([name, tags]) => {
    const own = inOrder(operations).filter((operation) => folderOf(operation) in tags);
    return { name, tags: tagsOf(own).map((tag) => tag.name) };
  });
  return groups.filter(({ tags }) => tags.length > 0);
}
