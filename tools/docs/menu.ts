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
  Online: ["bookings"],
  Members: ["members", "cards", "gift-cards", "merging", "locations"],
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

/** The page that leads to the guides. */
export function guidesPage(documents: readonly Document[]): string {
  const summaries = new Map(documents.map(({ page, summary }) => [`/${page}`, summary]));
  const groups = documentItems(guideGroups, "guides/", documents).map(({ text, items = [] }) => {
    const entries = items.map(({ text, link = "" }) => `- [${text}](${link})<br>${summaries.get(link)}`);
    return `## ${text}\n\n${entries.join("\n")}`;
  });
  return `---\ntitle: Guides\n---\n\n# Guides\n\n${groups.join("\n\n")}\n`;
}

/** The menus by the path of the pages that have them. Those of operations are long, so they are not part of the others. */
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
  const ofReference = [
    all("/reference/", { text: "Errors", link: "/guides/errors" }),
    ...operationItems(audiences.partner.operations),
  ];
  return {
    "/sp/": ofReference,
    "/reference/": ofReference,
    "/op/": [ofOthers, ...operationItems(audiences.operator.operations)],
    "/operators/": ofOperators,
    "/decisions/": ofOperators,
    "/": [
      ...documentItems(guideGroups, "guides/", documents),
      all("/reference/"),
      { text: "Operators", items: [{ text: "Run the service", link: "/operators/deploying" }] },
    ],
  };
}
