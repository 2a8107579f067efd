/** Starts a real Vendure, in the folder where it is installed, and buys in it as its customers do. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { freePort } from "../support/service-process.ts";

const execute = promisify(execFile);
const repository = join(import.meta.dirname, "../..");

/** The folder in which the shop systems are installed, one folder each: see CONTRIBUTING.md. */
export const shopsFolder = process.env.SHOPS;

/** Packs, installs and builds the plugin beside Vendure, as its README says. */
export async function installPlugin(folder: string): Promise<void> {
  const packed = await mkdtemp(join(tmpdir(), "loyalty-packed-"));
  try {
    await install("packages/sdk", "loyalty-sdk", packed, folder);
    const source = join(folder, "plugin");
    await rm(source, { recursive: true, force: true });
    await cp(join(repository, "packages/vendure-plugin"), source, { recursive: true });
    await rm(join(source, "dist"), { recursive: true, force: true });
    await execute(process.execPath, [join(folder, "node_modules/typescript/bin/tsc"), "-p", source]);
    await install(source, "loyalty-vendure-plugin", packed, folder);
  } catch (error) {
    // The compiler says what is wrong at its standard output.
    throw new Error(`The plugin can't be installed: ${(error as { stdout?: string }).stdout || error}`);
  } finally {
    await rm(packed, { recursive: true, force: true });
  }
  for (const file of ["server.mjs", "products.csv"]) {
    await cp(join(import.meta.dirname, "vendure", file), join(folder, file));
  }
}

async function install(source: string, name: string, packed: string, folder: string): Promise<void> {
  const from = source.startsWith("/") ? source : join(repository, source);
  const { stdout } = await execute("npm", ["pack", "--silent", "--pack-destination", packed], { cwd: from });
  const into = join(folder, "node_modules", name);
  await rm(into, { recursive: true, force: true });
  await mkdir(into);
  await execute("tar", ["-xzf", join(packed, stdout.trim()), "-C", into, "--strip-components=1"]);
}

export interface ShopSettings {
  readonly folder: string;
  /** The options of TypeORM's connection. */
  readonly database: object;
  readonly options: object;
  /** By default, a free one. */
  readonly port?: number;
}

// biome-ignore lint/suspicious/noExplicitAny: tests look at responses of every shape
type Data = any;

/** A running shop. */
export class VendureShop {
  readonly baseUrl: string;
  readonly child: ChildProcess;
  /** The end of what it printed. */
  said = "";

  private constructor(child: ChildProcess, port: number) {
    this.child = child;
    this.baseUrl = `http://127.0.0.1:${port}`;
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.said = (this.said + text).slice(-20_000);
      });
    }
  }

  /** @param populate whether it makes its tables, products and settings first */
  static async start(
    { folder, database, options, port: wanted }: ShopSettings,
    populate = false,
  ): Promise<VendureShop> {
    const port = wanted ?? (await freePort());
    const env = {
      ...{ PATH: process.env.PATH, PORT: String(port), DATABASE: JSON.stringify(database) },
      ...{ LOYALTY_OPTIONS: JSON.stringify(options), POPULATE: populate ? "1" : "0" },
    };
    const child = spawn(process.execPath, ["server.mjs"], { cwd: folder, env });
    const shop = new VendureShop(child, port);
    await shop.#until(/^Ready: /m);
    return shop;
  }

  async #until(pattern: RegExp): Promise<void> {
    while (!pattern.test(this.said)) {
      if (this.child.exitCode !== null || this.child.signalCode !== null) {
        throw new Error(`the shop ended: ${this.said}`);
      }
      const waiting = new AbortController();
      const { signal } = waiting;
      await Promise.race([
        once(this.child.stdout as object as NodeJS.EventEmitter, "data", { signal }),
        once(this.child, "close", { signal }),
      ]);
      waiting.abort();
    }
  }

  /** Runs the sweep once. @param checkoutAge the age in milliseconds from which a checkout is seen as left */
  async sweep(checkoutAge = 0): Promise<{ sent: number; left: number }> {
    this.said = "";
    this.child.stdin?.write(`sweep ${checkoutAge}\n`);
    await this.#until(/^Swept: .*\n/m);
    return JSON.parse(/^Swept: (.*)$/m.exec(this.said)?.[1] ?? "");
  }

  /** Ends the wait of a payment that is held. */
  release(orderCode: string): void {
    this.child.stdin?.write(`release ${orderCode}\n`);
  }

  async end(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const closed = once(this.child, "close");
    this.child.kill(signal);
    await closed;
  }

  /** A session in the shop or in its administration. */
  session(api: "shop-api" | "admin-api"): Session {
    return new Session(`${this.baseUrl}/${api}`);
  }

  async administrator(): Promise<Session> {
    const session = this.session("admin-api");
    await session.ask(`mutation { login(username: "superadmin", password: "superadmin") { __typename } }`);
    return session;
  }
}

/** Sends queries, as one visitor. */
export class Session {
  readonly #url: string;
  #token: string | null = null;

  constructor(url: string) {
    this.#url = url;
  }

  /** @throws with the errors of the response */
  async ask(query: string, variables: object = {}): Promise<Data> {
    const headers = {
      "content-type": "application/json",
      ...(this.#token === null ? {} : { authorization: `Bearer ${this.#token}` }),
    };
    const response = await fetch(this.#url, {
      method: "POST",
      headers,
      body: JSON.stringify({ query, variables }),
    });
    this.#token = response.headers.get("vendure-auth-token") ?? this.#token;
    const { data, errors } = (await response.json()) as { data: Data; errors?: { message: string }[] };
    if (errors !== undefined) throw new Error(errors.map(({ message }) => message).join("\n"));
    return data;
  }
}
