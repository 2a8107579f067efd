/** The console of a service with the demo business, in a browser. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import type { Browser, Page, Route } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { readConfig } from "../../src/config.ts";
import type { DemoFile } from "../../src/data-directory.ts";
import { provideDemo } from "../../src/demo/demo.ts";
import { createService, type Service } from "../../src/service.ts";
import { useDatabase } from "./database.ts";
import { testOperatorKey, testSecret } from "./world.ts";

interface Look {
  readonly width: number;
  readonly height: number;
  readonly scheme: "light" | "dark";
}

const desktop: Look = { width: 1280, height: 900, scheme: "light" };

export interface OpenPage {
  readonly page: Page;
  /** What should not happen on a page: errors, warnings, violations of the policy, requests to other hosts. */
  readonly faults: string[];
}

export class ConsoleWorld {
  browser!: Browser;
  service!: Service;
  baseUrl = "";
  demo!: DemoFile;

  /** The address of a page of the demo business. */
  at(path: string): string {
    return `${this.baseUrl}/console/${this.demo.business_id}${path}`;
  }

  /** Opens a page, signed in as an owner. */
  async open(address: string, look: Look = desktop): Promise<OpenPage> {
    const context = await this.browser.newContext({
      viewport: { width: look.width, height: look.height },
      colorScheme: look.scheme,
      reducedMotion: "reduce",
    });
    const page = await context.newPage();
    page.setDefaultTimeout(120_000);
    const faults: string[] = [];
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) faults.push(message.text());
    });
    page.on("pageerror", (error) => faults.push(error.message));
    page.on("request", (request) => {
      if (!request.url().startsWith(new URL(this.baseUrl).origin) && !request.url().startsWith("data:"))
        faults.push(`requested ${request.url()}`);
    });
    await page.route("**/op/**", signedIn);
    await page.goto(address);
    return { page, faults };
  }

  /** Calls an operation as the operator. */
  async call<Data>(path: string, body: object): Promise<Data> {
    const response = await fetch(this.baseUrl + path, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${testOperatorKey}` },
      body: JSON.stringify(body),
    });
    const reply = (await response.json()) as { success: boolean; message: string; data: Data };
    if (!reply.success) throw new Error(`${path}: ${reply.message}`);
    return reply.data;
  }
}

const session = {
  operator: {
    operator_id: 1,
    name: "anna",
    role: "owner",
    business_ids: null,
    limit_amount: null,
    limit_points: null,
  },
};

/** The service has no sessions yet, so the operator key stands in for one. */
async function signedIn(route: Route): Promise<void> {
  const request = route.request();
  if (request.method() !== "POST") return route.continue();
  if (request.url().endsWith("/op/session/get")) {
    return route.fulfill({ json: { success: true, message: "", data: session, meta: {} } });
  }
  return route.continue({ headers: { ...request.headers(), authorization: `Bearer ${testOperatorKey}` } });
}

/** One service, one business and one browser for the tests of a file. */
export function useConsole(launch: () => Promise<Browser>): ConsoleWorld {
  const database = useDatabase();
  const world = new ConsoleWorld();
  let dataDirectory: string;
  beforeAll(async () => {
    dataDirectory = await mkdtemp(join(tmpdir(), "loyalty-console-"));
    const config = readConfig({
      ...{ LOYALTY_RATE_LIMIT: "0", LOYALTY_FAILED_TOKEN_LIMIT: "0", LOYALTY_UNAUTHENTICATED_LIMIT: "0" },
      LOYALTY_SECRET: testSecret,
    });
    const { sql, lookUps, postings, longRunning } = database;
    const keys = { secret: testSecret, operatorKey: testOperatorKey };
    world.service = createService(config, {
      sql,
      lookUps,
      postings,
      longRunning,
      ...keys,
      log: pino({ level: "silent" }),
    });
    world.baseUrl = (await world.service.listen({ host: "127.0.0.1", port: 0 })) + config.basePath;
    const made = await provideDemo(sql, { dataDirectory, baseUrl: world.baseUrl });
    if (made.status === "absent") throw new Error("The database has a business already.");
    world.demo = made.demo;
    world.browser = await launch();
  });
  afterAll(async () => {
    await world.browser?.close();
    await world.service?.close();
    await rm(dataDirectory, { recursive: true, force: true });
  });
  return world;
}
