/** Lists as tables: what fits, what is never cut, and what --wide and --columns show. */
import { isDeepStrictEqual } from "node:util";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { shownColumnsOf } from "../../src/cli/operations/responses.ts";
import { commandOfPath } from "../../src/cli/service/command-names.ts";
import { operatorOperations } from "../../src/operations/operations.ts";
import { useCli } from "../support/cli.ts";
import {
  asOperator,
  makeOperatorRecords,
  type OperatorRecords,
  operatorWrite,
} from "../support/operator-requests.ts";
import { useWorld } from "../support/world.ts";

const world = useWorld({ LOYALTY_CONSOLES: "north=https://north.example.com/api/console/" });
const cli = useCli(world);
const home = () => ({ business_id: world.home.businessId });
const long = (text: string) => `${text} ${"with a very long name ".repeat(5)}`.trim();

let records: OperatorRecords;

/** At least one record in every list, with names that are too long for a table. */
beforeAll(async () => {
  records = await makeOperatorRecords(world, world.home);
  const write = (path: string, body: object) => operatorWrite(world, path, { ...home(), ...body });
  await operatorWrite(world, "/op/businesses/create", {
    name: long("Café"),
    currency: "EUR",
    time_zone: "America/Argentina/Buenos_Aires",
  });
  await write("/op/locations/create", { name: long("Location") });
  const scopes = ["wa.members.read"];
  await write("/op/integrations/create", { name: long("Till"), scopes, all_locations: true });
  const tier = await write("/op/tiers/create", { name: long("Gold"), expiry: 12, expiry_period: "month" });
  await write("/op/programs/create", {
    membership_name: long("Club"),
    maximum_points_per_order: 1_000_000_000,
    earn_amount: 1_000_000_000,
    earn_minimum_amount: 1_000_000_000_000,
  });
  await write("/op/vouchers/create", {
    campaign_name: long("Summer"),
    coupon_code: "SUMMER-2026-WITH-A-LONG-CODE",
    coupon_value: 1_000_000_000_000,
  });
  const contact_id = await world.member({ first_name: long("Ana"), last_name: long("López") });
  await write("/op/members/assign-tier", { contact_id, tier_id: tier.tier_id });
  const { buyer_contact_id, stamp_card_id } = records;
  await write("/op/stamp-cards/stamp", {
    contact_id: buyer_contact_id,
    stamp_card_id,
    stamps: 1,
    reason: "Start",
  });
  await write("/op/cards/create", { contact_id: buyer_contact_id, kind: "plastic" });
  await world.call("/sp/members/get", { contact_id, nickname: 1 }, { token: await world.token() });
  const requests = ["requests", "--business", String(world.home.businessId)];
  // The log of requests is written in the background.
  await vi.waitUntil(async () => (await cli.json(requests)).data.length > 0, { timeout: 60_000 });
});

const lists = operatorOperations.filter(({ kind }) => kind === "list");

describe.each(lists.map((list) => [commandOfPath(list.path).join(" "), list] as const))(
  "%s",
  (name, list) => {
    const words = () => {
      const own = "business_id" in list.input.properties ? ["--business", String(world.home.businessId)] : [];
      const member = list.input.required?.includes("contact_id") ? [String(records.buyer_contact_id)] : [];
      return [...name.split(" "), ...member, ...own];
    };

    const read = async () => {
      const business_id = "business_id" in list.input.properties ? home().business_id : undefined;
      const contact_id = list.input.required?.includes("contact_id") ? records.buyer_contact_id : undefined;
      return (await asOperator(world, list.path, { business_id, contact_id })).body.data;
    };
    /** What the table says, and the records in it: again while work in the background changes these. */
    const tableOf = async (...more: string[]) => {
      for (;;) {
        const data = await read();
        const table = await cli.run([...words(), ...more]);
        if (isDeepStrictEqual(await read(), data)) return { ...table, data };
      }
    };

    it("has a line for each record, within 100 columns, with whole ids, codes and times", async () => {
      const { out, err, data } = await tableOf();
      expect(data.length).toBeGreaterThan(0);
      const lines = out.trimEnd().split("\n");
      for (const line of lines) expect([...line].length, line).toBeLessThanOrEqual(100);
      const records = lines.slice(-data.length);
      expect(lines.length - data.length).toBeOneOf([1, 2, 3, 4]);
      const leftOut = /There is no room for (.*)\. Show/.exec(err)?.[1]?.split(", ") ?? [];
      // A column that the filter names has the same value in every row.
      const fixed = words().includes("--business") ? ["business_id"] : [];
      const shown = shownColumnsOf(list).filter((column) => ![...leftOut, ...fixed].includes(column));
      expect(shown.length).toBeGreaterThan(leftOut.length);
      const whole = shown.filter((column) => /(?:_id|_at|_code|_type|_number|currency)$/.test(column));
      for (const [at, row] of data.entries()) {
        for (const column of whole) expect(records[at]).toContain(String(row[column] ?? "-"));
      }
    });

    it("shows every column in full with --wide", async () => {
      const { out, data } = await tableOf("--wide");
      const header = out.split("\n")[0]?.trim().split(/ +/);
      expect(header).toEqual(Object.keys((list.output as unknown as { properties: object }).properties));
      for (const { name } of data) if (typeof name === "string") expect(out).toContain(name);
      expect(out).not.toContain("…");
    });
  },
);

