/** The reports of the console: what an owner and an accountant read, print and save. */
import { readFile } from "node:fs/promises";
import type { Download, Page } from "playwright-core";
import { expect, it } from "vitest";
import { describeInBrowser } from "../support/chromium.ts";
import { useConsole } from "../support/console.ts";

type Figures = Readonly<
  Record<"sales" | "sales_amount" | "points_given" | "active_members" | "returning_members", number>
>;

describeInBrowser("the reports", (launch) => {
  const world = useConsole(launch);
  const activity = (request: object) => {
    const asked = { business_id: world.demo.business_id, per_page: 100, ...request };
    return world.call<(Figures & { starts_on: string })[]>("/op/reports/activity", asked);
  };
  const today = async () => {
    const { business_id } = world.demo;
    return (await world.call<{ on: string }>("/op/reports/liabilities", { business_id })).on;
  };
  const sumOf = (rows: readonly Figures[], name: keyof Figures) =>
    rows.reduce((sum, row) => sum + row[name], 0);
  const money = (amount: number) =>
    `${(amount / 100).toLocaleString("en", { minimumFractionDigits: 2 })} EUR`;
  /** The card of a figure. */
  const figure = (page: Page, label: string) => page.locator(".mantine-Card-root").filter({ hasText: label });
  const contentOf = async (file: Download) => readFile(await file.path(), "utf8");

  it("shows a month, compares it with the month before, and changes with the range", async () => {
    const { page, faults } = await world.open(world.at("/reports"));
    const through = await today();
    const from = `${through.slice(0, 8)}01`;
    const days = await activity({ by: "day", from, through });
    await figure(page, "Amount of sales")
      .getByText(money(sumOf(days, "sales_amount")), { exact: true })
      .waitFor();
    await figure(page, "Visits")
      .getByText(String(sumOf(days, "sales")), { exact: true })
      .waitFor();
    await page.getByText("Last month", { exact: true }).click();
    const before = await activity({ by: "month", from: dayBefore(from), through: dayBefore(from) });
    const [month] = before as unknown as [Figures];
    await figure(page, "Amount of sales").getByText(money(month.sales_amount), { exact: true }).waitFor();
    expect(new URL(page.url()).searchParams.get("through")).toBe(dayBefore(from));
    // By month, the average of the months is the number of the month.
    await page.getByText("By month", { exact: true }).click();
    await figure(page, "Active members").getByText(String(month.active_members), { exact: true }).waitFor();
    await figure(page, "Returning members")
      .getByText(String(month.returning_members), { exact: true })
      .first()
      .waitFor();
    // The way back to this report.
    await page.reload();
    await figure(page, "Active members").getByText(String(month.active_members), { exact: true }).waitFor();
    // Part of a month has no number of members by month, and is compared with none.
    const part = `from=${dayBefore(from).slice(0, 8)}01&through=${dayBefore(from).slice(0, 8)}17&by=month`;
    await page.goto(world.at(`/reports?${part}`));
    await page
      .getByText("Active and returning members are averages per month, of whole months only.")
      .waitFor();
    for (const label of ["Active members", "Returning members"])
      expect(await figure(page, label).textContent()).toMatch(/–Before: – $/);
    // A location has no sign-ups: members join a business.
    await page.getByLabel("Location", { exact: true }).selectOption({ index: 1 });
    await figure(page, "New members").getByText("–").first().waitFor();
    await page
      .getByText(/ · (?!All locations)/)
      .first()
      .waitFor();
    // One location is compared with no other.
    await expect.poll(() => page.getByRole("table", { name: "By location" }).count()).toBe(0);
    expect(faults).toEqual([]);
    await page.close();
  });

  it("shows the locations, what has none, and closed ones, sorted as a whole, with their long names", async () => {
    const { page } = await world.open(world.at("/reports"), { width: 360, height: 800, scheme: "dark" });
    const name = "Loja da Praça do Comércio e dos Restauradores, Rés-do-chão ".repeat(4).trim();
    await page.route("**/op/reports/locations", async (route) => {
      const response = await route.fetch();
      const body = await response.json();
      const [one] = body.data as (Figures & { location_id: number })[];
      const places = [90, 1200, 7].map((sales_amount, index) => ({
        ...one,
        location_id: index + 1,
        sales_amount,
      }));
      const named = places.map((place, index) => ({ ...place, location_name: [name, "Short", null][index] }));
      await route.fulfill({ response, json: { ...body, data: named } });
    });
    await page.reload();
    const table = page.getByRole("table", { name: "By location" });
    await table.getByText("Without a location").waitFor();
    const amounts = () => table.getByText(/^\d+\.\d\d EUR$/).allTextContents();
    await table.getByRole("button", { name: "Amount of sales" }).click();
    await expect
      .poll(async () => (await amounts()).filter((one) => /^(0\.07|0\.90|12\.00) EUR$/.test(one)))
      .toEqual(["0.07 EUR", "0.90 EUR", "12.00 EUR"]);
    await expect.poll(() => page.evaluate("document.documentElement.scrollWidth")).toBe(360);
    // Responses that are still on their way can be read only while the page is there.
    await page.unrouteAll({ behavior: "wait" });
    await page.close();
  });

  it("stays, and says what is wrong, with a day that does not exist", async () => {
    const { page, faults } = await world.open(world.at("/reports"));
    const from = page.getByRole("textbox", { name: "From" });
    const unclear = page.getByText(/^Write a date with all four digits/);
    const none = page.getByText("There is no such date. An example is 12/31/");
    const all = figure(page, "Amount of sales").getByText(/EUR/).first();
    await all.waitFor();
    // The usual day does not come back while another one is written.
    await from.press("ControlOrMeta+a");
    await page.keyboard.press("Delete");
    expect(await from.inputValue()).toBe("");
    await page.keyboard.type("6/31/2026");
    await page.keyboard.press("Tab");
    await none.waitFor();
    await all.waitFor();
    await page.reload();
    await none.waitFor();
    await all.waitFor();
    await page.goto(world.at("/reports?through=yesterday"));
    await unclear.waitFor();
    await page.setViewportSize({ width: 360, height: 800 });
    await page.reload();
    await unclear.waitFor();
    await page.setViewportSize({ width: 1280, height: 900 });
    await all.waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
    const day = (await today()).replace(/(....)-(..)-(..)/, "$2/$3/$1");
    await page.getByRole("textbox", { name: "Through" }).press("ControlOrMeta+a");
    await page.keyboard.type(`${day}`);
    await unclear.waitFor({ state: "detached" });
    await page.getByRole("textbox", { name: "Through" }).press("ControlOrMeta+a");
    await page.keyboard.press("Delete");
    await page.keyboard.press("Tab");
    expect(await page.getByRole("textbox", { name: "Through" }).inputValue()).not.toBe("");
    expect(faults).toEqual([]);
    // The service says what is wrong with the last day before the first.
    await page.goto(world.at("/reports?from=2026-05-10&through=2026-05-01"));
    await page.getByRole("alert").first().waitFor();
    await from.fill("4/10/2026");
    await all.waitFor();
    await page.close();
  });

  it("shows the table of the periods when it is opened", async () => {
    const { page } = await world.open(world.at("/reports?from=2025-01-01&through=2025-12-31&by=day"));
    await page.getByText("As a table").click();
    const rows = page.getByRole("table", { name: "By day" }).locator("tr");
    await expect.poll(() => rows.count()).toBe(366);
    // It stays open when the days change.
    await page.getByRole("textbox", { name: "From" }).fill("12/2/2025");
    await page.keyboard.press("Tab");
    await expect.poll(() => rows.count()).toBe(31);
    expect(await rows.last().isVisible()).toBe(true);
    // While it is closed, it is not made.
    await page.getByText("As a table").click();
    await expect.poll(() => rows.count()).toBe(0);
    await page.close();
  });

  it("says what is wrong with days of the future", async () => {
    const { page } = await world.open(world.at("/reports?from=2099-01-01&through=2099-01-31"));
    await page.getByRole("alert").first().waitFor();
    await page.close();
  });

  it("saves the periods, and what members have by month, as files", async () => {
    const { page } = await world.open(world.at("/reports"));
    const through = await today();
    const days = await activity({ by: "day", from: `${through.slice(0, 8)}01`, through });
    const save = async (section: string) => {
      const button = page
        .locator("section")
        .filter({ hasText: section })
        .last()
        .getByRole("button", { name: "Save as CSV" });
      const [file] = await Promise.all([page.waitForEvent("download"), button.click()]);
      return { name: file.suggestedFilename(), lines: (await contentOf(file)).trimEnd().split("\r\n") };
    };
    const { name, lines } = await save("By day");
    expect(name).toBe("activity.csv");
    expect(lines).toHaveLength(days.length + 1);
    expect(lines.at(-1)).toContain(through);
    const { points_by_month: months } = await world.call<{
      points_by_month: { points: number; amount: number }[];
    }>("/op/reports/liabilities", { business_id: world.demo.business_id });
    const points = await save("Points by the month in which they expire");
    expect(points.name).toBe(`points-${through}.csv`);
    expect(points.lines[0]).toBe("\uFEFFmonth,points,amount");
    const [first] = months as [{ points: number; amount: number }];
    expect(points.lines[1]).toMatch(
      new RegExp(`^[\\d-]+,${first.points},${(first.amount / 100).toFixed(2)}$`),
    );
    expect(points.lines).toHaveLength(months.length + 1);
    const { business_id } = world.demo;
    const tiers = await world.call<{ name: string; members: number }[]>("/op/tiers/list", {
      ...{ business_id, count_members: true },
    });
    const held = await save("Members by tier");
    expect(held.name).toBe(`tiers-${through.slice(0, 8)}01-${through}.csv`);
    for (const { name, members } of tiers)
      expect(held.lines.find((line) => line.includes(name))).toContain(`,${members},`);
    expect(tiers.some(({ members }) => members > 0)).toBe(true);
    const places = await save("By location");
    expect(places.name).toBe(`locations-${through.slice(0, 8)}01-${through}.csv`);
    const [titles = "", ...rows] = places.lines;
    const column = titles.replace("\uFEFF", "").split(",").indexOf("sales");
    expect(rows.reduce((sum, line) => sum + Number(line.split(",")[column]), 0)).toBe(sumOf(days, "sales"));
    await page.close();
  });

  it("prints the figures and the whole table, without the controls, in dark colours, too", async () => {
    const { page } = await world.open(world.at("/reports"), { width: 1280, height: 900, scheme: "dark" });
    await page.getByRole("img", { name: /^Sales by day: / }).waitFor();
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    await page.setViewportSize({ width: 720, height: 1000 });
    // Before it is opened, or printed, the table of the days is not made.
    const after = (event: string) =>
      page.evaluate(`dispatchEvent(new Event("${event}")); document.querySelectorAll("details tr").length`);
    expect(await page.locator("details tr").count()).toBe(0);
    // The browser prints when the listeners have returned.
    expect(await after("beforeprint")).toBe(Number((await today()).slice(8)) + 1);
    await page.getByRole("columnheader", { name: "Points given" }).first().waitFor();
    for (const name of ["By location", /^Members by tier/])
      await page.getByRole("table", { name }).getByRole("cell").first().waitFor();
    for (const hidden of [
      page.getByText("This month", { exact: true }),
      // A heading that sorts looks like the others.
      page.locator(":is(button, [role=button]):not(th *)"),
      page.getByRole("textbox", { name: "Through" }),
    ])
      await expect.poll(() => hidden.filter({ visible: true }).count()).toBe(0);
    const colour = () => page.evaluate("getComputedStyle(document.querySelector('h1')).color");
    await expect.poll(colour).toBe("rgb(0, 0, 0)");
    // Also where backgrounds are printed.
    const paper = "getComputedStyle(document.querySelector('.mantine-Card-root')).backgroundColor";
    await expect.poll(() => page.evaluate(paper)).toBe("rgb(255, 255, 255)");
    await expect.poll(() => page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    await after("afterprint");
    await expect.poll(() => page.locator("details tr").count()).toBe(0);
    await page.close();
  });

  it("shows the largest amounts without scrolling sideways", async () => {
    const { page } = await world.open(world.at("/reports"), { width: 360, height: 800, scheme: "light" });
    await page.route("**/op/reports/*", async (route) => {
      const response = await route.fetch();
      const text = await response.text();
      await route.fulfill({ response, body: text.replaceAll(/_amount":\d+/g, '_amount":9007199254740991') });
    });
    await page.reload();
    await figure(page, "Average sale").getByText(/EUR/).first().waitFor();
    await expect.poll(() => page.evaluate("document.documentElement.scrollWidth")).toBe(360);
    // Responses that are still on their way can be read only while the page is there.
    await page.unrouteAll({ behavior: "wait" });
    await page.close();
  });
});

function dayBefore(day: string): string {
  return new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10);
}
