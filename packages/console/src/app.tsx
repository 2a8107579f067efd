/** The routes: the invitation, pages of the service, and pages of a business at /:business_id. */
import { useEffect } from "react";
import { Redirect, Route, Switch, useParams } from "wouter";
import { type BusinessData, BusinessProvider, lastBusinessOf } from "./business.tsx";
import { Loading, lazyPart, NoticeCorner, Read } from "./feedback/index.ts";
import { loadForms } from "./forms/operation-button.tsx";
import { type ConsolePage, businessPages as pagesByGroup, servicePages } from "./pages.tsx";
import { SessionProvider, useSession } from "./session/session.tsx";
import { Missing } from "./shell/missing.tsx";
import { Shell } from "./shell/shell.tsx";

const businessPages = Object.values(pagesByGroup).flat();
const Accept = lazyPart(async () => (await import("./session/accept.tsx")).Accept, <Loading />);

export function App() {
  return (
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
  );
}

type Businesses = Readonly<{ businesses: readonly BusinessData[] }>;

function Places({ businesses }: Businesses) {
  // What the other pages need is there when a person opens one.
  useEffect(() => void loadForms(), []);
  // The first page is the one of the last business.
  const last = lastBusinessOf(businesses);
  const [first] = last ? businessPages : servicePages;
  return (
    <>
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
      <NoticeCorner />
    </>
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

/** A page, if the role may open it. */
const Page = ({ needs, component: Content }: ConsolePage) =>
  useSession().may(needs) ? <Content /> : <Missing />;
