/** Every operation of operators with every role, with the business of others, and with limits. */
import { beforeAll, describe, expect, it } from "vitest";
import { isAuthorized } from "../../src/contract/operation.ts";
import { allRoles, type Role } from "../../src/domain/access/access.ts";
import { includesRole } from "../../src/domain/access/operators.ts";
import { operatorOperations } from "../../src/operations/operations.ts";
import type { Body } from "../support/engine-requests.ts";
import { zoneAtNoon } from "../support/local-times.ts";
import {
  asOperator,
  makeOperatorRecords,
  type OperatorRecords,
  operatorWrite,
  soundOperatorBody,
} from "../support/operator-requests.ts";
import { makeKey, makeOperator } from "../support/operators.ts";
import { nextKey, startService, untilServed, useWorld } from "../support/world.ts";

const world = useWorld();

const operations = operatorOperations.filter(isAuthorized).map((operation) => {
  if (operation.scope !== "operator") throw new Error(`${operation.path} is not for operators`);
  return operation;
});
const keys = {} as Record<Role, string>;
/** The key of an owner who may use only the business at home. */
let limited: string;
let theirs: OperatorRecords;
const absent = 9_007_199_254_740_000;

beforeAll(async () => {
  for (const role of allRoles) keys[role] = (await makeKey(world, { role })).key;
  limited = (await makeKey(world, { business_ids: [world.home.businessId] })).key;
  theirs = await makeOperatorRecords(world, world.away);
});

const call = (path: string, body: Body, token: string) => world.call(path, body, { token });

describe.each(operations)("$path", (operation) => {
  const { path, role } = operation;

  it.each(allRoles)("for the role %s", async (own) => {
    const { status, body } = await call(path, {}, keys[own]);
    if (includesRole(own, role)) return expect(body.error?.code).not.toBe("role_not_allowed");
    expect(status).toBe(403);
    expect(body.error).toEqual({ code: "role_not_allowed", details: { role } });
  });

  const field = ["business_id", "sandbox_business_id"].find((name) => name in operation.input.properties);

  it.runIf(field !== undefined)("knows nothing of a business that the operator may not use", async () => {
    const send = (id: number) => {
      const own = { ...soundOperatorBody(operation, theirs), [field as string]: id };
      return call(path, own, limited);
    };
    const id = field === "business_id" ? world.away.businessId : theirs.sandbox_business_id;
    const [foreign, none] = [await send(id), await send(absent)];
    if (operation.path === "/op/audit/list")
      return expect(foreign.body.error.code).toBe("business_not_found");
    expect(foreign.body.error).toEqual({ code: "business_not_found", details: {} });
    expect([foreign.status, foreign.text]).toEqual([none.status, none.text]);
  });
});

