/** Which lines of files are one sale or one member, and what becomes of the others. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { outcomeOf, useCli } from "../support/cli.ts";
import { importTools } from "../support/imports.ts";
import { operatorWrite } from "../support/operator-requests.ts";
import { makeSandbox } from "../support/sandbox.ts";
import { useWorld } from "../support/world.ts";

/** The unit of amounts in these files. A later option replaces it. */
const minor = ["--amount-unit", "minor"];
const world = useWorld();
const cli = useCli(world);
const { expectValidLedger } = importTools(world);

const file = async (name: string, text: string | Buffer) => {
  await writeFile(join(cli.directory, name), text);
  return name;
};
const report = (name: string) => readFile(join(cli.directory, name), "utf8");

/** A business in Madrid with the members A1 and B2. */
async function madrid(...options: string[]) {
  const words = ["business", "create", "--name", "Shop", "--currency", "EUR", "--time-zone", "Europe/Madrid"];
  const { data } = await cli.json([...words, ...options]);
  const id: number = data.business_id;
  const at = ["--business", String(id)];
  const members = `phone_number,first_name,last_name,external_ref\n+34600000001,Ana,Ruiz,A1\n+34600000002,Bo,Li,B2\n`;
  expect(await importOf("members", at, members)).toMatchObject({ imported: 2 });
  const shops: string[] = [];
  for (const name of ["Old town", "Harbour"]) {
    const { data: location } = await cli.json(["location", "create", ...at, "--name", name]);
    shops.push(String(location.location_id));
  }
  return { id, at, shops };
}

/** Imports standard input. @returns the result, whether or not lines were rejected */
async function importOf(kind: string, at: readonly string[], input: string, ...words: string[]) {
  const { code, out, err } = await cli.run(["import", kind, ...minor, "-", ...at, ...words, "--json"], {
    input,
  });
  if (code !== 0 && code !== 5) throw new Error(err);
  return JSON.parse(out);
}

/** The sales in the ledger, as "day member amount reference", sorted. */
async function soldIn(businessId: number): Promise<string[]> {
  const rows = await world.sql<{ sale: string }[]>`
    SELECT to_char(e.created_at AT TIME ZONE 'Europe/Madrid', 'MM-DD ') || m.external_ref || ' ' || e.amount
      || CASE WHEN e.reference_id LIKE 'SA-%' THEN '' ELSE ' ' || e.reference_id END AS sale
    FROM ledger_entry e JOIN member m USING (business_id, contact_id)
    WHERE business_id = ${businessId} AND event_type = 'sale' ORDER BY 1`;
  return rows.map(({ sale }) => sale);
}

const receipts =
  "receipt,customer,day,total\n1,A1,2026-03-02,3.50\n2,B2,2026-03-02,4.20\n1,B2,2026-03-03,3.50\n" +
  "2,A1,2026-03-03,4.20\n1,A1,2026-03-04,3.50\n";
const receiptColumns = [
  ...["--column", "reference_id=receipt", "--column", "external_ref=customer"],
  ...["--column", "sold_at=day", "--column", "amount=total", "--amount-unit", "major"],
];
const allSold = ["03-02 A1 350 1", "03-02 B2 420 2", "03-03 A1 420 2", "03-03 B2 350 1", "03-04 A1 350 1"];

