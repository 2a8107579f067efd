/** A business moves between two services with databases of their own. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { watchMoves } from "../../src/abandoned-moves.ts";
import { explained, inDatabaseOf } from "../../src/backup/copy.ts";
import { makeBackup } from "../../src/backup/make.ts";
import { tablesOf } from "../../src/backup/manifest.ts";
import { cancelMove, moveBusiness } from "../../src/backup/move-business.ts";
import type { MoveOptions } from "../../src/backup/move-ends.ts";
import { deriveKeys } from "../../src/credentials/keys.ts";
import { prepareInstallation } from "../../src/database/cell.ts";
import type { Session } from "../../src/database/connection.ts";
import { holdMoveLock, listAbandonedMoves } from "../../src/database/moving.ts";
import { beginLoad } from "../../src/database/statistics.ts";
import { useDatabase } from "../support/database.ts";
import { placeOf } from "../support/places.ts";
import { Receiver } from "../support/receiver.ts";
import { tableDigests } from "../support/table-digests.ts";
import { endpointOf, makeEndpoint, until, verified } from "../support/webhooks.ts";
import { type Business, startService, testOperatorKey, testSecret, World } from "../support/world.ts";

const north = new World(useDatabase());
const south = new World(useDatabase());
const webhooks = { LOYALTY_WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8" };
const third = { database: useDatabase() };
beforeAll(async () => {
  await prepareInstallation(north.sql, 1, deriveKeys(testSecret).check);
  await prepareInstallation(south.sql, 2, deriveKeys(testSecret).check);
  await prepareInstallation(third.database.sql, 3, deriveKeys(testSecret).check);
  await north.start(webhooks);
  await south.start(webhooks);
});
afterAll(async () => {
  await north.stop();
  await south.stop();
});

/** What the proxies were told. */
const routed: string[] = [];
let business: Business;
let contactId = 0;

const noWaits = {
  cachesMilliseconds: 0,
  readsMilliseconds: 0,
  locksMilliseconds: 20_000,
  pauseMilliseconds: 30_000,
};
/** A move from north to south, without the waits for caches and reads, which are for other processes and requests under way. */
const moving = (more: Partial<MoveOptions> = {}): MoveOptions => ({
  businessId: business.businessId,
  from: placeOf(north.database),
  to: placeOf(south.database),
  checkRoutes: async () => undefined,
  route: async (to, clientIds) => void routed.push(`${to} ${clientIds.length}`),
  writeRoutes: async () => void routed.push("files"),
  onProgress: () => undefined,
  onRows: () => undefined,
  signal: new AbortController().signal,
  waits: noWaits,
  ...more,
});

const credit = (key: string) => ({
  idempotency_key: key,
  contact_id: contactId,
  location_id: business.locationIds[0],
  amount: 500,
  adjustment_type: "credit",
});
const operator = (world: World, path: string, body: object) =>
  world.call(path, { business_id: business.businessId, ...body }, { token: testOperatorKey });
/** Calls both services with one token, as the proxy may do. */
const partner = (world: World, path: string, body: object) => world.call(path, body, { token });
let token = "";
/** Whether a line of the progress begins with a text, after the number of the step. */
const says = (line: string, text: string) => line.replace(/^\d of 6: /, "").startsWith(text);
/** Another process of a service. It knows no integration yet, as every process after the waits of a move. */
const withoutCache = (world: World) => startService(world, {});

beforeEach(async () => {
  routed.length = 0;
  business = await north.business("Moving", "Europe/Madrid");
  token = await north.freshToken(business.everywhere);
  const person = { first_name: "Ana", last_name: "López", phone_number: "+34699000001" };
  const made = await partner(north, "/sp/members/create", { ...person, idempotency_key: "member" });
  contactId = made.body.data.contact_id;
  expect((await partner(north, "/sp/wallet/adjust", credit("before"))).status).toBe(200);
});

/** The rows of the business. The audit log is numbered anew, and stays in the old place, too. */
const rowsIn = (world: World) => tableDigests(world.sql, ["audit_entry"], business.businessId);
const nothing = async (world: World) =>
  Object.fromEntries(Object.keys(await rowsIn(world)).map((table) => [table, "0 rows, 0"]));
const auditOf = (world: World) =>
  world.sql<{ event: string }[]>`
    SELECT event FROM audit_entry WHERE business_id = ${business.businessId} ORDER BY audit_id`;

