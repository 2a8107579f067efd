/** Where secrets are not: in the database, in the log, in errors, in metrics. And what their checks take. */

import { createHash } from "node:crypto";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nameInSql } from "../../src/database/sql.ts";
import { payloadOf } from "../../src/domain/idempotency.ts";
import { operatorOperations } from "../../src/operations/operations.ts";
import type { Body } from "../support/engine-requests.ts";
import { holdsOnce } from "../support/measurements.ts";
import { makeOperatorRecords, soundOperatorBody } from "../support/operator-requests.ts";
import { isWrite, makeRecords, operationsInRealTime, validBody } from "../support/requests.ts";
import {
  type StartedService,
  startService,
  testOperatorKey,
  testSecret,
  useWorld,
} from "../support/world.ts";

const world = useWorld();
let service: StartedService;
const lines: string[] = [];
/** Everything that only its owner may know, by what it is. */
const secrets = new Map<string, string>();
/** The payloads of writes, as the service makes them out. */
const payloads: string[] = [];
const errors: string[] = [];

beforeAll(async () => {
  const log = pino({ level: "trace" }, { write: (line: string) => void lines.push(line) });
  service = await startService(world, { log });
  secrets.set("the service's secret", testSecret);
  secrets.set("the operator key", testOperatorKey);
  const token = await world.freshToken(world.home.everywhere);
  const send = async (path: string, body: Body, bearer?: string) => {
    const { text, body: response } = await world.call(path, body, {
      token: bearer,
      baseUrl: service.baseUrl,
    });
    if (response.success !== true) errors.push(text);
    for (const name of [
      "access_token",
      "client_secret",
      "previous_client_secret",
      "operator_key",
      "invitation_token",
      "page_path",
    ]) {
      if (response.data?.[name] !== undefined) secrets.set(`${name} of ${path}`, response.data[name]);
    }
    // The page itself, what is no page of it, and requests that pages don't take.
    for (const page of [response.data?.page_path].flatMap((found) => found ?? []))
      for (const [address, method] of [
        [page, "GET"],
        [`${page}/nothing`, "GET"],
        [page, "DELETE"],
      ] as const)
        errors.push(
          (await world.call(address, undefined, { method, baseUrl: service.baseUrl })).text.replace(
            /<link.*?>/g,
            "",
          ),
        );
  };
  const read = await makeOperatorRecords(world, world.home);
  for (const operation of [...operationsInRealTime, ...operatorOperations]) {
    const { path } = operation;
    const isOperatorOperation = path.startsWith("/op/");
    const body = isOperatorOperation
      ? soundOperatorBody(operation, isWrite(operation) ? await makeOperatorRecords(world, world.home) : read)
      : validBody(operation, world.home, isWrite(operation) ? await makeRecords(world, world.home) : read);
    for (const name of ["password", "new_password"]) {
      if (name in body) body[name] = `${path} is the password`;
      if (name in body) secrets.set(`${name} of ${path}`, String(body[name]));
    }
    if (isWrite(operation)) payloads.push(payloadOf(path, body), JSON.stringify(body));
    const bearer = isOperatorOperation ? testOperatorKey : path === "/sp/auth/token" ? undefined : token;
    // Done, then replayed, then rejected in ways that could tell what was sent.
    await send(path, body, bearer);
    await send(path, body, bearer);
    await send(path, { ...body, nonsense: [...secrets.values()].join(" ") }, bearer);
    await send(path, body, `${bearer}x`);
    // The response repeats the names of fields, but nothing stores them.
    const asNames = Object.fromEntries(
      [...secrets.values()]
        .filter(({ length }) => length < 256)
        .slice(-20)
        .map((secret) => [secret, true]),
    );
    await world.call(path, { ...body, ...asNames }, { token: bearer, baseUrl: service.baseUrl });
  }
  secrets.set("a token", token);
  for (const { client_secret } of [world.home.everywhere, world.home.limited]) {
    secrets.set(`the client_secret ${client_secret.slice(0, 12)}…`, client_secret);
  }
  const { client_id } = world.home.everywhere;
  secrets.set("a wrong client_secret", "wrong but near the right one");
  await send("/sp/auth/token", { client_id, client_secret: "wrong but near the right one" });
});
afterAll(() => service.close());

