/** The audit log: every operator write and every credential event, in full, once, and never a secret. */
import { isDeepStrictEqual } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { operatorOperations } from "../../src/operations/operations.ts";
import { sweepOldAuditEntries } from "../../src/sweeper.ts";
import type { Body } from "../support/engine-requests.ts";
import {
  asOperator,
  makeOperatorRecords,
  type OperatorRecords,
  operatorWrite,
  soundOperatorBody,
} from "../support/operator-requests.ts";
import { makeKey } from "../support/operators.ts";
import { personalValuesIn, storedPersonalValues } from "../support/personal-values.ts";
import { nextKey, useWorld } from "../support/world.ts";

const world = useWorld();

const writes = operatorOperations.filter(({ kind }) => kind === "write" || kind === "posting");
/** The nouns whose entries of a creation have the whole response. */
const toldInFull = [
  "businesses",
  "locations",
  "integrations",
  "tiers",
  "programs",
  "vouchers",
  "topup-benefits",
  "promotions",
  "stamp-cards",
  "occasions",
  "segments",
];
/** Those whose entries have less than the response: it also says what is not delivered, and the code of a card. */
const toldInPart = ["webhook-endpoints", "cards"];
/** Those that belong to no business. */
const ofInstallation = ["operators", "operator-keys", "sessions"];
/** The field that names the changed record, by noun. */
const idFields: Readonly<Record<string, string>> = {
  imports: "import_id",
  businesses: "business_id",
  "apple-wallet": "business_id",
  "google-wallet": "business_id",
  locations: "location_id",
  integrations: "integration_id",
  members: "contact_id",
  vouchers: "voucher_id",
  programs: "program_id",
  tiers: "tier_id",
  "topup-benefits": "benefit_id",
  promotions: "promotion_id",
  "stamp-cards": "stamp_card_id",
  occasions: "occasion_id",
  segments: "segment_id",
  operators: "operator_id",
  "operator-keys": "key_id",
  sessions: "session_id",
  "webhook-endpoints": "endpoint_id",
  "webhook-deliveries": "endpoint_id",
};

/** Their valid requests leave everything as it is: an active member, an enabled integration, nothing due, a dry run. */
const changeNothing = new Set([
  "/op/integrations/enable",
  "/op/members/activate",
  "/op/webhook-endpoints/enable",
  "/op/operators/enable",
  "/op/members/settle",
  "/op/stamp-cards/pause",
  "/op/occasions/pause",
  "/op/reward-points/extend",
  // The job leaves the entry, at its end.
  "/op/imports/upload",
  "/op/imports/preview",
  "/op/imports/start",
]);

async function auditOf(filter: Body): Promise<Body[]> {
  const { body } = await asOperator(world, "/op/audit/list", { per_page: 100, ...filter });
  return body.data;
}

/** The entries that a request left. */
async function traceOf(requestId: string | null, filter: Body = {}): Promise<Body[]> {
  return (await auditOf(filter)).filter(({ request_id }) => request_id === requestId);
}

/** What no request changes. */
let unchanged: OperatorRecords;
beforeAll(async () => {
  unchanged = await makeOperatorRecords(world, world.home);
});

