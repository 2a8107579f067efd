/** The commands that look after an installation: doctor, config show, key rotate. */
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { deriveKeys, placeOfWallet } from "../../src/credentials/keys.ts";
import { prepareInstallation } from "../../src/database/cell.ts";
import { putPage } from "../../src/database/members/pages.ts";
import { deleteWallets, putWallet } from "../../src/database/wallets/issuers.ts";
import { putPass } from "../../src/database/wallets/passes.ts";
import { type Outcome, useCli } from "../support/cli.ts";
import { holdsOnce } from "../support/measurements.ts";
import { storeEndpoint } from "../support/webhook-endpoints.ts";
import { testSecret, useWorld } from "../support/world.ts";

const world = useWorld();
const cli = useCli(world);

function database(): Record<string, string> {
  const { host, port, user, password, database: name } = world.database.connection;
  return {
    LOYALTY_SECRET: testSecret,
    DATABASE_URL: `postgres:///${name}`,
    PGHOST: host,
    PGPORT: String(port),
    PGUSER: user,
    PGPASSWORD: password,
  };
}

it("finds an installation in order, a line a check", async () => {
  await mkdir(join(cli.directory, "data"), { recursive: true });
  // The clocks differ by what the machine pauses between two looks.
  let outcome: Outcome = { code: 1, out: "", err: "" };
  const hasClock = async () => {
    outcome = await cli.run(["doctor"], { environment: database() });
    return /\nok {4}clock {5}/.test(outcome.out);
  };
  expect(await holdsOnce(hasClock)).toBe(true);
  const { code, out } = outcome;
  const lines = out.trimEnd().split("\n");
  expect(lines[0]).toBe("ok    settings  every setting is valid for a service started in this directory");
  expect(lines[1]).toBe("ok    service   responds to the operator key");
  expect(lines[2]).toMatch(
    /^warn {2}accounts {2}everybody uses the operator key, .*: loyalty operator create /,
  );
  expect(lines[3]).toMatch(/^(?:ok {4}|warn {2})version {3}version \S+, schema \d+/);
  expect(out).toMatch(/\nok {4}database {2}PostgreSQL \S+.*, schema \d+\n/);
  expect(out).toMatch(/\nok {4}zones {5}time zones of businesses: .+; those of Node, not used: \d{4}\w\n/);
  expect(out).toMatch(/\n\w+ +disk {6}.* free \(\d+%\)/);
  expect(lines.at(-1)).toMatch(/^warn {2}backups {3}no backup found in /);
  expect(code).toBe(/^fail/m.test(out) ? 1 : 0);
});

it("fails where a check fails, and says so to a script", async () => {
  const environment = { ...database(), LOYALTY_URL: "http://127.0.0.1:9", PORT: "many" };
  const { code, out } = await cli.run(["doctor", "--json"], { environment });
  expect(code).toBe(1);
  const { checks } = JSON.parse(out);
  expect(checks.slice(0, 2)).toMatchObject([
    { check: "settings", result: "fail", message: expect.stringMatching(/^PORT must be/) },
    { check: "service", result: "fail", message: expect.stringMatching(/does not respond/) },
  ]);
});

it("names the businesses whose move was interrupted", async () => {
  const { businessId } = world.away;
  const linesIn = async (state: string | null) => {
    await world.sql`
      UPDATE ledger SET move_state = ${state},
        move_database = CASE WHEN ${state}::text IS NOT NULL THEN gen_random_uuid() END
      WHERE business_id = ${businessId}`;
    const { out, err } = await cli.run(["doctor"], { environment: database() });
    // It reports what the service rejects at once.
    expect(err).toBe("");
    return out.split("\n").filter((line) => /^\w+ +(?:moves|service) |are not checked/.test(line));
  };
  const found = `warn  moves     the move of business ${businessId} was interrupted: repeat the command, or add --cancel`;
  const responds = "ok    service   responds to the operator key";
  const rejected = `warn  points    sales of business ${businessId}, Away, are not checked: requests about it are rejected, as while it moves to another cell`;
  for (const state of ["copying", "leaving"]) expect(await linesIn(state), state).toEqual([responds, found]);
  expect(await linesIn("left")).toEqual([responds, rejected, found]);
  // The business is still listed where it comes from.
  expect(await linesIn("arriving")).toEqual([responds, found]);
  expect(await linesIn(null)).toEqual([responds]);
});

