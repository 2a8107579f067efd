/** Files as other systems export them: their columns, dates and phone numbers, and what the command says about them. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { useCli } from "../support/cli.ts";
import { importTools } from "../support/imports.ts";
import { operatorWrite } from "../support/operator-requests.ts";
import { makeSandbox } from "../support/sandbox.ts";
import { useWorld } from "../support/world.ts";

/** The unit of amounts in these files. A later option replaces it. */
const minor = ["--amount-unit", "minor"];
const world = useWorld();
const cli = useCli(world);
const { expectValidLedger } = importTools(world);

const file = async (name: string, text: string) => {
  await writeFile(join(cli.directory, name), text);
  return name;
};

async function business(...options: string[]) {
  const words = [
    "business",
    "create",
    "--name",
    "Files",
    "--currency",
    "EUR",
    "--time-zone",
    "Europe/Madrid",
  ];
  const { data } = await cli.json([...words, ...options]);
  return { id: data.business_id as number, at: ["--business", String(data.business_id)] };
}

/** Semicolons, a byte order mark, numbers without a plus sign, and days as DD/MM/YYYY. */
const squareLike =
  "\ufeffFirst Name;Surname;Phone Number;Email Address;Creation Date\r\n" +
  "Ana;Ruiz;34600000001;ana@example.com;17/04/2023\r\n" +
  "Bo;;600 000 002;;05/01/2024\r\n" +
  "Cy;Li;'+34600000003;cy@example.com;31/12/2022\r\n" +
  "Di;Vo;;di@example.com;01/02/2023\r\n";

it("a file of members of another system is imported by its preset", async () => {
  const { id, at } = await business();
  const name = await file("export.csv", squareLike);
  const words = ["import", "members", ...minor, name, ...at, "--delimiter", ";", "--from", "square"];
  const plain = await cli.run([...words, "--dry-run"]);
  expect(plain.code).toBe(5);
  expect(plain.err).toMatch(
    /^Columns: first_name from First Name, last_name from Surname, phone_number from Phone Number, email from Email Address, joined_at from Creation Date\.\nThe file is an export of Square, whose columns are known\.\nWhere first_name is empty, it becomes -\.\nWhere last_name is empty, it becomes -\.\nDays of joined_at are DD\/MM\/YYYY \(17\/04\/2023 in line 2\)\.\n/,
  );
  expect(plain.out).toBe(
    "Dry run: 1 new, 0 already imported, 3 rejected. Nothing was written.\n" +
      "Reasons for rejection, with the number of lines:\n" +
      "  2  phone_number must be an international phone number such as +34600111222, with + and the country code; with --country, national numbers are " +
      "understood.\n" +
      "  1  phone_number is required. If another column has numbers, say it with --column other_phone_number=NAME; if not, add them to the file.\n" +
      "The rejected lines and the reasons are listed in export.rejected.csv.\n",
  );
  const better = [...words, "--date-format", "DD/MM/YYYY", "--country", "ES", "--default", "last_name=-"];
  const result = await cli.run([...better, "--json"]);
  expect(JSON.parse(result.out)).toMatchObject({
    imported: 3,
    rejected: 1,
    reasons: [{ reason: expect.stringContaining("phone_number is required. If another"), lines: 1 }],
  });
  const rows = await world.sql`
    SELECT first_name, last_name, phone_number, email, (joined_at AT TIME ZONE 'Europe/Madrid')::text AS joined_at
    FROM member WHERE business_id = ${id} ORDER BY first_name`;
  expect(rows.map((row) => Object.values(row as object))).toEqual([
    ["Ana", "Ruiz", "+34600000001", "ana@example.com", "2023-04-17 00:00:00"],
    ["Bo", "-", "+34600000002", null, "2024-01-05 00:00:00"],
    ["Cy", "Li", "+34600000003", "cy@example.com", "2022-12-31 00:00:00"],
  ]);
});

it("the columns of a file can be called as people call them", async () => {
  const { at } = await business("--country", "ES");
  const members = "First name,Last Name,Phone-Number,External ref\nAna,Ruiz,600 000 001,A1\n";
  const outcome = await cli.run(["import", "members", ...minor, "-", ...at], { input: members });
  expect(outcome).toMatchObject({ code: 0, out: "Imported 1, skipped 0 already imported, rejected 0.\n" });
  expect(outcome.err).toMatch(/^Columns: first_name from First name, .*, external_ref from External ref\.\n/);
  const sales = "External Ref,Sold At,Amount\nA1,03/02/2026 6:30 PM,350\n";
  const words = ["import", "sales", ...minor, "-", ...at, "--date-format", "MM/DD/YYYY"];
  expect(await cli.json(words, { input: sales })).toMatchObject({
    imported: 1,
    sums: { first_day: "2026-03-02", last_day: "2026-03-02" },
  });
});

