/**
 * The pages of the console, by the parts of the menu. To add one, write it in its folder below pages/, and add its line here;
 * README.md says more. The console starts with the first one.
 */
import type { ComponentType } from "react";
import { useParams } from "wouter";
import { type DataOf, outlineOf, type Path, type ReadPath, type RequestOf } from "./api/declarations.ts";
import { PageRecord } from "./business.tsx";
import { Loading, lazyPart, Read } from "./feedback/index.ts";
import type { lists } from "./pages/lists.tsx";
import { TodayPage } from "./pages/today/today.tsx";

/** `path`: below /:business_id for the pages of a business. A page with a parameter is not in the menu: others lead to it. `needs`: the operation without which the page is useless. A role that may not use it does not see the page. */
export type ConsolePage = Readonly<{ path: string; needs: Path; component: ComponentType }>;

/** Loads the module of a page, which exports nothing else. */
type Load<Props> = () => Promise<Readonly<Record<string, ComponentType<Props>>>>;

/** A page, whose code is loaded when it is opened. */
const page = (path: string, needs: Path, load: Load<object>): ConsolePage => ({
  path,
  needs,
  component: lazyPage(load),
});

const lazyPage = <Props extends object>(load: Load<Props>) =>
  lazyPart(async () => Object.values(await load())[0] as ComponentType<Props>, <Loading />);

/** The page of what an operation returns: of the record whose number is in the address, or of the whole business. */
function recordPage<P extends ReadPath>(
  path: string,
  needs: P,
  load: Load<{ readonly record: DataOf<P> }>,
): ConsolePage {
  const Content = lazyPage(load) as unknown as ComponentType<{ readonly record: unknown }>;
  function RecordPage() {
    const parameters = Object.entries(useParams()).filter(([name]) => outlineOf(needs).takes.includes(name));
    const number = Object.fromEntries(parameters.map(([name, text]) => [name, Number(text)]));
    return (
      <Read path={needs} request={number as RequestOf<P>}>
        {(record) => (
          <PageRecord value={{ record, number }}>
            <Content record={record} />
          </PageRecord>
        )}
      </Read>
    );
  }
  return { path, needs, component: RecordPage };
}

const listOf = (name: keyof typeof lists) => async () => ({
  [name]: (await import("./pages/lists.tsx")).lists[name],
});

/** Pages that are named like their lists. */
const listPages = (...names: readonly Exclude<keyof typeof lists, "businesses" | "topups" | "webhooks">[]) =>
  names.map((name) => page(`/${name}`, `/op/${name}/list`, listOf(name)));

const daily = [
  // Its code is in the program.
  page("/today", "/op/reports/activity", async () => ({ TodayPage })),
  ...listPages("members"),
  recordPage("/members/:contact_id", "/op/members/get", () => import("./pages/members/member.tsx")),
  ...listPages("segments", "bulk-grants", "cards", "sales"),
  recordPage("/sales/:sale_id", "/op/sales/get", () => import("./pages/sales/sale.tsx")),
  page("/reports", "/op/reports/liabilities", () => import("./pages/reports/reports.tsx")),
  ...listPages("transactions"),
];

const promotion = () => import("./pages/promotions/record.tsx");

const setup = [
  recordPage("/setup", "/op/reward-settings/check", () => import("./pages/setup/setup.tsx")),
  ...listPages("locations"),
  page("/rules", "/op/reward-settings/rules/get", () => import("./pages/rules/rules.tsx")),
  recordPage("/promotions/:promotion_id", "/op/promotions/get", promotion),
  recordPage("/stamp-cards/:stamp_card_id", "/op/stamp-cards/get", promotion),
  ...listPages("promotions", "stamp-cards", "occasions", "referrals", "tiers", "programs", "vouchers"),
  page("/topups", "/op/topup-benefits/list", listOf("topups")),
  page("/passes", "/op/apple-wallet/get", () => import("./pages/passes.tsx")),
  page("/imports", "/op/imports/list", () => import("./pages/imports/imports.tsx")),
  recordPage("/imports/:import_id", "/op/imports/get", () => import("./pages/imports/import.tsx")),
  page("/sandbox", "/op/sandbox/clock/get", () => import("./pages/sandbox/sandbox.tsx")),
];

const integration = () => import("./pages/integrations/integration.tsx");
const webhook = () => import("./pages/webhooks/webhook.tsx");

const technical = [
  ...listPages("integrations"),
  recordPage("/integrations/:integration_id", "/op/integrations/get", integration),
  page("/webhooks", "/op/webhook-endpoints/list", listOf("webhooks")),
  recordPage("/webhooks/:endpoint_id", "/op/webhook-endpoints/get", webhook),
  page("/events", "/op/events/list", () => import("./pages/events/events.tsx")),
  page("/requests", "/op/requests/list", () => import("./pages/requests/requests.tsx")),
  page("/audit", "/op/audit/list", () => import("./pages/audit/audit.tsx")),
];

export const businessPages = { daily, setup, technical };

export const servicePages = [
  page("/businesses", "/op/businesses/create", listOf("businesses")),
  page("/accounts", "/op/operators/list", () => import("./pages/accounts/accounts.tsx")),
  page("/system", "/op/status/get", () => import("./pages/system/system.tsx")),
];
