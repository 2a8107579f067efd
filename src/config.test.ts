import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { readConfig } from "./config.ts";
import { legacyFields } from "./contract/validation.ts";
import { minimumSecretLength } from "./credentials/secret-files.ts";
import { OperatorError } from "./domain/access/operator-error.ts";

const secret = "x".repeat(minimumSecretLength);
const databaseUrl = "postgres://loyalty:password@db.example.com:5432/loyalty";

/** The variables that a rejection names, in the order of its lines. */
function rejected(environment: Record<string, string>): (string | undefined)[] {
  try {
    readConfig(environment);
  } catch (error) {
    expect(error).toBeInstanceOf(OperatorError);
    return (error as OperatorError).message.split("\n").map((line) => /^[A-Z_]+/.exec(line)?.[0]);
  }
  return [];
}

it("names variables that look like settings and are none", () => {
  const environment = { LOYALTY_RATELIMIT: "5", LOYALTY_URL: "http://127.0.0.1:8080", HOME: "/root" };
  expect(readConfig(environment)).toMatchObject({
    rateLimit: 100,
    unknownVariables: [{ name: "LOYALTY_RATELIMIT", meant: "LOYALTY_RATE_LIMIT" }],
  });
});

it("needs nothing to be set", () => {
  expect(readConfig({})).toEqual({
    host: "127.0.0.1",
    port: 8080,
    basePath: "/api",
    dataDirectory: resolve("data"),
    databaseUrl: undefined,
    secret: undefined,
    operatorKey: undefined,
    operatorKeyFile: undefined,
    rateLimit: 100,
    unauthenticatedLimit: 50,
    connectionLimit: 500,
    rejectedBytesLimit: 65_536,
    failedTokenLimit: 10,
    wrongCodeLimit: 20,
    idempotencyDays: 40,
    auditDays: 0,
    eventDays: 30,
    databaseConnections: 16,
    cell: 0,
    workers: 1,
    processes: 1,
    drainSeconds: 0,
    demo: "on",
    legacyFields,
    unknownFields: "reject",
    unknownVariables: [],
    webhookPorts: [443, 80],
    webhookNetworks: [],
    webhookProxy: undefined,
    applePushUrl: "https://api.push.apple.com",
    googleWalletUrl: undefined,
    consoles: [],
    trustedProxies: [],
    metricsAddress: { host: "127.0.0.1", port: 9464, isChosen: false },
    logLevel: "info",
    logsAddresses: true,
    databaseMemory: undefined,
  });
});

it("takes an empty variable for one that is not set", () => {
  expect(readConfig({ PORT: "", DATABASE_URL: " ", LOG_LEVEL: "" })).toEqual(readConfig({}));
});

it("names every wrong variable at once", () => {
  expect(
    rejected({
      PORT: "80 80",
      LOYALTY_BASE_PATH: "api",
      DATABASE_URL: "mysql://db",
      LOYALTY_SECRET: "short",
      LOYALTY_RATE_LIMIT: "-1",
      LOYALTY_DEMO: "maybe",
      LOYALTY_LEGACY_FIELDS: "user id",
      LOYALTY_UNKNOWN_FIELDS: "drop",
      LOYALTY_TRUSTED_PROXIES: "10.0.0.0/33",
      LOG_LEVEL: "loud",
    }).sort(),
  ).toEqual([
    "DATABASE_URL",
    "LOG_LEVEL",
    "LOYALTY_BASE_PATH",
    "LOYALTY_DEMO",
    "LOYALTY_LEGACY_FIELDS",
    "LOYALTY_RATE_LIMIT",
    "LOYALTY_SECRET",
    "LOYALTY_TRUSTED_PROXIES",
    "LOYALTY_UNKNOWN_FIELDS",
    "PORT",
  ]);
});

