/** Which certificates each sslmode takes, for a host that is named and for one that is addressed. */
import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TLSSocket } from "node:tls";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDatabase } from "../../src/database/connection.ts";
import { useDatabase } from "../support/database.ts";

const database = useDatabase();
let directory: string;
const servers: Server[] = [];

function hasOpenssl(): boolean {
  try {
    execFileSync("openssl", ["version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

const openssl = (...commandLine: string[]) =>
  execFileSync("openssl", commandLine, { cwd: directory, stdio: "pipe" });
const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];

/** Makes an authority: NAME.crt and NAME.key. */
function makeAuthority(name: string): void {
  openssl(
    ...["req", "-x509", ...newKey, "-days", "2", "-subj", `/CN=${name}`],
    ...["-keyout", `${name}.key`, "-out", `${name}.crt`],
  );
}

/** Makes a certificate for some names and addresses: NAME.crt and NAME.key. */
async function makeCertificate(name: string, authority: string, holders: string): Promise<void> {
  openssl("req", ...newKey, "-subj", `/CN=${name}`, "-keyout", `${name}.key`, "-out", `${name}.csr`);
  await writeFile(join(directory, `${name}.ext`), `subjectAltName=${holders}\n`);
  openssl(
    ...["x509", "-req", "-in", `${name}.csr`, "-days", "2", "-extfile", `${name}.ext`, "-out", `${name}.crt`],
    ...["-CA", `${authority}.crt`, "-CAkey", `${authority}.key`, "-CAcreateserial"],
  );
}

/** Stands before the test's server, and speaks TLS with a certificate; without one, it has no TLS. */
async function startServer(certificate?: string): Promise<number> {
  const { host, port } = database.connection;
  const pem = (kind: string) => readFile(join(directory, `${certificate}.${kind}`));
  const identity = certificate === undefined ? undefined : { key: await pem("key"), cert: await pem("crt") };
  const server = createServer((client) => {
    client.on("error", () => undefined);
    // The first message of a client that wants TLS is SSLRequest. The response is one byte.
    client.once("data", () => {
      client.write(identity === undefined ? "N" : "S");
      if (identity !== undefined) relay(new TLSSocket(client, { isServer: true, ...identity }));
    });
  });
  const relay = (client: Socket) => {
    const upstream = host.startsWith("/") ? connect(join(host, `.s.PGSQL.${port}`)) : connect(port, host);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      from.pipe(to);
      from.on("error", () => to.destroy()).on("close", () => to.destroy());
    }
  };
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

const ports: Record<string, number> = {};

/** What comes of a connection: "connected", or what the driver says. */
async function outcomeOf(host: string, server: string, parameters: string): Promise<string> {
  const { user, password, database: name } = database.connection;
  const account = `${user}:${encodeURIComponent(password)}`;
  const query = parameters.replace("ROOT", encodeURIComponent(join(directory, "authority.crt")));
  const pool = openDatabase(`postgres://${account}@${host}:${ports[server]}/${name}?${query}`, {
    connections: 1,
    statementTimeoutMilliseconds: 30_000,
    applicationName: "tls",
  });
  try {
    await pool`SELECT 1`;
    return "connected";
  } catch (error) {
    return (error as Error).message;
  } finally {
    await pool.end();
  }
}

describe.skipIf(!hasOpenssl())("a connection over TLS", () => {
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "loyalty-tls-"));
    makeAuthority("authority");
    makeAuthority("other-authority");
    await makeCertificate("name", "authority", "DNS:localhost");
    await makeCertificate("address", "authority", "IP:127.0.0.1");
    await makeCertificate("others", "authority", "DNS:db.example.com,IP:192.0.2.1");
    await makeCertificate("forged", "other-authority", "DNS:localhost,IP:127.0.0.1");
    for (const name of ["name", "address", "others", "forged"]) ports[name] = await startServer(name);
    ports.none = await startServer();
  });
  afterAll(async () => {
    for (const server of servers) server.close();
    await rm(directory, { recursive: true, force: true });
  });

  const full = "sslmode=verify-full&sslrootcert=ROOT";
  const connected = "connected";
  const otherHolder = /does not match certificate/;
  const otherAuthority = /unable to verify|self-signed|unable to get/;
  it.each([
    // Encrypted, and not checked.
    ["localhost", "forged", "sslmode=require", connected],
    ["127.0.0.1", "others", "sslmode=require", connected],
    // With a root certificate it is checked, as in libpq.
    ["localhost", "others", "sslmode=require&sslrootcert=ROOT", connected],
    ["localhost", "forged", "sslmode=require&sslrootcert=ROOT", otherAuthority],
    ["localhost", "others", "sslmode=verify-ca&sslrootcert=ROOT", connected],
    ["127.0.0.1", "others", "sslmode=verify-ca&sslrootcert=ROOT", connected],
    ["localhost", "forged", "sslmode=verify-ca&sslrootcert=ROOT", otherAuthority],
    ["localhost", "name", "sslmode=verify-ca", otherAuthority],
    ["localhost", "name", full, connected],
    ["localhost", "others", full, otherHolder],
    ["localhost", "address", full, otherHolder],
    ["localhost", "forged", full, otherAuthority],
    ["127.0.0.1", "address", full, connected],
    ["127.0.0.1", "others", full, otherHolder],
    // The name that a missing one is checked against, unless the address is given.
    ["127.0.0.1", "name", full, otherHolder],
    ["127.0.0.1", "forged", full, otherAuthority],
    ["localhost", "name", "sslmode=verify-full&sslrootcert=system", otherAuthority],
    ["localhost", "none", "sslmode=require", /does not support SSL/],
  ])("to %s, whose certificate is %s, with %s", async (host, server, parameters, expected) => {
    expect(await outcomeOf(host, server, parameters)).toEqual(
      typeof expected === "string" ? expected : expect.stringMatching(expected),
    );
  });
});
