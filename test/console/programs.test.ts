/** The form of a program: rates of categories are rows that can be added and removed, with words that follow what is written. */
import { expect, it } from "vitest";
import { openDialog, violationsOn } from "../support/accessibility.ts";
import { describeInBrowser } from "../support/chromium.ts";
import { useConsole } from "../support/console.ts";

describeInBrowser("a program", (launch) => {
  const world = useConsole(launch);

  it("has rates of categories and articles, and limits of a member", async () => {
    const name = "Perfumery";
    const { business_id } = await world.call<{ business_id: number }>("/op/businesses/create", {
      ...{ idempotency_key: name, name, currency: "EUR" },
    });
    const { page, faults } = await world.open(world.at(`/../${business_id}/programs`));
    const dialog = page.getByRole("dialog");
    await page.getByRole("button", { name: "Add a program" }).first().click();
    const write = (label: string, text: string, of = dialog.locator("form")) =>
      of.getByRole("textbox", { name: label, exact: true }).fill(text);
    await write("Name", "Club");
    await write("Most points of a sale", "500");
    await write("Most points of a member on a day", "1000");
    const addRate = dialog.getByRole("button", { name: "Add a rate" });
    const rate = (number: number) => dialog.getByRole("group", { name: `Rate ${number}`, exact: true });
    await addRate.click();
    await write("Categories", "cosmetics\nperfume", rate(1));
    await write("Points", "5", rate(1));
    await write("For each", "1", rate(1));
    await dialog.getByText("cosmetics, perfume: 5 points for each 1.00 EUR, so 10.00 EUR earns 50").waitFor();
    await addRate.click();
    await addRate.click();
    await write("Articles", "DIESEL", rate(2));
    await write("Points", "7", rate(2));
    await write("Articles", "WATER", rate(3));
    // A rate for each piece asks for no amount.
    await rate(3).getByLabel("Given for each").selectOption("Piece");
    expect(await rate(3).getByRole("textbox", { name: "For each", exact: true }).count()).toBe(0);
    expect(await violationsOn(page, openDialog)).toEqual([]);
    await rate(2).getByRole("button", { name: "Remove rate 2" }).click();
    await dialog.getByRole("button", { name: "Add a program" }).click();
    await dialog.getByText("This field is required.").waitFor();
    await write("Points", "2", rate(2));
    await dialog.getByText("WATER: 2 points for each piece, so 3 pieces earn 6").waitFor();
    expect(await dialog.getByRole("group", { name: /^Rate / }).count()).toBe(2);
    await dialog.getByRole("button", { name: "Add a program" }).click();
    await dialog.waitFor({ state: "detached" });
    const saved = () => world.call<object[]>("/op/programs/list", { business_id });
    const first = { categories: ["cosmetics", "perfume"], earn_points: 5, earn_amount: 100 };
    const second = { skus: ["WATER"], earn_points: 2, earn_per: "unit" };
    const limits = { maximum_points_per_day: 1000, maximum_points_per_month: null };
    expect(await saved()).toMatchObject([{ ...limits, rates: [first, second] }]);

    const row = page.getByRole("row", { name: "Club" });
    await row.getByText("WATER: 2 points for each piece").waitFor();
    await row.getByRole("button", { name: "Edit" }).click();
    await write("Points", "4", rate(1));
    await dialog.getByRole("button", { name: "Show what would change" }).click();
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await saved()).toMatchObject([{ rates: [{ ...first, earn_points: 4 }, second] }]);
    expect(faults).toEqual([]);
  });
});
