/** Reads DATABASE_URL as libpq does, and finds the primary among its hosts. */
import { readFileSync } from "node:fs";
import type { ConnectionOptions } from "node:tls";
import { OperatorError } from "../domain/access/operator-error.ts";
import { ConnectionLostError } from "./faults.ts";

export interface ConnectionSettings {
  /** A name, an address, or the directory of a Unix socket. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

/** One server, as the driver takes it. */
export interface Host extends Pick<ConnectionSettings, "host" | "port"> {
  /** If it is undefined, the driver takes it from the environment, like the password. */
  readonly user: string | undefined;
  readonly password: string | undefined;
  /** If it is undefined, the database with the name of the user. */
  readonly database: string | undefined;
  readonly ssl: false | ConnectionOptions;
}

const url =
  /^postgres(?:ql)?:\/\/(?=.)(?:(?<user>[^@/?#:]*)(?::(?<password>[^@/?#]*))?@)?(?<hosts>[^/?#]*)(?:\/(?<database>[^?#]*))?(?:\?(?<parameters>[^#]*))?$/;
// Without an "@": it would be part of a password, which no message may quote.
const hostAndPort = /^(?:\[(?<v6>[^\]@]+)\]|(?<name>[^:@]*))(?::(?<port>\d+))?$/;
const supported = ["host", "port", "sslmode", "sslrootcert", "target_session_attrs"];
/** Parameters of libpq, of services and of other drivers, which providers put into the URLs that they show. */
const known =
  "application_name channel_binding client_encoding connect_timeout connection_limit currentSchema dbname fallback_application_name " +
  "gssencmode keepalives keepalives_idle options passfile pgbouncer pool_timeout pooler prepareThreshold require_auth schema " +
  "search_path service ssl ssl_min_protocol_version sslcert sslcrl sslkey sslnegotiation sslpassword supa tcp_user_timeout " +
  "statement_timeout uselibpqcompat";
const sslModes = ["disable", "require", "verify-ca", "verify-full"];

/**
 * Reads where to connect. As in libpq, missing parts of a URL come from PGHOST, PGPORT, PGUSER, PGPASSWORD and PGDATABASE.
 * @param target settings, or a URL as libpq takes it (PostgreSQL manual, "Connection URIs")
 * @throws OperatorError for a part that is not supported
 */
export function targetOf(target: string | ConnectionSettings): readonly Host[] {
  if (typeof target !== "string") return [{ ...target, ssl: false }];
  const { user, password, hosts = "", database = "", parameters } = url.exec(target)?.groups ?? notUrl();
  const options = new URLSearchParams(parameters);
  const unsupported = [...options.keys()].filter((name) => !supported.includes(name));
  if (unsupported.length > 0) {
    // Another name may be part of a password that contains a question mark.
    const named = unsupported.filter((name) => known.split(" ").includes(name)).join(" and ");
    const remedy = named === "" ? "; write a question mark in a password as %3F" : ` (remove ${named})`;
    fault(`has a parameter that is not supported${remedy}; supported are ${supported.join(", ")}`);
  }
  const session = options.get("target_session_attrs") ?? "read-write";
  if (!["read-write", "primary"].includes(session)) {
    fault("has another target_session_attrs than read-write or primary; the service writes");
  }
  const ssl = sslOf(options);
  return hostsOf(hosts, options).map(({ host, port }) => ({
    host,
    port,
    user: user ? decode(user) : undefined,
    password: password === undefined ? undefined : decode(password),
    database: decode(database) || process.env.PGDATABASE,
    ssl: host.startsWith("/") ? false : ssl,
  }));
}

/** The same for another setting, which the error then names. */
export function otherTargetOf(target: string, setting = "LOYALTY_READ_DATABASE_URL"): readonly Host[] {
  try {
    return targetOf(target);
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    throw new OperatorError(error.message.replace("DATABASE_URL", setting));
  }
}

/** The message does not quote the URL, because a password may be anywhere in it. */
function notUrl(): never {
  return fault(
    "must be a URL such as postgres://user:password@host:5432/loyalty, with %40 for an @ in a name or password",
  );
}

function fault(problem: string): never {
  throw new OperatorError(`DATABASE_URL ${problem}.`);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return fault("holds a % that is not followed by two hexadecimal digits; write a percent sign as %25");
  }
}

/** As in libpq, the parameters `host` and `port` take precedence over the host and port before the path. */
function hostsOf(authority: string, options: URLSearchParams): { host: string; port: number }[] {
  const parts = authority.split(",").map((item) => hostAndPort.exec(item)?.groups ?? notUrl());
  const named = options.get("host") ?? parts.map(({ v6, name }) => v6 ?? decode(name ?? "")).join(",");
  const hosts = (named || process.env.PGHOST || "localhost").split(",");
  const ports = options.get("port")?.split(",") ?? parts.map(({ port }) => port ?? "");
  if (ports.length > 1 && ports.length !== hosts.length) fault("does not have one port for each host");
  return hosts.map((host, index) => ({
    host: host || "localhost",
    port: portOf((ports.length === 1 ? ports[0] : ports[index]) || process.env.PGPORT || "5432"),
  }));
}

function portOf(text: string): number {
  const port = Number(text);
  return /^\d+$/.test(text) && port > 0 && port < 65_536 ? port : notUrl();
}

/** As in libpq, `require` checks the certificate only if a root certificate is named. */
function sslOf(options: URLSearchParams): false | ConnectionOptions {
  const mode = options.get("sslmode") ?? "disable";
  if (!sslModes.includes(mode))
    fault(`has an sslmode that is not supported; supported are ${sslModes.join(", ")}`);
  const file = options.get("sslrootcert");
  if (mode === "disable" && file !== null) fault("has sslrootcert without sslmode; add sslmode=verify-full");
  if (mode === "disable") return false;
  if (mode === "require" && file === null) return { rejectUnauthorized: false };
  const ca = file === null || file === "system" ? {} : { ca: readCertificate(file) };
  // By default, the driver checks the host's name or address.
  return mode === "verify-full" ? ca : { ...ca, checkServerIdentity: () => undefined };
}

function readCertificate(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    return fault(`names sslrootcert=${file}, which can't be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

/**
 * The hosts of a database, and which of them is the primary. The pools of a process share the list. When one pool loses a server
 * or finds a new primary, all of them leave the old server.
 */
export class HostList {
  readonly #hosts: readonly Host[];
  readonly #takesStandbys: boolean;
  #at = 0;
  /** Each promotion of a standby begins a new timeline (PostgreSQL manual, "Timelines"). */
  #timeline = 0;
  /** Connections of an earlier epoch are not used again. */
  #epoch = 0;

  /** @param takesStandbys for work that only reads */
  constructor(hosts: readonly Host[], takesStandbys = false) {
    this.#hosts = hosts;
    this.#takesStandbys = takesStandbys;
  }

  get size(): number {
    return this.#hosts.length;
  }

  get current(): Host {
    return this.#hosts[this.#at] as Host;
  }

  /** Moves to the next host after a failure of one. It has no effect if another caller has already moved on. */
  moveOn(from: Host): void {
    if (this.current === from) this.#at = (this.#at + 1) % this.#hosts.length;
  }

  /**
   * Checks the server that a new connection has reached.
   * @param timeline of a primary; 0 for a standby
   * @returns the epoch of the connection
   * @throws ConnectionLostError for a standby or a former primary, unless the list takes standbys
   */
  accept(timeline: number): number {
    if (this.#takesStandbys) return this.#epoch;
    if (timeline === 0) throw new ConnectionLostError("the server is a standby");
    if (timeline < this.#timeline) throw new ConnectionLostError("the server is a former primary");
    // A former primary may still respond over earlier connections, with old data.
    if (timeline > this.#timeline && this.#timeline > 0) this.#epoch += 1;
    this.#timeline = timeline;
    return this.#epoch;
  }

  /** Records a lost connection. Other connections to the same server may be lost, and each would have to time out. */
  lose(): void {
    this.#epoch += 1;
  }

  /** Whether a connection may be used. */
  isCurrent(epoch: number | undefined): boolean {
    return epoch === this.#epoch;
  }
}
