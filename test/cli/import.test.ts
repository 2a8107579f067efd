/** Imports: every line once, whatever happens, and every line that is not imported accounted for. */
import { lstat, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { holdMoveLock } from "../../src/database/moving.ts";
import { outcomeOf, useCli } from "../support/cli.ts";
import { useWorld } from "../support/world.ts";

/** The unit of amounts in these files. A later option replaces it. */
const minor = ["--amount-unit", "minor"];
const world = useWorld();
const cli = useCli(world);

/** A business of its own for a test, in dollars. */
async function newBusiness(): Promise<{ id: number; at: string[] }> {
  const { data } = await cli.json(["business", "create", "--name", "Import", "--currency", "USD"]);
  return { id: data.business_id, at: ["--business", String(data.business_id)] };
}

const file = async (name: string, text: string | Buffer) => {
  await writeFile(join(cli.directory, name), text);
  return name;
};
const report = (name: string) => readFile(join(cli.directory, name), "utf8");

interface Sold {
  readonly entries: number;
  readonly sum: number;
}

async function salesOf(businessId: number): Promise<Sold> {
  const [sold] = await world.sql<Sold[]>`
    SELECT count(*) AS entries, coalesce(sum(amount), 0)::bigint AS sum FROM ledger_entry
    WHERE business_id = ${businessId} AND event_type = 'sale'`;
  return sold as Sold;
}

/** Members M1 to Mn, by external_ref. */
const memberLines = (count: number) =>
  Array.from(
    { length: count },
    (_, at) => `+1555${String(at + 1).padStart(7, "0")},Member,No ${at + 1},M${at + 1}\n`,
  ).join("");
const memberHeader = "phone_number,first_name,last_name,external_ref\n";

async function withMembers(count: number) {
  const business = await newBusiness();
  const input = memberHeader + memberLines(count);
  expect(await cli.json(["import", "members", ...minor, "-", ...business.at], { input })).toMatchObject({
    imported: count,
  });
  return business;
}

it("sales that earn become sales, at the location of the command where a line names none", async () => {
  const { at } = await withMembers(1);
  const { data: location } = await cli.json(["location", "create", ...at, "--name", "Shop"]);
  const name = await file("history.csv", "external_ref,sold_at,amount\nM1,2024-03-01,2599\n");
  const words = ["import", "sales", ...minor, name, ...at, "--earn"];
  expect(await cli.run(words)).toMatchObject({ code: 5, out: expect.stringContaining("rejected 1") });
  expect(await report("history.rejected.csv")).toContain("location_id is required where sales earn points.");
  const placed = [...words, "--location", String(location.location_id)];
  expect(await cli.json(placed)).toMatchObject({ imported: 1, rejected: 0 });
  const exported = await cli.run(["export", "sales", ...at, "--format", "ndjson"]);
  expect(JSON.parse(exported.out)).toMatchObject({
    amount: 2599,
    location_id: location.location_id,
    sold_on: "2024-03-01",
  });
});

describe("members", () => {
  it("come with balances and dates, from columns of any name", async () => {
    const { id, at } = await newBusiness();
    const name = await file(
      "crm.csv",
      "\ufeffId;Mobile;First;Last;Mail;Born;Since;Purse;Stars;Note\r\n" +
        'C-1;+34600000001;Ana;"López; Ruiz";ana@example.com;19900417;2020-02-29;12.50;120;"two\r\nlines"\r\n' +
        "C-2;+34600000002;Bo;Li;;;;;;\r\n",
    );
    const columns = [
      ...["phone_number=Mobile", "first_name=First", "last_name=Last", "external_ref=Id", "email=Mail"],
      ...["date_of_birth=Born", "joined_at=Since", "wallet_balance=Purse", "points_balance=Stars"],
    ].flatMap((column) => ["--column", column]);
    const outcome = await cli.run([
      "import",
      "members",
      name,
      ...at,
      "--delimiter",
      ";",
      "--amount-unit",
      "major",
      ...columns,
    ]);
    expect(outcome).toMatchObject({
      code: 0,
      out:
        "Imported 2, skipped 0 already imported, rejected 0.\n" +
        "Opening balances of 12.50 USD and 120 points in 1 line, the largest in a wallet 12.50.\n",
    });
    expect(outcome.err).toMatch(
      /^Columns: first_name from First, .*, points_balance from Stars\.\nColumns that are not imported: Note\.\nRecords of several lines: 1, such as lines 2 to 3\. .*\nAmounts have "\." before their decimals \(12\.50 in line 2\)\.\n2 lines in /,
    );
    const exported = await cli.ok(["export", "members", ...at, "--format", "ndjson"]);
    const [ana, bo] = exported
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(ana).toMatchObject({
      first_name: "Ana",
      last_name: "López; Ruiz",
      email: "ana@example.com",
      date_of_birth: "1990-04-17",
      external_ref: "C-1",
      wallet_balance: 1250,
      points_balance: 120,
      joined_at: "2020-02-29 00:00:00",
    });
    expect(bo).toMatchObject({ external_ref: "C-2", email: null, wallet_balance: 0, active: true });
    expect(await salesOf(id)).toEqual({ entries: 0, sum: 0 });
  });

  it("that are already there are skipped by their reference, and rejected without one", async () => {
    const { at } = await withMembers(3);
    const input = `${memberHeader}${memberLines(4)}+15550000001,Same,Phone,\n`;
    const outcome = await cli.run(["import", "members", ...minor, "-", ...at, "--json"], { input });
    expect(outcome.code).toBe(5);
    expect(JSON.parse(outcome.out)).toMatchObject({ imported: 1, skipped: 3, rejected: 1 });
    expect(await report("members.rejected.csv")).toBe(
      "line,field,reason\n6,phone_number,phone_number is another member's.\n",
    );
  });
});

describe("sales", () => {
  it("come from a file separated by blanks, without a header, by options alone", async () => {
    const { id, at } = await withMembers(2);
    const name = await file(
      "till.txt",
      " 00004 M1 19970101  2   29.33\r\n 00004 M1 19970118  2   29.73\r\n 00021 M2 19970802  1    0.10\r\n",
    );
    const words = [
      "import",
      "sales",
      name,
      ...at,
      "--delimiter",
      "whitespace",
      "--no-header",
      "--amount-unit",
      "major",
    ];
    expect(await cli.json([...words, "--columns", "-,external_ref,sold_at,-,amount"])).toEqual({
      dry_run: false,
      left_out: 0,
      new: 3,
      imported: 3,
      skipped: 0,
      rejected: 0,
      without_points: 0,
      points_added: 0,
      report: null,
      rejected_lines: null,
      interrupted: false,
      sums: {
        kind: "sales",
        currency: "USD",
        lines: 3,
        amount: 2933 + 2973 + 10,
        smallest: 10,
        largest: 2973,
        points: 0,
        first_day: "1997-01-01",
        last_day: "1997-08-02",
      },
      notes: [expect.stringMatching(/^Sales of 59\.16 USD in 3 lines, /)],
    });
    expect(await salesOf(id)).toEqual({ entries: 3, sum: 2933 + 2973 + 10 });
    const { data } = await cli.json(["transaction", "list", ...at]);
    expect(data.map(({ created_at, amount }: Record<string, unknown>) => [created_at, amount])).toEqual([
      ["1997-08-02 00:00:00", 10],
      ["1997-01-18 00:00:00", 2973],
      ["1997-01-01 00:00:00", 2933],
    ]);
  });

  it("land but for bad lines, which the report names with field and reason", async () => {
    const { id, at } = await withMembers(1);
    const lines = [
      "external_ref,sold_at,amount,location_id,reference_id",
      "M1,2025-01-01,100,,",
      "M2,2025-01-01,100,,",
      "M1,2025-02-30,2000000000000,,",
      "M1,2025-01-01,1.5,,",
      "M1,2025-01-01,100,99999999,",
      "M1,2999-01-01,100,,",
      "M1,2025-01-01",
      ",2025-01-01,100,,",
      'M1,2025-01-02,200,,"with ""quotes"", and a comma"',
    ];
    const name = await file("mixed.csv", `${lines.join("\n")}\n`);
    const outcome = await cli.run(["import", "sales", ...minor, name, ...at]);
    expect(outcome.code).toBe(5);
    expect(outcome.out).toBe(
      "Imported 2, skipped 0 already imported, rejected 6, left out 1.\n" +
        "Sales of 3.00 USD in 2 lines, from 2025-01-01 to 2025-01-02, the smallest 1.00, the largest 2.00.\n" +
        "Reasons for rejection, with the number of lines:\n" +
        "  1  amount must be a whole number of minor units (--amount-unit major reads amounts such as 12.50).\n" +
        "  1  external_ref names no member.\n" +
        "  1  sold_at must be a day or a time that exists, as YYYY-MM-DD or YYYY-MM-DD HH:MM:SS.\n" +
        "  1  amount must be at most 1000000000000.\n" +
        "  1  location_id names no location.\n" +
        "  1  sold_at must not be in the future.\n" +
        "  1  amount is required.\n" +
        "Left out: 1 line without a customer.\n" +
        "The rejected lines and the reasons are listed in mixed.rejected.csv.\n" +
        "The lines themselves are in mixed.rejected-lines.csv. Fix them, and import that file with the same options.\n",
    );
    expect((await report("mixed.rejected.csv")).split("\n")).toEqual([
      "line,field,reason",
      "3,external_ref,external_ref names no member.",
      expect.stringMatching(/^4,sold_at,"sold_at must be a day or a time that exists/),
      "4,amount,amount must be at most 1000000000000.",
      "5,amount,amount must be a whole number of minor units (--amount-unit major reads amounts such as 12.50).",
      "6,location_id,location_id names no location.",
      "7,sold_at,sold_at must not be in the future.",
      "8,amount,amount is required.",
      "",
    ]);
    expect(await salesOf(id)).toEqual({ entries: 2, sum: 300 });
    // Under its header, as they stood there: mended, they come in, and so does nothing else.
    const rejected = await report("mixed.rejected-lines.csv");
    expect(rejected).toBe(`${lines.toSpliced(8, 2).toSpliced(1, 1).join("\n")}\n`);
    await file("mixed.rejected-lines.csv", rejected.replace("1.5", "15").replace("M2", "M1"));
    const again = await cli.run(["import", "sales", ...minor, "mixed.rejected-lines.csv", ...at]);
    expect(again.out).toMatch(/^Imported 1, skipped 1 already imported, rejected 4\.\n/);
    expect(await salesOf(id)).toEqual({ entries: 3, sum: 315 });
  });

  it("leave lines behind that read like the file they are of", async () => {
    const { id, at } = await withMembers(1);
    const text = 'M2;2025-01-01;"a;b";1\nM1;2025-01-01;5" nails;2\nM3;2025-01-01;5" nails;3\n';
    const name = await file("reading.csv", text);
    const words = ["--delimiter", ";", "--no-header", "--columns", "external_ref,sold_at,-,amount"];
    expect((await cli.run(["import", "sales", ...minor, name, ...at, ...words])).code).toBe(5);
    const lines = await report("reading.rejected-lines.csv");
    expect(lines).toBe('M2;2025-01-01;"a;b";1\nM3;2025-01-01;5" nails;3\n');
    await file("reading.rejected-lines.csv", lines.replaceAll(/M[23]/g, "M1"));
    await cli.ok(["import", "sales", ...minor, "reading.rejected-lines.csv", ...at, ...words]);
    const blanks = await file("blanks.txt", '  M2   "20250101"  4 \n');
    const options = ["--delimiter", "whitespace", "--no-header", "--columns", "external_ref,sold_at,amount"];
    expect((await cli.run(["import", "sales", ...minor, blanks, ...at, ...options])).code).toBe(5);
    expect(await report("blanks.rejected-lines.csv")).toBe('  M2   "20250101"  4 \n');
    expect(await salesOf(id)).toEqual({ entries: 3, sum: 6 });
  });

  it("of too much are rejected in the units of the file, and those of nothing left out", async () => {
    const { at } = await withMembers(1);
    const input = "external_ref,sold_at,amount\nM1,2025-01-01,20000000000.00\nM1,2025-01-01,0.00\n";
    const words = ["import", "sales", ...minor, "-", ...at, "--amount-unit", "major"];
    expect((await cli.run(words, { input })).out).toContain("Left out: 1 line with an amount of 0.");
    expect(await report("sales.rejected.csv")).toBe(
      'line,field,reason\n2,amount,"amount must be at most 10,000,000,000.00."\n',
    );
  });

  it("with a known reference and another amount are rejected, and for all their reasons at once", async () => {
    const { id, at } = await withMembers(1);
    const header = "external_ref,sold_at,amount,reference_id\n";
    const run = (input: string) =>
      cli.run(["import", "sales", ...minor, "-", ...at, "--amount-unit", "major"], { input: header + input });
    expect((await run("M1,2025-01-01,12.50,R-1\n")).code).toBe(0);
    const again = await run("M1,2025-01-01,12.50,R-1\nM1,2025-01-01,1300.00,R-1\nM9,2999-01-01,five,R-2\n");
    expect(again.out).toMatch(/^Imported 0, skipped 1 already imported, rejected 2\.\n/);
    expect(await report("sales.rejected.csv")).toBe(
      "line,field,reason\n" +
        '3,amount,"amount is 1,300.00, but reference_id R-1 was imported with 12.50."\n' +
        "4,amount,amount must be an amount such as 12.50.\n" +
        "4,external_ref,external_ref names no member.\n" +
        "4,sold_at,sold_at must not be in the future.\n",
    );
    expect(await salesOf(id)).toEqual({ entries: 1, sum: 1250 });
  });

  it("are imported once, however often and in whatever state the file comes", async () => {
    const { id, at } = await withMembers(1);
    const line = "M1,2025-03-01,500\n";
    const header = "external_ref,sold_at,amount\n";
    const run = (input: string) => cli.json(["import", "sales", ...minor, "-", ...at], { input });
    expect(await run(header + line + line)).toMatchObject({ imported: 2, skipped: 0 });
    expect(await run(header + line + line)).toMatchObject({ imported: 0, skipped: 2 });
    // It has grown, and its line ends are other ones.
    expect(await run((header + line + line + line).replaceAll("\n", "\r\n"))).toMatchObject({
      imported: 1,
      skipped: 2,
    });
    expect(await salesOf(id)).toEqual({ entries: 3, sum: 1500 });
  });

  it("that were mended, inserted or appended are all that a file run again brings", async () => {
    const { id, at } = await withMembers(2);
    const header = "external_ref,sold_at,amount\n";
    const lines = [1, 2, 3, 3, 3, 4, 5].map((amount) => `M1,2025-03-01,${amount}\n`);
    const run = async (some: readonly string[], ...words: string[]) => {
      const { out } = await cli.run(["import", "sales", ...minor, "-", ...at, "--json", ...words], {
        input: header + some.join(""),
      });
      return JSON.parse(out);
    };
    expect(await run(lines.with(1, "M1,2025-03-01,two\n"))).toMatchObject({ imported: 6, rejected: 1 });
    expect(await run(lines)).toMatchObject({ imported: 1, skipped: 6, rejected: 0 });
    const sorted = [...lines, "M2,2025-03-01,9\n", "M1,2025-03-01,3\n"].toReversed();
    expect(await run(sorted)).toMatchObject({ imported: 2, skipped: 7 });
    expect(await salesOf(id)).toEqual({ entries: 9, sum: 21 + 9 + 3 });
    // Of another till, whose lines are known to be others.
    expect(await run(lines, "--batch", "till-2")).toMatchObject({ imported: 7, skipped: 0 });
    expect(await run(lines, "--batch", "till-2")).toMatchObject({ imported: 0, skipped: 7 });
    expect((await salesOf(id)).entries).toBe(16);
  });

  it("are imported once by their reference_id, from files that overlap", async () => {
    const { id, at } = await withMembers(1);
    const header = "external_ref,sold_at,amount,reference_id\n";
    const lines = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, step) => `M1,2025-03-01,100,R-${from + step}\n`).join("");
    const run = (input: string) =>
      cli.json(["import", "sales", ...minor, "-", ...at], { input: header + input });
    expect(await run(lines(0, 3000))).toMatchObject({ imported: 3000, skipped: 0 });
    expect(await run(lines(2000, 3500) + lines(3400, 3500))).toMatchObject({ imported: 500, skipped: 1100 });
    expect(await salesOf(id)).toEqual({ entries: 3500, sum: 350_000 });
  });

  it("go on after the command was killed, stop at Ctrl-C, and are imported once in all", async () => {
    const { id, at } = await withMembers(20);
    const total = 27_000;
    const lines = Array.from({ length: total }, (_, at) => `M${(at % 20) + 1},2025-04-01,${(at % 7) + 1}\n`);
    const sum = lines.reduce((so, line) => so + Number(line.split(",")[2]), 0);
    const name = await file("long.csv", `external_ref,sold_at,amount\n${lines.join("")}`);
    const words = ["import", "sales", ...minor, name, ...at];
    const landed = async (entries: number) => {
      while ((await salesOf(id)).entries < entries) await new Promise((go) => setTimeout(go, 5));
    };
    const killed = cli.start(words);
    const gone = outcomeOf(killed);
    await landed(1);
    killed.kill("SIGKILL");
    await gone;
    // The job of the service goes on without the command.
    await landed(total);
    expect(await salesOf(id)).toEqual({ entries: total, sum });

    const interrupted = cli.start([...words, "--batch", "again"]);
    const ended = outcomeOf(interrupted);
    await landed(total + 1);
    await world.sql.begin(async (tx) => {
      // The next lines wait for the ledger until the signal has come.
      await tx`SELECT FROM ledger WHERE business_id = ${id} FOR UPDATE`;
      interrupted.kill("SIGINT");
      const isCancelled = async () =>
        (
          await world.sql`
          SELECT FROM import_job WHERE business_id = ${id} AND state = 'cancelled'`
        ).length > 0;
      while (!(await isCancelled())) await new Promise((go) => setTimeout(go, 5));
    });
    const { code, out, err } = await ended;
    expect(code).toBe(130);
    expect(out).toMatch(/^Imported [\d,]+, skipped 0 already imported, rejected 0\.\nSales of .*\n$/);
    expect(err).toMatch(
      /To continue, run the same command again: lines that are already imported are skipped\.\nInterrupted\.\n$/,
    );
    const before = await salesOf(id);
    expect(await cli.json([...words, "--batch", "again"])).toMatchObject({
      imported: 2 * total - before.entries,
      skipped: before.entries - total,
    });
    expect(await salesOf(id)).toEqual({ entries: 2 * total, sum: 2 * sum });
  });

  it("are not imported when the command is interrupted while they are checked", async () => {
    const { id, at } = await withMembers(1);
    const name = await file("checked.csv", "external_ref,sold_at,amount\nM1,2025-03-01,500\n");
    const job = async () => {
      const [row] = await world.sql<{ state: string }[]>`
        SELECT state FROM import_job WHERE business_id = ${id} AND file_name = ${name}`;
      return row?.state;
    };
    await world.sql.begin(async (tx) => {
      // The check of sales waits for the ledger, which is locked before the command can reach it.
      await tx`SELECT FROM ledger WHERE business_id = ${id} FOR UPDATE`;
      const child = cli.start(["import", "sales", ...minor, name, ...at]);
      const ended = outcomeOf(child);
      while ((await job()) !== "checking") await new Promise((go) => setTimeout(go, 5));
      child.kill("SIGINT");
      expect(await ended).toMatchObject({ code: 130, out: "" });
    });
    expect(await job()).toBe("cancelled");
    expect(await salesOf(id)).toEqual({ entries: 0, sum: 0 });
  });

  it.each(["SIGINT", "SIGTERM"] as const)(
    "stop at %s also while standard input says nothing",
    async (signal) => {
      const { at } = await withMembers(1);
      const child = cli.start(["import", "sales", ...minor, "-", ...at]);
      const ended = outcomeOf(child);
      child.stdin.write("external_ref,sold_at,amount,note\nM1,2025-03-01,500,\n");
      // Its drafts of reports are there when it reads.
      const isDraft = (name: string) => /^sales\.rejected.*\.part$/.test(name);
      while (!(await readdir(cli.directory)).some(isDraft)) await new Promise((go) => setTimeout(go, 5));
      await new Promise((go) => setTimeout(go, 500));
      child.kill(signal);
      expect(await ended).toEqual({ code: 130, out: "", err: "Interrupted.\n" });
      expect((await readdir(cli.directory)).filter(isDraft)).toEqual([]);
    },
  );
});

