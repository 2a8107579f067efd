/** What a manager does in the console: sets up the programme and partners, and finds out what happened. */
import { expect, it } from "vitest";
import { holdBackgroundWrites } from "../support/background-writes.ts";
import { describeInBrowser } from "../support/chromium.ts";
import { useConsole } from "../support/console.ts";

const phone = { width: 360, height: 800, scheme: "light" } as const;

describeInBrowser("the console of a manager", (launch) => {
  const world = useConsole(launch);

  it("folds filters on a phone, and says how many are set", async () => {
    const { page, faults } = await world.open(world.at("/transactions?start_date=2026-01-01"), phone);
    const filters = page.getByRole("button", { name: "Filters (1)" });
    await filters.waitFor();
    const through = page.getByRole("textbox", { name: "Through" });
    expect(await through.isVisible()).toBe(false);
    await filters.click();
    await through.fill("2026-01-31");
    await page.getByRole("button", { name: "Filters (2)", expanded: true }).waitFor();
    // A list with one filter shows it, and a large screen has room for all.
    await page.goto(world.at("/vouchers"));
    await page.getByLabel("Also archived vouchers").waitFor();
    expect(await page.getByRole("button", { name: /^Filters/ }).count()).toBe(0);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(world.at("/transactions"));
    await through.waitFor();
    expect(faults).toEqual([]);
    await page.close();
  });

  it("previews what another tier would change, before it is added", async () => {
    const { page, faults } = await world.open(world.at("/tiers"), phone);
    const tiersNow = () => world.call<object[]>("/op/tiers/list", { business_id: world.demo.business_id });
    const before = await tiersNow();
    await page.getByRole("button", { name: "Add a tier" }).click();
    const dialog = page.getByRole("dialog");
    const save = dialog.getByRole("button", { name: "Add a tier" });
    const show = dialog.getByRole("button", { name: "Show what would change" });
    // The form says what is missing.
    await save.click();
    await dialog.getByText("This field is required.").first().waitFor();
    expect(await show.count()).toBe(0);
    // The first of these fields has the focus. It keeps it while the person writes, although others are missing, too.
    await expect.poll(() => page.evaluate("document.activeElement?.name")).toBe("name");
    await page.keyboard.type("Regulars");
    expect(await dialog.getByRole("textbox", { name: /^Name/ }).inputValue()).toBe("Regulars");
    // The number and its unit are one value.
    await dialog.getByRole("textbox", { name: /^Valid for/ }).fill("1");
    const unit = dialog.getByRole("combobox", { name: "Days, weeks, months or years" });
    expect(await unit.inputValue()).toBe("month");
    await unit.selectOption("years");
    await dialog.getByText("This changes neither what sales earn nor who reaches a tier").waitFor();
    await dialog.getByRole("textbox", { name: /^Qualifying sales/ }).fill("0.01");
    expect(await save.isDisabled()).toBe(true);
    await show.click();
    await dialog.getByRole("row", { name: "Members with the tier Regulars" }).waitFor();
    await dialog.getByRole("row", { name: "Members without a tier" }).waitFor();
    expect(await tiersNow()).toEqual(before);
    await save.click();
    await dialog.waitFor({ state: "detached" });
    expect(await tiersNow()).toHaveLength(before.length + 1);
    // The one that needs the fewest sales is first.
    const added = page.locator("tbody tr").first().filter({ hasText: "Regulars" });
    await added.getByText("1 year").waitFor();
    await added.getByRole("button", { name: "Delete" }).click();
    await dialog.getByText("No member has the tier Regulars now.").waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("row").filter({ hasText: "Gold" }).getByRole("button", { name: "Delete" }).click();
    await dialog.getByText(/^Members with the tier Gold now: [1-9]/).waitFor();
    await page.goto(world.at("/audit?event=tier.created"));
    await page.getByText("1 year").first().waitFor();
    const { business_id } = world.demo;
    const [{ tier_id }] = (await tiersNow()) as [{ tier_id: number }];
    await world.call("/op/tiers/update", { idempotency_key: "longer", business_id, tier_id, expiry: 2 });
    await page.goto(world.at("/audit?event=tier.updated"));
    await page.getByRole("row").filter({ hasText: "1 year → 2 years" }).waitFor();
    expect(faults).toEqual([]);
    await page.close();
  });

  it("previews another rate of a program, and of one that would be added", async () => {
    const { page, faults } = await world.open(world.at("/programs"));
    const dialog = page.getByRole("dialog");
    const show = dialog.getByRole("button", { name: "Show what would change" });
    const save = dialog.getByRole("button", { name: "Save" });
    await page.getByRole("button", { name: "Edit" }).first().click();
    await dialog.getByText("It is the usual program").waitFor();
    await dialog.getByRole("textbox", { name: /^Points/ }).fill("9");
    expect(await save.isDisabled()).toBe(true);
    await show.click();
    await dialog.getByRole("row", { name: "Points earned" }).waitFor();
    expect(await save.isEnabled()).toBe(true);
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Add a program" }).click();
    await dialog.getByRole("textbox", { name: /^Name/ }).fill("Double");
    await dialog.getByRole("textbox", { name: /^Most points of a sale/ }).fill("500");
    await show.click();
    await dialog.getByRole("row", { name: "Points earned" }).waitFor();
    // It changes nothing by itself.
    expect(await dialog.getByRole("button", { name: "Add a program" }).isEnabled()).toBe(true);
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Delete" }).first().click();
    await dialog.getByText("Without it, these sales earn nothing.").waitFor();
    expect(faults).toEqual([]);
    await page.close();
  });

  /** Sends a request as a partner. */
  async function asPartner(path: string, body: object, token = ""): Promise<string | undefined> {
    const response = await fetch(world.baseUrl + path, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(token !== "" && { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(body),
    });
    const { data } = (await response.json()) as { data?: { access_token?: string } };
    return data?.access_token;
  }

  it("creates an integration, and finds out why its last request failed", async () => {
    const { page, faults } = await world.open(world.at("/integrations"), phone);
    const dialog = page.getByRole("dialog");
    const add = async (kind: RegExp) => {
      await page.getByRole("button", { name: "Add an integration" }).click();
      await page.getByRole("menuitem", { name: kind }).click();
    };
    // A till gets the scopes that tills need, without a question.
    await add(/^Till/);
    await dialog.getByRole("textbox", { name: /^Name/ }).fill("Counter");
    expect(await dialog.getByRole("checkbox").count()).toBe(0);
    await dialog.getByRole("button", { name: "Add an integration" }).click();
    await dialog.getByRole("button", { name: "I have stored it" }).click();
    await page.getByText("wa.sales.write", { exact: true }).waitFor();
    expect(await page.getByText("wa.members.merge", { exact: true }).count()).toBe(0);
    await page.goto(world.at("/integrations"));
    await add(/^Another program/);
    await dialog.getByRole("textbox", { name: /^Name/ }).fill("Till");
    await dialog.getByText("List, find and get members, and list their cards.").waitFor();
    await dialog.locator('input[value="wa.members.read"]').check();
    const locations = dialog.getByRole("group", { name: "Locations" });
    await dialog.getByRole("checkbox", { name: "All locations" }).uncheck();
    await locations.waitFor();
    await dialog.getByRole("checkbox", { name: "All locations" }).check();
    expect(await locations.count()).toBe(0);
    await dialog.getByRole("button", { name: "Add an integration" }).click();
    await dialog.getByText(/^curl http.*loysec_/).waitFor();
    const client_id = await dialog.getByText(/^loy_/).textContent();
    const client_secret = await dialog.getByText(/^loysec_/).textContent();
    await dialog.getByRole("button", { name: "I have stored it" }).click();
    await page.getByText("All, also future ones").waitFor();
    expect(await page.getByText("All locations").count()).toBe(0);
    const token = await asPartner("/sp/auth/token", { client_id, client_secret });
    await asPartner("/sp/members/list", { full_name: "Ana", per_page: "ten" }, token);
    await asPartner("/sp/members/create", { first_name: "Ana" }, token);
    await page.reload();
    await page.getByText("It needs the scope wa.members.write: Create and update members").waitFor();
    await page.getByText("A field that this operation does not have.").waitFor();
    await page.getByText("per_page: invalid type").waitFor();
    expect(await page.getByText("?", { exact: true }).count()).toBe(0);
    expect(faults).toEqual([]);
    await page.close();
  });

  it("shows what an endpoint responded, and sends the event again", async () => {
    await holdBackgroundWrites(world.sql);
    const { business_id, contact_ids } = world.demo;
    const key = (idempotency_key: string) => ({ idempotency_key, business_id });
    await world.call("/op/businesses/update", { ...key("events"), events_enabled: true });
    const { endpoint_id } = await world.call<{ endpoint_id: number }>("/op/webhook-endpoints/create", {
      ...key("endpoint"),
      url: "https://example.com/hooks",
      types: ["*"],
    });
    const member = { contact_id: contact_ids[0], first_name: "Other" };
    await world.call("/op/members/update", { ...key("event"), ...member });
    await world.sql`
      INSERT INTO webhook_attempt (business_id, endpoint_id, event_no, attempt, kind, started_at, milliseconds, succeeded,
        response_status, error, response_body)
      VALUES (${business_id}, ${endpoint_id}, 2, 1, 'delivery', now(), 84, false, 500, 'HTTP 500', 'out of order')`;
    const { page, faults } = await world.open(world.at(`/webhooks/${endpoint_id}`));
    await page.getByRole("cell", { name: "Member updated" }).first().waitFor();
    await page.getByText("500", { exact: true }).click();
    await page.getByText("out of order").waitFor();
    await page.getByRole("button", { name: "Send again" }).click();
    // What says so goes by itself after some seconds.
    await Promise.all([
      page.getByText("The event is sent within seconds.").waitFor(),
      page.getByRole("dialog").getByRole("button", { name: "Send again" }).click(),
    ]);
    expect(faults).toEqual([]);
    await page.close();
  });

  it("tells in the audit log what happened, in words and once", async () => {
    const { business_id, contact_ids } = world.demo;
    const contact_id = contact_ids[1];
    const change = { business_id, contact_id, email: "other@example.com" };
    await world.call("/op/members/update", { idempotency_key: "audited", ...change });
    const { page, faults } = await world.open(world.at(`/audit?contact_id=${contact_id}`));
    const row = page.getByRole("row", { name: "Member updated" });
    await row.getByText("E-mail address").waitFor();
    expect(await row.locator("dt").allTextContents()).toEqual(["Changed:"]);
    await page.getByLabel("Event").selectOption({ label: "Member erased" });
    await page.getByText("No entry matches.").waitFor();
    expect(faults).toEqual([]);
    await page.close();
  });

  it("shows the page in the menu of a low window", async () => {
    const low = { width: 1280, height: 400, scheme: "light" } as const;
    const { page, faults } = await world.open(`${world.baseUrl}/console/system`, low);
    const link = page.getByRole("navigation").getByRole("link", { name: "System" });
    await link.waitFor();
    const bottom = async () => {
      const { y, height } = (await link.boundingBox()) as { y: number; height: number };
      // The browser scrolls by whole pixels.
      return Math.floor(y + height);
    };
    await expect.poll(bottom).toBeLessThanOrEqual(low.height);
    await page.mouse.move(100, 200);
    await page.mouse.wheel(0, -2000);
    await expect.poll(bottom).toBeGreaterThan(low.height);
    expect(faults).toEqual([]);
    await page.close();
  });

  it("leads a newcomer from a new business to a sale that earned, a refund and a colleague", async () => {
    const { page, faults } = await world.open(`${world.baseUrl}/console/businesses`, phone);
    await page.getByRole("button", { name: "Add a business" }).click();
    const dialog = page.getByRole("dialog");
    // Only a sandbox has a clock.
    expect(await dialog.getByLabel("Time of the sandbox").count()).toBe(0);
    await dialog.getByRole("textbox", { name: /^Name/ }).fill("Corner shop");
    await dialog.getByRole("combobox", { name: /^Currency/ }).selectOption("Euro (EUR)");
    await dialog.getByRole("combobox", { name: /^Country/ }).selectOption("ES");
    await dialog.getByRole("button", { name: "Add a business" }).click();
    // The new business is the one of the page. Without a location, it is led to its set-up.
    await page.getByRole("heading", { name: "First steps" }).waitFor();
    const [, id] = /\/(\d+)\/setup$/.exec(page.url()) as RegExpExecArray;
    const business_id = Number(id);
    const step = (title: string) => page.locator("section").filter({ hasText: title });
    const done = (title: string) => step(title).getByText("Done", { exact: true });
    await step("2. Where members buy").getByText("To do").waitFor();
    await page.getByRole("button", { name: "Add a location" }).click();
    await dialog.getByRole("textbox", { name: /^Name/ }).fill("Station");
    await dialog.getByRole("button", { name: "Add a location" }).click();
    await step("2. Where members buy").getByText("So far: Station.").waitFor();
    await done("2. Where members buy").waitFor();
    await page.getByRole("button", { name: "Set what sales earn" }).click();
    await dialog.getByText("A sale of 12.50 EUR gives 12 points.").waitFor();
    await dialog.getByRole("textbox", { name: /^Points/ }).fill("2");
    await dialog.getByText("A sale of 12.50 EUR gives 25 points.").waitFor();
    await dialog.getByRole("textbox", { name: /^Of sales from/ }).fill("10");
    await dialog.getByText("A sale of 5.00 EUR gives 0 points.").waitFor();
    await dialog.getByRole("button", { name: "Set what sales earn" }).click();
    await done("3. What sales earn").waitFor();
    expect(await page.getByRole("button", { name: "Set what sales earn" }).count()).toBe(0);
    // Other pages say what is still missing, and lead back.
    await page.goto(`${world.baseUrl}/console/${business_id}/rules`);
    const list = page.getByRole("alert").filter({ hasText: "Sales do not earn yet" });
    await list.getByText("Add an integration that may record sales.").waitFor();
    expect(await list.getByText("Add a location.").count()).toBe(0);
    await list.getByRole("link", { name: "Set it up step by step" }).click();
    await page.getByRole("button", { name: "Add an integration" }).click();
    await page.getByRole("menuitem", { name: /^Till/ }).click();
    const till = page.getByRole("dialog", { name: /^Till/ });
    await till.getByRole("textbox", { name: /^Name/ }).fill("Till");
    await till.getByRole("button", { name: "Add an integration" }).click();
    await dialog.getByText(/^curl http.*loysec_/).waitFor();
    const client_id = await dialog.getByText(/^loy_/).textContent();
    const client_secret = await dialog.getByText(/^loysec_/).textContent();
    await dialog.getByRole("button", { name: "I have stored it" }).click();
    const token = await asPartner("/sp/auth/token", { client_id, client_secret });
    const [location] = await world.call<{ location_id: number }[]>("/op/locations/list", { business_id });
    await page.goto(`${world.baseUrl}/console/${business_id}/members`);
    await page.getByRole("button", { name: "Add a member" }).first().click();
    await dialog.getByRole("textbox", { name: /^First name/ }).fill("Ana");
    await dialog.getByRole("textbox", { name: /^Last name/ }).fill("Gil");
    await dialog.getByRole("textbox", { name: /^Phone number/ }).fill("600 111 222");
    await dialog.getByRole("button", { name: "Add a member" }).click();
    await page.getByRole("heading", { name: "Ana Gil" }).waitFor();
    const contact_id = Number(page.url().split("/").at(-1));
    const sale = { idempotency_key: "sale", contact_id, amount: 2500, reference_id: "T-1" };
    await asPartner("/sp/sales/record", { ...sale, location_id: location?.location_id }, token);
    await page.goto(`${world.baseUrl}/console/${business_id}/setup`);
    await done("5. A first sale that earns").waitFor();
    await page.getByRole("button", { name: "Invite a colleague" }).click();
    await dialog.getByRole("textbox", { name: /^Name/ }).fill("Bea of the corner shop");
    await dialog.getByRole("button", { name: "Invite a colleague" }).click();
    await dialog.getByText(/accept#token=/).waitFor();
    await dialog.getByRole("button", { name: "I have stored it" }).click();
    await done("6. Colleagues").waitFor();
    await page.goto(`${world.baseUrl}/console/${business_id}/sales`);
    await page.getByRole("link", { name: "T-1" }).click();
    await page.getByRole("heading", { name: "Why it earned 50 points" }).waitFor();
    await page.getByRole("button", { name: "Refund" }).click();
    await dialog.getByRole("textbox", { name: /^Reason/ }).fill("Returned");
    await dialog.getByRole("button", { name: "Refund" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.goto(`${world.baseUrl}/console/${business_id}/reports`);
    await page.getByText("25.00 EUR").first().waitFor();
    const file = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save as CSV" }).first().click();
    expect((await file).suggestedFilename()).toBe("activity.csv");
    // Sales earn, so nothing is said to be missing.
    await page.goto(`${world.baseUrl}/console/${business_id}/rules`);
    await page.getByRole("heading", { name: "Reward settings" }).waitFor();
    await page.waitForLoadState("networkidle");
    expect(await list.count()).toBe(0);
    expect(faults).toEqual([]);
    await page.close();
  });

  it("goes on after a lost connection, without a second program", async () => {
    const made = { idempotency_key: "lost", name: "Lost connection", currency: "EUR" };
    const { business_id } = await world.call<{ business_id: number }>("/op/businesses/create", made);
    const { page } = await world.open(world.at(`/../${business_id}/setup`));
    let lost = 0;
    await page.route("**/op/reward-settings/**/update", (route) =>
      lost++ === 0 ? route.abort("connectionreset") : route.fallback(),
    );
    await page.getByRole("button", { name: "Set what sales earn" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Set what sales earn" }).click();
    await dialog.waitFor({ state: "detached" });
    const rules = () =>
      world.call<{ default_program_id: number | null }>("/op/reward-settings/rules/get", { business_id });
    await expect.poll(async () => (await rules()).default_program_id, { timeout: 30_000 }).not.toBeNull();
    expect(await world.call<object[]>("/op/programs/list", { business_id })).toHaveLength(1);
    expect(lost).toBeGreaterThan(1);
    await page.close();
  });

  it("goes on with the program of a tab that was closed too early", async () => {
    const made = { idempotency_key: "closed", name: "Closed tab", currency: "EUR" };
    const { business_id } = await world.call<{ business_id: number }>("/op/businesses/create", made);
    const setUp = world.at(`/../${business_id}/setup`);
    const open = async () => {
      const { page, faults } = await world.open(setUp);
      await page.getByRole("button", { name: "Set what sales earn" }).click();
      const dialog = page.getByRole("dialog");
      return { page, faults, dialog, points: dialog.getByRole("textbox", { name: "Points", exact: true }) };
    };
    const first = await open();
    const closed = new Promise<void>((resolve) => {
      void first.page.route("**/op/reward-settings/**/update", () => first.page.close().then(resolve));
    });
    await first.points.fill("3");
    await first.dialog.getByRole("button", { name: "Set what sales earn" }).click();
    await closed;
    const { page, faults, dialog, points } = await open();
    await expect.poll(() => points.inputValue()).toBe("3");
    await points.fill("4");
    await dialog.getByRole("button", { name: "Set what sales earn" }).click();
    await dialog.waitFor({ state: "detached" });
    const missing = async () =>
      (await world.call<{ missing: string[] }>("/op/reward-settings/check", { business_id })).missing;
    await expect.poll(missing).toEqual(["no_location", "no_integration", "no_sale"]);
    const programs = await world.call<{ earn_points: number }[]>("/op/programs/list", { business_id });
    expect(programs.map(({ earn_points }) => earn_points)).toEqual([4]);
    expect(faults).toEqual([]);
    await page.close();
  });

  it("does not change a program that it has not made, and says why it can't go on", async () => {
    const made = { idempotency_key: "vip", name: "With VIPs", currency: "EUR" };
    const { business_id } = await world.call<{ business_id: number }>("/op/businesses/create", made);
    const vip = { membership_name: "VIP", maximum_points_per_order: 500, earn_points: 9, earn_amount: 100 };
    await world.call("/op/programs/create", { idempotency_key: "vip program", business_id, ...vip });
    const { page } = await world.open(world.at("/today"));
    const paths = ["reward-settings/check", "reward-settings/rules/get", "programs/list"];
    for (const path of paths) {
      await page.route(`**/op/${path}`, (route) => route.fulfill({ status: 500, body: "" }));
      await page.goto(world.at(`/../${business_id}/setup`));
      const failure = page.locator("#content").getByRole("alert").first();
      await failure.waitFor();
      await page.unroute(`**/op/${path}`);
      await failure.getByRole("button", { name: "Try again" }).click();
      await page.getByRole("button", { name: "Set what sales earn" }).waitFor();
    }
    await page.getByRole("button", { name: "Set what sales earn" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Set what sales earn" }).click();
    await dialog.waitFor({ state: "detached" });
    type Program = { program_id: number; membership_name: string; earn_points: number };
    const programs = await world.call<Program[]>("/op/programs/list", { business_id });
    const own = programs.find(({ membership_name }) => membership_name === "Points");
    expect(programs).toHaveLength(2);
    expect(programs.find(({ membership_name }) => membership_name === "VIP")).toMatchObject(vip);
    const rules = () => world.call("/op/reward-settings/rules/get", { business_id });
    await expect.poll(rules).toMatchObject({ default_program_id: own?.program_id });
    await page.close();
  });

  it("explains each role", async () => {
    const { page } = await world.open(`${world.baseUrl}/console/accounts`, phone);
    await page.getByRole("button", { name: "Add a key" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Also manages businesses and operators, and erases members.").waitFor();
    await dialog.getByRole("radio", { name: "Owner" }).check();
    await page.close();
  });

  it("says why a top-up whose bonus was spent can't be undone", async () => {
    const { business_id, contact_ids, location_ids } = world.demo;
    const contact_id = contact_ids[2] as number;
    const of = (idempotency_key: string) => ({ idempotency_key, business_id, contact_id, reason: "Test" });
    const location_id = location_ids[0];
    const { benefit_id } = await world.call<{ benefit_id: number }>("/op/topup-benefits/create", {
      idempotency_key: "benefit",
      business_id,
      location_id,
      title: "Much",
      amount: 987_600,
      promo_amount: 5,
    });
    await world.call("/op/wallet/topup", { ...of("top-up"), location_id, benefit_id });
    const { page, faults } = await world.open(world.at(`/members/${contact_id}?show=timeline`), phone);
    const rows = page.getByRole("row").filter({ hasText: "9,876.00" });
    await rows.getByRole("button", { name: "Undo" }).waitFor();
    const { wallet } = await world.call<{ wallet: number }>("/op/members/balances", {
      business_id,
      contact_id,
    });
    await world.call("/op/members/adjust-wallet", {
      ...of("spend"),
      amount: wallet - 987_604,
      adjustment_type: "debit",
    });
    await page.reload();
    await rows.getByText("The money or its bonus was spent, so it can't be undone.").waitFor();
    expect(await rows.getByRole("button", { name: "Undo" }).count()).toBe(0);
    expect(faults).toEqual([]);
    await page.close();
  });
});