describe.each(writes)("$path", ({ path }) => {
  const operation = operatorOperations.find((known) => known.path === path)!;
  const event = (operation as { event?: string }).event!;
  const [, , nouns, verb] = path.split("/");

  it("has an event of its own: what it is about, and what happened to it", () => {
    expect(event).toMatch(/^[a-z]+(_[a-z]+)*\.[a-z]+(_[a-z]+)*$/);
    expect(writes.filter((other) => (other as { event?: string }).event === event)).toHaveLength(1);
  });

  it("leaves one entry with who, what, from where, before and after", async () => {
    const records = await makeOperatorRecords(world, world.home);
    const sent = soundOperatorBody(operation, records);
    const values = [...(await storedPersonalValues(world.sql)), ...personalValuesIn(sent)];
    const note = "A till in the shop";
    const actor = { actor_kind: "root", actor_id: null, actor_name: "root", note };
    const reply = await asOperator(world, path, sent, { "x-actor": note });
    const requestId = reply.headers.get("x-request-id");
    const trace = await traceOf(requestId);
    // A job that ended meanwhile has left its own.
    if (changeNothing.has(path)) return expect(trace.filter((one) => one.event === event)).toEqual([]);
    // A merge leaves an entry for each of the two members.
    expect(trace).toHaveLength(path === "/op/members/merge" ? 2 : 1);
    const known = new Set([...values, ...personalValuesIn(reply.body.data)]);
    const told = JSON.stringify(trace.map(({ before, after }) => [before, after]));
    expect(
      [...known].filter((value) => told.includes(value)),
      `${path} writes personal data to the audit log, which is never erased: see src/database/personal.ts`,
    ).toEqual([]);
    const [entry] = trace as [Body];
    const { data } = reply.body;
    const { business_id, sandbox_business_id } = records;
    const own: Body = {
      businesses: data.business_id ?? data.sandbox_business_id,
      sandbox: sandbox_business_id,
    };
    const ofBusinesses = own[nouns ?? ""] ?? business_id;
    const businessOfEntry = ofInstallation.includes(nouns ?? "") ? null : ofBusinesses;
    expect(entry).toMatchObject({ event, ...actor, address: "127.0.0.1", business_id: businessOfEntry });
    const { client_secret, operator_key, invitation_token, invitation_expires_at, ...shown } =
      reply.body.data;
    expect(JSON.stringify(entry)).not.toContain(
      String(client_secret ?? operator_key ?? invitation_token ?? "no secret was returned"),
    );
    if (nouns === "imports" && "lines" in sent) {
      expect(entry).toMatchObject({ before: null, after: { imported: 1, skipped: 0, rejected: 0 } });
    } else if (verb === "delete" || verb === "revoke") {
      const id = idFields[nouns ?? ""] as string;
      expect(id, `Add ${nouns} to idFields in test/operator/audit.test.ts.`).toBeDefined();
      expect(entry).toMatchObject({ before: { [id]: sent[id] ?? businessOfEntry }, after: null });
    } else if (nouns === "members" && (verb === "create" || verb === "update")) {
      const { contact_id } = data;
      expect(entry).toMatchObject({ contact_id, after: { contact_id } });
    } else if (operation.kind === "posting") {
      const { contact_id = entry.contact_id, reason } = sent;
      expect(entry).toMatchObject({ contact_id, before: { contact_id }, after: { contact_id, reason } });
      for (const name of ["sale_id", "redemption_id", "movement_id", "held_voucher_id"])
        expect(entry.after).toMatchObject(name in data && data[name] !== null ? { [name]: data[name] } : {});
    } else if (verb === "create") {
      expect(
        [...toldInFull, ...toldInPart, ...ofInstallation],
        `Add ${nouns} to toldInFull in test/operator/audit.test.ts, or to toldInPart if a part is not for the audit log.`,
      ).toContain(nouns);
      const after = toldInPart.includes(String(nouns)) ? only(entry.after, shown) : shown;
      expect(entry).toMatchObject({ before: null, after });
    } else {
      const id = idFields[nouns ?? ""];
      if (id !== undefined) expect(entry.before).toMatchObject({ [id]: sent[id] });
      if (verb !== "revoke-tokens") expect(entry.after).toMatchObject(only(entry.after, shown));
    }
    expect(unchangedOf(entry)).toEqual([]);
    // A business that is gone can't be asked for.
    const ofBusiness =
      path === "/op/businesses/delete" || businessOfEntry === null
        ? {}
        : { business_id: businessOfEntry as number };
    expect(await traceOf(requestId, { event, ...ofBusiness })).toEqual(trace);
    expect(await traceOf(requestId, { business_id: world.away.businessId })).toEqual([]);

    const replay = await asOperator(world, path, sent, { "x-actor": note });
    expect(replay.headers.get("idempotent-replayed")).toBe("true");
    expect(await traceOf(replay.headers.get("x-request-id"))).toEqual([]);
  });

  it("leaves none when it was rejected", async () => {
    const business_id = 9_007_199_254_740_000;
    const known = ["business_id", "sandbox_business_id"].filter((name) => name in operation.input.properties);
    const body: Body =
      known.length > 0 ? Object.fromEntries(known.map((name) => [name, business_id])) : { currency: "euro" };
    const reply = await asOperator(world, path, { ...soundOperatorBody(operation, unchanged), ...body });
    expect(reply.body.success).toBe(false);
    expect(await traceOf(reply.headers.get("x-request-id"))).toEqual([]);
  });
});

/** The fields of an entry about a change that did not change, and don't tell which record it is about. */
function unchangedOf({ before, after }: Body): string[] {
  if (before === null || after === null) return [];
  const [old, current] = [before as Body, after as Body];
  const names = new Set([...Object.keys(old), ...Object.keys(current)]);
  const isSame = (name: string) => isDeepStrictEqual(old[name], current[name]);
  // A period is a number and its unit.
  const isUnitOfChanged = (name: string) => !isSame(name.replace(/_(?:period|type)$/, ""));
  return [...names].filter((name) => !name.endsWith("_id") && isSame(name) && !isUnitOfChanged(name));
}

/** The fields of `record` that `expected` has, too. */
function only(record: unknown, expected: Body): Body {
  return Object.fromEntries(Object.entries(expected).filter(([name]) => name in (record as Body)));
}

