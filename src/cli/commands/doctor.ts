/** `loyalty doctor`: checks the installation, a line for each check. */
import { existsSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Command } from "commander";
import type { Place } from "../../backup/copy.ts";
import { listBackups } from "../../backup/manifest.ts";
import type { Config } from "../../config.ts";
import { deriveKeys, placeOfEndpoint, placeOfWallet } from "../../credentials/keys.ts";
import { readIfPresent } from "../../credentials/secret-files.ts";
import { findSecretChange } from "../../database/cell.ts";
import { type Database, openDatabase } from "../../database/connection.ts";
import { readSchema } from "../../database/migrate.ts";
import { listAbandonedMoves } from "../../database/moving.ts";
import { findTimeZoneVersion, findUnsafeSettings, readDatabaseRights } from "../../database/server.ts";
import { listWalletHealth } from "../../database/wallets/issuers.ts";
import { listOperators } from "../../operations/operator/operators/list.ts";
import { getSession } from "../../operations/operator/session/get.ts";
import { getStatus, type Status } from "../../operations/operator/status/get.ts";
import { version } from "../../package.ts";
import { findRunning } from "../../postgres/embedded.ts";
import type { CellClient } from "../cells/client.ts";
import { type Context, ServiceCommand } from "../command.ts";
import { findWhatEarns } from "../operations/earning.ts";
import { allBusinesses } from "../service/businesses.ts";
import type { OperatorClient } from "../service/client.ts";
import { CliError, exitCodes } from "../terminal/cli-error.ts";
import { byteText, durationText } from "../terminal/quantities.ts";
import { printable } from "../terminal/terminal.ts";
import { readSettings } from "./config.ts";
import { stoppedEndpointText } from "./service.ts";

const styles = { ok: "green", warn: "yellow", fail: "red" } as const;

const check = (name: string, result: keyof typeof styles, message: string) => ({
  check: name,
  result,
  message,
});
type Check = ReturnType<typeof check>;

export function doctorCommand(): Command {
  return new ServiceCommand("doctor")
    .summary("Check the installation")
    .description(
      "Checks the settings, the service and its version, whether sales earn points, the rights and the clock of the database, " +
        "passes for wallets of phones, the disk space and the age of the newest backup. Run it on the machine of the service, in its directory. " +
        "With LOYALTY_CELLS, it checks the service and the database of each cell instead. Exit code 1 means that a check failed.",
    )
    .option("--backups <directory>", "The directory that contains the backups.", "backups")
    .examples("loyalty doctor", "loyalty doctor --backups /backups")
    .act(async (context, { backups }) => {
      const checks = await runChecks(context, String(backups));
      if (context.json) context.out.line(JSON.stringify({ checks }, null, 2));
      else for (const one of checks) context.out.line(lineOf(context, one));
      if (checks.some(({ result }) => result === "fail")) process.exitCode = exitCodes.failed;
    });
}

function lineOf({ out }: Context, { check, result, message }: Check): string {
  return `${out.style(styles[result], result.padEnd(4))}  ${check.padEnd(8)}  ${printable(message)}`;
}

async function runChecks(context: Context, backups: string): Promise<Check[]> {
  // A check says at once what is wrong.
  const cells = await context.cells(0);
  if (cells !== undefined) return (await Promise.all(cells.map(checkCell))).flat();
  const service = await safely("service", async () => checkService(await context.client(0)));
  let config: Config;
  try {
    ({ config } = readSettings(process.env, context.fromFile));
  } catch (error) {
    return [failed("settings", error), ...service, await checkBackups(backups)];
  }
  return [
    check("settings", "ok", "every setting is valid for a service started in this directory"),
    ...service,
    ...(await safely("database", () => checkDatabase(config, config))),
    ...(await safely("disk", () => checkDisk(config.dataDirectory))),
    await checkBackups(backups),
  ];
}

const safely = (name: string, work: () => Promise<Check[]>) =>
  work().catch((error: unknown) => [failed(name, error)]);

const failed = (name: string, error: unknown) =>
  check(name, "fail", (error instanceof Error ? error.message : String(error)).replaceAll("\n", " "));

/** Checks what can be seen from here of a cell. Its settings and its disk are on another machine. */
async function checkCell({ name, client, place }: CellClient): Promise<Check[]> {
  const checks = [
    ...(await safely("service", () => checkService(client))),
    ...(await safely("database", async () => checkDatabase(place()))),
  ];
  return checks.map((one) => ({ ...one, message: `${name}: ${one.message}` }));
}

async function checkService(client: OperatorClient): Promise<Check[]> {
  const { data } = await client.call<Status>(getStatus.path, {});
  const same = data.version === version;
  const found = `version ${data.version}, schema ${data.schema_version}`;
  return [
    check("service", "ok", "responds to the operator key"),
    ...(await checkOperators(client)),
    check("version", same ? "ok" : "warn", same ? found : `${found}; this command is version ${version}`),
    ...(await checkEarning(client)),
    ...checkWebhooks(data.webhooks),
  ];
}

