/** A business that moves in from files: out of one business, and into another. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { useCli } from "../support/cli.ts";
import { importTools } from "../support/imports.ts";
import { useWorld } from "../support/world.ts";

/** The unit of amounts in these files. A later option replaces it. */
const minor = ["--amount-unit", "minor"];
const world = useWorld();
const cli = useCli(world);
const { expectValidLedger } = importTools(world);

const file = (name: string) => join(cli.directory, name);
const members =
  "phone_number,first_name,last_name,external_ref,wallet_balance,points_balance,Tier,tier until\n" +
  "+34600000001,Ana,Ruiz,A1,1250,120,gold,2099-06-30\n+34600000002,Bo,Li,B2,,,Silver,\n" +
  "+34600000003,Cai,Wu,C4,,,,\n";

/** A business with two tiers and two definitions of vouchers. */
async function business(name: string) {
  const made = (await cli.json(["business", "create", "--name", name, "--currency", "EUR"])).data;
  const at = ["--business", String(made.business_id)];
  for (const [code, value] of [
    ["SPRING", "500"],
    ["CUP", "0"],
  ] as const) {
    const words = [
      "voucher",
      "create",
      ...at,
      "--name",
      code,
      "--coupon-code",
      code,
      "--coupon-value",
      value,
    ];
    await cli.json(words);
  }
  for (const tier of ["Silver", "Gold"])
    await cli.json(["tier", "create", ...at, "--name", tier, "--expiry", "12", "--expiry-period", "month"]);
  return { id: made.business_id as number, at };
}

/** The rows of an export, without the numbers that a business gives. */
async function exported(rows: string, at: readonly string[]) {
  const out = await cli.ok(["export", rows, ...at, "--format", "ndjson"]);
  return out
    .trim()
    .split("\n")
    .map((line) => {
      const { member_id, contact_id, voucher_id, held_voucher_id, reference_id, tier_id, ...row } =
        JSON.parse(line);
      return row;
    });
}

it("imports the vouchers that members hold, and says what comes of each line", async () => {
  const { id, at } = await business("Shop");
  await writeFile(file("members.csv"), members);
  await cli.ok(["import", "members", ...minor, "members.csv", ...at]);
  await writeFile(
    file("gifts.csv"),
    "Card,Coupon code,coupon-value,Valid through,Number\n" +
      "A1,SPRING,12.50,31/12/2099,G-1\nB2,CUP,,,G-2\nB2,SPRING,,,G-3\nC3,SPRING,5,,G-4\nA1,SPRING,5.00,,G-1\n",
  );
  const words = [
    "import",
    "vouchers",
    "gifts.csv",
    ...at,
    "--amount-unit",
    "major",
    "--date-format",
    "DD/MM/YYYY",
  ];
  const named = [...words, "--column", "external_ref=Card", "--column", "reference_id=Number"];
  const dry = await cli.run([...named, "--dry-run"]);
  expect(dry.err).toContain(
    "Columns: external_ref from Card, coupon_code from Coupon code, coupon_value from coupon-value, valid_through from Valid through, reference_id from Number.",
  );
  expect(dry.out).toContain("Dry run: 3 new, 0 already imported, 2 rejected. Nothing was written.");
  const real = await cli.run(named);
  expect(real.code).toBe(5);
  expect(real.out).toContain("Imported 3, skipped 0 already imported, rejected 2.");
  expect(real.out).toContain("Vouchers of 12.50 EUR in 1 line with a coupon_value, the largest 12.50.");
  expect(await readFile(file("gifts.rejected.csv"), "utf8")).toBe(
    "line,field,reason\n5,external_ref,external_ref names no member.\n" +
      '6,coupon_value,"coupon_value is 5.00, but reference_id G-1 is in line 2 with 12.50."\n',
  );
  expect((await cli.run(named)).out).toContain("Imported 0, skipped 3 already imported, rejected 2.");
  const held = await exported("vouchers", at);
  expect(
    held.map(({ external_ref, coupon_code, coupon_value, valid_through }) => [
      ...[external_ref, coupon_code, coupon_value, valid_through],
    ]),
  ).toEqual([
    ["A1", "SPRING", 1250, "2099-12-31"],
    ["B2", "CUP", 0, null],
    ["B2", "SPRING", 500, null],
  ]);
  await expectValidLedger({ businessId: id });
});