it.each([
  ["PORT", ["65536", "-1", "8080.5", "0x50", "1e3"]],
  ["LOYALTY_METRICS_ADDRESS", ["on", "9464", "127.0.0.1", "localhost:9464", "127.0.0.1:65536", "::1:9464"]],
  ["LOYALTY_BASE_PATH", ["api", "/a b", "/a//b", "/api?x", "/%61"]],
  ["LOYALTY_DATABASE_CONNECTIONS", ["7", "1001", "many"]],
  ["LOYALTY_IDEMPOTENCY_DAYS", ["32", "3651"]],
  ["LOYALTY_AUDIT_DAYS", ["-1", "36501", "ever"]],
  ["LOYALTY_EVENT_DAYS", ["-1", "1", "5", "36501", "ever"]],
  ["LOYALTY_WORKERS", ["0", "65"]],
  ["LOYALTY_CELL", ["0", "1000", "north"]],
  ["LOYALTY_PROCESSES", ["0", "1001"]],
  ["LOYALTY_DRAIN_SECONDS", ["-1", "301", "1.5"]],
  ["LOYALTY_OPERATOR_KEY", ["short", `${secret} ${secret}`]],
  ["LOYALTY_TRUSTED_PROXIES", ["proxy", "10.0.0.1/", "10.0.0.1/8/8", "10.0.0.1,,10.0.0.2", "::1/129"]],
  ["LOYALTY_WEBHOOK_PORTS", ["0", "65536", "8443;9443", "https", "443,,80"]],
  [
    "LOYALTY_WEBHOOK_PROXY",
    ["proxy.example.com:3128", "https://proxy.example.com", "http://a b", "http://a/b"],
  ],
  ["LOYALTY_GOOGLE_WALLET_URL", ["walletobjects.googleapis.com", "https://a/b", "https://u:p@google"]],
  ["LOYALTY_APPLE_PUSH_URL", ["api.push.apple.com", "http://push", "https://a/b", "https://u:p@push"]],
  [
    "LOYALTY_WEBHOOK_ALLOW_NETWORKS",
    ["localhost", "10.0.0.1/8", "10.0.0.0/33", "10.0.0.0/8;::1", "::1,,::2"],
  ],
])("rejects a wrong %s", (name, values) => {
  for (const value of values) expect(rejected({ [name]: value }), value).toEqual([name]);
});

it("shares limits among the workers unless there are more processes", () => {
  expect(readConfig({ LOYALTY_WORKERS: "4" }).processes).toBe(4);
  expect(readConfig({ LOYALTY_WORKERS: "4", LOYALTY_PROCESSES: "8" }).processes).toBe(8);
  expect(rejected({ LOYALTY_WORKERS: "4", LOYALTY_PROCESSES: "3" })).toEqual(["LOYALTY_PROCESSES"]);
});

it("takes a base path of any depth, or none", () => {
  const paths = ["/", "/loyalty/v1/", "/api"].map((path) => readConfig({ LOYALTY_BASE_PATH: path }).basePath);
  expect(paths).toEqual(["", "/loyalty/v1", "/api"]);
});

it("takes addresses and ranges of proxies", () => {
  const list = "10.0.0.0/8, 192.0.2.1, 2001:db8::/32";
  expect(readConfig({ LOYALTY_TRUSTED_PROXIES: list }).trustedProxies).toEqual([
    "10.0.0.0/8",
    "192.0.2.1",
    "2001:db8::/32",
  ]);
});

it("takes ports and networks of webhooks", () => {
  expect(
    readConfig({
      LOYALTY_WEBHOOK_PORTS: "8443, 443",
      LOYALTY_WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8, ::1",
    }),
  ).toMatchObject({ webhookPorts: [443, 80, 8443], webhookNetworks: ["127.0.0.0/8", "::1"] });
});

it("replaces the legacy fields by those given", () => {
  expect(readConfig({ LOYALTY_LEGACY_FIELDS: "shop_id=location_id, user" }).legacyFields).toEqual({
    shop_id: "location_id",
    user: "the documented fields",
  });
});

