/** Long reads on a standby: LOYALTY_READ_DATABASE_URL. */
import { join } from "node:path";
import { expect, it } from "vitest";
import { Partner } from "../../chaos/load/partner.ts";
import { startReplicated, urlOfPrimary } from "../../chaos/replication.ts";
import { makeBackup } from "../../src/backup/make.ts";
import { openDatabase } from "../../src/database/connection.ts";
import { HostList, targetOf } from "../../src/database/target.ts";
import { HttpConnection } from "../support/http-connection.ts";
import { Operator } from "../support/runs/operator.ts";
import { eventually } from "../support/runs/run.ts";
import { basePath, operatorKey, Service } from "../support/runs/service.ts";
import { useChaos } from "./promises.ts";

const chaos = useChaos();

it("reads reports, verification and backups there, and nothing else", async (context) => {
  const run = chaos.begin();
  const servers = await startReplicated(run);
  if ("figures" in servers) return context.skip(servers.skipped);
  const [databaseUrl, readDatabaseUrl] = [servers.primary, servers.standby].map((one) => urlOfPrimary([one]));
  const environment = { DATABASE_URL: `${databaseUrl}`, LOYALTY_READ_DATABASE_URL: `${readDatabaseUrl}` };
  const { port } = await Service.start(run, { environment });
  const operator = new Operator(run, port);
  const partner = await Partner.open(run, operator, port);
  const contactId = await partner.member(port, "standby");
  const adjust = async (key: string) =>
    (await partner.settle(port, partner.adjustment(key, contactId, 5))).status;
  expect(await adjust("one")).toBe(200);
  const business_id = partner.business.businessId;
  const verify = () =>
    operator.ask<{ checked: { entries: number }; mismatch_count: number }>("/op/ledger/verify", {
      business_id,
      part: "accounts",
    });
  await eventually("the standby has the entry", 60_000, async () => (await verify()).checked.entries === 1);

  // Its replay stops, so what is written now can only be read on the primary.
  const settings = { connections: 1, statementTimeoutMilliseconds: 0, applicationName: "loyalty tests" };
  const standby = openDatabase(new HostList(targetOf(`${readDatabaseUrl}`), true), settings);
  await standby.query("SELECT pg_wal_replay_pause()");
  await eventually("the replay is paused", 60_000, async () => {
    const [row] = await standby<{ state: string }[]>`SELECT pg_get_wal_replay_pause_state() AS state`;
    return row?.state === "paused";
  });
  await standby.end();
  const pausedAt = new Date().toISOString();
  expect(await adjust("two")).toBe(200);
  expect(await verify()).toMatchObject({ checked: { members: 1, entries: 1 }, mismatch_count: 0 });
  const listed = await operator.ask<unknown[]>("/op/transactions/list", { business_id });
  expect(listed).toHaveLength(2);
  const entriesIn = async (
    target: string,
    place: { databaseUrl?: string; readDatabaseUrl?: string | undefined },
  ) => {
    const quiet = {
      onProgress: () => undefined,
      onRows: () => undefined,
      signal: new AbortController().signal,
    };
    const places = { dataDirectory: join(run.directory, "none"), databaseUrl, ...place };
    const where = { target: join(run.directory, target), productVersion: "0.0.0" };
    const { manifest } = await makeBackup({ ...quiet, ...places, ...where });
    const file = manifest.files.find((one) => "table" in one && one.table === "ledger_entry");
    return { made_at: manifest.made_at, ...file };
  };
  const ofPrimary = await entriesIn("of-primary", {});
  expect(ofPrimary).toMatchObject({ rows: 2 });
  expect(ofPrimary.made_at > pausedAt).toBe(true);
  // Without the variable, a backup never misses an acknowledged write, also if the standby is the first host.
  const both = urlOfPrimary([servers.standby, servers.primary]);
  expect(await entriesIn("of-both", { databaseUrl: both })).toMatchObject({ rows: 2 });
  const ofStandby = await entriesIn("of-standby", { readDatabaseUrl });
  expect(ofStandby).toMatchObject({ rows: 1 });
  expect(ofStandby.made_at < pausedAt).toBe(true);

  // Commits no longer wait for the standby.
  await servers.primary.ask(async (sql) => {
    await sql.query("ALTER SYSTEM SET synchronous_standby_names = ''");
    await sql.query("SELECT pg_reload_conf()");
  });
  await servers.standby.kill();
  expect(await adjust("three")).toBe(200);
  const connection = new HttpConnection(port, 60_000);
  run.atEnd(() => connection.close());
  const body = JSON.stringify({ business_id, from: "2026-01-01", through: "2026-01-31", by: "day" });
  const report = await connection.post(`${basePath}/op/reports/activity`, body, `Bearer ${operatorKey}`);
  expect(report).toMatchObject({ status: 503 });
});