it("shows amounts in the currency of the business, and as they are with --json", async () => {
  const at = ["--business", String(world.home.businessId)];
  expect(await cli.ok(["topup-benefit", "list", ...at])).toMatch(/ 50\.00 EUR +5\.00 EUR /);
  expect((await cli.json(["topup-benefit", "list", ...at])).data[0].amount).toBe(5000);
  expect(await cli.ok(["transaction", "list", ...at])).toMatch(/ points/);
});

it("leaves out what the filter names, so that there is room for the reason of an entry", async () => {
  const { businessId: business_id } = world.home;
  const contact_id = await world.member({ first_name: "Rosa" });
  await operatorWrite(world, "/op/members/adjust-points", {
    business_id,
    contact_id,
    points: 5,
    adjustment_type: "credit",
    reason: "Lost receipt",
  });
  const words = ["transaction", "list", "--business", String(business_id), "--contact", String(contact_id)];
  const out = await cli.ok(words);
  expect(out).toContain("Lost receipt");
  expect(out).not.toContain(String(contact_id));
  expect(await cli.ok([...words, "--wide"])).toContain(String(contact_id));
});

it("tells in which time zone times are: the business's, or UTC for those of no business", async () => {
  const at = ["--business", String(world.home.businessId)];
  expect((await cli.run(["transaction", "list", ...at])).err).toMatch(/Times are in Europe\/Madrid\.\n/);
  expect((await cli.run(["member", "get", ...at, "--contact", "1"])).err).not.toContain("Times are");
  expect((await cli.run(["audit", "list"])).err).toMatch(/Times are in UTC\.\n$/);
  expect((await cli.run(["location", "list", ...at])).err).not.toContain("Times are");
  expect((await cli.run(["transaction", "list", ...at, "--json"])).err).toBe("");
});

it("shows the columns that --columns names, and names wrong ones with those that there are", async () => {
  const words = ["location", "list", "--business", String(world.home.businessId)];
  expect(await cli.ok([...words, "--columns", "name"])).toMatch(/^name\n(?:.*\n)*Location with .*name\n/);
  expect(await cli.run([...words, "--columns", "name,place"])).toEqual({
    code: 2,
    out: "",
    err: '--columns: no column is named "place".\nThe columns are location_id, name, closed.\n',
  });
});

it.each([
  ["HUF", "12500.00", 1_250_000, "12,500.00 HUF"],
  ["IQD", "12500.250", 12_500_250, "12,500.250 IQD"],
  ["JPY", "12500", 12_500, "12,500 JPY"],
])(
  "reads and shows amounts in %s with the decimals that the business has",
  async (currency, text, amount, shown) => {
    const create = ["business", "create", "--name", currency, "--currency", currency];
    const { data } = await cli.json(create);
    const at = ["--business", String(data.business_id)];
    const line = `+34600111${String(amount).slice(0, 3)},Ana,Gil,${text}\n`;
    const input = `phone_number,first_name,last_name,wallet_balance\n${line}`;
    await cli.ok(["import", "members", "-", ...at, "--amount-unit", "major"], { input });
    expect((await cli.json(["member", "list", ...at])).data).toMatchObject([{ wallet_balance: amount }]);
    expect(await cli.ok(["member", "list", ...at])).toContain(shown);
    // A later list of currencies doesn't change what is stored.
    await world.sql`UPDATE business SET currency_decimals = 1 WHERE business_id = ${data.business_id}`;
    expect(await cli.ok(["member", "list", ...at])).toContain(`.${String(amount).slice(-1)} ${currency}`);
  },
);

it("sets, shows and clears the country of a business", async () => {
  const create = ["business", "create", "--name", "Pays", "--currency", "EUR", "--country", "FR"];
  const { data } = await cli.json(create);
  expect(data).toMatchObject({ country: "FR", currency_decimals: 2 });
  const at = ["--business", String(data.business_id)];
  const input = "phone_number,first_name,last_name\n06 12 34 56 78,Ana,Gil\n";
  await cli.ok(["import", "members", "-", ...at], { input });
  const search = ["member", "list", ...at, "--search", "06.12.34.56.78"];
  expect((await cli.json(search)).data).toMatchObject([{ phone_number: "+33612345678" }]);
  expect(await cli.ok(["business", "list"])).toMatch(/ Pays +EUR +FR /);
  const update = ["business", "update", ...at, "--country", "none", "--yes"];
  expect((await cli.json(update)).data).toMatchObject({ country: null });
  expect((await cli.json(search)).data).toEqual([]);
});
