/** Moving between the embedded PostgreSQL and one's own, by the commands of docs/BACKUPS.md. */
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type Database, openDatabase } from "../../src/database/connection.ts";
import { type Outcome, useCli } from "../support/cli.ts";
import { readDemo, startService } from "../support/service-process.ts";

type Environment = Record<string, string>;

const cli = useCli();
const database = `loyalty_${randomBytes(6).toString("hex")}`;
let directory = "";
let admin: Database;
let own: Environment;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "loyalty-moving-"));
  const server = inject("server");
  const settings = { connections: 1, statementTimeoutMilliseconds: 30_000, applicationName: "loyalty tests" };
  admin = openDatabase(server, settings);
  await admin.query(`CREATE DATABASE ${database}`);
  own = {
    DATABASE_URL: `postgres:///${database}`,
    PGHOST: server.host,
    PGPORT: String(server.port),
    PGUSER: server.user,
    PGPASSWORD: server.password,
  };
});
afterAll(async () => {
  await admin.query(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`);
  await admin.end();
  await rm(directory, { recursive: true, force: true });
});

const run = (words: readonly string[], environment: Environment) => cli.run(words, { environment });

async function loyalty(words: readonly string[], environment: Environment): Promise<string> {
  const { code, out, err } = await run(words, environment);
  expect([code, words], err).toEqual([0, words]);
  return out;
}

/** Starts the service and does something while it runs. */
async function whileItRuns<Value>(
  environment: Environment,
  work: (environment: Environment) => Promise<Value>,
): Promise<Value> {
  const service = startService({ directory: cli.installation.directory, environment });
  try {
    const { port } = new URL(await service.ready());
    return await work({ ...environment, PORT: port });
  } finally {
    await service.stop();
  }
}

/** Verifies the ledger of a running service, and exports the members of a business and all entries with the balances after them. */
async function recordsOf(running: Environment, business = 1): Promise<string> {
  await loyalty(["verify"], running);
  const at = ["--business", String(business)];
  const members = await loyalty(["export", "members", ...at], running);
  return members + (await loyalty(["export", "transactions", ...at], running));
}

const entriesOf = (environment: Environment) => whileItRuns(environment, (running) => recordsOf(running));

it("keeps every entry and balance, there and back", async () => {
  const embedded = { LOYALTY_DATA_DIR: await cli.installation.dataDirectory(directory) };
  const before = await entriesOf(embedded);
  expect(before.split("\n").length).toBeGreaterThan(100);

  const [there, back] = [join(directory, "there"), join(directory, "back")];
  const nowhere = { LOYALTY_DATA_DIR: join(directory, "nowhere") };
  await loyalty(["backup", there], embedded);
  await loyalty(["restore", there], { ...nowhere, ...own });
  await loyalty(["backup", back], { ...nowhere, ...own });
  const again = { LOYALTY_DATA_DIR: join(directory, "again") };
  await loyalty(["restore", back], again);
  // The service that starts on what came back has all that was there, too.
  const secrets = {
    LOYALTY_SECRET_FILE: join(there, "secret"),
    LOYALTY_OPERATOR_KEY_FILE: join(there, "operator.key"),
  };
  expect(await entriesOf({ ...again, ...secrets })).toBe(before);
});

describe("a business of its own", () => {
  let [from, to] = ["", ""];
  beforeAll(async () => {
    from = await cli.installation.dataDirectory(directory);
    to = await cli.installation.dataDirectory(directory);
  });
  const files = () => join(directory, "aurora");

  /** Calls the partner API with the credentials of the exported business. */
  const calling = async (running: Environment) => {
    const { client_id, client_secret } = await readDemo(from);
    return (path: string, body: object) =>
      run(["call", path, JSON.stringify(body), "--client-id", client_id], {
        ...running,
        LOYALTY_CLIENT_SECRET: client_secret,
      });
  };
  const dataOf = ({ out, err }: Outcome) => {
    expect(out, err).toContain('"success": true');
    return JSON.parse(out).data;
  };

  it("has the same entries, balances and integrations in another service, beside the businesses there", async () => {
    const write = { idempotency_key: "before", points: 7, adjustment_type: "credit" };
    const [credit, before, events] = await whileItRuns({ LOYALTY_DATA_DIR: from }, async (running) => {
      const call = await calling(running);
      await loyalty(["business", "update", "--business", "1", "--events-enabled"], running);
      const [{ contact_id }] = dataOf(await call("/sp/members/list", { per_page: 1 }));
      dataOf(await call("/sp/reward-points/adjust", { ...write, contact_id }));
      const { events } = dataOf(await call("/sp/events/list", {}));
      expect(events).toHaveLength(2);
      return [{ ...write, contact_id }, await recordsOf(running), events] as const;
    });
    expect(
      await loyalty(["export", "business", files(), "--business", "1"], { LOYALTY_DATA_DIR: from }),
    ).toMatch(/^Exported .* to .*aurora: \d+ files, [\d,]+ rows/);

    await whileItRuns({ LOYALTY_DATA_DIR: to }, async (running) => {
      const beside = await recordsOf(running);
      const imported = await loyalty(["import", "business", files(), "--json"], running);
      const { business_id } = JSON.parse(imported) as { business_id: number };
      // The integration that recorded the last entry has another id here.
      const after = await recordsOf(running, business_id);
      expect(after.replace(/,3,(\s*)$/, ",1,$1")).toBe(before);
      expect(await recordsOf(running)).toBe(beside);

      const call = await calling(running);
      const retried = await call("/sp/reward-points/adjust", credit);
      expect([retried.code, retried.err]).toEqual([
        1,
        expect.stringContaining("idempotency_key_of_another_secret"),
      ]);
      expect(await recordsOf(running, business_id)).toBe(after);
      const [known] = dataOf(await call("/sp/members/list", { per_page: 100 }));
      const person = { first_name: "Ana", last_name: "López", phone_number: "+34699000000" };
      const { contact_id } = dataOf(await call("/sp/members/create", person));
      expect(contact_id).toBeGreaterThan(known.contact_id);
      dataOf(await call("/sp/reward-points/adjust", { ...credit, idempotency_key: "after" }));
      const listed = dataOf(await call("/sp/events/list", {}));
      const moved = events.map(({ data, ...event }: { data: object }) => {
        return { ...event, data: { ...data, business_id } };
      });
      expect(listed.events.slice(0, 2)).toEqual(moved);
      expect(listed).toMatchObject({ next: 4, last: 4, enabled: true });
      await loyalty(["verify"], running);
      const log = JSON.parse(
        await loyalty(["audit", "list", "--event", "business.imported", "--json"], running),
      );
      expect(log.data).toMatchObject([{ business_id, after: { exported_business_id: 1 } }]);
    });
    const again = await run(["import", "business", files()], { LOYALTY_DATA_DIR: to });
    expect([again.code, again.err]).toEqual([1, expect.stringContaining("is imported already")]);
  });

  it("is not imported into another schema version, nor is a backup, nor a file that has changed", async () => {
    const manifest = join(files(), "business.json");
    const text = await readFile(manifest, "utf8");
    const isRejected = async (said: RegExp, directory = files()) => {
      const { code, err } = await run(["import", "business", directory], { LOYALTY_DATA_DIR: to });
      expect([code, err]).toEqual([1, expect.stringMatching(said)]);
    };
    const digest = text.replace(/"schema_digest": "\w+"/, `"schema_digest": "${"0".repeat(64)}"`);
    await writeFile(manifest, digest.replace(/"schema_version": \d+/, '"schema_version": 3'));
    await isRejected(/schema version 3.*export it again/);
    await writeFile(manifest, digest);
    await isRejected(/another schema of this number.*export it again/);
    await writeFile(manifest, text.replace(/ "schema_digest": .*\n/, ""));
    await isRejected(/business\.json is damaged: .*schema_digest/);
    await writeFile(manifest, text);
    await writeFile(join(files(), "member.copy.gz"), "");
    await isRejected(/damaged: .*member\.copy\.gz has changed/);
    await isRejected(/it has no business\.json/, directory);
    const nowhere = { LOYALTY_DATA_DIR: join(directory, "no-database") };
    const rejected = await run(["import", "business", files()], nowhere);
    expect([rejected.code, rejected.err]).toEqual([
      1,
      expect.stringMatching(/no-database holds no database/),
    ]);
    expect(existsSync(nowhere.LOYALTY_DATA_DIR)).toBe(false);
    const unknown = await run(["export", "business", join(directory, "none"), "--business", "99"], {
      LOYALTY_DATA_DIR: from,
    });
    expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining("Business 99 not found")]);
  });
});
