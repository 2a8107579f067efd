/** Members that filters find: all filters, saved as segments, given something with a preview, and saved as a file. */
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { openDialog, violationsOn } from "../support/accessibility.ts";
import { describeInBrowser } from "../support/chromium.ts";
import { useConsole } from "../support/console.ts";

describeInBrowser("the members that filters find", (launch) => {
  const world = useConsole(launch);
  let business_id: number;
  let calls = 0;
  const add = async (path: string, body: object) => {
    calls += 1;
    const request = { business_id, idempotency_key: `segments ${calls}`, ...body };
    return await world.call<Record<string, number>>(path, request);
  };
  const at = (path: string) => world.at(`/../${business_id}${path}`);
  const dialogOf = (page: Page) => page.getByRole("dialog");

  beforeAll(async () => {
    const named = { idempotency_key: "shop", name: "Segment shop", currency: "EUR" };
    business_id = (await world.call<{ business_id: number }>("/op/businesses/create", named)).business_id;
    await add("/op/reward-settings/update", { enable_rp: true });
    await add("/op/reward-settings/rules/update", { value_points: 10, value_amount: 100 });
    for (const [index, month] of ["04", "04", "09"].entries()) {
      const first_name = index === 0 ? `${"Very".repeat(50)}` : `Member ${index}`;
      const email = index === 1 ? {} : { email: `member${index}@example.com` };
      const phone_number = `+3460011100${index}`;
      const date_of_birth = `1990-${month}-0${index + 1}`;
      await add("/op/members/create", {
        first_name,
        last_name: "Ruiz",
        phone_number,
        date_of_birth,
        ...email,
      });
    }
  });

  it("are counted at once, shown with what is set, and saved as a file and as a segment", async () => {
    const { page, faults } = await world.open(at("/members"), { width: 360, height: 800, scheme: "dark" });
    await page.getByText("3 members", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Filters", exact: true }).click();
    await page.getByRole("combobox", { name: "Month of birth" }).selectOption({ label: "April" });
    await page.getByText("2 members", { exact: true }).waitFor();
    await page.getByRole("combobox", { name: "With an e-mail address" }).selectOption({ label: "No" });
    await page.getByText("1 member", { exact: true }).waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await page.getByRole("textbox", { name: "Amount of sales, at most" }).fill("12.50");
    await page.getByRole("button", { name: "Amount of sales, at most: 12.50 EUR" }).click();
    // A click on what is set removes it.
    await page.getByRole("button", { name: "With an e-mail address: No" }).click();
    await page.getByText("2 members", { exact: true }).waitFor();
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save as CSV" }).click();
    const file = readFileSync(await (await saved).path(), "utf8");
    const found = file.split("\r\n").map((line) => /3460011100\d/.exec(line)?.[0]);
    expect(found.filter(Boolean).sort()).toEqual(["34600111000", "34600111001"]);
    await page.getByRole("button", { name: "Save as a segment" }).click();
    await dialogOf(page).getByRole("textbox", { name: "Name" }).fill("Spring");
    expect(await violationsOn(page, openDialog)).toEqual([]);
    await dialogOf(page).getByRole("button", { name: "Save as a segment" }).click();
    await dialogOf(page).waitFor({ state: "detached" });
    await page.goto(at("/segments"));
    await page.getByText("Month of birth: April").waitFor();
    await page.getByRole("button", { name: "Edit" }).click();
    const change = page.getByRole("dialog", { name: "Edit: Spring" });
    await change.getByRole("textbox", { name: "Name" }).fill("Spring children");
    expect(await change.getByRole("combobox", { name: "Month of birth" }).inputValue()).toBe("4");
    await change.getByRole("combobox", { name: "With an e-mail address" }).selectOption({ label: "No" });
    await change.getByRole("button", { name: "Save" }).click();
    await page.getByText("With an e-mail address: No").waitFor();
    await page.getByText("Month of birth: April").waitFor();
    await page.getByRole("link", { name: "Spring children" }).click();
    await page.getByText("1 member", { exact: true }).waitFor();
    // It has filters of its own, and can be chosen where the filters are.
    expect(await page.getByRole("combobox", { name: "Month of birth" }).count()).toBe(0);
    expect(await page.getByRole("button", { name: "Save as a segment" }).count()).toBe(0);
    await page.getByRole("button", { name: "Filters (1)" }).click();
    await page.getByRole("combobox", { name: "Segment" }).selectOption({ label: "All" });
    await page.getByText("3 members", { exact: true }).waitFor();
    await page.goto(at("/segments"));
    await page.getByRole("button", { name: "Delete" }).click();
    await dialogOf(page).getByRole("button", { name: "Delete" }).click();
    await page.getByText(/There are no segments yet/).waitFor();
    expect(faults).toEqual([]);
    await page.close();
  });

  it("are not given to, or saved, while a filter can't be read", async () => {
    const { page, faults } = await world.open(at("/members?birthday_month=4"), {
      width: 360,
      height: 800,
      scheme: "light",
    });
    await page.getByRole("button", { name: "Give to all of them" }).waitFor();
    await page.getByRole("button", { name: "Filters (1)" }).click();
    const amount = page.getByRole("textbox", { name: "Amount of sales, at least" });
    await amount.fill("abc");
    await page.getByRole("button", { name: "Give to all of them" }).waitFor({ state: "detached" });
    expect(await amount.getAttribute("aria-invalid")).toBe("true");
    expect(await page.getByRole("button", { name: "Save as a segment" }).count()).toBe(0);
    await amount.fill("0");
    await page.getByRole("button", { name: "Give to all of them" }).waitFor();
    expect(faults).toEqual([]);
    await page.close();
  });

  it("are saved with those who are inactive, and a filter of a member is no link in a button", async () => {
    const { page, faults } = await world.open(at("/members?include_inactive=true"));
    await page.getByText("3 members", { exact: true }).waitFor();
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save as CSV" }).click();
    const file = readFileSync(await (await saved).path(), "utf8");
    expect(file.match(/3460011100\d/g)).toHaveLength(3);
    await page.setViewportSize({ width: 360, height: 800 });
    await page.goto(at("/transactions?contact_id=100001"));
    await page.getByRole("button", { name: "Member: 100001" }).waitFor();
    expect(await violationsOn(page)).toEqual([]);
    expect(faults).toEqual([]);
    await page.close();
  });

  it("get points after a preview, each once, and the list of bulk grants says how many", async () => {
    const { page, faults } = await world.open(at("/members?birthday_month=4"));
    await page.getByText("2 members", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Give to all of them" }).click();
    const dialog = dialogOf(page);
    await dialog.getByRole("textbox", { name: "Points" }).fill("50");
    await dialog.getByText("For 2 members: 100 points together.").waitFor();
    await dialog.getByText("At most, that is worth 10.00 EUR.").waitFor();
    await dialog.getByRole("textbox", { name: "Name" }).fill("Spring greetings");
    expect(await violationsOn(page, openDialog)).toEqual([]);
    await dialog.getByRole("button", { name: "Give it" }).click();
    const row = page.getByRole("row", { name: /Spring greetings/ });
    // The page follows the job by itself.
    await row.getByText("Given", { exact: true }).waitFor();
    expect(await row.innerText()).toMatch(/50\s.*Given\s+2\s+2\s+0\s+Month of birth: April/s);
    const members = await world.call<{ points_balance: number }[]>("/op/members/list", { business_id });
    expect(members.map(({ points_balance }) => points_balance).sort()).toEqual([0, 50, 50]);
    expect(faults).toEqual([]);
    await page.close();
  });

  it("get a voucher by a job that shows how far it is, stops, fails and goes on", async () => {
    const coupon = { coupon_code: "COFFEE", coupon_value: 300 };
    const { voucher_id } = await add("/op/vouchers/create", { campaign_name: "Coffee", ...coupon });
    await world.sql.query(`
      CREATE FUNCTION hold_grants() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN NEW.leased_by := gen_random_uuid(); NEW.leased_until := 'infinity'; RETURN NEW; END $$`);
    await world.sql.query(`
      CREATE TRIGGER hold_grants BEFORE INSERT OR UPDATE ON bulk_grant
      FOR EACH ROW EXECUTE FUNCTION hold_grants()`);
    await add("/op/bulk-grants/start", { name: "A coffee for all", voucher_id });
    const { page, faults } = await world.open(at("/bulk-grants"));
    await page.getByText("0 of 3 members").waitFor();
    expect(await page.getByRole("progressbar", { name: "0 of 3 members" }).count()).toBe(1);
    await page.setViewportSize({ width: 360, height: 800 });
    expect(await violationsOn(page)).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 900 });
    const step = async (name: string) => {
      await page.getByRole("button", { name }).click();
      const dialog = page.getByRole("dialog", { name: `${name}: A coffee for all` });
      await dialog.getByRole("button", { name }).click();
      await dialog.waitFor({ state: "detached" });
    };
    await step("Stop");
    const row = page.getByRole("row", { name: /A coffee for all/ });
    await row.getByText("Cancelled").waitFor();
    await world.sql.query("DROP TRIGGER hold_grants ON bulk_grant");
    await world.sql.query("UPDATE bulk_grant SET leased_by = NULL, leased_until = NULL");
    await add("/op/vouchers/archive", { voucher_id, archived: true });
    await step("Go on");
    await row.getByText(/The voucher was archived/).waitFor();
    await add("/op/vouchers/archive", { voucher_id, archived: false });
    await step("Go on");
    await row.getByText("Given", { exact: true }).waitFor();
    expect(faults).toEqual([]);
    await page.close();
  });

  it("get nothing while points are off, and are not given to by a role that may not, or by a search", async () => {
    await add("/op/reward-settings/update", { enable_rp: false });
    const { page } = await world.open(at("/members"));
    await page.getByRole("button", { name: "Give to all of them" }).click();
    await dialogOf(page).getByRole("textbox", { name: "Points" }).fill("50");
    await dialogOf(page)
      .getByText(/points are off/)
      .first()
      .waitFor();
    await page.goto(at("/members?search=Ruiz"));
    await page.getByText("3 members", { exact: true }).waitFor();
    expect(await page.getByRole("button", { name: "Give to all of them" }).count()).toBe(0);
    await page.close();
    const support = await world.open(at("/members"), undefined, await world.signIn({ role: "support" }));
    await support.page.getByText("3 members", { exact: true }).waitFor();
    expect(await support.page.getByRole("button", { name: /Give|segment/ }).count()).toBe(0);
    await support.page.close();
  });
});