it("goes along with its members, ledger, keys, tokens and secrets, and keeps all ids", async () => {
  const { location_id: _, ...correction } = { ...credit("operator"), reason: "Test" };
  expect((await operator(north, "/op/members/adjust-wallet", correction)).status).toBe(200);
  // An entry that is added in the background is later than others in the log, and may be of an earlier time.
  await until(async () => (await auditOf(north)).some(({ event }) => event === "token.issued"));
  await north.sql`
    UPDATE audit_entry SET recorded_at = recorded_at - interval '1 hour'
    WHERE audit_id = (SELECT max(audit_id) FROM audit_entry WHERE business_id = ${business.businessId})`;
  const before = await rowsIn(north);
  const { moved } = await moveBusiness(moving());
  expect(moved).toMatchObject({ members: 1, entries: 2 });
  expect(routed).toEqual(["to 2", "files"]);
  expect(await rowsIn(north)).toEqual(await nothing(north));
  expect(await rowsIn(south)).toEqual(before);
  for (const world of [north, south])
    expect((await auditOf(world)).at(-1)).toEqual({ event: "business.moved" });
  expect(await auditOf(south)).toEqual(await auditOf(north));

  const retried = await partner(south, "/sp/wallet/adjust", credit("before"));
  expect([retried.status, retried.headers.get("idempotent-replayed")]).toEqual([200, "true"]);
  const corrected = await operator(south, "/op/members/adjust-wallet", correction);
  expect([corrected.status, corrected.headers.get("idempotent-replayed")]).toEqual([200, "true"]);
  expect((await partner(south, "/sp/wallet/adjust", credit("after"))).body.data.balance_after).toBe(1500);
  await south.freshToken(business.everywhere);
  const next = {
    first_name: "Eva",
    last_name: "Ruiz",
    phone_number: "+34699000002",
    idempotency_key: "next",
  };
  const { contact_id } = (await partner(south, "/sp/members/create", next)).body.data;
  expect(Math.floor(contact_id / 10 ** 9)).toBe(2);
  expect(contact_id).toBeGreaterThan(contactId);
  for (const part of ["accounts", "points", "entries", "entry_counts", "member_counts", "reports"]) {
    for (let after: number | null = 0; after !== null; ) {
      const { body } = await operator(south, "/op/ledger/verify", { part, after });
      expect(body.data).toMatchObject({ mismatch_count: 0 });
      after = body.data.next;
    }
  }
});

it("takes along what a sale with lines got by promotions, stamp cards and codes, and how far each was used", async () => {
  const at = { contact_id: contactId, location_id: business.locationIds[0] };
  let keys = 0;
  const made = async (world: World, path: string, body: object) => {
    const key = { idempotency_key: `made-${keys++}` };
    const { body: response } = path.startsWith("/op/")
      ? await operator(world, path, { ...key, ...body })
      : await partner(world, path, { ...key, ...body });
    expect([path, response.error ?? null]).toEqual([path, null]);
    return response.data;
  };
  const program = {
    membership_name: "Club",
    maximum_points_per_order: 500,
    earn_points: 1,
    earn_amount: 100,
  };
  const { program_id } = await made(north, "/op/programs/create", program);
  await made(north, "/op/reward-settings/update", { enable_rp: true });
  await made(north, "/op/reward-settings/rules/update", { default_program_id: program_id });
  const share = { campaign_name: "Flyer", coupon_code: "FLYER", kind: "percent", percent: 10 };
  await made(north, "/op/vouchers/create", { ...share, public_code: "FLYER", most_per_member: 1 });
  const coffee = { coupon_code: "COFFEE", kind: "item", categories: ["coffee"] };
  const { voucher_id } = await made(north, "/op/vouchers/create", { campaign_name: "Coffee", ...coffee });
  const double = { name: "Double", categories: ["coffee"], multiply: 200, most_per_member: 1 };
  await made(north, "/op/promotions/create", double);
  const card = { name: "Card", counts: "unit", categories: ["coffee"], stamps_needed: 3, voucher_id };
  await made(north, "/op/stamp-cards/create", card);
  const lines = [
    { category: "coffee", quantity: 2, amount: 900 },
    { sku: "CAKE", quantity: 1, amount: 600 },
  ];
  const bought = { ...at, amount: 1500, lines };
  const first = await made(north, "/sp/sales/record", { ...bought, use_codes: ["flyer"] });
  expect(first).toMatchObject({ voucher_amount: 150, points_earned: 21, stamp_cards: [{ stamps: 2 }] });
  await moveBusiness(moving());
  // The promotion and the code have been used up, and two more coffees fill the card.
  const second = await made(south, "/sp/sales/record", bought);
  expect(second).toMatchObject({ points_earned: 15, stamp_cards: [{ stamps: 1, completed: 1 }] });
  const again = { ...bought, use_codes: ["flyer"], idempotency_key: "again" };
  expect((await partner(south, "/sp/sales/record", again)).body.error).toMatchObject({
    ...{ code: "voucher_not_usable", details: { reason: "most_per_member" } },
  });
  const { sale_id } = first;
  const back = { sale_id, location_id: at.location_id, lines: [{ line_no: 1 }] };
  expect(await made(south, "/sp/sales/refund", back)).toMatchObject({ refunded: 900, points_clawed: 16 });
  for (const part of ["accounts", "points", "entries", "reports"]) {
    const { body } = await operator(south, "/op/ledger/verify", { part });
    expect(body.data).toMatchObject({ mismatch_count: 0 });
  }
});

