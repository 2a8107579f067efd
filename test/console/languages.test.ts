/** The console in each language: a person chooses it, and its pages fit and have no other words. */
import { beforeAll, expect, it } from "vitest";
import { describeInBrowser } from "../support/chromium.ts";
import { useConsole } from "../support/console.ts";
import { textFiles, textsIn, translations } from "../support/console-texts.ts";

/** The pages with the longest words and the widest tables. `%member` is a member with a history. */
const pages = [
  ...["/today", "/members/%member", "/sales/%sale", "/rules", "/promotions", "/reports"],
  "/integrations/%integration",
];

/** A language by its own name, its word for Today, an amount as its people write it, and words of the correction of a balance. */
const walks = {
  de: {
    name: "Deutsch",
    today: "Heute",
    amount: "1.234,50",
    correct: "Kontostand korrigieren",
    wallet: "Guthaben",
  },
  fr: {
    name: "Français",
    today: "Aujourd'hui",
    amount: "1 234,50",
    correct: "Corriger un solde",
    wallet: "Cagnotte",
  },
  es: {
    name: "Español",
    today: "Hoy",
    amount: "1.234,50",
    correct: "Corregir un saldo",
    wallet: "Monedero",
  },
} as const;

describeInBrowser("the console in other languages", (launch) => {
  const world = useConsole(launch);
  let saleId: number;
  const english = new Set<string>();
  const addressOf = (path: string) =>
    world.at(
      path
        .replace("%member", String(world.priya))
        .replace("%sale", String(saleId))
        .replace("%integration", String(world.demo.integration_id)),
    );

  beforeAll(async () => {
    const { business_id } = world.demo;
    const [sale] = await world.call<{ sale_id: number }[]>("/op/sales/list", { business_id });
    saleId = (sale as { sale_id: number }).sale_id;
    for (const file of textFiles)
      for (const [place, text] of await textsIn("en", file))
        if (typeof text === "string" && !place.includes(".first.")) english.add(text);
  });

  /** What the person of the session chooses. */
  const chooseLanguage = async (language: string | null) => {
    const headers = { "content-type": "application/json", authorization: `Bearer ${world.session}` };
    const path = `${world.baseUrl}/op/session/set-language`;
    const reply = await fetch(path, { method: "POST", headers, body: JSON.stringify({ language }) });
    expect(reply.status).toBe(200);
  };

  const languageOf = async (headers: Record<string, string>) =>
    /<html lang="(\w+)" dir="ltr">/.exec(await (await fetch(world.at("/today"), { headers })).text())?.[1];

  it("begins in the language of the browser, if it has that one", async () => {
    for (const language of translations)
      expect(await languageOf({ "accept-language": `it, ${language}-AT;q=0.9, en;q=0.8` })).toBe(language);
    expect(await languageOf({ "accept-language": "it" })).toBe("en");
    expect(await languageOf({})).toBe("en");
  });

  it.each(translations as (keyof typeof walks)[])(
    "in %s keeps it, and reads amounts in its form",
    async (language) => {
      const { name, today, amount, correct, wallet } = walks[language];
      const { page, faults } = await world.open(addressOf("/today"));
      await page.getByRole("button", { name: /^person/ }).click();
      await page.getByRole("menuitem", { name }).click();
      await page.getByRole("heading", { name: today }).waitFor();
      await page.goto(addressOf("/members/%member"));
      await page.getByRole("button", { name: correct }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByText(wallet, { exact: true }).click();
      await dialog.locator("input[name=amount]").fill(amount);
      await dialog.locator("textarea[name=reason]").fill("Test");
      await dialog.locator("button[type=submit]").click();
      await dialog.waitFor({ state: "detached" });
      const request = { business_id: world.demo.business_id, contact_id: world.priya };
      const [entry] = await world.call<{ amount: number }[]>("/op/transactions/list", request);
      expect(entry?.amount).toBe(123450);
      expect(faults).toEqual([]);
      await page.close();
      // The choice is one of the account, so it is there on a device that the person has not used before.
      const other = await world.open(addressOf("/today"));
      await other.page.getByRole("heading", { name: today }).waitFor();
      expect(await other.page.locator("html").getAttribute("lang")).toBe(language);
      expect(other.faults).toEqual([]);
      await other.page.close();
      await chooseLanguage(null);
    },
  );

  it("is not kept for the next person at the same browser", async () => {
    const anna = await world.signIn({ role: "owner" });
    const { page } = await world.open(world.at("/today"), undefined, anna);
    await page.getByRole("button", { name: /^person/ }).click();
    await page.getByRole("menuitem", { name: "Deutsch" }).click();
    await page.getByRole("button", { name: /^person/ }).click();
    await page.getByRole("menuitem", { name: "Abmelden" }).click();
    await page.getByRole("button", { name: "Sign in" }).waitFor();
    // Nor if her session only ends.
    const { hostname: domain, pathname } = new URL(`${world.baseUrl}/console`);
    await page.context().addCookies([
      { name: "loyalty_language", value: "de", domain, path: pathname },
      { name: "loyalty_console", value: await world.signIn({ role: "owner" }), url: world.baseUrl },
    ]);
    await page.goto(world.at("/today"));
    await page.getByRole("heading", { name: "Today" }).waitFor();
    await page.close();
  });

  it("of a browser, chosen before the sign-in, is for those who have chosen none", async () => {
    const { page } = await world.open(world.at("/today"), undefined, "");
    await page.getByRole("button", { name: "Español" }).click();
    await page.getByRole("button", { name: "Deutsch" }).waitFor();
    const signIn = async (session: string) => {
      await page.context().addCookies([{ name: "loyalty_console", value: session, url: world.baseUrl }]);
      await page.goto(world.at("/today"));
    };
    await signIn(await world.signIn({ role: "owner" }));
    await page.getByRole("heading", { name: "Hoy" }).waitFor();
    await chooseLanguage("fr");
    await signIn(world.session);
    await page.getByRole("heading", { name: "Aujourd'hui" }).waitFor();
    await page.close();
    await chooseLanguage(null);
  });

  it("can be chosen before a person signs in", async () => {
    const { page } = await world.open(world.at("/today"), undefined, "");
    await page.getByRole("button", { name: "Deutsch" }).click();
    await page.getByRole("button", { name: "Anmelden" }).waitFor();
    await page.getByRole("button", { name: "English" }).click();
    await page.getByRole("button", { name: "Sign in" }).waitFor();
    await page.context().clearCookies();
    await page.close();
  });

  // axe looks at the pages in English: the elements and their colours are the same.
  it.each(translations)("in %s fits narrow and wide screens, without English words", async (language) => {
    await chooseLanguage(language);
    const { page, faults } = await world.open(world.at("/today"));
    const own = new Set<unknown>();
    for (const file of textFiles) for (const text of (await textsIn(language, file)).values()) own.add(text);
    const { business_id } = world.demo;
    // What the business has named itself. One of its tiers has the name of an example.
    for (const { name } of await world.call<{ name: string }[]>("/op/tiers/list", { business_id }))
      own.add(name);
    const found: string[] = [];
    for (const path of pages) {
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.goto(addressOf(path));
      await page.locator("h1").waitFor();
      await page.waitForLoadState("networkidle");
      const fits = () => page.evaluate("document.documentElement.scrollWidth <= innerWidth");
      await expect.poll(fits, { message: `${path}: too wide for 1280` }).toBe(true);
      await page.setViewportSize({ width: 360, height: 800 });
      await expect.poll(fits, { message: `${path}: too wide for 360` }).toBe(true);
      const words = (await page.locator("body").innerText()).split(/[\n\t]+/).map((text) => text.trim());
      const leftOver = words.filter((text) => english.has(text) && !own.has(text));
      found.push(...leftOver.map((text) => `${path} is English: ${text}`));
    }
    expect(found).toEqual([]);
    expect(faults).toEqual([]);
    await page.close();
  });
});