describe("receipt numbers that restart each day", () => {
  it("are rejected with what is recorded, also by a strict import", async () => {
    const { id, at } = await madrid();
    const strict = ["import", "sales", ...minor, "-", ...at, ...receiptColumns, "--strict"];
    const outcome = await cli.run(strict, { input: receipts });
    expect(outcome.code).toBe(5);
    expect(outcome.out).toMatch(/^Nothing was imported: 2 new, 0 already imported, 3 rejected\.\n/);
    expect(outcome.out).toContain(
      "add --reference-per day, location or day,location. If they are lines of one receipt, add --join-lines.\n",
    );
    expect((await report("sales.rejected.csv")).split("\n").slice(1, 3)).toEqual([
      '4,sold_at,"sold_at is 2026-03-03, but reference_id 1 is in line 2 with 2026-03-02."',
      expect.stringMatching(
        /^4,external_ref,"external_ref is B2 \(contact \d+\), but reference_id 1 is in line 2 with contact \d+\."$/,
      ),
    ]);
    expect(await soldIn(id)).toEqual([]);

    const words = [...receiptColumns];
    expect(await importOf("sales", at, receipts, ...words)).toMatchObject({
      imported: 2,
      skipped: 0,
      rejected: 3,
    });
    expect(await importOf("sales", at, receipts, ...words)).toMatchObject({
      imported: 0,
      skipped: 2,
      rejected: 3,
    });
    expect(await report("sales.rejected.csv")).toContain(
      '"sold_at is 2026-03-04, but reference_id 1 was imported with 2026-03-02."',
    );
    expect(await soldIn(id)).toEqual(allSold.slice(0, 2));
  });

  it("are imported once with --reference-per day, whatever was imported before without it", async () => {
    const { id, at } = await madrid();
    const perDay = [...receiptColumns, "--reference-per", "day"];
    expect(await importOf("sales", at, receipts, ...receiptColumns)).toMatchObject({
      imported: 2,
      rejected: 3,
    });
    expect(await importOf("sales", at, receipts, ...perDay, "--strict")).toMatchObject({
      imported: 3,
      skipped: 2,
    });
    for (const words of [perDay, receiptColumns]) {
      expect(await importOf("sales", at, receipts, ...words)).toMatchObject({
        imported: 0,
        skipped: 5,
        rejected: 0,
      });
    }
    expect(await soldIn(id)).toEqual(allSold);
    const changed = receipts.replace("2026-03-04,3.50", "2026-03-04,9.50");
    expect(await importOf("sales", at, changed, ...perDay)).toMatchObject({
      imported: 0,
      skipped: 4,
      rejected: 1,
    });
    expect(await report("sales.rejected.csv")).toBe(
      'line,field,reason\n6,amount,"amount is 9.50, but reference_id 1 was imported with 3.50."\n',
    );
  });

  it("are compared over the whole file, in a strict and in a dry run, too", async () => {
    const { at } = await madrid();
    const days = Array.from({ length: 2100 }, (_, at) =>
      new Date(Date.UTC(2015, 0, 1 + at)).toISOString().slice(0, 10),
    );
    const header = "receipt,customer,day,total\n";
    const lines = days.map((day) => `1,A1,${day},3.50\n`).join("");
    const again = `1,A1,${days[0]},3.50\n1,A1,${days[1]},4.00\n`;
    const words = [...receiptColumns, "--reference-per", "day"];
    const dry = await cli.run(["import", "sales", ...minor, "-", ...at, ...words, "--dry-run"], {
      input: header + lines + again,
    });
    expect(dry.out).toMatch(/^Dry run: 2,100 new, 1 already imported, 1 rejected\. Nothing was written\.\n/);
    expect(dry.out).toContain(
      "1 line repeats an earlier line of the file, and would be skipped: 2102 (as 2).\n",
    );
    expect(await report("sales.rejected.csv")).toBe(
      'line,field,reason\n2103,amount,"amount is 4.00, but reference_id 1 is in line 3 with 3.50."\n',
    );
    const result = await importOf("sales", at, header + lines + again, ...words);
    expect(result).toMatchObject({ imported: 2100, skipped: 1, rejected: 1 });
  });
});

