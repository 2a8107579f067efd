/** The menus of the site: guides, the reference, and documents for operators, in groups. */
import type { Operation } from "../../src/contract/operation.ts";
import type { Document } from "./documents.ts";
import { tagGroupsOf, tagOf } from "./names.ts";
import { audiences } from "./openapi.ts";

export interface MenuItem {
  readonly text: string;
  readonly link?: string;
  readonly items?: readonly MenuItem[];
  readonly collapsed?: boolean;
}

/** Pages in the order in which a newcomer wants them. */
export const guideGroups: Readonly<Record<string, readonly string[]>> = {
  Start: ["demo-business", "access-tokens", "client", "sdk", "idempotency", "pagination", "errors"],
  "At the till": ["till", "sales", "wallet"],
  Online: ["shops", "bookings"],
  Members: ["members", "cards", "wallet-passes", "gift-cards", "merging", "locations"],
  Rewards: [
    "points",
    "lines",
    "promotions",
    "stamp-cards",
    "occasions",
    "referrals",
    "vouchers",
    "coupons",
    "tiers",
  ],
  "Events and webhooks": ["events", "webhooks", "mail", "event-types"],
  "Going live": ["sandbox", "scopes", "limits", "going-live", "support", "changes"],
};

export const operatorGroups: Readonly<Record<string, readonly string[]>> = {
  "Run the service": [
    "deploying",
    "configuration",
    "operating",
    "backups",
    "postgresql",
    "kubernetes",
    "scaling",
  ],
  "What to rely on": ["reliability", "performance", "security", "changelog"],
};

/** The path of an operation's page below the site. */
export const pageOfOperation = (operation: Operation) => operation.path.slice(1);

function operationItems(operations: readonly Operation[]): MenuItem[] {
  return tagGroupsOf(operations).map(({ name, tags }) => ({
    text: name,
    collapsed: true,
    items: operations
      .filter((operation) => tags.includes(tagOf(operation).name))
      .map((operation) => ({ text: operation.summary, link: `/${pageOfOperation(operation)}` })),
  }));
}

function documentItems(
  groups: Readonly<Record<string, readonly string[]>>,
  folder: string,
  documents: readonly Document[],
): MenuItem[] {
  const own = documents.filter(({ page }) => page.startsWith(folder));
  return Object.entries(groups).map(([text, names]) => ({
    text,
    items: names.flatMap((name) => {
      const found = own.find(({ page }) => page === folder + name);
      return found === undefined ? [] : { text: found.title, link: `/${found.page}` };
    }),
  }));
}

/**
 * The menus of the pages of operations, by their folders: a page has the items of its own group, and a link to the first page of each
 * other one. With all items, the menus would be most of the site.
 */
function menusByFolder(first: MenuItem, groups: readonly MenuItem[]): Record<string, MenuItem[]> {
  const firstPages: MenuItem[] = groups.map(({ text, items: [page] = [] }) => ({
    text,
    link: page?.link ?? "",
  }));
  return Object.fromEntries(
    groups.flatMap((group, index) => {
      const folders = (group.items ?? []).map(({ link = "" }) => link.replace(/[^/]*$/, ""));
      return folders.map((folder) => [folder, [first, ...firstPages.with(index, group)]]);
    }),
  );
}

/** The page that leads to the guides. */
export function guidesPage(documents: readonly Document[]): string {
  const summaries = new Map(documents.map(({ page, summary }) => [`/${page}`, summary]));
  const groups = documentItems(guideGroups, "guides/", documents).map(({ text, items = [] }) => {
    const entries = items.map(({ text, link = "" }) => `- [${text}](${link})<br>${summaries.get(link)}`);
    return `## ${text}\n\n${entries.join("\n")}`;
  });
  return `---\ntitle: Guides\n---\n\n# Guides\n\n${groups.join("\n\n")}\n`;
}

/** The menus by the path of the pages that have them. Of several paths, the longest one applies. */
export function menus(documents: readonly Document[]): Record<string, MenuItem[]> {
  const all = (link: string, ...others: MenuItem[]) => ({
    text: "Reference",
    items: [{ text: "All operations", link }, ...others],
  });
  const ofOthers = all("/op/", { text: "Errors", link: "/operators/errors" });
  const decisions = documents.filter(({ page }) => page.startsWith("decisions/"));
  const ofOperators = [
    ...documentItems(operatorGroups, "operators/", documents),
    ofOthers,
    {
      text: "Decisions",
      items: decisions.map(({ page, title }) => ({ text: title, link: `/${page.replace(/index$/, "")}` })),
    },
  ];
  const ofPartners = all("/reference/", { text: "Errors", link: "/guides/errors" });
  const [partner, operator] = [audiences.partner, audiences.operator].map(({ operations }) =>
    operationItems(operations),
  ) as [MenuItem[], MenuItem[]];
  return {
    ...menusByFolder(ofPartners, partner),
    ...menusByFolder(ofOthers, operator),
    "/reference/": [ofPartners, ...partner],
    "/op/": [ofOthers, ...operator],
    "/operators/": ofOperators,
    "/decisions/": ofOperators,
    "/": [
      ...documentItems(guideGroups, "guides/", documents),
      all("/reference/"),
      { text: "Operators", items: [{ text: "Run the service", link: "/operators/deploying" }] },
    ],
  };
}