describe("the note", () => {
  it.each([
    ["the text of X-Actor", { "x-actor": "Ana, at the till" }, "Ana, at the till"],
    ["null, when it is missing", {}, null],
    ["null, when it is too long", { "x-actor": "a".repeat(101) }, null],
    ["null, when it is not ASCII", { "x-actor": "Jos\u00e9" }, null],
  ])("is %s", async (_what, headers: Record<string, string>, note) => {
    const business_id = world.home.businessId;
    const body = { idempotency_key: nextKey(), business_id, name: "Somewhere" };
    const reply = await asOperator(world, "/op/locations/create", body, headers);
    expect(await traceOf(reply.headers.get("x-request-id"))).toMatchObject([
      { actor_kind: "root", actor_name: "root", note },
    ]);
  });
});

describe("credential events", () => {
  it("tell of tokens issued, to whom, but not the token", async () => {
    const { integrationId, client_id, client_secret } = await world.integration(world.home);
    const reply = await world.call("/sp/auth/token", { client_id, client_secret });
    const find = () => traceOf(reply.headers.get("x-request-id"), { business_id: world.home.businessId });
    await expect.poll(find).toMatchObject([
      {
        event: "token.issued",
        actor_kind: "integration",
        actor_id: integrationId,
        actor_name: `integration ${integrationId}`,
        address: "127.0.0.1",
        before: null,
        after: { integration_id: integrationId },
      },
    ]);
    const { text } = await asOperator(world, "/op/audit/list", { event: "token.issued" });
    expect(text).not.toContain(reply.body.data.access_token);
    expect(text).not.toContain(client_secret);
  });

  it("tell of client credentials rejected, but not the secret", async () => {
    const { client_id } = await world.integration(world.home);
    const client_secret = "wrong but a secret all the same";
    const reply = await world.call("/sp/auth/token", { client_id, client_secret });
    const find = () => traceOf(reply.headers.get("x-request-id"), { event: "client_credentials.rejected" });
    await expect
      .poll(find)
      .toMatchObject([
        { business_id: null, actor_kind: "service", actor_name: "unknown", after: { client_id } },
      ]);
    const { text } = await asOperator(world, "/op/audit/list", {});
    expect(text).not.toContain(client_secret);
  });
});

describe("the log", () => {
  it("is a list in pages, newest first, of one business or of all", async () => {
    const { business_id } = await operatorWrite(world, "/op/businesses/create", {
      name: "Logged",
      currency: "EUR",
    });
    for (const name of ["A", "B", "C"])
      await operatorWrite(world, "/op/locations/create", { business_id, name });
    const names = (await auditOf({ business_id })).map(({ after }) => (after as Body).name);
    expect(names).toEqual(["C", "B", "A", "Logged"]);
    const page = await asOperator(world, "/op/audit/list", { business_id, per_page: 3, page: 2 });
    expect(page.body.data.map(({ after }: Body) => (after as Body).name)).toEqual(["Logged"]);
    expect(page.body.meta.pagination).toMatchObject({
      total: 4,
      current_page: 2,
      last_page: 2,
      from: 4,
      to: 4,
    });
    expect((await auditOf({})).length).toBeGreaterThan(4);
  });

  it("is swept of entries past their time, and of no others", async () => {
    const { business_id } = await operatorWrite(world, "/op/businesses/create", {
      name: "Old",
      currency: "EUR",
    });
    const { sql } = world;
    const [last] = await sql<{ audit_id: number }[]>`SELECT max(audit_id) AS audit_id FROM audit_entry`;
    await sql`UPDATE audit_entry SET recorded_at = now() - interval '400 days' WHERE audit_id <= ${last!.audit_id}`;
    await operatorWrite(world, "/op/locations/create", { business_id, name: "New" });
    await sweepOldAuditEntries(sql, 401, { stopped: () => false });
    expect(await auditOf({ business_id })).toHaveLength(2);
    await sweepOldAuditEntries(sql, 399, { stopped: () => false });
    expect((await auditOf({ business_id })).map(({ after }) => (after as Body).name)).toEqual(["New"]);
  });
});

