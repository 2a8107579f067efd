/** A shop on PostgreSQL, as large shops are. With SQLite, all requests of Vendure share one connection. */
import { type Database, openDatabase } from "../../src/database/connection.ts";
import { type FaultyProxy, startFaultyProxy } from "../support/faulty-proxy.ts";
import { freePort } from "../support/service-process.ts";
import type { World } from "../support/world.ts";
import { VendureShop } from "./vendure-shop.ts";

export interface ShopOnPostgres {
  /** The process of now. */
  readonly running: VendureShop;
  /** Its database, on the server of the service's. */
  readonly sql: Database;
  /** What stands between it and the service. */
  readonly proxy: FaultyProxy;
  /** Kills it, and starts it again. */
  restart(): Promise<void>;
  end(): Promise<void>;
}

/** Makes a shop with its products, and starts it. */
export async function startOnPostgres(world: World, folder: string): Promise<ShopOnPostgres> {
  const database = `vendure_${process.pid}_${Date.now()}`;
  await world.sql.query(`CREATE DATABASE ${database}`);
  const { connection } = world.database;
  const { host, port, user, password } = connection as unknown as Record<string, string>;
  const { client_id: clientId, client_secret: clientSecret } = world.home.everywhere;
  const proxy = await startFaultyProxy(world.baseUrl);
  const settings = {
    folder,
    database: { type: "postgres", host, port: Number(port), username: user, password, database },
    port: await freePort(),
    options: {
      ...{ baseUrl: proxy.baseUrl, clientId, clientSecret, shop: "postgresql" },
      locationId: world.home.locationIds[0],
    },
  };
  let running = await VendureShop.start(settings, true);
  const sql = openDatabase(
    { ...connection, database },
    { connections: 2, statementTimeoutMilliseconds: 30_000, applicationName: "loyalty tests" },
  );
  return {
    get running() {
      return running;
    },
    sql,
    proxy,
    async restart() {
      await running.end();
      running = await VendureShop.start(settings);
    },
    async end() {
      await running.end();
      await proxy.close();
      await sql.end();
      await world.sql.query(`DROP DATABASE ${database} WITH (FORCE)`);
    },
  };
}
