/** The documentation in a folder: every link leads to a file, and it works without the service and without a network. */
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { closePages, describeInBrowser } from "../support/chromium.ts";

const script = join(import.meta.dirname, "../../scripts/docs.mjs");
const types: Record<string, string> = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css" };
let parent: string;
let folder: string;
let server: Server;
let origin: string;

beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), "loyalty-docs-"));
  folder = join(parent, "docs");
  await promisify(execFile)(process.execPath, [script, "--directory", folder], { maxBuffer: 1e8 });
  // As any web server does.
  server = createServer(async (request, response) => {
    const path = (request.url ?? "/").replace(/[?#].*/, "").replace(/\/$/, "/index.html");
    const content = await readFile(join(folder, decodeURIComponent(path))).catch(() => undefined);
    response.writeHead(content === undefined ? 404 : 200, {
      "content-type": types[extname(path)] ?? "text/plain",
    });
    response.end(content);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.close();
  await rm(parent, { recursive: true });
});

it("leads to files", async () => {
  const files = new Set(await readdir(folder, { recursive: true }));
  const pages = [...files].filter((file) => file.endsWith(".html"));
  expect(pages.length).toBeGreaterThan(200);
  for (const page of pages) {
    const html = await readFile(join(folder, page), "utf8");
    for (const [, link = ""] of html.matchAll(/\s(?:href|src)="(\/[^"#]*)/g)) {
      expect(files, `${page}: ${link}`).toContain(link.slice(1).replace(/(^|\/)$/, "$1index.html"));
    }
  }
});

it("is not written into a folder that exists", async () => {
  const again = promisify(execFile)(process.execPath, [script, "--directory", folder]);
  await expect(again).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining("exists") });
});

describeInBrowser("the folder in a browser", (launch) => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => closePages(browser));

  it("finds, leads on, and says where requests can be sent", async () => {
    const page = await browser.newPage();
    const faults: string[] = [];
    page.on("pageerror", (error) => faults.push(error.message));
    page.on("request", (request) => {
      if (!request.url().startsWith(origin)) faults.push(request.url());
    });
    await page.goto(origin, { waitUntil: "networkidle" });
    const search = page.locator("#localsearch-input");
    // Nothing listens for keys before the scripts run.
    await expect
      .poll(async () => {
        await page.keyboard.press("/");
        return search.isVisible();
      })
      .toBe(true);
    await search.fill("idempotncy");
    await page.locator(".VPLocalSearchBox mark").first().waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: "Reference", exact: true }).click();
    await page.getByRole("link", { name: "Quote a sale" }).first().click();
    await page.getByText("Open this page at a service to send the request.").waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "Quote a sale" }).waitFor();
    expect(faults).toEqual([]);
    await page.close();
  });
});
