/** Reads on PostgreSQL 15, the oldest that is supported, if it is installed (PG15_BIN). */
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";

import { makeServers } from "../../chaos/replication.ts";
import { isAuthorized, type Operation } from "../../src/contract/operation.ts";
import { migrate } from "../../src/database/migrate.ts";
import { endPools, openPools } from "../../src/database/pools.ts";
import { operatorOperations, partnerOperations } from "../../src/operations/operations.ts";
import { excessesOf, fillLists, lists } from "../support/list-pages.ts";
import { asOperator, makeOperatorRecords, soundOperatorBody } from "../support/operator-requests.ts";
import { isWrite, validBody } from "../support/requests.ts";
import { type Cleanup, cleanUp } from "../support/runs/run.ts";
import { World } from "../support/world.ts";

const cleanups: Cleanup[] = [];
afterAll(() => cleanUp(cleanups));

/** @returns why PostgreSQL 15 can't be used here */
async function startWorld(): Promise<World | string> {
  const directory = await mkdtemp(join(tmpdir(), "loyalty-oldest-"));
  cleanups.push(() => rm(directory, { recursive: true, force: true }));
  await chmod(directory, 0o755);
  const servers = await makeServers({ directory, atEnd: (cleanup) => cleanups.push(cleanup) });
  if ("skipped" in servers) return servers.skipped;
  const { primary } = servers;
  await primary.begin();
  const pools = openPools(primary.connection, 16);
  cleanups.push(() => endPools(pools));
  await migrate(pools.sql);
  const world = new World({ ...pools, connection: primary.connection });
  await world.start({});
  cleanups.push(() => world.stop());
  return world;
}

it("reads few buffers for each page of each list, with each filter", {
  timeout: 600_000,
}, async (context) => {
  const world = await startWorld();
  if (typeof world === "string") return context.skip(world);
  const filled = await fillLists(world);
  // Partners and operators have some lists of one function. test/plans/lists.test.ts looks at both, on the newest PostgreSQL.
  const functionOf = (operation: Operation) =>
    operation.kind === "list" ? operation.list : operation.kind === "read" && operation.read;
  const functions = lists.map(functionOf);
  const own = lists.filter((list, at) => functions.indexOf(functionOf(list)) === at);
  expect(own.length).toBeGreaterThan(40);
  for (const operation of own) expect(await excessesOf(operation, filled)).toEqual([]);
});

it("succeeds in every read, before and after the first entry", async (context) => {
  const world = await startWorld();
  if (typeof world === "string") return context.skip(world);
  const succeed = async (reply: Promise<{ status: number; text: string }>) => {
    const { status, text } = await reply;
    expect(status, text).toBe(200);
  };
  await succeed(asOperator(world, "/op/status/get", {}));
  const ofBusiness = operatorOperations.filter(
    (operation) =>
      !isWrite(operation) &&
      operation.input.required?.join() === "business_id" &&
      !operation.path.startsWith("/op/sandbox/") &&
      operation.atLeastOneOf === undefined &&
      operation.exactlyOneOf === undefined,
  );
  expect(ofBusiness.length).toBeGreaterThan(5);
  for (const { path } of ofBusiness)
    await succeed(asOperator(world, path, { business_id: world.away.businessId }));

  const records = await makeOperatorRecords(world, world.home);
  for (const operation of operatorOperations.filter((each) => isAuthorized(each) && !isWrite(each)))
    await succeed(asOperator(world, operation.path, soundOperatorBody(operation, records)));
  const reads = partnerOperations.filter(
    (each) => !isWrite(each) && each.kind !== "token" && !each.path.startsWith("/sp/sandbox/"),
  );
  for (const operation of reads)
    await succeed(world.ask(operation.path, validBody(operation, world.home, records)));
});