describe("an operator who may use one business", () => {
  const data = async (path: string, body: Body = {}) => (await call(path, body, limited)).body.data;

  it("finds no other business", async () => {
    const listed = await data("/op/businesses/list");
    expect(listed.map(({ business_id }: Body) => business_id)).toEqual([world.home.businessId]);
    expect(await data("/op/businesses/find", { contact_id: theirs.contact_id })).toEqual([]);
    const all = (await asOperator(world, "/op/businesses/find", { contact_id: theirs.contact_id })).body.data;
    expect(all).toHaveLength(1);
  });

  it("gets the figures of its business", async () => {
    const { businesses, entries, members } = await data("/op/status/get");
    const all = (await asOperator(world, "/op/status/get", {})).body.data;
    expect(businesses).toBe(1);
    expect([entries < all.entries, members < all.members]).toEqual([true, true]);
  });

  it("sees only the audit log of its business", async () => {
    for (const business of [world.home, world.away]) {
      const { businessId: business_id } = business;
      await operatorWrite(world, "/op/locations/create", { business_id, name: "Audited" });
    }
    const listed: Body[] = await data("/op/audit/list", { per_page: 100 });
    expect(new Set(listed.map(({ business_id }) => business_id))).toEqual(new Set([world.home.businessId]));
  });

  it("can't create a business, nor grant more than it has", async () => {
    const code = async (path: string, body: Body) =>
      (await call(path, { idempotency_key: nextKey(), ...body }, limited)).body.error;
    const all_businesses = { code: "role_not_allowed", details: { role: "owner", all_businesses: true } };
    expect(await code("/op/businesses/create", { name: "New", currency: "EUR" })).toEqual(all_businesses);
    for (const path of ["/op/operators/create", "/op/operator-keys/create"]) {
      expect(await code(path, { name: nextKey(), role: "viewer" })).toEqual(all_businesses);
      const elsewhere = { name: nextKey(), role: "viewer", business_ids: [world.away.businessId] };
      expect(await code(path, elsewhere)).toEqual({ code: "business_not_found", details: {} });
      const here = { ...elsewhere, business_ids: [world.home.businessId] };
      expect(await code(path, here)).toBeUndefined();
    }
  });

  it("sees no operator who may do more", async () => {
    const { operator_id } = await makeOperator(world, { business_ids: [world.away.businessId] });
    const both = { business_ids: [world.home.businessId, world.away.businessId] };
    const { operator_id: ofBoth } = await makeOperator(world, both);
    const { operator_id: ofAll } = await makeOperator(world);
    const { key_id } = await makeKey(world, both);
    const seen: Body[] = await data("/op/operators/list", { per_page: 100 });
    for (const id of [operator_id, ofBoth, ofAll]) {
      expect(seen.map((one) => one.operator_id)).not.toContain(id);
      const body = { idempotency_key: nextKey(), operator_id: id };
      expect((await call("/op/operators/disable", body, limited)).body.error.code).toBe("operator_not_found");
    }
    const revoked = await call("/op/operator-keys/revoke", { idempotency_key: nextKey(), key_id }, limited);
    expect(revoked.body.error.code).toBe("key_not_found");
  });
});

it.each(["root", "Service", " unknown ", "integration 7"])("gives nobody the name %j", async (name) => {
  const { operator_id } = await makeOperator(world);
  const sent = { name, role: "viewer" };
  const attempts: [string, Body][] = [
    ["/op/operators/create", sent],
    ["/op/operators/update", { operator_id, name }],
    ["/op/operator-keys/create", sent],
  ];
  for (const [path, body] of attempts) {
    const { error } = (await call(path, { idempotency_key: nextKey(), ...body }, keys.owner)).body;
    expect(error, path).toMatchObject({
      code: "validation_failed",
      details: { errors: [{ field: "name" }] },
    });
  }
});

it("grants no higher limits than its own", async () => {
  const { key } = await makeKey(world, { limit_amount: 100, limit_points: 50 });
  const create = async (limits: Body) => {
    const body = { idempotency_key: nextKey(), name: nextKey(), role: "support", ...limits };
    return (await call("/op/operators/create", body, key)).body;
  };
  expect((await create({ limit_amount: 100, limit_points: 50 })).success).toBe(true);
  const tooHigh = await create({ limit_amount: 101 });
  expect(tooHigh.error.details.errors.map(({ field }: Body) => field)).toEqual([
    "limit_amount",
    "limit_points",
  ]);
});

it("sees no operator with a higher limit than its own, and can't sign in as one", async () => {
  const own = { limit_amount: 100, limit_points: 50 };
  const { key } = await makeKey(world, own);
  const { operator_id: equal } = await makeOperator(world, { ...own, role: "manager" });
  const higher = [{}, { ...own, limit_amount: 101 }, { ...own, limit_points: null }];
  const write = async (path: string, body: Body) =>
    (await call(path, { idempotency_key: nextKey(), ...body }, key)).body.error?.code;
  for (const limits of higher) {
    const { operator_id, session } = await makeOperator(world, { ...limits, role: "manager" });
    const { key_id } = await makeKey(world, limits);
    const listed = (await call("/op/operators/list", { per_page: 100 }, key)).body.data;
    const ids = listed.map((account: Body) => account.operator_id);
    expect(ids).toContain(equal);
    expect(ids).not.toContain(operator_id);
    for (const change of ["disable", "enable", "reset"])
      expect(await write(`/op/operators/${change}`, { operator_id })).toBe("operator_not_found");
    expect(await write("/op/operators/update", { operator_id, ...own })).toBe("operator_not_found");
    expect(await write("/op/operator-keys/revoke", { key_id })).toBe("key_not_found");
    const sessions = (await call("/op/sessions/list", { operator_id }, key)).body.data;
    expect(sessions).toEqual([]);
    expect((await call("/op/session/get", {}, session)).status).toBe(200);
  }
  expect(await write("/op/operators/reset", { operator_id: equal })).toBeUndefined();
});

