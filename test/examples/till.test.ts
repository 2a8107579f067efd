/** The till of examples/ as its users run it: a process of its own, against a service over HTTP. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import {
  type Fate,
  type FaultyProxy,
  type ProxiedRequest,
  startFaultyProxy,
} from "../support/faulty-proxy.ts";
import { holdsOnce } from "../support/measurements.ts";
import { nextKey, useWorld, type World } from "../support/world.ts";
import {
  environmentOf,
  finished,
  newShop,
  runExample,
  type Shop,
  startProgram,
  useFolder,
} from "./programs.ts";

const root = join(import.meta.dirname, "../..");
const till = join(root, "examples/till/till.mjs");
const madeUpFile = join(root, "examples/till/purchases.txt");

/** What a file should come to: the points of each customer's purchases, by phone number, in the file's order. */
function expectedOf(text: string): Record<string, number[]> {
  const expected: Record<string, number[]> = {};
  for (const line of text.split("\n").filter((each) => each.trim() !== "")) {
    const [id, , , , dollars] = line.trim().split(/\s+/) as [string, string, string, string, string];
    const phoneNumber = `+999${id.padStart(10, "0")}`;
    expected[phoneNumber] ??= [];
    const points = Math.floor(Number(dollars));
    if (points > 0) expected[phoneNumber].push(points);
  }
  return expected;
}

/** What the database holds for a business, in the form of expectedOf. */
async function recordedIn(world: World, { businessId }: Shop): Promise<Record<string, number[]>> {
  const rows = await world.sql<{ phone_number: string; points: number[]; balance: number }[]>`
    SELECT phone_number, balance,
      ARRAY(SELECT amount::integer FROM ledger_entry e WHERE e.business_id = m.business_id
        AND e.contact_id = m.contact_id AND e.account = 'points' ORDER BY entry_no) AS points
    FROM member m JOIN account a USING (business_id, contact_id)
    WHERE m.business_id = ${businessId} AND a.account = 'points'`;
  for (const { points, balance } of rows) expect(sum(points)).toBe(balance);
  return Object.fromEntries(rows.map(({ phone_number, points }) => [phone_number, points]));
}

