/** Cards in the console: gift cards issued at once, printed, blocked, replaced, given to a member, and reported. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { openDialog, violationsOn } from "../support/accessibility.ts";
import { describeInBrowser } from "../support/chromium.ts";
import { useConsole } from "../support/console.ts";
import { walletSetUp } from "../support/pass-certificates.ts";
import { scan } from "../support/scanning.ts";

describeInBrowser("cards", (launch) => {
  const world = useConsole(launch);

  it("are issued, twenty at once, blocked, replaced, given to a member and reported", async () => {
    const { business_id } = await world.call<{ business_id: number }>("/op/businesses/create", {
      ...{ idempotency_key: "cards", name: "Gift shop", currency: "EUR" },
    });
    const shop = { business_id };
    await world.call("/op/locations/create", { idempotency_key: "cards-2", ...shop, name: "Harbour" });
    const { page, faults } = await world.open(world.at(`/../${business_id}/cards`));
    const dialog = page.getByRole("dialog");
    await page.getByRole("button", { name: "Issue cards" }).first().click();
    expect(await dialog.getByRole("radio", { name: "Gift card" }).isChecked()).toBe(true);
    await dialog.getByRole("combobox", { name: "Location" }).selectOption({ label: "Harbour" });
    await dialog.getByRole("textbox", { name: "Amount", exact: true }).fill("25");
    await dialog.getByRole("textbox", { name: "How many cards" }).fill("20");
    expect(await violationsOn(page, openDialog)).toEqual([]);
    await dialog.getByRole("button", { name: "Issue cards" }).click();
    await page.getByText("1–20 of 20").waitFor();
    const issued = await world.call<{ card_code: string; wallet: number }[]>("/op/cards/list", {
      ...{ ...shop, anonymous: true, per_page: 100 },
    });
    expect(issued.map(({ wallet }) => wallet)).toEqual(Array.from({ length: 20 }, () => 2500));
    expect(new Set(issued.map(({ card_code }) => card_code)).size).toBe(20);

    // A code that is looked for is not in the address, and a reload keeps it.
    const [newest = "", oldest = ""] = [issued[0]?.card_code, issued.at(-1)?.card_code];
    const search = page.getByRole("searchbox");
    await search.fill(newest);
    await page.getByText("1–20 of 20").waitFor({ state: "detached" });
    expect(page.url()).not.toContain(newest);
    await page.reload();
    expect(await search.inputValue()).toBe(newest);
    await search.fill("");
    await page.getByText("1–20 of 20").waitFor();

    // The two pages for a printer have codes that scanners read.
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save cards to print" }).click();
    const print = await page.context().newPage();
    const html = readFileSync(await (await saved).path(), "utf8");
    await print.setContent(html);
    const cards = print.locator("body > svg");
    expect(await cards.count()).toBe(20);
    for (const [card, code] of [
      [cards.first(), newest],
      [cards.last(), oldest],
    ] as const) {
      const picture = await card.screenshot();
      for (const kind of ["QR_CODE", "CODE_128"] as const)
        expect(await scan(page.context(), picture, kind), kind).toBe(code);
      const { width = 0, height = 0 } = (await card.boundingBox()) ?? {};
      // 85.6 by 54 mm, at 96 pixels in an inch.
      expect([width, height].map((pixels) => Math.round((pixels / 96) * 254))).toEqual([856, 540]);
    }
    expect(await cards.first().innerHTML()).toMatch(/Gift shop.*Gift card 25\.00 EUR/s);
    for (const format of ["A4", "Letter"]) {
      const pdf = (await print.pdf({ format })).toString("latin1");
      expect(pdf.match(/\/Type\s*\/Page\b/g), format).toHaveLength(2);
    }
    await print.close();

    const row = (text: string) => page.getByRole("row", { name: text });
    const [first = "", second = "", third = ""] = issued.map(({ card_code }) =>
      card_code.replace(/\d{4}(?=\d)/g, "$& "),
    );
    await row(first).getByRole("button", { name: "Block" }).click();
    await dialog.getByRole("button", { name: "Block" }).click();
    await row(first).getByText("Blocked", { exact: true }).waitFor();
    await row(second).getByRole("button", { name: "Replace" }).click();
    await dialog.getByRole("button", { name: "Replace" }).click();
    await row(second).getByText("Replaced", { exact: true }).waitFor();
    const { contact_id } = await world.call<{ contact_id: number }>("/op/members/create", {
      ...{ idempotency_key: "cards-3", ...shop, first_name: "Ana", last_name: "Ruiz" },
      phone_number: "+34600111222",
    });
    await row(third).getByRole("button", { name: "Give to a member" }).click();
    await dialog.getByRole("combobox").fill("Ruiz");
    await page.getByRole("option", { name: /Ana Ruiz/ }).click();
    await dialog.getByRole("button", { name: "Give to a member" }).click();
    await dialog.waitFor({ state: "detached" });
    const balances = await world.call<{ wallet: number }>("/op/members/balances", { ...shop, contact_id });
    expect(balances.wallet).toBe(2500);

    await page.goto(world.at(`/../${business_id}/members/${contact_id}?show=cards`));
    await row(third).getByRole("button", { name: "Block" }).waitFor();
    await page.getByRole("button", { name: "Add a card" }).click();
    await dialog.getByRole("button", { name: "Add a card" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("row", { name: "App" }).waitFor();
    const ofMember = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save cards to print" }).click();
    const own = readFileSync(await (await ofMember).path(), "utf8");
    expect(own.match(/<svg xmlns="[^"]*" viewBox="0 0 856 540"/g)).toHaveLength(2);
    expect(own).not.toContain("Gift card 0.00 EUR");

    // A voucher on paper has its code for the till.
    const cake = { campaign_name: "Free cake", coupon_code: "CAKE-7", coupon_value: 450 };
    const made = { idempotency_key: "cards-voucher", ...shop, ...cake };
    const { voucher_id } = await world.call<{ voucher_id: number }>("/op/vouchers/create", made);
    const given = { ...shop, contact_id, voucher_id, reason: "A gift" };
    await world.call("/op/vouchers/issue", { idempotency_key: "cards-gift", ...given });
    await page.goto(world.at(`/../${business_id}/members/${contact_id}?show=vouchers`));
    const vouchers = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save vouchers to print" }).click();
    const paper = await page.context().newPage();
    await paper.setContent(readFileSync(await (await vouchers).path(), "utf8"));
    const onPaper = paper.locator("body > svg");
    expect(await onPaper.innerHTML()).toMatch(/Gift shop.*Free cake.*4\.50 EUR/s);
    for (const kind of ["QR_CODE", "CODE_128"] as const)
      expect(await scan(page.context(), await onPaper.screenshot(), kind), kind).toBe("CAKE-7");
    await paper.close();
    await page.goto(world.at(`/../${business_id}/reports`));
    const section = page.locator("section", { has: page.getByRole("heading", { name: "Gift cards" }) });
    await section.getByText("475.00 EUR").first().waitFor();
    expect(await section.innerText()).toMatch(/Sold\s+20\s+Sold for\s+500\.00 EUR\s+Used\s+0\.00 EUR/);
    expect(faults).toEqual([]);
  });

  it("have a page with the logo, which any picture becomes, and passes by chosen files", async () => {
    const { business_id } = world.demo;
    const { page, faults } = await world.open(world.at("/passes"));
    const dialog = page.getByRole("dialog");
    const pictureOf = (width: number, height: number) =>
      page.evaluate(`(async () => {
        const canvas = new OffscreenCanvas(${width}, ${height});
        const context = canvas.getContext("2d");
        for (let x = 0; x < ${width}; x += 2) {
          context.fillStyle = "hsl(" + (x * 7) % 360 + " 80% 50%)";
          context.fillRect(x, 0, 2, ${height});
        }
        const bytes = new Uint8Array(await (await canvas.convertToBlob({ type: "image/jpeg" })).arrayBuffer());
        return btoa(String.fromCharCode(...bytes));
      })()`) as Promise<string>;
    const choose = async (field: string, name: string, mimeType: string, buffer: Buffer) => {
      const input = dialog.getByRole("button", { name: field, exact: true });
      const [chooser] = await Promise.all([page.waitForEvent("filechooser"), input.click()]);
      await chooser.setFiles({ name, mimeType, buffer });
    };
    const logoOf = async () =>
      (await world.call<{ business_id: number; logo_path: string | null }[]>("/op/businesses/list", {})).find(
        (one) => one.business_id === business_id,
      )?.logo_path ?? null;

    await page.getByRole("button", { name: "Set the logo" }).click();
    const save = dialog.getByRole("button", { name: "Set the logo" });
    expect(await save.isDisabled()).toBe(true);
    await choose("Logo", "logo.jpg", "image/jpeg", Buffer.from(await pictureOf(900, 300), "base64"));
    await save.click();
    await dialog.waitFor({ state: "detached" });
    const path = await logoOf();
    const file = Buffer.from(await (await fetch(`${world.baseUrl}${path}`)).arrayBuffer());
    expect(file.length).toBeLessThanOrEqual(30_000);
    expect(file.readUInt32BE(16)).toBe(file.readUInt32BE(20));
    await page.locator(`img[src$="${path}"]`).first().waitFor();

    // A file that is no picture takes the place of the one before it, and is named as such before anything is sent.
    await page.getByRole("button", { name: "Set the logo" }).click();
    await choose("Logo", "logo.jpg", "image/jpeg", Buffer.from(await pictureOf(300, 300), "base64"));
    await expect.poll(() => save.isDisabled()).toBe(false);
    await choose("Logo", "logo.png", "image/png", Buffer.from("no picture"));
    await dialog.getByText("can't be read here").waitFor();
    expect(await save.isDisabled()).toBe(true);
    await page.keyboard.press("Escape");
    await dialog.getByRole("button", { name: "Close it" }).click();
    await page.getByRole("button", { name: "Remove the logo" }).click();
    await dialog.getByRole("button", { name: "Remove the logo" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await logoOf()).toBeNull();

    const { certificate, intermediate_certificate, pass_type, team } = walletSetUp();
    await page.getByRole("button", { name: "Set up Apple Wallet" }).click();
    await choose("Certificate", "both.pem", "application/x-pem-file", Buffer.from(certificate));
    const intermediate = Buffer.from(intermediate_certificate);
    await choose("Intermediate certificate", "apple.pem", "application/x-pem-file", intermediate);
    await dialog.getByLabel("Pass type").fill(pass_type);
    await dialog.getByLabel("Team").fill(team);
    await dialog.getByRole("button", { name: "Set up Apple Wallet" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByText("Valid", { exact: true }).waitFor();

    await page.getByRole("button", { name: "See the page of a member" }).click();
    await dialog.getByRole("combobox", { name: "Member" }).fill("Priya");
    await page.getByRole("option", { name: /Priya/ }).click();
    await dialog.getByRole("button", { name: "See the page of a member" }).click();
    const link = await dialog.getByRole("link").getAttribute("href");
    expect(await (await fetch(String(link))).text()).toContain("Priya");
    expect(await violationsOn(page, openDialog)).toEqual([]);
    expect(faults).toEqual([]);
    await page.close();
  });
});
