/** The commands of the operator's operations, over a running service. */
import { userInfo } from "node:os";
import { expect, it } from "vitest";
import { useCli } from "../support/cli.ts";
import { useWorld } from "../support/world.ts";

// Every command is a process: on a busy machine that takes its time.
const world = useWorld();
const cli = useCli(world);
const home = () => String(world.home.businessId);

it("provisions a business that a partner can work with, and writes who did it to the audit log", async () => {
  const { data: business } = await cli.json([
    ...["business", "create", "--name", "Café Aurora", "--currency", "EUR", "--time-zone", "Europe/Madrid"],
  ]);
  const at = ["--business", String(business.business_id)];
  const { data: location } = await cli.json(["location", "create", ...at, "--name", "Main Street"]);
  const { data: integration } = await cli.json([
    ...["integration", "create", ...at, "--name", "Till", "--scopes", "wa.members.read,wa.members.write"],
    ...["--locations", String(location.location_id)],
  ]);
  expect(integration).toMatchObject({
    scopes: ["wa.members.read", "wa.members.write"],
    all_locations: false,
    location_ids: [location.location_id],
  });
  const contactId = await world.member({}, integration);
  const { data: tier } = await cli.json([
    ...["tier", "create", ...at, "--name", "Gold", "--expiry", "2", "--expiry-period", "year"],
  ]);
  const member = ["--contact", String(contactId)];
  await cli.ok(["member", "assign-tier", ...at, ...member, "--tier", String(tier.tier_id)]);
  expect((await cli.json(["member", "get", ...at, ...member])).data).toMatchObject({ tier_name: "Gold" });
  await cli.ok(["member", "assign-tier", ...at, ...member, "--tier", "none"]);
  expect((await cli.json(["member", "get", ...at, ...member])).data).toMatchObject({ tier_id: null });
  const { data: log } = await cli.json(["audit", "list", ...at, "--event", "integration.created"]);
  expect(log).toMatchObject([{ actor_name: "root", note: userInfo().username, after: { name: "Till" } }]);
  expect(JSON.stringify(log)).not.toContain(integration.client_secret);
});

it("prints records for people, and a secret once with a warning", async () => {
  const words = ["integration", "create", "--business", home(), "--name", "Kiosk", "--all-locations"];
  const { code, out, err } = await cli.run([...words, "--scopes", "wa.vouchers.read"]);
  expect(code).toBe(0);
  expect(out).toMatch(/^Integration created\.\nintegration_id {2}\d+\nname {12}Kiosk\n/);
  expect(out).toMatch(/\nclient_secret {3}loysec_\S+\n$/);
  expect(err).toBe("Store the client_secret now. It is shown only once.\nTimes are in Europe/Madrid.\n");
  const listed = await cli.ok(["integration", "list", "--business", home()]);
  expect(listed).toMatch(/^integration_id {2}name +client_id +enabled +created_at\n/);
  expect(listed).not.toContain("loysec_");
});

it("does a write once under one key", async () => {
  const words = [
    "location",
    "create",
    "--business",
    home(),
    "--name",
    "Twice",
    "--idempotency-key",
    "twice-1",
  ];
  const first = await cli.run(words);
  const second = await cli.run(words);
  expect(second.out).toBe(first.out);
  expect(second.err).toBe("Nothing was changed: this is the first response to this idempotency key.\n");
  const conflict = await cli.run([...words.slice(0, 5), "Other", ...words.slice(6)]);
  expect(conflict).toMatchObject({ code: 1, out: "" });
  expect(conflict.err).toMatch(/^This --idempotency-key was already used/);
});

it("lists a page, and says how to get the others", async () => {
  for (let made = 0; made < 3; made += 1) {
    await cli.ok([
      "program",
      "create",
      "--business",
      home(),
      "--membership-name",
      `Club ${made}`,
      ...["--maximum-points-per-order", "5"],
    ]);
  }
  const words = ["program", "list", "--business", home(), "--per-page", "2"];
  const page = await cli.run(words);
  expect(page.out.split("\n")).toHaveLength(4);
  expect(page.err).toBe("Page 1 of 2, 4 in all; next page: --page 2; all pages: --all\n");
  expect((await cli.json(words)).meta.pagination).toMatchObject({ total: 4, last_page: 2 });
  expect((await cli.json([...words, "--all"])).data).toHaveLength(4);
  expect((await cli.ok([...words, "--all"])).trimEnd().split("\n")).toHaveLength(5);
  expect(await cli.run(["topup-benefit", "list", "--business", home()])).toEqual({
    code: 0,
    out: "",
    err: "No records found.\n",
  });
});

