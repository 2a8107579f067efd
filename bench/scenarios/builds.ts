/** This build compared with another one, such as that of the last release: processor time of the same requests. */

import { resolve } from "node:path";
import { authorize, type Business } from "../../test/support/runs/operator.ts";
import type { Figure } from "../../test/support/runs/report.ts";
import { Violations } from "../../test/support/runs/run.ts";
import { basePath } from "../../test/support/runs/service.ts";
import {
  adjusting,
  type Bench,
  cpuInTurns,
  type Filled,
  type Server,
  startServer,
  targetOf,
} from "../bench.ts";
import { type Cpu, sumOf } from "../turns.ts";
import type { Workload } from "../workload.ts";
import { startWebhookReceiver } from "./webhooks.ts";

const members = 2000;
/** Lines of one request. */
const chunk = 1000;
const turns = {
  connections: 64,
  warmUpRequests: 10_000,
  turns: 40,
  requestsInTurn: 500,
  untilNextTurn: true,
};
const bound = { atMost: 1.03 };

export async function builds(bench: Bench): Promise<Figure[]> {
  const { before, node } = bench.options;
  if (before === undefined) {
    bench.say("left out: --before names no other build");
    return [];
  }
  const receiver = await startWebhookReceiver(bench);
  const here = await prepare(bench, receiver.port);
  const other = await prepare({ ...bench, installation: resolve(before) }, receiver.port, node);
  const figures: Figure[] = [];
  for (const name of Object.keys(here.workloads)) {
    bench.say(`${name} …`);
    const targets = { here: await target(here, name), before: await target(other, name) };
    const cpu = await cpuInTurns(bench, { ...turns, targets });
    figures.push(...compared(name, cpu.here as Cpu, cpu.before as Cpu));
  }
  const violations = new Violations();
  for (const { server, businesses } of [here, other])
    for (const business of businesses) await server.operator.verify(business.businessId, violations);
  if (violations.count > 0) throw new Error(violations.list().join("\n"));
  return figures;
}

interface Prepared {
  readonly server: Server;
  readonly businesses: readonly Business[];
  readonly workloads: Readonly<Record<string, Workload>>;
}

/** Fills a service by requests, because the tables of the other build may differ. */
async function prepare(bench: Bench, receiverPort: number, node?: string): Promise<Prepared> {
  const server = await startServer(bench, { node, more: { LOYALTY_WEBHOOK_PORTS: String(receiverPort) } });
  const [plain, followed] = [await fillByRequests(server), await fillByRequests(server)];
  const url = `http://127.0.0.1:${receiverPort}/good`;
  await server.operator.write("/op/businesses/update", {
    business_id: followed.businessId,
    events_enabled: true,
  });
  await server.operator.write("/op/webhook-endpoints/create", {
    business_id: followed.businessId,
    url,
    types: ["*"],
    max_in_flight: 32,
  });
  const { authorization, firstContactId, locationIds } = plain.caller;
  const contacts = Array.from({ length: members }, (_, nth) => ({ contact_id: firstContactId + nth }));
  const sale = { location_id: locationIds[0] as number, amount: 2500 };
  const read = (path: string, bodies: readonly object[]): Workload => ({
    kind: "fixed",
    path: `${basePath}/sp${path}`,
    authorization,
    bodies,
  });
  const adjust = adjusting(plain);
  const workloads = {
    adjustments: adjust,
    "sales that earn": { ...adjust, path: `${basePath}/sp/sales/record`, rest: "" },
    "sales that also use points and wallet": {
      ...adjust,
      path: `${basePath}/sp/sales/record`,
      rest: ',"use_points":25,"use_wallet":10',
    },
    quotes: read(
      "/sales/quote",
      contacts.map((contact) => ({ ...contact, ...sale })),
    ),
    "members/get": read("/members/get", contacts),
    "members/balances": read("/members/balances", contacts),
    "transactions/list": read("/transactions/list", [{}]),
    "adjustments with webhooks": adjusting(followed),
  };
  return { server, businesses: [plain, followed], workloads };
}

async function fillByRequests({ operator, service }: Server): Promise<Filled> {
  const business = await operator.makeBusiness({ locations: 20, programs: 1, timeZone: "Europe/Madrid" });
  const business_id = business.businessId;
  await operator.write("/op/reward-settings/update", { business_id, enable_rp: true });
  for (let first = 0; first < members; first += chunk) {
    const lines = Array.from({ length: chunk }, (_, nth) => ({
      line: nth + 1,
      first_name: "Ana",
      last_name: `García ${first + nth}`,
      phone_number: `+34${600_000_000 + first + nth}`,
      wallet_balance: 100_000_000,
      points_balance: 1_000_000,
    }));
    await operator.write("/op/imports/members", { business_id, lines });
  }
  const contactIds = (await operator.members(business_id)).map(({ contact_id }) => contact_id as number);
  const caller = {
    authorization: await authorize(service.port, business.credentials),
    firstContactId: Math.min(...contactIds),
    members,
    locationIds: business.locationIds,
  };
  return { ...business, caller };
}

const target = ({ server, workloads }: Prepared, name: string) =>
  targetOf(server, workloads[name] as Workload);

function compared(what: string, here: Cpu, before: Cpu): Figure[] {
  const parts = (["service", "database"] as const).map((part) => ({
    what: `${what}, ${part}`,
    value: here[part],
    unit: "µs",
    against: "before",
    ratio: here[part] / before[part],
  }));
  const whole = {
    what,
    value: sumOf(here),
    unit: "µs",
    against: "before",
    ratio: sumOf(here) / sumOf(before),
  };
  return [...parts, { ...whole, target: bound }];
}
