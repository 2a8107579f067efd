/** The programs of the till guide send the queue of a till that was offline, through all that can go wrong. */
import { execFile, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");
const guide = await readFile(join(root, "docs/guides/till.md"), "utf8");
const codeIn = (language: string) =>
  new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "ms").exec(guide)?.[1] ?? "";

interface Given {
  readonly status?: number;
  readonly code?: string;
  readonly details?: object;
  readonly data?: unknown;
  readonly retryAfter?: number;
  /** What a proxy sends instead. */
  readonly page?: string;
}
interface Asked {
  readonly path: string;
  readonly body: Record<string, unknown>;
  readonly token: string | undefined;
  readonly at: number;
}

let directory: string;
let server: Server;
let asked: Asked[];
/** The responses to each key or path, one after the other; the last one stays. */
let responses: Record<string, Given[]>;

beforeAll(async () => {
  await promisify(execFile)(join(root, "node_modules/.bin/tsc"), ["--build", join(root, "packages/sdk")]);
});
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "loyalty-till-queue-"));
  await symlink(join(root, "node_modules"), join(directory, "node_modules"));
  asked = [];
  responses = {};
  const recorded = { sale_id: 1, points_earned: 25, balances: { points: 25 } };
  const usual: Record<string, unknown> = {
    "/sp/auth/token": { access_token: "t", expires_in: 7200 },
    "/sp/members/find": { contact_id: 7 },
    "/sp/sales/quote": { points_earned: 25 },
    "/sp/sales/record": recorded,
    "/sp/sales/refund": { money_back: 1000 },
    "/sp/sales/list": [{ sale_id: 1 }],
  };
  server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const body = JSON.parse(text);
    const path = request.url as string;
    asked.push({ path, body, token: request.headers.authorization, at: performance.now() });
    const given = responses[body.idempotency_key] ?? responses[path];
    const next = (given !== undefined && given.length > 1 ? given.shift() : given?.[0]) ?? {};
    const { status = 200, code, details = {}, data = usual[path], retryAfter, page } = next;
    const sent = code === undefined ? { success: true, data } : { success: false, error: { code, details } };
    response.writeHead(status, retryAfter === undefined ? {} : { "retry-after": String(retryAfter) });
    response.end(page ?? JSON.stringify(sent));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterEach(async () => {
  server.close();
  await rm(directory, { recursive: true });
});

const sale = (name: string) => ({
  idempotency_key: name,
  reference_id: name,
  contact_id: 5,
  location_id: 1,
  amount: 900,
});
const linesOf = async (name: string) =>
  (await readFile(join(directory, name), "utf8"))
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
const recordings = (name: string) => asked.filter(({ body }) => body.idempotency_key === name);

