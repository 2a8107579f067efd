/**
 * The pages of the console. To add one, write it in its folder below pages/, and add its line here; README.md says more. The first
 * page of a list is the one that the console starts with.
 */
import { type ComponentType, type LazyExoticComponent, lazy } from "react";
import type { Path } from "./api/declarations.ts";

export type MenuGroup = "daily" | "setup" | "technical" | "service";

export interface ConsolePage {
  /** Below /:business_id for the pages of a business. */
  readonly path: string;
  /** The operation without which the page is useless. A role that may not use it does not see the page. */
  readonly needs: Path;
  /** The part of the menu. A page without one, such as that of one member, is reached from another page. */
  readonly menu?: { readonly group: MenuGroup; readonly label: string };
  readonly component: PageComponent;
}

type PageComponent = LazyExoticComponent<ComponentType>;

/** Loads the code of a page when it is opened. */
function page<Name extends string>(
  load: () => Promise<{ [N in Name]: ComponentType }>,
  name: Name,
): PageComponent {
  return lazy(async () => ({ default: (await load())[name] as ComponentType }));
}

export const businessPages: readonly ConsolePage[] = [
  {
    path: "/today",
    needs: "/op/reports/activity",
    menu: { group: "daily", label: "today" },
    component: page(() => import("./pages/today/today.tsx"), "TodayPage"),
  },
  {
    path: "/members",
    needs: "/op/members/list",
    menu: { group: "daily", label: "members" },
    component: page(() => import("./pages/members/members.tsx"), "MembersPage"),
  },
  {
    path: "/members/:contact_id",
    needs: "/op/members/get",
    component: page(() => import("./pages/members/member.tsx"), "MemberPage"),
  },
  {
    path: "/sales",
    needs: "/op/sales/list",
    menu: { group: "daily", label: "sales" },
    component: page(() => import("./pages/sales/sales.tsx"), "SalesPage"),
  },
  {
    path: "/sales/:sale_id",
    needs: "/op/sales/get",
    component: page(() => import("./pages/sales/sale.tsx"), "SalePage"),
  },
  {
    path: "/transactions",
    needs: "/op/transactions/list",
    menu: { group: "daily", label: "transactions" },
    component: page(() => import("./pages/transactions/transactions.tsx"), "TransactionsPage"),
  },
  {
    path: "/rules",
    needs: "/op/reward-settings/rules/get",
    menu: { group: "setup", label: "rules" },
    component: page(() => import("./pages/rules/rules.tsx"), "RulesPage"),
  },
  {
    path: "/tiers",
    needs: "/op/tiers/list",
    menu: { group: "setup", label: "tiers" },
    component: page(() => import("./pages/tiers/tiers.tsx"), "TiersPage"),
  },
  {
    path: "/programs",
    needs: "/op/programs/list",
    menu: { group: "setup", label: "programs" },
    component: page(() => import("./pages/programs/programs.tsx"), "ProgramsPage"),
  },
  {
    path: "/vouchers",
    needs: "/op/vouchers/list",
    menu: { group: "setup", label: "vouchers" },
    component: page(() => import("./pages/vouchers/vouchers.tsx"), "VouchersPage"),
  },
  {
    path: "/topups",
    needs: "/op/topup-benefits/list",
    menu: { group: "setup", label: "topups" },
    component: page(() => import("./pages/topups/topups.tsx"), "TopupsPage"),
  },
  {
    path: "/integrations",
    needs: "/op/integrations/list",
    menu: { group: "technical", label: "integrations" },
    component: page(() => import("./pages/integrations/integrations.tsx"), "IntegrationsPage"),
  },
  {
    path: "/integrations/:integration_id",
    needs: "/op/integrations/get",
    component: page(() => import("./pages/integrations/integration.tsx"), "IntegrationPage"),
  },
  {
    path: "/requests",
    needs: "/op/requests/list",
    menu: { group: "technical", label: "requests" },
    component: page(() => import("./pages/requests/requests.tsx"), "RequestsPage"),
  },
  {
    path: "/audit",
    needs: "/op/audit/list",
    menu: { group: "technical", label: "audit" },
    component: page(() => import("./pages/audit/audit.tsx"), "AuditPage"),
  },
];

export const servicePages: readonly ConsolePage[] = [
  {
    path: "/accounts",
    needs: "/op/operators/list",
    menu: { group: "service", label: "accounts" },
    component: page(() => import("./pages/accounts/accounts.tsx"), "AccountsPage"),
  },
  {
    path: "/system",
    needs: "/op/status/get",
    menu: { group: "service", label: "system" },
    component: page(() => import("./pages/system/system.tsx"), "SystemPage"),
  },
];