describe("what changed nothing", () => {
  it("is not recorded, and neither is a dry run", async () => {
    const records = await makeOperatorRecords(world, world.home);
    const { business_id, location_id, contact_id } = records;
    // The service adds entries of its own in the background.
    const newest = async () => (await auditOf({ actor_kind: "root", per_page: 1 }))[0]?.audit_id;
    await operatorWrite(world, "/op/locations/update", { business_id, location_id, name: "High Street" });
    const before = await newest();
    await operatorWrite(world, "/op/locations/update", { business_id, location_id, name: "High Street" });
    await operatorWrite(world, "/op/members/activate", { business_id, contact_id });
    const imports = operatorOperations.filter(
      ({ path, input }) => path.startsWith("/op/imports/") && "lines" in input.properties,
    );
    for (const operation of imports) {
      const body = soundOperatorBody(operation, records);
      await operatorWrite(world, operation.path, { ...body, idempotency_key: nextKey(), dry_run: true });
    }
    expect(await newest()).toBe(before);
    await operatorWrite(world, "/op/members/deactivate", { business_id, contact_id });
    expect(await newest()).not.toBe(before);
    const integration = { business_id, integration_id: records.integration_id };
    await operatorWrite(world, "/op/integrations/disable", integration);
    const disabled = await newest();
    await operatorWrite(world, "/op/integrations/disable", integration);
    expect(await newest()).toBe(disabled);
  });
});

describe("an entry about a change", () => {
  it("has the fields that changed and the ids of the record, and no others", async () => {
    const { business_id, integration_id } = await makeOperatorRecords(world, world.home);
    const integration = { business_id, integration_id };
    await operatorWrite(world, "/op/integrations/revoke-tokens", integration);
    await operatorWrite(world, "/op/integrations/update", { ...integration, name: "Renamed" });
    const [renamed, revoked] = await auditOf({ business_id, actor_kind: "root", per_page: 2 });
    const ids = { integration_id, client_id: expect.any(String) };
    expect(revoked).toMatchObject({ event: "integration.tokens_revoked" });
    expect([revoked?.before, revoked?.after]).toEqual([ids, { ...ids, tokens: "revoked" }]);
    expect([renamed?.before, renamed?.after]).toEqual([
      { ...ids, name: expect.any(String) },
      { ...ids, name: "Renamed" },
    ]);
  });
});

describe("the filters of the list", () => {
  it("find entries by actor, event and day", async () => {
    const business_id = world.home.businessId;
    const body = { idempotency_key: nextKey(), business_id, name: "Filtered" };
    const { key_id, key } = await makeKey(world);
    await world.call("/op/locations/create", body, { token: key });
    const filter = { actor_kind: "key", actor_id: key_id };
    const [entry] = await auditOf(filter);
    const day = String(entry?.recorded_at).slice(0, 10);
    const days = { start_date: day, end_date: day };
    expect(await auditOf({ ...filter, event: "location.created", ...days })).toEqual([entry]);
    expect(await auditOf({ ...filter, actor_kind: "account" })).toEqual([]);
    expect(await auditOf({ actor_name: entry?.actor_name, end_date: "2020-01-01" })).toEqual([]);
    expect(await auditOf({ ...filter, start_date: "2999-01-01" })).toEqual([]);
  });

  it("take the days of the zone of the business", async () => {
    const { businessId: business_id } = await world.business("Tokyo", "Asia/Tokyo");
    await operatorWrite(world, "/op/locations/create", { business_id, name: "Shinjuku" });
    // The time is the next day in Tokyo.
    await world.sql`UPDATE audit_entry SET recorded_at = '2026-03-01 23:30:00+00' WHERE business_id = ${business_id}`;
    const on = async (day: string, filter: object) =>
      (await auditOf({ event: "location.created", start_date: day, end_date: day, ...filter })).length;
    expect([await on("2026-03-01", { business_id }), await on("2026-03-02", { business_id })]).toEqual([
      0, 1,
    ]);
    expect([await on("2026-03-01", {}), await on("2026-03-02", {})]).toEqual([1, 0]);
  });

  it("begin a day at the first of two midnights", async () => {
    const { businessId: business_id } = await world.business("Havana", "America/Havana");
    await operatorWrite(world, "/op/locations/create", { business_id, name: "Vedado" });
    // 00:30 for the first time.
    await world.sql`UPDATE audit_entry SET recorded_at = '2025-11-02 04:30:00+00' WHERE business_id = ${business_id}`;
    const on = async (day: string) =>
      (await auditOf({ event: "location.created", business_id, start_date: day, end_date: day })).length;
    expect([await on("2025-11-01"), await on("2025-11-02")]).toEqual([0, 1]);
  });

  it.each([
    [{ event: "/op/locations/create" }, "event"],
    [{ event: "token.isued" }, "event"],
    [{ start_date: "2026-02-30" }, "start_date"],
    [{ start_date: "2026-02-02", end_date: "2026-02-01" }, "end_date"],
    [{ actor_name: "" }, "actor_name"],
  ])("are named when they are wrong: %j", async (filter, field) => {
    const { status, body } = await asOperator(world, "/op/audit/list", filter);
    expect(status).toBe(422);
    expect(body.error.details.errors).toMatchObject([{ field }]);
    if ("event" in filter) expect(body.error.details.errors[0].message).toMatch(/token\.(issued|,|$|\.)/);
  });
});