describe.each([
  ["js", process.execPath, "till.mjs"],
  ["python", "python3", "till.py"],
  ["php", "php", "till.php"],
])("the program in %s", (language, command, file) => {
  const isThere = spawnSync(command, language === "php" ? ["--re", "curl"] : ["--version"]).status === 0;

  /** @param torn the beginning of a line that a loss of power has cut */
  async function run(queue: readonly object[], torn = ""): Promise<{ code: number; out: string }> {
    await writeFile(join(directory, file), codeIn(language));
    await writeFile(
      join(directory, "queue.jsonl"),
      queue.map((line) => `${JSON.stringify(line)}\n`).join("") + torn,
    );
    const { port } = server.address() as AddressInfo;
    const env = {
      BASE_URL: `http://127.0.0.1:${port}`,
      CLIENT_ID: "a",
      CLIENT_SECRET: "b",
      PATH: process.env.PATH ?? "",
    };
    return promisify(execFile)(command, [join(directory, file)], { cwd: directory, env }).then(
      ({ stdout }) => ({ code: 0, out: stdout }),
      (error) => ({ code: error.code, out: error.stdout }),
    );
  }

  it.skipIf(!isThere)("renews its token, waits as asked, and sends the same body again", async () => {
    responses.one = [
      { status: 401, code: "unauthorized" },
      { status: 503, code: "service_unavailable", retryAfter: 2 },
      {},
    ];
    responses["/sp/auth/token"] = [
      { data: { access_token: "old", expires_in: 7200 } },
      { data: { access_token: "new", expires_in: 7200 } },
    ];
    const { code, out } = await run([sale("one")]);
    expect([code, out.split("\n")[0]]).toEqual([0, "Left in the queue: 0"]);
    const sent = recordings("one");
    expect(sent.map(({ body }) => body)).toEqual([sale("one"), sale("one"), sale("one")]);
    expect(sent.map(({ token }) => token)).toEqual(["Bearer old", "Bearer new", "Bearer new"]);
    expect(sent[2]!.at - sent[1]!.at).toBeGreaterThan(1900);
    expect(await linesOf("queue.jsonl")).toEqual([]);
  });

  it.skipIf(!isThere)("puts aside what is rejected, and goes on with the next sale", async () => {
    responses.late = [
      { status: 422, code: "validation_failed", details: { errors: [{ field: "sold_on" }] } },
    ];
    responses.inactive = [{ status: 409, code: "member_inactive" }];
    responses.merged = [{ status: 409, code: "member_inactive", details: { merged_into: 9 } }, {}];
    responses.join = [{ status: 409, code: "member_already_exists", details: { field: "email" } }];
    responses.again = [{ status: 422, code: "idempotency_key_reused_with_different_payload" }];
    responses.other = [{ status: 422, code: "idempotency_key_reused_with_different_payload" }];
    responses.twice = [{ status: 422, code: "idempotency_key_reused_with_different_payload" }];
    const { contact_id, location_id, amount } = sale("again");
    const recorded = { sale_id: 3, contact_id, location_id, amount, sold_on: "2026-04-17" };
    // The last one is of another receipt with the same key.
    const lists = [[recorded], [], [{ ...recorded, amount: 1 }]];
    responses["/sp/sales/list"] = lists.map((data) => ({ data }));
    responses["/sp/members/find"] = [{}];
    const { contact_id: _, ...joined } = sale("joined");
    const customer = {
      idempotency_key: "join",
      first_name: "Ana",
      last_name: "López",
      phone_number: "+34600111222",
      email: "ana@example.com",
    };
    const names = ["late", "inactive", "merged", "again", "other", "twice", "last"];
    const { code } = await run([{ ...joined, customer }, ...names.map(sale)]);
    expect(code).toBe(0);
    expect(await linesOf("queue.jsonl")).toEqual([]);
    const aside = await linesOf("aside.jsonl");
    expect(aside.map(({ line, code }) => [line.idempotency_key, code])).toEqual([
      ["late", "validation_failed"],
      ["inactive", "member_inactive"],
      ["other", "idempotency_key_reused_with_different_payload"],
      ["twice", "idempotency_key_reused_with_different_payload"],
    ]);
    expect(recordings("joined").map(({ body }) => body)).toEqual([{ ...joined, contact_id: 7 }]);
    expect(asked.find(({ path }) => path === "/sp/members/find")?.body).toEqual({ email: customer.email });
    expect(recordings("merged").map(({ body }) => body.contact_id)).toEqual([5, 9]);
    expect(recordings("last")).toHaveLength(1);
  });

  it.skipIf(!isThere)(
    "gives up for now if the service keeps failing, and keeps the sales in their order",
    async () => {
      responses.two = [{ status: 500, code: "internal_error" }];
      const { code, out } = await run([sale("one"), sale("two"), sale("three")]);
      expect([code, out.split("\n")[0]]).toEqual([0, "Left in the queue: 2"]);
      // Five tries before the program sells, and five after it.
      expect(recordings("two")).toHaveLength(10);
      const [two, three, sold, refunded] = await linesOf("queue.jsonl");
      expect([two, three]).toEqual([sale("two"), sale("three")]);
      // Its own sale and refund are on the disk, too, though they were not sent.
      expect(sold).toMatchObject({ contact_id: 7, amount: 2500 });
      expect(refunded).toMatchObject({ refund_of: sold.idempotency_key, amount: 1000 });
    },
  );

  it.skipIf(!isThere)("refunds a sale of the queue by its reference, once", async () => {
    const line = { idempotency_key: "back", reference_id: "back", location_id: 1, amount: 900 };
    responses["/sp/sales/list"] = [{ data: [{ sale_id: 31 }] }, { data: [] }, { data: [{ sale_id: 1 }] }];
    responses.back = [{ status: 500, code: "internal_error" }, {}];
    const lost = { ...line, idempotency_key: "lost", reference_id: "lost", refund_of: "nowhere" };
    const { code } = await run([sale("one"), { ...line, refund_of: "one" }, lost]);
    expect(code).toBe(0);
    const sent = recordings("back").map(({ path, body }) => [path, body]);
    expect(sent).toEqual(Array(2).fill(["/sp/sales/refund", { ...line, sale_id: 31 }]));
    expect(asked.find(({ path }) => path === "/sp/sales/list")?.body).toMatchObject({ reference_id: "one" });
    // A sale that was put aside, or is in the queue of another till, can't be refunded yet.
    expect(await linesOf("aside.jsonl")).toEqual([
      { line: lost, code: "sale_not_found", details: { reference_id: "nowhere" } },
    ]);
  });

  it.skipIf(!isThere)("keeps the sales if a page comes that is not from the API", async () => {
    responses.one = [{ status: 403, page: "<h1>Sign in to the hotspot</h1>" }];
    expect((await run([sale("one"), sale("two")])).out).toMatch(/^Left in the queue: 2\n/);
    await expect(linesOf("aside.jsonl")).rejects.toThrow("ENOENT");
  });

  it.skipIf(!isThere)("drops a line that was not written whole, and appends none to it", async () => {
    const { code, out } = await run([sale("one")], JSON.stringify(sale("two")).slice(0, 30));
    expect([code, out.split("\n")[0]]).toEqual([0, "Left in the queue: 0"]);
    expect(await linesOf("queue.jsonl")).toEqual([]);
    expect(recordings("two")).toEqual([]);
  });

  it.skipIf(!isThere)("does not wait for an hour", async () => {
    responses.one = [{ status: 429, code: "rate_limited", retryAfter: 3600 }];
    expect((await run([sale("one")])).out).toMatch(/^Left in the queue: 1\n/);
    expect(recordings("one")).toHaveLength(2);
  });

  it.skipIf(!isThere)("stops, and loses nothing, if the till itself is not allowed", async () => {
    responses.one = [{ status: 403, code: "sp_scope_not_granted", details: { scope: "wa.sales.write" } }];
    expect((await run([sale("one"), sale("two")])).code).not.toBe(0);
    expect(await linesOf("queue.jsonl")).toEqual([sale("one"), sale("two")]);
  });
});