it("moves a business out and in again by the files that it exports", async () => {
  const [from, to] = [await business("Old"), await business("New")];
  await writeFile(file("members.csv"), members);
  await cli.ok(["import", "members", ...minor, "members.csv", ...from.at]);
  const found = await cli.json(["member", "find", ...from.at, "--external-ref", "A1"]);
  const definitions = (await cli.json(["voucher", "list", ...from.at])).data;
  for (const { voucher_id } of definitions) {
    const words = ["voucher", "issue", found.data.contact_id, "--voucher", voucher_id, "--reason", "Case 7"];
    for (const _ of [1, 2]) await cli.ok([...words.map(String), ...from.at]);
  }
  for (const rows of ["members", "vouchers"])
    await cli.ok(["export", rows, ...from.at, "--exact", "--output", `old-${rows}.csv`]);
  const left = ["--column", "contact_id=", "--column", "voucher_id=", "--column", "external_ref="];
  const numbered = ["--column", "reference_id=held_voucher_id"];
  const moved = await cli.run(["import", "members", ...minor, "old-members.csv", ...to.at, "--strict"]);
  expect(moved.err).toMatch(/^Columns: first_name, .*, tier from tier_name, tier_until\.$/m);
  for (const imported of [4, 0]) {
    const words = [
      "import",
      "vouchers",
      ...minor,
      "old-vouchers.csv",
      ...to.at,
      "--strict",
      ...left,
      ...numbered,
    ];
    expect(await cli.json(words)).toMatchObject({ imported, rejected: 0 });
  }
  for (const rows of ["members", "vouchers"]) {
    expect(await exported(rows, to.at)).toEqual(await exported(rows, from.at));
  }
  await expectValidLedger({ businessId: to.id });
});

it("gives members the tier that they had, until its last day or for its validity", async () => {
  const { id, at } = await business("Tiers");
  await writeFile(file("tiers.csv"), members);
  const wrong =
    "phone_number,first_name,last_name,tier,tier_until\n" +
    "+34600000011,Ana,Ruiz,Platinum,2099-06-30\n+34600000012,Bo,Li,Gold,2020-01-01\n" +
    "+34600000013,Cai,Wu,,2099-06-30\n+34600000014,Di,Wu,Gold,9999-12-31\n";
  const { code, out } = await cli.run(["import", "members", ...minor, "-", ...at, "--dry-run"], {
    input: wrong,
  });
  expect(code).toBe(5);
  for (const reason of [
    "tier names no tier.",
    "tier_until is in the past: the tier has ended.",
    "tier is required with tier_until.",
    "tier_until must be before 9999-12-31.",
  ])
    expect(out).toContain(reason);
  for (const imported of [3, 0])
    expect(await cli.json(["import", "members", ...minor, "tiers.csv", ...at])).toMatchObject({
      imported,
      rejected: 0,
    });
  const rows = await exported("members", at);
  const nextYear = expect.stringMatching(/^20\d\d-\d\d-\d\d$/);
  expect(rows.map(({ tier_name, tier_until }) => [tier_name, tier_until])).toEqual([
    ["Gold", "2099-06-30"],
    ["Silver", nextYear],
    [null, null],
  ]);
  const found = (await cli.json(["member", "find", ...at, "--external-ref", "A1"])).data;
  const standings = await world.sql`
    SELECT by_hand, cause_sale_id FROM tier_standing WHERE business_id = ${id} AND contact_id = ${found.contact_id}`;
  expect(standings).toEqual([{ by_hand: false, cause_sale_id: null }]);
  await expectValidLedger({ businessId: id });
});
