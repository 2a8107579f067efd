/** One key, one effect: replays, reuse, duplicates at the same time, and what is stored. */

import { createHash } from "node:crypto";
import { Type } from "typebox";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { errors, reject } from "../../src/contract/errors.ts";
import type { Caller, WriteOperation } from "../../src/contract/operation.ts";
import type { Services } from "../../src/contract/services.ts";
import { deriveKeys } from "../../src/credentials/keys.ts";
import { claimKey, storeResponse } from "../../src/database/ledger/idempotency-keys.ts";
import { nameInSql, raw } from "../../src/database/sql.ts";
import { payloadOf } from "../../src/domain/idempotency.ts";
import { createMember } from "../../src/operations/partner/members/create.ts";
import { performWrite } from "../../src/pipeline/write.ts";
import { holdBackgroundWrites } from "../support/background-writes.ts";
import type { Body } from "../support/engine-requests.ts";
import { isWrite, makeRecords, operationsInRealTime, validBody } from "../support/requests.ts";
import { tableDigests } from "../support/table-digests.ts";
import {
  newPerson,
  nextKey,
  type Reply,
  type StartedService,
  startService,
  testSecret,
  untilServed,
  useWorld,
} from "../support/world.ts";

const world = useWorld();
const writes = operationsInRealTime.filter(isWrite);
const byPath = writes.map((operation) => [operation.path, operation] as const);

/** A body with a key of its own for a write, and records that no other test changes. */
async function bodyFor(operation: (typeof writes)[number], business = world.home): Promise<Body> {
  return validBody(operation, business, await makeRecords(world, business));
}

beforeAll(() => holdBackgroundWrites(world.sql));

/** Everything that the service has stored, as text. */
async function stored(): Promise<string> {
  const tables = await world.sql<{ name: string }[]>`
    SELECT table_name AS name FROM information_schema.tables
    WHERE table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY table_name`;
  const texts = await Promise.all(
    tables.map(async ({ name }) => {
      const rows = await world.sql<{ text: string }[]>`
        SELECT to_jsonb(t)::text AS text FROM ${nameInSql(name)} AS t`;
      return [name, ...rows.map(({ text }) => text)].join("\n");
    }),
  );
  return texts.join("\n\n");
}

/** Where two sound bodies would be equal but for their keys. */
const otherNames: Record<string, Body> = {
  "/sp/wallet/topup-benefits/create": { title: "Another" },
  "/sp/webhook-endpoints/create": { description: "Another" },
  "/sp/reward-settings/update": { rp_name: "Moons" },
  "/sp/reward-programs/update": { membership_name: "Another" },
};

const replayedHeader = (reply: Reply) => reply.headers.get("idempotent-replayed");
const reused = {
  success: false,
  message: errors.idempotency_key_reused_with_different_payload.message,
  error: { code: "idempotency_key_reused_with_different_payload", details: {} },
};