it("refunds without a reference are left out, and the command says what they come to", async () => {
  const { id, at } = await business();
  await cli.json(["import", "members", ...minor, "-", ...at], {
    input: "phone_number,first_name,last_name,external_ref\n+34600000001,Ana,Ruiz,A1\n",
  });
  const input =
    "external_ref,sold_at,amount\nA1,2026-03-02,35.00\nA1,2026-03-03,-12.50\nA1,2026-03-04,-1000.00\n";
  const words = ["import", "sales", ...minor, "-", ...at, "--amount-unit", "major"];
  const outcome = await cli.run(words, { input });
  expect(outcome).toMatchObject({
    code: 5,
    out: expect.stringContaining(
      "Reasons for rejection, with the number of lines:\n  2  amount is negative. A refund has the reference_id of its sale, and no column was taken for it: name it in columns.\n" +
        "Refunds that were left out: 2 lines, -1,012.50 EUR.\n",
    ),
  });
  expect(await readFile(join(cli.directory, "sales.rejected.csv"), "utf8")).toContain(
    '\n3,amount,"amount is negative. A refund has the reference_id of its sale, and no column was taken for it: name it in columns."\n',
  );
  const entries = await world.sql`SELECT amount FROM ledger_entry WHERE business_id = ${id}`;
  expect(entries).toEqual([{ amount: 3500 }]);
  const again = JSON.parse((await cli.run([...words, "--json"], { input })).out);
  expect(again).toMatchObject({
    skipped: 1,
    rejected: 2,
    notes: ["Refunds that were left out: 2 lines, -1,012.50 EUR."],
  });
});

it("the number form of a file is found from all its amounts, said, and can be set", async () => {
  const { data } = await cli.json(["business", "create", "--name", "Pesos", "--currency", "COP"]);
  const at = ["--business", String(data.business_id)];
  await cli.ok(["import", "members", ...minor, "-", ...at], {
    input: "phone_number,first_name,last_name,external_ref\n+34600000001,Ana,Ruiz,A1\n",
  });
  const run = async (amounts: readonly string[], ...words: string[]) => {
    const lines = amounts.map((amount, nth) => `A1;2026-03-0${nth + 1};${amount}\n`).join("");
    const options = [...at, "--delimiter", ";", "--amount-unit", "major", "--dry-run", ...words];
    const input = `external_ref;sold_at;amount\n${lines}`;
    const { out, err } = await cli.run(["import", "sales", ...minor, "-", ...options], { input });
    return [out.split("\n")[0]?.slice(0, 45), out.split("\n")[1]?.slice(0, 26), err.split("\n")[0]];
  };
  const [read, none] = [
    "Dry run: 2 new, 0 already imported, 0 rejected",
    "Dry run: 1 new, 0 already imported, 1 rejected",
  ];
  const short = (text: string) => text.slice(0, 45);
  // A line of the second place decides what the first one is.
  expect(await run(["12.500", "1.234.500"])).toEqual([
    short(read),
    "Sales of 1,247,000.00 COP ",
    'Amounts have "," before their decimals (1.234.500 in line 3).',
  ]);
  expect(await run(["12.500", "$ 1,234.50"])).toEqual([
    short(read),
    "Sales of 1,247.00 COP in 2",
    'Amounts have "." before their decimals ($ 1,234.50 in line 3).',
  ]);
  expect((await run(["12.500", "8000"]))[0]).toBe(short(none));
  expect((await run(["12.500", "8000"], "--decimal", ","))[1]).toBe("Sales of 20,500.00 COP in ");
  expect(await run(["12,50", "12.50"])).toEqual([
    short(read),
    "Sales of 25.00 COP in 2 li",
    'Some amounts have "," before their decimals (12,50 in line 2), some "." before their decimals (12.50 in line 3).',
  ]);
  expect((await run(["(12.500)", "COP 1.234,50"]))[0]).toBe(short(none));
  expect((await run(["EUR 5", "'901.5"]))[0]).toBe(short(none));
});

