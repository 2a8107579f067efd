/** An exported business that somebody has changed: nothing of it is imported. */
import { createHash } from "node:crypto";
import { cp, mkdtemp, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { importBusiness } from "../../src/backup/import-business.ts";
import { makeBackup } from "../../src/backup/make.ts";
import type { Manifest, TableRecord } from "../../src/backup/manifest.ts";
import { restoreBackup } from "../../src/backup/restore.ts";
import { movedTables } from "../../src/database/tables.ts";
import { holdBackgroundWrites } from "../support/background-writes.ts";
import { makeBulkGrant, operatorWrite } from "../support/operator-requests.ts";
import { placeOf } from "../support/places.ts";
import { tableDigests } from "../support/table-digests.ts";
import { type Business, newPerson, useWorld } from "../support/world.ts";

const world = useWorld();
const { signal } = new AbortController();
const quiet = { signal, onProgress: () => undefined, onRows: () => undefined };

let directory = "";
let exported = "";
let business: Business;
let tried = 0;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "loyalty-import-business-"));
  exported = join(directory, "exported");
  business = await world.business("Changed", "Europe/Madrid");
  const { businessId: business_id, everywhere } = business;
  await operatorWrite(world, "/op/businesses/update", { business_id, events_enabled: true });
  const { contact_id } = (await world.write("/sp/members/create", newPerson(), everywhere)).body.data;
  const credit = { contact_id, points: 5, adjustment_type: "credit" };
  await world.write("/sp/reward-points/adjust", credit, everywhere);
  await operatorWrite(world, "/op/locations/create", { business_id, name: "New" });
  const [location_id] = business.locationIds;
  const coffee = { business_id, campaign_name: "Coffee", coupon_code: "TENTH", coupon_value: 300 };
  const { voucher_id } = await operatorWrite(world, "/op/vouchers/create", coffee);
  const card = { business_id, name: "Coffee card", counts: "unit", stamps_needed: 2, voucher_id };
  await operatorWrite(world, "/op/stamp-cards/create", card);
  const lines = [{ category: "coffee", quantity: 3, amount: 1000 }];
  await world.write("/sp/sales/record", { contact_id, location_id, amount: 1000, lines }, everywhere);
  await operatorWrite(world, "/op/members/assign-tier", {
    business_id,
    contact_id,
    tier_id: business.tierIds[0],
  });
  const url = "https://receiver.invalid/webhooks";
  await world.write("/sp/webhook-endpoints/create", { url, types: ["*"] }, everywhere);
  await makeBulkGrant(world, business_id, "running");
  // The world grants more than the service does: nothing in real time can have the scope of sandboxes.
  await world.sql`
    UPDATE integration SET scopes = array_remove(scopes, 'wa.sandbox.write') WHERE business_id = ${business_id}`;
  const options = { ...quiet, ...placeOf(world.database), productVersion: "1.0.0" };
  await makeBackup({ ...options, target: exported, businessId: business_id });
  await makeBackup({ ...options, target: join(directory, "backup") });
  await holdBackgroundWrites(world.sql);
  // The import rejects integrations that are here already.
  await world.sql`UPDATE integration SET client_id = client_id || '-old' WHERE business_id = ${business_id}`;
});
afterAll(() => rm(directory, { recursive: true, force: true }));

type Draft = Omit<Manifest, "files" | "business"> & {
  business?: Manifest["business"];
  files: (TableRecord & Record<string, unknown>)[];
};

interface Changing {
  readonly source: string;
  readonly manifest: Draft;
  readonly record: (table: string) => TableRecord;
  /** Changes the values of the first row of a table, by column, in the text format of COPY. */
  readonly change: (table: string, values: Record<string, string>) => Promise<void>;
  readonly write: (record: TableRecord, text: string) => Promise<void>;
}

/** Copies a directory, and changes it so that its files fit its manifest. */
async function changed(work: (changing: Changing) => unknown, from = exported, name = "business.json") {
  const source = join(directory, `changed-${++tried}`);
  await cp(from, source, { recursive: true });
  const manifest = JSON.parse(await readFile(join(source, name), "utf8")) as Draft;
  const record = (table: string) => manifest.files.find((file) => file.table === table) as TableRecord;
  const write = async (file: TableRecord, text: string) => {
    const content = gzipSync(text);
    await writeFile(join(source, file.path), content);
    const sha256 = createHash("sha256").update(content).digest("hex");
    Object.assign(file, { size: content.length, sha256, rows: text.split("\n").length - 1 });
  };
  const change = async (table: string, values: Record<string, string>) => {
    const file = record(table);
    const [first = "", ...rest] = gunzipSync(await readFile(join(source, file.path)))
      .toString()
      .split("\n");
    const cells = first.split("\t");
    for (const [column, value] of Object.entries(values)) cells[file.columns.indexOf(column)] = value;
    await write(file, [cells.join("\t"), ...rest].join("\n"));
  };
  await work({ source, manifest, record, change, write });
  await writeFile(join(source, name), JSON.stringify(manifest));
  return source;
}

