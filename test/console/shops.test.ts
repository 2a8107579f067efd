/**
 * A newcomer sets up three shops by clicks: a café, a fashion shop and a pharmacy. The console makes the definitions that the
 * operator API makes elsewhere, and a week of each, played by a till, ends with the results computed by hand.
 */
import type { Locator, Page } from "playwright-core";
import { expect, it } from "vitest";
import { describeInBrowser } from "../support/chromium.ts";
import { useConsole } from "../support/console.ts";
import { cafe, fashionShop, type Operate, opening, pharmacy, playWeek, type Week } from "../support/shops.ts";

describeInBrowser("a newcomer", (launch) => {
  const world = useConsole(launch);
  let calls = 0;

  /** The page of a new business, on which shops are set up. */
  async function newcomer() {
    const { page, faults } = await world.open(`${world.baseUrl}/console/businesses`);
    const dialog = page.getByRole("dialog");
    return {
      ...{ page, dialog, faults },
      goTo: (name: string) => page.getByRole("navigation").getByRole("link", { name, exact: true }).click(),
      /** Opens a form, fills it in, and sends it. */
      async fill(
        open: string,
        fields: Readonly<Record<string, string>>,
        send = open,
        more?: () => Promise<void>,
      ) {
        await page.getByRole("button", { name: open, exact: true }).first().click();
        await fillIn(dialog, fields);
        await more?.();
        const preview = dialog.getByRole("button", { name: "Show what would change" });
        // A form shows its buttons after the fields that it has read.
        const sending = dialog.getByRole("button", { name: send, exact: true });
        await preview.or(sending).first().waitFor();
        if ((await preview.count()) > 0) {
          await preview.click();
          await dialog.getByRole("row", { name: "Points earned" }).waitFor();
        }
        await sending.click();
        await dialog.waitFor({ state: "detached" });
      },
    };
  }
  type Newcomer = Awaited<ReturnType<typeof newcomer>>;

  /** Writes texts and chooses, by the labels of the fields. */
  async function fillIn(place: Locator, fields: Readonly<Record<string, string>>): Promise<void> {
    for (const [label, value] of Object.entries(fields)) {
      // A star follows the label of a field that is required.
      const field = place.getByLabel(new RegExp(`^${label}(?: \\*)?$`));
      const [tag, type] = await field.evaluate((one) => [one.tagName, one.getAttribute("type")]);
      if (type === "checkbox" || type === "radio") await field.check();
      else if (tag === "SELECT") await field.selectOption(value);
      else await field.fill(value);
    }
  }

  /** The first steps, from the business to the till. @returns what the shop is played with */
  async function openShop({ page, dialog, fill }: Newcomer, name: string) {
    await fill("Add a business", {
      ...{ Name: name, Currency: "EUR", "Time zone": "Europe/Madrid", Sandbox: "chosen" },
      "Time of the sandbox": opening.replace(" ", "T"),
    });
    await page.getByRole("heading", { name: "First steps" }).waitFor();
    const business_id = Number(/\/(\d+)\/setup$/.exec(page.url())?.[1]);
    await fill("Add a location", { Name: "Shop" });
    await fill("Set what sales earn", {});
    await fill("Set what points are worth", { "Amount that they are worth": "0.05" }, "Save");
    await page.getByRole("button", { name: "Add an integration" }).click();
    await page.getByRole("menuitem", { name: /^Till/ }).click();
    await fillIn(dialog, { Name: "Till" });
    await dialog.getByRole("button", { name: "Add an integration" }).click();
    const client_id = (await dialog.getByText(/^loy_/).textContent()) as string;
    const client_secret = (await dialog.getByText(/^loysec_/).textContent()) as string;
    await dialog.getByRole("button", { name: "I have stored it" }).click();
    await dialog.waitFor({ state: "detached" });
    const read: Operate = (path, body) => world.call(path, { business_id, ...body });
    const write: Operate = (path, body) => read(path, { idempotency_key: `shop ${calls++}`, ...body });
    const [{ location_id: locationId }] = await read("/op/locations/list", {});
    const credentials = { integrationId: 0, client_id, client_secret };
    return { credentials, locationId, read, write, baseUrl: world.baseUrl };
  }

  /** Compares what the console made with the definitions. */
  async function expectDefinitions(read: Operate, { program, tiers, promotions, vouchers, cards }: Week) {
    expect(await read("/op/programs/list", {})).toMatchObject([program]);
    expect(await read("/op/tiers/list", {})).toMatchObject(tiers ?? []);
    expect(await read("/op/promotions/list", {})).toMatchObject(promotions ?? []);
    const made: { campaign_name: string; voucher_id: number }[] = await read("/op/vouchers/list", {});
    const inOrder = made.sort((one, other) => one.voucher_id - other.voucher_id);
    expect(inOrder).toMatchObject(vouchers ?? []);
    const idOf = (gives: string) => made.find(({ campaign_name }) => campaign_name === gives)?.voucher_id;
    const wanted = (cards ?? []).map(({ gives, card }) => ({ ...card, voucher_id: idOf(gives) }));
    expect(await read("/op/stamp-cards/list", {})).toMatchObject(wanted);
  }

  type Opened = Awaited<ReturnType<typeof openShop>>;

  /** @param look what the person looks at after the week */
  async function end({ page, faults }: Newcomer, shop: Opened, week: Week, look?: () => Promise<void>) {
    await expectDefinitions(shop.read, week);
    await playWeek(shop, week);
    await look?.();
    expect(faults).toEqual([]);
    await page.close();
  }

  const said = (page: Page, name: string, text: string) =>
    page.getByRole("row", { name }).getByText(text, { exact: true }).waitFor();

  it("sets up a café", async () => {
    const person = await newcomer();
    const { page, dialog, fill, goTo } = person;
    const shop = await openShop(person, "Café Sol");
    // The stamp card needs a voucher, and says where it is added.
    await page.getByRole("link", { name: "Stamp cards" }).last().click();
    await page.getByRole("button", { name: "Try: nine coffees, the tenth is free" }).click();
    await dialog.getByText("There are none yet. Add one on the page Vouchers.").waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await goTo("Vouchers");
    await fill("Try a free coffee", {}, "Add a voucher");
    await said(page, "Free coffee", "One piece of coffee");
    const flyer = { Name: "Flyer", Code: "10 % off", "A share": "chosen", Percent: "10" };
    await fill("Add a voucher", { ...flyer, "Public code": "TEN-OFF", "Sales of each member": "1" });
    await goTo("Stamp cards");
    const example = () => dialog.getByText(/^Example: piece number 9 fills the card\./).waitFor();
    await fill(
      "Try: nine coffees, the tenth is free",
      { Voucher: "Free coffee" },
      "Add a stamp card",
      example,
    );
    await page.getByRole("heading", { name: "Coffee card" }).waitFor();
    await page.getByText("9 stamps give Free coffee · one for each piece · coffee").waitFor();
    await goTo("Promotions");
    const name = { Name: "Double on Tuesdays" };
    await fill("Try double points on Tuesdays", name, "Add a promotion");
    await goTo("Programs");
    await fill("Edit", { "Categories that earn nothing": "gift cards" }, "Save");
    await said(page, "Points", "gift cards: no points");
    await end(person, shop, cafe, async () => {
      // The receipt of Tuesday afternoon says what its line gave, and that of Wednesday what came back.
      await goTo("Sales");
      await page.getByRole("link", { name: "2026-01-13/1/2" }).click();
      await page.getByText("Double on Tuesdays · Coffee card", { exact: true }).waitFor();
      await page.getByRole("heading", { name: "What promotions gave" }).waitFor();
      await goTo("Sales");
      await page.getByRole("link", { name: "2026-01-14/1/4" }).click();
      await page.getByText("18.00 EUR, pieces: 4", { exact: true }).waitFor();
    });
  });

  it("sets up a fashion shop", async () => {
    const person = await newcomer();
    const { page, dialog, fill, goTo } = person;
    const shop = await openShop(person, "Moda");
    await goTo("Tiers");
    const years = () =>
      dialog
        .getByLabel("Days, weeks, months or years")
        .selectOption("year")
        .then(() => {});
    await fill("Add a tier", { Name: "Gold", "Valid for": "1" }, "Add a tier", years);
    await goTo("Promotions");
    const promotion = { Name: "Gold first", Factor: "3", Categories: "new collection", Gold: "chosen" };
    await fill("Add a promotion", promotion);
    await page.getByText("Triple points · new collection · Gold", { exact: true }).waitFor();
    await end(person, shop, fashionShop);
  });

  it("sets up a pharmacy", async () => {
    const person = await newcomer();
    const { page, dialog, fill, goTo } = person;
    const shop = await openShop(person, "Farmacia");
    await goTo("Programs");
    await fill(
      "Edit",
      {
        "Categories that earn nothing": "prescriptions",
        "Categories that points and vouchers can't pay": "prescriptions",
      },
      "Save",
      async () => {
        await dialog.getByRole("button", { name: "Add a rate" }).click();
        const rate = { Categories: "cosmetics", Points: "5", "For each": "1" };
        await fillIn(dialog.getByRole("group", { name: "Rate 1" }), rate);
      },
    );
    const exceptions = page.getByRole("row", { name: "Points" });
    for (const text of ["no points", "not paid by points or vouchers", "5 points for each 1.00 EUR"])
      await exceptions.getByText(text).first().waitFor();
    await end(person, shop, pharmacy);
  });
});