describe("receipt numbers that restart at each till", () => {
  const till = "receipt,customer,day,total\n1,A1,2026-03-02,3.50\n2,B2,2026-03-02,4.20\n";

  it("are two sales with --reference-per location", async () => {
    const { id, at, shops } = await madrid();
    const words = (shop: string) => [...receiptColumns, "--location", shop, "--reference-per", "location"];
    for (const shop of shops) {
      expect(await importOf("sales", at, till, ...words(shop))).toMatchObject({ imported: 2, skipped: 0 });
      expect(await importOf("sales", at, till, ...words(shop))).toMatchObject({ imported: 0, skipped: 2 });
    }
    expect(await soldIn(id)).toHaveLength(4);
    const none = await cli.run(
      ["import", "sales", ...minor, "-", ...at, ...receiptColumns, "--reference-per", "location"],
      {
        input: till,
      },
    );
    expect(none).toMatchObject({ code: 5, out: expect.stringContaining("rejected 2") });
    expect(await report("sales.rejected.csv")).toContain(
      "location_id is required with reference_id per location.",
    );
  });

  it("and each day, are told apart by both", async () => {
    const { id, at, shops } = await madrid();
    const words = (shop: string) => [
      ...receiptColumns,
      "--location",
      shop,
      "--reference-per",
      "day,location",
    ];
    for (const shop of shops) {
      expect(await importOf("sales", at, receipts, ...words(shop))).toMatchObject({
        imported: 5,
        rejected: 0,
      });
      expect(await importOf("sales", at, receipts, ...words(shop))).toMatchObject({
        imported: 0,
        skipped: 5,
      });
    }
    expect(await soldIn(id)).toHaveLength(10);
  });

  it("are two sales in two batches", async () => {
    const { id, at } = await madrid();
    for (const batch of ["till-1", "till-2"]) {
      const words = [...receiptColumns, "--batch", batch];
      expect(await importOf("sales", at, till, ...words)).toMatchObject({ imported: 2, skipped: 0 });
      expect(await importOf("sales", at, till, ...words)).toMatchObject({ imported: 0, skipped: 2 });
    }
    expect(await soldIn(id)).toHaveLength(4);
  });
});