it("an import that fails on the way says that what was imported stays", async () => {
  const { id, at } = await newBusiness();
  const name = await file(
    "moving.csv",
    "phone_number,first_name,last_name,wallet_balance\n+15550000001,Ana,Li,500\n",
  );
  // A move without a command that lives would end by itself.
  const mover = await world.sql.reserve();
  await holdMoveLock(mover, "pause", id);
  const running = await world.sql.begin(async (tx) => {
    // Only opening balances need the ledger, so the check does not wait for it.
    await tx`SELECT FROM ledger WHERE business_id = ${id} FOR UPDATE`;
    const outcome = cli.run(["import", "members", ...minor, name, ...at]);
    const state = async () =>
      (await world.sql`SELECT state FROM import_job WHERE business_id = ${id}`)[0]?.state;
    while ((await state()) !== "importing") await new Promise((go) => setTimeout(go, 5));
    await tx`UPDATE ledger SET move_state = 'leaving', move_database = gen_random_uuid() WHERE business_id = ${id}`;
    return { outcome };
  });
  expect(await running.outcome).toMatchObject({
    code: 1,
    err: expect.stringMatching(/The business moves to another database\..*\nWhat was imported stays\./),
  });
  mover.cut();
});

describe("the report", () => {
  const header = "external_ref,sold_at,amount\n";
  const good = "M1,2025-03-01,5\n";
  const bad = "M9,2025-03-01,5\n";
  const run = (at: string[], ...words: string[]) => cli.run(["import", "sales", ...minor, ...words, ...at]);

  it("is not the file to import, and takes the place of no other", async () => {
    const { id, at } = await withMembers(1);
    const name = await file("own.csv", header + good + bad);
    const own = { code: 2, out: "", err: "--report is the file to import: name another.\n" };
    expect(await run(at, name, "--report", name)).toEqual(own);
    expect(await run(at, name, "--report", `./${name}`, "--strict")).toEqual(own);
    await file("letter.txt", "Dear reader,\n");
    const other = await run(at, name, "--report", "letter.txt");
    expect(other).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^letter\.txt is there already, and not/),
    });
    expect(await report("letter.txt")).toBe("Dear reader,\n");
    expect(await salesOf(id)).toEqual({ entries: 0, sum: 0 });
    expect(await report(name)).toBe(header + good + bad);
  });

  it("that can't be written is found before anything is imported", async () => {
    const { id, at } = await withMembers(1);
    const name = await file("late.csv", header + good + bad);
    await mkdir(join(cli.directory, "folder.csv"));
    for (const [place, why] of [
      ["no/such/place.csv", "can't be written (ENOENT)"],
      ["folder.csv", "exists and is not a regular file"],
    ] as const) {
      const { code, err } = await run(at, name, "--report", place);
      expect([code, err]).toEqual([2, expect.stringContaining(`${place} ${why}`)]);
      expect(err).toContain("name another place with --report");
    }
    expect(await salesOf(id)).toEqual({ entries: 0, sum: 0 });
  });

  it("follows no link, and is for its owner's eyes only, whatever lay in its place", async () => {
    const { at } = await withMembers(1);
    const target = await file("target.csv", "");
    await symlink(target, join(cli.directory, "linked.rejected.csv"));
    await run(at, await file("linked.csv", header + bad));
    expect(await report(target)).toBe("");
    for (const name of ["linked.rejected.csv", "linked.rejected-lines.csv"]) {
      expect((await lstat(join(cli.directory, name))).mode & 0o170777).toBe(0o100600);
    }
  });

  it("of an import before is gone when nothing was rejected, and so are drafts", async () => {
    const { at } = await withMembers(1);
    const name = await file("twice.csv", header + good + bad);
    const left = async () => (await readdir(cli.directory)).filter((found) => /^twice\./.test(found)).sort();
    expect((await run(at, name)).code).toBe(5);
    expect(await left()).toEqual(["twice.csv", "twice.rejected-lines.csv", "twice.rejected.csv"]);
    await file("twice.csv", header + good);
    expect((await run(["--business", "99999"], name)).code).toBe(1);
    expect(await left()).toHaveLength(3);
    expect((await run(at, name)).code).toBe(0);
    expect(await left()).toEqual(["twice.csv"]);
  });
});

