/** Reads and checks the environment. One error names all faults. */
import { isIP } from "node:net";
import { resolve } from "node:path";
import { legacyFields } from "./contract/validation.ts";
import { isRootKey } from "./credentials/root-key.ts";
import { minimumSecretLength, readSetting } from "./credentials/secret-files.ts";
import { fewestConnections } from "./database/pools.ts";
import { otherTargetOf, targetOf } from "./database/target.ts";
import { OperatorError } from "./domain/access/operator-error.ts";
import { keyDays } from "./domain/idempotency.ts";
import { withoutPassword } from "./domain/text.ts";
import { defaultPorts, parseNetwork } from "./domain/webhooks/addresses.ts";
import { proxyList } from "./http/forwarded.ts";

export type Config = Readonly<ReturnType<typeof readConfig>>;
type Environment = Readonly<Record<string, string | undefined>>;

const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"];
/** A command for the operator, who has Node. */
const newSecret = `node -p "crypto.randomBytes(48).toString('base64url')"`;

/** An endpoint that fails for five days is disabled. Until then, the events that it has not got are kept. */
const fewestEventDays = 6;
const commandVariables = [
  "LOYALTY_URL",
  "LOYALTY_INSECURE",
  "LOYALTY_CLIENT_ID",
  "LOYALTY_CLIENT_SECRET",
  "LOYALTY_BUSINESS",
  "LOYALTY_CELLS",
];

/**
 * Reads the configuration.
 * @param options from the command line: --demo makes the demo business in an external database, too
 * @throws OperatorError with a line for each wrong variable
 */
export function readConfig(environment: Environment, options: { demo?: boolean } = {}) {
  const reader = settingReader(environment);
  const { faults, known, text, attempt, setting, integer, oneOf, items } = reader;
  const basePath = (text("LOYALTY_BASE_PATH") ?? "/api").replace(/\/+$/, "");
  if (!/^(\/[A-Za-z0-9._~-]+)*$/.test(basePath)) {
    faults.push(`LOYALTY_BASE_PATH must be a path such as /api, not "${basePath}".`);
  }
  const databaseUrl = setting("DATABASE_URL");
  if (databaseUrl !== undefined) attempt(() => targetOf(databaseUrl));
  const readDatabaseUrl = setting("LOYALTY_READ_DATABASE_URL");
  if (readDatabaseUrl !== undefined) attempt(() => otherTargetOf(readDatabaseUrl));
  const { operatorKey, secret, previousSecret } = readSecrets(reader, databaseUrl !== undefined);
  const workers = integer("LOYALTY_WORKERS", 1, 1, 64);
  const demo = oneOf("LOYALTY_DEMO", databaseUrl === undefined || options.demo ? "on" : "off", ["on", "off"]);
  const config = {
    host: text("HOST") ?? "127.0.0.1",
    port: integer("PORT", 8080, 0, 65_535),
    /** Begins with a slash, and does not end with one. It can be empty. */
    basePath,
    dataDirectory: resolve(text("LOYALTY_DATA_DIR") ?? "data"),
    /** Undefined: the embedded database in the data directory. */
    databaseUrl,
    /** Where reports, previews and verification read, such as a standby. Undefined: in the same database. */
    readDatabaseUrl,
    /** Undefined: stored in the data directory, like the operator key. */
    secret,
    /** The one before it: what was stored with it can still be checked and decrypted. */
    previousSecret,
    operatorKey,
    /** Undefined: the operator key is not in a file, or in the data directory. */
    operatorKeyFile: text("LOYALTY_OPERATOR_KEY_FILE"),
    /** Requests per second of one integration; 0 is off, as for the next four. */
    rateLimit: integer("LOYALTY_RATE_LIMIT", 100, 0, 1_000_000),
    /** Requests per second of one address without valid credentials. Requests above the limit wait. */
    unauthenticatedLimit: integer("LOYALTY_UNAUTHENTICATED_LIMIT", 50, 0, 1_000_000),
    /** Connections of one address at the same time. */
    connectionLimit: integer("LOYALTY_CONNECTION_LIMIT", 500, 0, 1_000_000),
    /** Bytes per second of rejected requests of one address. */
    rejectedBytesLimit: integer("LOYALTY_REJECTED_BYTES_LIMIT", 65_536, 0, 1_000_000_000),
    /** Failed token requests per minute, of one client_id and of one address. */
    failedTokenLimit: integer("LOYALTY_FAILED_TOKEN_LIMIT", 10, 0, 1_000_000),
    wrongCodeLimit: integer("LOYALTY_WRONG_CODE_LIMIT", 20, 0, 1_000_000),
    idempotencyDays: integer("LOYALTY_IDEMPOTENCY_DAYS", keyDays.default, keyDays.minimum, 3650),
    /** 0 is forever. */
    auditDays: integer("LOYALTY_AUDIT_DAYS", 0, 0, 36_500),
    /** 0 is forever. */
    eventDays: integer("LOYALTY_EVENT_DAYS", 30, 0, 36_500),
    /** 0: the installation is no numbered cell. */
    cell: integer("LOYALTY_CELL", 0, 1, 999),
    workers,
    /** How many processes share the limits, on all machines together. */
    processes: integer("LOYALTY_PROCESSES", workers, workers, 1000),
    /** How long a stopping service reports that it is not ready, before it closes the port. */
    drainSeconds: integer("LOYALTY_DRAIN_SECONDS", 0, 0, 300),
    databaseConnections: integer("LOYALTY_DATABASE_CONNECTIONS", 16, fewestConnections, 1000),
    // In an external database, the demo business is made only with --demo.
    demo: demo === "on" && (databaseUrl === undefined || options.demo === true) ? "on" : "off",
    legacyFields: readLegacyFields(text("LOYALTY_LEGACY_FIELDS"), faults),
    /** What to do with fields that an operation does not have. */
    unknownFields: oneOf("LOYALTY_UNKNOWN_FIELDS", "reject", ["reject", "ignore"]),
    /** The ports of the URLs to which webhooks are sent. */
    webhookPorts: [
      ...new Set([
        ...defaultPorts,
        ...items("LOYALTY_WEBHOOK_PORTS", "no port from 1 to 65535", isPort).map(Number),
      ]),
    ],
    /** In these networks, webhooks may be sent to private addresses and by http. */
    webhookNetworks: items(
      "LOYALTY_WEBHOOK_ALLOW_NETWORKS",
      noRange,
      (item) => parseNetwork(item) !== undefined,
    ),
    /** Webhooks are sent through this HTTP proxy. Undefined: directly. */
    webhookProxy: readProxy(text("LOYALTY_WEBHOOK_PROXY"), faults),
    /** Apple's push service, which tells phones of changed passes. */
    applePushUrl: readPushUrl(text("LOYALTY_APPLE_PUSH_URL"), faults),
    /** Where passes for Google Wallet are sent; undefined: to Google. Tests have a server of their own. */
    googleWalletUrl: readGoogleUrl(text("LOYALTY_GOOGLE_WALLET_URL"), faults),
    /** Of all cells, for links from one to another. */
    consoles: items("LOYALTY_CONSOLES", noConsole, (item) => consoleOf(item) !== undefined).flatMap(
      (item) => consoleOf(item) ?? [],
    ),
    trustedProxies: items("LOYALTY_TRUSTED_PROXIES", noRange, isProxy),
    /** Undefined: metrics are not served. The default address may be in use by another program. */
    metricsAddress: readMetricsAddress(text("LOYALTY_METRICS_ADDRESS"), faults),
    logLevel: oneOf("LOG_LEVEL", "info", logLevels),
    logsAddresses: oneOf("LOYALTY_LOG_ADDRESSES", "on", ["on", "off"]) === "on",
    /** Megabytes of shared buffers of the embedded database; undefined: an eighth of the memory. */
    databaseMemory: integer("LOYALTY_DATABASE_MEMORY", 0, 0, 65_536) || undefined,
  };
  if (config.eventDays > 0 && config.eventDays < fewestEventDays) {
    faults.push(
      `LOYALTY_EVENT_DAYS must be 0 or at least ${fewestEventDays}, not "${config.eventDays}": an endpoint may fail for 5 days.`,
    );
  }
  if (faults.length > 0) throw new OperatorError(faults.join("\n"));
  const unknown = Object.keys(environment).filter((name) => name.startsWith("LOYALTY_") && !known.has(name));
  /** Variables that look like settings, each with the setting that may be meant. */
  const unknownVariables = unknown.map((name) => ({ name, meant: meantBy(name, known) }));
  return { ...config, unknownVariables };
}