describe("one sale that is written in different ways", () => {
  const header = "external_ref,sold_at,amount\n";
  const times = [
    ...["2026-03-02 09:00:00", "2026-03-02 09:00", "2026-03-02T08:00:00Z", "2026-03-02T09:00:00.000+01:00"],
    ...["2026-03-02T03:00-05:00", "2026-03-02 09:00:00.0"],
  ];
  const days = ["2026-03-02", "20260302", "2026-03-02 00:00:00", "2026-03-02T00:00", "2026-03-01T23:00:00Z"];

  it.each([
    ["times", times],
    ["days", days],
  ])("is recorded once: %s", async (_what, written) => {
    const { id, at } = await madrid();
    const [first, ...others] = written.map((time) => `${header}A1,${time},350\n`);
    expect(await importOf("sales", at, first as string)).toMatchObject({ imported: 1 });
    for (const input of others) {
      expect(await importOf("sales", at, input), input).toMatchObject({
        imported: 0,
        skipped: 1,
        rejected: 0,
      });
    }
    // Also in one file, where only lines with the same text are several sales.
    const all = header + written.map((time) => `B2,${time},350\n`).join("");
    const dry = await importOf("sales", at, all, "--dry-run");
    expect(dry).toMatchObject({ new: 1, skipped: written.length - 1, rejected: 0 });
    expect(dry.notes.at(-1)).toContain(`${written.length + 1} (as 2).`);
    expect(await importOf("sales", at, all)).toMatchObject({ imported: 1, skipped: written.length - 1 });
    expect(await soldIn(id)).toEqual(["03-02 A1 350", "03-02 B2 350"]);
  });

  it("is recorded once with other amounts and other forms of its member's phone number", async () => {
    const { id, at } = await madrid("--country", "ES");
    const files = [
      "+34600000001,2026-03-02,3.5",
      "600 000 001,20260302,3.50",
      "0034 600-00-00-01,2026-03-02,3.500",
    ];
    const header = "phone_number,sold_at,amount\n";
    for (const [index, line] of files.entries()) {
      const result = await importOf(
        "sales",
        at,
        `${header}${line}\n`,
        "--decimal",
        ".",
        "--amount-unit",
        "major",
      );
      expect(result).toMatchObject(index === 0 ? { imported: 1 } : { imported: 0, skipped: 1 });
    }
    expect(await soldIn(id)).toEqual(["03-02 A1 350"]);
  });

  it("is recorded once under its reference", async () => {
    const { id, at } = await madrid();
    const lines = [...times, ...days].map((time) => `A1,${time},350,R-1\n`).join("");
    const result = await importOf("sales", at, `external_ref,sold_at,amount,reference_id\n${lines}`);
    expect(result).toMatchObject({ imported: 1, skipped: times.length + days.length - 1, rejected: 0 });
    expect(await soldIn(id)).toEqual(["03-02 A1 350 R-1"]);
  });

  it("is two sales when it is at two times, also in the hour that occurs twice", async () => {
    const { id, at } = await madrid();
    const lines = ["2025-10-26T00:30:00Z", "2025-10-26T01:30:00Z"].map((time) => `A1,${time},350\n`);
    expect(await importOf("sales", at, header + lines.join(""))).toMatchObject({ imported: 2 });
    expect(await importOf("sales", at, header + lines.join(""))).toMatchObject({ skipped: 2 });
    expect(await soldIn(id)).toHaveLength(2);
  });

  it("stays one sale when the business moves to another time zone, and its member to another number", async () => {
    const { id, at } = await madrid();
    const input = "phone_number,sold_at,amount\n+34600000001,2026-03-02 09:00,350\n";
    const withReference = input.replace("amount", "amount,reference_id").replace("350", "350,R-1");
    for (const text of [input, withReference]) await importOf("sales", at, text);
    await cli.ok(["business", "update", ...at, "--time-zone", "America/New_York"]);
    await world.sql`UPDATE member SET phone_number = '+34699999999' WHERE business_id = ${id} AND external_ref = 'A1'`;
    for (const text of [input, withReference]) {
      expect(await importOf("sales", at, text)).toMatchObject({ imported: 0, skipped: 1 });
    }
  });
});

describe("members", () => {
  const header = "external_ref,phone_number,first_name,last_name,email,wallet_balance\n";
  const ana = "C-1,+34611111111,Ana,Ruiz,Ana@Example.com,1250\n";

  it("with one external_ref and different persons are rejected with what is recorded", async () => {
    const { at } = await madrid();
    const other = "C-1,+34622222222,Bo,Ruiz,,1250\n";
    const dry = await importOf("members", at, header + ana + other, "--dry-run");
    expect(dry).toMatchObject({ new: 1, skipped: 0, rejected: 1 });
    expect(await importOf("members", at, header + ana + other)).toMatchObject({ imported: 1, rejected: 1 });
    expect(await report("members.rejected.csv")).toBe(
      "line,field,reason\n" +
        '3,first_name,"first_name is Bo, but external_ref C-1 is in line 2 with Ana."\n' +
        '3,phone_number,"phone_number is +34622222222, but external_ref C-1 is in line 2 with +34611111111."\n',
    );
    expect(await importOf("members", at, header + other)).toMatchObject({
      imported: 0,
      skipped: 0,
      rejected: 1,
    });
    expect(await report("members.rejected.csv")).toContain(
      '2,first_name,"first_name is Bo, but external_ref C-1 was imported with Ana."',
    );
  });

  it("are skipped in another writing, and after they have changed", async () => {
    const { id, at } = await madrid("--country", "ES");
    expect(await importOf("members", at, header + ana)).toMatchObject({ imported: 1 });
    const written = "C-1,611 11 11 11,Ana,Ruiz,ana@example.COM,1250\n";
    expect(await importOf("members", at, header + written)).toMatchObject({ skipped: 1, rejected: 0 });
    await world.sql`
      UPDATE member SET phone_number = '+34633333333', first_name = 'Anna' WHERE business_id = ${id} AND external_ref = 'C-1'`;
    const now = "C-1,+34633333333,Anna,Ruiz,,\n";
    for (const line of [ana, written, now]) {
      expect(await importOf("members", at, header + line)).toMatchObject({ skipped: 1, rejected: 0 });
    }
    const neither = "C-1,+34633333333,Hanna,Ruiz,,\n";
    expect(await importOf("members", at, header + neither)).toMatchObject({ skipped: 0, rejected: 1 });
  });

  it("without a reference are skipped when they are written in another way", async () => {
    const { at } = await madrid("--country", "ES");
    const line = (phone: string, email: string, joined: string) =>
      `phone_number,first_name,last_name,email,joined_at\n${phone},Cy,Paz,${email},${joined}\n`;
    const first = line("+34644444444", "cy@x.com", "2026-01-05");
    expect(await importOf("members", at, first)).toMatchObject({ imported: 1 });
    const again = line("644 44 44 44", "CY@x.com", "2026-01-04T23:00:00Z");
    expect(await importOf("members", at, again)).toMatchObject({ imported: 0, skipped: 1, rejected: 0 });
    const twice = `${line("+34655555555", "", "")}+34655555555,Cy,Paz,,\n655555555,Cy,Paz,,\n`;
    expect(await importOf("members", at, twice, "--dry-run")).toMatchObject({
      new: 1,
      skipped: 2,
      rejected: 0,
    });
    expect(await importOf("members", at, twice)).toMatchObject({ imported: 1, skipped: 2, rejected: 0 });
  });
});

