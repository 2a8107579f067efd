/** Pages of the console in a browser, which say when they have come to rest. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Browser, BrowserContext, CDPSession, Page } from "playwright-core";
import type { Operator } from "../test/support/runs/operator.ts";
import { basePath } from "../test/support/runs/service.ts";

/** A page is at rest if no request is under way and nothing has changed for so long. It is longer than inputs wait for more letters. */
const restMilliseconds = 400;
const patience = 60_000;

/** It runs before the scripts of the page: it counts requests under way, and keeps the times of an action, of changes, and of `ready`. */
const watching = (ready: string) => `
  globalThis.watched = { startedAt: 0, changedAt: 0, pending: 0, readyAt: null };
  const wrapped = globalThis.fetch;
  globalThis.fetch = async (...request) => {
    watched.pending += 1;
    try {
      return await wrapped(...request);
    } finally {
      watched.pending -= 1;
    }
  };
  new MutationObserver(() => {
    watched.changedAt = performance.now();
    watched.readyAt ??= document.querySelector(${JSON.stringify(ready)}) && performance.now();
  }).observe(document, { subtree: true, childList: true, characterData: true, attributeFilter: ["aria-busy"] });`;

/** A person who is signed in. */
export interface SignedIn {
  readonly cookie: string;
}

/** Makes an owner with a session. */
export async function signIn(operator: Operator, port: number): Promise<SignedIn> {
  const grant = { name: "bench", role: "owner" };
  const { invitation_token } = await operator.write<{ invitation_token: string }>(
    "/op/operators/create",
    grant,
  );
  const response = await fetch(`http://127.0.0.1:${port}${basePath}/op/operators/accept`, {
    method: "POST",
    headers: { "content-type": "application/json", "sec-fetch-site": "same-origin" },
    body: JSON.stringify({ token: invitation_token, password: crypto.randomUUID() }),
  });
  const [, cookie] = /^loyalty_console=([^;]+)/.exec(response.headers.get("set-cookie") ?? "") ?? [];
  if (cookie === undefined) throw new Error(`the invitation was not accepted: ${await response.text()}`);
  return { cookie };
}

/** A new browser, as of a person who has not been here before. */
export async function newContext(
  browser: Browser,
  port: number,
  signedIn: SignedIn | undefined,
): Promise<BrowserContext> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    reducedMotion: "reduce",
  });
  const url = `http://127.0.0.1:${port}`;
  if (signedIn) await context.addCookies([{ name: "loyalty_console", value: signedIn.cookie, url }]);
  return context;
}

export class ConsolePage {
  readonly page: Page;
  readonly devTools: CDPSession;

  private constructor(page: Page, devTools: CDPSession) {
    this.page = page;
    this.devTools = devTools;
  }

  /** @param ready selects what is there as soon as a person can use the page */
  static async open(context: BrowserContext, ready = "#content h1"): Promise<ConsolePage> {
    const page = await context.newPage();
    page.setDefaultTimeout(patience);
    await page.addInitScript({ content: watching(ready) });
    return new ConsolePage(page, await context.newCDPSession(page));
  }

  /** Evaluates an expression. The policy of the page forbids what Playwright does for it. */
  async evaluate<Value>(expression: string): Promise<Value> {
    const { result, exceptionDetails } = await this.devTools.send("Runtime.evaluate", {
      expression,
      returnByValue: true,
    });
    if (exceptionDetails) throw new Error(`${expression}: ${exceptionDetails.exception?.description}`);
    return result.value as Value;
  }

  /** Waits until the page is at rest. */
  async rest(): Promise<void> {
    const isAtRest = `document.querySelector("h1, input") !== null && watched.pending === 0 &&
      document.querySelector("[role=status] .mantine-Skeleton-root, [aria-busy=true]") === null &&
      performance.now() - Math.max(watched.changedAt, watched.startedAt) > ${restMilliseconds}`;
    for (const deadline = performance.now() + patience; !(await this.evaluate<boolean>(isAtRest)); ) {
      if (performance.now() > deadline) throw new Error(`${this.page.url()} does not come to rest`);
      await sleep(50);
    }
  }

  /** Does something. @returns the milliseconds until the page was as it is at rest. @throws if nothing changed */
  async timeOf(act: () => Promise<unknown>): Promise<number> {
    await this.evaluate("void Object.assign(watched, { startedAt: performance.now(), changedAt: 0 })");
    await act();
    await this.rest();
    const time = await this.evaluate<number>("watched.changedAt - watched.startedAt");
    if (time < 0) throw new Error(`nothing changed at ${this.page.url()}`);
    return time;
  }

  /** Goes to a page below that of a business, as a link does. */
  go(address: string): Promise<void> {
    return this.evaluate(`history.pushState(null, "", ${JSON.stringify(`${basePath}/console${address}`)})`);
  }

  async close(): Promise<void> {
    await this.page.close();
  }
}
