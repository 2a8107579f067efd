/** Customers buy while the shop and the service are killed, and then the books of both are compared. */
import { setTimeout as sleep } from "node:timers/promises";
import type { LoyaltyClient } from "loyalty-sdk";
import { operatorWrite } from "../support/operator-requests.ts";
import { freePort, type ServiceProcess, startService } from "../support/service-process.ts";
import { testOperatorKey, testSecret, type World } from "../support/world.ts";
import { type Comparison, compareBooks, type Opening, type ShopBook } from "./books.ts";
import * as customers from "./vendure-customers.ts";
import type { ShopOnPostgres } from "./vendure-on-postgresql.ts";
import { clientOf } from "./vendure-races.ts";
import type { Session, VendureShop } from "./vendure-shop.ts";

/** A point for each 1.00. 10 points are worth 0.50. */
export async function earnOnePoint(world: World): Promise<void> {
  const business = { business_id: world.home.businessId };
  const { programId: program_id } = world.home;
  const rate = { earn_points: 1, earn_amount: 100, earn_minimum_amount: 0 };
  await operatorWrite(world, "/op/programs/update", { ...business, program_id, ...rate });
  await operatorWrite(world, "/op/reward-settings/rules/update", {
    ...business,
    default_program_id: program_id,
  });
}

export interface Trial {
  readonly world: World;
  readonly shop: ShopOnPostgres;
  /** The installation of the service. */
  readonly directory: string;
  readonly kills: number;
  readonly orders: number;
  readonly customers: number;
}

export interface Report extends Comparison {
  readonly kills: { readonly shop: number; readonly service: number };
  readonly seconds: number;
}

/** The most milliseconds that one order may take, with the restarts meanwhile. */
const patience = 240_000;

const start = { points: 2000, wallet: 20_000 };

/** Both programs, and what starts the service. */
class Programs {
  readonly shop: ShopOnPostgres;
  service!: ServiceProcess;
  /** How many payments are in flight. */
  paying = 0;
  readonly startService: () => Promise<ServiceProcess>;

  constructor(shop: ShopOnPostgres, startService: () => Promise<ServiceProcess>) {
    this.shop = shop;
    this.startService = startService;
  }

  async kill(one: "shop" | "service"): Promise<void> {
    if (one === "shop") return this.shop.restart();
    this.service.kill("SIGKILL");
    await this.service.ended();
    await sleep(300);
    this.service = await this.startService();
  }
}

/** Runs a trial. The shop is left running. */
export async function buyThroughKills({ world, shop, directory, ...trial }: Trial): Promise<Report> {
  const port = await freePort();
  const earlier = await placedOrders(await shop.running.administrator());
  const programs = new Programs(shop, () => started(world, directory, port));
  programs.service = await programs.startService();
  shop.proxy.retarget(`http://127.0.0.1:${port}${world.config.basePath}`);
  const began = Date.now();
  try {
    const client = clientOf(world);
    const buyers = await Promise.all(
      Array.from({ length: trial.customers }, (_, nth) => newBuyer(programs, client, world, nth)),
    );
    const kills = { shop: 0, service: 0 };
    let left = trial.orders;
    const buying = Promise.all(
      buyers.map(async (buyer) => {
        while (left > 0) {
          left -= 1;
          await buyer.buy();
        }
      }),
    );
    let hasEnded = false;
    const end = () => {
      hasEnded = true;
    };
    buying.then(end, end);
    for (let nth = 0; nth < trial.kills && !hasEnded; nth += 1) {
      const goal = trial.orders - ((nth + 1) * trial.orders) / (trial.kills + 1);
      while (left > goal && !hasEnded) await sleep(20);
      // In the middle of a payment, so that some have been recorded by the service and not yet stored by the shop.
      while (programs.paying === 0 && !hasEnded) await sleep(1);
      await sleep(Math.random() * 100);
      const one = nth % 2 === 0 ? "shop" : "service";
      await programs.kill(one);
      kills[one] += 1;
    }
    await buying;
    await settle(shop.running);
    const seconds = Math.round((Date.now() - began) / 1000);
    const orders = await placedOrders(await shop.running.administrator());
    for (const code of earlier.keys()) orders.delete(code);
    return { ...(await compareBooks(client, orders, buyers)), kills, seconds };
  } finally {
    shop.proxy.retarget(world.baseUrl);
    await programs.service.stop();
  }
}

async function started(world: World, directory: string, port: number): Promise<ServiceProcess> {
  const {
    host,
    port: databasePort,
    user,
    password,
    database,
  } = world.database.connection as unknown as Record<string, string>;
  const service = startService({
    directory,
    environment: {
      DATABASE_URL: `postgres:///${database}?host=${encodeURIComponent(String(host))}`,
      ...{ PGUSER: String(user), PGPASSWORD: String(password ?? ""), PGPORT: String(databasePort) },
      ...{ PORT: String(port), LOYALTY_SECRET: testSecret, LOYALTY_OPERATOR_KEY: testOperatorKey },
      ...{ LOYALTY_RATE_LIMIT: "0", LOYALTY_FAILED_TOKEN_LIMIT: "0", LOG_LEVEL: "warn" },
    },
  });
  await service.ready();
  return service;
}