/** Every row that a run could have changed. */
async function snapshotOf(world: World, { businessId }: Shop): Promise<unknown> {
  const { sql } = world;
  return Promise.all([
    sql`SELECT * FROM member WHERE business_id = ${businessId} ORDER BY contact_id`,
    sql`SELECT * FROM account WHERE business_id = ${businessId} ORDER BY contact_id, account`,
    sql`SELECT * FROM ledger_entry WHERE business_id = ${businessId} ORDER BY entry_no`,
    sql`SELECT * FROM idempotency_key WHERE business_id = ${businessId} ORDER BY idempotency_key`,
  ]);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

const startTill = (args: readonly string[], environment: Record<string, string>) =>
  startProgram(process.execPath, [till, ...args], environment);
const runTill = (shop: Shop, baseUrl: string, args: readonly string[] = []) =>
  runExample("till/till.mjs", args, shop, baseUrl);

const madeUpText = readFileSync(madeUpFile, "utf8");
const expected = expectedOf(madeUpText);
const allPoints = Object.values(expected).flat();
const agrees =
  `Agrees with the file: ${Object.keys(expected).length} members, each balance, ` +
  `${allPoints.length} entries, ${sum(allPoints)} points.`;
const recordedAll = `Recorded now: ${Object.keys(expected).length} members, ${allPoints.length} credits.`;
const recordedNothing = "Recorded now: 0 members, 0 credits.";

const folder = useFolder();
let proxy: FaultyProxy | undefined;
afterEach(async () => {
  await proxy?.close();
  proxy = undefined;
});

it("ships a file in which the odd cases occur", () => {
  const lines = madeUpText.split("\n").filter((line) => line !== "");
  expect(lines).toHaveLength(40);
  expect(lines.length - new Set(lines).size).toBeGreaterThan(1);
  expect(lines.length - allPoints.length).toBeGreaterThan(1);
  expect(Object.values(expected)).toContainEqual([]);
});

describe("against a service that responds", () => {
  const world = useWorld();

  it("records the file once, however often and however late it runs", async () => {
    const shop = await newShop(world);
    const first = await runTill(shop, world.baseUrl);
    expect(first).toMatchObject({ status: 0, stdout: expect.stringContaining(recordedAll) });
    expect(first.stdout).toContain(agrees);
    expect(first.stderr).toMatch(/^\d+ of \d+ recorded, \d+ a second, 0 s left$/m);
    expect(await recordedIn(world, shop)).toEqual(expected);
    const before = await snapshotOf(world, shop);

    const second = await runTill(shop, world.baseUrl);
    expect(second).toMatchObject({ status: 0, stdout: expect.stringContaining(recordedNothing) });
    expect(second.stdout).toContain(agrees);
    expect(await snapshotOf(world, shop)).toEqual(before);

    // Weeks later: the service has forgotten the keys.
    await world.sql`DELETE FROM idempotency_key WHERE business_id = ${shop.businessId}`;
    const third = await runTill(shop, world.baseUrl);
    expect(third).toMatchObject({ status: 0, stdout: expect.stringContaining(recordedNothing) });
    expect(await recordedIn(world, shop)).toEqual(expected);
  });

  it("credits nothing twice when two run at the same time", async () => {
    const shop = await newShop(world);
    const runs = await Promise.all([runTill(shop, world.baseUrl), runTill(shop, world.baseUrl)]);
    expect(runs.map(({ stderr, status }) => ({ status, stderr }))).toEqual([
      { status: 0, stderr: expect.any(String) },
      { status: 0, stderr: expect.any(String) },
    ]);
    expect(await recordedIn(world, shop)).toEqual(expected);
  });

  it("records what a file has got since", async () => {
    const shop = await newShop(world);
    await runTill(shop, world.baseUrl);
    const text = ` 90117 0012 19970101  1   20.00\n${madeUpText} 90131 0013 19970118  1    7.50\r\n`;
    const longer = await runTill(shop, world.baseUrl, [await folder.write("longer.txt", text)]);
    expect(longer).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("Recorded now: 0 members, 2 credits."),
    });
    expect(await recordedIn(world, shop)).toEqual({
      ...expected,
      "+9990000090117": [...expected["+9990000090117"]!, 20],
      "+9990000090131": [7],
    });
  });

  // Of some 50 requests the first three ask; those after record. Killed when the service has responded to one of them,
  // but the till has not heard it; or before the service has heard it.
  const moments = [1, 4, 17, 30, 52].flatMap((index, nth) => [
    { index, fate: nth % 2 === 0 ? "lose_response" : "lose_request" } as const,
    ...(index === 17 ? [{ index, fate: "lose_request" } as const] : []),
  ]);
  it.each(moments)("goes on after it was killed at request $index, $fate", async ({ index, fate }) => {
    const shop = await newShop(world);
    let killed = false;
    proxy = await startFaultyProxy(world.baseUrl, (request) => {
      if (request.index < index) return "pass";
      killed ||= child.kill("SIGKILL");
      return fate;
    });
    const child = startTill(["--at-once", "4"], environmentOf(shop, proxy.baseUrl));
    expect(await finished(child)).toMatchObject({ status: null });
    expect(killed).toBe(true);
    // With the keys or, weeks later, without.
    if (index % 2 === 0) {
      await world.sql`DELETE FROM idempotency_key WHERE business_id = ${shop.businessId}`;
    }
    const resumed = await runTill(shop, world.baseUrl);
    expect(resumed).toMatchObject({ status: 0, stdout: expect.stringContaining(agrees) });
    expect(await recordedIn(world, shop)).toEqual(expected);
  });

  it("is not led astray by what others record while it reads, nor by how much there is", async () => {
    const shop = await newShop(world);
    const text = Array.from({ length: 230 }, () => " 00007 0001 19970101  1   15.00\n").join("");
    const other = await world.member({}, shop.credentials);
    proxy = await startFaultyProxy(world.baseUrl, async ({ path }): Promise<Fate> => {
      if (path === "/sp/transactions/list") await credit(shop, other, 3);
      return "pass";
    });
    const run = await runTill(shop, proxy.baseUrl, [await folder.write("many.txt", text)]);
    expect(run).toMatchObject({ status: 0, stderr: expect.any(String) });
    expect(run.stdout).toContain("230 entries, 3450 points.");
    expect((await recordedIn(world, shop))["+9990000000007"]).toEqual(Array(230).fill(15));
  });

  it("says what differs, and fails, when the ledger is not as the file", async () => {
    const shop = await newShop(world);
    await runTill(shop, world.baseUrl);
    const [member] = await world.sql<{ contact_id: number }[]>`
      SELECT contact_id FROM member WHERE business_id = ${shop.businessId} AND phone_number = '+9990000090063'`;
    await credit(shop, member!.contact_id, 5);
    const run = await runTill(shop, world.baseUrl);
    expect(run.status).toBe(1);
    expect(run.stdout).not.toContain("Agrees");
    expect(run.stderr).toContain(
      `customer 90063 (contact_id ${member!.contact_id}): the balance is 35; the file says 30`,
    );
    expect(run.stderr).toContain(`add up to ${sum(allPoints) + 5} points; the file says ${sum(allPoints)}`);
  });

  it.each(["", "/"])(
    "finds the API below the address of the service, as the loyalty command does: %j",
    async (end) => {
      const shop = await newShop(world);
      const run = await runTill(shop, new URL(world.baseUrl).origin + end);
      expect(run).toMatchObject({ status: 0, stdout: expect.stringContaining(agrees) });
    },
  );

  it("takes the credentials from a demo file", async () => {
    const shop = await newShop(world);
    const { client_id, client_secret } = shop.credentials;
    const demo = { base_url: `${world.baseUrl}/`, client_id, client_secret };
    const path = await folder.write("demo.json", JSON.stringify(demo));
    const wrong = environmentOf(shop, "http://127.0.0.1:1");
    expect(await finished(startTill(["--demo-file", path], wrong))).toMatchObject({ status: 0 });
    expect(await recordedIn(world, shop)).toEqual(expected);
  });

  async function credit(shop: Shop, contactId: number, points: number): Promise<void> {
    const reply = await world.ask(
      "/sp/reward-points/adjust",
      { idempotency_key: nextKey(), contact_id: contactId, points, adjustment_type: "credit" },
      shop.credentials,
    );
    expect(reply.status).toBe(200);
  }

  describe("through a network that loses things", () => {
    const unavailable = { status: 503, headers: { "retry-after": "0" }, body: "" };
    const fateOf = ({ index }: ProxiedRequest) => {
      if (index % 4 === 3) return "lose_response";
      if (index % 7 === 6) return "lose_request";
      return index % 11 === 10 ? unavailable : "pass";
    };

    it("sends again with the same key until it gets a response", async () => {
      const shop = await newShop(world);
      proxy = await startFaultyProxy(world.baseUrl, fateOf);
      const run = await runTill(shop, proxy.baseUrl);
      expect(run).toMatchObject({ status: 0, stdout: expect.stringContaining(agrees) });
      expect(Number(/sent again (\d+) times/.exec(run.stdout)?.[1])).toBeGreaterThan(10);
      // It tells of the first problem, whichever that was.
      expect(run.stderr).toMatch(/(no response \(.+\)|responded with 503); trying again/);
      expect(await recordedIn(world, shop)).toEqual(expected);
    });

    it("gets a new token when the old one is rejected, once", async () => {
      const shop = await newShop(world);
      const error = { code: "unauthorized", details: {} };
      const rejection = { status: 401, body: JSON.stringify({ success: false, message: "", error }) };
      let rejected = 0;
      let rejectAll = true;
      proxy = await startFaultyProxy(world.baseUrl, ({ path }) => {
        if (path !== "/sp/reward-points/adjust" || (!rejectAll && rejected > 0)) return "pass";
        rejected += 1;
        return rejection;
      });
      const never = await runTill(shop, proxy.baseUrl);
      expect(never).toMatchObject({ status: 1, stderr: expect.stringContaining("401 unauthorized") });

      rejectAll = false;
      rejected = 0;
      expect(await runTill(shop, proxy.baseUrl)).toMatchObject({ status: 0 });
      expect(rejected).toBe(1);
      expect(await recordedIn(world, shop)).toEqual(expected);
    });
  });

  describe("when it can't go on", () => {
    it("says that the service does not respond", async () => {
      const shop = await newShop(world);
      proxy = await startFaultyProxy(world.baseUrl, () => "lose_request");
      const run = await runTill(shop, proxy.baseUrl, ["--patience", "1"]);
      expect(run).toMatchObject({
        status: 1,
        stderr: expect.stringContaining("/sp/auth/token: no response ("),
      });
    });

    it("says that the address is not that of the API", async () => {
      const shop = await newShop(world);
      const run = await runTill(shop, `${new URL(world.baseUrl).origin}/elsewhere`);
      expect(run).toMatchObject({ status: 1, stderr: expect.stringContaining("operation_not_found") });
    });

    it("says why the service rejects", async () => {
      const shop = await newShop(world);
      const run = await finished(
        startTill([], { ...environmentOf(shop, world.baseUrl), LOYALTY_CLIENT_SECRET: "guessed" }),
      );
      expect(run).toMatchObject({ status: 1, stderr: expect.stringContaining("invalid_client_credentials") });
    });

    it("sends nothing for a file that it can't read whole", async () => {
      const shop = await newShop(world);
      proxy = await startFaultyProxy(world.baseUrl);
      const text = `${madeUpText} 90131 0013 19970230  1   10.00\n 90131 0013 19970118  1    ten\n`;
      const run = await runTill(shop, proxy.baseUrl, [await folder.write("broken.txt", text)]);
      expect(run.status).toBe(2);
      expect(run.stderr).toContain("line 41: there is no day 19970230");
      expect(run.stderr).toContain("line 42: expected five columns");
      expect(proxy.requests).toEqual([]);
    });

    it.each([
      { args: ["--at-once", "0"], says: '--at-once must be a whole number from 1 to 256, not "0".' },
      { args: ["--fast"], says: "Unknown option '--fast'" },
      { args: ["a.txt", "b.txt"], says: "Give one file of purchases." },
      { args: ["missing.txt"], says: "missing.txt can't be read (ENOENT)." },
      { args: ["--demo-file", "missing.json"], says: "missing.json can't be read (ENOENT)." },
      { args: ["--demo-file", "examples/till/purchases.txt"], says: "is not JSON" },
      { args: ["--demo-file", "package.json"], says: "must hold base_url, client_id and client_secret" },
    ])("says what is wrong with $args", async ({ args, says }) => {
      const run = await finished(startTill(args, { LOYALTY_URL: "" }));
      expect(run).toMatchObject({ status: 2, stderr: expect.stringContaining(says) });
    });

    it("wants all of the environment's credentials or none", async () => {
      const run = await finished(startTill([], { LOYALTY_URL: world.baseUrl, LOYALTY_CLIENT_SECRET: "s3" }));
      expect(run).toMatchObject({
        status: 2,
        stderr: expect.stringContaining(
          "Set: LOYALTY_URL, LOYALTY_CLIENT_SECRET. Not set: LOYALTY_CLIENT_ID. Set all three of them or none",
        ),
      });
      expect(run.stderr).not.toContain("s3");
    });
  });

  it("explains itself", async () => {
    const run = await finished(startTill(["--help"], {}));
    expect(run).toMatchObject({
      status: 0,
      stderr: "",
      stdout: expect.stringMatching(/^Usage: .*till\.mjs/),
    });
  });
});

describe("against a service that limits the rate", () => {
  const world = useWorld({ LOYALTY_RATE_LIMIT: "6" });

  it("waits as long as it is told", async () => {
    const isLimited = async () => {
      const shop = await newShop(world);
      await proxy?.close();
      proxy = await startFaultyProxy(world.baseUrl);
      const run = await runTill(shop, proxy.baseUrl, ["--at-once", "4"]);
      expect(run).toMatchObject({ status: 0, stdout: expect.stringContaining(agrees) });
      expect(await recordedIn(world, shop)).toEqual(expected);
      const limited = proxy.responded(429);
      if (limited > 0) expect(run.stdout).toContain(`slowed down ${limited} times`);
      // A wait lets six more pass, and is brought about by four rejections at most: those under way together. A till that
      // did not wait would be rejected hundreds of times.
      expect(limited).toBeLessThan(proxy.requests.length / 2);
      return limited > 0;
    };
    // On a very busy machine, the till itself may be slower than the limit.
    expect(await holdsOnce(isLimited)).toBe(true);
  });
});