describe.each(byPath)("%s", (path, operation) => {
  it("repeats the first response to the byte, and does nothing", async () => {
    const body = await bodyFor(operation);
    const first = await world.ask(path, body);
    expect([first.body.success, replayedHeader(first)]).toEqual([true, null]);
    const before = await tableDigests(world.sql);
    for (let repetition = 0; repetition < 2; repetition++) {
      const again = await world.ask(path, body);
      expect([again.status, again.text, replayedHeader(again)]).toEqual([first.status, first.text, "true"]);
    }
    expect(await tableDigests(world.sql)).toEqual(before);
  });

  it("takes a body for the same whatever the order of its members, its white space and 5.0 for 5", async () => {
    const body = await bodyFor(operation);
    const first = await world.ask(path, body);
    const reordered = JSON.stringify(Object.fromEntries(Object.entries(body).reverse()), null, 3);
    const rewritten = reordered
      .replace(/: (\d+)(,?)$/gm, ": $1.0$2 ")
      .replace(
        /"([a-z_]+)"/g,
        (_text, name: string) => `"\\u00${name.charCodeAt(0).toString(16)}${name.slice(1)}"`,
      );
    expect(rewritten).not.toBe(reordered);
    const again = await world.call(path, rewritten, { token: await world.token() });
    expect([again.text, replayedHeader(again)]).toEqual([first.text, "true"]);
  });

  it("rejects the key with another payload or for another operation, and still replays the first", async () => {
    const body = await bodyFor(operation);
    const { idempotency_key } = body;
    const otherOperation = writes[(writes.indexOf(operation) + 1) % writes.length]!;
    const last = Object.keys(body).at(-1) as string;
    const { [last]: _, ...shorter } = body;
    const others = [
      [path, { ...(await bodyFor(operation)), ...otherNames[path], idempotency_key }],
      [otherOperation.path, { ...(await bodyFor(otherOperation)), idempotency_key }],
    ] as const;
    const first = await world.ask(path, body);
    expect(first.body.success).toBe(true);
    const before = await tableDigests(world.sql);
    for (const [otherPath, other] of others) {
      const rejected = await world.ask(otherPath, other);
      expect([rejected.status, rejected.body, replayedHeader(rejected)]).toEqual([422, reused, null]);
    }
    expect((await world.ask(path, shorter)).status).toBe(422);
    expect((await world.ask(path, body)).text).toBe(first.text);
    expect(await tableDigests(world.sql)).toEqual(before);
  });
});

describe("a key", () => {
  it("belongs to one integration: those of others never meet it, in the same business or another", async () => {
    const idempotency_key = nextKey();
    const callers = [
      [world.home, world.home.everywhere],
      [world.home, world.home.limited],
      [world.away, world.away.everywhere],
    ] as const;
    for (const path of ["/sp/wallet/adjust", "/sp/wallet/topup-benefits/create"]) {
      for (const [business, caller] of callers) {
        const operation = writes.find((candidate) => candidate.path === path)!;
        const body = {
          ...(await bodyFor(operation, business)),
          idempotency_key: `${idempotency_key}${path}`,
        };
        const first = await world.ask(path, body, caller);
        expect([first.body.success, replayedHeader(first)]).toEqual([true, null]);
        expect(replayedHeader(await world.ask(path, body, caller))).toBe("true");
      }
    }
  });

  it("is any printable ASCII text, told apart to the letter", async () => {
    const contact_id = await world.member();
    const body = { contact_id, points: 1, adjustment_type: "credit" };
    const keys = [
      "a",
      "A",
      "a';DROP/**/TABLE/**/member;--",
      '"\\{}',
      "~".repeat(255),
      "Order 00591-006-0018",
      "Order  00591-006-0018",
    ];
    for (const idempotency_key of keys) {
      const reply = await world.ask("/sp/reward-points/adjust", { idempotency_key, ...body });
      expect([reply.status, replayedHeader(reply)]).toEqual([200, null]);
    }
    const again = await world.ask("/sp/reward-points/adjust", { idempotency_key: keys[2], ...body });
    expect([again.body.data.balance_after, replayedHeader(again)]).toEqual([3, "true"]);
  });
});