/** What all tables have, since the last import. To read it takes longer than most imports. */
let known: Awaited<ReturnType<typeof tableDigests>> | undefined;

async function load(source: string) {
  const imported = await importBusiness({ ...quiet, ...placeOf(world.database), source });
  known = undefined;
  return imported;
}

async function expectRejected(work: (changing: Changing) => unknown, said: RegExp) {
  const source = await changed(work);
  known ??= await tableDigests(world.sql);
  await expect(load(source)).rejects.toThrow(said);
  expect(await tableDigests(world.sql)).toEqual(known);
}

const made = (table: string, columns: readonly string[]) =>
  ({ path: `${table}.copy.gz`, size: 0, sha256: "", table, columns, rows: 0, identities: {} }) as never;

describe("the manifest", () => {
  it.each([
    ["operator_key", ["name", "secret_hash", "role"], "key\t\\\\x00\towner\n"],
    ["operator_account", ["name", "role", "invitation_hash"], "eve\towner\t\\\\x00\n"],
    ["operator_correction", ["business_id", "operator_number"], ""],
    ["migration", ["version", "name", "digest"], "99\tx\tx\n"],
  ])("can't add the table %s", (table, columns, text) =>
    expectRejected(
      async ({ manifest, record, write }) => {
        manifest.files.push(made(table, columns));
        await write(record(table), text);
      },
      new RegExp(`has a table ${table} that does not belong to it: don't trust it`),
    ),
  );

  it("lacks no table", async () => {
    for (const table of ["audit_entry", "integration_secret", "webhook_secret"]) {
      await expectRejected(
        ({ manifest }) => {
          manifest.files = manifest.files.filter((file) => file.table !== table);
        },
        new RegExp(`lacks the table ${table}: don't trust it`),
      );
    }
  });

  it("names each table, each column and each identity once, and no other", async () => {
    await expectRejected(
      ({ manifest, record }) => void manifest.files.push({ ...record("location") } as never),
      /names location\.copy\.gz twice/,
    );
    const others: [(columns: string[]) => string[]][] = [
      [(columns) => columns.slice(1)],
      [(columns) => [...columns, "notes"]],
      [(columns) => [...columns, columns[0] as string]],
    ];
    for (const [change] of others) {
      await expectRejected(({ record }) => {
        const location = record("location") as { columns: string[] };
        location.columns = change(location.columns);
      }, /has other columns in the table location/);
    }
    await expectRejected(({ record }) => {
      Object.assign(record("location").identities, { business_id: 1 });
    }, /has other columns in the table location/);
  });

  it("names no file but those of its tables", async () => {
    for (const path of [
      "../location.copy.gz",
      "/etc/passwd",
      "member.copy.gz",
      "x/../location.copy.gz",
      ".",
    ]) {
      await expectRejected(
        ({ record }) => void Object.assign(record("location"), { path }),
        /not part of it/,
      );
    }
    await expectRejected(async ({ source, manifest }) => {
      await writeFile(join(source, "secret"), "s");
      manifest.files.push({ path: "secret", size: 1, sha256: "0".repeat(64) } as never);
    }, /names a file secret that is not part of it/);
    await expectRejected(async ({ source }) => {
      await rename(join(source, "location.copy.gz"), join(source, "elsewhere"));
      await symlink("elsewhere", join(source, "location.copy.gz"));
    }, /location\.copy\.gz is not a regular file/);
  });

  it("says the right number of rows, and for which business they are", async () => {
    await expectRejected(({ record }) => {
      const location = record("location") as { rows: number };
      location.rows += 1;
    }, /rows instead of/);
    await expectRejected(({ manifest }) => {
      manifest.business = { business_id: 1, name: "Another" };
    }, /has a row with another business/);
    await expectRejected(({ manifest }) => {
      delete manifest.business;
    }, /names no business/);
  });
});

