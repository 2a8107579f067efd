/** Exports in full, and the verification of the books, as commands. */
import { once } from "node:events";
import { lstat, mkdtemp, open, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { parse } from "csv-parse/sync";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { outcomeOf, useCli } from "../support/cli.ts";
import { useWorld } from "../support/world.ts";

const world = useWorld();
const cli = useCli(world);
const at = () => ["--business", String(world.home.businessId)];

/** More than two pages of the export. */
const sales = 11_000;

beforeAll(async () => {
  const members =
    'phone_number,first_name,last_name,email,external_ref\n+15550000001,"Ana ""A"", B",López,,M1\n';
  await cli.ok(["import", "members", "-", ...at()], { input: members });
  const lines = Array.from({ length: sales }, (_, number) => `M1,2025-04-01,${number + 1}\n`);
  await cli.ok(["import", "sales", "--amount-unit", "minor", "-", ...at()], {
    input: `external_ref,sold_at,amount\n${lines.join("")}`,
  });
});

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describe("an export", () => {
  it("has every entry once, in the order of recording, and ends at the last", async () => {
    const lines = (await cli.ok(["export", "transactions", ...at(), "--format", "ndjson"]))
      .trimEnd()
      .split("\n");
    const entries = lines.map((line) => JSON.parse(line));
    expect(entries.map(({ entry_no }) => entry_no)).toEqual(upTo(sales));
    // Chunks of lines are imported side by side: they may overtake each other.
    expect(entries.map(({ amount }) => amount).toSorted((a, b) => a - b)).toEqual(upTo(sales));
    expect(entries.at(-1)).toMatchObject({ event_type: "sale", account: "sales" });
  });

  it("is CSV that says the same", async () => {
    const text = await cli.ok(["export", "transactions", ...at()]);
    const rows: Record<string, string>[] = parse(text, { columns: true });
    expect(rows).toHaveLength(sales);
    expect(rows[0]).toMatchObject({
      entry_no: "1",
      created_at: "2025-04-01 00:00:00",
      amount: expect.stringMatching(/^\d+$/),
      reason: "",
    });
    const [member] = parse(await cli.ok(["export", "members", ...at()]), { columns: true }) as Record<
      string,
      string
    >[];
    expect(member).toMatchObject({ first_name: 'Ana "A", B', email: "", external_ref: "M1", active: "true" });
  });

  it("holds no formula for a spreadsheet to run, unless exact text is wanted", async () => {
    const { data } = await cli.json(["business", "create", "--name", "Formulas", "--currency", "USD"]);
    const other = ["--business", String(data.business_id)];
    const name = '=HYPERLINK("http://evil")';
    const input = `phone_number,first_name,last_name\n+15550000009,"${name.replaceAll('"', '""')}",-x\n`;
    await cli.ok(["import", "members", "-", ...other], { input });
    const rows = async (...words: string[]) =>
      parse(await cli.ok(["export", "members", ...other, ...words]), { columns: true });
    expect(await rows()).toMatchObject([
      { phone_number: "+15550000009", first_name: `'${name}`, last_name: "'-x" },
    ]);
    expect(await rows("--exact")).toMatchObject([{ first_name: name, last_name: "-x" }]);
    const line = await cli.ok(["export", "members", ...other, "--format", "ndjson"]);
    expect(JSON.parse(line)).toMatchObject({ first_name: name });
  });

  it("goes to a file that is there only when it is whole, for its owner's eyes only", async () => {
    expect(await cli.ok(["export", "transactions", ...at(), "--output", "all.csv"])).toBe(
      `Wrote ${sales.toLocaleString("en")} transactions to all.csv.\n`,
    );
    const file = join(cli.directory, "all.csv");
    expect((await readFile(file, "utf8")).trimEnd().split("\n")).toHaveLength(sales + 1);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const rejected = await cli.run(["export", "members", "--business", "9999", "--output", "none.csv"]);
    expect(rejected).toMatchObject({
      code: 1,
      out: "",
      err: expect.stringMatching(/^Business \d+ not found/),
    });
    expect((await readdir(cli.directory)).filter((name) => name.startsWith("none"))).toEqual([]);
    const nowhere = await cli.run(["export", "members", ...at(), "--output", "no/such/file.csv"]);
    expect(nowhere).toMatchObject({ code: 2, err: "no/such/file.csv can't be written (ENOENT).\n" });
  });

  it("follows no link that lies where it is written, and leaves no draft when it is interrupted", async () => {
    const directory = await mkdtemp(join(cli.directory, "export-"));
    await writeFile(join(directory, "mine"), "kept");
    for (const name of ["all.csv", "all.csv.part"]) await symlink("mine", join(directory, name));
    await cli.ok(["export", "transactions", ...at(), "--output", "all.csv"], { directory });
    expect(await readFile(join(directory, "mine"), "utf8")).toBe("kept");
    expect((await lstat(join(directory, "all.csv"))).mode & 0o170777).toBe(0o100600);

    const child = cli.start(["export", "transactions", ...at(), "--output", "cut.csv"], { directory });
    const ended = outcomeOf(child);
    const drafts = async () => (await readdir(directory)).filter((name) => name.startsWith("cut.csv"));
    await vi.waitUntil(async () => (await drafts()).length > 0, { timeout: 60_000, interval: 1 });
    child.kill("SIGINT");
    await ended;
    expect((await drafts()).filter((name) => name !== "cut.csv")).toEqual([]);
    const device = await cli.run(["export", "members", ...at(), "--output", "/dev/null"]);
    expect(device).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^\/dev\/null exists and is not a regular file/),
    });
  });

  it("ends quietly when nobody reads on", async () => {
    const child = cli.start(["export", "transactions", ...at()]);
    const ended = outcomeOf(child);
    await once(child.stdout, "data");
    child.stdout.destroy();
    expect(await ended).toMatchObject({ code: 0, err: "" });
  });

  it("has help that ends quietly, too, when nobody reads on", async () => {
    const child = cli.start(["export", "--help"]);
    const ended = outcomeOf(child);
    child.stdout.destroy();
    expect(await ended).toMatchObject({ code: 0, err: "" });
  });

  it.each([
    { words: ["--help"], err: /^Standard output can't be written \(\w+\)\.\n$/ },
    { words: ["business", "list"], err: /^Standard output can't be written \(\w+\)\.\n/ },
    { words: ["export", "transactions"], err: /^Standard output can't be written \(\w+\)\.\n$/ },
    { words: ["export", "transactions", "--json"], err: /^\{"success":false,.*"command_failed".*\}\n$/ },
  ])("and $words say in one line that their output can't be written", async ({ words, err }) => {
    const file = join(cli.directory, "unwritable");
    await writeFile(file, "");
    // It can't be written, as a file on a full disk.
    const handle = await open(file, "r");
    const all = words[0] === "export" ? [...words, ...at()] : words;
    const outcome = await outcomeOf(cli.start(all, { output: handle.fd }));
    await handle.close();
    expect(outcome).toEqual({ code: 1, out: "", err: expect.stringMatching(err) });
  });

  it("of nothing is a header, or nothing", async () => {
    const away = ["--business", String(world.away.businessId)];
    expect(await cli.ok(["export", "transactions", ...away])).toMatch(
      /^entry_no,created_at,account,[a-z_,]+\n$/,
    );
    expect(await cli.ok(["export", "transactions", ...away, "--format", "ndjson"])).toBe("");
  });
});

describe("verify", () => {
  it("asks for one slice at a time", async () => {
    let [open, most] = [0, 0];
    const counting = createServer(async ({ url = "", headers: { authorization = "" } }, response) => {
      open += 1;
      most = Math.max(most, open);
      const body = await text(response.req);
      const headers = { authorization, "content-type": "application/json" };
      const answer = await fetch(new URL(url, world.baseUrl), { method: "POST", headers, body });
      open -= 1;
      response.writeHead(answer.status, { "content-type": "application/json" }).end(await answer.text());
    }).listen(0, "127.0.0.1");
    await once(counting, "listening");
    const { port } = counting.address() as AddressInfo;
    const { pathname } = new URL(world.baseUrl);
    await cli.ok(["verify", ...at(), "--url", `http://127.0.0.1:${port}${pathname}`]);
    counting.close();
    expect(most).toBe(1);
  });

  it("goes through all businesses, and finds right books right", async () => {
    const out = await cli.ok(["verify"]);
    expect(out).toMatch(/^business_id {2}name/);
    expect(out).toContain("\nThe ledger is right.\n");
    const report = await cli.json(["verify"]);
    expect(report.mismatch_count).toBe(0);
    expect(report.businesses).toHaveLength(3);
    expect(report.businesses).toContainEqual(
      expect.objectContaining({
        business_id: world.home.businessId,
        members: 1,
        accounts: 4,
        entries: sales,
      }),
    );
  });

  it("prints each mismatch and fails, and looks at one business when told so", async () => {
    const { businessId } = world.home;
    await world.sql`UPDATE account SET balance = balance + 5 WHERE business_id = ${businessId} AND account = 'sales'`;
    await world.sql`UPDATE ledger_entry SET amount = amount + 1 WHERE business_id = ${businessId} AND entry_no = 7`;
    const { code, out } = await cli.run(["verify"]);
    expect(code).toBe(1);
    expect(out).toMatch(
      new RegExp(
        `\\nMismatches of business ${businessId}, Home:\\n +contact_ +entry_ *\\nkind +id +account +no`,
      ),
    );
    expect(out).toMatch(/\nbalance +\d+ +sales +- .* 60505501 +60505505\n/);
    expect(out).toMatch(/\nbalance_after +\d+ +sales +7 /);
    expect(out).toMatch(/\nThe ledger is wrong: 5 mismatches\.\n$/);
    expect((await cli.run(["verify", "--business", String(world.away.businessId)])).code).toBe(0);
    const found = await cli.run(["verify", ...at(), "--json"]);
    expect(found.code).toBe(1);
    expect(JSON.parse(found.out)).toMatchObject({
      mismatch_count: 5,
      businesses: [{ business_id: businessId }],
    });
    await world.sql`UPDATE account SET balance = balance - 5 WHERE business_id = ${businessId} AND account = 'sales'`;
    await world.sql`UPDATE ledger_entry SET amount = amount - 1 WHERE business_id = ${businessId} AND entry_no = 7`;
  });

  it("rejects a business that is not there", async () => {
    expect(await cli.run(["verify", "--business", "9999"])).toEqual({
      code: 1,
      out: "",
      err: "Business 9999 not found.\nTo list them: loyalty business list\n",
    });
  });
});