describe("duplicates at the same time", () => {
  let second: StartedService;
  beforeAll(async () => {
    second = await startService(world, {});
  });
  afterAll(() => second.close());

  /** Sends fifty at once, to two processes' worth of service in turn. */
  const fifty = async (path: string, body: (index: number) => object) => {
    const token = await world.token();
    return Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        untilServed(() =>
          world.call(path, body(index), {
            token,
            baseUrl: index % 2 === 0 ? world.baseUrl : second.baseUrl,
          }),
        ),
      ),
    );
  };

  it.each([
    "/sp/wallet/adjust",
    "/sp/reward-points/adjust",
    "/sp/members/create",
    "/sp/members/password/change",
    "/sp/wallet/topup-benefits/create",
    "/sp/member-tiers/delete",
  ])("of %s have one effect and fifty equal responses", async (path) => {
    const operation = writes.find((candidate) => candidate.path === path)!;
    const single = await bodyFor(operation);
    const body = await bodyFor(operation);
    const rows = async () =>
      Object.values(await tableDigests(world.sql)).reduce(
        (sum, digest) => sum + Number.parseInt(digest, 10),
        0,
      );
    const before = await rows();
    expect((await world.ask(path, single)).body.success).toBe(true);
    const afterOne = await rows();
    const replies = await fifty(path, () => body);
    expect(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(replies[0]?.body.success).toBe(true);
    expect(replies.filter((reply) => replayedHeader(reply) === null)).toHaveLength(1);
    // A second effect would be a second row: in the ledger, among the members, the benefits, the keys.
    expect((await rows()) - afterOne).toBe(afterOne - before);
  });

  it.each(["/sp/wallet/adjust", "/sp/wallet/topup-benefits/create"])(
    "of %s with different payloads: one wins, all others are rejected",
    async (path) => {
      const operation = writes.find((candidate) => candidate.path === path)!;
      const body = await bodyFor(operation);
      const replies = await fifty(path, (index) => ({ ...body, amount: 1 + index }));
      const statuses = replies.map(({ body: { success }, status }) => (success ? "won" : status));
      expect(statuses.filter((status) => status === "won")).toHaveLength(1);
      expect(statuses.filter((status) => status === 422)).toHaveLength(49);
    },
  );

  it("of a posting and of another write under one key: one of the two wins", async () => {
    const posting = await bodyFor(writes.find(({ path }) => path === "/sp/wallet/adjust")!);
    const benefit = await bodyFor(writes.find(({ path }) => path === "/sp/wallet/topup-benefits/create")!);
    const { idempotency_key } = posting;
    const token = await world.token();
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        index % 2 === 0
          ? world.call("/sp/wallet/adjust", posting, { token })
          : world.call("/sp/wallet/topup-benefits/create", { ...benefit, idempotency_key }, { token }),
      ),
    );
    const outcomes = [0, 1].map(
      (kind) => new Set(replies.filter((_, at) => at % 2 === kind).map(({ text }) => text)),
    );
    expect(outcomes.map(({ size }) => size)).toEqual([1, 1]);
    expect(
      replies
        .slice(0, 2)
        .map(({ body }) => body.success)
        .sort(),
    ).toEqual([false, true]);
  });
});

describe("a rejected write leaves its key free", () => {
  it("to do the same once it can be done", async () => {
    const contact_id = await world.member();
    const body = { contact_id, points: 10, adjustment_type: "debit", idempotency_key: nextKey() };
    const rejected = await world.ask("/sp/reward-points/adjust", body);
    expect(rejected.body.error).toEqual({ code: "insufficient_balance", details: { balance: 0 } });
    await world.write("/sp/reward-points/adjust", { contact_id, points: 15, adjustment_type: "credit" });
    const done = await world.ask("/sp/reward-points/adjust", body);
    expect([done.status, done.body.data.balance_after, replayedHeader(done)]).toEqual([200, 5, null]);
  });

  it("or to do something else", async () => {
    const taken = newPerson();
    await world.member(taken);
    const idempotency_key = nextKey();
    const rejected = await world.ask("/sp/members/create", {
      idempotency_key,
      ...taken,
      first_name: "Berta",
    });
    expect(rejected.body.error.code).toBe("member_already_exists");
    expect((await world.ask("/sp/members/create", { idempotency_key })).status).toBe(422);
    expect(
      (await world.ask("/sp/members/update", { idempotency_key, contact_id: 1, first_name: "A" })).status,
    ).toBe(404);
    const made = await world.ask("/sp/members/create", { idempotency_key, ...newPerson() });
    expect([made.status, replayedHeader(made)]).toEqual([201, null]);
  });
});

