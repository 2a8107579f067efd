/** A real Medusa shop with the plugin, built and packed as its README says, and its customers over HTTP. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { cp, readdir, rm } from "node:fs/promises";
import { type AddressInfo, connect, createServer } from "node:net";
import { join } from "node:path";
import { pipeline } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import type { ConnectionSettings } from "../../src/database/connection.ts";
import { freePort } from "./service-process.ts";

const execute = promisify(execFile);
const repository = join(import.meta.dirname, "../..");
const folder = join(process.env.SHOPS ?? "", "medusa");

/** Whether .ci/run or a developer has installed Medusa: see CONTRIBUTING.md. */
export const isMedusaInstalled = process.env.SHOPS !== undefined && existsSync(join(folder, "node_modules"));

const installQuietly = ["--no-save", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"];
const packed = async () =>
  (await readdir(folder)).filter((name) => name.endsWith(".tgz")).map((name) => `./${name}`);

/** Builds the plugin with the types of Medusa, packs it and the client, and installs both beside the shop. */
export async function installPlugin(): Promise<void> {
  const plugin = join(folder, "plugin");
  await rm(plugin, { recursive: true, force: true });
  const source = join(repository, "packages/medusa-plugin");
  await cp(source, plugin, { recursive: true, filter: (path) => !/\/(?:node_modules|\.medusa)$/.test(path) });
  for (const old of await packed()) await rm(join(folder, old));
  // The plugin is built with the client that is installed.
  for (const source of [join(repository, "packages/sdk"), plugin]) {
    await execute("npm", ["pack", source, "--pack-destination", folder]);
    await execute("npm", ["install", ...installQuietly, ...(await packed())], { cwd: folder });
  }
  // The build of the plugin checks the types of all but its admin.
  const compiler = join(folder, "node_modules/typescript/bin/tsc");
  await execute(process.execPath, [compiler, "--noEmit", "-p", join(plugin, "src/admin")]);
}

/** What the seed made. */
interface Seeded {
  readonly key: string;
  readonly region: string;
  readonly shipping: string;
  readonly variants: Readonly<Record<"SHIRT" | "COAT" | "GIFT" | "STICKER", string>>;
  readonly email: string;
}

// biome-ignore lint/suspicious/noExplicitAny: tests look at responses of every shape
export type Json = any;

const keptOfLog = 20_000;

export class MedusaShop {
  url = "";
  log = "";
  seeded!: Seeded;
  #environment: Record<string, string | undefined> = {};
  #child: ChildProcess | undefined;
  #admin = "";

  /** Makes its database, starts it, and makes what it sells. @param database an empty one */
  async prepare(database: ConnectionSettings, options: object): Promise<void> {
    const { user, password, database: name } = database;
    const account = `${encodeURIComponent(user)}:${encodeURIComponent(String(password))}`;
    const place = `${await this.#tcpAddress(database)}/${name}`;
    this.#environment = {
      ...process.env,
      NODE_OPTIONS: "",
      DATABASE_URL: `postgres://${account}@${place}`,
      LOYALTY_OPTIONS: JSON.stringify(options),
    };
    const own = join(import.meta.dirname, "../shops/medusa");
    const places = {
      "medusa-config.js": "medusa-config.js",
      "fail-checkout.js": "src/workflows/hooks/fail-checkout.js",
      "seed.js": "src/api/seed/route.js",
    };
    for (const [name, place] of Object.entries(places)) await cp(join(own, name), join(folder, place));
    await execute(process.execPath, ["node_modules/.bin/medusa", "db:migrate", "--skip-scripts"], {
      cwd: folder,
      env: this.#environment,
      maxBuffer: 1e8,
    });
    await this.start();
    this.seeded = await this.send("POST", "/seed");
  }

  /** Medusa connects to a server by TCP only. The server of the tests may listen on a socket only. */
  async #tcpAddress({ host, port }: ConnectionSettings): Promise<string> {
    if (!host.startsWith("/")) return `${host}:${port}`;
    const listener = createServer((socket) => {
      const server = connect(join(host, `.s.PGSQL.${port}`));
      pipeline(socket, server, socket, () => undefined);
    });
    listener.listen(0, "127.0.0.1").unref();
    await once(listener, "listening");
    return `127.0.0.1:${(listener.address() as AddressInfo).port}`;
  }

  /** Starts it, on the port that it had before. */
  async start(): Promise<void> {
    const port = this.url === "" ? await freePort() : Number(new URL(this.url).port);
    this.url = `http://127.0.0.1:${port}`;
    const child = spawn(process.execPath, ["node_modules/.bin/medusa", "start", "-H", "127.0.0.1"], {
      cwd: folder,
      env: { ...this.#environment, PORT: `${port}` },
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        this.log = (this.log + text).slice(-keptOfLog);
      });
    }
    this.#child = child;
    while (
      !(await fetch(`${this.url}/health`).then(
        ({ ok }) => ok,
        () => false,
      ))
    ) {
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`the shop ended: ${this.log}`);
      await sleep(100);
    }
  }

  /** Ends it, as its operator does, or at once. */
  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    await once(child, "exit");
  }

  /** Sends a request. @throws with what the shop said, unless it succeeds */
  async send(method: string, path: string, body?: object, token?: string): Promise<Json> {
    const { status, body: said } = await this.try(method, path, body, token);
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(said)}`);
    return said;
  }

  async try(
    method: string,
    path: string,
    body?: object,
    token?: string,
  ): Promise<{ status: number; body: Json }> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        "content-type": "application/json",
        ...(path.startsWith("/store") ? { "x-publishable-api-key": this.seeded.key } : {}),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text.startsWith("{") ? JSON.parse(text) : text };
  }

  /** Sends a request as the operator of the shop. */
  async asAdmin(method: string, path: string, body?: object): Promise<Json> {
    if (this.#admin === "") {
      const { email } = this.seeded;
      const account = { email, password: "a-password-for-tests" };
      this.#admin = (await this.send("POST", "/auth/user/emailpass", account)).token;
    }
    return this.send(method, path, body, this.#admin);
  }

  /** Somebody who buys without an account. */
  guest(email: string): Customer {
    return new Customer(this, "", undefined, email);
  }

  /** Registers a customer and signs it in. */
  async customer(fields: { readonly email: string; readonly phone?: string }): Promise<Customer> {
    const account = { email: fields.email, password: "a-password-for-tests" };
    const { token } = await this.send("POST", "/auth/customer/emailpass/register", account);
    const names = { first_name: "Ana", last_name: "López" };
    const { customer } = await this.send("POST", "/store/customers", { ...names, ...fields }, token);
    const signedIn = await this.send("POST", "/auth/customer/emailpass", account);
    return new Customer(this, customer.id, signedIn.token, fields.email);
  }
}

type Goods = Partial<Record<keyof Seeded["variants"], number>>;

/** A customer of the shop, signed in. */
export class Customer {
  readonly #shop: MedusaShop;
  readonly id: string;
  readonly token: string | undefined;
  readonly email: string;

  constructor(shop: MedusaShop, id: string, token: string | undefined, email: string) {
    this.#shop = shop;
    this.id = id;
    this.token = token;
    this.email = email;
  }

  send(method: string, path: string, body?: object): Promise<Json> {
    return this.#shop.send(method, path, body, this.token);
  }

  /** Fills a cart, with the address and the shipping for 5.00. @returns its id */
  async cart(goods: Goods): Promise<string> {
    const { seeded } = this.#shop;
    const items = Object.entries(goods).map(([sku, quantity]) => {
      return { variant_id: seeded.variants[sku as keyof Goods], quantity };
    });
    const address = { first_name: "Ana", last_name: "López", address_1: "Calle Mayor 1", city: "Madrid" };
    const { cart } = await this.send("POST", "/store/carts", {
      ...{ region_id: seeded.region, email: this.email, items },
      shipping_address: { ...address, postal_code: "28001", country_code: "es" },
    });
    await this.send("POST", `/store/carts/${cart.id}/shipping-methods`, { option_id: seeded.shipping });
    return cart.id;
  }

  /** Chooses how to pay the rest of a cart, as far as it has one, and completes it. @returns what the shop responds */
  async complete(cartId: string): Promise<{ status: number; body: Json }> {
    const { payment_collection } = await this.send("POST", "/store/payment-collections", { cart_id: cartId });
    const sessions = `/store/payment-collections/${payment_collection.id}/payment-sessions`;
    await this.send("POST", sessions, { provider_id: "pp_system_default" });
    return this.#shop.try("POST", `/store/carts/${cartId}/complete`, {}, this.token);
  }

  /** Buys goods. @returns the order */
  async buy(goods: Goods, choice?: { readonly points?: number; readonly wallet?: number }): Promise<Json> {
    const cartId = await this.cart(goods);
    if (choice !== undefined) await this.send("POST", `/store/carts/${cartId}/loyalty`, choice);
    const { body } = await this.complete(cartId);
    if (body.type !== "order") throw new Error(JSON.stringify(body));
    return body.order;
  }
}