describe("a strict import", () => {
  it("imports none when one line is wrong, from standard input too", async () => {
    const { id, at } = await withMembers(1);
    const good = "M1,2025-03-01,500\n".repeat(2500);
    const input = `external_ref,sold_at,amount\n${good}M1,2025-03-01,2000000000000\n`;
    const words = ["import", "sales", ...minor, "-", ...at, "--strict", "--report", "strict.csv"];
    const outcome = await cli.run(words, { input });
    expect(outcome).toMatchObject({
      code: 5,
      out:
        "Nothing was imported: 2,500 new, 0 already imported, 1 rejected.\n" +
        "Sales of 12,500.00 USD in 2,500 lines, on 2025-03-01, the smallest 5.00, the largest 5.00.\n" +
        "Reasons for rejection, with the number of lines:\n  1  amount must be at most 1000000000000.\n" +
        "The sales would earn no points. To let them earn, add --earn.\n" +
        "The rejected lines and the reasons are listed in strict.csv.\n",
    });
    expect(await report("strict.csv")).toContain("\n2502,amount,");
    expect(await salesOf(id)).toEqual({ entries: 0, sum: 0 });
    expect(await cli.json(words, { input: input.replace(",2000000000000\n", ",1\n") })).toMatchObject({
      imported: 2501,
    });
  });

  it("finds members that are the same, far apart in the file", async () => {
    const { id, at } = await newBusiness();
    const name = await file(
      "twins.csv",
      `${memberHeader}${memberLines(4500)}+15550000007,Same,Phone,T-1\n+15559999999,Other,One,T-2\n`,
    );
    const outcome = await cli.run(["import", "members", ...minor, name, ...at, "--strict"]);
    expect(outcome.code).toBe(5);
    expect(await report("twins.rejected.csv")).toBe(
      "line,field,reason\n4502,phone_number,phone_number is the same as in line 8.\n",
    );
    const [{ members }] = await world.sql<[{ members: number }]>`
      SELECT count(*) AS members FROM member WHERE business_id = ${id}`;
    expect(members).toBe(0);
  });
});