/** Every row of every table, as text; bytes are written in hex. */
async function dump(): Promise<string> {
  // A list of requests first writes what the process still has.
  const { businessId: business_id } = world.home;
  const options = { token: testOperatorKey, baseUrl: service.baseUrl };
  const listed = await world.call(
    "/op/requests/list",
    { business_id, error_code: "validation_failed" },
    options,
  );
  expect(listed.body.meta.pagination.total).toBeGreaterThan(40);
  const tables = await world.sql<{ name: string }[]>`
    SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`;
  const texts: string[] = [];
  for (const { name } of tables) {
    const rows = await world.sql<{ row: string }[]>`SELECT t::text AS row FROM ${nameInSql(name)} t`;
    texts.push(...rows.map(({ row }) => row));
  }
  return texts.join("\n");
}

/** A text as it could be written down. */
const spellings = (text: string) => [
  text,
  Buffer.from(text).toString("hex"),
  Buffer.from(text).toString("base64").replace(/=+$/, ""),
  Buffer.from(text).toString("base64url"),
];
const hashes = (text: string) =>
  ["md5", "sha1", "sha256", "sha512", "sha3-256"].flatMap((algorithm) =>
    (["hex", "base64", "base64url"] as const).map((encoding) =>
      createHash(algorithm).update(text).digest(encoding),
    ),
  );

describe("no secret", () => {
  it("was left out of the search", () => {
    const kinds = [
      "access_token of",
      "client_secret of /op/integrations/rotate",
      "new_password of",
      "page_path of",
      "password of",
    ];
    for (const kind of kinds)
      expect(
        [...secrets.keys()].some((name) => name.startsWith(kind)),
        kind,
      ).toBe(true);
    expect(payloads.length).toBeGreaterThan(40);
    expect(errors.length).toBeGreaterThan(80);
  });

  const places: Record<string, () => Promise<string>> = {
    "a table": dump,
    "the log": async () => lines.join(""),
    "an error": async () => errors.join("\n"),
    "the metrics": () => service.metrics(),
  };
  it.each(Object.entries(places))("is in %s", async (_place, read) => {
    const text = await read();
    expect(text.length).toBeGreaterThan(1000);
    const found = [...secrets].filter(([, secret]) => spellings(secret).some((each) => text.includes(each)));
    expect(found.map(([name]) => name)).toEqual([]);
  });

  it("that could be guessed is in a table as a hash without salt or key, nor is a payload that may hold one", async () => {
    const text = await dump();
    const passwords = [...secrets].filter(([name]) => name.includes("password")).map(([, secret]) => secret);
    // Those of the search itself work: a client_secret is 256 random bits, and its hash is what is stored.
    expect(text).toContain(createHash("sha256").update(world.home.everywhere.client_secret).digest("hex"));
    const found = [...passwords, ...payloads].filter((each) =>
      hashes(each).some((hash) => text.includes(hash)),
    );
    expect(found).toEqual([]);
  });
});

// Medians of requests in turns, on the same machine, with much room above what chance does to them.
describe("the time of a response", () => {
  const rounds = 30;

  async function medians(kinds: readonly (() => Promise<unknown>)[]): Promise<number[]> {
    const times: number[][] = kinds.map(() => []);
    for (let round = 0; round < rounds; round++) {
      for (const [index, send] of kinds.entries()) {
        const startedAt = performance.now();
        await send();
        times[index]?.push(performance.now() - startedAt);
      }
    }
    return times.map((each) => each.sort((a, b) => a - b)[rounds >> 1] as number);
  }

  const tokenRequest = (client_id: string, client_secret: string) => () =>
    world.call("/sp/auth/token", { client_id, client_secret });
  const keyed = (token: string) => () => world.call("/op/status/get", {}, { token });

  it("tells neither whether a client_id exists nor how much of a client_secret is right", async () => {
    const { client_id, client_secret } = world.home.everywhere;
    const nearly = `${client_secret.slice(0, -1)}${client_secret.endsWith("A") ? "B" : "A"}`;
    const areAlike = async () => {
      const [unknown = 0, wrong = 0, near = 0] = await medians([
        tokenRequest("loy_nobodyhasthisone", client_secret),
        tokenRequest(client_id, "x".repeat(client_secret.length)),
        tokenRequest(client_id, nearly),
      ]);
      return [unknown, near].every((time) => Math.abs(time - wrong) < 2 + wrong / 2);
    };
    expect(await holdsOnce(areAlike)).toBe(true);
  });

  it("does not tell how much of the operator key is right", async () => {
    const areAlike = async () => {
      const [far = 0, near = 0] = await medians([
        keyed("x".repeat(testOperatorKey.length)),
        keyed(`${testOperatorKey.slice(0, -1)}x`),
      ]);
      return Math.abs(far - near) < 2 + far / 2;
    };
    expect(await holdsOnce(areAlike)).toBe(true);
  });
});
