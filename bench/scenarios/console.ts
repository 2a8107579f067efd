/**
 * The console in a browser: its first load over a slow line, and pages and usual actions of a large business, compared with those
 * of a small one.
 */
import type { Browser, CDPSession } from "playwright-core";
import { executablePath, launchBrowser } from "../../test/support/browser.ts";
import { type Figure, median, type Result } from "../../test/support/runs/report.ts";
import { basePath } from "../../test/support/runs/service.ts";
import { type Bench, type Filled, fill, type Server, startServer } from "../bench.ts";
import { ConsolePage, newContext, type SignedIn, signIn } from "../console-page.ts";
import { addSales } from "../history-sales.ts";

/** A line of a phone, in bytes per second and milliseconds. */
const line = { downloadThroughput: 1_600_000 / 8, uploadThroughput: 750_000 / 8, latency: 300 };
const visibleWithin = 1500;
const bytesOfFirstPage = 200_000;
const loads = 3;
const visits = 3;
const most = { ratio: 1.3, milliseconds: 300 };

const smallSize = { members: 100, entries: 1000 };
const largeSize = { members: 100_000, entries: 1_000_000 };
const perPage = 25;

export async function consolePages(bench: Bench): Promise<Result> {
  if (executablePath === undefined)
    return { figures: [], violations: [], skipped: "no Chromium at CHROMIUM_PATH or in /usr/bin" };
  const server = await startServer(bench);
  const browser = await launchBrowser();
  bench.atEnd(() => browser.close());
  const signedIn = await signIn(server.operator, server.service.port);
  const person = { browser, server, signedIn };
  const small = await subjectOf(bench, server, smallSize);
  const figures = await firstLoads(bench, person, small);
  const large = await subjectOf(bench, server, largeSize);
  return { figures: [...figures, ...(await comparedPages(bench, person, small, large))], violations: [] };
}

interface Person {
  readonly browser: Browser;
  readonly server: Server;
  readonly signedIn: SignedIn;
}

/** A business, with a member of about forty entries. */
interface Subject {
  readonly business: Filled;
  readonly size: typeof smallSize;
  readonly member: { readonly contact_id: number; readonly phone_number: string };
}

async function subjectOf(bench: Bench, server: Server, size: typeof smallSize): Promise<Subject> {
  bench.say(`${size.members.toLocaleString("en")} members …`);
  const business = await fill(server, size);
  await addSales(server.sql, business, "sale");
  const [member] = await server.sql<Subject["member"][]>`
    SELECT m.contact_id, m.phone_number FROM member m JOIN account a USING (business_id, contact_id)
    WHERE m.business_id = ${business.businessId} AND m.active
    GROUP BY 1, 2 ORDER BY abs(sum(a.entries) - 40), contact_id LIMIT 1`;
  if (member === undefined) throw new Error("the business has no member");
  return { business, size, member };
}

/** A page that a person waits for, and what is there as soon as it can be used. */
interface Load {
  readonly address: (businessId: number) => string;
  readonly ready: string;
  readonly isSignedIn?: boolean;
  /** The browser has been here before. */
  readonly again?: boolean;
  readonly mostBytes?: number;
}

const firstPages: Readonly<Record<string, Load>> = {
  "the sign-in page": {
    ...{ address: () => "/", ready: "input[type=password]", isSignedIn: false },
    mostBytes: bytesOfFirstPage,
  },
  Today: { address: () => "/", ready: "#content h1", mostBytes: bytesOfFirstPage },
  Members: { address: (id) => `/${id}/members`, ready: "#content tbody a" },
  "a member": { address: (id) => `/${id}/members/%member`, ready: "#content [role=tabpanel] h2" },
  "Today again": { address: () => "/", ready: "#content h1", again: true },
};

interface LoadTimes {
  /** Milliseconds from the start of the navigation. */
  readonly visible: number;
  readonly text: number;
  readonly ready: number;
  readonly bytes: number;
  readonly turns: number;
}

/** Loads pages over the slow line. */
async function firstLoads(bench: Bench, person: Person, subject: Subject): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [name, load] of Object.entries(firstPages)) {
    const all: LoadTimes[] = [];
    for (let nth = 0; nth < loads; nth++) all.push(await timesOfLoad(person, subject, load));
    const middle = (of: keyof LoadTimes) => median(all.map((times) => times[of]));
    bench.say(`${name}: ${JSON.stringify(all)}`);
    figures.push(
      {
        ...{ what: `${name}, something visible`, value: middle("visible"), unit: "ms" },
        target: { atMost: visibleWithin },
      },
      { what: `${name}, text`, value: middle("text"), unit: "ms" },
      { what: `${name}, can be used`, value: middle("ready"), unit: "ms", details: { all } },
      {
        ...{ what: `${name}, bytes until then`, value: middle("bytes"), unit: "bytes" },
        ...(load.mostBytes !== undefined && { target: { atMost: load.mostBytes } }),
      },
      { what: `${name}, requests one after the other until then`, value: middle("turns") },
    );
  }
  return figures;
}

