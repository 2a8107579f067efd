/** Promotions in the console: a first one to try, its words, and what can be done with it. */
import { expect, it } from "vitest";
import { openDialog, violationsOn } from "../support/accessibility.ts";
import { describeInBrowser } from "../support/chromium.ts";
import { useConsole } from "../support/console.ts";

interface Promotion {
  readonly status: string;
  readonly multiply: number | null;
  readonly points: number | null;
  readonly per: string;
  readonly member_days: number | null;
}

describeInBrowser("promotions", (launch) => {
  const world = useConsole(launch);

  /** Makes a business that has nothing yet. */
  async function newBusiness(name: string) {
    const body = { idempotency_key: name, name, currency: "EUR" };
    const { business_id } = await world.call<{ business_id: number }>("/op/businesses/create", body);
    const promotionsNow = () => world.call<Promotion[]>("/op/promotions/list", { business_id });
    return { business_id, promotionsNow, address: world.at(`/../${business_id}/promotions`) };
  }

  it("begin with one to try, which can be changed, paused and ended", async () => {
    const { promotionsNow, address } = await newBusiness("Corner shop");
    const { page, faults } = await world.open(address);
    const dialog = page.getByRole("dialog");
    await page.getByRole("button", { name: "Try double points on Tuesdays" }).click();
    // The sentence follows what is written.
    await dialog.getByText("Double points · Tue 14:00–17:00", { exact: true }).waitFor();
    await dialog.getByText("a sale that earns 10 points by the program earns 20.").waitFor();
    await dialog.getByRole("textbox", { name: "Factor" }).fill("1.5");
    await dialog.getByRole("textbox", { name: "Categories" }).fill("coffee\ntea");
    await dialog.getByText("1.5 × points · Tue 14:00–17:00 · coffee, tea", { exact: true }).waitFor();
    expect(await violationsOn(page, openDialog)).toEqual([]);
    await dialog.getByRole("button", { name: "Add a promotion" }).click();
    await dialog.waitFor({ state: "detached" });
    // Its page says what it gave.
    await page.getByRole("heading", { name: "Double points on Tuesdays" }).waitFor();
    await page.getByText("It has given nothing in the last four weeks.").waitFor();
    expect(await promotionsNow()).toMatchObject([{ status: "active", multiply: 150, points: null }]);
    await page.goto(address);
    const row = page.getByRole("row", { name: "Double points on Tuesdays" });
    await row.getByText("1.5 × points · Tue 14:00–17:00 · coffee, tea").waitFor();

    // Fixed points take the place of the factor, and only then it asks for what they are given.
    await row.getByRole("button", { name: "Edit" }).click();
    expect(await dialog.getByLabel("Given for each").count()).toBe(0);
    await dialog.getByRole("radio", { name: "Fixed points" }).check();
    expect(await dialog.getByRole("textbox", { name: "Factor" }).count()).toBe(0);
    await dialog.getByRole("textbox", { name: "Points", exact: true }).fill("50");
    await dialog.getByRole("radio", { name: "Piece" }).check();
    await dialog.getByLabel("Members").selectOption("Around their birthday");
    await dialog.getByRole("textbox", { name: "Days" }).fill("7");
    await dialog.getByText("50 points for each piece").waitFor();
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
    await row.getByText(/^50 points for each piece · .* · birthday ± 7 days$/).waitFor();
    expect(await promotionsNow()).toMatchObject([
      { multiply: null, points: 50, per: "unit", member_days: 7 },
    ]);

    // Back again: what no longer counts is emptied.
    await row.getByRole("button", { name: "Edit" }).click();
    await dialog.getByRole("radio", { name: "More points: a multiple of the usual ones" }).check();
    await dialog.getByRole("textbox", { name: "Factor" }).fill("3");
    await dialog.getByLabel("Members").selectOption("All");
    await dialog.getByRole("button", { name: "Save" }).click();
    await row.getByText(/^Triple points/).waitFor();
    const back = { multiply: 300, points: null, per: "sale", member_days: null };
    expect(await promotionsNow()).toMatchObject([back]);

    await row.getByRole("button", { name: "Pause" }).click();
    await dialog.getByRole("button", { name: "Pause" }).click();
    await row.getByText("Paused").waitFor();
    await row.getByRole("button", { name: "Start" }).click();
    await dialog.getByRole("button", { name: "Start" }).click();
    await row.getByText("Active").waitFor();
    await row.getByRole("button", { name: "End" }).click();
    await dialog.getByText("An ended promotion can't be resumed.").waitFor();
    await dialog.getByRole("button", { name: "End" }).click();
    await row.getByText("Ended").waitFor();
    expect(await row.getByRole("button").count()).toBe(0);
    expect(faults).toEqual([]);
    await page.close();
  });

  it("take days of the week as chips, and say at the field what is wrong", async () => {
    const { promotionsNow, address } = await newBusiness("Week shop");
    const { page } = await world.open(address, { width: 360, height: 800, scheme: "dark" });
    const dialog = page.getByRole("dialog");
    await page.getByRole("button", { name: "Add a promotion" }).first().click();
    await dialog.getByRole("textbox", { name: /^Name/ }).fill("Weekdays");
    await dialog.getByRole("textbox", { name: "Factor" }).fill("1");
    for (const day of ["Wed", "Mon", "Tue"]) await dialog.getByText(day, { exact: true }).click();
    await dialog.getByText("Mon–Wed").waitFor();
    await dialog.getByLabel("From", { exact: true }).fill("9 am");
    await dialog.getByRole("button", { name: "Add a promotion" }).click();
    await dialog.getByText("At least 1.10").waitFor();
    await dialog.getByRole("textbox", { name: "Factor" }).fill("2");
    await dialog.getByRole("button", { name: "Add a promotion" }).click();
    await dialog.getByText("must be sent together with").waitFor();
    expect(await dialog.getByLabel("Until", { exact: true }).getAttribute("aria-invalid")).toBe("true");
    await dialog.getByLabel("Until", { exact: true }).fill("noon");
    await dialog.getByRole("button", { name: "Add a promotion" }).click();
    await dialog.getByText("Write a time, such as 14:30.").waitFor();
    await dialog.getByLabel("Until", { exact: true }).fill("11:00");
    await dialog.getByRole("button", { name: "Add a promotion" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByText("Double points · Mon–Wed 09:00–11:00").waitFor();
    expect(await promotionsNow()).toMatchObject([{ multiply: 200 }]);
    await page.close();
  });

  it("give a voucher, which leaves no factor, no points and no budget", async () => {
    const { business_id, promotionsNow, address } = await newBusiness("Voucher shop");
    const definition = { campaign_name: "Free coffee", coupon_code: "COFFEE", coupon_value: 350 };
    const voucher = { idempotency_key: "voucher", business_id, ...definition };
    const { voucher_id } = await world.call<{ voucher_id: number }>("/op/vouchers/create", voucher);
    const grant = { name: "Regulars", points: 5, budget_points: 100, exclusive: true };
    await world.call("/op/promotions/create", { idempotency_key: "promotion", business_id, ...grant });
    const { page, faults } = await world.open(address);
    const dialog = page.getByRole("dialog");
    await page.getByRole("button", { name: "Edit" }).click();
    await dialog.getByText("5 points · at most 100 points in all").waitFor();
    await dialog.getByRole("radio", { name: "A voucher" }).check();
    expect(await dialog.getByRole("textbox", { name: "Points in all" }).count()).toBe(0);
    await dialog.getByLabel("Voucher", { exact: true }).selectOption("Free coffee");
    await dialog.getByText("The voucher Free coffee", { exact: true }).waitFor();
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByRole("cell", { name: "The voucher Free coffee", exact: true }).waitFor();
    const only = { voucher_id, points: null, multiply: null, budget_points: null, exclusive: false };
    expect(await promotionsNow()).toMatchObject([only]);
    expect(faults).toEqual([]);
    await page.close();
  });

  it("say below their status what keeps them from acting", async () => {
    const { business_id, address } = await newBusiness("Archive");
    const key = (idempotency_key: string) => ({ idempotency_key, business_id });
    const definition = { campaign_name: "Free coffee", coupon_code: "COFFEE", coupon_value: 350 };
    const voucher = await world.call<{ voucher_id: number }>("/op/vouchers/create", {
      ...key("to-archive"),
      ...definition,
    });
    const { voucher_id } = voucher;
    await world.call("/op/promotions/create", { ...key("warned"), name: "Regulars", voucher_id });
    await world.call("/op/vouchers/archive", { ...key("archived"), voucher_id });
    const { page, faults } = await world.open(address, { width: 360, height: 800, scheme: "dark" });
    const warning = page.getByText("Voucher must be a voucher that is not archived.");
    await warning.waitFor();
    // What is archived keeps its name.
    await page.getByText("The voucher Free coffee", { exact: true }).waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await page.getByRole("link", { name: "Regulars" }).click();
    await page.getByRole("heading", { name: "Regulars" }).waitFor();
    await warning.waitFor();
    expect(await violationsOn(page)).toEqual([]);
    expect(faults).toEqual([]);
    await page.close();
  });

  it("give stamps, and say so without points", async () => {
    const { business_id, address } = await newBusiness("Stamp shop");
    const key = (idempotency_key: string) => ({ idempotency_key, business_id });
    const voucher = { campaign_name: "Free tea", coupon_code: "TEA", kind: "item", categories: ["tea"] };
    const { voucher_id } = await world.call<{ voucher_id: number }>("/op/vouchers/create", {
      ...{ ...key("tea"), ...voucher },
    });
    const card = { name: "Tea card", stamps_needed: 5, voucher_id, counts: "visit" };
    await world.call("/op/stamp-cards/create", { ...key("card"), ...card });
    const { page, faults } = await world.open(address);
    const dialog = page.getByRole("dialog");
    await page.getByRole("button", { name: "Add a promotion" }).first().click();
    await dialog.getByRole("textbox", { name: /^Name/ }).fill("Cake week");
    await dialog.getByRole("radio", { name: "Stamps" }).check();
    await dialog.getByLabel("Stamp card", { exact: true }).selectOption("Tea card");
    await dialog.getByRole("textbox", { name: "Stamps", exact: true }).fill("2");
    await dialog.getByText("2 more stamps on Tea card", { exact: true }).waitFor();
    await dialog.getByRole("button", { name: "Add a promotion" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByText("2 more stamps on Tea card", { exact: true }).waitFor();
    const figures = ["Sales", "Members", "Stamps given"];
    await expect.poll(() => page.locator("main dt").allTextContents()).toEqual(figures);
    expect(faults).toEqual([]);
    await page.close();
  });

  it("show what they would have given, before they are added", async () => {
    const { page, faults } = await world.open(world.at("/promotions"));
    const dialog = page.getByRole("dialog");
    await page.getByRole("button", { name: "Add a promotion" }).click();
    await dialog.getByRole("textbox", { name: /^Name/ }).fill("Double everything");
    await dialog.getByRole("textbox", { name: "Factor" }).fill("2");
    // It can be added without that.
    expect(await dialog.getByRole("button", { name: "Add a promotion" }).isEnabled()).toBe(true);
    await dialog.getByRole("button", { name: "Show what would change" }).click();
    const row = dialog.getByRole("row", { name: "By Double everything" });
    await row.getByText(/^[1-9][\d,]* points in [1-9][\d,]* sales$/).waitFor();
    expect(faults).toEqual([]);
    await page.close();
  });
});
