/** Stamp cards in the console: a card with its words and its steps, and the card of a member, which is stamped by hand. */
import { expect, it } from "vitest";
import { openDialog, violationsOn } from "../support/accessibility.ts";
import { describeInBrowser } from "../support/chromium.ts";
import { useConsole } from "../support/console.ts";

describeInBrowser("stamp cards", (launch) => {
  const world = useConsole(launch);

  it("are made, paused and ended, and members have stamps on them", async () => {
    const made = async <Data>(path: string, body: object) =>
      world.call<Data>(path, { idempotency_key: `stamps ${path}`, ...body });
    const business = { name: "Corner café", currency: "EUR" };
    const { business_id } = await made<{ business_id: number }>("/op/businesses/create", business);
    const voucher = { campaign_name: "Free coffee", coupon_code: "FREE", coupon_value: 300 };
    await made("/op/vouchers/create", { business_id, ...voucher });
    const { page, faults } = await world.open(world.at(`/../${business_id}/stamp-cards`));
    const dialog = page.getByRole("dialog");
    const write = (label: string, text: string) =>
      dialog.getByRole("textbox", { name: label, exact: true }).fill(text);
    await page.getByRole("button", { name: "Add a stamp card" }).first().click();
    await write("Name", "Coffee card");
    await write("Stamps of a full card", "9");
    await dialog.getByLabel("Voucher").selectOption("Free coffee");
    await dialog.getByRole("radio", { name: "Piece" }).check();
    await write("Categories", "coffee");
    expect(await violationsOn(page, openDialog)).toEqual([]);
    await dialog.getByRole("button", { name: "Add a stamp card" }).click();
    await dialog.waitFor({ state: "detached" });
    // Its page says what it gave.
    await page.getByRole("heading", { name: "Coffee card" }).waitFor();
    await page.getByText("It has given no stamps in the last four weeks.").waitFor();
    await page.goto(world.at(`/../${business_id}/stamp-cards`));
    const row = page.getByRole("row", { name: "Coffee card" });
    await row.getByText("9 stamps give Free coffee · one for each piece · coffee").waitFor();
    await row.getByRole("button", { name: "Pause" }).click();
    await dialog.getByRole("button", { name: "Pause" }).click();
    await row.getByRole("button", { name: "Start" }).click();
    await dialog.getByRole("button", { name: "Start" }).click();
    await row.getByRole("button", { name: "Pause" }).waitFor();

    const member = { business_id, first_name: "Ana", last_name: "Vo", phone_number: "+34600000009" };
    const { imported } = await made<{ imported: number }>("/op/imports/members", {
      ...{ business_id, lines: [{ line: 1, ...member, business_id: undefined }] },
    });
    expect(imported).toBe(1);
    const [{ contact_id } = { contact_id: 0 }] = await world.call<{ contact_id: number }[]>(
      "/op/members/list",
      {
        business_id,
      },
    );
    await page.goto(world.at(`/../${business_id}/members/${contact_id}?show=stamps`));
    const card = page.getByRole("row", { name: "Coffee card" });
    await card.getByRole("button", { name: "Stamp by hand" }).click();
    await write("Stamps", "11");
    await write("Reason", "The till was offline");
    await dialog.getByRole("button", { name: "Stamp by hand" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await world.call("/op/stamp-cards/of-member", { business_id, contact_id })).toMatchObject([
      { stamps: 2, times_full: 1 },
    ]);
    expect(await violationsOn(page)).toEqual([]);

    await page.goto(world.at(`/../${business_id}/stamp-cards`));
    await row.getByRole("button", { name: "End" }).click();
    await dialog.getByRole("button", { name: "End" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await row.getByRole("button").count()).toBe(0);
    expect(faults).toEqual([]);
  });
});
