/** What people look for in the console all day: whose sale it was, why there are points, and what was given back. */
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { inZone, momentText } from "../../packages/console/src/texts/dates.ts";
import { choiceText } from "../../packages/console/src/texts/labels.ts";
import { eventPatterns } from "../../src/domain/events.ts";
import { openDialog, violationsOn } from "../support/accessibility.ts";
import { describeInBrowser } from "../support/chromium.ts";
import { useConsole } from "../support/console.ts";

interface Sale {
  readonly sale_id: number;
  readonly contact_id: number;
  readonly reference_id: string;
  readonly amount: number;
  readonly refunded: number;
}

it("names the kinds of events so that none is taken for another one", () => {
  const names = eventPatterns.map((pattern) => choiceText(pattern).replace(/s\b/, ""));
  expect(new Set(names).size).toBe(names.length);
});

describeInBrowser("the console", (launch) => {
  const world = useConsole(launch);
  const businessId = () => world.demo.business_id;
  const salesOf = (filter: object) =>
    world.call<Sale[]>("/op/sales/list", { business_id: businessId(), per_page: 100, ...filter });
  const nameOf = async (contact_id: number) => {
    const of = { business_id: businessId(), contact_id };
    const member = await world.call<{ first_name: string; last_name: string }>("/op/members/get", of);
    return `${member.first_name} ${member.last_name}`;
  };
  const isAbove = async (page: Page, href: string) =>
    (await page.locator(`main a[href$="${href}"]`).count()) > 0;

  it("shows similar names where no member matches, also in forms", async () => {
    const { page, faults } = await world.open(world.at("/members"));
    const [first_name, last_name, phone_number] = ["Séverine", "Dupont", "+33612345699"];
    const member = { business_id: businessId(), first_name, last_name, phone_number };
    await world.call("/op/members/create", { ...member, idempotency_key: "misspelt" });
    const name = `${first_name} ${last_name}`;
    await page.getByRole("searchbox").fill("Sévrine Dupond");
    await page.getByText("No member matches.").waitFor();
    await page.getByRole("link", { name }).waitFor();
    await page.getByRole("searchbox").fill("Xyzzy Qqqq");
    await page.getByRole("link", { name }).waitFor({ state: "detached" });
    await page.getByText("No member matches.").waitFor();
    await page.goto(world.at("/sales"));
    await page.getByRole("combobox", { name: "Member" }).fill("Sévrine Dupond");
    await page.getByRole("option", { name: new RegExp(name) }).waitFor();
    expect(faults).toEqual([]);
  });

  it("leads from a receipt to a saved refund in six actions, by keyboard alone", async () => {
    const sale = (await salesOf({})).find(({ refunded }) => refunded === 0) as Sale;
    const { page, faults } = await world.open(world.at("/sales"));
    await page.getByRole("searchbox").waitFor();
    // 1: find, 2: open, 3: refund, 4: the amount, 5: the reason, 6: save.
    await page.keyboard.type(sale.reference_id);
    await page.keyboard.press("Enter");
    // A new page takes the focus a moment after its heading is there.
    const focused = () => page.evaluate("document.activeElement.textContent");
    await expect.poll(focused).toBe(`Sale ${sale.reference_id}`);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.evaluate("document.activeElement?.name")).toBe("amount");
    await page.keyboard.press("Control+a");
    await page.keyboard.type("2");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.type("The cup leaked");
    await page.getByText(`Refund 2.00 EUR of receipt ${sale.reference_id}`).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.getByRole("cell", { name: "The cup leaked" }).waitFor();
    // The refund of the rest says that it is done, although its button has gone with it.
    const notice = page.getByText("Sale refunded.");
    await notice.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Refund", exact: true }).click();
    await page.getByRole("textbox", { name: "Reason" }).fill("The rest, too");
    // It goes by itself after some seconds.
    await Promise.all([
      notice.waitFor(),
      page.getByRole("dialog").getByRole("button", { name: "Refund" }).click(),
    ]);
    await page.getByRole("cell", { name: "The rest, too" }).waitFor();
    expect(await page.getByRole("button", { name: /^Refund/ }).count()).toBe(0);
    expect(await salesOf({ reference_id: sale.reference_id })).toMatchObject([{ refunded: sale.amount }]);
    // The points and the money that were taken back lead to the sale, too.
    await page.goto(world.at(`/members/${sale.contact_id}?show=timeline`));
    const back = page.getByRole("row").filter({ hasText: "The cup leaked" });
    await back.filter({ hasText: "Points taken back" }).waitFor();
    expect(await back.locator(`a[href$="/sales/${sale.sale_id}"]`).count()).toBe(await back.count());
    expect(faults).toEqual([]);
    await page.close();
  });

  it("refunds some pieces of a line, and says what does not earn", async () => {
    const [{ sale_id } = {} as Sale] = await salesOf({ reference_id: "receipt-000166" });
    const { page, faults } = await world.open(world.at(`/sales/${sale_id}`));
    await page.getByText(/5\.00.* of it are articles that earn no points\./).waitFor();
    const gift = page.getByRole("row").filter({ hasText: "gift cards" });
    await page.getByRole("button", { name: "Refund articles" }).click();
    const dialog = page.getByRole("dialog", { name: /^Refund articles/ });
    const refund = dialog.getByRole("button", { name: "Refund articles" });
    expect(await refund.isDisabled()).toBe(true);
    await dialog.getByLabel("gift cards").fill("1");
    // The result is named before it is done.
    await dialog.getByText("Refund the chosen articles of receipt receipt-000166").waitFor();
    await dialog.getByText("5.00 EUR").first().waitFor();
    expect(await violationsOn(page, openDialog)).toEqual([]);
    expect(await dialog.getByText("Points taken back").count()).toBe(0);
    await dialog.getByRole("textbox", { name: "Reason" }).fill("Bought by mistake");
    await refund.click();
    await page.getByRole("cell", { name: "Bought by mistake" }).waitFor();
    await gift.getByRole("cell", { name: "5.00 EUR" }).first().waitFor();
    await page.getByRole("button", { name: "Refund articles" }).click();
    expect(await dialog.getByLabel("gift cards").count()).toBe(0);
    const business_id = businessId();
    const recorded = await world.call<object>("/op/sales/get", { business_id, sale_id });
    expect(recorded).toMatchObject({
      refundable: 1140,
      refunds: [{ points_clawed: 0, lines_back: [{ line_no: 2 }] }],
    });
    expect(faults).toEqual([]);
    await page.close();
  });

  it("filters the ledger by the words of its entries, and says which entries a merge made", async () => {
    const buyers = new Set((await salesOf({})).map(({ contact_id }) => contact_id));
    const [from, to] = [...buyers].slice(-2) as [number, number];
    await world.call("/op/members/merge", {
      idempotency_key: "merge",
      business_id: businessId(),
      from_contact_id: from,
      contact_id: to,
    });
    const { page, faults } = await world.open(world.at("/transactions"));
    const filter = page.getByLabel("What happened");
    await filter.selectOption({ label: "Sale / Sales merged" });
    for (const [contact_id, other] of [
      [from, to],
      [to, from],
    ] as const) {
      const row = page
        .getByRole("row")
        .filter({ hasText: "Sales merged" })
        .filter({ has: page.getByText(await nameOf(contact_id)) });
      const link = row.getByRole("link", { name: await nameOf(other) });
      await row.getByText("Merge with").first().waitFor();
      await link.first().waitFor();
    }
    const words = await filter.locator("option").allTextContents();
    expect(words).toContain("Points earned / Points taken back");
    expect(faults).toEqual([]);
    await page.close();
  });

  it("names the members of a list, which it reads at once", async () => {
    const sales = await salesOf({});
    const reads: unknown[] = [];
    const { page, faults } = await world.open(world.at("/today"));
    await page.waitForLoadState("networkidle");
    await page.route("**/op/members/names", (route) => {
      reads.push((route.request().postDataJSON() as { contact_ids: number[] }).contact_ids);
      return route.fallback();
    });
    for (const path of ["/sales", "/transactions"]) {
      await page.goto(world.at(path));
      const [{ contact_id }] = sales as [Sale];
      if (path === "/sales")
        await page
          .getByRole("link", { name: await nameOf(contact_id) })
          .first()
          .waitFor();
      await page.locator('tbody a[href*="/members/"]').first().waitFor();
      await expect.poll(() => page.getByRole("link", { name: /^[0-9]+$/ }).count()).toBe(0);
    }
    expect(reads).toHaveLength(2);
    const shown = [...new Set(sales.slice(0, 25).map(({ contact_id }) => contact_id))];
    expect((reads[0] as number[]).toSorted()).toEqual(shown.toSorted());
    expect(faults).toEqual([]);
    await page.close();
  });

  it("shows no rows of another list while one loads", async () => {
    const { page, faults } = await world.open(world.at("/today"));
    const rejected = {
      ...{ request_id: "of-the-first-list", requested_at: "2026-01-01 09:00:00", integration_id: 1 },
      ...{ operation: "/sp/sales/record", status: 422, error_code: "invalid_json", reason: null },
      field_errors: [],
    };
    const pagination = { total: 1, per_page: 25, current_page: 1, last_page: 1, from: 1, to: 1 };
    const json = { success: true, message: "", data: [rejected], meta: { pagination, next: null } };
    await page.route("**/op/requests/list", (route) => route.fulfill({ json }));
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route("**/op/requests/counts", (route) => released.then(() => route.fallback()));
    await page.goto(world.at("/requests"));
    await page.getByText(rejected.request_id).waitFor();
    await page.getByRole("status", { name: "Loading" }).waitFor();
    release();
    await page.getByRole("status", { name: "Loading" }).waitFor({ state: "detached" });
    expect(faults).toEqual([]);
    await page.close();
  });

  it("shows all times in one zone, which it names once", async () => {
    const change = (time_zone: string) =>
      world.call("/op/businesses/update", {
        ...{ idempotency_key: `zone ${time_zone}`, business_id: businessId(), time_zone },
      });
    await change("Asia/Tokyo");
    const filter = { business_id: businessId(), per_page: 1 };
    const [entry] = await world.call<{ recorded_at: string }[]>("/op/audit/list", filter);
    const { page, faults } = await world.open(world.at("/audit"));
    await page.locator("header").getByText("Times in Asia/Tokyo").waitFor();
    const time = momentText(inZone(entry?.recorded_at as string, "Asia/Tokyo"));
    await page.getByRole("row").filter({ hasText: time }).first().waitFor();
    expect(await page.getByRole("table").innerText()).not.toMatch(/\d UTC/);
    // The service returns most times in the zone of the business.
    const [sold] = await world.call<{ created_at: string }[]>("/op/transactions/list", filter);
    await page.goto(world.at("/transactions"));
    await page
      .getByRole("row")
      .filter({ hasText: momentText(sold?.created_at as string) })
      .first()
      .waitFor();
    const own = await page.evaluate<string>("Intl.DateTimeFormat().resolvedOptions().timeZone");
    for (const path of ["/../accounts", "/../system"]) {
      await page.goto(world.at(path));
      await page.locator("header").getByText(`Times in ${own}`).waitFor();
      await page.locator("main h1").waitFor();
      await page.waitForLoadState("networkidle");
      expect(await page.locator("main").innerText()).not.toMatch(/\d UTC/);
    }
    await change("UTC");
    expect(faults).toEqual([]);
    await page.close();
  });

  it("moves nothing when the names of members come, however long they are", async () => {
    const [{ contact_id }] = (await salesOf({})) as [Sale];
    await world.sql`UPDATE member SET first_name = repeat('Maximilian ', 23) WHERE contact_id = ${contact_id}`;
    for (const width of [360, 1280]) {
      const { page, faults } = await world.open(world.at("/today"), { width, height: 800, scheme: "light" });
      let release = () => {};
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      await page.route("**/op/members/names", (route) => released.then(() => route.fallback()));
      const places = () =>
        page.evaluate<string[]>(`[...document.querySelectorAll("main tr, main td")]
          .map((one) => one.getBoundingClientRect())
          .map(({ x, y, height }) => [y, height, ${width === 360} || x].join())`);
      await page.goto(world.at("/sales"));
      await page
        .getByRole("link", { name: String(contact_id) })
        .first()
        .waitFor();
      await page
        .getByRole("cell", { name: /Harbour Street|Station Road/ })
        .first()
        .waitFor();
      const before = await places();
      release();
      await page
        .getByRole("link", { name: /^Maximilian Maximilian/ })
        .first()
        .waitFor();
      expect(before.length).toBeGreaterThan(25);
      expect(await places()).toEqual(before);
      expect(faults).toEqual([]);
      await page.close();
    }
    await world.sql`UPDATE member SET first_name = 'Max' WHERE contact_id = ${contact_id}`;
  });

  it("shows a member its name also if the service can't say it", async () => {
    const { page } = await world.open(world.at("/today"));
    await page.route("**/op/members/names", (route) =>
      route.fulfill({
        status: 403,
        json: { success: false, message: "No.", error: { code: "role_not_allowed" } },
      }),
    );
    const [{ contact_id }] = (await salesOf({})) as [Sale];
    await page.goto(world.at("/sales"));
    await page
      .getByRole("link", { name: String(contact_id) })
      .first()
      .waitFor();
    await page.close();
  });

  it("keeps a page and its form if the page can't be read again", async () => {
    const [{ contact_id }] = (await salesOf({})) as [Sale];
    const { page } = await world.open(world.at(`/members/${contact_id}`));
    await page.getByRole("button", { name: "Correct a balance" }).click();
    await page
      .getByText("in this order: those that are not from a recorded sale, then those that expire first")
      .waitFor();
    await page.getByRole("textbox", { name: "Points" }).fill("999999");
    await page.getByText("Take away").click();
    await page.getByRole("textbox", { name: "Reason" }).fill("Too much");
    await page.route("**/op/members/get", (route) => route.abort("connectionrefused"));
    await page.getByRole("button", { name: "Correct the balance" }).click();
    await page.getByText(/The balance is too low for this: it is [\d,]+ points\./).waitFor();
    const failure = page.locator("main").getByText("The service can't be reached.");
    await failure.waitFor();
    expect(await page.getByRole("textbox", { name: "Points" }).inputValue()).toBe("999999");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Close it" }).click();
    await page.getByRole("heading", { name: await nameOf(contact_id) }).waitFor();
    await page.unroute("**/op/members/get");
    await page.getByRole("button", { name: "Try again" }).click();
    await failure.waitFor({ state: "detached" });
    await page.close();
  });

  it("leads from the points of a member to the sales of this member only, and from each to its page", async () => {
    const [sale] = (await salesOf({})) as [Sale];
    const { page, faults } = await world.open(world.at(`/members/${sale.contact_id}`));
    await page.getByRole("link", { name: "Find the receipt" }).click();
    await page.getByRole("heading", { name: "Sales" }).waitFor();
    const own = await salesOf({ contact_id: sale.contact_id });
    await page.getByText(`1–${own.length} of ${own.length}`).waitFor();
    expect(await isAbove(page, `/sales/${sale.sale_id}`)).toBe(true);
    expect(faults).toEqual([]);
    await page.close();
  });

  it("leads from the timeline of a member to who changed what", async () => {
    const { business_id } = world.demo;
    const correction = { points: 1, adjustment_type: "credit", reason: "A reason of its own" };
    const write = { idempotency_key: "reason", business_id, contact_id: world.priya, ...correction };
    await world.call("/op/members/adjust-points", write);
    const { page, faults } = await world.open(world.at(`/members/${world.priya}?show=timeline`));
    // The reason of an entry is below what happened. Most have none.
    const corrected = page
      .getByRole("row")
      .filter({ has: page.getByText("A reason of its own", { exact: true }) });
    expect(await corrected.getByRole("cell").nth(1).innerText()).toMatch(
      /^Points correction\s+A reason of its own$/,
    );
    expect(await page.getByRole("columnheader", { name: "Reason" }).count()).toBe(0);
    await page.getByRole("link", { name: "Who changed what" }).click();
    await page.getByRole("heading", { name: "Audit log" }).waitFor();
    expect(new URL(page.url()).searchParams.get("contact_id")).toBe(String(world.priya));
    expect(faults).toEqual([]);
    await page.close();
  });

  it("says the zone of its times in the menu of a phone", async () => {
    const { page } = await world.open(world.at("/today"), { width: 360, height: 800, scheme: "dark" });
    const zone = page.locator("nav").getByText("Times in UTC");
    // The menu is beside the window.
    const left = async () => (await zone.boundingBox())?.x ?? -1;
    await page.getByRole("heading", { name: "Today" }).waitFor();
    expect(await left()).toBeLessThan(0);
    await page.getByRole("button", { name: "Menu" }).click();
    await expect.poll(left).toBeGreaterThanOrEqual(0);
    await page.close();
  });

  it("prints a member without the controls", async () => {
    const { page, faults } = await world.open(world.at(`/members/${world.priya}?show=vouchers`));
    await page.getByRole("columnheader", { name: "Valid through" }).waitFor();
    await page.evaluate("window.print = () => document.body.setAttribute('data-printed', '')");
    await page.getByRole("button", { name: "Print", exact: true }).click();
    await page.locator("body[data-printed]").waitFor();
    await page.emulateMedia({ media: "print" });
    await page.setViewportSize({ width: 720, height: 1000 });
    for (const shown of ["Priya Raghunathan", "Last visit"])
      await page.getByText(shown, { exact: true }).first().waitFor();
    // On paper, a table has its columns, without the signs that it can be sorted.
    await page.getByRole("columnheader", { name: "Valid through", exact: true }).waitFor();
    const display = "getComputedStyle(document.querySelector('thead tr')).display";
    expect(await page.evaluate(display)).toBe("table-row");
    expect(await page.getByText("↕").filter({ visible: true }).count()).toBe(0);
    await page.getByText(/^Lantern Coffee · \+/).waitFor();
    const controls = page.locator(":is(button, [role=button], nav, header):not(th *)");
    await expect.poll(() => controls.filter({ visible: true }).count()).toBe(0);
    const fits = () => page.evaluate("document.documentElement.scrollWidth <= innerWidth");
    await expect.poll(fits).toBe(true);
    expect(faults).toEqual([]);
    await page.close();
  });

  it("fits a phone with the longest receipt, the largest amount, and the longest name of an account", async () => {
    const post = async (path: string, body: object, token = "") => {
      const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
      const response = await fetch(world.baseUrl + path, {
        method: "POST",
        headers,
        body: JSON.stringify(body),
      });
      return ((await response.json()) as { data: { access_token: string; sale_id: number } }).data;
    };
    const { client_id, client_secret, contact_ids, location_ids } = world.demo;
    const { access_token } = await post("/sp/auth/token", { client_id, client_secret });
    const sale = {
      idempotency_key: "long",
      contact_id: contact_ids[5],
      location_id: location_ids[0],
      amount: 999_999_999_999,
      reference_id: "W".repeat(255),
    };
    const { sale_id } = await post("/sp/sales/record", sale, access_token);
    const session = await world.signIn({ role: "support" });
    await world.sql`
      UPDATE operator_account SET name = repeat('M', 100)
      WHERE operator_id = (SELECT max(operator_id) FROM operator_account)`;
    const look = { width: 360, height: 800, scheme: "light" } as const;
    const { page, faults } = await world.open(world.at("/today"), look, session);
    const member = `/members/${contact_ids[5]}`;
    for (const path of [
      `/sales/${sale_id}`,
      "/sales",
      "/transactions",
      member,
      `${member}?show=sales`,
      "/today",
    ]) {
      await page.goto(world.at(path));
      await page.locator("h1").waitFor();
      await page.waitForLoadState("networkidle");
      if (path !== member) await page.getByText("9,999,999,999.99 EUR").first().waitFor();
      const width = () => page.evaluate("document.documentElement.scrollWidth");
      await expect.poll(width, { message: path }).toBe(360);
    }
    expect(faults).toEqual([]);
    await page.close();
  });

  it("shows who is signed in on a phone, and what the bars of a chart are worth", async () => {
    const { page, faults } = await world.open(world.at("/today"), {
      width: 360,
      height: 800,
      scheme: "dark",
    });
    const chart = page.getByRole("img", { name: /^Sales by week: Week from / });
    await chart.waitFor();
    const name = await world.sql<
      { name: string }[]
    >`SELECT name FROM operator_account ORDER BY operator_id LIMIT 1`;
    const account = page.getByRole("button", { name: name[0]?.name as string, exact: true });
    const { x, width } = (await account.boundingBox()) as { x: number; width: number };
    expect(x + width).toBeLessThanOrEqual(360);
    await account.click();
    await page
      .getByRole("menu")
      .getByText(name[0]?.name as string)
      .waitFor();
    await page.keyboard.press("Escape");
    // The library draws it. A person who points at a bar reads what it is.
    const place = (await chart.locator("canvas").boundingBox()) as { x: number; y: number; width: number };
    expect(place.width).toBeGreaterThan(200);
    const [first = ""] = /Week from [^:]*/.exec((await chart.getAttribute("aria-label")) ?? "") ?? [];
    expect(first).not.toBe("");
    // The library follows the mouse as soon as it has drawn.
    const pointed = async () => {
      for (const x of [74, 75]) await page.mouse.move(place.x + x, place.y + 100);
      return page.getByText(first).first().isVisible();
    };
    await expect.poll(pointed).toBe(true);
    expect(faults).toEqual([]);
    await page.close();
  });
});