it("says for how long the previous secret is needed", async () => {
  const secretLine = async (environment: Record<string, string>) => {
    const { out } = await cli.run(["doctor"], { environment: { ...database(), ...environment } });
    return out.split("\n").find((line) => /^\w+ +secret /.test(line));
  };
  const LOYALTY_SECRET_PREVIOUS = "a previous secret for tests, long enough";
  await prepareInstallation(world.sql, 0, "the first");
  expect(await secretLine({})).toBeUndefined();
  expect(await secretLine({ LOYALTY_SECRET_PREVIOUS })).toMatch(/^ok .* is no longer needed: remove it$/);
  await prepareInstallation(world.sql, 0, "the second");
  await world.sql`UPDATE installation SET secret_since = now() - interval '39 days'`;
  expect(await secretLine({})).toMatch(
    /^warn .*get a 409 until \d{4}-\d\d-\d\d; set LOYALTY_SECRET_PREVIOUS$/,
  );
  expect(await secretLine({ LOYALTY_SECRET_PREVIOUS })).toMatch(
    /^ok .* is needed until \d{4}-\d\d-\d\d, when the last key that was stored with it expires$/,
  );
  await world.sql`UPDATE installation SET secret_since = now() - interval '41 days'`;
  expect(await secretLine({})).toBeUndefined();
  expect(await secretLine({ LOYALTY_SECRET_PREVIOUS })).toMatch(/no longer needed/);
  const { businessId } = world.home;
  await storeEndpoint(
    world.sql,
    LOYALTY_SECRET_PREVIOUS,
    { businessId, url: "https://example.com/" },
    { headers: [] },
  );
  expect(await secretLine({ LOYALTY_SECRET_PREVIOUS })).toMatch(
    /needed until you rotate the secrets of 1 webhook endpoints, and set their headers again$/,
  );
  await world.sql`DELETE FROM webhook_secret`;
  expect(await secretLine({ LOYALTY_SECRET_PREVIOUS })).toMatch(/of 1 webhook endpoints/);
  await world.sql`UPDATE webhook_endpoint SET headers = NULL`;
  const wallet = {
    issuer: "pass.com.example",
    account: "team",
    subject: null,
    ends_at: null,
    logo_url: null,
  };
  const sealed = deriveKeys(LOYALTY_SECRET_PREVIOUS).seal("{}", placeOfWallet(businessId, "apple"));
  await putWallet(world.sql, businessId, "apple", { ...wallet, sealed });
  expect(await secretLine({ LOYALTY_SECRET_PREVIOUS })).toMatch(
    /needed until you set up passes for 1 wallets again$/,
  );
  await deleteWallets(world.sql, businessId);
  const contactId = await world.member();
  await putPage(world.sql, businessId, contactId, { generation: 1, token_hash: Buffer.alloc(32) });
  expect(await secretLine({ LOYALTY_SECRET_PREVIOUS })).toMatch(/no longer needed/);
  await world.sql`UPDATE member_page SET created_at = now() - interval '42 days'`;
  expect(await secretLine({ LOYALTY_SECRET_PREVIOUS })).toMatch(
    /needed for the pages of members whose addresses were made before \d{4}-[\d: -]+ UTC$/,
  );
});