it("a dry run says what would happen, and does nothing", async () => {
  const { id, at } = await withMembers(1);
  const input = "external_ref,sold_at,amount\nM1,2025-03-01,500\nM9,2025-03-01,500\n";
  const words = ["import", "sales", ...minor, "-", ...at, "--dry-run"];
  const { code, out } = await cli.run(words, { input });
  expect([code, ...out.split("\n").slice(0, 2)]).toEqual([
    5,
    "Dry run: 1 new, 0 already imported, 1 rejected. Nothing was written.",
    "Sales of 5.00 USD in 1 line, on 2025-03-01, the smallest 5.00, the largest 5.00.",
  ]);
  expect(await salesOf(id)).toEqual({ entries: 0, sum: 0 });
});

it("a dry run finds members that are the same, far apart in the file, and ends with a plain sentence", async () => {
  const { at } = await withMembers(2500);
  const words = ["import", "members", ...minor, "-", ...at, "--dry-run"];
  const known = memberHeader + memberLines(2500);
  expect((await cli.run(words, { input: known })).out).toBe(
    "Dry run: 0 new, 2,500 already imported, 0 rejected. Nothing was written.\n",
  );
  const header = `${memberHeader}+15559999999,Other,One,T-1\n`;
  const input = `${known.replace(memberHeader, header)}+15559999999,Same,Phone,T-2\n`;
  const { code, out } = await cli.run(words, { input });
  expect(code).toBe(5);
  expect(out).toMatch(/^Dry run: 1 new, 2,500 already imported, 1 rejected\. Nothing was written\.\n/);
  expect(await report("members.rejected.csv")).toBe(
    "line,field,reason\n2503,phone_number,phone_number is the same as in line 2.\n",
  );
});

