/**
 * What the caller learns when the database rejects the same statements again and again. A fault that a retry may not meet is
 * `service_unavailable`, with the time of the retry. Any other one is `internal_error`.
 */
import { pino } from "pino";
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
import { newPerson, nextKey, type Reply, startService, testOperatorKey, useWorld } from "../support/world.ts";

const world = useWorld();
let operatorRecords: OperatorRecords;
let records: Records;

/** While a fault has a code, statements that add or change rows fail with it: all of them, or those about one member. */
const setUp = `
  CREATE TABLE fault (code text, contact_id bigint);
  CREATE SEQUENCE faults;
  CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE wanted fault; BEGIN
    SELECT * INTO wanted FROM fault WHERE contact_id IS NULL OR contact_id = (to_jsonb(NEW)->>'contact_id')::bigint;
    IF wanted.code IS NOT NULL THEN
      PERFORM nextval('faults');
      RAISE EXCEPTION 'a fault of the test' USING ERRCODE = wanted.code;
    END IF;
    RETURN NEW;
  END $$;
  DO $$ DECLARE name regclass; BEGIN
    FOR name IN SELECT oid FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition AND relname <> 'fault'
    LOOP
      EXECUTE format('CREATE TRIGGER fail BEFORE INSERT OR UPDATE ON %s FOR EACH ROW EXECUTE FUNCTION fail()', name);
    END LOOP;
  END $$`;

beforeAll(async () => {
  operatorRecords = await makeOperatorRecords(world, world.home);
  records = await makeRecords(world, world.home);
  await holdBackgroundWrites(world.sql);
  await world.sql.query(setUp);
});

async function failing<Result>(code: string, contactId: number | null, act: () => Promise<Result>) {
  await world.sql`INSERT INTO fault (code, contact_id) VALUES (${code}, ${contactId})`;
  try {
    return await act();
  } finally {
    await world.sql`DELETE FROM fault`;
  }
}

/** How many statements have failed. */
async function failures(): Promise<number> {
  const [row] = await world.sql<{ nextval: number }[]>`SELECT nextval('faults')`;
  await world.sql`SELECT setval('faults', ${row?.nextval ?? 0}, false)`;
  return (row?.nextval ?? 0) - 1;
}

const told = ({ status, body, headers }: Reply) => [status, body.error?.code, headers.get("retry-after")];

async function prepare(operation: Operation): Promise<() => Promise<Reply>> {
  const isOperators = isOperatorOperation(operation);
  const token = isOperators ? testOperatorKey : await world.token();
  const body = isOperators
    ? soundOperatorBody(operation, operatorRecords)
    : validBody(operation, world.home, records);
  const keyed = { ...body, idempotency_key: nextKey() };
  return () => world.call(operation.path, keyed, { token });
}

const writes = endingLast(
  [...operationsInRealTime, ...operatorOperations.filter(isAuthorized)].filter(isWrite),
);

describe.each(writes.map((operation) => [operation.path, operation] as const))("%s", (_path, operation) => {
  it("is an internal error while it violates a constraint, and is done afterwards", async () => {
    const send = await prepare(operation);
    for (const code of ["23505", "23514"]) {
      expect(told(await failing(code, null, send))).toEqual([500, "internal_error", null]);
    }
    expect((await send()).body).toMatchObject({ success: true });
  });
});

const lasting = ["23505", "23503", "22003", "P0001", "XX000"];
const passing = ["40001", "40P01", "55P03", "57014", "25006", "53100", "0A000"];

describe.each(["/sp/wallet/adjust", "/sp/members/create"])("%s", (path) => {
  const send = async (contact_id: number) => {
    const amount = { location_id: world.home.locationIds[0], amount: 5, adjustment_type: "credit" };
    return world.write(path, path.endsWith("create") ? newPerson() : { contact_id, ...amount });
  };
  it.each(lasting)("is an internal error if the database says %s each time", async (code) => {
    const contactId = await world.member();
    expect(told(await failing(code, null, () => send(contactId)))).toEqual([500, "internal_error", null]);
  });
  it.each(passing)("is to be retried if the database says %s each time", async (code) => {
    const contactId = await world.member();
    const reply = await failing(code, null, () => send(contactId));
    expect(told(reply)).toEqual([503, "service_unavailable", expect.stringMatching(/^\d+$/)]);
  });
});

it("tries a posting that can't be recorded a few times, logs it once, and does not hold up others", async () => {
  const lines: { request_id: string; fault: { code: string } }[] = [];
  const log = pino({ level: "error" }, { write: (line: string) => lines.push(JSON.parse(line)) });
  const { baseUrl, close } = await startService(world, { log });
  const [bad, ...others] = await Promise.all(Array.from({ length: 9 }, () => world.member()));
  const token = await world.token();
  const credit = (contact_id: number | undefined, idempotency_key = nextKey()) => {
    const body = { contact_id, location_id: world.home.locationIds[0], amount: 1, adjustment_type: "credit" };
    return world.call("/sp/wallet/adjust", { idempotency_key, ...body }, { token, baseUrl });
  };
  const before = await failures();
  await failing("23505", bad as number, async () => {
    const key = nextKey();
    const first = await Promise.all([credit(bad, key), ...others.map((contactId) => credit(contactId))]);
    expect(first.map(({ status }) => status)).toEqual([500, ...others.map(() => 200)]);
    const atFirst = (await failures()) - before;
    // Each group of nine, five, three, two and one is tried twice.
    expect(atFirst).toBeLessThanOrEqual(10);
    expect(lines.map(({ fault }) => fault.code)).toEqual(["23505"]);
    const again = await Promise.all([credit(bad, key), ...others.map((contactId) => credit(contactId))]);
    expect(again.map(({ status }) => status)).toEqual([500, ...others.map(() => 200)]);
    expect((await failures()) - before - atFirst).toBe(2);
  });
  expect(lines).toHaveLength(2);
  expect((await credit(bad)).status).toBe(200);
  await close();
});
