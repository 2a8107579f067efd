/** Imports, the clock of a sandbox, and the own password, in a browser. */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { gunzipSync, gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { openDialog, violationsOn } from "../support/accessibility.ts";
import { describeInBrowser } from "../support/chromium.ts";
import { useConsole } from "../support/console.ts";

const lines = [
  "First Name,Last Name,Phone Number,E-mail,Wallet balance",
  "Ana,López,+34600111901,ana1@example.com,12.50",
  "Ben,Smith,+34600111902,not an address,3",
  "Cid,Muñoz,+34600111903,cid@example.com,1.234",
  "Dora,Novák,+34600111901,dora@example.com,0",
];

/** So many lines that their parts are several, and their import has several transactions. */
const manyLines = 3000;
const longFile = [
  "first_name,last_name,phone_number,note",
  ...Array.from({ length: manyLines }, (_, index) => {
    const note = Array.from({ length: 12 }, (_, part) =>
      createHash("sha512").update(`${index} ${part}`).digest("base64"),
    );
    return `Many,${index},+34601${100_000 + index},${note.join("")}`;
  }),
].join("\n");

/** Something to wait for. */
function gate(): { opened: Promise<void>; open: () => void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

describeInBrowser("the console", (launch) => {
  const world = useConsole(launch);

  interface Opened {
    readonly page: Page;
    readonly faults: string[];
  }

  async function upload(page: Page, content: Buffer | string, name = "members.csv"): Promise<void> {
    await page.goto(world.at("/imports"));
    const file = { name, mimeType: "text/csv", buffer: Buffer.from(content) };
    await page.locator("input[type=file]").setInputFiles(file);
    await page.getByRole("button", { name: "Upload and check" }).click();
  }
  async function openFile(content: Buffer | string): Promise<Opened> {
    const opened = await world.open(world.at("/imports"));
    await upload(opened.page, content);
    return opened;
  }
  const membersNamed = (search: string) =>
    world.call<{ first_name: string; wallet_balance: number }[]>("/op/members/list", {
      business_id: world.demo.business_id,
      search,
    });
  const start = (page: Page, count: string) => page.getByRole("button", { name: `Import ${count}` });
  /** Opens a dialog, and confirms it. */
  async function press(page: Page, name: string): Promise<void> {
    await page.getByRole("button", { name, exact: true }).click();
    await page.getByRole("dialog").getByRole("button", { name, exact: true }).click();
  }
  const checkAgain = (page: Page) => press(page, "Check again");
  const importAll = (page: Page, count: string) => press(page, `Import ${count}`);
  const status = (page: Page, state: string) =>
    page.locator(".mantine-Badge-label").getByText(state, { exact: true });

  it("checks a file, imports what is right, and saves the rejected lines as they are", async () => {
    const { page, faults } = await openFile(Buffer.from(`${lines.join("\r\n")}\r\n`, "latin1"));
    await page.getByRole("row", { name: /Last name is not UTF-8/ }).waitFor();
    await page.getByRole("button", { name: "Change how it is read" }).click();
    await page.getByLabel("Encoding").selectOption("Windows-1252");
    await page.getByRole("button", { name: "Check again" }).click();
    // All amounts say that 1.234 is none in euros.
    await page.getByText('Amounts have "." before their decimals (12.50 in line 2).').waitFor();
    await page.getByText("Opening balances of 12.50 EUR and 0 points in 1 line").waitFor();
    await page.getByRole("row", { name: /^E-mail address must be .* 1 3$/ }).waitFor();
    await page.getByRole("row", { name: /^Wallet must be an amount such as 12.50. 1 4$/ }).waitFor();
    await page.getByRole("row", { name: /^Phone number is .* 1 5$/ }).waitFor();
    await page.getByRole("row", { name: /^Last name .* López · Smith · Muñoz$/ }).waitFor();
    // A choice makes the check out of date.
    await page.getByLabel("Column: E-mail address").selectOption("");
    expect(await start(page, "1 line").isDisabled()).toBe(true);
    await page.getByLabel("Column: E-mail address").selectOption("E-mail");
    await checkAgain(page);
    expect(await membersNamed("+34600111901")).toEqual([]);
    await importAll(page, "1 line");
    await page.getByRole("heading", { name: "What was imported" }).waitFor();
    await status(page, "Imported").waitFor();
    expect(await membersNamed("+34600111901")).toMatchObject([{ first_name: "Ana", wallet_balance: 1250 }]);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Save the rejected lines" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("members.csv.rejected.csv");
    const rejected = await readFile(await download.path());
    expect(rejected).toEqual(Buffer.from(`${[lines[0], ...lines.slice(2)].join("\n")}\n`, "latin1"));
    expect(faults).toEqual([]);
    await page.close();
  });

  it("finds the delimiter, reads other encodings, and names files that are no CSV", async () => {
    const { page, faults } = await openFile(Buffer.from("\u0089PNG\r\n", "latin1"));
    await page.getByText("The file is a picture, not a CSV file.").waitFor();
    expect(faults.splice(0)).toEqual([expect.stringContaining("422")]);
    const text = "first_name;last_name;phone_number\nZoë;Núñez;+34600111931\n";
    await upload(page, Buffer.from(text, "latin1"));
    await page.getByRole("row", { name: /^First name is not UTF-8 \(“?encoding Windows-1252/i }).waitFor();
    await upload(page, Buffer.from(`\ufeff${text}`, "utf16le"));
    await start(page, "1 line").waitFor();
    await upload(page, gzipSync(text), "members.csv.gz");
    await start(page, "1 line").waitFor();
    // What says so goes by itself after some seconds.
    await Promise.all([page.getByText("The file is deleted.").waitFor(), press(page, "Delete the file")]);
    expect(faults).toEqual([]);
    await page.close();
  });

  it("lets people say what names of locations mean, and leave lines out", async () => {
    const { page, faults } = await world.open(world.at("/imports"));
    const { business_id, contact_ids } = world.demo;
    const places = await world.call<{ location_id: number; name: string }[]>("/op/locations/list", {
      business_id,
    });
    const [place] = places as [(typeof places)[number]];
    const line = (location: string) => `${contact_ids[0]},2026-01-02,1.50,${location}\n`;
    const text = `contact_id,sold_at,amount,location\n${line("Old Name")}${line("Web")}${line("Web")}`;
    await page.goto(world.at("/imports"));
    await page.getByLabel("What the file has").getByText("Sales").click();
    const file = { name: "sales.csv", mimeType: "text/csv", buffer: Buffer.from(text) };
    await page.locator("input[type=file]").setInputFiles(file);
    await page.getByRole("button", { name: "Upload and check" }).click();
    await page.getByLabel("Location: Old Name").selectOption(place.name);
    await page.getByLabel("Location: Web").selectOption("Leave these lines out");
    await checkAgain(page);
    await start(page, "1 line").waitFor();
    await page.getByText("Left out: 2 lines of the location Web.").waitFor();
    // No choice is shown before the locations are there, because it would be the wrong one.
    await page.route("**/op/locations/list", async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 500));
      await route.continue();
    });
    await page.reload();
    await page.getByLabel("Location: Web").waitFor();
    expect(await page.getByLabel("Location: Old Name").inputValue()).toBe(String(place.location_id));
    expect(await page.getByLabel("Location: Web").inputValue()).toBe("");
    expect(faults).toEqual([]);
    await page.close();
  });

  it("reads the tickets of a café in Windows-1252, by its own names of columns", async () => {
    const { page, faults } = await world.open(world.at("/imports"));
    const { business_id, contact_ids } = world.demo;
    const ids = { business_id, contact_id: contact_ids[0] };
    const { phone_number } = await world.call<{ phone_number: string }>("/op/members/get", ids);
    const text = `Nº ticket;Fecha;Hora;Teléfono;Local;Importe\nT-77;13/01/2026;09:05;${phone_number};Barra;3,50 \x80\n`;
    await page.getByLabel("What the file has").getByText("Sales").click();
    const file = { name: "tickets.csv", mimeType: "text/csv", buffer: Buffer.from(text, "latin1") };
    await page.locator("input[type=file]").setInputFiles(file);
    await page.getByRole("button", { name: "Upload and check" }).click();
    await page.getByText(/^Names of columns have letters .* encoding Windows-1252/).waitFor();
    await page.getByRole("button", { name: "Change how it is read" }).click();
    await page.getByLabel("Encoding").selectOption("Windows-1252");
    await page.getByRole("dialog").getByRole("button", { name: "Check again" }).click();
    await page.getByLabel("Location: Barra").selectOption({ index: 2 });
    await checkAgain(page);
    await importAll(page, "1 line");
    await status(page, "Imported").waitFor();
    await page.getByText("Sales of 3.50 EUR in 1 line, on 2026-01-13").waitFor();
    expect(faults).toEqual([]);
    await page.close();
  });

  it("says which column is missing, and takes another one, and a text for empty cells", async () => {
    const { page } = await openFile("first_name,last_name,puhelin,posti\nEva,,+34600111911,\n");
    await page
      .getByText(/^There is no column for “Phone number”. Each member .* Choose the columns below.$/)
      .waitFor();
    expect(await page.getByLabel("Column: First name").inputValue()).toBe("first_name");
    await page.getByLabel("Column: Phone number").selectOption("puhelin");
    await page.getByRole("button", { name: "Check again" }).click();
    await page.getByLabel("Texts of empty cells").fill("Last name: Unknown");
    await page.getByRole("dialog").getByRole("button", { name: "Check again" }).click();
    await page.getByText("Not imported: posti").waitFor();
    // Another page knows what was chosen.
    await page.reload();
    await start(page, "1 line").waitFor();
    expect(await page.getByLabel("Column: Phone number").inputValue()).toBe("puhelin");
    await page.getByRole("button", { name: "Change how it is read" }).click();
    expect(await page.getByLabel("Texts of empty cells").inputValue()).toBe("Last name: Unknown");
    await page.keyboard.press("Escape");
    await importAll(page, "1 line");
    await status(page, "Imported").waitFor();
    expect(await membersNamed("+34600111911")).toMatchObject([{ last_name: "Unknown" }]);
    await page.close();
  });

  it("leads from a list of PrestaShop to a query, whose names stay as they are", async () => {
    const { page } = await openFile(
      "ID;Social title;First name;Last name;Email address\n2;Mme;Ana;Petit;a@b.fr\n",
    );
    await page.getByText(/for “Phone number”.*\(SELECT c\.id_customer, .* GROUP BY c\.id_customer/).waitFor();
    await page.close();
  });

  it("reads a file without a header, also if it was taken for something else", async () => {
    const contact_id = String(world.demo.contact_ids[0]);
    const { page, faults } = await openFile(`2026-01-04;${contact_id};1.25\n2026-01-05;${contact_id};3.50\n`);
    const choose = "so columns have numbers. Choose the columns below.";
    await page.getByText(`“Last name”. The first line is not a header, ${choose}`).waitFor();
    await page.getByRole("button", { name: "Import as something else" }).click();
    await page.getByRole("dialog").getByLabel("Sales").check();
    await page.getByRole("dialog").getByRole("button", { name: "Check again" }).click();
    await page.getByText(choose).waitFor();
    await page.getByLabel("Column: Time of the sale").selectOption("1: 2026-01-04");
    await page.getByLabel("Column: Member").selectOption(`2: ${contact_id}`);
    await page.getByLabel("Column: Amount").selectOption("3: 1.25");
    await checkAgain(page);
    await page.getByText("earn no points. To let them earn, choose “Sales earn points”.").waitFor();
    await importAll(page, "2 lines");
    await status(page, "Imported").waitFor();
    await page.getByText("Sales of 4.75 EUR in 2 lines, from 2026-01-04 to 2026-01-05").waitFor();
    expect(faults).toEqual([]);
    await page.close();
  });

  it("uploads compressed parts, also after a lost response", async () => {
    const { page } = await world.open(world.at("/imports"));
    const parts: { part: number; idempotency_key: string; content: string; last: boolean }[] = [];
    await page.route("**/op/imports/upload", async (route) => {
      parts.push(route.request().postDataJSON());
      if (parts.length > 1) return route.fallback();
      await route.fetch();
      return route.abort("connectionreset");
    });
    await upload(page, longFile, "many.csv");
    await page.getByText("The file is being uploaded.").waitFor();
    await start(page, "3,000 lines").waitFor();
    const [lost, ...arrived] = parts;
    expect(parts.map(({ part, last }) => ({ part, last }))).toEqual([
      { part: 0, last: false },
      { part: 0, last: false },
      { part: 1, last: true },
    ]);
    expect(lost?.idempotency_key).toBe(arrived[0]?.idempotency_key);
    const packed = Buffer.concat(arrived.map(({ content }) => Buffer.from(content, "base64")));
    expect(gunzipSync(packed).toString()).toBe(longFile);
    await page.close();
  });

  it("goes on with an import that nobody looks at, and stops it and goes on again", async () => {
    const { page, faults } = await openFile(longFile.replaceAll("+34601", "+34602"));
    const release = await holdImportAfter(1000);
    await importAll(page, "3,000 lines");
    await page.getByText("1,000 of 3,000 lines").waitFor();
    await page.reload();
    await page.getByText("1,000 of 3,000 lines").waitFor();
    await page.getByRole("link", { name: "Imports" }).click();
    const row = page.getByRole("row", { name: /^members\.csv Members Importing … 1,000/ });
    await row.getByRole("link").click();
    await press(page, "Stop");
    await status(page, "Cancelled").waitFor();
    await release();
    await press(page, "Go on");
    await status(page, "Imported").waitFor();
    const [{ count } = {}] = await world.sql<{ count: number }[]>`
      SELECT count(*)::integer AS count FROM member WHERE phone_number LIKE '+34602%'`;
    expect(count).toBe(manyLines);
    expect(faults).toEqual([]);
    await page.close();
  });

  /** Lets imports wait after so many lines. @returns lets them go on */
  async function holdImportAfter(count: number): Promise<() => Promise<void>> {
    // The locks are seen by transactions that began before their end.
    await world.sql.query(`
      CREATE FUNCTION hold_import() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        WHILE EXISTS (SELECT FROM import_job WHERE state = 'importing' AND lines_done >= ${count})
          AND EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = 4711)
        LOOP PERFORM pg_sleep(0.02); END LOOP;
        RETURN NULL;
      END $$`);
    await world.sql.query(`
      CREATE TRIGGER hold_import BEFORE INSERT ON member FOR EACH STATEMENT EXECUTE FUNCTION hold_import()`);
    const [locked, released] = [gate(), gate()];
    const holding = world.sql.begin(async (tx) => {
      await tx.query("SELECT pg_advisory_xact_lock(4711)");
      locked.open();
      await released.opened;
    });
    await locked.opened;
    return async () => {
      released.open();
      await holding;
    };
  }

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
    await page.getByRole("button", { name: "1 day forward" }).click();
    await page.getByText("From 2 Jan 2026 to 2 Jan 2026: 0 entries").waitFor();
    await page.getByText("Nothing was recorded.").waitFor();
    // A year is advanced in parts. The second one waits until the page was looked at.
    const looked = gate();
    let parts = 0;
    await page.route("**/op/sandbox/clock/advance", async (route) => {
      parts += 1;
      if (parts > 1) await looked.opened;
      await route.continue();
    });
    await page.getByRole("button", { name: "365 days forward" }).click();
    const bar = page.getByRole("progressbar", { name: "The clock is advancing. So far: 0 entries." });
    const reached = async () => Math.round(Number(await bar.getAttribute("aria-valuenow")));
    await expect.poll(reached).toBe(8);
    expect(await violationsOn(page)).toEqual([]);
    looked.open();
    await page.getByText("From 3 Jan 2026 to 2 Jan 2027: 0 entries").waitFor();
    expect(parts).toBe(13);
    await page.getByText("2 Jan 2027, 00:00").waitFor();
    await page.getByText("A sandbox: nothing here is real.").waitFor();
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
    await page.getByRole("row", { name: /Bea/ }).getByRole("button", { name: "Edit" }).click();
    const limit = dialog.getByLabel("Most money to correct in a day");
    await expect.poll(() => limit.inputValue()).toBe("20.00");
    await page.keyboard.press("Escape");
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
    await page.getByLabel(/^Current password/).waitFor();
    expect(await violationsOn(page, openDialog)).toEqual([]);
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
