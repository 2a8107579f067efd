/** The settings of the service that would start in this directory, and where each comes from. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { type Config, readConfig } from "../../config.ts";

export interface Setting {
  readonly name: string;
  /** For people; a secret is masked. */
  readonly value: string;
  readonly from: "environment" | ".env" | "default" | "data directory";
}

type ValueOf = (config: Config) => unknown;

const inFile = (name: string) => (config: Config) => join(config.dataDirectory, name);

/** Every variable that readConfig reads, and its effective value. */
const values: Readonly<Record<string, ValueOf>> = {
  HOST: ({ host }) => host,
  PORT: ({ port }) => port,
  LOYALTY_BASE_PATH: ({ basePath }) => basePath,
  LOYALTY_TRUSTED_PROXIES: ({ trustedProxies }) => trustedProxies.join(", ") || "none",
  LOYALTY_DATA_DIR: ({ dataDirectory }) => dataDirectory,
  DATABASE_URL: ({ databaseUrl }) =>
    databaseUrl?.replace(/(:\/\/[^:@/]*):[^@]*@/, "$1:***@") ?? "the embedded one",
  LOYALTY_DATABASE_CONNECTIONS: ({ databaseConnections }) => databaseConnections,
  LOYALTY_SHARDED: ({ sharded }) => sharded,
  LOYALTY_WORKERS: ({ workers }) => workers,
  LOYALTY_PROCESSES: ({ processes }) => processes,
  LOYALTY_DRAIN_SECONDS: ({ drainSeconds }) => drainSeconds,
  LOYALTY_SECRET: ({ secret, ...config }) => masked(secret) ?? inFile("secret")(config as Config),
  LOYALTY_OPERATOR_KEY: ({ operatorKey, ...config }) =>
    masked(operatorKey) ?? inFile("operator.key")(config as Config),
  LOYALTY_RATE_LIMIT: ({ rateLimit }) => rateLimit,
  LOYALTY_FAILED_TOKEN_LIMIT: ({ failedTokenLimit }) => failedTokenLimit,
  LOYALTY_UNAUTHENTICATED_LIMIT: ({ unauthenticatedLimit }) => unauthenticatedLimit,
  LOYALTY_METRICS_ADDRESS: ({ metricsAddress: at }) => (at === undefined ? "off" : `${at.host}:${at.port}`),
  LOYALTY_IDEMPOTENCY_DAYS: ({ idempotencyDays }) => idempotencyDays,
  LOYALTY_AUDIT_DAYS: ({ auditDays }) => auditDays,
  LOYALTY_LEGACY_FIELDS: ({ legacyFields }) => `${Object.keys(legacyFields).length} fields`,
  LOYALTY_UNKNOWN_FIELDS: ({ unknownFields }) => unknownFields,
  LOYALTY_DEMO: ({ demo }) => demo,
  LOG_LEVEL: ({ logLevel }) => logLevel,
  LOYALTY_LOG_ADDRESSES: ({ logsAddresses }) => (logsAddresses ? "on" : "off"),
  LOYALTY_DATABASE_MEMORY: ({ databaseMemory }) =>
    databaseMemory === undefined ? "an eighth of the memory" : `${databaseMemory} MB`,
};
/** Without a value, these are kept in files. */
const keptInFiles: ReadonlySet<string> = new Set(["LOYALTY_SECRET", "LOYALTY_OPERATOR_KEY"]);

const masked = (secret: string | undefined) =>
  secret === undefined ? undefined : `*** (${secret.length} characters)`;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the settings as the service does: the environment wins over the file.
 * @throws OperatorError that names every setting that is wrong
 */
export function readSettings(environment: Environment, fromFile: ReadonlySet<string>, file = ".env") {
  const written = parseEnv(textOf(file));
  const own = Object.fromEntries(Object.entries(environment).filter(([name]) => !fromFile.has(name)));
  const config = readConfig({ ...written, ...own });
  const settings = Object.entries(values).map(([name, effective]): Setting => {
    // A secret may be named by the variable or by its file.
    const textIn = (of: Environment) => of[name] ?? of[`${name}_FILE`];
    const isSet = (of: Environment) => (textIn(of)?.trim() ?? "") !== "";
    const from = textIn(own) !== undefined ? own : written;
    const source = !isSet(from) ? "default" : from === own ? "environment" : ".env";
    return {
      name,
      value: String(effective(config)),
      from: source === "default" && keptInFiles.has(name) ? "data directory" : source,
    };
  });
  return { config, settings };
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // readEnvironmentFile has rejected a file that can't be read.
    return "";
  }
}