describe("the rows", () => {
  it("are all of the business that the manifest names", async () => {
    const { files } = JSON.parse(await readFile(join(exported, "business.json"), "utf8")) as Draft;
    const filled = files.filter(({ rows }) => rows > 0).map(({ table }) => table);
    expect(filled.length).toBeGreaterThan(12);
    for (const table of filled) {
      await expectRejected(
        ({ change }) => change(table, { business_id: String(world.home.businessId) }),
        new RegExp(`table ${table} has a row with another business`),
      );
    }
    expect(movedTables).toEqual(expect.arrayContaining(filled));
  });

  const rejected: [table: string, values: Record<string, string>, said: RegExp][] = [
    ["business", { time_zone: "Mars/Olympus" }, /unknown time zone/],
    ["business", { currency: "eur" }, /unknown currency/],
    ["business", { currency_decimals: "9" }, /unknown currency/],
    ["ledger", { clock_at: "infinity" }, /a clock that no sandbox can have/],
    ["integration", { scopes: "{wa.everything}" }, /unknown scope/],
    ["integration", { scopes: "{wa.sandbox.write}" }, /a scope of sandboxes/],
    ["integration", { client_id: "root" }, /client_id of another form/],
    ["integration_secret", { integration_id: "999999" }, /an integration that is not in the export/],
    ["webhook_endpoint", { integration_id: "999999" }, /an integration that is not in the export/],
    ["webhook_endpoint", { url: "file:///etc/passwd" }, /URL of another protocol/],
    ["idempotency_key", { named_business_id: "1" }, /another business/],
    ["audit_entry", { recorded_at: "2999-01-01 00:00:00+00" }, /time in the future/],
    ["audit_entry", { recorded_at: "infinity" }, /time in the future/],
    ["location", { location_id: "9007199254740991" }, /location_id that no service makes/],
    ["member", { contact_id: "-1" }, /contact_id that no service makes/],
    ["reward_rules", { rules: "[]" }, /rules of another form/],
    ["sale", { uses: "{}" }, /uses of another form/],
    ["sale", { uses: '[{"lot_id":1.5,"points":1}]' }, /uses of another form/],
    ["tier_standing", { promised: "[1]" }, /tiers of another form/],
    ["tier_standing", { rests_on: '"2026"' }, /tiers of another form/],
    ["event", { data: "[]" }, /data of another form/],
    ["account", { balance: "777" }, /balances of the export are not the sums/],
  ];
  it.each(rejected)("of %s can't have %j", (table, values, said) =>
    expectRejected(({ change }) => change(table, values), said),
  );
});

it("comes without the state of a move, what is due to be sent, a job that runs, and actors who are somebody here", async () => {
  const source = await changed(async ({ change }) => {
    await change("ledger", {
      move_state: "leaving",
      move_database: "00000000-0000-0000-0000-000000000001",
    });
    const done = { status: "disabled", disabled_reason: "requested", leased_by: "x" };
    await change("webhook_endpoint", { ...done, due_at: "2020-01-01 00:00:00+00", leased_until: "infinity" });
    await change("audit_entry", { actor_kind: "account", actor_id: "1", actor_name: "anna" });
  });
  await world.sql.query("DROP TRIGGER hold_lease ON webhook_endpoint");
  const { businessId } = await load(source);
  const [ledger] = await world.sql`
    SELECT move_state, move_database, events_enabled FROM ledger WHERE business_id = ${businessId}`;
  expect(ledger).toEqual({ move_state: null, move_database: null, events_enabled: true });
  const [endpoint] = await world.sql`
    SELECT status, due_at, leased_by, leased_until FROM webhook_endpoint WHERE business_id = ${businessId}`;
  expect(endpoint).toEqual({ status: "disabled", due_at: null, leased_by: null, leased_until: null });
  const grants = await world.sql`
    SELECT state, ended_at IS NOT NULL AS has_ended, actor FROM bulk_grant WHERE business_id = ${businessId}`;
  const actor = expect.objectContaining({ kind: "root", id: null, name: "root (imported)" });
  expect(grants).toEqual([{ state: "cancelled", has_ended: true, actor }]);
  const log = await world.sql<
    { actor_name: string; actor_id: number | null; event: string; after: object }[]
  >`
    SELECT actor_name, actor_id, event, after FROM audit_entry WHERE business_id = ${businessId} ORDER BY audit_id`;
  const [first] = log;
  expect(first).toMatchObject({ actor_name: "anna (imported)", actor_id: null });
  const of = (name: string) => log.filter(({ actor_name }) => actor_name === name);
  expect(of("anna")).toEqual([]);
  // Only the import itself is of this installation.
  expect(of("root")).toMatchObject([{ event: "business.imported" }]);
  const text = await readFile(join(source, "business.json"));
  expect(log.at(-1)?.after).toMatchObject({
    exported_business_id: business.businessId,
    manifest_sha256: createHash("sha256").update(text).digest("hex"),
    tables: { business: 1, ledger: 1, account: 4 },
  });
});

it("of a whole installation is restored only with exactly its tables", async () => {
  const restore = (source: string) =>
    restoreBackup({
      ...quiet,
      source,
      dataDirectory: join(directory, `data-${tried}`),
      databaseUrl,
      isCopy: false,
    });
  const name = `loyalty_restore_${process.pid}`;
  await world.sql.query(`CREATE DATABASE ${name}`);
  const { databaseUrl } = placeOf({ connection: { ...world.database.connection, database: name } });
  const changes: [(changing: Changing) => void, RegExp][] = [
    [
      ({ manifest }) => {
        manifest.files = manifest.files.filter((file) => file.table !== "operator_account");
      },
      /The backup lacks the table operator_account/,
    ],
    [
      ({ record }) => {
        const key = record("operator_key") as { columns: string[] };
        key.columns = key.columns.filter((column) => column !== "expires_at");
      },
      /other columns in the table operator_key/,
    ],
    [({ record }) => void Object.assign(record("location"), { path: "../x.copy.gz" }), /not part of it/],
  ];
  try {
    for (const [change, said] of changes) {
      const source = await changed(change, join(directory, "backup"), "backup.json");
      await expect(restore(source)).rejects.toThrow(said);
    }
  } finally {
    await world.sql.query(`DROP DATABASE ${name} WITH (FORCE)`);
  }
});