it("names the wallets whose passes can't be updated, or soon can't be", async () => {
  const { businessId } = world.home;
  const lines = async () => {
    const { out } = await cli.run(["doctor"], { environment: database() });
    return out.split("\n").filter((line) => /^\w+ +wallets /.test(line));
  };
  expect(await lines()).toEqual([]);
  const endsAfter = (days: number) => new Date(Date.now() + (days + 0.5) * 86_400_000).toISOString();
  const put = (days: number) =>
    putWallet(world.sql, businessId, "apple", {
      ...{ issuer: "pass.com.example", account: "team", subject: null, logo_url: null, sealed: "x" },
      ends_at: endsAfter(days),
    });
  await put(31);
  expect(await lines()).toEqual(["ok    wallets   wallets for passes: 1, none with a problem"]);
  const name = `warn  wallets   passes for Apple Wallet of business ${businessId}: `;
  const renew = "make another one, and set it up with the same pass type";
  await put(29);
  expect(await lines()).toEqual([`${name}the certificate ends in 29 days; ${renew}`]);
  await put(-2);
  expect(await lines()).toEqual([`${name}the certificate has ended; ${renew}`]);
  await put(100);
  await world.sql`UPDATE wallet_issuer SET problem = 'Apple did not respond.'`;
  const pass = { contact_id: await world.member(), page_generation: 1, serial: "s", hash: null };
  await putPass(world.sql, businessId, "apple", pass);
  await world.sql`UPDATE wallet_pass SET changes = 1, changed_at = now() - interval '61 minutes', next_push_at = 'infinity'`;
  expect(await lines()).toEqual([
    `${name}Apple did not respond.`,
    expect.stringMatching(/: a change has not been told for 1 h 1 min$/),
  ]);
  await deleteWallets(world.sql, businessId);
});

it("shows every setting with its source, and no secret", async () => {
  const directory = join(cli.directory, "configured");
  await mkdir(directory);
  await writeFile(join(directory, ".env"), "LOG_LEVEL=debug\nLOYALTY_WORKERS=2\n");
  const environment = { LOYALTY_SECRET: testSecret, PORT: "9090" };
  const out = await cli.ok(["config", "show"], { directory, environment });
  expect(out).toMatch(/\nPORT +9090 +environment\n/);
  expect(out).toMatch(/\nLOYALTY_WORKERS +2 +\.env\n/);
  expect(out).toMatch(/\nLOG_LEVEL +debug +\.env\n/);
  expect(out).toMatch(/\nHOST +127\.0\.0\.1 +default\n/);
  expect(out).not.toContain(testSecret);
  const wrong = { PORT: "many", LOG_LEVEL: "loud" };
  expect(await cli.run(["config", "show"], { directory, environment: wrong })).toMatchObject({
    code: 2,
    err: expect.stringMatching(
      /^PORT must be a whole number from 0 to 65535, not "many"\.\nLOG_LEVEL must be one of .*, not "loud"\.\n$/,
    ),
  });
});

it("replaces the operator key, for its owner's eyes only", async () => {
  const data = join(cli.directory, "keyed");
  await mkdir(data);
  const file = join(data, "operator.key");
  await writeFile(file, "the-old-key-of-the-operator-long-enough\n");
  const environment = { LOYALTY_OPERATOR_KEY: "", LOYALTY_DATA_DIR: data };
  const rejected = await cli.run(["key", "rotate"], { environment });
  expect(rejected).toMatchObject({
    code: 2,
    err: expect.stringMatching(/It would: Replace the operator key in /),
  });
  expect(await readFile(file, "utf8")).toMatch(/^the-old-key/);
  const out = await cli.ok(["key", "rotate", "--yes"], { environment });
  expect(out).toBe(`A new operator key is in ${file}. A running service accepts it now.\n`);
  expect(await readFile(file, "utf8")).toMatch(/^[\w-]{64}\n$/);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await cli.run(["key", "rotate", "--yes"])).err).toMatch(
    /^The operator key is set by LOYALTY_OPERATOR_KEY/,
  );
});