it("the delimiter is found over the lines, and a file can be UTF-16 or Windows-1252", async () => {
  const { at } = await business("--country", "ES");
  const text = "Nombre, o alias;Apellido;Teléfono\r\nJosé, Pepe;Núñez;600000001\r\nZoë;Ruiz;6\r\n";
  const columns = ["first_name=Nombre, o alias", "last_name=Apellido", "phone_number=Teléfono"];
  const options = [...at, ...columns.flatMap((column) => ["--column", column])];
  const name = "excel.csv";
  await writeFile(join(cli.directory, name), Buffer.from(`\ufeff${text}`, "utf16le"));
  const dry = JSON.parse(
    (await cli.run(["import", "members", ...minor, name, ...options, "--dry-run", "--json"])).out,
  );
  expect(dry).toMatchObject({ new: 1, rejected: 1 });
  await writeFile(join(cli.directory, name), Buffer.from(text, "latin1"));
  const wrong = await cli.run(["import", "members", ...minor, name, ...at]);
  expect(wrong).toMatchObject({
    code: 1,
    err: expect.stringContaining(
      "Names of columns have letters that can't be read: --encoding Windows-1252 reads",
    ),
  });
  const words = ["import", "members", ...minor, name, ...options, "--encoding", "Windows-1252"];
  expect((await cli.run(words)).code).toBe(5);
  expect(await cli.json(["member", "list", ...at])).toMatchObject({
    data: [{ first_name: "José, Pepe", last_name: "Núñez" }],
  });
  // The rejected lines have the bytes of the file, so the same options read them.
  const left = await readFile(join(cli.directory, "excel.rejected-lines.csv"));
  expect(left.toString("latin1")).toBe("Nombre, o alias;Apellido;Teléfono\nZoë;Ruiz;6\n");
});

it("days that no line makes clear are rejected, with the options that say their form", async () => {
  const { at } = await business("--country", "ES");
  const input = "phone_number,first_name,last_name,joined_at\n600000001,Ana,Ruiz,03/04/2026\n";
  const words = ["import", "members", ...minor, "-", ...at, "--dry-run"];
  const unclear = await cli.run(words, { input });
  expect(unclear.err).toContain(
    "Days of joined_at can be DD/MM/YYYY or MM/DD/YYYY (03/04/2026 in line 2), and none tells which.\n",
  );
  expect(unclear.out).toContain(
    "  1  joined_at must be a day such as 2026-04-17 (say --date-format DD/MM/YYYY or --date-format MM/DD/YYYY).\n",
  );
  const swapped = await cli.run([...words, "--date-format", "MM/DD/YYYY"], {
    input: input.replace("03/04", "17/04"),
  });
  expect(swapped.out).toContain("  1  joined_at must be a day such as 04/17/2026 (MM/DD/YYYY).\n");
  expect(await readFile(join(cli.directory, "members.rejected.csv"), "utf8")).toContain(
    "17/04/2026 is DD/MM/YYYY",
  );
});

it("a dry run says what becomes of the points of a file", async () => {
  const { at } = await business();
  const input = "phone_number,first_name,last_name,points_balance\n+34600000001,Ana,Ruiz,120\n";
  const dry = ["import", "members", ...minor, "-", ...at, "--dry-run"];
  expect((await cli.run(dry, { input })).out).toContain(
    "\nThe points would never expire. To let them expire, add --points-valid-through DAY.\n",
  );
  expect((await cli.run([...dry, "--points-valid-through", "2990-12-31"], { input })).out).toContain(
    "\nThe points could be spent until 2990-12-31.\n",
  );
  for (const [day, problem] of [
    ["2020-01-01", "must not be in the past"],
    ["9999-12-31", "must be before 9999-12-31"],
  ] as const) {
    const outcome = await cli.run([...dry, "--points-valid-through", day], { input });
    expect(outcome).toMatchObject({ code: 2, err: expect.stringContaining(problem) });
  }
});