it("looks at token, scope and location again before it replays", async () => {
  const { locationIds } = world.home;
  const caller = await world.integration(world.home, { locationIds: [locationIds[0]] });
  const contact_id = await world.member();
  const adjustment = { contact_id, location_id: locationIds[0], amount: 5, adjustment_type: "credit" };
  const body = { idempotency_key: nextKey(), ...adjustment };
  const token = await world.freshToken(caller);
  expect((await world.call("/sp/wallet/adjust", body, { token })).status).toBe(200);
  const changes = [
    ["sp_location_not_allowed", "location_ids = '{}'"],
    ["sp_scope_not_granted", "scopes = '{wa.wallet.read}'"],
    ["unauthorized", "token_generation = token_generation + 1"],
    ["sp_integration_not_found", "enabled = false"],
  ] as const;
  for (const [code, change] of changes) {
    await world.sql`UPDATE integration SET ${raw(change)} WHERE integration_id = ${caller.integrationId}`;
    // One that has just started remembers nothing of the integration.
    const service = await startService(world, {});
    const reply = await world.call("/sp/wallet/adjust", body, { token, baseUrl: service.baseUrl });
    await service.close();
    expect(reply.body.error.code).toBe(code);
  }
});

it("stores a keyed hash of the payload: neither the payload nor a hash that could be guessed from it", async () => {
  const password = "a password that only this test knows";
  const path = "/sp/members/create";
  const body = { idempotency_key: nextKey(), ...newPerson(), password };
  expect((await world.ask(path, body)).status).toBe(201);
  const [row] = await world.sql<{ fingerprint: Buffer; text: string }[]>`
    SELECT fingerprint, k::text AS text FROM idempotency_key k WHERE idempotency_key = ${body.idempotency_key}`;
  const fingerprint = row?.fingerprint.toString("hex");
  const payload = payloadOf(path, body);
  expect(fingerprint).toBe(deriveKeys(testSecret).fingerprint(payload));
  expect(deriveKeys(`${testSecret} another`).fingerprint(payload)).not.toBe(fingerprint);
  const { idempotency_key: _, ...withoutKey } = body;
  for (const text of [payload, JSON.stringify(body), JSON.stringify(withoutKey)]) {
    for (const algorithm of ["sha256", "sha512", "sha1", "md5"]) {
      expect(createHash(algorithm).update(text).digest("hex")).not.toContain(fingerprint);
    }
  }
  expect(row?.text).not.toContain(password);
  expect(await stored()).not.toContain(password);
});

describe("after a new secret of the service", () => {
  const secret = "another secret for tests, as long as one";
  /** Sends a body to a service with the new secret. @param previousSecret that it still knows */
  async function sentAfterwards(path: string, body: Body, previousSecret?: string): Promise<Reply> {
    const service = await startService(world, {
      secret,
      ...(previousSecret !== undefined && { previousSecret }),
    });
    try {
      const { client_id, client_secret } = world.home.everywhere;
      const { baseUrl } = service;
      const issued = await world.call("/sp/auth/token", { client_id, client_secret }, { baseUrl });
      return await world.call(path, body, { token: issued.body.data.access_token, baseUrl });
    } finally {
      await service.close();
    }
  }
  const paths = ["/sp/members/create", "/sp/wallet/adjust", "/sp/webhook-endpoints/rotate-secret"];

  it.each(writes.filter(({ path }) => paths.includes(path)))(
    "a retry gets the first response if the previous one is known: $path",
    async (operation) => {
      const { path } = operation;
      const body = await bodyFor(operation);
      const first = await world.ask(path, body);
      const before = await tableDigests(world.sql);
      const again = await sentAfterwards(path, body, testSecret);
      expect([again.status, again.text, replayedHeader(again)]).toEqual([first.status, first.text, "true"]);
      // Without the previous one, nobody can tell whether it is a retry.
      const unknown = await sentAfterwards(path, body);
      expect(unknown.body.error).toEqual({ code: "idempotency_key_of_another_secret", details: {} });
      expect(unknown.status).toBe(409);
      const after = await tableDigests(world.sql);
      // The audit log has each token. The operator key gets a fingerprint by the new secret, and is not replaced.
      const changed = Object.keys(after).filter((name) => after[name] !== before[name]);
      expect(changed.filter((name) => name !== "audit_entry" && name !== "root_key")).toEqual([]);
      expect(await world.sql`SELECT FROM audit_entry WHERE event = 'operator_key.replaced'`).toEqual([]);
    },
  );

  it("another body is rejected as another one if the previous secret is known", async () => {
    const contact_id = await world.member();
    const body = { idempotency_key: nextKey(), contact_id, points: 5, adjustment_type: "credit" };
    await world.write("/sp/reward-points/adjust", body);
    const other = await sentAfterwards("/sp/reward-points/adjust", { ...body, points: 6 }, testSecret);
    expect(other.body).toEqual(reused);
  });
});