it("takes the noun in the plural, and options of every command on either side", async () => {
  const { data } = await cli.json(["businesses", "list"]);
  expect(JSON.parse(await cli.ok(["--json", "business", "list"])).data).toEqual(data);
});

it("says no to a boolean that is on unless said otherwise", async () => {
  const voucher = String(world.home.vouchers.everywhere);
  const words = ["voucher", "archive", "--business", home(), "--voucher", voucher];
  expect((await cli.json(words)).data.archived).toBe(true);
  expect((await cli.json([...words, "--no-archived"])).data.archived).toBe(false);
});

it("shows the status", async () => {
  const out = await cli.ok(["status"]);
  expect(out).toMatch(
    /^version {5}\d+\.\d+\.\d+, schema \d+\nrunning {5}for .+\ndatabase {4}embedded, PostgreSQL /,
  );
  expect((await cli.json(["status"])).data).toMatchObject({ database: { kind: "embedded" } });
});

const rejections: [what: string, words: () => string[], code: number, err: RegExp][] = [
  [
    "an unknown command",
    () => ["busines", "list"],
    2,
    /unknown command 'busines'\n\(Did you mean .*\?\)\nSee: loyalty --help\n$/,
  ],
  ["an unknown verb", () => ["business", "lost"], 2, /unknown command 'lost'\n\(Did you mean list\?\)/],
  ["a noun alone", () => ["business"], 2, /Usage: loyalty business/],
  ["nothing at all", () => [], 2, /Usage: loyalty/],
  [
    "a required option",
    () => ["business", "create"],
    2,
    /^These options are required: --name <text>, .*\.\nSee: loyalty business create --help\n$/,
  ],
  ["an unknown option", () => ["status", "--quick"], 2, /unknown option '--quick'/],
  [
    "an unknown option before a missing one",
    () => ["member", "get", "--contac", "100001"],
    2,
    /unknown option '--contac'\n\(Did you mean --contact\?\)/,
  ],
  ["too many words", () => ["verify", "now"], 2, /too many arguments/],
  [
    "a word for a number",
    () => ["member", "list", "--business", "one"],
    2,
    /'one' is invalid. It must be a whole number/,
  ],
  [
    "a value that is none",
    () => ["tier", "create", "--business", "1", "--name", "x", "--expiry", "1", "--expiry-period", "eon"],
    2,
    /Allowed choices are day, week, month, year/,
  ],
  [
    "a length without its unit",
    () => [
      ...["voucher", "create", "--business", home(), "--name", "x", "--coupon-code", "x"],
      ...["--coupon-value", "1", "--validity", "3"],
    ],
    2,
    /\n--validity-period must be sent together with validity\.\n$/,
  ],
  [
    "a length of points without its unit",
    () => ["reward-settings", "rules-update", "--business", home(), "--points-validity", "3"],
    2,
    /\n--points-validity-period must be set together with --points-validity\.\n$/,
  ],
  [
    "a scope that is none",
    () => ["integration", "create", "--business", "1", "--name", "x", "--scopes", "all"],
    2,
    /"all" is not one of wa\.members\.read, /,
  ],
  [
    "a field that the service rejects",
    () => ["business", "create", "--name", "x", "--currency", "EUR", "--time-zone", "Mars/Base"],
    2,
    /^Some fields are missing or invalid\.\n--time-zone must be an IANA time zone/,
  ],
  [
    "fields that go together",
    () => ["integration", "create", "--business", home(), "--name", "x", "--scopes", "wa.tiers.read"],
    2,
    /\n--locations or --all-locations is required\.\n$/,
  ],
  [
    "an update that changes nothing",
    () => ["business", "update", home()],
    2,
    /^Some fields are missing or invalid\.\nGive at least one of --name, --time-zone, --currency, --country, --color, --events-enabled\.\n$/,
  ],
  [
    "a business that is not there",
    () => ["member", "list", "--business", "9999"],
    1,
    /^Business 9999 not found\.\nTo list them: loyalty business list\n$/,
  ],
  [
    "a voucher that is not there",
    () => ["voucher", "archive", "--business", home(), "--voucher", "999999"],
    1,
    /^Voucher 999999 not found in business \d+\.\nTo list them: loyalty voucher list --business \d+\n$/,
  ],
  [
    "a member that is not there",
    () => ["member", "get", "--business", home(), "--contact", "1"],
    1,
    /^Member 1 not found in business \d+\.\nTo list them: loyalty member list --business \d+\nA member's id is its contact_id\.\n$/,
  ],
];
it.each(rejections)("rejects %s", async (_what, words, code, err) => {
  const outcome = await cli.run(words());
  expect(outcome.err).toMatch(err);
  expect(outcome).toMatchObject({ code, out: "" });
});

