/** The routes: the invitation, pages of the service, and pages of a business at /:business_id. */
import { lazy, Suspense } from "react";
import { Redirect, Route, Switch, useParams } from "wouter";
import { BusinessProvider, useBusinessValue } from "./business.tsx";
import { Loading } from "./feedback/loading.tsx";
import { Read } from "./feedback/read.tsx";
import { type ConsolePage, businessPages as pagesByGroup, servicePages } from "./pages.tsx";
import { SessionProvider, useSession } from "./session/session.tsx";
import { lastBusinessOf } from "./shell/last-business.ts";
import { Missing } from "./shell/missing.tsx";
import { type BusinessItem, Shell } from "./shell/shell.tsx";

const businessPages = Object.values(pagesByGroup).flat();
const Accept = lazy(async () => ({ default: (await import("./session/accept.tsx")).Accept }));

export function App() {
  return (
    <Suspense fallback={<Loading />}>
      <Switch>
        <Route path="/accept">
          <Accept />
        </Route>
        <Route>
          <SessionProvider>
            <Places />
          </SessionProvider>
        </Route>
      </Switch>
    </Suspense>
  );
}

function Places() {
  return (
    <Read path="/op/businesses/list" request={{ per_page: 100 }}>
      {(businesses) => (
        <Switch>
          {servicePages.map((page) => (
            <Route key={page.path} path={page.path}>
              <Shell businesses={businesses} business={undefined}>
                <Page page={page} />
              </Shell>
            </Route>
          ))}
          <Route path="/:business_id/*?">
            <BusinessPlace businesses={businesses} />
          </Route>
          <Route>
            <Start businesses={businesses} />
          </Route>
        </Switch>
      )}
    </Read>
  );
}

/** The first page is the one of the last business. */
function Start({ businesses }: { readonly businesses: readonly BusinessItem[] }) {
  const business = lastBusinessOf(businesses);
  const page = business === undefined ? servicePages[0] : businessPages[0];
  return (
    <Redirect replace to={(business === undefined ? "" : `/${business.business_id}`) + (page?.path ?? "")} />
  );
}

function BusinessPlace({ businesses }: { readonly businesses: readonly BusinessItem[] }) {
  const { business_id } = useParams<{ business_id: string }>();
  const business = businesses.find((one) => String(one.business_id) === business_id);
  return (
    <Shell businesses={businesses} business={business}>
      {business === undefined ? (
        <Missing isBusiness />
      ) : (
        <BusinessRoutes key={business.business_id} business={business} />
      )}
    </Shell>
  );
}

function BusinessRoutes({ business }: { readonly business: BusinessItem }) {
  return (
    <BusinessProvider value={useBusinessValue(business)}>
      <Route path="/:business_id" nest>
        <Switch>
          {businessPages.map((page) => (
            <Route key={page.path} path={page.path}>
              <Page page={page} />
            </Route>
          ))}
          <Route path="/">
            <Redirect replace to={businessPages[0]?.path ?? ""} />
          </Route>
          <Route>
            <Missing />
          </Route>
        </Switch>
      </Route>
    </BusinessProvider>
  );
}

/** A page, if the role may open it. */
function Page({ page: { needs, component: Content } }: { readonly page: ConsolePage }) {
  const { may } = useSession();
  if (!may(needs)) return <Missing />;
  return (
    <Suspense fallback={<Loading />}>
      <Content />
    </Suspense>
  );
}