async function timesOfLoad(
  { browser, server, signedIn }: Person,
  { business: { businessId: business }, member }: Subject,
  { address, ready, isSignedIn = true, again = false }: Load,
): Promise<LoadTimes> {
  const { port } = server.service;
  const context = await newContext(browser, port, isSignedIn ? signedIn : undefined);
  const place = address(business).replace("%member", String(member.contact_id));
  const url = `http://127.0.0.1:${port}${basePath}/console${place}`;
  if (again) {
    const before = await ConsolePage.open(context);
    await before.page.goto(url);
    await before.rest();
    await before.close();
  }
  const one = await ConsolePage.open(context, ready);
  // Who has a session has been here before, with an earlier version of the program.
  if (isSignedIn)
    await one.page.addInitScript({
      content: `localStorage.setItem("loyalty-console-business", "${business}")`,
    });
  const requests = await watchRequests(one.devTools);
  await one.devTools.send("Network.emulateNetworkConditions", { offline: false, ...line });
  await one.page.goto(url, { waitUntil: "commit" });
  await one.page.locator(ready).first().waitFor();
  const readyAt = await one.evaluate<number>("watched.readyAt");
  const painted = (name: string) =>
    one.evaluate<number>(`performance.getEntriesByName("${name}")[0]?.startTime`);
  const times = { visible: await painted("first-paint"), text: await painted("first-contentful-paint") };
  await context.close();
  return { ...times, ready: readyAt, ...requests.until(readyAt) };
}

/** When a request was sent and its response came, in seconds; the bytes of it as they were sent. */
interface Sent {
  readonly at: number;
  respondedAt: number;
  endedAt: number;
  bytes: number;
}

async function watchRequests(devTools: CDPSession) {
  const requests = new Map<string, Sent>();
  const none: Sent = {
    at: 0,
    respondedAt: Number.POSITIVE_INFINITY,
    endedAt: Number.POSITIVE_INFINITY,
    bytes: 0,
  };
  devTools.on("Network.requestWillBeSent", ({ requestId, timestamp, request }) => {
    if (!request.url.startsWith("data:")) requests.set(requestId, { ...none, at: timestamp });
  });
  devTools.on("Network.responseReceived", ({ requestId, timestamp }) => {
    Object.assign(requests.get(requestId) ?? {}, { respondedAt: timestamp });
  });
  devTools.on("Network.loadingFinished", ({ requestId, timestamp, encodedDataLength }) => {
    Object.assign(requests.get(requestId) ?? {}, { endedAt: timestamp, bytes: encodedDataLength });
  });
  devTools.on("Network.requestServedFromCache", ({ requestId }) => void requests.delete(requestId));
  await devTools.send("Network.enable");
  return {
    /** What was loaded until a time after the first request. A request waits for another one if it was sent after its response. */
    until(milliseconds: number) {
      const all = [...requests.values()];
      const end = Math.min(...all.map(({ at }) => at)) + milliseconds / 1000;
      const loaded = all.filter(({ endedAt, bytes }) => endedAt <= end && bytes > 0);
      const turnsOf = (one: Sent): number =>
        1 + Math.max(0, ...loaded.filter((other) => other.respondedAt <= one.at).map(turnsOf));
      return {
        bytes: loaded.reduce((sum, { bytes }) => sum + bytes, 0),
        turns: Math.max(...loaded.map(turnsOf)),
      };
    },
  };
}

type Act = (page: ConsolePage, subject: Subject) => Promise<unknown>;

/** Goes to the page of a business. */
const at =
  (address: string | ((subject: Subject) => string)): Act =>
  (page, subject) =>
    page.go(`/${subject.business.businessId}${typeof address === "string" ? address : address(subject)}`);

const press =
  (key: string): Act =>
  ({ page }) =>
    page.keyboard.press(key);

const writing =
  (text: string | ((subject: Subject) => string)): Act =>
  ({ page }, subject) =>
    page.keyboard.type(typeof text === "string" ? text : text(subject));

const ofMember =
  (more = ""): ((subject: Subject) => string) =>
  ({ member }) =>
    `/members/${member.contact_id}${more}`;

/** The days of the last twelve months. */
const year = () => {
  const [through = ""] = new Date().toISOString().split("T");
  return `from=${Number(through.slice(0, 4)) - 1}${through.slice(4, 8)}01&through=${through}`;
};

