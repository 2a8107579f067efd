import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startFaultyProxy } from "../support/faulty-proxy.ts";
import { newPerson, useWorld } from "../support/world.ts";
import { newShop, runExample, type Shop, useFolder } from "./programs.ts";

const world = useWorld();
const folder = useFolder();
const sync = "member-sync/sync.mjs";
const header = "phone_number,first_name,last_name,email,date_of_birth";
const sample = join(import.meta.dirname, "../../examples/member-sync/customers.csv");

/** The members of a business, by phone number, as a file would hold them. */
async function membersOf({ businessId }: Shop): Promise<Record<string, string>> {
  const rows = await world.sql<Record<string, string | null>[]>`
    SELECT phone_number, first_name, last_name, email, to_char(date_of_birth, 'YYYY-MM-DD') AS date_of_birth
    FROM member WHERE business_id = ${businessId}`;
  return Object.fromEntries(
    rows.map(({ phone_number, ...rest }) => [
      phone_number,
      Object.values(rest)
        .map((value) => value ?? "")
        .join(),
    ]),
  );
}

async function run(
  shop: Shop,
  lines: readonly string[],
  name = `${shop.businessId}.csv`,
  baseUrl = world.baseUrl,
) {
  const file = await folder.write(name, [header, ...lines].join("\n"));
  return { file, ...(await runExample(sync, [file], shop, baseUrl)) };
}

const newPhone = () => newPerson().phone_number;

describe("the member sync", () => {
  it("brings the sample over, from any folder", async () => {
    const shop = await newShop(world);
    const copy = await folder.write("sample.csv", await readFile(sample, "utf8"));
    const done = await runExample(sync, [copy], shop, world.baseUrl);
    expect(done).toMatchObject({ status: 0, stderr: "" });
    expect(done.stdout).toContain("5 customers; 5 created, 0 updated, 0 unchanged, 0 rejected.");
    expect(Object.keys(await membersOf(shop))).toHaveLength(5);
  });

  it("creates who is new, updates who changed, and leaves the others alone", async () => {
    const shop = await newShop(world);
    const [one, two, three] = [newPhone(), newPhone(), newPhone()];
    const first = await run(shop, [`${one},Ana,López,ana@example.com,1990-04-17`, `${two},Bo,"Ek, Jr",,`]);
    expect(first.stdout).toContain("2 created, 0 updated, 0 unchanged, 0 rejected");
    const second = await run(shop, [
      `${one},Ana,López,ana@example.com,1990-04-17`,
      `${two},Bo,"Ek, Jr",bo@example.com,`,
      `${three},Cy,Ng,,2001-01-31`,
    ]);
    expect(second.stdout).toContain("1 created, 1 updated, 1 unchanged, 0 rejected");
    expect(await membersOf(shop)).toEqual({
      [one]: "Ana,López,ana@example.com,1990-04-17",
      [two]: "Bo,Ek, Jr,bo@example.com,",
      [three]: "Cy,Ng,,2001-01-31",
    });
  });

  it("brings back what was there before a change, though it sends what it had sent once", async () => {
    const shop = await newShop(world);
    const phone = newPhone();
    for (const name of ["Ana", "Anna", "Ana"]) await run(shop, [`${phone},${name},López,,`]);
    expect(await membersOf(shop)).toEqual({ [phone]: "Ana,López,," });
  });

  it("does the same without its memory", async () => {
    const shop = await newShop(world);
    const lines = [`${newPhone()},Ana,López,ana@example.com,`, `${newPhone()},Bo,Ek,,`];
    const { file } = await run(shop, lines);
    const before = await membersOf(shop);
    await rm(`${file}.synced.json`);
    expect((await run(shop, lines)).stdout).toContain("0 created, 2 updated, 0 unchanged, 0 rejected");
    expect(await membersOf(shop)).toEqual(before);
    expect((await run(shop, lines)).stdout).toContain("0 created, 0 updated, 2 unchanged, 0 rejected");
  });

  it("reports the lines that are rejected, and brings the others over", async () => {
    const shop = await newShop(world);
    const [one, two, three] = [newPhone(), newPhone(), newPhone()];
    await run(shop, [`${one},Ana,López,ana@example.com,`]);
    const lines = [
      `${one},Ana,López,ana@example.com,`,
      "0600,Bo,Ek,bo,",
      `${two},Cy,Ng,ANA@example.com,`,
      `${three},Di,Ra,,1899-01-01`,
      `${newPhone()},Eva,Sol,,`,
    ];
    const rejected = await run(shop, lines);
    expect(rejected.status).toBe(1);
    expect(rejected.stdout).toContain("5 customers; 1 created, 0 updated, 1 unchanged, 3 rejected.");
    expect(rejected.stderr.trim().split("\n").sort()).toEqual([
      expect.stringMatching(/^line 3: email must /),
      expect.stringMatching(/^line 3: phone_number must /),
      "line 4: member_already_exists (email)",
      expect.stringMatching(/^line 5: date_of_birth must /),
    ]);
    // What was rejected is tried again, since it may be mended in the service.
    expect((await run(shop, lines)).stdout).toContain("0 created, 0 updated, 2 unchanged, 3 rejected.");
  });

  it("ends with the same members when the network loses things, or it is cut short", async () => {
    const shop = await newShop(world);
    const lines = Array.from({ length: 40 }, (_, n) => `${newPhone()},Ana,López ${n},,`);
    const proxy = await startFaultyProxy(world.baseUrl, ({ index }) => {
      if (index > 20)
        return { status: 403, body: '{"success":false,"error":{"code":"sp_scope_not_granted"}}' };
      return index % 3 === 2 ? "lose_response" : "pass";
    });
    const cut = await run(shop, lines, "cut.csv", proxy.baseUrl);
    expect(cut).toMatchObject({ status: 1, stderr: expect.stringContaining("run it again") });
    await proxy.close();
    const again = await run(shop, lines, "cut.csv");
    expect(again).toMatchObject({ status: 0, stderr: "" });
    expect(Object.keys(await membersOf(shop))).toHaveLength(40);
    expect((await run(shop, lines, "cut.csv")).stdout).toContain("40 unchanged");
  });

  it.each([
    { lines: ["+34600700009,Ana,,,"], says: "line 2: last_name missing" },
    {
      lines: ["+34600700009,Ana,López,,", "+34600700009,Bo,Ek,,"],
      says: "line 3: the phone number of line 2",
    },
    { lines: ["+34600700009,Ana"], says: "broken.csv: " },
  ])("sends nothing for a file that it can't use: $says", async ({ lines, says }) => {
    const shop = await newShop(world);
    const rejected = await run(shop, lines, "broken.csv");
    expect(rejected).toMatchObject({ status: 2, stderr: expect.stringContaining(says) });
    expect(await membersOf(shop)).toEqual({});
  });

  it.each([
    { args: [], says: "Give one file" },
    { args: [sample, "--at-once", "0"], says: "--at-once must be" },
    { args: [sample, "--fast"], says: "Unknown option" },
    { args: [sample, "--demo-file", "missing.json"], says: "missing.json can't be read" },
  ])("says what is wrong with $args", async ({ args, says }) => {
    expect(await runExample(sync, args)).toMatchObject({ status: 2, stderr: expect.stringContaining(says) });
  });

  it("explains itself", async () => {
    expect(await runExample(sync, ["--help"])).toMatchObject({ status: 0, stderr: "" });
  });
});