it("a line of an erased member is rejected by every import, for that reason", async () => {
  const { at, shops } = await madrid();
  const { data } = await cli.json(["member", "list", ...at, "--search", "Ana"]);
  const contact = String(data[0].contact_id);
  const members = "phone_number,first_name,last_name,external_ref\n+34600000001,Ana,Ruiz,A1\n";
  const sales = [
    `contact_id,sold_at,amount,reference_id\n${contact},2026-03-02,350,R-1\n`,
    "external_ref,sold_at,amount,reference_id\nA1,2026-03-02,350,R-2\n",
    "phone_number,sold_at,amount\n+34600000001,2026-03-02,350\n",
  ];
  for (const input of sales) expect(await importOf("sales", at, input)).toMatchObject({ imported: 1 });
  await cli.ok(["member", "erase", ...at, contact, "--yes"]);
  const another = (sales[0] as string).replace("R-1", "R-9");
  for (const input of [...sales, another]) {
    for (const words of [[], ["--earn", "--location", shops[0] as string], ["--dry-run"]]) {
      const result = await importOf("sales", at, input, ...words);
      expect(result).toMatchObject({ imported: 0, skipped: 0, rejected: 1 });
      expect(await report("sales.rejected.csv")).toMatch(/(?:is of|names) a member who was erased\./);
    }
  }
  expect(await importOf("members", at, members)).toMatchObject({ imported: 0, skipped: 0, rejected: 1 });
  expect(await report("members.rejected.csv")).toContain("The line is of a member who was erased.");
});