/** A customer who buys until the order is placed, whatever fails meanwhile. */
interface Buyer extends Opening {
  buy(): Promise<void>;
}

async function newBuyer(
  programs: Programs,
  client: LoyaltyClient,
  world: World,
  nth: number,
): Promise<Buyer> {
  const person = {
    ...{ firstName: "Ana", lastName: "López", emailAddress: `buyer${nth}@example.com` },
    phoneNumber: `+34622${100_000 + nth}`,
  };
  let session = await customers.signUp(programs.shop.running, person);
  const { contact_id } = await client.members.create({
    ...{ first_name: "Ana", last_name: "López" },
    ...{ phone_number: person.phoneNumber, email: person.emailAddress },
  });
  const credit = { contact_id, adjustment_type: "credit" as const };
  await client.rewardPoints.adjust({ ...credit, points: start.points, reference_id: "start" });
  await client.wallet.adjust({ ...credit, location_id: world.home.locationIds[0], amount: start.wallet });
  const buy = async () => {
    const choice: [number, number] =
      Math.random() < 0.6 ? [10 * Math.floor(Math.random() * 10), Math.floor(Math.random() * 300)] : [0, 0];
    const goods = { 1: 1 + Math.floor(Math.random() * 3), 2: 1, 3: 1 + Math.floor(Math.random() * 5) };
    let code: string | undefined;
    let last: unknown;
    for (const until = Date.now() + patience; ; ) {
      if (Date.now() > until)
        throw new Error(`order ${code} is not placed: ${last}\n${programs.shop.running.said}`);
      try {
        const order = await step(programs, session, code, { goods, choice });
        if (order === undefined) return await sometimesCancel(programs, session, code as string);
        code = order;
      } catch (error) {
        last = error;
        await sleep(100);
        // A kill can end the session, too.
        session = await customers.signIn(programs.shop.running, person).catch(() => session);
      }
    }
  };
  return { contactId: contact_id, ...start, buy };
}

/** Goes on with an order, from whatever state it is in. @returns its code; undefined: it is placed */
async function step(
  programs: Programs,
  session: Session,
  code: string | undefined,
  { goods, choice: [points, wallet] }: { goods: Record<number, number>; choice: [number, number] },
): Promise<string | undefined> {
  const order = await customers.cart(session);
  if (order === null || order.code !== code) {
    if (code !== undefined) {
      const { orderByCode } = await session.ask(
        "query($code: String!) { orderByCode(code: $code) { state } }",
        { code },
      );
      if (orderByCode.state === "PaymentSettled" || orderByCode.state === "Cancelled") return undefined;
    }
    if (order === null) await customers.fill(session, goods);
    return (await customers.cart(session)).code;
  }
  if (order.state === "AddingItems") {
    await customers.fill(session, order.totalWithTax === 0 ? goods : {});
    if (points + wallet > 0 && order.loyalty.worth === 0) await customers.choose(session, points, wallet);
    await customers.toPayment(session);
  }
  programs.paying += 1;
  try {
    await customers.pay(session);
  } finally {
    programs.paying -= 1;
  }
  return code;
}

async function sometimesCancel(programs: Programs, session: Session, code: string): Promise<void> {
  if (Math.random() > 0.15) return;
  const { orderByCode } = await session.ask("query($code: String!) { orderByCode(code: $code) { id } }", {
    code,
  });
  for (;;) {
    try {
      const admin = await programs.shop.running.administrator();
      await admin.ask("mutation($id: ID!) { cancelOrder(input: { orderId: $id }) { __typename } }", {
        id: orderByCode.id,
      });
      return;
    } catch {
      await sleep(100);
    }
  }
}

/** Waits until the sweep finds nothing more to do. */
async function settle(shop: VendureShop): Promise<void> {
  for (let quiet = 0; quiet < 3; ) {
    await sleep(2500);
    const { sent } = await shop.sweep();
    quiet = sent === 0 ? quiet + 1 : 0;
  }
}

async function placedOrders(admin: Session): Promise<Map<string, ShopBook>> {
  const found = new Map<string, ShopBook>();
  for (let skip = 0; ; skip += 100) {
    const { orders } = await admin.ask(
      `query($skip: Int!) { orders(options: { take: 100, skip: $skip, sort: { id: ASC }, filter: { orderPlacedAt: { after: "2000-01-01T00:00:00Z" } } }) {
        items { code state payments { amount state } } } }`,
      { skip },
    );
    for (const { code, state, payments } of orders.items) {
      const settled = payments.filter((payment: { state: string }) => payment.state === "Settled");
      found.set(code, {
        isCancelled: state === "Cancelled",
        paid: settled.reduce((sum: number, { amount }: { amount: number }) => sum + amount, 0),
      });
    }
    if (orders.items.length < 100) return found;
  }
}
