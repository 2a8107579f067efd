/** A new operator key: it works at once in all processes, ends the old one, and is in the audit log once. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createService } from "../../src/service.ts";
import { testSecret, useWorld } from "../support/world.ts";

const world = useWorld();
const [oldKey, newKey] = [
  "the-old-key-of-the-operator-long-enough",
  "the-new-key-of-the-operator-long-enough",
];
let directory = "";
let file = "";
const services: { baseUrl: string; close: () => Promise<void> }[] = [];

async function start(operatorKey: string): Promise<void> {
  const { sql, database, config, log } = world;
  const { lookUps, postings, longRunning } = database;
  const pools = { sql, lookUps, postings, longRunning };
  const service = createService(config, {
    ...pools,
    secret: testSecret,
    operatorKey,
    operatorKeyFile: file,
    log,
  });
  const baseUrl = (await service.listen({ host: "127.0.0.1", port: 0 })) + config.basePath;
  services.push({ baseUrl, close: service.close });
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "loyalty-key-"));
  file = join(directory, "operator.key");
  await writeFile(file, oldKey);
  await start(oldKey);
  await start(oldKey);
});
afterAll(async () => {
  for (const { close } of services) await close();
  await rm(directory, { recursive: true });
});

const call = (nth: number, token: string, path = "/op/status/get", body: object = {}) =>
  world.call(path, body, { token, baseUrl: services[nth]!.baseUrl });
const replacements = async (token: string) => {
  const { body } = await call(0, token, "/op/audit/list", { event: "operator_key.replaced" });
  return body.data;
};

it("takes effect without a restart, and is audited once", async () => {
  // The service of the world has another key: the two keys count as a change, as two machines with different keys would.
  for (const nth of [0, 1]) expect((await call(nth, oldKey)).status).toBe(200);
  await expect.poll(async () => (await replacements(oldKey)).length).toBe(1);
  await writeFile(file, newKey);
  expect(await Promise.all([0, 1].map(async (nth) => (await call(nth, newKey)).status))).toEqual([200, 200]);
  for (const nth of [0, 1]) expect((await call(nth, oldKey)).status).toBe(401);
  await expect.poll(async () => (await replacements(newKey)).length).toBe(2);
  for (const nth of [0, 1]) expect((await call(nth, newKey)).status).toBe(200);
  const found = await replacements(newKey);
  expect(found).toHaveLength(2);
  expect(found[0]).toMatchObject({
    actor_kind: "service",
    actor_name: "service",
    business_id: null,
    before: null,
    after: {},
  });
  const rows = await world.sql<{ row: string }[]>`SELECT root_key::text AS row FROM root_key`;
  expect(rows).toHaveLength(1);
  for (const key of [oldKey, newKey]) expect(rows[0]?.row).not.toContain(key);
});
