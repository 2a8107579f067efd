/** How the command finds the service and the key, and what it says when it does not. */
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { outcomeOf, useCli } from "../support/cli.ts";
import { useDatabase } from "../support/database.ts";
import { freePort } from "../support/service-process.ts";
import { testOperatorKey, testSecret, useWorld } from "../support/world.ts";

const world = useWorld();
const database = useDatabase();
/** Without a service in its environment. */
const cli = useCli();
const found = () => ({ LOYALTY_URL: world.baseUrl, LOYALTY_OPERATOR_KEY: testOperatorKey });
const status = ["status", "--json"];

/** A directory with a file .env. */
async function directoryWith(name: string, variables: Record<string, string>): Promise<string> {
  const directory = join(cli.directory, name);
  await mkdir(directory);
  const lines = Object.entries(variables).map(([variable, value]) => `${variable}=${value}\n`);
  await writeFile(join(directory, ".env"), lines.join(""));
  return directory;
}

/** Somebody who waits for a key. */
async function listener() {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, connections: () => connections };
}

it("is told where the service is by --url, LOYALTY_URL, PORT and LOYALTY_BASE_PATH, in this order", async () => {
  const { origin, port } = new URL(world.baseUrl);
  const LOYALTY_OPERATOR_KEY = testOperatorKey;
  const nowhere = "http://127.0.0.1:9";
  const environments: [words: string[], environment: Record<string, string>][] = [
    [[...status, "--url", origin], { LOYALTY_URL: nowhere }],
    [status, { LOYALTY_URL: origin, PORT: "9" }],
    [status, { LOYALTY_URL: `${origin}/api/`, LOYALTY_BASE_PATH: "/elsewhere" }],
    [status, { PORT: port, LOYALTY_BASE_PATH: "/api" }],
  ];
  for (const [words, environment] of environments) {
    await cli.ok(words, { environment: { LOYALTY_OPERATOR_KEY, ...environment } });
  }
});

it("finds the key in the data directory, and both in a file .env", async () => {
  const directory = await directoryWith("here", {
    LOYALTY_URL: world.baseUrl,
    LOYALTY_OPERATOR_KEY: testOperatorKey,
  });
  await cli.ok(status, { directory });
  await mkdir(join(directory, "data"), { recursive: true });
  await writeFile(join(directory, "data/operator.key"), `${testOperatorKey}\n`);
  const environment = { LOYALTY_DATA_DIR: join(directory, "data"), LOYALTY_URL: world.baseUrl };
  await cli.ok(status, { environment });
  const { port } = new URL(world.baseUrl);
  await writeFile(join(directory, ".env"), `PORT=${port}\n`);
  await cli.ok(status, { directory });
});

describe("a file .env that somebody else wrote", () => {
  it("does not say where a key goes that is not in it", async () => {
    const elsewhere = await listener();
    const data = join(cli.directory, "own");
    await mkdir(data);
    await writeFile(join(data, "operator.key"), testOperatorKey);
    const directory = await directoryWith("delivered", {
      LOYALTY_URL: elsewhere.url,
      LOYALTY_DATA_DIR: data,
    });
    for (const environment of [{ LOYALTY_OPERATOR_KEY: testOperatorKey }, {}] as Record<string, string>[]) {
      const { code, err } = await cli.run(["status"], { directory, environment });
      expect(code).toBe(2);
      expect(err).toMatch(/^The address of the service is in the file \.env, but the operator key is not\./);
      expect(err).toContain(`--url ${elsewhere.url}`);
    }
    expect(elsewhere.connections()).toBe(0);
    // What the person says goes.
    await cli.ok([...status, "--url", world.baseUrl], { directory });
    await cli.ok(status, { directory, environment: { LOYALTY_URL: world.baseUrl } });
  });

  it("does not allow plain HTTP", async () => {
    const directory = await directoryWith("insecure", { LOYALTY_INSECURE: "1" });
    const environment = { ...found(), LOYALTY_URL: "http://loyalty.invalid" };
    const { code, err } = await cli.run(["status"], { directory, environment });
    expect([code, err]).toEqual([2, expect.stringMatching(/^Over plain HTTP, anyone on the network/)]);
  });
});

it("sends the key over plain HTTP to this machine alone, unless told otherwise", async () => {
  const url = "http://loyalty.invalid:9";
  const rejected = await cli.run(["status", "--url", url], { environment: found() });
  expect(rejected).toEqual({
    code: 2,
    out: "",
    err:
      `Over plain HTTP, anyone on the network between here and ${url}/api could read the operator key.\n` +
      "The address is taken from --url: use https, or a tunnel such as ssh -L 8080:127.0.0.1:8080.\n" +
      "If you trust that network, use --insecure, or set LOYALTY_INSECURE=1.\n",
  });
  const allowed = [
    await cli.run(["status", "--url", url, "--insecure"], { environment: found() }),
    await cli.run(["status", "--url", url], { environment: { ...found(), LOYALTY_INSECURE: "1" } }),
    await cli.run(["status", "--url", "https://loyalty.invalid:9"], { environment: found() }),
    await cli.run(["status", "--url", "http://[::1]:9"], { environment: found() }),
    await cli.run(["status", "--url", "http://localhost:9"], { environment: found() }),
  ];
  for (const { code, err } of allowed)
    expect([code, err]).toEqual([3, expect.stringMatching(/does not respond at/)]);
});