it("takes its webhooks along, which go on after the last event that was sent", async () => {
  const receiver = await Receiver.start();
  const endpoint = await makeEndpoint(north.sql, business.businessId, receiver.url);
  expect((await partner(north, "/sp/wallet/adjust", credit("sent"))).status).toBe(200);
  const stored = async (world: World) => (await endpointOf(world.sql, endpoint))?.cursor_event_no;
  await until(async () => receiver.received.length === 1 && (await stored(north)) === receiver.sequences[0]);
  const [sent = 0] = receiver.sequences;
  await moveBusiness(moving());
  expect(await endpointOf(south.sql, endpoint)).toMatchObject({ status: "enabled", cursor_event_no: sent });
  // The sender of the old place has the lease for at most 30 s more.
  await south.sql`UPDATE webhook_endpoint SET leased_until = now() WHERE endpoint_id = ${endpoint.endpointId}`;
  expect((await partner(south, "/sp/wallet/adjust", credit("next"))).status).toBe(200);
  await until(() => receiver.received.length === 2);
  expect(receiver.sequences).toEqual([sent, sent + 1]);
  for (const received of receiver.received) verified(received, endpoint.secret);
  await receiver.stop();
});

it("is as absent in the old place as one that never existed", async () => {
  await moveBusiness(moving());
  const { baseUrl, close } = await withoutCache(north);
  const codeOf = async (path: string, body: object, token?: string) =>
    (await north.call(path, body, { token, baseUrl })).body.error.code;
  expect(await codeOf("/sp/members/list", {}, token)).toBe("sp_integration_not_found");
  const { client_id, client_secret } = business.everywhere;
  expect(await codeOf("/sp/auth/token", { client_id, client_secret })).toBe("invalid_client_credentials");
  const { businessId: business_id } = business;
  expect(await codeOf("/op/members/list", { business_id }, testOperatorKey)).toBe("business_not_found");
  await close();
});