/** Advises to create accounts, so that the audit log names people. */
async function checkOperators(client: OperatorClient): Promise<Check[]> {
  const { data: own } = await client.call<{ operator: { role: string } }>(getSession.path, {});
  if (own.operator.role !== "owner") return [];
  const { data } = await client.call<{ status: string }[]>(listOperators.path, { per_page: 2 });
  // The first start invites one, whom nobody may have become.
  if (data.length > 1 || data.some(({ status }) => status !== "invited"))
    return [check("accounts", "ok", "operators have accounts")];
  const advice = "create one for each person: loyalty operator create --name anna --role owner";
  return [
    check("accounts", "warn", `everybody uses the operator key, so the audit log names nobody; ${advice}`),
  ];
}

/** Names the endpoints that get nothing, though no request has disabled them. */
function checkWebhooks({ enabled, failing, disabled, stopped }: Status["webhooks"]): Check[] {
  if (enabled + failing + disabled === 0) return [];
  if (failing + disabled === 0) return [check("webhooks", "ok", `${enabled} endpoints get events`)];
  return stopped.map((endpoint) => {
    const { business_id, endpoint_id, disabled_reason } = endpoint;
    const command = (verb: string) => `loyalty webhook ${verb} ${endpoint_id} --business ${business_id}`;
    const advice =
      disabled_reason === "secret_unreadable"
        ? "its secret was encrypted with another LOYALTY_SECRET; start the service with that one, or give the receiver a new " +
          `secret: ${command("rotate-secret")}`
        : `see: ${command("get")}`;
    return check("webhooks", "warn", `${stoppedEndpointText(endpoint)}; ${advice}`);
  });
}

/** Names the businesses whose sales earn no points. A business may want that, so it is not a failure. */
async function checkEarning(client: OperatorClient): Promise<Check[]> {
  const idle: Check[] = [];
  let earning = 0;
  for await (const business of allBusinesses(client)) {
    if (business.sandbox) continue;
    const name = `business ${business.business_id}, ${business.name},`;
    const found = await findWhatEarns(client, business).catch((error: unknown) => {
      // The others respond.
      if (error instanceof CliError && error.exitCode === exitCodes.unreachable) return undefined;
      throw error;
    });
    if (found === undefined) {
      const why = "requests about it are rejected, as while it moves to another cell";
      idle.push(check("points", "warn", `sales of ${name} are not checked: ${why}`));
    } else if (found.missing.length === 0) earning += 1;
    else {
      const reasons = found.missing.map(({ what }) => what).join(", and ");
      const advice = `see: loyalty reward-settings get --business ${business.business_id}`;
      idle.push(check("points", "warn", `sales of ${name} do not earn yet: ${reasons}; ${advice}`));
    }
  }
  const found = `sales of ${earning === 1 ? "one business" : `${earning} businesses`} earn points`;
  return idle.length === 0 ? [check("points", "ok", found)] : idle;
}

/** Says for how long the previous secret is needed, or that it is missing. */
async function checkSecret(sql: Database, config: Config): Promise<Check[]> {
  const change = await findSecretChange(sql, config.idempotencyDays);
  const secret = config.secret ?? (await readIfPresent(join(config.dataDirectory, "secret")))?.trim();
  const previous = config.previousSecret;
  if (change === undefined || secret === undefined) return [];
  const { since, expires_on, is_expired, sealed, has_pages } = change;
  const keys = deriveKeys(secret);
  const both = deriveKeys(secret, previous);
  const needing = (places: readonly (readonly [place: string, sealed: string])[]) =>
    new Set(
      places.flatMap(([place, text]) =>
        keys.canUnseal(text, place) || !both.canUnseal(text, place) ? [] : [place],
      ),
    ).size;
  const endpoints = needing(
    sealed.flatMap((one) => ("endpoint_id" in one ? [[placeOfEndpoint(one.endpoint_id), one.sealed]] : [])),
  );
  const wallets = needing(
    sealed.flatMap((one) => ("kind" in one ? [[placeOfWallet(one.business_id, one.kind), one.sealed]] : [])),
  );
  const isOver = since === null || is_expired === true;
  if (previous === undefined) {
    if (isOver) return [];
    const lost = `retries of writes before ${since} UTC get a 409 until ${expires_on}`;
    return [check("secret", "warn", `LOYALTY_SECRET has changed: ${lost}; set LOYALTY_SECRET_PREVIOUS`)];
  }
  const needs = [
    ...(isOver ? [] : [`until ${expires_on}, when the last key that was stored with it expires`]),
    ...(endpoints === 0
      ? []
      : [`until you rotate the secrets of ${endpoints} webhook endpoints, and set their headers again`]),
    ...(wallets === 0 ? [] : [`until you set up passes for ${wallets} wallets again`]),
    ...(has_pages ? [`for the pages of members whose addresses were made before ${since} UTC`] : []),
  ];
  const name = "LOYALTY_SECRET_PREVIOUS";
  if (needs.length === 0) return [check("secret", "ok", `${name} is no longer needed: remove it`)];
  return [check("secret", "ok", `${name} is needed ${needs.join(", and ")}`)];
}

