/** What a command line may leave out, and what the command asks about before it acts. */
import { describe, expect, it } from "vitest";
import { useCli } from "../support/cli.ts";
import { asOperator } from "../support/operator-requests.ts";
import { makeRecords } from "../support/requests.ts";
import { useWorld } from "../support/world.ts";

const world = useWorld();
const cli = useCli(world);
const home = () => String(world.home.businessId);

describe("the business", () => {
  it("is that of the record", async () => {
    const contactId = await world.member({ first_name: "Rosa" });
    expect(await cli.ok(["member", "get", String(contactId)])).toMatch(/\nfirst_name +Rosa\n/);
    const tier = String(world.away.tierIds[0] ?? "");
    if (tier !== "") await cli.ok(["business", "find", "--tier", tier]);
    const found = await cli.json(["business", "find", "--contact", String(contactId)]);
    expect(found.data.map(({ business_id }: { business_id: number }) => String(business_id))).toEqual([
      home(),
    ]);
    expect(await cli.run(["member", "get", "999999"])).toMatchObject({
      code: 1,
      err: "Member 999999 not found.\nNo business has it.\n",
    });
  });

  it("is that of LOYALTY_BUSINESS, which must be an id", async () => {
    const environment = { LOYALTY_BUSINESS: home() };
    expect((await cli.json(["location", "list"], { environment })).data).toHaveLength(3);
    const contactId = String(await world.member());
    await cli.ok(["member", "get", contactId], { environment });
    const wrong = await cli.run(["location", "list"], { environment: { LOYALTY_BUSINESS: "first" } });
    expect(wrong).toMatchObject({
      code: 2,
      err: 'LOYALTY_BUSINESS must be the id of a business, not "first".\n',
    });
    const other = { LOYALTY_BUSINESS: String(world.away.businessId) };
    const elsewhere = await cli.run(["member", "get", contactId], { environment: other });
    expect(elsewhere.err).toMatch(/^Member \d+ not found in business \d+\.\n/);
  });

  it("is asked for when there are several, and is the only one that is not a sandbox", async () => {
    expect(await cli.run(["location", "list"])).toEqual({
      code: 2,
      out: "",
      err: expect.stringMatching(
        /^There are several businesses\. Give --business, or set LOYALTY_BUSINESS\.\n {2}\d+ {2}Away\n {2}\d+ {2}Home\n$/,
      ),
    });
    await world.sql`UPDATE ledger SET clock_at = now() WHERE business_id = ${world.away.businessId}`;
    expect((await cli.json(["location", "list"])).data).toHaveLength(3);
    expect(await cli.ok(["export", "members"])).toMatch(/^member_id,/);
    const input = "phone_number,first_name,last_name\n+12025550111,Ana,López\n";
    expect(await cli.ok(["import", "members", "-"], { input })).toMatch(/^Imported 1, /);
    await world.sql`UPDATE ledger SET clock_at = NULL WHERE business_id = ${world.away.businessId}`;
  });
});

it("takes an id without its option, and not with it", async () => {
  const contactId = String(await world.member());
  const words = ["member", "get", contactId, "--business", home()];
  await cli.ok(words);
  expect(await cli.run([...words, "--contact", contactId])).toMatchObject({
    code: 2,
    err: `Give the id ${contactId} or --contact, not both.\n`,
  });
  expect((await cli.run(["member", "get", "ana"])).err).toMatch(
    /^The id must be a whole number, not "ana"\./,
  );
});

it("takes the names of fields as options, and --name for every name", async () => {
  const contactId = String(await world.member());
  await cli.ok(["member", "get", "--business-id", home(), "--contact-id", contactId]);
  const limits = ["--business", home(), "--maximum-points-per-order", "5"];
  expect((await cli.json(["program", "create", ...limits, "--name", "Club"])).data.membership_name).toBe(
    "Club",
  );
  expect(
    (await cli.json(["program", "create", ...limits, "--membership-name", "Club"])).data.program_id,
  ).toBeGreaterThan(0);
  const twice = await cli.run(["member", "get", "--contact", contactId, "--contact-id", contactId]);
  expect(twice).toMatchObject({ code: 2, err: expect.stringMatching(/cannot be used with/) });
});