describe("sales that were imported without points", () => {
  const header = "external_ref,sold_at,amount,reference_id\n";
  const earning = async () => {
    const { id, at, shops } = await madrid();
    const program = {
      membership_name: "Club",
      maximum_points_per_order: 1000,
      earn_points: 1,
      earn_amount: 100,
    };
    const { program_id } = await operatorWrite(world, "/op/programs/create", { business_id: id, ...program });
    const settings = { business_id: id, enable_rp: true, rp_name: "Stars" };
    await operatorWrite(world, "/op/reward-settings/update", settings);
    const rules = { business_id: id, default_program_id: program_id };
    await operatorWrite(world, "/op/reward-settings/rules/update", rules);
    return { id, at, words: ["--earn", "--location", shops[0] as string] };
  };
  const pointsOf = async (id: number) => {
    const [row] = await world.sql<{ points: number; sales: number; entries: number }[]>`
      SELECT (SELECT coalesce(sum(balance), 0)::bigint FROM account WHERE business_id = ${id} AND account = 'points') AS points,
        (SELECT count(*) FROM sale WHERE business_id = ${id}) AS sales,
        (SELECT count(*) FROM ledger_entry WHERE business_id = ${id} AND event_type = 'sale') AS entries`;
    return row;
  };

  it("are named by --earn, and get their points once with --earn-imported", async () => {
    const { id, at, words } = await earning();
    const lines = "A1,2026-03-02,1000,R-1\nB2,2026-03-02,2000,R-2\nA1,2026-03-03,500,\nA1,2026-03-03,500,\n";
    expect(await importOf("sales", at, header + lines)).toMatchObject({ imported: 4 });
    const input = `${header}${lines}B2,2026-03-04,700,\n`;
    const said = await cli.run(["import", "sales", ...minor, "-", ...at, ...words], { input });
    expect(said).toMatchObject({ code: 0 });
    expect(said.out).toContain(
      "4 of the sales that are already imported were imported without points. To give them their points, once, add " +
        "--earn-imported.\n",
    );
    expect(await pointsOf(id)).toEqual({ points: 7, sales: 1, entries: 5 });

    const dry = await importOf("sales", at, input, ...words, "--earn-imported", "--dry-run");
    expect(dry).toMatchObject({ new: 0, skipped: 5, points_added: 4 });
    expect(await pointsOf(id)).toEqual({ points: 7, sales: 1, entries: 5 });
    const given = await importOf("sales", at, input, ...words, "--earn-imported");
    expect(given).toMatchObject({ imported: 0, skipped: 5, rejected: 0, points_added: 4 });
    const all = { points: 47, sales: 5, entries: 5 };
    expect(await pointsOf(id)).toEqual(all);
    for (const more of [["--earn-imported"], []]) {
      const again = await importOf("sales", at, input, ...words, ...more);
      expect(again).toMatchObject({ points_added: 0, without_points: 0 });
    }
    expect(await pointsOf(id)).toEqual(all);
    await expectValidLedger({ businessId: id } as never);
  });

  it("get their points once when imports at the same time, and a refund between them, want to give them", async () => {
    const shop = await makeSandbox(world, "2026-01-10");
    const contact_id = await shop.member();
    const lines = Array.from({ length: 200 }, (_, at) => ({
      line: at + 1,
      contact_id,
      sold_at: "2026-01-05",
      amount: 1000,
      reference_id: `R-${at}`,
    }));
    const body = { business_id: shop.businessId, lines };
    await operatorWrite(world, "/op/imports/sales", body);
    const earn = { ...body, earn: true, earn_imported: true, location_id: shop.locationId };
    const results = await Promise.all(
      Array.from({ length: 4 }, () => operatorWrite(world, "/op/imports/sales", earn)),
    );
    expect(results.map(({ points_added = 0 }) => points_added).sort()).toEqual([0, 0, 0, 200]);
    const [{ sale_id }] = await shop.ask("/sp/sales/list", { reference_id: "R-7" });
    await shop.write("/sp/sales/refund", { sale_id, location_id: shop.locationId });
    expect(await operatorWrite(world, "/op/imports/sales", earn)).toMatchObject({
      imported: 0,
      skipped: 200,
    });
    expect(await shop.ask("/sp/members/balances", { contact_id })).toMatchObject({
      points: 1990,
      sales: 199_000,
    });
    await expectValidLedger({ businessId: shop.businessId } as never);
  });

  it("get their points once when the command is killed in between", async () => {
    const { id, at, words } = await earning();
    // The service imports 1,000 lines at once, so a kill can come in between.
    const count = 2600;
    const lines = Array.from(
      { length: count },
      (_, nth) => `${nth % 2 ? "A1" : "B2"},2026-03-02,100,R-${nth}\n`,
    );
    const name = await file("killed.csv", header + lines.join(""));
    expect(await cli.json(["import", "sales", ...minor, name, ...at])).toMatchObject({ imported: count });
    const command = ["import", "sales", ...minor, name, ...at, ...words, "--earn-imported"];
    const killed = cli.start(command);
    const ended = outcomeOf(killed);
    while ((await pointsOf(id))?.sales === 0 && killed.exitCode === null) await sleep(5);
    killed.kill("SIGKILL");
    await ended;
    // The service goes on with the file, and the same file waits behind it.
    await cli.json(command);
    expect(await pointsOf(id)).toEqual({ points: count, sales: count, entries: count });
    await expectValidLedger({ businessId: id } as never);
  });
});

