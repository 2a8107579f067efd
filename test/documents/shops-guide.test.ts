/** The guide to shops: its plugin for WooCommerce runs on the demo business, with stand-ins of the hooks and functions that it uses. */
import { execFile, spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { LoyaltyClient } from "loyalty-sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { demoIn, useDemoDatabase } from "../support/demo.ts";
import { type StartedService, startService, useWorld } from "../support/world.ts";

const world = useWorld();
const database = useDemoDatabase();
const isThere = spawnSync("php", ["--re", "curl"]).status === 0;
let service: StartedService;
let directory: string;
let client: LoyaltyClient;
let environment: Record<string, string>;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "loyalty-shops-guide-"));
  service = await startService(world, database);
  const { client_id, client_secret } = await demoIn(database.sql, directory, service.baseUrl);
  client = new LoyaltyClient({ baseUrl: service.baseUrl, clientId: client_id, clientSecret: client_secret });
  environment = {
    BASE_URL: service.baseUrl,
    CLIENT_ID: client_id,
    CLIENT_SECRET: client_secret,
    PATH: process.env.PATH ?? "",
  };
  const guide = await readFile(join(import.meta.dirname, "../../docs/guides/shops.md"), "utf8");
  const [, code = ""] = /^```php\n(.*?)^```$/ms.exec(guide) ?? [];
  await writeFile(join(directory, "loyalty.php"), code);
});
afterAll(async () => {
  await service.close();
  await rm(directory, { recursive: true });
});

interface Stored {
  readonly sale_id: number | "";
  readonly notes: readonly string[];
}

/** Plays orders in the shop, with their refunds and their last status. */
async function play(
  orders: Readonly<Record<number, object>>,
  variables: Readonly<Record<string, string>> = {},
): Promise<Record<string, Stored>> {
  const args = [
    join(import.meta.dirname, "woocommerce.php"),
    join(directory, "loyalty.php"),
    JSON.stringify(orders),
  ];
  const { stdout } = await promisify(execFile)("php", ["-d", "display_errors=stderr", ...args], {
    env: { ...environment, ...variables },
    timeout: 120_000,
  });
  return JSON.parse(stdout);
}

const mugs = { type: "line_item", sku: "MUG", product_id: 7, quantity: 3, total: "25.00", total_tax: "5.00" };
const shipping = { type: "shipping", quantity: 1, total: "4.00", total_tax: "0.80" };
function order(customer: number, fields: object = {}) {
  return {
    ...{
      customer_id: customer,
      status: "processing",
      paid: new Date().toISOString(),
      total: "34.80",
      currency: "EUR",
    },
    ...{ billing_first_name: "Eva", billing_last_name: "Ruiz", billing_email: `eva${customer}@example.com` },
    ...{ billing_phone: `+34 633 000 00${customer}`, items: { 11: mugs, 12: shipping }, ...fields },
  };
}
const saleOf = (stored: Stored | undefined) => client.sales.get({ sale_id: Number(stored?.sale_id) });

describe.skipIf(!isThere)("the plugin for WooCommerce, of which a third of the responses is lost", () => {
  it("records paid orders once with their lines, also those that no hook told of, and makes members", async () => {
    const stored = await play({
      1001: order(1),
      1002: order(1, { is_lost: true }),
      1003: order(0),
      1004: order(2, { status: "pending" }),
      1005: order(2, { currency: "JPY" }),
      1006: order(2, { total: "0.00" }),
      1007: order(2, { paid: "2020-01-01T12:00:00Z" }),
    });
    for (const id of ["1003", "1004", "1005", "1006", "1007"]) {
      expect([id, stored[id]]).toEqual([id, { sale_id: "", notes: [] }]);
    }
    const sale = await saleOf(stored["1001"]);
    expect(sale).toMatchObject({
      ...{ reference_id: "shop/woocommerce/order/1001", amount: 3480 },
      lines: [
        { sku: "MUG", category: "category-7", quantity: 3, amount: 3000 },
        { sku: null, category: "shipping", quantity: 1, amount: 480 },
      ],
    });
    expect(await saleOf(stored["1002"])).toMatchObject({ contact_id: sale.contact_id, amount: 3480 });
    expect((await client.members.balances({ contact_id: sale.contact_id })).sales).toBe(6960);
    const again = await play({ 1001: order(1) });
    expect(again["1001"]).toEqual(stored["1001"]);
  });

  it("refunds lines, amounts and the rest, each once", async () => {
    const unit = { type: "line_item", quantity: -1, meta: { _refunded_item_id: "11" } };
    const refunds = [
      { id: 71, amount: "10.00", reason: "Too small", items: { 1: unit } },
      { id: 72, amount: "2.50", reason: "", items: {} },
    ];
    const stored = await play({
      1010: order(3, { refunds }),
      1011: order(3, { last_status: "cancelled" }),
      1012: order(8, { refunds, loses_refunds: true }),
    });
    const sale = await saleOf(stored["1010"]);
    expect(sale.refunds.map(({ amount }) => amount)).toEqual([1000, 250]);
    expect(sale.lines[0]).toMatchObject({ returned: 1 });
    expect(await saleOf(stored["1011"])).toMatchObject({ refundable: 0 });
    // No hook told of these refunds.
    expect((await saleOf(stored["1012"])).refunds.map(({ amount }) => amount)).toEqual([1000, 250]);
    expect((await client.members.balances({ contact_id: sale.contact_id })).sales).toBe(3480 - 1250);
  });

  it("sends an order again if it is killed before it has stored the sale", async () => {
    const stored = await play({ 1015: order(9, { dies: true }) });
    const { contact_id } = await saleOf(stored["1015"]);
    expect((await client.members.balances({ contact_id })).sales).toBe(3480);
  });

  it("finds a member by the address of the account if the shop verifies it, and never by that of an order", async () => {
    const newMember = (number: number) =>
      client.members.create({
        ...{ first_name: "Luz", last_name: "Gil", email: `account${number}@example.com` },
        phone_number: `+3463311100${number}`,
      });
    const [victim, own] = [await newMember(6), await newMember(7)];
    const typed = { billing_email: "account6@example.com" };
    const before = await play({ 1030: order(6), 1031: order(5, typed) });
    for (const id of ["1030", "1031"]) {
      expect((await saleOf(before[id])).contact_id).not.toBe(victim.contact_id);
    }
    const after = await play({ 1032: order(7, typed) }, { EMAILS_ARE_VERIFIED: "1" });
    expect((await saleOf(after["1032"])).contact_id).toBe(own.contact_id);
  });

  it("tells the shop what a person has to solve, and goes on", async () => {
    const stored = await play({
      1020: order(4, { billing_phone: "12" }),
      1021: order(5),
    });
    expect(stored["1020"]).toMatchObject({
      sale_id: "",
      notes: [expect.stringMatching(/^Loyalty: .*phone_number/)],
    });
    expect(await saleOf(stored["1021"])).toMatchObject({ amount: 3480 });
  });
});
