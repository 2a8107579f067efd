/** The console of a service with the demo business, in a browser. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { readConfig } from "../../src/config.ts";
import type { DemoFile } from "../../src/data-directory.ts";
import type { Database } from "../../src/database/connection.ts";
import type { Grant } from "../../src/domain/access/operators.ts";
import { createService, type Service } from "../../src/service.ts";
import { closePages } from "./chromium.ts";
import { demoIn, useDemoDatabase } from "./demo.ts";
import { inviteOperator, makeOperator, testPassword } from "./operators.ts";
import { testOperatorKey, testSecret } from "./world.ts";

/** The console of another cell. */
export const otherConsole = "https://south.invalid/api/console/";

interface Look {
  readonly width: number;
  readonly height: number;
  readonly scheme: "light" | "dark";
}

const desktop: Look = { width: 1280, height: 900, scheme: "light" };

/** The cookie without TLS on this machine. */
const sessionCookieName = "loyalty_console";

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
  /** The password of the owner who is signed in. */
  readonly password = testPassword;
  /** The token of the owner's session. */
  session = "";
  sql!: Database;
  #context: Promise<BrowserContext> | undefined;

  /** A member with data for every page. */
  get priya(): number {
    return this.demo.contact_ids[4] as number;
  }

  /** The address of a page of the demo business. */
  at(path: string): string {
    return `${this.baseUrl}/console/${this.demo.business_id}${path}`;
  }

  /** Makes an invitation of an owner. */
  invite(): Promise<{ token: string; name: string }> {
    return inviteOperator(this);
  }

  /** Signs another person in. @returns the session */
  async signIn(grant: Partial<Grant>): Promise<string> {
    return (await makeOperator(this, grant)).session;
  }

  /** Opens a page, signed in as an owner, or with another session. */
  async open(address: string, look: Look = desktop, session = this.session): Promise<OpenPage> {
    // One for all pages, because a new one has not yet cached the program of the console.
    this.#context ??= this.browser.newContext({ reducedMotion: "reduce" });
    const context = await this.#context;
    await context.clearCookies();
    if (session !== "")
      await context.addCookies([{ name: sessionCookieName, value: session, url: this.baseUrl }]);
    const page = await context.newPage();
    await page.setViewportSize(look);
    await page.emulateMedia({ colorScheme: look.scheme });
    await forgetOrigin(page, this.baseUrl);
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
    await page.goto(address);
    return { page, faults };
  }

  /** Ends the session of a page. */
  async endSession(page: Page): Promise<void> {
    await page.context().clearCookies();
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

/** Nothing that an earlier page stored is there. */
async function forgetOrigin(page: Page, url: string): Promise<void> {
  const devTools = await page.context().newCDPSession(page);
  const { origin } = new URL(url);
  await devTools.send("Storage.clearDataForOrigin", { origin, storageTypes: "local_storage" });
  await devTools.detach();
}

/** One service, one business and one browser for the tests of a file. */
export function useConsole(launch: () => Promise<Browser>): ConsoleWorld {
  const database = useDemoDatabase();
  const world = new ConsoleWorld();
  let dataDirectory: string;
  beforeAll(async () => {
    dataDirectory = await mkdtemp(join(tmpdir(), "loyalty-console-"));
    const config = readConfig({
      LOYALTY_RATE_LIMIT: "0",
      LOYALTY_FAILED_TOKEN_LIMIT: "0",
      LOYALTY_WRONG_CODE_LIMIT: "0",
      LOYALTY_UNAUTHENTICATED_LIMIT: "0",
      LOYALTY_SECRET: testSecret,
      LOYALTY_CONSOLES: `south=${otherConsole}`,
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
    world.demo = await demoIn(sql, dataDirectory, world.baseUrl);
    world.sql = sql;
    world.session = (await makeOperator({ sql })).session;
    world.browser = await launch();
  });
  afterAll(async () => {
    if (world.browser !== undefined) await closePages(world.browser);
    await world.service?.close();
    await rm(dataDirectory, { recursive: true, force: true });
  });
  return world;
}