/** In this order. */
const actions: Readonly<Record<string, Act>> = {
  Members: at("/members"),
  "the last page of members": at(
    ({ size }) => `/members?members-page=${Math.floor((size.members * 0.97) / perPage)}`,
  ),
  "members with an e-mail address": at("/members?has_email=true"),
  "a member": at(ofMember()),
  "its sales": at(ofMember("?show=sales")),
  "its timeline": at(ofMember("?show=timeline")),
  "the next page of the timeline": at(ofMember("?show=timeline&transactions-page=2")),
  Sales: at("/sales"),
  "sales of a member": at(({ member }) => `/sales?contact_id=${member.contact_id}`),
  Transactions: at("/transactions"),
  "the last page of transactions": at(
    ({ size }) => `/transactions?transactions-page=${size.entries / perPage}`,
  ),
  "transactions of one kind": at("/transactions?event_types=reward_points_expired"),
  "transactions of a location": at(({ business }) => `/transactions?location_id=${business.locationIds[3]}`),
  "transactions of one kind, a location and a year": at(
    ({ business }) =>
      `/transactions?event_types=sale&location_id=${business.locationIds[0]}&${year().replace("from", "start_date").replace("through", "end_date")}`,
  ),
  Reports: at("/reports"),
  "a report of a year by month": at(() => `/reports?${year()}&by=month`),
  "a report of a year by day": at(() => `/reports?${year()}&by=day`),
  Today: at("/today"),
  Tiers: at("/tiers"),
  Cards: at("/cards"),
  Segments: at("/segments"),
  Audit: at("/audit"),
};

/** Measures the same actions in both businesses in turn. */
async function comparedPages(
  bench: Bench,
  person: Person,
  small: Subject,
  large: Subject,
): Promise<Figure[]> {
  const { browser, server, signedIn } = person;
  const context = await newContext(browser, server.service.port, signedIn);
  const times = new Map<Subject, Map<string, number[]>>([small, large].map((one) => [one, new Map()]));
  // The first visit fills the caches.
  for (let visit = 0; visit <= visits * bench.options.rounds; visit++) {
    for (const subject of visit % 2 === 0 ? [small, large] : [large, small]) {
      for (const [name, time] of await timesOfVisit(context, server, subject)) {
        const known = times.get(subject)?.get(name) ?? [];
        if (visit > 0) times.get(subject)?.set(name, [...known, time]);
      }
    }
  }
  // The least disturbed one. What is slow is slow each time.
  const of = (subject: Subject, name: string) => Math.min(...(times.get(subject)?.get(name) ?? []));
  const names = [...(times.get(large)?.keys() ?? [])];
  const figures = names.map(
    (name): Figure => ({
      ...{ what: name, value: of(large, name), unit: "ms", against: "100 members" },
      ratio: of(large, name) / of(small, name),
      target: { atMost: most.ratio },
      details: { all: [small, large].map((subject) => times.get(subject)?.get(name)) },
    }),
  );
  const slowest = Math.max(...names.map((name) => of(large, name)));
  return [
    ...figures,
    { what: "the slowest of these", value: slowest, unit: "ms", target: { atMost: most.milliseconds } },
  ];
}

/** All actions, in a page that was just loaded. */
async function timesOfVisit(
  context: Awaited<ReturnType<typeof newContext>>,
  { service }: Server,
  subject: Subject,
): Promise<[string, number][]> {
  const one = await ConsolePage.open(context);
  await one.page.goto(
    `http://127.0.0.1:${service.port}${basePath}/console/${subject.business.businessId}/locations`,
  );
  await one.rest();
  const times: [string, number][] = [];
  const measure = async (name: string, act: Act) => {
    times.push([name, await one.timeOf(() => act(one, subject))]);
  };
  const prepare = async (act: Act) => {
    await act(one, subject);
    await one.rest();
  };
  for (const [name, act] of Object.entries(actions)) {
    await measure(name, act);
  }
  const search = (text: string | ((subject: Subject) => string)) => async () => {
    await one.page.locator("#content input").first().click();
    await writing(text)(one, subject);
  };
  await prepare(at("/members"));
  await prepare(search("garci"));
  await measure("a search for a common name, its last letter", writing("a"));
  await prepare(at("/locations"));
  await prepare(at("/members"));
  await prepare(search(({ member }) => member.phone_number.slice(0, -1)));
  await measure(
    "a search for a phone number, its last digit",
    writing(({ member }) => member.phone_number.slice(-1)),
  );
  await measure("the search for everything opens", press("Control+k"));
  await prepare(writing("garci"));
  await measure("the search for everything, the last letter of a common name", writing("a"));
  await prepare(press("Control+a"));
  await prepare(writing(({ member }) => member.phone_number.slice(0, -1)));
  await measure(
    "the search for everything, the last digit of a phone number",
    writing(({ member }) => member.phone_number.slice(-1)),
  );
  await one.close();
  return times;
}