it("imported points expire after their last day, are spent before it, and can be extended", async () => {
  const shop = await makeSandbox(world, "2026-01-10");
  const { businessId: business_id } = shop;
  const at = ["--business", String(business_id)];
  const input =
    "phone_number,first_name,last_name,points_balance\n+34600000001,Ana,Ruiz,120\n+34600000002,Bo,Li,\n";
  const words = ["import", "members", ...minor, "-", ...at, "--points-valid-through", "2026-03-31"];
  expect(await cli.json(words, { input })).toMatchObject({ imported: 2 });
  expect(await cli.json(words, { input })).toMatchObject({ imported: 0, skipped: 2 });
  const [{ contact_id }] = await shop.ask("/sp/members/list", { search: "Ana" });
  const balances = () => shop.ask("/sp/members/balances", { contact_id });
  expect(await balances()).toMatchObject({
    points: 120,
    points_expiring: [{ valid_through: "2026-03-31", points: 120 }],
  });
  expect(await shop.ask("/sp/reward-points/list", { contact_id })).toEqual([
    {
      source: "by_hand",
      sale_id: null,
      occasion_id: null,
      reference_id: null,
      earned_on: "2026-01-10",
      points: 120,
      clawed: 0,
      used: 0,
      expired: 0,
      left: 120,
      status: "available",
      matures_on: "2026-01-10",
      valid_through: "2026-03-31",
    },
  ]);
  await shop.write("/sp/reward-points/redeem", { contact_id, points: 20 });
  await shop.advance("2026-03-31");
  expect(await balances()).toMatchObject({ points: 100 });
  const range = { business_id, due_before: "2026-04-01", valid_through: "2026-04-30" };
  expect(await operatorWrite(world, "/op/reward-points/extend", range)).toMatchObject({
    lots: 1,
    points: 100,
  });
  await shop.advance("2026-05-01");
  expect(await balances()).toMatchObject({ points: 0, points_expiring: [] });
  expect(await shop.ask("/sp/transactions/list", { contact_id })).toMatchObject([
    { event_type: "reward_points_expired", amount: -100 },
    { event_type: "reward_points_redeemed", amount: -20 },
    { event_type: "reward_points_adjustment", amount: 120, reference_id: "opening-balance" },
  ]);
  await expectValidLedger({ businessId: business_id } as never);
  await cli.ok(["member", "erase", ...at, String(contact_id), "--yes"]);
  await expectValidLedger({ businessId: business_id } as never);
});

it("names of locations are listed once, and mapped or left out; a time and a name have columns of their own", async () => {
  const { id, at } = await business("--country", "ES");
  await cli.ok(["import", "members", ...minor, "-", ...at, "--column", "other_phone_number=Mobile"], {
    input: "Name,Phone,Mobile\nAna María Ruiz,,600 000 001\n",
  });
  const location = { business_id: id, name: "Main Street" };
  const { location_id } = await operatorWrite(world, "/op/locations/create", location);
  const input =
    "Phone,Date,Time,Total,Location\n600000001,2026-03-02,9:30 PM,350,Main St\n" +
    "600000001,2026-03-03,08:00,100,Web\n,2026-03-03,08:00,100,Web\n";
  const words = [
    "import",
    "sales",
    ...minor,
    "-",
    ...at,
    "--column",
    "sold_at=Date",
    "--column",
    "amount=Total",
  ];
  const first = await cli.run([...words, "--dry-run"], { input });
  expect(first.code).toBe(5);
  expect(first.err.replaceAll(/\s+/g, " ")).toContain(
    'Names that are no location\'s: "Web" (2 lines), "Main St" (1 line). Say what they mean with --location-name NAME=ID (loyalty location list shows them), ' +
      "or --location-name NAME= to leave their lines out.",
  );
  const names = ["--location-name", `main st = ${location_id}`, "--location-name", "Web="];
  const { out } = await cli.run([...words, ...names], { input });
  expect(out).toMatch(/^Imported 1, skipped 0 already imported, rejected 0, left out 2\.\n/);
  expect(out).toContain("Left out: 2 lines of the location Web.\n");
  const wrong = await cli.run([...words, "--location-name", "Web=here"], { input });
  expect(wrong.err).toContain('--location-name Web=here must have a name and a location_id: "Main St=3".');
});

it("several lines of a receipt are one sale with --join-lines, and a later refund is of it", async () => {
  const { id, at } = await business("--country", "ES");
  await cli.ok(["import", "members", ...minor, "-", ...at], {
    input: "Name,Phone,external_ref\nAna Ruiz,600000001,A1\n",
  });
  const input =
    "external_ref,sold_at,amount,reference_id\nA1,2026-03-04,-2.50,R-1\nA1,2026-03-02,10.00,R-1\n,,2.50,R-1\n";
  const words = ["import", "sales", ...minor, "-", ...at, "--amount-unit", "major", "--join-lines"];
  const { code, out } = await cli.run(words, { input });
  expect([code, out]).toEqual([
    0,
    "Imported 2, skipped 0 already imported, rejected 0.\n" +
      "Sales of 12.50 EUR in 1 line, on 2026-03-02, the smallest 12.50, the largest 12.50.\n" +
      "Lines that were added to the receipt of the line before: 1.\nRefunds: 1 line, -2.50 EUR.\n",
  ]);
  const entries =
    await world.sql`SELECT amount FROM ledger_entry WHERE business_id = ${id} ORDER BY entry_no`;
  expect(entries).toEqual([{ amount: 1250 }, { amount: -250 }]);
});
