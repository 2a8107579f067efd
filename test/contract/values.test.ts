/** Operations that are called with values, as tools and jobs do, and the same operations over HTTP. */
import { beforeAll, describe, expect, it, vi } from "vitest";
import { type Rejection, reject } from "../../src/contract/errors.ts";
import { isAuthorized, isOperatorOperation, type Operation } from "../../src/contract/operation.ts";
import { operatorOperations } from "../../src/operations/operations.ts";
import { adjustWallet } from "../../src/operations/partner/wallet/adjust.ts";
import type { Body, Records } from "../support/engine-requests.ts";
import {
  asOperator,
  makeOperatorRecords,
  type OperatorRecords,
  soundOperatorBody,
} from "../support/operator-requests.ts";
import { endingLast, isWrite, makeRecords, operationsInRealTime, validBody } from "../support/requests.ts";
import { type Credentials, nextKey, testOperatorKey, useWorld } from "../support/world.ts";

// Each integration may send two requests at once. Tests use integrations of their own.
const world = useWorld({ LOYALTY_RATE_LIMIT: "1" });

let operatorRecords: OperatorRecords;
let records: Records;
beforeAll(async () => {
  operatorRecords = await makeOperatorRecords(world, world.home);
  records = await makeRecords(world, world.home);
});

const address = "192.0.2.9";

/** Calls an operation with values. */
async function call(operation: Operation, readBody: () => Body | Rejection, token: string, id = "a call") {
  const credentials = { id, authorization: `Bearer ${token}`, actor: "ana", address };
  const response = await world.service.call(operation, credentials, readBody);
  return { ...response, text: response.body, body: JSON.parse(response.body) };
}

const newToken = async (fields = {}) => world.token(await world.integration(world.home, fields));

function bodyFor(operation: Operation, { client_id, client_secret }: Credentials): Body {
  if (operation.kind === "token") return { client_id, client_secret };
  if (isOperatorOperation(operation)) return soundOperatorBody(operation, operatorRecords);
  return validBody(operation, world.home, records);
}

async function tokenFor(operation: Operation, integration: Credentials): Promise<string> {
  // A token would count towards the limit of tokens.
  if (operation.kind === "token") return "";
  return isOperatorOperation(operation) ? testOperatorKey : world.token(integration);
}

/** Their responses say when they were made. */
const momentary = new Set(["/sp/auth/token", "/op/status/get"]);

// Sign-ins have tests of their own.
const inOrder = endingLast([...operationsInRealTime, ...operatorOperations.filter(isAuthorized)]);

describe.each(inOrder.map((operation) => [operation.path, operation] as const))("%s", (path, operation) => {
  it("has the same response for values as over HTTP, and repeats a write for neither", async () => {
    const integration = await world.integration(world.home);
    await world.sql`
      UPDATE webhook_endpoint SET integration_id = ${integration.integrationId} WHERE endpoint_id = ${records.endpoint_id}`;
    const body = bodyFor(operation, integration);
    const token = await tokenFor(operation, integration);
    const compare = async () => {
      const called = await call(operation, () => body, token);
      expect(called.body, JSON.stringify(called.body)).toMatchObject({ success: true });
      const reply = await world.call(path, body, { token });
      expect(reply.status).toBe(called.status);
      expect(reply.headers.get("idempotent-replayed")).toBe(isWrite(operation) ? "true" : null);
      if (!momentary.has(path)) expect(reply.text).toBe(called.text);
    };
    if (isWrite(operation)) await compare();
    // A second may end between the two, or a delivery.
    else await vi.waitFor(compare, { timeout: 60_000, interval: 3_000 });
  });
});

const credit = () => ({
  idempotency_key: nextKey(),
  contact_id: records.contact_id,
  adjustment_type: "credit",
  amount: 100,
});

it("reads the fields only after it has checked the caller", async () => {
  let reads = 0;
  const readBody = () => {
    reads += 1;
    return credit();
  };
  expect((await call(adjustWallet, readBody, "no-token")).errorCode).toBe("unauthorized");
  const rejected = await call(adjustWallet, readBody, await newToken({ scopes: ["wa.members.read"] }));
  expect([rejected.errorCode, reads]).toEqual(["sp_scope_not_granted", 0]);
  await call(adjustWallet, readBody, await newToken());
  expect(reads).toBe(1);
});

it("checks fields and location, and returns the rejection of a body that can't be read", async () => {
  const [first, , third] = world.home.locationIds;
  const bodies: readonly (Body | Rejection)[] = [
    { ...credit(), amount: "100", extra: 1 },
    { ...credit(), idempotency_key: undefined },
    { ...credit(), location_id: third },
    reject("payload_too_large", { limit_bytes: 1 }),
  ];
  const token = () => newToken({ locationIds: [first] });
  const outcomes = await Promise.all(
    bodies.map(async (body) => call(adjustWallet, () => body, await token())),
  );
  expect(outcomes.map(({ errorCode }) => errorCode)).toEqual([
    "validation_failed",
    "idempotency_key_required",
    "sp_location_not_allowed",
    "payload_too_large",
  ]);
});

it("counts calls with values and requests together", async () => {
  const token = await newToken();
  let rejected: string | undefined;
  // A slow machine may allow one more request before the call.
  for (let time = 0; time < 10 && rejected === undefined; time += 1) {
    while ((await world.call("/sp/wallet/adjust", {}, { token })).status !== 429);
    rejected = (await call(adjustWallet, credit, token)).errorCode;
  }
  expect(rejected).toBe("rate_limited");
});

it("writes the audit log of an operator's write with its caller", async () => {
  const [operation] = operatorOperations.filter(({ path }) => path === "/op/locations/create");
  const { business_id } = operatorRecords;
  const body = { idempotency_key: nextKey(), business_id, name: "Called" };
  expect((await call(operation!, () => body, testOperatorKey, "call 812")).status).toBe(201);
  const filter = { business_id, event: "location.created", actor_kind: "root" };
  const { data } = (await asOperator(world, "/op/audit/list", filter)).body;
  expect(data).toContainEqual(
    expect.objectContaining({
      request_id: "call 812",
      address,
      note: "ana",
      after: expect.objectContaining({ name: "Called" }),
    }),
  );
});