it("says how to start a service that is not there, at once", async () => {
  const url = `http://127.0.0.1:${await freePort()}`;
  const environment = { ...found(), LOYALTY_URL: url };
  const { code, out, err } = await cli.run(["business", "list"], { environment });
  expect([code, out]).toEqual([3, ""]);
  expect(err).toBe(
    `The service does not respond at ${url}/api (ECONNREFUSED).\nIs it running? Start it with: loyalty serve\n` +
      "The address is taken from LOYALTY_URL; set LOYALTY_URL or --url if the service has another address.\n",
  );
});

it("says that the service itself uses plain HTTP, when it is called with https", async () => {
  const url = world.baseUrl.replace("http:", "https:");
  const { code, err } = await cli.run(["status", "--url", url], { environment: found() });
  expect(code).toBe(3);
  expect(err).toMatch(
    /^There is no TLS at https:.* \(ERR_SSL_\w+\)\.\nThe service itself uses plain HTTP\. /,
  );
});

it("says so when something else responds", async () => {
  const environment = { ...found(), LOYALTY_URL: `${new URL(world.baseUrl).origin}/wrong` };
  const { code, err } = await cli.run(["status"], { environment });
  expect(code).toBe(3);
  expect(err).toMatch(/\/wrong, taken from LOYALTY_URL, must be the address of a loyalty service/);
});

it("says where it looked for a key", async () => {
  const { code, err } = await cli.run(["status"], { environment: { LOYALTY_URL: world.baseUrl } });
  expect(code).toBe(4);
  expect(err).toContain(
    `LOYALTY_OPERATOR_KEY is not set, you are not signed in, and ${cli.directory}/data/operator.key does not exist.`,
  );
  expect(err).toContain("loyalty serve");
});

it("says where a key that is rejected was found", async () => {
  const data = join(cli.directory, "other");
  await mkdir(data);
  await writeFile(join(data, "operator.key"), "not-the-key-of-this-service-at-all-but-long");
  const wrong = await cli.run(["status"], {
    environment: { LOYALTY_URL: world.baseUrl, LOYALTY_DATA_DIR: data },
  });
  expect(wrong.code).toBe(4);
  expect(wrong.err).toContain(`The key comes from ${join(data, "operator.key")}.`);
  expect(wrong.err).not.toContain("not-the-key");
});

it.each(["ftp://127.0.0.1", "127.0.0.1:8080", "http://127.0.0.1:8080/?x=1"])(
  "rejects the address %s",
  async (url) => {
    const { code, err } = await cli.run(["status", "--url", url], { environment: found() });
    expect(code).toBe(2);
    expect(err).toBe(
      `The address of the service must be a URL such as http://127.0.0.1:8080, not "${url}".\nIt is taken from --url.\n`,
    );
  },
);

it("rejects an address with a password, and does not repeat it", async () => {
  const url = "http://u:hunter2@tail@127.0.0.1:8080";
  const { code, err } = await cli.run(["status", "--url", url], { environment: found() });
  expect(code).toBe(2);
  expect(err).toContain('not "http://u:***@127.0.0.1:8080".');
});

it("serves, responds to the key that it made, and stops when told to", async () => {
  const { host, port, user, password, database: name } = database.connection;
  const directory = join(cli.directory, "served");
  await mkdir(directory);
  const child = cli.start(["serve", "--demo"], {
    directory,
    environment: {
      LOYALTY_SECRET: testSecret,
      DATABASE_URL: `postgres:///${name}`,
      PGHOST: host,
      PGPORT: String(port),
      PGUSER: user,
      PGPASSWORD: password,
      PORT: "0",
      LOYALTY_METRICS_ADDRESS: "off",
    },
  });
  const ended = outcomeOf(child);
  const baseUrl = await new Promise<string>((resolve, reject) => {
    child.stderr.on("data", (text: string) => {
      const ready = /^Ready: (\S+)$/m.exec(text)?.[1];
      if (ready !== undefined) resolve(ready);
    });
    ended.then(({ err }) => reject(new Error(err)), reject);
  });
  // The demo business and its sandbox.
  expect((await cli.json(["business", "list", "--url", baseUrl], { directory })).data).toHaveLength(2);
  child.kill("SIGTERM");
  expect(await ended).toMatchObject({ code: 0, err: expect.stringMatching(/Stopped\.\n$/) });
});

it("says what keeps the service from starting", async () => {
  const { code, err } = await outcomeOf(cli.start(["serve"], { environment: { PORT: "many" } }));
  expect([code, err]).toEqual([1, 'PORT must be a whole number from 0 to 65535, not "many".\n']);
});