/** @param isRequired whether the service can't keep a secret of its own that all its processes share */
function readSecrets({ faults, text, setting }: ReturnType<typeof settingReader>, isRequired: boolean) {
  const operatorKey = setting("LOYALTY_OPERATOR_KEY");
  if (operatorKey !== undefined && !isRootKey(operatorKey)) {
    faults.push(`LOYALTY_OPERATOR_KEY must have at least 32 letters, digits or -._~+/; try: ${newSecret}`);
  }
  const secret = setting("LOYALTY_SECRET");
  if (secret !== undefined && secret.length < minimumSecretLength) {
    faults.push(`LOYALTY_SECRET must have at least ${minimumSecretLength} characters; try: ${newSecret}`);
  }
  const previousSecret = setting("LOYALTY_SECRET_PREVIOUS");
  if (previousSecret !== undefined && previousSecret.length < minimumSecretLength)
    faults.push(`LOYALTY_SECRET_PREVIOUS must have at least ${minimumSecretLength} characters.`);
  const isSecretMissing = secret === undefined && text("LOYALTY_SECRET_FILE") === undefined;
  if (isSecretMissing && isRequired) {
    faults.push(`LOYALTY_SECRET is required with DATABASE_URL; make one with: ${newSecret}`);
  }
  return { operatorKey, secret, previousSecret };
}