describe("while it moves", () => {
  const stopBefore = (text: string) =>
    moveBusiness(
      moving({
        onProgress: (line) => {
          if (says(line, text)) throw new Error("killed");
        },
      }),
    ).catch((error: Error) => expect(error.message).toBe("killed"));
  const unavailable = async (world: World, path: string, body: object, baseUrl: string) => {
    const { status, headers } = await world.call(path, body, { token, baseUrl });
    expect([path, status]).toEqual([path, 503]);
    const seconds = Number(headers.get("retry-after"));
    expect(seconds).toBeGreaterThanOrEqual(1);
    expect(seconds).toBeLessThanOrEqual(8);
  };
  const person = {
    first_name: "Eva",
    last_name: "Ruiz",
    phone_number: "+34699000002",
  };
  const state = async () => {
    const [row] = await north.sql`SELECT move_state FROM ledger WHERE business_id = ${business.businessId}`;
    return row?.move_state;
  };

  it("accepts writes while its rows are copied, and takes them along", async () => {
    await stopBefore("Rejecting writes");
    const service = await withoutCache(north);
    const { status } = await north.call("/sp/wallet/adjust", credit("new"), {
      token,
      baseUrl: service.baseUrl,
    });
    expect(status).toBe(200);
    await service.close();
    await moveBusiness(moving());
    expect((await partner(south, "/sp/wallet/adjust", credit("next"))).body.data.balance_after).toBe(1500);
  });

  it("takes along everything that is added, changed and deleted while its rows are copied", async () => {
    const { businessId, locationIds } = business;
    const made = await partner(north, "/sp/members/create", { ...person, idempotency_key: "made" });
    const other = made.body.data.contact_id;
    const leaving = { ...person, phone_number: "+34699000008", idempotency_key: "leaving" };
    const { contact_id: erased } = (await partner(north, "/sp/members/create", leaving)).body.data;
    await north.sql`
      UPDATE idempotency_key SET created_at = created_at - interval '1 day' WHERE business_id = ${businessId}`;
    const endpoint = await makeEndpoint(north.sql, businessId, "http://127.0.0.1:9/");
    const withNumber = async (phone_number: string) => {
      const sent = { ...person, phone_number, idempotency_key: phone_number };
      return (await partner(north, "/sp/members/create", sent)).body.data.contact_id;
    };
    const [one, two] = [await withNumber("+34699000011"), await withNumber("+34699000012")];
    const card = { card_code: "7755443322", kind: "plastic" };
    const register = (contact_id: number) =>
      partner(north, "/sp/cards/create", { ...card, contact_id, idempotency_key: `card ${contact_id}` });
    await register(erased);
    const rename = (id: number, phone_number: string) =>
      operator(north, "/op/members/update", { contact_id: id, phone_number, idempotency_key: phone_number });
    let changes = 0;
    const change = async () => {
      changes += 1;
      const sale = { contact_id: other, location_id: locationIds[0], amount: 900, idempotency_key: "sale" };
      const responses = [
        await partner(north, "/sp/wallet/adjust", credit("meanwhile")),
        await partner(north, "/sp/sales/record", sale),
        // A new member gets the number that another one had.
        await rename(other, "+34699000009"),
        // Two members exchange theirs.
        await rename(one, "+34699000013"),
        await rename(two, "+34699000011"),
        await rename(one, "+34699000012"),
        await partner(north, "/sp/members/create", { ...person, idempotency_key: "again" }),
        // The key that created this member gets another response.
        await operator(north, "/op/members/erase", { contact_id: erased, idempotency_key: "erased" }),
        // Its card is that of another member.
        await register(two),
      ];
      for (const { body } of responses) expect(body).toMatchObject({ success: true });
      await north.sql`
        DELETE FROM webhook_endpoint WHERE business_id = ${businessId} AND endpoint_id = ${endpoint.endpointId}`;
      await expire("member");
    };
    /** Deletes a key, as when it has expired. */
    const expire = async (key: string) =>
      void (await north.sql`DELETE FROM idempotency_key WHERE business_id = ${businessId} AND idempotency_key = ${key}`);
    let expiring: Promise<void> | undefined;
    await moveBusiness(
      moving({
        beforePause: change,
        onRows: () => {
          expiring ??= expire(`card ${erased}`);
        },
        onProgress: (line) => {
          if (says(line, "Waiting")) throw new Error("killed");
        },
      }),
    ).catch((error: Error) => expect(error.message).toBe("killed"));
    expect(changes).toBe(1);
    await expiring;
    // The new place may keep an expired key until it expires there.
    const keysIn = ({ sql }: World) => sql`
      SELECT idempotency_key, response::text FROM idempotency_key
      WHERE business_id = ${businessId} AND idempotency_key NOT IN ('member', ${`card ${erased}`}) ORDER BY idempotency_key`;
    expect(await keysIn(south)).toEqual(await keysIn(north));
    const { ledger: _, idempotency_key: __, ...old } = await rowsIn(north);
    expect(await rowsIn(south)).toMatchObject(old);
    await moveBusiness(moving());
    for (const part of ["accounts", "points", "entries", "member_counts", "reports"]) {
      const { body } = await operator(south, "/op/ledger/verify", { part });
      expect(body.data).toMatchObject({ mismatch_count: 0 });
    }
  });

  /** Writes something in a transaction that goes on. */
  const addEarly = async (writing: Session) => {
    await writing.begin();
    await writing`INSERT INTO location (business_id, name) VALUES (${business.businessId}, 'Early')`;
  };

  it("accepts writes while it waits for a transaction that was there before", async () => {
    const writing = await north.sql.reserve();
    await addEarly(writing);
    const lines: string[] = [];
    const move = moveBusiness(moving({ onProgress: (line) => lines.push(line) }));
    await until(async () =>
      lines.some((line) => /^Waiting for process \d+ of PostgreSQL \(.+, since /.test(line)),
    );
    expect(await state()).toBe("copying");
    await writing.commit();
    writing.release();
    await move;
    const { body } = await partner(south, "/sp/locations/list", {});
    expect(body.data.map(({ name }: { name: string }) => name)).toContain("Early");
  });

  it("accepts writes again when the command fails before the last rows are copied", async () => {
    const writing = await north.sql.reserve();
    const command = new AbortController();
    const move = moveBusiness(moving({ signal: command.signal, beforePause: () => addEarly(writing) })).catch(
      (error: Error) => error,
    );
    await until(async () => (await state()) === "leaving");
    command.abort();
    expect(await move).toBe(command.signal.reason);
    await writing.rollBack();
    writing.release();
    expect(await state()).toBe("copying");
    expect((await partner(north, "/sp/wallet/adjust", credit("new"))).body.data.balance_after).toBe(1000);
    await moveBusiness(moving());
  });

  it("accepts writes again when the command was killed before or after the commit of the copy, and copies anew", async () => {
    const { businessId } = business;
    const log = pino({ enabled: false });
    const [south_id] = await south.sql<{ id: string }[]>`SELECT database_id::text AS id FROM installation`;
    const kill = {
      "before the commit": () => north.sql`
        UPDATE ledger SET move_state = 'leaving', move_database = ${south_id?.id ?? ""}::uuid WHERE business_id = ${businessId}`,
      "after the commit": () => stopBefore("Rejecting its reads"),
    };
    for (const [nth, killed] of Object.entries(kill)) {
      await killed();
      const service = await withoutCache(north);
      const at = { token, baseUrl: service.baseUrl };
      await unavailable(north, "/sp/wallet/adjust", credit(nth), service.baseUrl);
      const mover = await north.sql.reserve();
      const watch = watchMoves(north.sql, log);
      // A command that lives has a lock.
      await holdMoveLock(mover, "pause", businessId);
      for (let look = 0; look < 3; look++) await watch.look();
      mover.cut();
      await until(async () =>
        (await listAbandonedMoves(north.sql, "pause", ["leaving"])).includes(businessId),
      );
      await watch.look();
      await unavailable(north, "/sp/wallet/adjust", credit(nth), service.baseUrl);
      await watch.look();
      await watch.stop();
      expect((await north.call("/sp/wallet/adjust", credit(nth), at)).status).toBe(200);
      await service.close();
    }
    const { ledger: _, ...before } = await rowsIn(north);
    await moveBusiness(moving());
    expect(await rowsIn(south)).toMatchObject(before);
  });

  it("accepts writes again when the command hangs while it rejects them, and copies them when it is repeated", async () => {
    const { businessId } = business;
    const writing = await north.sql.reserve();
    // Long enough for a second session, which would look for locks after a second.
    const waits = { ...noWaits, pauseMilliseconds: 1500 };
    // The command lives, and waits for the transaction.
    const move = moveBusiness(moving({ beforePause: () => addEarly(writing), waits })).catch(
      (error: Error) => error.message,
    );
    await until(async () => (await state()) === "leaving");
    const isAbandoned = async (lock: "move" | "pause") =>
      (await listAbandonedMoves(north.sql, lock, ["leaving", "copying"])).includes(businessId);
    await until(() => isAbandoned("pause"));
    const watch = watchMoves(north.sql, pino({ enabled: false }));
    for (let look = 0; look < 2; look++) await watch.look();
    await watch.stop();
    expect(await state()).toBe("copying");
    expect(await isAbandoned("move")).toBe(false);
    expect((await partner(north, "/sp/wallet/adjust", credit("new"))).status).toBe(200);
    await writing.commit();
    writing.release();
    expect(await move).toMatch(
      /^The last rows took longer than \d+ s, so writes are accepted again. Repeat the command.$/,
    );
    expect((await partner(north, "/sp/wallet/adjust", credit("next"))).status).toBe(200);
    await moveBusiness(moving());
    expect((await partner(south, "/sp/wallet/adjust", credit("then"))).body.data.balance_after).toBe(2000);
  });

  it("copies in each pass only what has changed since the pass before, also between databases of one server", async () => {
    const copied: number[] = [];
    let writing: Promise<unknown> | undefined;
    const onProgress = (line: string) => {
      const [, rows] = /^Copied (\d+) rows/.exec(line) ?? [];
      if (rows === undefined) return;
      copied.push(Number(rows));
      writing ??= partner(north, "/sp/wallet/adjust", credit("meanwhile"));
    };
    // After a question, there is another pass.
    const beforePause = async () => void (await Promise.all([writing, sleep(1100)]));
    await moveBusiness(moving({ onProgress, beforePause, waits: { ...noWaits, cachesMilliseconds: 3000 } }));
    expect(copied.some((rows) => rows > 0)).toBe(true);
    expect(copied.at(-1)).toBe(0);
  });

  it("waits for another business that is copied to the same place, and says for whom", async () => {
    const loading = await south.sql.reserve();
    await loading.begin();
    await beginLoad(loading);
    const lines: string[] = [];
    const move = moveBusiness(moving({ onProgress: (line) => lines.push(line) }));
    await until(async () =>
      lines.some((line) => /^Waiting for process \d+ of PostgreSQL \(.+, since /.test(line)),
    );
    expect((await partner(north, "/sp/wallet/adjust", credit("new"))).status).toBe(200);
    await loading.rollBack();
    loading.release();
    await move;
  });

  it("accepts writes again when a database was migrated while rows were copied", async () => {
    const newer = 1 + Number((await north.sql`SELECT max(version) AS version FROM migration`)[0]?.version);
    const beforePause = async () =>
      void (await north.sql`INSERT INTO migration (version, name, digest) VALUES (${newer}, 'next', 'digest')`);
    await expect(moveBusiness(moving({ beforePause }))).rejects.toThrow(/newer than this build's/);
    expect(await state()).toBe("copying");
    await north.sql`DELETE FROM migration WHERE version = ${newer}`;
    await moveBusiness(moving());
  });

  it("is no interrupted move while the command waits for the last reads", async () => {
    const { businessId } = business;
    const interrupted = async () =>
      (await listAbandonedMoves(north.sql, "move", ["copying", "leaving", "left"])).includes(businessId);
    const command = new AbortController();
    const { signal } = command;
    const move = moveBusiness(moving({ signal, waits: { ...noWaits, readsMilliseconds: 2000 } })).catch(
      (error: Error) => error,
    );
    await until(async () => (await state()) === "left" && routed.includes("files"));
    expect(await interrupted()).toBe(false);
    command.abort();
    await move;
    await until(interrupted);
    await moveBusiness(moving());
  });

  it("deletes the rows of members in transactions of their own, and continues there", async () => {
    const { businessId } = business;
    const { endpointId } = await makeEndpoint(north.sql, businessId, "http://127.0.0.1:9/");
    await north.sql`
      INSERT INTO webhook_attempt (business_id, endpoint_id, event_no, attempt, kind, started_at, milliseconds, succeeded)
      VALUES (${businessId}, ${endpointId}, 1, 1, 'delivery', now(), 1, false)`;
    await stopBefore("Waiting");
    const reading = await north.sql.reserve();
    await reading.begin();
    await reading`SELECT FROM ledger WHERE business_id = ${businessId} FOR UPDATE`;
    const command = new AbortController();
    const move = moveBusiness(moving({ signal: command.signal })).catch((error: Error) => error);
    const rows = async () => [
      ...(await north.sql`SELECT FROM ledger_entry WHERE business_id = ${businessId}`),
      ...(await north.sql`SELECT FROM webhook_attempt WHERE business_id = ${businessId}`),
    ];
    await until(async () => (await rows()).length === 0);
    command.abort();
    expect(await move).toBe(command.signal.reason);
    await reading.rollBack();
    reading.release();
    expect((await auditOf(north)).length).toBeGreaterThan(0);
    await moveBusiness(moving());
    expect(await rowsIn(north)).toEqual(await nothing(north));
    expect((await partner(south, "/sp/wallet/adjust", credit("new"))).body.data.balance_after).toBe(1000);
  });

  it("accepts nothing anywhere while requests are sent elsewhere", async () => {
    const link = await operator(north, "/op/members/page-link", {
      contact_id: contactId,
      idempotency_key: "page",
    });
    const shown = async (baseUrl: string) => (await fetch(baseUrl + link.body.data.page_path)).status;
    expect(await shown(north.baseUrl)).toBe(200);
    await stopBefore("Accepting");
    const service = await withoutCache(north);
    for (const baseUrl of [service.baseUrl, south.baseUrl]) {
      await unavailable(north, "/sp/wallet/adjust", credit("new"), baseUrl);
      await unavailable(north, "/sp/members/list", {}, baseUrl);
      expect(await shown(baseUrl)).toBe(503);
    }
    await service.close();
    await moveBusiness(moving());
    expect((await partner(south, "/sp/members/list", {})).status).toBe(200);
    expect([await shown(north.baseUrl), await shown(south.baseUrl)]).toEqual([404, 200]);
  });

  it("continues after it was interrupted before each step", async () => {
    const before = await rowsIn(north);
    for (const step of [
      "Announcing",
      "Copying",
      "Comparing",
      "Rejecting writes",
      "Rejecting its reads",
      "Accepting",
      "Waiting",
    ])
      await stopBefore(step);
    await moveBusiness(moving());
    expect(await rowsIn(south)).toEqual(before);
    expect(await rowsIn(north)).toEqual(await nothing(north));
  });

  it("accepts no copy of which a cancelled move has deleted a part", async () => {
    const before = await rowsIn(north);
    await stopBefore("Accepting");
    const reading = await south.sql.reserve();
    await reading.begin();
    await reading`SELECT FROM reward_settings WHERE business_id = ${business.businessId} FOR UPDATE`;
    const command = new AbortController();
    const cancelled = cancelMove(moving({ signal: command.signal })).catch((error: Error) => error);
    await until(async () => {
      const rows = await south.sql`SELECT FROM ledger_entry WHERE business_id = ${business.businessId}`;
      return rows.length === 0;
    });
    command.abort();
    expect(await cancelled).toBe(command.signal.reason);
    await reading.rollBack();
    reading.release();
    expect((await partner(north, "/sp/members/list", {})).status).toBe(200);
    await moveBusiness(moving());
    const { ledger: _, ...rows } = before;
    expect(await rowsIn(south)).toMatchObject(rows);
  });

  it("goes back when it is cancelled before each step", async () => {
    const before = await rowsIn(north);
    for (const step of ["Copying", "Rejecting writes", "Rejecting its reads", "Accepting"]) {
      await stopBefore(step);
      await cancelMove(moving());
      expect(await rowsIn(north)).toEqual(before);
      expect(await rowsIn(south)).toEqual(await nothing(south));
    }
    expect((await partner(north, "/sp/wallet/adjust", credit("new"))).body.data.balance_after).toBe(1000);
    await moveBusiness(moving());
  });

  it("can't be cancelled once the new place has accepted its requests, but moved back", async () => {
    await stopBefore("Waiting");
    await expect(cancelMove(moving())).rejects.toThrow(/accepted in the new place already/);
    await moveBusiness(moving());
    await moveBusiness(moving({ from: placeOf(south.database), to: placeOf(north.database) }));
    expect((await partner(north, "/sp/wallet/adjust", credit("back"))).body.data.balance_after).toBe(1000);
    expect(await rowsIn(south)).toEqual(await nothing(south));
  });

  it("says which command moves it already, and rejects no write before that has ended", async () => {
    const earlier = await south.sql.reserve();
    await holdMoveLock(earlier, "move", business.businessId);
    const lines: string[] = [];
    const waits = { ...noWaits, locksMilliseconds: 2000 };
    await expect(moveBusiness(moving({ waits, onProgress: (line) => lines.push(line) }))).rejects.toThrow(
      /has waited for the lock of another process of PostgreSQL, which the lines above name.* pg_terminate_backend\(/,
    );
    expect(lines.join()).toMatch(/Waiting for process \d+ of PostgreSQL \(.+, since 20/);
    expect((await partner(north, "/sp/wallet/adjust", credit("new"))).status).toBe(200);
    expect(await state()).toBe(null);
    earlier.cut();
    await moveBusiness(moving());
  });

  it("says in one line that a database was killed during a COPY", () => {
    // As the driver says it.
    const killed = new Error("Connection terminated unexpectedly");
    const said = explained(killed, new AbortController().signal, "Business 3 can't be moved") as Error;
    expect(said.message).toBe("Business 3 can't be moved: the connection to the database ended.");
  });

  it("leaves no statement behind when it is interrupted", async () => {
    const command = new AbortController();
    const name = `interrupted ${business.businessId}`;
    const sleeping = async () => {
      const rows =
        await south.sql`SELECT 1 FROM pg_stat_activity WHERE application_name = ${name} AND state = 'active'`;
      return rows.length;
    };
    const options = { applicationName: name, signal: command.signal };
    const work = inDatabaseOf(
      { ...moving(), ...placeOf(south.database) },
      options,
      (tx) => tx`SELECT pg_sleep(600)`,
    );
    await until(async () => (await sleeping()) === 1);
    command.abort();
    await expect(work).rejects.toThrow();
    await until(async () => (await sleeping()) === 0);
  });

  it("takes statistics of large tables before their rows are looked up", async () => {
    const { businessId } = business;
    await north.sql`
      INSERT INTO location (business_id, name) SELECT ${businessId}, 'Many ' || n FROM generate_series(1, 1000) AS n`;
    const analyzed = async (name: string) => {
      const [row] = await south.sql<{ analyzed: boolean }[]>`
        SELECT last_analyze IS NOT NULL AS analyzed FROM pg_stat_user_tables WHERE relname = ${name}`;
      return row?.analyzed;
    };
    await moveBusiness(moving());
    await until(async () => (await analyzed("location")) === true);
    expect(await analyzed("audit_entry")).toBe(false);
  });

  it("rejects writes while it waits for those under way, which it takes along", async () => {
    const writing = await north.sql.reserve();
    const reading = await north.sql.reserve();
    await reading.begin();
    await reading`SELECT FROM ledger`;
    const move = moveBusiness(moving({ beforePause: () => addEarly(writing) }));
    await until(async () => (await state()) === "leaving");
    const service = await withoutCache(north);
    const at = { token, baseUrl: service.baseUrl };
    await unavailable(north, "/sp/wallet/adjust", credit("new"), service.baseUrl);
    await unavailable(north, "/sp/members/create", { ...person, idempotency_key: "other" }, service.baseUrl);
    const { location_id: _, ...fields } = credit("new");
    const operators = await operator(north, "/op/members/adjust-wallet", { ...fields, reason: "Test" });
    expect(operators.status).toBe(503);
    expect((await north.call("/sp/members/list", {}, at)).status).toBe(200);
    await service.close();
    await writing`INSERT INTO location (business_id, name) VALUES (${business.businessId}, 'Late')`;
    await writing.commit();
    writing.release();
    await move;
    await reading.rollBack();
    reading.release();
    const { body } = await partner(south, "/sp/locations/list", {});
    expect(body.data.map(({ name }: { name: string }) => name)).toContain("Late");
    expect((await partner(south, "/sp/wallet/adjust", credit("new"))).body.data.balance_after).toBe(1000);
  });
});

const stop = () => {
  throw new Error("killed");
};

describe("is not moved", () => {
  const rejected = (message: RegExp, more: Partial<MoveOptions>) =>
    expect(moveBusiness(moving(more))).rejects.toThrow(message);

  it("to where it is, from where it is not, and twice at a time to different places", async () => {
    await rejected(/Both places are the same database/, { to: placeOf(north.database) });
    await rejected(/Business 77 not found/, { businessId: 77 });
    expect(await moveBusiness(moving({ businessId: south.home.businessId }))).toMatchObject({
      moved: undefined,
    });
    await moveBusiness(moving({ onProgress: (line) => says(line, "Copying") && stop() })).catch(
      () => undefined,
    );
    await rejected(/is being moved to another place already/, {
      from: placeOf(north.database),
      to: placeOf(third.database),
    });
    // To where it is moving from.
    await rejected(/is being moved to another place already/, {
      from: placeOf(third.database),
      to: placeOf(north.database),
    });
    await cancelMove(moving());
  });

  it("if somebody does not want writes to be rejected for so long", async () => {
    await rejected(/Nothing was done/, { beforePause: () => Promise.reject(new Error("Nothing was done.")) });
    const [ledger] =
      await north.sql`SELECT move_state FROM ledger WHERE business_id = ${business.businessId}`;
    expect(ledger).toEqual({ move_state: null });
  });

  it("while an import is under way, whose file would not go along", async () => {
    const { businessId } = business;
    const [job] = await north.sql<{ import_id: number }[]>`
      INSERT INTO import_job (business_id, file_name, state, leased_by, leased_until)
      VALUES (${businessId}, 'members.csv', 'importing', gen_random_uuid(), now() + interval '1 hour') RETURNING import_id`;
    await rejected(new RegExp(`Import ${job?.import_id} of business ${businessId} is under way`), {});
    await north.sql`UPDATE import_job SET state = 'ended' WHERE business_id = ${businessId}`;
    const beforePause = async () =>
      void (await north.sql`UPDATE import_job SET state = 'checking' WHERE business_id = ${businessId}`);
    await rejected(/is under way/, { beforePause });
    expect((await partner(north, "/sp/wallet/adjust", credit("new"))).status).toBe(200);
  });

  it("when its requests can't be sent to the other place", async () => {
    await rejected(/no proxy/, { checkRoutes: () => Promise.reject(new Error("no proxy")) });
    const [ledger] =
      await north.sql`SELECT move_state FROM ledger WHERE business_id = ${business.businessId}`;
    expect(ledger).toEqual({ move_state: null });
  });

  it("to a service with another secret", async () => {
    await prepareInstallation(south.sql, 2, "another");
    await rejected(/different secrets/, {});
    await prepareInstallation(south.sql, 2, deriveKeys(testSecret).check);
    expect((await partner(north, "/sp/wallet/adjust", credit("new"))).status).toBe(200);
  });
});

it("takes along the entries of a business that has the partitions of docs/SCALING.md, which a backup has, too", async () => {
  const { businessId } = business;
  const page = await readFile(new URL("../../docs/SCALING.md", import.meta.url), "utf8");
  const [, script = ""] = /^ {2}```sql\n(.+?)^ {2}```$/ms.exec(page) ?? [];
  await north.sql.query(script.replaceAll(/\(3\)|= 3;/g, (one) => one.replace("3", String(businessId))));
  const [entries] = await north.sql`SELECT count(*) AS all FROM ledger_entry_3_0`;
  expect(entries).toEqual({ all: 1 });
  expect((await partner(north, "/sp/wallet/adjust", credit("new"))).body.data.balance_after).toBe(1000);
  const directory = await mkdtemp(join(tmpdir(), "loyalty-partitions-"));
  const { manifest } = await makeBackup({
    ...{ ...moving(), ...placeOf(north.database), businessId: undefined },
    ...{ target: join(directory, "backup"), productVersion: "1.0.0" },
  });
  const [all] = await north.sql<{ rows: number }[]>`SELECT count(*) AS rows FROM ledger_entry`;
  expect(tablesOf(manifest).find(({ table }) => table === "ledger_entry")?.rows).toBe(all?.rows);
  await rm(directory, { recursive: true });
  const before = await rowsIn(north);
  await moveBusiness(moving());
  // The old place also has the partitions by their names.
  expect(before).toMatchObject(await rowsIn(south));
  expect(await rowsIn(north)).toEqual(await nothing(north));
});
