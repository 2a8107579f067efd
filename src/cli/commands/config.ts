/** `loyalty config show`: the settings of the service that would start in this directory. */
import { join } from "node:path";
import type { Command } from "commander";
import { type Config, readConfig } from "../../config.ts";
import { readEnvironmentFile } from "../../credentials/environment-file.ts";
import { withoutPassword } from "../../domain/text.ts";
import { ServiceCommand } from "../command.ts";
import { tableLines } from "../terminal/table.ts";

export function configCommand(): Command {
  const show = new ServiceCommand("show")
    .summary("Show every setting of the service")
    .description(
      "Shows each setting with which the service would start in this directory, and whether it comes from the " +
        "environment, the file .env, the data directory or the default. Secrets are masked.",
    )
    .examples("loyalty config show", "loyalty config show --json")
    .act(async ({ json, fromFile, out, err }) => {
      const { settings } = readSettings(process.env, fromFile);
      if (json) return out.line(JSON.stringify(settings, null, 2));
      const columns = ["name", "value", "from"];
      for (const line of tableLines(columns, settings, out, Number.POSITIVE_INFINITY)) out.line(line);
      err.line("A service that you start here gets these settings. A running service may have others.");
    });
  return new ServiceCommand("config").description("settings of the service: show").addCommand(show);
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Every variable that readConfig reads, and its effective value. */
const values: Readonly<Record<string, (config: Config) => unknown>> = {
  HOST: ({ host }) => host,
  PORT: ({ port }) => port,
  LOYALTY_BASE_PATH: ({ basePath }) => basePath,
  LOYALTY_TRUSTED_PROXIES: ({ trustedProxies }) => trustedProxies.join(", ") || "none",
  LOYALTY_DATA_DIR: ({ dataDirectory }) => dataDirectory,
  DATABASE_URL: ({ databaseUrl }) => (databaseUrl && withoutPassword(databaseUrl)) ?? "the embedded one",
  LOYALTY_READ_DATABASE_URL: ({ readDatabaseUrl }) =>
    (readDatabaseUrl && withoutPassword(readDatabaseUrl)) ?? "the same",
  LOYALTY_DATABASE_CONNECTIONS: ({ databaseConnections }) => databaseConnections,
  LOYALTY_CELL: ({ cell }) => (cell === 0 ? "none" : cell),
  LOYALTY_CONSOLES: ({ consoles }) => consoles.map(({ name, url }) => `${name}=${url}`).join(",") || "none",
  LOYALTY_WORKERS: ({ workers }) => workers,
  LOYALTY_PROCESSES: ({ processes }) => processes,
  LOYALTY_DRAIN_SECONDS: ({ drainSeconds }) => drainSeconds,
  LOYALTY_SECRET: ({ secret, dataDirectory }) => masked(secret) ?? join(dataDirectory, "secret"),
  LOYALTY_SECRET_PREVIOUS: ({ previousSecret }) => masked(previousSecret) ?? "none",
  LOYALTY_OPERATOR_KEY: ({ operatorKey, dataDirectory }) =>
    masked(operatorKey) ?? join(dataDirectory, "operator.key"),
  LOYALTY_RATE_LIMIT: ({ rateLimit }) => rateLimit,
  LOYALTY_FAILED_TOKEN_LIMIT: ({ failedTokenLimit }) => failedTokenLimit,
  LOYALTY_WRONG_CODE_LIMIT: ({ wrongCodeLimit }) => wrongCodeLimit,
  LOYALTY_UNAUTHENTICATED_LIMIT: ({ unauthenticatedLimit }) => unauthenticatedLimit,
  LOYALTY_CONNECTION_LIMIT: ({ connectionLimit }) => connectionLimit,
  LOYALTY_REJECTED_BYTES_LIMIT: ({ rejectedBytesLimit }) => rejectedBytesLimit,
  LOYALTY_METRICS_ADDRESS: ({ metricsAddress: at }) => (at === undefined ? "off" : `${at.host}:${at.port}`),
  LOYALTY_IDEMPOTENCY_DAYS: ({ idempotencyDays }) => idempotencyDays,
  LOYALTY_AUDIT_DAYS: ({ auditDays }) => auditDays,
  LOYALTY_EVENT_DAYS: ({ eventDays }) => eventDays,
  LOYALTY_WEBHOOK_PORTS: ({ webhookPorts }) => webhookPorts.join(", "),
  LOYALTY_WEBHOOK_ALLOW_NETWORKS: ({ webhookNetworks }) => webhookNetworks.join(", ") || "none",
  LOYALTY_WEBHOOK_PROXY: ({ webhookProxy }) => (webhookProxy && withoutPassword(webhookProxy)) ?? "none",
  LOYALTY_APPLE_PUSH_URL: ({ applePushUrl }) => applePushUrl,
  LOYALTY_GOOGLE_WALLET_URL: ({ googleWalletUrl }) => googleWalletUrl ?? "Google",
  LOYALTY_LEGACY_FIELDS: ({ legacyFields }) => `${Object.keys(legacyFields).length} fields`,
  LOYALTY_UNKNOWN_FIELDS: ({ unknownFields }) => unknownFields,
  LOYALTY_DEMO: ({ demo }) => demo,
  LOG_LEVEL: ({ logLevel }) => logLevel,
  LOYALTY_LOG_ADDRESSES: ({ logsAddresses }) => (logsAddresses ? "on" : "off"),
  LOYALTY_DATABASE_MEMORY: ({ databaseMemory }) =>
    databaseMemory === undefined ? "an eighth of the memory" : `${databaseMemory} MB`,
};
/** The settings that are stored in files, if they are not set. */
const keptInFiles: ReadonlySet<string> = new Set(["LOYALTY_SECRET", "LOYALTY_OPERATOR_KEY"]);

const masked = (secret: string | undefined) => secret && `*** (${secret.length} characters)`;

/** Reads the settings as the service does. @throws OperatorError that names every wrong setting */
export function readSettings(environment: Environment, fromFile: ReadonlySet<string>, file = ".env") {
  const written = readEnvironmentFile(file);
  const own = Object.fromEntries(Object.entries(environment).filter(([name]) => !fromFile.has(name)));
  const config = readConfig({ ...written, ...own });
  const settings = Object.entries(values).map(([name, effective]) => {
    // A secret may be named by the variable or by its file.
    const textIn = (of: Environment) => of[name] ?? of[`${name}_FILE`];
    const isSet = (textIn(own) ?? textIn(written) ?? "").trim() !== "";
    const set = textIn(own) === undefined ? ".env" : "environment";
    const from = isSet ? set : keptInFiles.has(name) ? "data directory" : "default";
    return { name, value: String(effective(config)), from };
  });
  return { config, settings };
}