it("keeps an owner of all businesses, unless root decides otherwise", async () => {
  await world.sql`UPDATE operator_account SET enabled = false`;
  const first = await makeOperator(world);
  const write = (path: string, body: Body, token: string) =>
    call(path, { idempotency_key: nextKey(), ...body }, token);
  const { operator_id } = first;
  const endings: [string, Body][] = [
    ["/op/operators/disable", { operator_id }],
    ["/op/operators/reset", { operator_id }],
    ["/op/operators/update", { operator_id, role: "manager" }],
    ["/op/operators/update", { operator_id, business_ids: [world.home.businessId] }],
  ];
  for (const [path, body] of endings)
    expect((await write(path, body, first.session)).body.error?.code, path).toBe("last_owner");
  // An owner with a limit does not take the place of one without.
  const third = await makeOperator(world, { limit_amount: 100 });
  const limiting: [string, Body][] = [...endings, ["/op/operators/update", { operator_id, limit_points: 5 }]];
  for (const [path, body] of limiting)
    expect((await write(path, body, first.session)).body.error?.code, path).toBe("last_owner");
  await operatorWrite(world, "/op/operators/disable", { operator_id: third.operator_id });
  const second = await makeOperator(world);
  // Two owners who demote each other at the same moment: one stays.
  const demote = (by: string, id: number) =>
    write("/op/operators/update", { operator_id: id, role: "manager" }, by);
  const replies = await Promise.all([
    demote(first.session, second.operator_id),
    demote(second.session, first.operator_id),
  ]);
  expect(replies.filter(({ body }) => body.success === true)).toHaveLength(1);
  const [{ owners }] = (await world.sql`
    SELECT count(*) AS owners FROM operator_account WHERE role = 'owner' AND enabled`) as never as [
    { owners: number },
  ];
  expect(owners).toBe(1);
  for (const { operator_id: id } of [first, second])
    await operatorWrite(world, "/op/operators/disable", { operator_id: id });
});

it("keeps the idempotency keys of operators apart", async () => {
  const idempotency_key = nextKey();
  const body = { idempotency_key, business_id: world.home.businessId, name: "Twice" };
  const made: number[] = [];
  for (const token of [keys.owner, keys.manager, (await makeOperator(world)).session]) {
    made.push((await call("/op/locations/create", body, token)).body.data.location_id);
  }
  expect(new Set(made).size).toBe(3);
});