it("tells why a partner's requests were rejected, also since some time ago", async () => {
  const token = await world.token();
  await world.call("/sp/members/get", { contact_id: 5, nickname: 1 }, { token });
  const words = ["requests", "--business", home(), "--operation", "/sp/members/get"];
  // The log is written in the background.
  await expect.poll(async () => (await cli.json(words)).data.length).toBe(1);
  const table = await cli.run([...words, "--since", "1h"]);
  expect(table.out).toMatch(/^requested_at +integration_id +status +error_code +field_errors\n/);
  expect(table.out).toMatch(/ 422 +validation_failed +\? unknown_field\n/);
  expect(table.err).toContain("Times are in UTC.");
  // There are two businesses. The integration tells which one.
  const { integrationId } = world.home.everywhere;
  const ofIntegration = await cli.json(["requests", "--integration", String(integrationId), "--since", "1h"]);
  expect(ofIntegration.data[0]).toMatchObject({ integration_id: integrationId });
  const { data } = await cli.json([
    ...words,
    "--since",
    "30m",
    "--integration",
    String(world.home.everywhere.integrationId),
  ]);
  expect(data).toMatchObject([{ error_code: "validation_failed" }]);
  expect((await cli.json([...words, "--until", "1d"])).data).toEqual([]);
  const { data: counts } = await cli.json(["request", "counts", "--business", home(), "--since", "2h"]);
  expect(counts).toContainEqual(expect.objectContaining({ operation: "/sp/members/get", rejected: 1 }));
  expect(await cli.run([...words, "--since", "1x"])).toMatchObject({ code: 2 });
});

it("has help in its own terms, not the API's", async () => {
  const help = (await cli.ok(["member", "assign-tier", "--help"])).replace(/\s+/g, " ");
  expect(help).toContain("if --tier is none.");
  expect(help).toContain('--tier <id> A tier of the business. (required; "none" for none)');
  expect(help).toContain("--contact <id> The member. (required)");
  expect(help).not.toMatch(/null/);
  const voucher = (await cli.ok(["voucher", "create", "--help"])).replace(/\s+/g, " ");
  expect(voucher).toContain('(values: day, week, month, year; "none" for none)');
  const activity = (await cli.ok(["report", "activity", "--help"])).replace(/\s+/g, " ");
  expect(activity).toContain("It shows: starts_on The first day of the period. ends_on");
});

it("tells a script with --json why it failed, on standard error", async () => {
  const { code, out, err } = await cli.run([
    "member",
    "get",
    "--business",
    home(),
    "--contact",
    "1",
    "--json",
  ]);
  expect([code, out]).toEqual([1, ""]);
  expect(JSON.parse(err)).toMatchObject({
    success: false,
    message:
      "No member of this business has this contact_id, or this phone number, e-mail address or external reference.",
    error: { code: "member_not_found", details: {} },
  });
});

it.each([
  [["business", "create", "--json"], /options are required: --name <text>/],
  [["--json", "busines", "list"], /unknown command 'busines'/],
  [["status", "--quick", "--json"], /unknown option '--quick'/],
  [["business", "--json"], /There is no command/],
  [["import", "sales", "none.csv", "--business", "1", "--json"], /none\.csv can't be read/],
  [["import", "sales", "-", "--business", "1", "--dry-run", "--strict", "--json"], /cannot be used with/],
] as const)("tells a script with --json what is wrong with the command line: %j", async (words, message) => {
  const { code, out, err } = await cli.run(words);
  expect([code, out]).toEqual([2, ""]);
  expect(JSON.parse(err)).toMatchObject({
    success: false,
    message: expect.stringMatching(message),
    error: { code: "usage", details: {} },
  });
});

it("ends quietly when nobody reads on", async () => {
  const child = cli.start(["business", "list", "--json"]);
  child.stdout.destroy();
  let err = "";
  child.stderr.on("data", (text) => {
    err += text;
  });
  const code = await new Promise((resolve) => child.once("close", resolve));
  expect([code, err]).toEqual([0, ""]);
});