/** Reads single settings, and collects their errors and the names that were read. */
function settingReader(environment: Environment) {
  const faults: string[] = [];
  const known = new Set(commandVariables);
  const text = (name: string) => {
    known.add(name);
    const value = environment[name]?.trim();
    return value === "" ? undefined : value;
  };
  /** Adds the message of an error to the faults. */
  const attempt = <Value>(read: () => Value): Value | undefined => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error;
      faults.push(error.message);
      return undefined;
    }
  };
  const setting = (name: string) => attempt(() => readSetting(name, text(name), text(`${name}_FILE`)));
  const integer = (name: string, fallback: number, minimum: number, maximum: number) => {
    const value = text(name);
    if (value === undefined) return fallback;
    const number = Number(value);
    if (/^\d+$/.test(value) && number >= minimum && number <= maximum) return number;
    faults.push(`${name} must be a whole number from ${minimum} to ${maximum}, not "${value}".`);
    return fallback;
  };
  const oneOf = <const Value extends string>(name: string, fallback: Value, allowed: readonly Value[]) => {
    const value = (text(name)?.toLowerCase() ?? fallback) as Value;
    if (!allowed.includes(value))
      faults.push(`${name} must be one of ${allowed.join(", ")}, not "${value}".`);
    return value;
  };
  /** A comma-separated list. @param problem what an item that is wrong is */
  const items = (name: string, problem: string, isRight: (item: string) => boolean) => {
    const given =
      text(name)
        ?.split(",")
        .map((item) => item.trim()) ?? [];
    const wrong = given.filter((item) => !isRight(item));
    faults.push(...wrong.map((item) => `${name} holds "${withoutPassword(item)}", which is ${problem}.`));
    return given;
  };
  return { faults, known, text, attempt, setting, integer, oneOf, items };
}

/** The setting whose name differs in underscores, in its end or in the prefix LOYALTY_. */
function meantBy(name: string, known: ReadonlySet<string>): string | undefined {
  const plain = (text: string) => text.replace(/^LOYALTY_|_/g, "");
  return [...known].find(
    (setting) => plain(setting) === plain(name) || setting.startsWith(name) || name.startsWith(setting),
  );
}

const isPort = (item: string) => /^\d{1,5}$/.test(item) && Number(item) >= 1 && Number(item) <= 65_535;
const noRange = "no address nor a range such as 10.0.0.0/8";

function isProxy(item: string): boolean {
  try {
    proxyList([item]);
    return true;
  } catch {
    return false;
  }
}

/** The name of a cell and the address of its console, of `cell=URL`. */
function consoleOf(item: string): { name: string; url: string } | undefined {
  const [, name, url = ""] = /^([A-Za-z][\w-]{0,62})=(https?:\/\/[^?#@]+)$/.exec(item) ?? [];
  return name !== undefined && URL.canParse(url) ? { name, url: url.replace(/\/*$/, "/") } : undefined;
}
const noConsole =
  "not the name of a cell and the address of its console, such as north=https://north.internal.example.com/api/console/, without a password";

function readProxy(value: string | undefined, faults: string[]): string | undefined {
  const isProxy = value === undefined || /^http:\/\/[^/?#]+\/?$/.test(value);
  if (isProxy && (value === undefined || URL.canParse(value))) return value;
  faults.push("LOYALTY_WEBHOOK_PROXY must be a URL such as http://user:password@proxy.example.com:3128.");
  return undefined;
}

function readPushUrl(set: string | undefined, faults: string[]): string {
  const value = set ?? "https://api.push.apple.com";
  if (URL.canParse(value) && /^https:\/\/[^/?#@]+$/.test(value)) return value;
  faults.push("LOYALTY_APPLE_PUSH_URL must be a URL such as https://api.push.apple.com, without a path.");
  return value;
}

function readGoogleUrl(set: string | undefined, faults: string[]): string | undefined {
  if (set === undefined || (URL.canParse(set) && /^https?:\/\/[^/?#@]+$/.test(set))) return set;
  faults.push("LOYALTY_GOOGLE_WALLET_URL must be a URL such as http://127.0.0.1:8080, without a path.");
  return undefined;
}

/** An IP address with a port, or `off`. The default port is that of Prometheus exporters in OpenTelemetry. */
function readMetricsAddress(set: string | undefined, faults: string[]) {
  const value = set ?? "127.0.0.1:9464";
  if (value.toLowerCase() === "off") return undefined;
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(value) ?? [];
  const host = bracketed ?? plain ?? "";
  if (isIP(host) !== 0 && Number(port) <= 65_535)
    return { host, port: Number(port), isChosen: set !== undefined };
  faults.push(
    `LOYALTY_METRICS_ADDRESS must be an IP address with a port, such as 127.0.0.1:9464, or off, not "${value}".`,
  );
  return undefined;
}

/** A comma-separated list of `name` or `name=replacement`, instead of the built-in list. */
function readLegacyFields(list: string | undefined, faults: string[]): Readonly<Record<string, string>> {
  if (list === undefined) return legacyFields;
  const fields: Record<string, string> = {};
  for (const item of list.split(",")) {
    const [name = "", use = "the documented fields"] = item.split("=").map((part) => part.trim());
    if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) fields[name] = use;
    else faults.push(`LOYALTY_LEGACY_FIELDS holds "${item}", which is not name or name=replacement.`);
  }
  return fields;
}
