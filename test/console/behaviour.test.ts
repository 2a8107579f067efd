/** How the console behaves: by keyboard alone, with any names, and when the network or the service fails. */
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { openDialog, violationsOn } from "../support/accessibility.ts";
import { describeInBrowser } from "../support/chromium.ts";
import { otherConsole, useConsole } from "../support/console.ts";

describeInBrowser("the console", (launch) => {
  const world = useConsole(launch);

  /** Adds a member with such a name. */
  async function named(first_name: string, last_name: string, phone_number: string): Promise<number> {
    const { business_id } = world.demo;
    const body = { idempotency_key: phone_number, business_id, first_name, last_name, phone_number };
    return (await world.call<{ contact_id: number }>("/op/members/create", body)).contact_id;
  }

  const pointsOf = async (contact_id: number): Promise<number> =>
    (
      await world.call<{ points: number }>("/op/members/balances", {
        business_id: world.demo.business_id,
        contact_id,
      })
    ).points;

  const focused = (page: Page) => page.evaluate<string>("document.activeElement.textContent");

  async function openCorrection(page: Page, points: string): Promise<void> {
    await page.getByRole("button", { name: "Correct a balance" }).click();
    await page.getByRole("textbox", { name: "Points" }).fill(points);
    await page.getByRole("textbox", { name: "Reason" }).fill("The till was offline");
  }

  it("leads from a phone number to a saved correction in six actions, by keyboard alone", async () => {
    const before = await pointsOf(world.priya);
    const { page, faults } = await world.open(world.at("/members"));
    await page.getByRole("searchbox").waitFor();
    // 1: find, 2: open, 3: correct, 4: the points, 5: the reason, 6: save.
    await page.keyboard.type("353209100042");
    await page.keyboard.press("Enter");
    // A new page takes the focus a moment after its heading is there.
    await expect.poll(() => focused(page)).toBe("Priya Raghunathan");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    await expect.poll(() => page.evaluate("document.activeElement?.name")).toBe("points");
    await page.keyboard.type("12");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.type("The till was offline");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    // The focus comes back a moment after the dialog is gone.
    await expect.poll(() => focused(page)).toBe("Correct a balance");
    expect(await pointsOf(world.priya)).toBe(before + 12);
    await page.getByText("The till was offline").first().waitFor();
    expect(faults).toEqual([]);
    await page.close();
  });

  it("finds members, receipts, pages and forms by one search", async () => {
    const { business_id } = world.demo;
    const [sale] = await world.call<{ reference_id: string }[]>("/op/sales/list", { business_id });
    const { page, faults } = await world.open(world.at("/today"));
    const dialog = page.getByRole("dialog");
    const search = async (text: string, found: string | RegExp) => {
      await page.keyboard.press("Control+k");
      await dialog.getByRole("combobox").fill(text);
      await page.getByRole("option", { name: found }).waitFor();
    };
    await page.getByRole("heading", { name: "Today" }).waitFor();
    // The name is misspelt.
    await search("Raghunatan", /^Priya Raghunathan/);
    expect(await violationsOn(page, openDialog)).toEqual([]);
    await page.getByRole("option", { name: /^Priya Raghunathan/ }).click();
    await page.getByRole("heading", { name: "Priya Raghunathan" }).waitFor();
    const receipt = sale?.reference_id ?? "";
    await search(receipt, receipt);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: `Sale ${receipt}` }).waitFor();
    await search("audit", "Audit log");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Audit log" }).waitFor();
    await search("add a tier", "Add a tier");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Add a tier" }).waitFor();
    // What is written in a form is not lost by the keys of the search.
    await page.keyboard.press("Control+k");
    expect(await dialog.count()).toBe(1);
    expect(faults).toEqual([]);
    await page.close();
  });

  it("keeps the form and its key when the connection is lost, and saves once", async () => {
    const before = await pointsOf(world.priya);
    const { page } = await world.open(world.at(`/members/${world.priya}`));
    const keys: string[] = [];
    await page.route("**/op/members/adjust-points", async (route) => {
      const body = route.request().postDataJSON() as { idempotency_key: string };
      keys.push(body.idempotency_key);
      // The service saves it, but its first response is lost.
      if (keys.length > 1) return route.fallback();
      await route.fetch();
      return route.abort("connectionreset");
    });
    await openCorrection(page, "5");
    await page.getByRole("button", { name: "Correct the balance" }).click();
    await page.getByText("It is not known whether").waitFor();
    expect(await page.getByRole("textbox", { name: "Points" }).inputValue()).toBe("5");
    expect(await page.getByRole("textbox", { name: "Points" }).isDisabled()).toBe(true);
    await page.getByRole("dialog").getByRole("button", { name: "Try again" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(new Set(keys).size).toBe(1);
    expect(keys).toHaveLength(2);
    expect(await pointsOf(world.priya)).toBe(before + 5);
    await page.close();
  });

  it("keeps the form while the service is slow, and when it fails", async () => {
    const before = await pointsOf(world.priya);
    const { page } = await world.open(world.at(`/members/${world.priya}`));
    const keys: string[] = [];
    let respond = () => {};
    const slow = new Promise<void>((resolve) => {
      respond = resolve;
    });
    await page.route("**/op/members/adjust-points", async (route) => {
      keys.push((route.request().postDataJSON() as { idempotency_key: string }).idempotency_key);
      if (keys.length > 1) return route.fallback();
      await slow;
      const body = { success: false, message: "Busy.", error: { code: "service_unavailable", details: {} } };
      return route.fulfill({ status: 503, json: body });
    });
    await openCorrection(page, "4");
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Correct the balance" }).click();
    await dialog.locator("fieldset:disabled").first().waitFor();
    // Enter sends nothing while a request is under way.
    await page.keyboard.press("Enter");
    expect(await dialog.getByRole("button", { name: "Cancel" }).isDisabled()).toBe(true);
    respond();
    await dialog.getByText("The service is busy.").waitFor();
    expect(await dialog.getByRole("textbox", { name: "Points" }).inputValue()).toBe("4");
    await dialog.getByRole("button", { name: "Try again" }).click();
    await dialog.waitFor({ state: "detached" });
    expect([keys.length, new Set(keys).size]).toEqual([2, 1]);
    expect(await pointsOf(world.priya)).toBe(before + 4);
    await page.close();
  });

  it("asks for the password again before what can't be undone, and then does it", async () => {
    const contact_id = await named("Ends", "Soon", "+34600700090");
    const session = await world.signIn({ role: "owner" });
    await world.sql`
      UPDATE operator_session SET authenticated_at = now() - interval '11 minutes'
      WHERE session_id = (SELECT max(session_id) FROM operator_session)`;
    const { page } = await world.open(world.at(`/members/${contact_id}`), undefined, session);
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Erase personal data" }).click();
    const erase = page.getByRole("dialog", { name: "Erase personal data" });
    await erase.getByRole("textbox", { name: "Reason" }).fill("She asked for it");
    await erase.getByRole("button", { name: "Erase personal data" }).click();
    const question = page.getByRole("dialog", { name: "Confirm your password" });
    await question.getByLabel(/^Password/).fill("not the password");
    await question.getByRole("button", { name: "Continue" }).click();
    await question.getByText("The name or the password is wrong.").waitFor();
    expect(await violationsOn(page, openDialog)).toEqual([]);
    await question.getByLabel(/^Password/).fill(world.password);
    await question.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("heading", { name: "Members" }).waitFor();
    const member = { business_id: world.demo.business_id, contact_id };
    const { first_name } = await world.call<{ first_name: string }>("/op/members/get", member);
    expect(first_name).not.toBe("Ends");
    await page.close();
  });

  it("merges a duplicate after it has shown what this does", async () => {
    const kept = await named("Maria", "Kept", "+34600700091");
    const duplicate = await named("Maria", "Duplicate", "+34600700092");
    const { business_id } = world.demo;
    const credit = { contact_id: duplicate, points: 30, adjustment_type: "credit", reason: "Before" };
    await world.call("/op/members/adjust-points", { idempotency_key: "merge", business_id, ...credit });
    const { page, faults } = await world.open(world.at(`/members/${kept}`));
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Merge a duplicate" }).click();
    const dialog = page.getByRole("dialog");
    const merge = dialog.getByRole("button", { name: "Merge", exact: true });
    expect(await merge.isDisabled()).toBe(true);
    await dialog.getByRole("combobox").fill("Duplicate");
    await page.getByRole("option", { name: /Maria Duplicate/ }).click();
    await dialog.getByText("Balances afterwards").waitFor();
    expect(await dialog.getByRole("combobox").inputValue()).toBe("Maria Duplicate, +34600700092");
    expect(await pointsOf(kept)).toBe(0);
    await merge.click();
    await dialog.waitFor({ state: "detached" });
    expect(await pointsOf(kept)).toBe(30);
    await page.goto(world.at(`/members/${duplicate}`));
    const link = page.getByText("It was merged into").getByRole("link", { name: "Maria Kept" });
    await link.waitFor();
    expect(await page.getByText(/^(Wallet|Worth .*|Why these points.)$/).count()).toBe(0);
    await link.click();
    await page.getByRole("heading", { name: "Maria Kept" }).waitFor();
    await page.goto(world.at(`/audit?contact_id=${kept}`));
    const entry = page.getByRole("row").filter({ hasText: "Merged from" });
    await entry.getByRole("link", { name: "Maria Duplicate" }).waitFor();
    expect(await entry.innerText()).toMatch(/Sales: 0\.00 EUR[\s\S]*Vouchers: 0\.00 EUR/);
    expect(faults).toEqual([]);
    await page.close();
  });

  it("previews what another tier would change, before it is saved", async () => {
    const { page, faults } = await world.open(world.at("/tiers"));
    await page.getByRole("button", { name: "Edit" }).first().click();
    const dialog = page.getByRole("dialog");
    const save = dialog.getByRole("button", { name: "Save" });
    await dialog.getByRole("textbox", { name: /^Qualifying sales/ }).fill("77");
    expect(await save.isDisabled()).toBe(true);
    await dialog.getByRole("button", { name: "Show what would change" }).click();
    await dialog.getByRole("table").first().waitFor();
    expect(await save.isDisabled()).toBe(false);
    expect(faults).toEqual([]);
    await page.close();
  });

  it("saves the data of a member, and the ledger, as files", async () => {
    const { page } = await world.open(world.at(`/members/${world.priya}`));
    const saved = async (click: () => Promise<void>) => {
      const [file] = await Promise.all([page.waitForEvent("download"), click()]);
      return { name: file.suggestedFilename(), text: readFileSync(await file.path(), "utf8") };
    };
    await page.getByRole("button", { name: "More" }).click();
    const member = await saved(() => page.getByRole("menuitem", { name: "Save the data as a file" }).click());
    expect(member.name).toBe(`member-${world.priya}.json`);
    expect(JSON.parse(member.text)).toMatchObject([{ member: { first_name: "Priya" } }]);
    await page.goto(world.at(`/transactions?contact_id=${world.priya}`));
    const ledger = await saved(() => page.getByRole("button", { name: "Save as CSV" }).click());
    expect(ledger.name).toBe("transactions.csv");
    const [head = "", ...lines] = ledger.text.trim().split("\r\n");
    expect(head.split(",")).toEqual(expect.arrayContaining(["entry_no", "amount", "balance_after"]));
    const { business_id } = world.demo;
    const request = { business_id, contact_id: world.priya, per_page: 100 };
    const entries = await world.call<object[]>("/op/transactions/list", request);
    expect(lines).toHaveLength(entries.length);
    // Her name is beside her number.
    expect(head).toContain(",contact_id,member_name,");
    expect(lines.filter((line) => line.includes(`,${world.priya},Priya Raghunathan,`))).toEqual(lines);
    await page.close();
  });

  it("makes a webhook endpoint, shows its secret once, and replays after it has counted", async () => {
    const { page, faults } = await world.open(world.at("/webhooks"));
    // An empty list has the button, too.
    await page.getByRole("button", { name: "Add an endpoint" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Address").fill("https://example.com/hooks");
    await dialog.getByRole("combobox", { name: "Types of events" }).fill("Wallet: all");
    await page.getByRole("option", { name: "Wallet: all" }).click();
    await dialog.getByLabel("Headers").fill("Authorization: Bearer a:b\nbroken");
    const save = dialog.getByRole("button", { name: "Add an endpoint" });
    await save.click();
    await dialog.getByText(/^Headers 2, value must/).waitFor();
    await dialog.getByLabel("Headers").fill("Authorization: Bearer a:b");
    await save.click();
    const secret = (await dialog.getByText(/^whsec_/).textContent()) as string;
    expect(await violationsOn(page, openDialog)).toEqual([]);
    // Only its button closes the dialog, because the secret is shown only once.
    await page.keyboard.press("Escape");
    expect(await dialog.getByRole("button", { name: "Close" }).count()).toBe(0);
    await dialog.getByRole("button", { name: "I have stored it" }).click();
    await page.getByRole("heading", { name: "https://example.com/hooks" }).waitFor();
    await page.getByText("Authorization").waitFor();
    expect(await page.content()).not.toContain(secret);
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Replay a period" }).click();
    expect(await dialog.getByRole("button", { name: "Replay a period" }).isDisabled()).toBe(true);
    await dialog.getByRole("textbox", { name: "Recorded since" }).fill("2026-01-01T00:00");
    await dialog.getByText("No events.").waitFor();
    await page.keyboard.press("Escape");
    expect(await violationsOn(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Close it" }).click();
    await dialog.waitFor({ state: "detached" });
    await expect.poll(() => focused(page)).toBe("More");
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Disable" }).click();
    await dialog.getByRole("button", { name: "Disable" }).click();
    await page.getByText("Disabled by hand.").waitFor();
    await page.goto(world.at("/events?types=events.*"));
    await page.getByRole("cell", { name: "Events enabled" }).waitFor();
    await expect.poll(() => page.getByRole("row").count()).toBe(2);
    expect(faults.filter((fault) => !fault.includes("422"))).toEqual([]);
    await page.close();
  });

  it("names the field that is wrong, and takes it back when it is corrected", async () => {
    const { page } = await world.open(world.at(`/members/${world.priya}`));
    await openCorrection(page, "1.5");
    await page.getByRole("button", { name: "Correct the balance" }).click();
    await page.getByText("Write a whole number").waitFor();
    await expect.poll(() => page.evaluate("document.activeElement?.name")).toBe("points");
    await page.keyboard.type("x");
    expect(await page.getByText("Write a whole number").count()).toBe(0);
    await page.close();
  });

  it("shows what the service says about a field, and what is left after a conflict", async () => {
    const { page } = await world.open(world.at("/members"));
    await page.getByRole("button", { name: "Add a member" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("First name").fill("Ana");
    await dialog.getByLabel("Last name").fill("Other");
    await dialog.getByLabel("Phone number").fill("123");
    await dialog.getByRole("button", { name: "Add a member" }).click();
    await dialog.getByText(/^Phone number must be/).waitFor();
    await dialog.getByLabel("Phone number").fill("+353209100042");
    await dialog.getByRole("button", { name: "Add a member" }).click();
    await dialog.getByText("Another member has this already.").waitFor();
    await page.goto(world.at(`/members/${world.priya}`));
    await openCorrection(page, "999999");
    await page.getByText("Take away").click();
    await page.getByRole("button", { name: "Correct the balance" }).click();
    await page.getByText(/The balance is too low for this: it is [\d,]+ points\./).waitFor();
    await page.close();
  });

  it("asks for the password when the session has ended, and then does what was wanted", async () => {
    const before = await pointsOf(world.priya);
    const { page } = await world.open(world.at(`/members/${world.priya}`));
    await openCorrection(page, "3");
    await world.endSession(page);
    await page.getByRole("button", { name: "Correct the balance" }).click();
    const question = page.getByRole("dialog", { name: "Sign in again" });
    await question.getByLabel(/^Password/).fill(world.password);
    await question.getByRole("button", { name: "Continue" }).click();
    await expect.poll(() => pointsOf(world.priya)).toBe(before + 3);
    await page.locator("[role=dialog]").first().waitFor({ state: "detached" });
    expect(page.url()).toBe(world.at(`/members/${world.priya}`));
    await page.close();
  });

  it("signs a person in by an invitation, and out, and back to the page that was wanted", async () => {
    const { token, name } = await world.invite();
    const { page, faults } = await world.open(
      `${world.baseUrl}/console/accept#token=${token}`,
      undefined,
      "",
    );
    await page.getByRole("heading", { name: `Choose a password for ${name}` }).waitFor();
    await page.getByLabel(/^Password/).fill(world.password);
    await page.getByRole("button", { name: "Save and sign in" }).click();
    await page.getByRole("heading", { name: "Today" }).waitFor();
    expect(page.url()).not.toContain(token);
    await page.getByRole("button", { name }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    const wanted = world.at("/transactions");
    await page.goto(wanted);
    await page.getByLabel("Name").fill(name);
    await page.getByLabel(/^Password/).fill("not the password");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("The name or the password is wrong.").waitFor();
    await page.getByLabel(/^Password/).fill(world.password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Transactions" }).waitFor();
    expect(page.url()).toBe(wanted);
    expect(faults.filter((fault) => !fault.includes("401"))).toEqual([]);
    await page.close();
  });

  it("shows only what the role may do", async () => {
    const session = await world.signIn({ role: "viewer" });
    const { page } = await world.open(world.at(`/members/${world.priya}`), undefined, session);
    await page.getByRole("heading", { name: "Priya Raghunathan" }).waitFor();
    expect(await page.getByRole("button", { name: "Correct a balance" }).count()).toBe(0);
    expect(await page.getByRole("button", { name: "More" }).count()).toBe(0);
    await page.close();
  });

  it.each([
    ["<img src=x onerror=alert(1)>", "<script>alert(1)</script>", "+34600700001"],
    ["W".repeat(255), "M".repeat(255), "+34600700002"],
    ["مُحَمَّد", "عَبْد اللَّه", "+34600700003"],
    ["--", "…", "+34600700004"],
    ["=cmd|' /C calc'!A0", "Ⅷ🎉", "+34600700005"],
  ])("shows a member named %s", async (first, last, phone) => {
    const contact_id = await named(first, last, phone);
    const { page, faults } = await world.open(world.at(`/members/${contact_id}`));
    await page.setViewportSize({ width: 360, height: 800 });
    const fits = () =>
      expect.poll(() => page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    await expect.poll(() => page.locator("h1").textContent()).toBe(`${first} ${last}`);
    await fits();
    await page.goto(world.at(`/members?search=${encodeURIComponent(phone)}`));
    await page.getByText(`${first} ${last}`).waitFor();
    await fits();
    expect(faults).toEqual([]);
    await page.close();
  });

  it("says that it loads, that the service fails, and tries again", async () => {
    const { page } = await world.open(world.at("/today"));
    let isBroken = true;
    let fail = () => {};
    const failing = new Promise<void>((resolve) => {
      fail = resolve;
    });
    await page.route("**/op/members/list", async (route) => {
      if (!isBroken) return route.fallback();
      await failing;
      return route.abort("connectionrefused");
    });
    await page.getByRole("link", { name: "Members" }).click();
    await page.getByRole("status", { name: "Loading" }).waitFor();
    fail();
    await page.getByText("The service can't be reached.").waitFor();
    isBroken = false;
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("Leilani Kahale").waitFor();
    await page.close();
  });

  it("keeps a page of which a part can't be loaded, and loads it again", async () => {
    const { page } = await world.open(world.at(`/members/${world.priya}`));
    const part = "**/assets/reports-*.js";
    await page.route(part, (route) => route.abort("connectionrefused"));
    await page.getByRole("link", { name: "Reports" }).click();
    await page.getByRole("alert").getByText("Something went wrong").waitFor();
    await page.getByRole("link", { name: "Today" }).click();
    await page.getByRole("heading", { name: "Today" }).waitFor();
    await page.getByRole("link", { name: "Reports" }).click();
    await page.unroute(part);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("heading", { name: "Reports" }).waitFor();
    await page.close();
  });

  it("keeps the menu beside a page that can't be shown", async () => {
    const { page } = await world.open(world.at("/members"));
    await page.route("**/op/reports/activity", (route) =>
      route.fulfill({ json: { success: true, message: "", data: [{}], meta: {} } }),
    );
    await page.getByRole("link", { name: "Today" }).click();
    await page.getByRole("alert").getByText("Something went wrong").waitFor();
    await page.getByRole("link", { name: "Members" }).click();
    await page.getByRole("heading", { name: "Members" }).waitFor();
    await page.close();
  });

  it("asks for the businesses after the session, if nobody has been here", async () => {
    const { page } = await world.open(`${world.baseUrl}/console/accept`, undefined, "");
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.goto(world.at("/today"));
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect(asked.filter((url) => url.endsWith("/op/session/get"))).toHaveLength(1);
    expect(asked.filter((url) => url.endsWith("/op/businesses/list"))).toEqual([]);
    await page.close();
  });

  it("works at 200 % zoom, with a focus that can be seen", async () => {
    const { page } = await world.open(world.at(`/members/${world.priya}`), {
      width: 640,
      height: 450,
      scheme: "light",
    });
    await page.getByRole("heading", { name: "Priya Raghunathan" }).waitFor();
    for (const key of ["Tab", "Tab"]) {
      await page.keyboard.press(key);
      const outline = await page.evaluate("getComputedStyle(document.activeElement).outlineStyle");
      expect(outline).not.toBe("none");
    }
    await expect.poll(() => page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    await page.close();
  });

  it("notices a violation of its policy", async () => {
    const { page, faults } = await world.open(world.at("/today"));
    await page.evaluate(
      "document.head.append(Object.assign(document.createElement('style'), { textContent: 'p {}' }))",
    );
    await expect.poll(() => faults.join()).toMatch(/Content Security Policy/);
    await page.close();
  });

  it("leads to the console of another cell, whose businesses are not here", async () => {
    const { page } = await world.open(world.at("/today"));
    let choose = () => {};
    const chosen = new Promise<void>((resolve) => {
      choose = resolve;
    });
    // The next page must not come before the browser has said that the choice is made: it would look for it there again.
    await page.route(`${otherConsole}**`, async (route) => {
      await chosen;
      return route.fulfill({ contentType: "text/html", body: "south" });
    });
    const choice = page.getByRole("combobox", { name: "Business" });
    await choice.selectOption({ label: "south" });
    choose();
    await page.waitForURL(otherConsole);
    await page.goto(`${world.baseUrl}/console/2000000001/members?search=ana`);
    await page.getByRole("link", { name: "south" }).click();
    await page.waitForURL(`${otherConsole}2000000001/members`);
    await page.close();
  });
});
