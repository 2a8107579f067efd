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

  it("previews what another tier would change, before it is added", async () => {
    const { page, faults } = await world.open(world.at("/tiers"), phone);
    const tiersNow = () => world.call<object[]>("/op/tiers/list", { business_id: world.demo.business_id });
    const before = await tiersNow();
    await page.getByRole("button", { name: "Add a tier" }).click();
    const dialog = page.getByRole("dialog");
    const save = dialog.getByRole("button", { name: "Add a tier" });
    const show = dialog.getByRole("button", { name: "Show what would change" });
    // The form says what is missing.
    await save.click();
    await dialog.getByText("This field is required.").first().waitFor();
    expect(await show.count()).toBe(0);
    await dialog.getByRole("textbox", { name: /^Name/ }).fill("Regulars");
    await dialog.getByRole("textbox", { name: /^Expiry/ }).fill("1");
    await dialog.getByText("This changes neither what sales earn nor who reaches a tier").waitFor();
    await dialog.getByRole("textbox", { name: /^Qualifying sales/ }).fill("0.01");
    expect(await save.isDisabled()).toBe(true);
    await show.click();
    await dialog.getByRole("row", { name: "Members with tier: Regulars" }).waitFor();
    expect(await tiersNow()).toEqual(before);
    await save.click();
    await dialog.waitFor({ state: "detached" });
    expect(await tiersNow()).toHaveLength(before.length + 1);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it("previews another rate of a program, and of one that would be added", async () => {
    const { page, faults } = await world.open(world.at("/programs"));
    const dialog = page.getByRole("dialog");
    const show = dialog.getByRole("button", { name: "Show what would change" });
    const save = dialog.getByRole("button", { name: "Save" });
    await page.getByRole("button", { name: "Edit" }).first().click();
    await dialog.getByRole("textbox", { name: /^Points/ }).fill("9");
    expect(await save.isDisabled()).toBe(true);
    await show.click();
    await dialog.getByRole("row", { name: "Points earned" }).waitFor();
    expect(await save.isEnabled()).toBe(true);
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Add a program" }).click();
    await dialog.getByRole("textbox", { name: /^Name/ }).fill("Double");
    await dialog.getByRole("textbox", { name: /^Most points of a sale/ }).fill("500");
    await show.click();
    await dialog.getByRole("row", { name: "Points earned" }).waitFor();
    // It changes nothing by itself.
    expect(await dialog.getByRole("button", { name: "Add a program" }).isEnabled()).toBe(true);
    expect(faults).toEqual([]);
    await page.context().close();
  });
});
