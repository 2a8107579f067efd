/** Forms: they ask for all that their operations take, say what was rejected, and drop nothing unasked. */
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { consoleDeclarations } from "../../tools/console/declarations.ts";
import { violationsOn } from "../support/accessibility.ts";
import { describeInBrowser } from "../support/chromium.ts";
import { useConsole } from "../support/console.ts";

/** The forms of a member: the labels that lead there, and the fields that the page knows. */
const forms = [
  { path: "/op/members/adjust-points", open: ["Correct a balance"] },
  { path: "/op/wallet/topup", open: ["More", "Top up the wallet"] },
  { path: "/op/wallet/pay", open: ["More", "Pay from the wallet"] },
  { path: "/op/reward-points/redeem", open: ["More", "Redeem points"] },
  { path: "/op/vouchers/issue", open: ["More", "Issue a voucher"] },
  { path: "/op/members/assign-tier", open: ["More", "Assign a tier"] },
  { path: "/op/members/merge", open: ["More", "Merge a duplicate"] },
];

const focusedName = (page: Page) => page.evaluate<string>("document.activeElement.name");

describeInBrowser("a form", (launch) => {
  const world = useConsole(launch);

  it.each(forms)("of $path asks for all that the operation takes", async ({ path, open }) => {
    const { page, faults } = await world.open(world.at(`/members/${world.priya}`));
    const [button = "", item] = open;
    await page.getByRole("button", { name: button }).click();
    if (item) await page.getByRole("menuitem", { name: item }).click();
    const dialog = page.getByRole("dialog");
    await dialog.locator("form").waitFor();
    const names = () =>
      page.evaluate<string[]>(
        `[...new Set([...document.querySelectorAll("[role=dialog] form [name]")].map((one) => one.name))]`,
      );
    const { input } = consoleDeclarations()[path] as { input: object };
    const known = ["business_id", "contact_id", "dry_run"];
    const asked = Object.keys(input).filter((name) => !known.includes(name));
    await expect.poll(async () => (await names()).toSorted()).toEqual(asked.toSorted());
    expect(faults).toEqual([]);
    await page.close();
  });

  it("tops a wallet up by a bonus, and buys a voucher for points", async () => {
    const { business_id } = world.demo;
    const contact_id = world.priya;
    const credit = { points: 500, adjustment_type: "credit", reason: "Enough for a voucher" };
    const write = { idempotency_key: "enough", business_id, contact_id, ...credit };
    await world.call("/op/members/adjust-points", write);
    const { page } = await world.open(world.at(`/members/${contact_id}`));
    const [benefit] = await world.call<{ title: string; location_id: number; status: string }[]>(
      "/op/topup-benefits/list",
      { business_id },
    );
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Top up the wallet" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Fill in one of these: Amount or Top-up bonus.").waitFor();
    await dialog.getByLabel("Top-up bonus").selectOption({ label: benefit?.title as string });
    await dialog.getByLabel("Location").selectOption(String(benefit?.location_id));
    await dialog.getByRole("textbox", { name: "Reason" }).fill("At the counter");
    await dialog.getByRole("button", { name: "Top up the wallet" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Redeem points" }).click();
    await dialog.getByLabel("Voucher").selectOption({ label: "Coffee for Beans" });
    await dialog.getByRole("textbox", { name: "Reason" }).fill("At the counter");
    await dialog.getByRole("button", { name: "Redeem points" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.goto(world.at(`/members/${contact_id}?show=vouchers`));
    await page
      .getByRole("row", { name: /Coffee for Beans/ })
      .first()
      .waitFor();
    await page.close();
  });

  it("says that its choices are loading, or can't be read", async () => {
    const { page } = await world.open(world.at(`/members/${world.priya}`));
    const lists = "**/op/vouchers/list";
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(lists, (route) => released.then(() => route.fallback()));
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Redeem points" }).click();
    const dialog = page.getByRole("dialog");
    const voucher = dialog.getByRole("combobox", { name: "Voucher" });
    await expect.poll(() => voucher.locator("option").allTextContents()).toEqual(["Loading"]);
    await expect.poll(() => focusedName(page)).toBe("voucher_id");
    release();
    await voucher.selectOption({ label: "Coffee for Beans" });
    expect(await focusedName(page)).toBe("voucher_id");
    await page.unroute(lists);

    let fail: () => void = () => undefined;
    const failed = new Promise<void>((resolve) => {
      fail = resolve;
    });
    await page.route("**/op/locations/list", (route) => failed.then(() => route.abort("connectionreset")));
    await page.goto(world.at("/promotions?new=1"));
    await dialog.getByRole("group", { name: "Locations" }).getByText("Loading").waitFor();
    fail();
    const tryAgain = dialog.getByRole("button", { name: "Try again" });
    await tryAgain.waitFor();
    await page.unroute("**/op/locations/list");
    await tryAgain.click();
    await dialog.getByRole("checkbox", { name: "Harbour Street" }).waitFor();
    await page.close();
  });

  it("says by how much a limit is exceeded", async () => {
    const session = await world.signIn({ role: "support", limit_points: 40 });
    const { page } = await world.open(world.at(`/members/${world.priya}`), undefined, session);
    await page.getByRole("button", { name: "Correct a balance" }).click();
    await page.getByRole("textbox", { name: "Points" }).fill("41");
    await page.getByRole("textbox", { name: "Reason" }).fill("Too much");
    await page.getByRole("button", { name: "Correct the balance" }).click();
    await page
      .getByText(/above what you may correct today\. Left until .*: 40 points of 40 points/)
      .waitFor();
    await page.close();
  });

  it("names the fields that a preview rejects", async () => {
    const { page } = await world.open(world.at("/programs"));
    const problem = {
      ...{ field: "programs.0.earn_points", code: "out_of_range" },
      message: "programs.0.earn_points must be at most 7",
    };
    const error = { code: "validation_failed", details: { errors: [problem] } };
    await page.route("**/op/rules/preview", (route) =>
      route.fulfill({ status: 422, json: { success: false, message: "Not valid.", error } }),
    );
    await page.getByRole("button", { name: "Edit" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.locator("input[name=earn_points]").fill("9");
    await dialog.getByRole("button", { name: "Show what would change" }).click();
    // Above the fields, and at the one that is meant.
    await expect.poll(() => dialog.getByText("Programs 1, points must be at most 7").count()).toBe(2);
    const marked = dialog.locator("input[name=earn_points][aria-invalid=true]");
    await marked.waitFor();
    await marked.fill("7");
    await marked.waitFor({ state: "detached" });
    await page.close();
  });

  it("asks before it drops what was written, also while nobody knows whether it was saved", async () => {
    const { page } = await world.open(world.at(`/members/${world.priya}`));
    const dialog = page.getByRole("dialog", { name: /^Correct/ });
    const points = dialog.getByRole("textbox", { name: "Points" });
    const question = dialog.getByText("Close it? What you have written is lost if it was not saved.");
    const open = async () => {
      await page.getByRole("button", { name: "Correct a balance" }).click();
      await points.waitFor();
    };
    await open();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await open();
    await points.fill("12");
    for (const close of [
      () => page.keyboard.press("Escape"),
      () => dialog.getByRole("button", { name: "Close", exact: true }).click(),
    ]) {
      await close();
      await question.waitFor();
      await dialog.getByRole("button", { name: "Go on writing" }).click();
      await question.waitFor({ state: "detached" });
      expect(await points.inputValue()).toBe("12");
    }
    await dialog.getByRole("textbox", { name: "Reason" }).fill("The till was offline");
    await page.route("**/op/members/adjust-points", (route) => route.abort("connectionreset"));
    await dialog.getByRole("button", { name: "Correct the balance" }).click();
    await dialog.getByText("It is not known whether").waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await question.waitFor();
    await dialog.getByRole("button", { name: "Close it" }).click();
    await dialog.waitFor({ state: "detached" });
    // A form behind the question for the password is not dropped, either.
    await open();
    await points.fill("12");
    await dialog.getByRole("textbox", { name: "Reason" }).fill("The till was offline");
    await page.unroute("**/op/members/adjust-points");
    await world.endSession(page);
    await dialog.getByRole("button", { name: "Correct the balance" }).click();
    const password = page.getByRole("dialog", { name: "Sign in again" });
    await password.waitFor();
    await page.keyboard.press("Escape");
    await password.getByRole("button", { name: "Go on writing" }).click();
    await password.getByLabel(/^Password/).fill(world.password);
    await password.getByRole("button", { name: "Continue" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.close();
  });

  it("asks also about choices, and about a request without fields", async () => {
    const { page } = await world.open(world.at("/programs"));
    const dialog = page.getByRole("dialog");
    const question = dialog.getByText("Close it? What you have written is lost if it was not saved.");
    await page.getByRole("button", { name: "Add a program" }).click();
    await dialog.getByRole("button", { name: "Add a rate" }).click();
    await page.keyboard.press("Escape");
    await question.waitFor();
    await dialog.getByRole("button", { name: "Close it" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.goto(world.at("/tiers"));
    const remove = page.getByRole("button", { name: "Delete" }).first();
    await remove.click();
    await dialog.getByRole("button", { name: "Delete" }).waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await page.route("**/op/tiers/delete", (route) => route.abort("connectionreset"));
    await remove.click();
    await dialog.getByRole("button", { name: "Delete" }).click();
    await dialog.getByText("It is not known whether").waitFor();
    await page.keyboard.press("Escape");
    await question.waitFor();
    await dialog.getByRole("button", { name: "Close it" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.close();
  });

  it("takes white as a colour, and none", async () => {
    const { page, faults } = await world.open(world.at("/passes"));
    const dialog = page.getByRole("dialog");
    const { business_id } = world.demo;
    const colorNow = async () => {
      const all = await world.call<{ business_id: number; color: string | null }[]>(
        "/op/businesses/list",
        {},
      );
      return all.find((one) => one.business_id === business_id)?.color;
    };
    const set = async (color: string) => {
      await page.getByRole("button", { name: "Colour" }).click();
      await dialog.getByRole("textbox", { name: "Colour" }).fill(color);
      expect(await violationsOn(page, { only: "[role=dialog]" })).toEqual([]);
      await dialog.getByRole("button", { name: "Save" }).click();
      await dialog.waitFor({ state: "detached" });
    };
    await set("#ffffff");
    expect(await colorNow()).toBe("#ffffff");
    await set("");
    expect(await colorNow()).toBeNull();
    expect(faults).toEqual([]);
    await page.close();
  });

  it("takes a day as the person writes it, and shows its month as a word", async () => {
    const { page, faults } = await world.open(world.at("/promotions"));
    await page.getByRole("button", { name: "Add a promotion" }).click();
    const dialog = page.getByRole("dialog");
    const day = dialog.locator("input[name=first_day]");
    const save = dialog.getByRole("button", { name: "Add a promotion" });
    const written = async (text: string) => {
      await day.fill(text);
      await day.blur();
      return day.inputValue();
    };
    // The browser of the tests is American.
    expect(await day.getAttribute("placeholder")).toBe("MM/DD/YYYY");
    expect(await written("4/17/2026")).toBe("17 Apr 2026");
    expect(await written("18 Apr 2026")).toBe("18 Apr 2026");
    expect(await written("17.4.2026")).toBe("17.4.2026");
    await save.click();
    await dialog.getByText("There is no such date. An example is 12/31/").waitFor();
    expect(await day.getAttribute("aria-invalid")).toBe("true");
    // The calendar is the browser's, which no test can see.
    await page.evaluate(`HTMLInputElement.prototype.showPicker = function () { this.dataset.isOpen = ""; }`);
    await dialog.getByRole("button", { name: "Choose in the calendar: First day" }).click();
    await dialog.locator("input[type=date][data-is-open]").fill("2026-05-06");
    await expect.poll(() => day.inputValue()).toBe("6 May 2026");
    await dialog.locator("input[name=name]").fill("May");
    await dialog.getByRole("textbox", { name: "Factor" }).fill("2");
    await save.click();
    await dialog.waitFor({ state: "detached" });
    const { business_id } = world.demo;
    const all = await world.call<Record<string, unknown>[]>("/op/promotions/list", { business_id });
    expect(all.find(({ name }) => name === "May")).toMatchObject({ first_day: "2026-05-06" });
    // A filter keeps the day in the address as programs write it.
    await page.goto(world.at("/transactions"));
    await page.getByRole("textbox", { name: "From" }).fill("1/2/2020");
    await expect.poll(() => new URL(page.url()).searchParams.get("start_date")).toBe("2020-01-02");
    await page.reload();
    await expect.poll(() => page.getByRole("textbox", { name: "From" }).inputValue()).toBe("2 Jan 2020");
    expect(faults).toEqual([]);
    await page.close();
  });

  it("counts a day that is half typed as written, and says what is wrong with it", async () => {
    const { business_id } = world.demo;
    const started = { business_id, name: "Half", multiply: 200, first_day: "2026-05-06" };
    await world.call("/op/promotions/create", { idempotency_key: "half", ...started });
    const { page, faults } = await world.open(world.at("/promotions"));
    const dialog = page.getByRole("dialog");
    const day = dialog.locator("input[name=first_day]");
    const question = dialog.getByText("Close it? What you have written is lost if it was not saved.");
    await page.getByRole("row").filter({ hasText: "Half" }).getByRole("button", { name: "Edit" }).click();
    const save = dialog.getByRole("button", { name: "Save" });
    await expect.poll(() => day.inputValue()).toBe("6 May 2026");
    expect(await save.isDisabled()).toBe(true);
    await day.press("ControlOrMeta+a");
    await page.keyboard.type("5/7");
    expect(await day.inputValue()).toBe("5/7");
    await page.keyboard.press("Escape");
    await question.waitFor();
    await dialog.getByRole("button", { name: "Go on writing" }).click();
    // Enter sends the form, which says what is wrong.
    await day.press("Enter");
    await dialog.getByText("Write a date with all four digits of the year").waitFor();
    await day.press("End");
    await page.keyboard.type("/2026");
    await day.press("Enter");
    await dialog.waitFor({ state: "detached" });
    const all = await world.call<Record<string, unknown>[]>("/op/promotions/list", { business_id });
    expect(all.find(({ name }) => name === "Half")).toMatchObject({ first_day: "2026-05-07" });
    expect(faults).toEqual([]);
    await page.close();
  });

  it("has an amount that is no number, which can be sent to see what is wrong", async () => {
    const { page } = await world.open(world.at("/tiers"));
    await page.getByRole("button", { name: "Edit" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.locator("input[name=qualifying_sales]").fill("much");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.locator("input[name=qualifying_sales][aria-invalid=true]").waitFor();
    await page.close();
  });

  it("offers no empty choice for what a record must have", async () => {
    const { page } = await world.open(world.at("/topups"));
    await page.getByRole("button", { name: "Edit" }).first().click();
    const dialog = page.getByRole("dialog");
    // A benefit has a status. It was a list that began with none, because a change can leave it out.
    await dialog.getByRole("radio", { name: "Active", exact: true }).waitFor();
    expect(await dialog.getByRole("option", { name: "None" }).count()).toBe(0);
    // Browsers leave UTC out of their time zones.
    await page.goto(world.at("/../businesses"));
    await page.getByRole("button", { name: "Edit" }).last().click();
    await expect.poll(() => dialog.getByLabel("Time zone").inputValue()).toBe("UTC");
    await page.close();
  });

  it("is titled with its record, and a correction with the member and the balance that results", async () => {
    const { page } = await world.open(world.at("/tiers"));
    const [tier] = await world.call<{ name: string }[]>("/op/tiers/list", {
      business_id: world.demo.business_id,
    });
    await page.getByRole("button", { name: "Edit" }).first().click();
    await page.getByRole("dialog", { name: `Edit: ${tier?.name}` }).waitFor();
    const { business_id, integration_id } = world.demo;
    const integration = { business_id, integration_id };
    const { name } = await world.call<{ name: string }>("/op/integrations/get", integration);
    await page.goto(world.at(`/integrations/${integration_id}`));
    await page.getByRole("button", { name: "New secret" }).click();
    await page.getByRole("dialog", { name: `New secret: ${name}` }).waitFor();
    await page.goto(world.at(`/members/${world.priya}`));
    await page.getByRole("button", { name: "Correct a balance" }).click();
    const dialog = page.getByRole("dialog", { name: "Correct a balance: Priya Raghunathan" });
    const before = Number(/The balance is ([\d,]+)\./.exec(await dialog.innerText())?.[1]?.replace(",", ""));
    await dialog.getByRole("textbox", { name: "Points" }).fill("3");
    await dialog.getByText("Take away").click();
    const after = (before - 3).toLocaleString("en");
    await dialog.getByText(`Afterwards, Priya Raghunathan has ${after} points.`).waitFor();
    await page.close();
  });
});

describeInBrowser("a list", (launch) => {
  const world = useConsole(launch);

  it("has its page in the address, and begins anew with another filter", async () => {
    const { page } = await world.open(world.at("/transactions"));
    await page.getByRole("button", { name: "Page 2", exact: true }).click();
    await page.getByText(/^26–50 of/).waitFor();
    await page.reload();
    await page.getByText(/^26–50 of/).waitFor();
    await page.getByRole("textbox", { name: "From" }).fill("2000-01-01");
    await page.getByText(/^1–25 of/).waitFor();
    await page.goto(world.at("/transactions"));
    await page.getByRole("button", { name: "Page 3", exact: true }).click();
    await page.getByText(/^51–75 of/).waitFor();
    await page.goBack();
    await page.getByText(/^1–25 of/).waitFor();
    // The pages of the service remember the business, too.
    await page.goto(world.at("/../accounts"));
    const choice = page.getByRole("combobox", { name: "Business" });
    await expect.poll(() => choice.inputValue()).toBe(String(world.demo.business_id));
    await page.close();
  });

  it("has its order in the address, if it shows all rows", async () => {
    const { page, faults } = await world.open(world.at("/tiers"));
    const tiers = page.getByRole("table");
    const heading = tiers.getByRole("columnheader", { name: "Qualifying sales" });
    const first = () => tiers.getByRole("row").nth(1).getByRole("cell").first().textContent();
    await heading.getByRole("button").click();
    await expect.poll(() => heading.getAttribute("aria-sort")).toBe("ascending");
    expect(await first()).toBe("Bronze");
    await heading.getByRole("button").click();
    await expect.poll(first).toBe("Gold");
    await page.reload();
    await expect.poll(first).toBe("Gold");
    expect(await heading.getAttribute("aria-sort")).toBe("descending");
    // A period has a unit, so its number says too little.
    expect(await tiers.getByRole("columnheader", { name: "Valid for" }).getByRole("button").count()).toBe(0);
    await page.goto(world.at("/transactions"));
    await page.getByRole("columnheader", { name: "Amount" }).waitFor();
    expect(await page.getByRole("columnheader").getByRole("button").count()).toBe(0);
    expect(faults).toEqual([]);
    await page.close();
  });

  it("beside another one of the page has a page number of its own", async () => {
    const { page } = await world.open(world.at("/today"));
    const asked = (path: string) =>
      page.waitForRequest((request) => request.url().endsWith(path)).then((one) => one.postDataJSON().page);
    const both = Promise.all([asked("/op/requests/list"), asked("/op/requests/counts")]);
    await page.goto(world.at("/requests?requests-page=2"));
    expect(await both).toEqual([2, 1]);
    await page.close();
  });

  it("of several pages can be sorted as a whole, also on a phone", async () => {
    const { business_id } = world.demo;
    for (let number = 1; number <= 26; number++) {
      const name = `Zone ${String(number).padStart(2, "0")}`;
      await world.call("/op/locations/create", { idempotency_key: name, business_id, name });
    }
    const { page, faults } = await world.open(world.at("/locations"));
    const first = () => page.getByRole("table").locator("tbody tr").first().innerText();
    await page.getByRole("button", { name: "Page 2", exact: true }).click();
    await page.getByText(/^26–/).waitFor();
    await page.getByRole("columnheader", { name: "Name" }).getByRole("button").click();
    await page.getByRole("columnheader", { name: "Name" }).getByRole("button").click();
    await expect.poll(first).toMatch(/^Zone 26/);
    await page.getByText(/^1–\d+ of/).waitFor();
    await page.setViewportSize({ width: 360, height: 800 });
    await page.getByRole("table").getByRole("button", { name: "Name" }).click();
    await expect.poll(first).not.toMatch(/^Zone 26/);
    expect(await violationsOn(page)).toEqual([]);
    expect(faults).toEqual([]);
    await page.close();
  });

  it("has the columns that a person chooses, also after the page is loaded again", async () => {
    const { page, faults } = await world.open(world.at("/members"));
    const headings = page.getByRole("columnheader");
    await page.getByRole("columnheader", { name: "Tier", exact: true }).waitFor();
    await page.getByRole("button", { name: "Columns" }).click();
    await page.getByRole("menuitemcheckbox", { name: "Tier", exact: true }).click();
    await page.getByRole("menuitemcheckbox", { name: "E-mail address", exact: true }).click();
    expect(await violationsOn(page)).toEqual([]);
    const chosen = ["Name", "Phone number", "Points", "Wallet", "E-mail address"];
    await expect.poll(() => headings.allTextContents()).toEqual(chosen);
    await page.reload();
    await headings.first().waitFor();
    expect(await headings.allTextContents()).toEqual(chosen);
    expect(faults).toEqual([]);
    await page.evaluate("localStorage.clear()");
    await page.close();
  });

  it("says the reason of an entry once, below what happened", async () => {
    const { page } = await world.open(world.at("/transactions"));
    await page.getByRole("button", { name: "Columns" }).click();
    await page.getByRole("menuitemcheckbox", { name: "Location", exact: true }).waitFor();
    expect(await page.getByRole("menuitemcheckbox", { name: "Reason", exact: true }).count()).toBe(0);
    await page.close();
  });

  it("names the members of sales, also after the sales of one member were looked at", async () => {
    const { page, faults } = await world.open(world.at(`/members/${world.priya}?show=sales`));
    await page.getByRole("columnheader", { name: "Points earned" }).waitFor();
    expect(await page.getByRole("columnheader", { name: "Member" }).count()).toBe(0);
    await page.goto(world.at("/sales"));
    await page.getByRole("columnheader", { name: "Member" }).waitFor();
    expect(faults).toEqual([]);
    await page.close();
  });

  it("opens what is found with Enter only if it is the only one", async () => {
    const { page } = await world.open(world.at("/members"));
    await page.getByRole("searchbox").fill("a");
    await page.getByText(/^1–25 of/).waitFor();
    const [asked] = await Promise.all([
      page.waitForResponse((response) => response.request().postData()?.includes('"per_page":2}') === true),
      page.keyboard.press("Enter"),
    ]);
    await asked.finished();
    await page.getByRole("heading", { name: "Members" }).waitFor();
    await page.getByRole("searchbox").fill("Raghunathan");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Priya Raghunathan" }).waitFor();
    await page.close();
  });
});
