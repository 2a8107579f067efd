/** Accounts, sign-in and limits of operators by command line and HTTP. */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { useCli } from "../support/cli.ts";
import { zoneAtNoon } from "../support/local-times.ts";
import { testPassword } from "../support/operators.ts";
import { nextKey, useWorld } from "../support/world.ts";

const world = useWorld();
const cli = useCli(world);

/** Without the operator key, so that the session of `loyalty login` counts. */
const asPerson = { LOYALTY_OPERATOR_KEY: "" };
const person = (words: readonly string[], input = "") => cli.run(words, { environment: asPerson, input });
const home = () => String(world.home.businessId);

describe("a support person with a limit of 20.00 in one of two businesses", () => {
  let contact_id: number;
  let session: string;

  beforeAll(async () => {
    await world.sql`UPDATE business SET time_zone = ${zoneAtNoon()} WHERE business_id = ${world.home.businessId}`;
    contact_id = await world.member();
    const words = ["operator", "create", "--name", "berta", "--role", "support", "--businesses", home()];
    const { code, out, err } = await cli.run([...words, "--limit-amount", "2000"]);
    expect(code, err).toBe(0);
    expect(out).toMatch(/^Operator created\./);
    const link = err.split("\n").find((line) => line.startsWith("http")) ?? "";
    expect(link).toMatch(new RegExp(`^${world.baseUrl}/console/accept#token=loyinv_[\\w-]{43}$`));
    const accepted = await person(["login", "--invitation", link], `${testPassword}\n`);
    expect(accepted.out, accepted.err).toBe("Signed in as berta, with the role support.\n");
    const { headers } = await world.call("/op/session/create", { name: "berta", password: testPassword });
    session = /=(loyses_[\w-]+);/.exec(headers.get("set-cookie") ?? "")?.[1] ?? "";
  });

  const correct = (amount: number) =>
    person([
      ...["member", "adjust-wallet", String(contact_id), "--amount", String(amount)],
      ...["--adjustment-type", "credit", "--reason", "A test"],
    ]);
  const correctByHttp = async (amount: number) => {
    const body = { idempotency_key: nextKey(), business_id: world.home.businessId, contact_id, amount };
    const correction = { ...body, adjustment_type: "credit", reason: "A test" };
    return (await world.call("/op/members/adjust-wallet", correction, { token: session })).body;
  };

  it("can correct a balance of 15.00, but not one of 25.00, nor two of 15.00 on a day", async () => {
    const tooMuch = await correct(2500);
    expect([tooMuch.code, tooMuch.err]).toEqual([1, expect.stringContaining("exceeds your limit")]);
    expect((await correctByHttp(2500)).error.code).toBe("limit_exceeded");
    const done = await correct(1500);
    expect(done.code, done.err).toBe(0);
    expect((await correctByHttp(1500)).error).toMatchObject({
      code: "limit_exceeded",
      details: { limit: 2000, left: 500 },
    });
    expect((await correct(1500)).err).toContain("left 500");
    expect((await correctByHttp(500)).success).toBe(true);
  });

  it("does not see the other business", async () => {
    const listed = await person(["business", "list", "--json"]);
    expect(JSON.parse(listed.out).data.map((one: { business_id: number }) => one.business_id)).toEqual([
      world.home.businessId,
    ]);
    const other = await person(["member", "list", "--business", String(world.away.businessId)]);
    expect([other.code, other.err]).toEqual([1, expect.stringContaining("not found")]);
    const body = { business_id: world.away.businessId };
    const { error } = (await world.call("/op/members/list", body, { token: session })).body;
    expect(error.code).toBe("business_not_found");
  });

  it("is told which role a command needs", async () => {
    const { code, err } = await person([
      "tier",
      "create",
      "--business",
      home(),
      "--name",
      "x",
      "--expiry",
      "1",
    ]);
    expect([code, err]).toEqual([2, expect.stringContaining("--expiry-period")]);
    const words = ["location", "create", "--business", home(), "--name", "x"];
    const rejected = await person(words);
    expect([rejected.code, rejected.err]).toEqual([1, expect.stringContaining("requires the role manager")]);
    expect(await cli.ok(["location", "create", "--help"])).toContain("It requires the role manager.");
  });

  it("is in the audit log", async () => {
    const words = ["audit", "list", "--business", home(), "--actor-name", "berta"];
    const { data } = await cli.json([...words, "--event", "member.wallet_adjusted"]);
    expect(data).toHaveLength(2);
    expect(data[0]).toMatchObject({ actor_kind: "account", actor_name: "berta", contact_id });
  });

  it("is shown by whoami, and forgotten after logout", async () => {
    const { out, err } = await person(["whoami"]);
    expect(out).toMatch(/name +berta/);
    const file = join(cli.directory, ".config/loyalty/login.json");
    expect(err).toContain(`The key comes from ${file}.`);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await cli.run(["whoami"])).out).toMatch(/name +root/);
    expect((await person(["logout"])).out).toContain("Signed out");
    expect((await person(["whoami"])).code).toBe(4);
    expect((await person(["logout"])).out).toContain("not signed in");
  });
});

it("signs in with name and password, or keeps a key", async () => {
  const wrong = await person(["login", "berta"], "not the password\n");
  expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining("name or the password is wrong")]);
  expect((await person(["login"], `berta\n${testPassword}\n`)).out).toContain("Signed in as berta");
  const words = [
    "operator",
    "key",
    "create",
    "--name",
    "report",
    "--role",
    "viewer",
    "--expires-in-days",
    "30",
  ];
  const { data } = await cli.json(words);
  expect((await person(["login", "--with-key"], `${data.operator_key}\n`)).out).toContain(
    "Signed in as report",
  );
  expect((await person(["whoami"])).out).toMatch(/kind +key/);
  await cli.ok(["operator", "key", "revoke", String(data.key_id), "--yes"]);
  expect((await person(["whoami"])).code).toBe(4);
});
