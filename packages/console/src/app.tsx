/** The routes: the invitation, pages of the service, and pages of a business at /:business_id. */
import { lazy, Suspense, useEffect } from "react";
import { Redirect, Route, Switch, useParams } from "wouter";
import { type BusinessData, BusinessProvider, lastBusinessOf } from "./business.tsx";
import { Loading, Read } from "./feedback/index.ts";
import { loadForms } from "./forms/operation-button.tsx";
import { type ConsolePage, businessPages as pagesByGroup, servicePages } from "./pages.tsx";
import { SessionProvider, useSession } from "./session/session.tsx";
import { Missing } from "./shell/missing.tsx";
import { Shell } from "./shell/shell.tsx";

const businessPages = Object.values(pagesByGroup).flat();
const Accept = lazy(async () => ({ default: (await import("./session/accept.tsx")).Accept }));

export function App() {
  return (
    <Suspense fallback={<Loading />}>
      <Switch>
        <Route path="/accept" component={Accept} />
        <Route>
          <SessionProvider>
            <Read path="/op/businesses/list" request={{}} all>
              {(businesses) => <Places businesses={businesses} />}
            </Read>
          </SessionProvider>
        </Route>
      </Switch>
    </Suspense>
  );
}

type Businesses = Readonly<{ businesses: readonly BusinessData[] }>;

function Places({ businesses }: Businesses) {
  // The first page is the one of the last business.
  const last = lastBusinessOf(businesses);
  const [first] = last ? businessPages : servicePages;
  return (
    <Switch>
      {servicePages.map((page) => (
        <Route key={page.path} path={page.path}>
          <Shell businesses={businesses} business={undefined}>
            <Page {...page} />
          </Shell>
        </Route>
      ))}
      <Route path="/:business_id/*?">
        <BusinessPlace businesses={businesses} />
      </Route>
      <Redirect replace to={(last ? `/${last.business_id}` : "") + (first?.path ?? "")} />
    </Switch>
  );
}

function BusinessPlace({ businesses }: Businesses) {
  const { business_id } = useParams<{ business_id: string }>();
  const business = businesses.find((one) => String(one.business_id) === business_id);
  return (
    <Shell businesses={businesses} business={business}>
      {business === undefined ? (
        <Missing isBusiness />
      ) : (
        <BusinessProvider key={business_id} data={business}>
          <Route path="/:business_id" nest>
            <Switch>
              {businessPages.map((one) => (
                <Route key={one.path} path={one.path}>
                  <Page {...one} />
                </Route>
              ))}
              <Route path="/">
                <Redirect replace to={businessPages[0]?.path ?? ""} />
              </Route>
              <Missing />
            </Switch>
          </Route>
        </BusinessProvider>
      )}
    </Shell>
  );
}

/** Loads the forms as soon as the first page is there. */
function Forms() {
  useEffect(() => void loadForms(), []);
  return null;
}

/** A page, if the role may open it. */
function Page({ needs, component: Content }: ConsolePage) {
  const { may } = useSession();
  if (!may(needs)) return <Missing />;
  return (
    <Suspense fallback={<Loading />}>
      <Content />
      <Forms />
    </Suspense>
  );
}