/** Creates a member under a key, beside the pipeline. @param prepare instead of hashing its password */
function createUnder(key: string, prepare: NonNullable<typeof createMember.prepare>) {
  const { businessId, everywhere } = world.home;
  const { integrationId } = everywhere;
  return performWrite({
    eventsRecorded: () => undefined,
    operation: { ...createMember, prepare },
    context: {
      input: { password: "a password" },
      caller: { businessId, integrationId } as Caller,
      sql: world.sql,
      services: {} as Services,
      reject,
    },
    idempotencyKey: { owner: { businessId, integrationId }, key, fingerprint: "00".repeat(32) },
    keys: deriveKeys(testSecret),
  });
}

it("runs writes under one key one after the other, also after a failure, and others meanwhile", async () => {
  const [key, steps] = [nextKey(), [] as string[]];
  let other: () => void = () => undefined;
  const otherRan = new Promise<void>((resolve) => {
    other = resolve;
  });
  const rejection = reject("member_already_exists", { field: "phone_number", fields: ["phone_number"] });
  const outcomes = await Promise.allSettled([
    createUnder(key, async () => {
      steps.push("first begins");
      await otherRan;
      steps.push("first fails");
      throw new Error("first");
    }),
    createUnder(key, async () => {
      steps.push("second");
      return rejection;
    }),
    createUnder(nextKey(), async () => {
      other();
      return rejection;
    }),
  ]);
  expect(steps).toEqual(["first begins", "first fails", "second"]);
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled"]);
});

it("responds as another process did, which was done while this one prepared", async () => {
  const { businessId, everywhere } = world.home;
  const keyOwner = { businessId, integrationId: everywhere.integrationId };
  const key = nextKey();
  // What the other one has made is in the way of this one.
  const prepare = async () => {
    await world.sql.begin(async (tx) => {
      await claimKey(tx, keyOwner, { key, fingerprint: "00".repeat(32), businessId });
      const response = { status: 201, body: '{"done":"by another"}', personal: undefined };
      await storeResponse(tx, keyOwner, key, response);
    });
    return reject("member_already_exists", { field: "phone_number", fields: ["phone_number"] });
  };
  const outcome = await createUnder(key, prepare);
  expect(outcome).toEqual({ status: 201, body: '{"done":"by another"}', replayed: true });
});

it("commits nothing of an operator's write that names no change for the audit log", async () => {
  const idempotencyKey = {
    owner: { businessId: 0, integrationId: 0 },
    key: nextKey(),
    fingerprint: "00".repeat(32),
  };
  const silent = {
    kind: "write",
    path: "/op/silent",
    scope: "operator",
    status: 200,
    message: "Done.",
    input: Type.Object({}),
    output: Type.Object({}),
    write: async () => ({}),
  } as unknown as WriteOperation;
  const caller = { businessId: 0 } as Caller;
  const context = { input: {}, caller, sql: world.sql, services: {} as Services, reject };
  const written = performWrite({
    operation: silent,
    context,
    idempotencyKey,
    keys: deriveKeys(testSecret),
    eventsRecorded: () => undefined,
  });
  await expect(written).rejects.toThrow("left no trace");
  expect(await world.sql`SELECT FROM idempotency_key WHERE idempotency_key = ${idempotencyKey.key}`).toEqual(
    [],
  );
});
