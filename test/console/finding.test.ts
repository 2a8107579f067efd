/** The kinds of text by which people look for a member: names in any order and script, numbers, cards, and what was pasted. */
import { beforeAll, expect, it } from "vitest";
import { describeInBrowser } from "../support/chromium.ts";
import { useConsole } from "../support/console.ts";

describeInBrowser("the search for members", (launch) => {
  const world = useConsole(launch);
  const ids = { séverine: 0, duplicate: 0 };

  beforeAll(async () => {
    const { business_id } = world.demo;
    const add = async (first_name: string, last_name: string, phone_number: string, more: object = {}) => {
      const body = {
        idempotency_key: phone_number,
        business_id,
        first_name,
        last_name,
        phone_number,
        ...more,
      };
      return (await world.call<{ contact_id: number }>("/op/members/create", body)).contact_id;
    };
    ids.séverine = await add("Séverine", "Dupont", "+33612345699", { external_ref: "CARD-77-01" });
    ids.duplicate = await add("Severine", "Twice", "+33612345700");
    await add("太郎", "山田", "+819012345678");
    const both = { business_id, contact_id: ids.séverine, from_contact_id: ids.duplicate };
    await world.call("/op/members/merge", { idempotency_key: "merge", ...both });
  });

  it.each([
    ["the last name first", () => "Dupont, Séverine", "Séverine Dupont"],
    ["without accents", () => "severine dupont", "Séverine Dupont"],
    ["misspelt", () => "Sévrine Dupond", "Séverine Dupont"],
    ["a name without a space", () => "山田太郎", "太郎 山田"],
    ["a card", () => "card-77-01", "Séverine Dupont"],
    ["its number", () => `Member ${ids.séverine}`, "Séverine Dupont"],
    ["the number of a duplicate that was merged into it", () => `Member ${ids.duplicate}`, "Séverine Dupont"],
    ["a number with marks of direction and blanks", () => "\u200e+33 6 12 34 56 99\u202c", "Séverine Dupont"],
    ["a name with blanks around it", () => "  Dupont ", "Séverine Dupont"],
  ])("finds one by %s", async (_kind, text, name) => {
    const { page, faults } = await world.open(world.at("/members"));
    await page.getByRole("searchbox").fill(text());
    await page.getByRole("link", { name, exact: true }).waitFor();
    await page.getByText("1–1 of 1").waitFor();
    expect(faults).toEqual([]);
    await page.close();
  });

  it("waits for more letters of a text, but not after a choice", async () => {
    const { page } = await world.open(world.at("/locations"));
    // Inputs that wait, wait forever.
    const never =
      "const wait = setTimeout; globalThis.setTimeout = (run, ms) => (ms === 150 ? 0 : wait(run, ms));";
    await page.addInitScript({ content: never });
    await page.goto(world.at("/members"));
    await page.getByRole("button", { name: "Filters", exact: true }).click();
    const asked: { search?: string; has_email?: boolean }[] = [];
    page.on("request", (request) => {
      if (request.url().endsWith("/op/members/list")) asked.push(request.postDataJSON());
    });
    await page.getByRole("searchbox").fill("Priya");
    await page.getByLabel("With an e-mail address").selectOption({ label: "Yes" });
    await page.getByText("1–1 of 1").waitFor();
    expect(asked.filter(({ search }) => search === "Priya").map(({ has_email }) => has_email)).toEqual([
      true,
    ]);
    await page.close();
  });

  it("opens the only one that is found with Enter, and none of several", async () => {
    const { page } = await world.open(world.at("/members"));
    await page.getByRole("searchbox").fill("a");
    await page.getByRole("searchbox").press("Enter");
    await page.getByRole("searchbox").fill("CARD-77-01");
    await page.getByRole("searchbox").press("Enter");
    await page.getByRole("heading", { name: "Séverine Dupont" }).waitFor();
    expect(page.url()).toContain(`/members/${ids.séverine}`);
    await page.close();
  });
});

describeInBrowser("the search for everything", (launch) => {
  const world = useConsole(launch);

  it("says that it is looking, or can't, before it says that nothing matches", async () => {
    const { page } = await world.open(world.at("/today"));
    const lists = "**/op/members/list";
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(lists, (route) => released.then(() => route.fallback()));
    await page.getByRole("heading", { name: "Today" }).waitFor();
    await page.keyboard.press("Control+k");
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("option").first().waitFor();
    await page.keyboard.type("Qqq");
    await dialog.getByText("Loading").waitFor();
    release();
    await dialog.getByText("Nothing matches.").waitFor();
    await page.unroute(lists);
    await page.route(lists, (route) => route.abort("connectionreset"));
    await page.keyboard.type("x");
    await dialog.getByText("The service can't be reached").waitFor();
    await page.close();
  });

  it("calls forms as their buttons do, and leads only where one opens", async () => {
    const { page, faults } = await world.open(world.at("/today"));
    await page.getByRole("heading", { name: "Today" }).waitFor();
    await page.keyboard.press("Control+k");
    const dialog = page.getByRole("dialog");
    const options = dialog.getByRole("group", { name: "Add" }).getByRole("option");
    await options.first().waitFor();
    const labels = await options.allInnerTexts();
    expect(labels).toContain("Add a tier");
    for (const label of labels) {
      if ((await dialog.count()) === 0) await page.keyboard.press("Control+k");
      await dialog.getByRole("combobox").fill(label);
      await page.getByRole("option", { name: label, exact: true }).waitFor();
      await page.keyboard.press("Enter");
      await dialog.getByRole("button", { name: label, exact: true }).waitFor();
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
      await page.getByRole("button", { name: label, exact: true }).waitFor();
      // The way back leads to the list, and not to its form.
      expect(page.url()).not.toContain("new=");
    }
    expect(faults).toEqual([]);
    await page.close();
  });

  it("finds other businesses", async () => {
    const name = "Second shop";
    const made = { idempotency_key: name, name, currency: "EUR" };
    const { business_id } = await world.call<{ business_id: number }>("/op/businesses/create", made);
    const { page } = await world.open(world.at("/today"));
    await page.getByRole("heading", { name: "Today" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog").getByRole("combobox").fill("second");
    await page.getByRole("listbox").getByRole("option", { name, exact: true }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/${business_id}/**`);
    await page.close();
  });
});
