/** Imports, the clock of a sandbox, and the own password, in a browser. */
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { describeInBrowser } from "../support/chromium.ts";
import { useConsole } from "../support/console.ts";

const lines = [
  "First Name,Last Name,Phone Number,E-mail,Wallet balance",
  "Ana,López,+34600111901,ana1@example.com,12.50",
  "Ben,Smith,+34600111902,not an address,3",
  "Cid,Moreno,+34600111903,cid@example.com,1.234",
  "Dora,Novak,+34600111901,dora@example.com,0",
];

describeInBrowser("the console", (launch) => {
  const world = useConsole(launch);

  async function openFile(content: string): Promise<{ page: Page; faults: string[] }> {
    const { page, faults } = await world.open(world.at("/imports"));
    const file = {
      name: "members.csv",
      mimeType: "text/csv",
      buffer: Buffer.from(content, content.startsWith("\u0089") ? "latin1" : "utf8"),
    };
    await page.locator("input[type=file]").setInputFiles(file);
    return { page, faults };
  }
  const membersNamed = (search: string) =>
    world.call<{ first_name: string; wallet_balance: number }[]>("/op/members/list", {
      business_id: world.demo.business_id,
      search,
    });

  it("checks a file line by line, and then imports what is right", async () => {
    const { page, faults } = await openFile(`${lines.join("\r\n")}\r\n`);
    const start = page.getByRole("button", { name: "Import", exact: true });
    // Nothing is checked yet, and all amounts say that 1.234 is none in euros.
    await page.getByText('Amounts have "." before their decimals (12.50 in line 2).').waitFor();
    await page.getByRole("button", { name: "Check 4 lines" }).click();
    await page
      .getByText("Can be imported: 1 line. Imported before: 0 lines. Would be rejected: 3 lines.")
      .waitFor();
    await page.getByRole("row", { name: "3 E-mail address must be" }).waitFor();
    await page.getByRole("row", { name: "4 Wallet must be an amount such as 12.50." }).waitFor();
    await page.getByRole("row", { name: "5 Phone number is" }).waitFor();
    expect(await membersNamed("+34600111901")).toEqual([]);
    await start.click();
    await page.getByText("Imported: 1 line. Imported before: 0 lines. Rejected: 3 lines.").waitFor();
    expect(await membersNamed("+34600111901")).toMatchObject([{ first_name: "Ana", wallet_balance: 1250 }]);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Save the rejected lines" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("members.rejected.csv");
    // Another form needs another check.
    await page.getByText("Such as 1250").click();
    expect(await start.isDisabled()).toBe(true);
    expect(faults).toEqual([]);
    await page.close();
  });

  it("finds the delimiter, reads other encodings, and names files that are no CSV", async () => {
    const { page, faults } = await openFile("\u0089PNG\r\n");
    await page.getByText("The file is a picture, not a CSV file.").waitFor();
    const choose = (buffer: Buffer) =>
      page.locator("input[type=file]").setInputFiles({ name: "members.csv", mimeType: "text/csv", buffer });
    const text = "first_name;last_name;phone_number\nZoë;Núñez;+34600111931\n";
    await choose(Buffer.from(text, "latin1"));
    await page.getByRole("button", { name: "Check 1 line" }).click();
    await page.getByRole("row", { name: "2 First name is not UTF-8; choose the encoding above." }).waitFor();
    await page.getByText(/^Windows.1252$/).click();
    await page.getByRole("button", { name: "Check 1 line" }).click();
    await page.getByText("Can be imported: 1 line").waitFor();
    await choose(Buffer.from(`\ufeff${text}`, "utf16le"));
    await page.getByRole("button", { name: "Check 1 line" }).click();
    await page.getByText("Can be imported: 1 line").waitFor();
    expect(faults).toEqual([]);
    await page.close();
  });

  it("says which column is missing, and takes another one", async () => {
    const { page } = await openFile("first_name,last_name,mobile\nEva,Roth,+34600111911\n");
    await page.getByText("There is no column for “Phone number”.").waitFor();
    expect(await page.getByLabel("First name").inputValue()).toBe("first_name");
    await page.getByLabel("Phone number").selectOption("mobile");
    await page.getByRole("button", { name: "Check 1 line" }).click();
    await page.getByText("Can be imported: 1 line").waitFor();
    await page.close();
  });

  it("goes on with the same keys after a lost connection and after the page was loaded again", async () => {
    const content = "first_name,last_name,phone_number\nFay,Wu,+34600111921\n";
    const { page } = await openFile(content);
    const keys: string[] = [];
    let isLost = true;
    await page.route("**/op/imports/members", async (route) => {
      const body = route.request().postDataJSON() as { dry_run: boolean; idempotency_key: string };
      if (body.dry_run) return route.fallback();
      keys.push(body.idempotency_key);
      if (!isLost) return route.fallback();
      await route.fetch();
      return route.abort("connectionreset");
    });
    const check = async () => {
      await page.getByRole("button", { name: /^Check/ }).click();
      await page.getByText("Nothing is imported yet.").waitFor();
      await page.getByRole("button", { name: "Import", exact: true }).click();
    };
    await check();
    await page.getByText("The service can't be reached.").waitFor();
    await page.getByText("What was imported stays.").waitFor();
    await page.reload();
    const file = { name: "members.csv", mimeType: "text/csv", buffer: Buffer.from(content) };
    await page.locator("input[type=file]").setInputFiles(file);
    await check();
    await page.getByText("The service can't be reached.").waitFor();
    isLost = false;
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("Imported: 1 line. Imported before: 0 lines. Rejected: 0 lines.").waitFor();
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
    expect(await membersNamed("+34600111921")).toHaveLength(1);
    await page.close();
  });

  it("advances the clock of a sandbox by a year, and says what was recorded", async () => {
    const sandbox = await world.call<{ business_id: number }>("/op/businesses/create", {
      idempotency_key: "sandbox",
      name: "Trial",
      currency: "EUR",
      time_zone: "UTC",
      sandbox: true,
      clock_at: "2026-01-01 09:00:00",
    });
    const { page, faults } = await world.open(`${world.baseUrl}/console/${sandbox.business_id}/sandbox`);
    await page.getByText("1 Jan 2026, 09:00").waitFor();
    const advance = page.getByRole("button", { name: "Advance", exact: true });
    await page.getByRole("button", { name: "1 day forward" }).click();
    await page.getByText("Advance the clock to 2 Jan 2026?").waitFor();
    await page.getByText("1 Jan 2026, 09:00").waitFor();
    await advance.click();
    await page.getByText("2 Jan 2026, 00:00").waitFor();
    await page.getByRole("button", { name: "365 days forward" }).click();
    await advance.click();
    await page.getByText("2 Jan 2027, 00:00").waitFor();
    await page.getByText("Entries that were recorded on the way: 0").waitFor();
    expect(await page.getByRole("combobox", { name: "Business" }).textContent()).toContain("Sandbox: Trial");
    // A page of the service keeps the menu of the business that was used last.
    await page.goto(`${world.baseUrl}/console/accounts`);
    const members = () => page.getByRole("link", { name: "Members" }).getAttribute("href");
    expect(await members()).toContain(`/${sandbox.business_id}/members`);
    await page.evaluate("localStorage.clear()");
    await page.reload();
    expect(await members()).toContain(`/${world.demo.business_id}/members`);
    expect(faults).toEqual([]);
    await page.close();
  });

  it("takes the limit of an account as an amount, and shows in the audit log who changed how much", async () => {
    const { page, faults } = await world.open(`${world.baseUrl}/console/accounts`);
    await page.getByRole("button", { name: "Add a person" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel(/^Name/).fill("Bea");
    await dialog.getByLabel("Most money to correct in a day").fill("20.00");
    await dialog.getByRole("button", { name: "Add a person" }).click();
    await dialog.getByRole("button", { name: "I have stored it" }).click();
    await page.getByRole("row", { name: /Bea .* 20\.00/ }).waitFor();
    const accounts = await world.call<{ name: string; limit_amount: number }[]>("/op/operators/list", {});
    expect(accounts.find(({ name }) => name === "Bea")?.limit_amount).toBe(2000);
    const { business_id } = world.demo;
    const member = { business_id, contact_id: world.demo.contact_ids[0] };
    const { wallet } = await world.call<{ wallet: number }>("/op/members/balances", member);
    const correction = { amount: 500, adjustment_type: "credit", reason: "Sorry" };
    await world.call("/op/members/adjust-wallet", { idempotency_key: "audited", ...member, ...correction });
    await page.goto(world.at("/audit"));
    const [before, after] = [wallet, wallet + 500].map((amount) => `${(amount / 100).toFixed(2)} EUR`);
    await page
      .getByRole("row")
      .filter({ hasText: `${before} → ${after}` })
      .getByRole("cell", { name: "root" })
      .waitFor();
    expect(faults).toEqual([]);
    await page.close();
  });

  it("changes the own password, and ends the other sessions", async () => {
    const { token, name } = await world.invite();
    const { page } = await world.open(`${world.baseUrl}/console/accept#token=${token}`, undefined, "");
    await page.getByLabel(/^Password/).fill(world.password);
    await page.getByRole("button", { name: "Save and sign in" }).click();
    await page.getByRole("heading", { name: "Today" }).waitFor();
    const change = async (current: string, next: string) => {
      await page.getByLabel(/^Current password/).fill(current);
      await page.getByLabel(/^New password/).fill(next);
      await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    };
    await page.getByRole("button", { name }).click();
    await page.getByRole("menuitem", { name: "Change your password" }).click();
    await change("not the password", "seven quiet lighthouses");
    await page.getByText("The name or the password is wrong.").waitFor();
    await change(world.password, "password");
    await page
      .getByText(/most used passwords|must not be/)
      .last()
      .waitFor();
    // What says so goes by itself after some seconds.
    await Promise.all([
      page.getByText("Password changed.").waitFor(),
      change(world.password, "seven quiet lighthouses"),
    ]);
    await page.reload();
    await page.getByRole("button", { name }).waitFor();
    await page.close();
  });
});