it("helps with a command of several words", async () => {
  expect(await cli.ok(["help", "import", "sales"])).toBe(await cli.ok(["import", "sales", "--help"]));
  expect(await cli.ok(["help", "members", "get"])).toMatch(/^Usage: loyalty member\S* get /);
  expect(await cli.ok(["help"])).toBe(await cli.ok(["--help"]));
  expect(await cli.run(["help", "import", "gifts"])).toMatchObject({
    code: 2,
    err: "There is no command import gifts.\nSee: loyalty --help\n",
  });
});

it("does what can't be undone only with --yes, where it can't ask", async () => {
  const { integrationId } = await world.integration(world.home);
  const id = String(integrationId);
  const words = ["integration", "delete", id, "--business", home()];
  const rejected = await cli.run(words);
  expect(rejected).toMatchObject({ code: 2, out: "" });
  expect(rejected.err).toMatch(
    /^This command asks for confirmation, but there is no terminal\.\nIt would: Delete integration \d+, \S.*, of business \d+, Home\. This can't be undone\.\nTo do that, run the command again with --yes\.\n$/,
  );
  const there = { business_id: world.home.businessId, integration_id: integrationId };
  expect((await asOperator(world, "/op/integrations/get", there)).status).toBe(200);
  await cli.ok([...words, "--yes"]);
  expect((await asOperator(world, "/op/integrations/get", there)).status).toBe(404);
  const contactId = String(await world.member({ first_name: "Rosa", last_name: "Lindgren" }));
  expect((await cli.run(["member", "deactivate", contactId])).err).toContain(
    `It would: Deactivate member ${contactId}, Rosa Lindgren, of business ${home()}, Home.`,
  );
  const other = String(await world.member({ first_name: "Rosie", last_name: "Lindgren" }));
  expect((await cli.run(["member", "merge", other, "--contact", contactId])).err).toContain(
    `It would: Merge member ${other}, Rosie Lindgren, of business ${home()}, Home, into member ${contactId}, Rosa Lindgren. This`,
  );
});

it("does not ask before what the service would reject", async () => {
  const { sale_id } = await makeRecords(world, world.home);
  const owner = await world.member();
  await world.write("/sp/reward-points/adjust", { contact_id: owner, points: 5, adjustment_type: "credit" });
  const at = ["--business", home()];
  const refund = ["sale", "refund", String(sale_id), ...at, "--reason", "Broken"];
  for (const [words, code, said] of [
    [["business", "delete", home()], 1, /^The business is not a sandbox\.\nOnly a sandbox can be deleted/],
    [["business", "delete", "999999"], 1, /^Business 999999 not found\./],
    [["business", "update", "999999", "--currency", "USD"], 1, /^Business 999999 not found\./],
    [["integration", "delete", "999999", ...at], 1, /^Integration 999999 not found/],
    [["tier", "delete", "999999", ...at], 1, /^Tier 999999 not found/],
    [["member", "deactivate", "999999", ...at], 1, /^Member 999999 not found/],
    [
      ["member", "erase", String(owner), ...at],
      1,
      /^The member has money, points or vouchers\.\nBring the balances/,
    ],
    [
      [...refund, "--amount", "10001"],
      1,
      /^The refund is larger than what is left of the sale or line\. Refund at most the amount that is refundable\.\nTo see it: loyalty sale get/,
    ],
    // These would succeed.
    [[...refund, "--amount", "10000"], 2, /^This command asks for confirmation/],
    [["member", "erase", String(owner), ...at, "--reason", "Asked for it"], 2, /^This command asks/],
  ] as const) {
    const outcome = await cli.run(words);
    expect([words, outcome.code, outcome.out]).toEqual([words, code, ""]);
    expect(outcome.err).toMatch(said);
  }
});
