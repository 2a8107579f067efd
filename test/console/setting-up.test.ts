/** What a manager does in the console: sets up the programme and partners, and finds out what happened. */
import { expect, it } from "vitest";
import { describeInBrowser } from "../support/chromium.ts";
import { useConsole } from "../support/console.ts";

const phone = { width: 360, height: 800, scheme: "light" } as const;

describeInBrowser("the console of a manager", (launch) => {
  const world = useConsole(launch);

  it("folds filters on a phone, and says how many are set", async () => {
    const { page, faults } = await world.open(world.at("/transactions?start_date=2026-01-01"), phone);
    const filters = page.getByRole("button", { name: "Filters (1)" });
    await filters.waitFor();
    const through = page.getByLabel("Through");
    expect(await through.isVisible()).toBe(false);
    await filters.click();
    await through.fill("2026-01-31");
    await page.getByRole("button", { name: "Filters (2)", expanded: true }).waitFor();
    // A list with one filter shows it, and a large screen has room for all.
    await page.goto(world.at("/vouchers"));
    await page.getByLabel("Also archived vouchers").waitFor();
    expect(await page.getByRole("button", { name: /^Filters/ }).count()).toBe(0);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(world.at("/transactions"));
    await through.waitFor();
    expect(faults).toEqual([]);
    await page.context().close();
  });
});