describe("a limit", () => {
  beforeAll(
    () =>
      world.sql`UPDATE business SET time_zone = ${zoneAtNoon()} WHERE business_id = ${world.home.businessId}`,
  );
  const postings = operations.filter(({ kind }) => kind === "posting");
  const credit = (contact_id: number, amount: number, token: string, baseUrl = world.baseUrl) => {
    const body = { idempotency_key: nextKey(), business_id: world.home.businessId, contact_id, amount };
    const correction = { ...body, adjustment_type: "credit", reason: "A test" };
    return untilServed(() => world.call("/op/members/adjust-wallet", correction, { token, baseUrl }));
  };

  it.each(postings)("of nothing stops all but what undoes a transaction: $path", async (operation) => {
    const { key } = await makeKey(world, { role: "support", limit_amount: 0, limit_points: 0 });
    const records = await makeOperatorRecords(world, world.home);
    const { body } = await call(operation.path, soundOperatorBody(operation, records), key);
    if (operation.kind === "posting" && operation.undoes) return expect(body.success).toBe(true);
    expect(body.error).toMatchObject({ code: "limit_exceeded", details: { limit: 0, left: 0 } });
  });

  it("counts each stamp as its part of the value of a full card", async () => {
    const { key } = await makeKey(world, { role: "support", limit_amount: 100 });
    const { business_id, stamp_card_id, contact_id } = await makeOperatorRecords(world, world.home);
    const stamp = (stamps: number) => {
      const body = {
        idempotency_key: nextKey(),
        business_id,
        contact_id,
        stamp_card_id,
        stamps,
        reason: "Paper",
      };
      return call("/op/stamp-cards/stamp", body, key);
    };
    // Nine stamps are worth 5.00.
    expect((await stamp(1)).status).toBe(200);
    expect((await stamp(-1)).body.error.details).toMatchObject({ limit: 100, left: 44 });
  });

  it("is for each correction, and for all of a day in a business", async () => {
    const { key } = await makeKey(world, { role: "support", limit_amount: 2000 });
    const contact_id = await world.member();
    expect((await credit(contact_id, 2500, key)).body.error).toMatchObject({
      code: "limit_exceeded",
      details: { unit: "amount", limit: 2000, left: 2000, resets_at: expect.stringMatching(/ 00:00:00$/) },
    });
    expect((await credit(contact_id, 1500, key)).status).toBe(200);
    expect((await credit(contact_id, 1500, key)).body.error.details).toMatchObject({
      limit: 2000,
      left: 500,
    });
    const debit = { business_id: world.home.businessId, contact_id, amount: 501, adjustment_type: "debit" };
    const debited = await call(
      "/op/members/adjust-wallet",
      { idempotency_key: nextKey(), ...debit, reason: "Too much" },
      key,
    );
    expect(debited.body.error.code).toBe("limit_exceeded");
    expect((await credit(contact_id, 500, key)).status).toBe(200);
    expect((await credit(contact_id, 1, key)).body.error.details.left).toBe(0);
    // Points have a limit of their own, here none.
    const points = {
      business_id: world.home.businessId,
      contact_id,
      points: 9000,
      adjustment_type: "credit",
    };
    const given = { idempotency_key: nextKey(), ...points, reason: "A test" };
    expect((await call("/op/members/adjust-points", given, key)).status).toBe(200);
    await world.sql`UPDATE operator_correction SET day = day - 1`;
    expect((await credit(contact_id, 2000, key)).status).toBe(200);
  });

  it("does not count a replay, nor what was rejected", async () => {
    const { key } = await makeKey(world, { role: "support", limit_amount: 1000 });
    const contact_id = await world.member();
    const body = {
      idempotency_key: nextKey(),
      business_id: world.home.businessId,
      contact_id,
      amount: 600,
      adjustment_type: "credit",
      reason: "A test",
    };
    for (let times = 0; times < 3; times++)
      expect((await call("/op/members/adjust-wallet", body, key)).status).toBe(200);
    const tooMuch = { ...body, idempotency_key: nextKey(), amount: 700, adjustment_type: "debit" };
    expect((await call("/op/members/adjust-wallet", tooMuch, key)).body.error.code).toBe(
      "insufficient_balance",
    );
    expect((await credit(contact_id, 400, key)).status).toBe(200);
  });

  it("holds for corrections at the same moment, also in two processes", async () => {
    const { key } = await makeKey(world, { role: "support", limit_amount: 2000 });
    const members = await Promise.all(Array.from({ length: 8 }, () => world.member()));
    const other = await startService(world, {});
    try {
      const replies = await Promise.all(
        members.map((contact_id, nth) =>
          credit(contact_id, 1500, key, nth % 2 === 0 ? world.baseUrl : other.baseUrl),
        ),
      );
      expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
      for (const { status, body } of replies)
        if (status !== 200)
          expect(body.error).toMatchObject({ code: "limit_exceeded", details: { left: 500 } });
    } finally {
      await other.close();
    }
  });
});
