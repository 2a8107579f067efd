/** The documentation in a browser: it shows, it fits, it keeps to its host, and its console calls the service. */
import { existsSync } from "node:fs";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { useWorld } from "../support/world.ts";

const executablePath = [process.env.CHROMIUM_PATH, "/usr/bin/chromium"].find(
  (path) => path !== undefined && existsSync(path),
);
const about = "the documentation in a browser";

if (executablePath === undefined) {
  describe.skip(`${about}: no Chromium at CHROMIUM_PATH or /usr/bin/chromium`, () => {
    it("is looked at", () => {});
  });
} else {
  describe(about, () => lookAt(executablePath));
}

const quiet = [
  ...["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"],
  ...["--disable-background-networking", "--disable-component-update"],
];
const sizes = { desktop: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } };
const guides = ["", "/client", "/idempotency", "/errors", "/scopes", "/members"].map(
  (name) => `/docs/guides${name}`,
);

function lookAt(path: string): void {
  const world = useWorld();
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: path, args: quiet });
  });
  afterAll(() => browser.close());

  /** Opens a page and notes all that should not happen on it. */
  async function open(url: string, viewport: { width: number; height: number }) {
    const page = await browser.newPage({ viewport });
    const faults: string[] = [];
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) faults.push(message.text());
    });
    page.on("pageerror", (error) => faults.push(error.message));
    page.on("request", (request) => {
      const own = request.url().startsWith(new URL(world.baseUrl).origin);
      if (!own && !request.url().startsWith("data:")) faults.push(`asked for ${request.url()}`);
    });
    await page.goto(world.baseUrl + url);
    return { page, faults };
  }

  const overflow = (page: Page) =>
    page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");

  describe.each(Object.entries(sizes))("at the width of a %s", (_name, size) => {
    it.each(guides)("%s fits", async (url) => {
      const { page, faults } = await open(url, size);
      expect(await page.locator("h1").isVisible()).toBe(true);
      expect(await overflow(page)).toBe(0);
      expect(faults).toEqual([]);
      await page.close();
    });

    it("the reference shows the operations and fits", async () => {
      const { page, faults } = await open("/docs#tag/authentication/POST/sp/auth/token", size);
      await page.getByRole("heading", { name: "Loyalty Partner API" }).waitFor();
      await page.getByRole("heading", { name: "Issue an access token" }).waitFor();
      expect(await overflow(page)).toBe(0);
      expect(faults).toEqual([]);
      await page.close();
    });
  });

  it("goes from the reference to a guide and back", async () => {
    const { page, faults } = await open("/docs", sizes.phone);
    await page.getByRole("link", { name: "Guides", exact: true }).click();
    await page.getByRole("link", { name: "Idempotency and safe retries" }).click();
    expect(await page.locator("h1").textContent()).toBe("Idempotency and safe retries");
    await page.getByRole("link", { name: "Reference" }).click();
    await page.getByRole("heading", { name: "Loyalty Partner API" }).waitFor();
    await page.getByRole("link", { name: "client for TypeScript and JavaScript" }).waitFor();
    expect(faults).toEqual([]);
    await page.close();
  });

  it("sends a request from the console, and shows the answer", async () => {
    const { page, faults } = await open("/docs#tag/authentication/POST/sp/auth/token", sizes.desktop);
    await page.getByRole("button", { name: "Test Request" }).first().click();
    const dialog = page.getByRole("dialog");
    const { client_id, client_secret } = world.home.everywhere;
    await dialog.locator(".cm-content", { hasText: "client_secret" }).first().click();
    await page.keyboard.press("Control+A");
    await page.keyboard.insertText(JSON.stringify({ client_id, client_secret }));
    // The console takes over what was typed after a moment: until then it sends its example.
    const send = async () => {
      const answered = page.waitForResponse((response) => response.url().endsWith("/sp/auth/token"));
      await dialog.getByRole("button", { name: "Send" }).first().click();
      return (await answered).json();
    };
    const { data } = await vi.waitUntil(
      async () => {
        const answer = (await send()) as { success: boolean; data: { access_token: string } };
        return answer.success && answer;
      },
      { timeout: 10_000 },
    );
    await dialog.getByText(data.access_token.slice(0, 20)).first().waitFor();
    expect(faults.filter((fault) => !fault.includes("401"))).toEqual([]);
    await page.close();
  });

  it("sends the token that was given to it with every other request", async () => {
    const { page, faults } = await open("/docs#tag/member-tiers/POST/sp/member-tiers/list", sizes.desktop);
    const token = await world.token();
    await page.getByLabel("Bearer Token").first().fill(token);
    await page.getByRole("heading", { name: "List member tiers" }).waitFor();
    await page.getByRole("button", { name: /Test Request.*member-tiers\/list/ }).click();
    const answered = page.waitForResponse((response) => response.url().endsWith("/sp/member-tiers/list"));
    await page.getByRole("dialog").getByRole("button", { name: "Send" }).first().click();
    const response = await answered;
    expect(await response.request().headerValue("authorization")).toBe(`Bearer ${token}`);
    expect(response.status()).toBe(200);
    expect(faults).toEqual([]);
    await page.close();
  });
}