describe("settings in files", () => {
  const directory = mkdtempSync(join(tmpdir(), "loyalty-settings-"));
  const fileOf = (name: string, text: string) => {
    const file = join(directory, name);
    writeFileSync(file, text);
    return file;
  };
  afterAll(() => rmSync(directory, { recursive: true }));

  it("are read without the line's end", () => {
    const read = readConfig({
      DATABASE_URL_FILE: fileOf("url", `${databaseUrl}\n`),
      LOYALTY_SECRET_FILE: fileOf("secret", `${secret}\n`),
      LOYALTY_OPERATOR_KEY_FILE: fileOf("key", `${secret}\r\n`),
    });
    expect(read).toMatchObject({ databaseUrl, secret, operatorKey: secret });
  });

  it("are checked as others are, and once: not beside the variable, nor in a file that is missing or empty", () => {
    expect(rejected({ LOYALTY_SECRET_FILE: fileOf("short", "short") })).toEqual(["LOYALTY_SECRET"]);
    expect(rejected({ LOYALTY_SECRET_FILE: fileOf("twice", secret), LOYALTY_SECRET: secret })).toEqual([
      "LOYALTY_SECRET_FILE",
    ]);
    expect(
      rejected({
        DATABASE_URL: databaseUrl,
        LOYALTY_SECRET_FILE: join(directory, "none"),
        LOYALTY_OPERATOR_KEY_FILE: fileOf("empty", " \n"),
      }),
    ).toEqual(["LOYALTY_OPERATOR_KEY_FILE", "LOYALTY_SECRET_FILE"]);
  });
});

describe("a database of one's own", () => {
  it("needs the secret, which processes share", () => {
    expect(rejected({ DATABASE_URL: databaseUrl })).toEqual(["LOYALTY_SECRET"]);
    expect(readConfig({ DATABASE_URL: databaseUrl, LOYALTY_SECRET: secret })).toMatchObject({
      databaseUrl,
      secret,
    });
  });

  it.each([
    "postgresql:///loyalty",
    "postgres://u:p,w@one,two:5433,three/loyalty",
    "postgres://one,two/loyalty",
    "postgres://u:p%40w@[::1]:5432/loyalty",
  ])("may be at %s", (DATABASE_URL) => {
    expect(readConfig({ DATABASE_URL, LOYALTY_SECRET: secret }).databaseUrl).toBe(DATABASE_URL);
  });

  it.each([
    ...["postgres://", "postgres://host:port/db", "localhost:5432", "http://localhost/loyalty"],
    ...["postgres://u:p@tail@host/db", "postgres://u@tail@host/db"],
  ])("can't be at %s, and the rejection doesn't repeat it", (DATABASE_URL) => {
    expect(() => readConfig({ DATABASE_URL, LOYALTY_SECRET: secret })).toThrow(
      "DATABASE_URL must be a URL such as postgres://user:password@host:5432/loyalty, with %40 for an @ in a name or " +
        "password.",
    );
  });

  it("gets a demo business only if that is asked for", () => {
    const environment = { DATABASE_URL: databaseUrl, LOYALTY_SECRET: secret };
    expect(readConfig(environment).demo).toBe("off");
    expect(readConfig({ ...environment, LOYALTY_DEMO: "on" }).demo).toBe("off");
    expect(readConfig(environment, { demo: true }).demo).toBe("on");
    expect(readConfig({ ...environment, LOYALTY_DEMO: "off" }, { demo: true }).demo).toBe("off");
  });
});

it("makes no demo business when told so", () => {
  expect(readConfig({ LOYALTY_DEMO: "off" }).demo).toBe("off");
});

it.each([
  ["off", undefined],
  ["127.0.0.1:9464", { host: "127.0.0.1", port: 9464, isChosen: true }],
  ["[::1]:9465", { host: "::1", port: 9465, isChosen: true }],
])("takes %s as the address of the metrics", (value, address) => {
  expect(readConfig({ LOYALTY_METRICS_ADDRESS: value }).metricsAddress).toEqual(address);
});

it.each(["::ffff:10.0.0.0/80", "::/0", "10.0.0.0/0"])("takes no range as wide as %s for proxies", (range) => {
  expect(() => readConfig({ LOYALTY_TRUSTED_PROXIES: range })).toThrow(
    `LOYALTY_TRUSTED_PROXIES holds "${range}"`,
  );
  expect(readConfig({ LOYALTY_TRUSTED_PROXIES: "::ffff:10.0.0.0/104" }).trustedProxies).toHaveLength(1);
});