describe("dates", () => {
  it("before 1900 are rejected", async () => {
    const { at } = await madrid();
    const sales =
      "external_ref,sold_at,amount\nA1,0026-03-02,350\nA1,1899-12-31 23:59,350\nA1,1900-01-01,350\n";
    expect(await importOf("sales", at, sales)).toMatchObject({ imported: 1, rejected: 2 });
    expect(await report("sales.rejected.csv")).toBe(
      "line,field,reason\n2,sold_at,sold_at must be 1900-01-01 or later.\n3,sold_at,sold_at must be 1900-01-01 or later.\n",
    );
    const members = "phone_number,first_name,last_name,joined_at\n+34677777777,Di,Vo,0026-03-02\n";
    expect(await importOf("members", at, members, "--strict")).toMatchObject({ imported: 0, rejected: 1 });
    expect(await report("members.rejected.csv")).toContain("joined_at must be 1900-01-01 or later.");
  });
});

describe("a file of a spreadsheet", () => {
  it("has empty rows, short rows and blanks around values", async () => {
    const { id, at } = await madrid();
    const input =
      "external_ref, sold_at ,amount,reference_id,note\n A1 , 2026-03-02 ,350\n,,,,\n  , ,,,\nB2,2026-03-02,\t420 ,R-2,,,\n;\n".replace(
        ";",
        " ",
      );
    expect(await importOf("sales", at, input, "--strict")).toMatchObject({ imported: 2, rejected: 0 });
    expect(await soldIn(id)).toEqual(["03-02 A1 350", "03-02 B2 420 R-2"]);
    const members = "phone_number,first_name,last_name,email\n+34688888888, Eva ,\u00a0Sol \n,,,\n";
    expect(await importOf("members", at, members, "--strict")).toMatchObject({ imported: 1, rejected: 0 });
    const [member] = await world.sql`
      SELECT first_name, last_name, email FROM member WHERE business_id = ${id} AND phone_number = '+34688888888'`;
    expect(member).toEqual({ first_name: "Eva", last_name: "Sol", email: null });
  });

  it("that is not UTF-8 leaves rejected lines that can be converted", async () => {
    const { at } = await madrid();
    const text =
      "phone_number,first_name,last_name\r\n+34611111112,Eva,Sol\r\n+34611111113,J\xf6rg,Wei\xdf\r\n";
    const name = await file("latin.csv", Buffer.from(text, "latin1"));
    expect((await cli.run(["import", "members", ...minor, name, ...at])).code).toBe(5);
    const lines = await readFile(join(cli.directory, "latin.rejected-lines.csv"), "latin1");
    expect(lines).toBe("phone_number,first_name,last_name\n+34611111113,J\xf6rg,Wei\xdf\n");
    await file("converted.csv", lines);
    expect(await cli.json(["import", "members", ...minor, "converted.csv", ...at])).toMatchObject({
      imported: 1,
    });
    const { data } = await cli.json(["member", "list", ...at, "--search", "Jörg"]);
    expect(data).toMatchObject([{ first_name: "Jörg", last_name: "Weiß" }]);
  });
});
