/** Lists that people save as files: each row once, also while others are recorded, with names instead of numbers. */
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { inZone } from "../../packages/console/src/texts/dates.ts";
import { describeInBrowser } from "../support/chromium.ts";
import { useConsole } from "../support/console.ts";
import { testOperatorKey } from "../support/world.ts";

/** Lists with their buttons, the export of the whole list, and an address with a filter. */
const lists = [
  { path: "/members", list: "/op/members/list", filtered: "/members?search=a" },
  { path: "/sales", list: "/op/sales/list", filtered: "/sales?start_date=2000-01-01" },
  { path: "/transactions", list: "/op/transactions/list", filtered: "/transactions?start_date=2000-01-01" },
  { path: "/audit", list: "/op/audit/list", filtered: "/audit?start_date=2000-01-01" },
];

describeInBrowser("a saved file", (launch) => {
  const world = useConsole(launch);
  const of = () => world.demo.business_id;

  async function save(page: Page, label = "Save as CSV"): Promise<Record<string, string>[]> {
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: label }).click(),
    ]);
    const [head = "", ...lines] = readFileSync(await file.path(), "utf8")
      .replace("\uFEFF", "")
      .trimEnd()
      .split("\r\n");
    const names = head.split(",");
    return lines.map((line) => {
      // Only texts of the audit log have commas, and no test looks at them.
      const cells = line.split(",");
      return Object.fromEntries(names.map((name, index) => [name, cells[index] as string]));
    });
  }
  const totalOf = async (path: string, filter: object = {}) => {
    const response = await fetch(world.baseUrl + path, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${testOperatorKey}` },
      body: JSON.stringify({ business_id: of(), per_page: 1, ...filter }),
    });
    return ((await response.json()) as { meta: { pagination: { total: number } } }).meta.pagination.total;
  };

  it.each(lists)("has all rows of $path, and with a filter those that it finds", async (one) => {
    const { page, faults } = await world.open(world.at(one.path));
    expect(await save(page)).toHaveLength(await totalOf(one.list));
    await page.goto(world.at(one.filtered));
    const found = Object.fromEntries(new URL(page.url()).searchParams);
    expect(await save(page)).toHaveLength(await totalOf(one.list, found));
    expect(faults).toEqual([]);
    await page.close();
  });

  it.each([
    ["whole", "", "/op/exports/transactions", "limit"],
    ["filtered", "?start_date=2000-01-01", "/op/transactions/list", "per_page"],
  ])("of a list that grows meanwhile has each entry once (%s)", async (_, filter, path, size) => {
    const before = await totalOf("/op/transactions/list");
    const { page } = await world.open(world.at(`/transactions${filter}`));
    await page.getByRole("table").waitFor();
    let pages = 0;
    await page.route(`**${path}`, async (route) => {
      const body = route.request().postDataJSON() as Record<string, unknown>;
      if (body[size] === 1 || body[size] === 25) return route.fallback();
      const key = `${path} ${++pages}`;
      const credit = { contact_id: world.priya, points: 1, adjustment_type: "credit", reason: "Meanwhile" };
      await world.call("/op/members/adjust-points", { idempotency_key: key, business_id: of(), ...credit });
      return route.continue({ postData: JSON.stringify({ ...body, [size]: 20 }) });
    });
    const rows = await save(page);
    const numbers = rows.map(({ entry_no }) => Number(entry_no));
    expect(pages).toBeGreaterThan(2);
    expect(new Set(numbers).size).toBe(numbers.length);
    expect(numbers).toEqual(numbers.toSorted((one, other) => other - one));
    expect(numbers.length).toBeGreaterThanOrEqual(before);
    await page.close();
  });

  it("has names instead of numbers, and amounts as people write them", async () => {
    const { page } = await world.open(world.at("/sales"));
    const [sale] = await save(page);
    const [known] = await world.call<
      { contact_id: number; location_id: number; amount: number; reference_id: string }[]
    >("/op/sales/list", { business_id: of() });
    const places = await world.call<{ location_id: number; name: string }[]>("/op/locations/list", {
      business_id: of(),
    });
    const { members } = await world.call<{ members: { first_name: string; last_name: string }[] }>(
      "/op/members/names",
      { business_id: of(), contact_ids: [known?.contact_id] },
    );
    expect(sale).toMatchObject({
      reference_id: known?.reference_id,
      location_name: places.find(({ location_id }) => location_id === known?.location_id)?.name,
      member_name: `${members[0]?.first_name} ${members[0]?.last_name}`,
      amount: ((known?.amount as number) / 100).toFixed(2),
    });
    expect(sale).not.toHaveProperty("location_id");
    await page.goto(world.at("/vouchers"));
    const [voucher] = await save(page, "Save held vouchers as CSV");
    expect(voucher).toMatchObject({ member_name: expect.stringMatching(/\w/) });
    await page.goto(world.at("/today"));
    expect((await save(page)).length).toBe(12);
    await page.close();
  });

  it("has times in the zone of the business, as the page has", async () => {
    const change = (time_zone: string) =>
      world.call("/op/businesses/update", {
        ...{ idempotency_key: `zone ${time_zone}`, business_id: of(), time_zone },
      });
    await change("Asia/Tokyo");
    const { page } = await world.open(world.at("/audit"));
    const [entry] = await save(page);
    const [known] = await world.call<{ recorded_at: string }[]>("/op/audit/list", { business_id: of() });
    expect(entry?.recorded_at).toBe(inZone(String(known?.recorded_at), "Asia/Tokyo"));
    expect(entry?.recorded_at).not.toBe(known?.recorded_at);
    await change("UTC");
    await page.close();
  });

  it("shows how far it is, and can be stopped; a role without exports saves what the page shows", async () => {
    const session = await world.signIn({ role: "support" });
    const { page } = await world.open(world.at("/vouchers"), undefined, session);
    await page.getByRole("table").waitFor();
    expect(await page.getByRole("button", { name: /as CSV/ }).count()).toBe(0);
    await page.goto(world.at("/transactions"));
    await page.getByRole("table").waitFor();
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route("**/op/transactions/list", async (route) => {
      const body = route.request().postDataJSON() as { per_page: number; after?: string };
      if (body.per_page === 100 && body.after === undefined)
        return route.continue({ postData: JSON.stringify({ ...body, per_page: 5 }) });
      if (body.after !== undefined) await released;
      return route.fallback();
    });
    await page.getByRole("button", { name: "Save as CSV" }).click();
    const bar = page.getByRole("progressbar", { name: "Save as CSV" });
    await expect.poll(async () => Number(await bar.getAttribute("aria-valuenow"))).toBeGreaterThan(0);
    await page.getByRole("button", { name: "Cancel" }).click();
    await bar.waitFor({ state: "detached" });
    release();
    await page.unroute("**/op/transactions/list");
    expect(await save(page)).toHaveLength(await totalOf("/op/transactions/list"));
    await page.close();
  });
});