const oldestServer = 150_000;
const mostClockSeconds = 5;

/** @param config of its service, if that is known here */
async function checkDatabase({ databaseUrl, dataDirectory }: Place, config?: Config): Promise<Check[]> {
  const target = databaseUrl ?? (await findRunning(dataDirectory));
  if (target === undefined)
    return [check("database", "warn", `not checked: no database runs in ${dataDirectory}`)];
  const sql = openDatabase(target, {
    applicationName: "loyalty doctor",
    connections: 1,
    statementTimeoutMilliseconds: 10_000,
  });
  try {
    const rights = await readDatabaseRights(sql);
    const seconds = Math.abs(rights.clock_milliseconds - Date.now()) / 1000;
    const { version: schema } = await readSchema(sql);
    const unsafe = await findUnsafeSettings(sql);
    const zones = (await findTimeZoneVersion(sql)) ?? `those of PostgreSQL ${rights.server_version}`;
    const faults = [
      ...(rights.server_version_num < oldestServer ? ["PostgreSQL 15 or newer is required"] : []),
      ...(rights.may_create ? [] : ["the role may not create tables"]),
      ...(rights.foreign_tables > 0 ? [`${rights.foreign_tables} tables belong to another role`] : []),
    ];
    const clock = `the database's clock is ${durationText(seconds)} from this machine's`;
    const found = `PostgreSQL ${rights.server_version}, schema ${schema}`;
    return [
      check("database", faults.length > 0 ? "fail" : "ok", [found, ...faults].join("; ")),
      ...unsafe.map((line) => check("database", "warn", line.replace("Warning: ", ""))),
      check(
        "zones",
        "ok",
        `time zones of businesses: ${zones}; those of Node, not used: ${process.versions.tz}`,
      ),
      ...(await safely("moves", () => checkMoves(sql))),
      ...(config === undefined ? [] : await safely("secret", () => checkSecret(sql, config))),
      ...(await safely("wallets", () => checkWallets(sql))),
      check("clock", seconds > mostClockSeconds ? "fail" : "ok", clock),
    ];
  } finally {
    await sql.end();
  }
}

/** Names the businesses whose move was interrupted. Their rows are in two places, or not where they were wanted. */
async function checkMoves(sql: Database): Promise<Check[]> {
  const abandoned = await listAbandonedMoves(sql, "move", ["copying", "leaving", "left", "arriving"]);
  return abandoned.map((id) =>
    check("moves", "warn", `the move of business ${id} was interrupted: repeat the command, or add --cancel`),
  );
}

const [warningDays, mostUntoldSeconds] = [30, 3600];

/** Names the wallets whose passes can't be updated, or soon can't be. */
async function checkWallets(sql: Database): Promise<Check[]> {
  const wallets = await listWalletHealth(sql);
  const problems = wallets.flatMap(({ business_id, kind, ends_at, problem, untold_seconds }) => {
    const days = ends_at === null ? Number.POSITIVE_INFINITY : (ends_at - Date.now() / 1000) / 86_400;
    const renew = "make another one, and set it up with the same pass type";
    const found = [
      ...(days < 0 ? [`the certificate has ended; ${renew}`] : []),
      ...(days >= 0 && days < warningDays
        ? [`the certificate ends in ${Math.floor(days)} days; ${renew}`]
        : []),
      ...(problem === null ? [] : [problem]),
      ...(untold_seconds > mostUntoldSeconds
        ? [`a change has not been told for ${durationText(untold_seconds)}`]
        : []),
    ];
    const name = `passes for ${kind === "apple" ? "Apple" : "Google"} Wallet of business ${business_id}`;
    return found.map((what) => check("wallets", "warn", `${name}: ${what}`));
  });
  if (problems.length > 0 || wallets.length === 0) return problems;
  return [check("wallets", "ok", `wallets for passes: ${wallets.length}, none with a problem`)];
}

async function checkDisk(directory: string): Promise<Check[]> {
  const { bavail, blocks, bsize } = await statfs(directory);
  const share = bavail / Math.max(1, blocks);
  const result = share < 0.03 ? "fail" : share < 0.1 ? "warn" : "ok";
  const free = `${byteText(bavail * bsize)} free (${Math.floor(share * 100)}%)`;
  return [check("disk", result, `${free} for ${directory}`)];
}

const hourSeconds = 3600;

async function checkBackups(directory: string): Promise<Check> {
  const where = resolve(directory);
  const found = await listBackups(directory).catch(() => []);
  const [newest] = found;
  if (newest === undefined) {
    const missing = existsSync(where) ? "" : ", which does not exist";
    const advice = "make one, or name their directory with --backups";
    return check("backups", "warn", `no backup found in ${where}${missing}: ${advice}`);
  }
  const seconds = Math.max(0, (Date.now() - Date.parse(newest.manifest.made_at)) / 1000);
  const result = seconds > 7 * 24 * hourSeconds ? "fail" : seconds > 26 * hourSeconds ? "warn" : "ok";
  const age = durationText(seconds);
  return check("backups", result, `the newest of ${found.length} in ${where} is ${age} old`);
}