describe("is rejected", () => {
  const rejections: [what: string, words: string[], input: string, code: number, err: RegExp][] = [
    ["a file that is not there", ["sales", "none.csv"], "", 2, /^none\.csv can't be read \(ENOENT\)\.\n$/],
    ["a directory", ["sales", "."], "", 2, /^\. is a directory\.\n$/],
    ["nothing", ["sales", "-"], "", 1, /^The file has no line to import\.\n/],
    [
      "a file with another delimiter",
      ["sales", "-", "--delimiter", ","],
      "external_ref;sold_at;amount\n",
      1,
      /^With this delimiter, line 1 has only one column: external_ref;sold_at;amount Try --delimiter ";"\.\n/,
    ],
    [
      "a file with tabs, showing no control characters",
      ["sales", "-", "--delimiter", ","],
      "external_ref\tsold_at\tamount\u001b[2J\n",
      1,
      /^With this delimiter, line 1 has only one column: external_ref\ufffdsold_at\ufffdamount\ufffd\[2J Try --delimiter tab\.\n/,
    ],
    [
      "a file with blanks and without a header",
      ["sales", "-", "--no-header", "--columns", "external_ref,sold_at,amount"],
      " M1 20250101  5\n",
      1,
      /Try --delimiter whitespace\.\n/,
    ],
    [
      "a file that is no text",
      ["sales", "-"],
      "a\u0000\u0000",
      1,
      /^The file is not text: it contains NUL bytes\. /,
    ],
    [
      "an archive that is cut off",
      ["sales", "-"],
      "PK\u0003\u0004\u0000\u0000",
      1,
      /^The zip archive has no file\.\n/,
    ],
    [
      "a file without a required column",
      ["sales", "-"],
      "external_ref,amount\n",
      1,
      /^There is no column for sold_at\. The columns are: external_ref, amount\. Name the column with --column FIELD=NAME\. .* add --no-header, and name columns by their numbers \(--column amount=3\)/,
    ],
    [
      "a file without a header whose columns are not named",
      ["sales", "-", "--no-header"],
      "x,y\n",
      1,
      /^Columns that are not imported: 1: x, 2: y\.\nThere is no column for .*\. The first line is not a header, so columns have numbers\. .* Name the column by its number with --column FIELD=1\./,
    ],
    [
      "names of columns for a file with a header",
      ["sales", "-", "--columns", "external_ref,sold_at,amount"],
      "x\n",
      2,
      /^--columns needs --no-header\./,
    ],
    [
      "a field that there is not",
      ["members", "-", "--column", "age=Age"],
      "x\n",
      2,
      /^--column: no field is named "age"\.\nThe fields are: /,
    ],
    [
      "a delimiter of two characters",
      ["sales", "-", "--delimiter", "::"],
      "",
      2,
      /^Some fields are missing or invalid\.\n--delimiter must look like ;\./,
    ],
    [
      "a business that is not there",
      ["sales", "-", "--business", "99999"],
      "external_ref,sold_at,amount\nM1,2025-03-01,5\n",
      1,
      /^Business 99999 not found\.\n/,
    ],
    [
      "the currency of a business that is not there",
      ["sales", "-", "--business", "99999", "--amount-unit", "major"],
      "x\n",
      1,
      /^Business 99999 not found\.\n/,
    ],
  ];
  it.each(rejections)("%s", async (_what, words, input, code, err) => {
    const business = words.includes("--business") ? [] : ["--business", String(world.home.businessId)];
    const outcome = await cli.run(["import", ...words, ...business], { input });
    expect(outcome.err).toMatch(err);
    expect(outcome).toMatchObject({ code, out: "" });
  });

  it("a file with a quote that is never closed, before anything is imported", async () => {
    const { id, at } = await withMembers(1);
    const input = `external_ref,sold_at,amount\n${"M1,2025-03-01,5\n".repeat(2100)}"M1,2025-03-01,5\n`;
    const { code, out, err } = await cli.run(["import", "sales", ...minor, "-", ...at], { input });
    expect([code, out, err]).toEqual([
      1,
      "",
      "A quote that begins in line 2102 or later is not closed.\nNothing was imported. Fix the file, or the options, and run the command again.\n",
    ]);
    const mended = input.replace('"', "");
    expect(await cli.json(["import", "sales", ...minor, "-", ...at], { input: mended })).toMatchObject({
      imported: 2101,
    });
    expect((await salesOf(id)).entries).toBe(2101);
  });
});
