/** A full disk rejects every write, whichever of its tables has no room, and no look-up. A write succeeds when there is room. */
import { beforeAll, describe, expect, it } from "vitest";
import { isAuthorized, isOperatorOperation, type Operation } from "../../src/contract/operation.ts";
import { operatorOperations } from "../../src/operations/operations.ts";
import { holdBackgroundWrites } from "../support/background-writes.ts";
import type { Records } from "../support/engine-requests.ts";
import {
  makeOperatorRecords,
  type OperatorRecords,
  soundOperatorBody,
} from "../support/operator-requests.ts";
import { endingLast, isWrite, makeRecords, operationsInRealTime, validBody } from "../support/requests.ts";
import { nextKey, type Reply, testOperatorKey, useWorld } from "../support/world.ts";

const world = useWorld();
let operatorRecords: OperatorRecords;
let records: Records;

/**
 * Tables that are full reject each statement that adds or changes rows. The sequence tells which one did, because the transaction
 * is rolled back.
 */
const setUp = `
  CREATE TABLE room (name text PRIMARY KEY);
  CREATE SEQUENCE full_table;
  CREATE FUNCTION reject_when_full() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF NOT EXISTS (SELECT FROM room WHERE name IN ('everywhere', TG_TABLE_NAME)) THEN
      PERFORM setval('full_table', TG_RELID::bigint);
      RAISE disk_full USING MESSAGE = format('could not extend %s', TG_TABLE_NAME);
    END IF;
    RETURN NULL;
  END $$;
  INSERT INTO room VALUES ('everywhere');
  DO $$ DECLARE name regclass; BEGIN
    FOR name IN SELECT oid FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition AND relname <> 'room'
    LOOP
      EXECUTE format('CREATE TRIGGER reject_when_full BEFORE INSERT OR UPDATE ON %s EXECUTE FUNCTION reject_when_full()', name);
    END LOOP;
  END $$`;

beforeAll(async () => {
  operatorRecords = await makeOperatorRecords(world, world.home);
  records = await makeRecords(world, world.home);
  await holdBackgroundWrites(world.sql);
  await world.sql.query(setUp);
});

const operations = [...operationsInRealTime, ...operatorOperations.filter(isAuthorized)];
const byPath = (some: readonly Operation[]) => some.map((operation) => [operation.path, operation] as const);

async function prepare(operation: Operation): Promise<() => Promise<Reply>> {
  const isOperators = isOperatorOperation(operation);
  const token = isOperators ? testOperatorKey : await world.token();
  const body = isOperators
    ? soundOperatorBody(operation, operatorRecords)
    : validBody(operation, world.home, records);
  const keyed = isWrite(operation) ? { ...body, idempotency_key: nextKey() } : body;
  return () => world.call(operation.path, keyed, { token });
}

// A verification is recorded, so that the service can tell how old the last one is.
const reads = operations.filter(
  (operation) => !isWrite(operation) && operation.kind !== "token" && operation.path !== "/op/ledger/verify",
);

describe.each(byPath(reads))("%s", (_path, operation) => {
  it("gets a response while everything is full", async () => {
    const send = await prepare(operation);
    await world.sql`DELETE FROM room`;
    expect((await send()).body).toMatchObject({ success: true });
  });
});

describe.each(byPath(endingLast(operations.filter(isWrite))))("%s", (_path, operation) => {
  it("is rejected while any of its tables is full, and done when there is room", async () => {
    const send = await prepare(operation);
    await world.sql`DELETE FROM room`;
    let rejections = 0;
    let reply = await send();
    while (reply.status === 503) {
      expect(reply.body.error.code).toBe("service_unavailable");
      rejections += 1;
      await world.sql`
        INSERT INTO room SELECT relname FROM pg_class, full_table WHERE oid = last_value ON CONFLICT DO NOTHING`;
      reply = await send();
    }
    await world.sql`INSERT INTO room VALUES ('everywhere')`;
    expect(reply.body).toMatchObject({ success: true });
    expect(rejections).toBeGreaterThan(0);
  });
});
