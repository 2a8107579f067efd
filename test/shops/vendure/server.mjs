/**
 * A shop on Vendure, as its documentation starts one, in one process with its worker. It runs in the folder where Vendure is installed.
 * Settings come from the environment. At its standard input, the line `sweep <age in ms>` runs the sweep once, and `release <order code>`
 * ends the wait of a payment that is held.
 */
import { EventEmitter, once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import {
  bootstrap,
  ChannelService,
  DefaultJobQueuePlugin,
  DefaultLogger,
  DefaultSchedulerPlugin,
  defaultConfig,
  JobQueueService,
  LanguageCode,
  LogLevel,
  manualFulfillmentHandler,
  PaymentMethodHandler,
  RequestContextService,
} from "@vendure/core";
import { populate } from "@vendure/core/cli/index.js";
import { LoyaltyPlugin } from "loyalty-vendure-plugin";
import { Sweep } from "loyalty-vendure-plugin/dist/sweep.js";

const { PORT, DATABASE = "{}", LOYALTY_OPTIONS = "{}", PRICES_INCLUDE_TAX, POPULATE } = process.env;

/** A payment service that does what the customer's request says. */
const card = new PaymentMethodHandler({
  code: "card",
  description: [{ languageCode: LanguageCode.en, value: "Card" }],
  args: {},
  createPayment: (_ctx, _order, amount, _args, metadata) => ({
    amount,
    state: metadata.state ?? "Settled",
    metadata,
  }),
  settlePayment: () => ({ success: true }),
  cancelPayment: () => ({ success: true }),
  createRefund: () => ({ state: "Settled" }),
});

/** The codes of the orders whose payments need not wait any more. */
const released = new Set();
const releases = new EventEmitter();

/** Holds a payment, if it asks for it, before the transaction that places its order ends, so that other requests come meanwhile. */
const holdingProcess = {
  async onTransitionEnd(_from, _to, { order }) {
    if (!order.orderPlacedAt || !order.payments?.some(({ metadata }) => metadata.hold)) return;
    while (!released.has(order.code)) await once(releases, "release");
  },
};

const config = {
  ...defaultConfig,
  logger: new DefaultLogger({ level: LogLevel.Warn, timestamp: false }),
  apiOptions: { ...defaultConfig.apiOptions, hostname: "127.0.0.1", port: Number(PORT) },
  authOptions: {
    ...defaultConfig.authOptions,
    tokenMethod: "bearer",
    requireVerification: false,
    superadminCredentials: { identifier: "superadmin", password: "superadmin" },
  },
  dbConnectionOptions: { ...JSON.parse(DATABASE), synchronize: POPULATE === "1" },
  orderOptions: {
    ...defaultConfig.orderOptions,
    process: [...defaultConfig.orderOptions.process, holdingProcess],
  },
  importExportOptions: { importAssetsDir: "." },
  paymentOptions: { ...defaultConfig.paymentOptions, paymentMethodHandlers: [card] },
  shippingOptions: { ...defaultConfig.shippingOptions, fulfillmentHandlers: [manualFulfillmentHandler] },
  schedulerOptions: { ...defaultConfig.schedulerOptions, runTasksInWorkerOnly: false },
  plugins: [
    DefaultJobQueuePlugin.init({ pollInterval: 50, concurrency: 4 }),
    DefaultSchedulerPlugin.init(),
    LoyaltyPlugin.init(JSON.parse(LOYALTY_OPTIONS)),
  ],
};

const initialData = {
  defaultLanguage: LanguageCode.en,
  defaultZone: "Europe",
  countries: [{ name: "Spain", code: "ES", zone: "Europe" }],
  taxRates: [
    { name: "Standard", percentage: 20 },
    { name: "Reduced", percentage: 10 },
  ],
  shippingMethods: [{ name: "Parcel", price: 500, taxRate: 20 }],
  paymentMethods: [{ name: "Card", handler: { code: "card", arguments: [] } }],
  collections: [],
};

/** Starts the shop, whose money is the business's. */
async function started() {
  const shop = await bootstrap(config);
  const channels = shop.get(ChannelService);
  const ctx = await shop.get(RequestContextService).create({ apiType: "admin" });
  const { id } = await channels.getDefaultChannel(ctx);
  await channels.update(ctx, {
    ...{ id, defaultCurrencyCode: "EUR", availableCurrencyCodes: ["EUR"] },
    pricesIncludeTax: PRICES_INCLUDE_TAX === "1",
  });
  return shop;
}

let app;
if (POPULATE === "1") {
  const csv = join(import.meta.dirname, "products.csv");
  app = await populate(started, initialData, csv);
} else app = await bootstrap(config);
await app.get(JobQueueService).start();

process.stdout.write(`Ready: http://127.0.0.1:${PORT}\n`);
for await (const line of createInterface({ input: process.stdin })) {
  const [command, argument] = line.split(" ");
  if (command === "release") {
    released.add(argument);
    releases.emit("release");
    continue;
  }
  const ctx = await app.get(RequestContextService).create({ apiType: "admin" });
  process.stdout.write(`Swept: ${JSON.stringify(await app.get(Sweep).run(ctx, Number(argument)))}\n`);
}
await app.close();
