/** What sales cost compared with adjustments, and quotes compared with reading a member: processor time of service and database. */

import { HttpConnection, read, succeeded } from "../../test/support/http-connection.ts";
import type { Figure } from "../../test/support/runs/report.ts";
import { basePath } from "../../test/support/runs/service.ts";
import {
  adjusting,
  type Bench,
  checkLedgers,
  cpuInTurns,
  type Filled,
  fill,
  type Server,
  startServer,
  targetOf,
} from "../bench.ts";
import { type Cpu, sumOf } from "../turns.ts";
import type { Caller, Workload } from "../workload.ts";

const members = 20_000;
/** Members with money and points. */
const funded = 2000;
const closedLots = 1000;
const patience = 60_000;
const turns = { connections: 64, warmUpRequests: 10_000, turns: 24, requestsInTurn: 500 };

interface Shop {
  readonly server: Server;
  readonly business: Filled;
}

export async function sales(bench: Bench): Promise<Figure[]> {
  // Each kind of posting has a service of its own, so that its work in the background counts.
  const [adjusted, sold, paid] = [await openShop(bench), await openShop(bench), await openShop(bench)];
  const promoted = await openShop(bench);
  await promote(promoted);
  const selling = { path: `${basePath}/sp/sales/record`, rest: "" };
  const payer = { ...paid.business, caller: { ...paid.business.caller, members: funded } };
  bench.say("adjustments and sales …");
  const postings = await cpuInTurns(bench, {
    ...turns,
    untilNextTurn: true,
    targets: {
      adjustments: await targetOf(adjusted.server, adjusting(adjusted.business)),
      "sales that earn points": await targetOf(sold.server, { ...adjusting(sold.business), ...selling }),
      "sales that also use points and wallet": await targetOf(paid.server, {
        ...adjusting(payer),
        ...selling,
        rest: ',"use_points":25,"use_wallet":10',
      }),
      [withPromotions]: await targetOf(promoted.server, {
        ...{ ...adjusting(promoted.business), ...selling, lines: 5 },
      }),
    },
  });
  const quotes = await compareQuotes(bench, sold);
  for (const { server, business } of [adjusted, sold, paid, promoted]) await checkLedgers(server, [business]);
  const costs = { ...postings, ...quotes };
  const against = (what: string, other: string, atMost: number): Figure => {
    const [value, than] = [sumOf(costs[what] as Cpu), sumOf(costs[other] as Cpu)];
    return { what, value, unit: "µs", against: other, ratio: value / than, target: { atMost } };
  };
  return [
    ...Object.entries(costs).flatMap(([what, cpu]) =>
      Object.entries(cpu).map(([part, value]) => ({ what: `${what}, ${part}`, value, unit: "µs" })),
    ),
    against("sales that earn points", "adjustments", 2.2),
    against("sales that also use points and wallet", "adjustments", 3),
    against(withPromotions, "sales that earn points", 1.25),
    against("quotes", "members/get", 1.7),
    against(ofMany, "quotes for a new member", 1.1),
  ];
}

const withPromotions = "sales with five lines and ten promotions";

/** Adds ten promotions: on the whole sale, on articles and on categories, of which two are for Tuesdays. */
async function promote({ server, business }: Shop) {
  for (let nth = 0; nth < 10; nth++) {
    await server.operator.write("/op/promotions/create", {
      ...{ business_id: business.businessId, name: `Promotion ${nth}` },
      ...(nth % 2 === 0 ? { multiply: 150 + 10 * nth } : { points: nth }),
      ...[{}, { skus: [`SKU-${nth % 5}`] }, { categories: ["coffee"] }, { weekdays: [2] }][nth % 4],
    });
  }
}

/** A business whose sales earn, and some members with money and points. */
async function openShop(bench: Bench): Promise<Shop> {
  const server = await startServer(bench);
  const business = await fill(server, { members, entries: 0 });
  const client = new Client(server.service.port, business.caller);
  await client.write("/sp/reward-settings/update", { enable_rp: true });
  client.close();
  bench.say("money and points for the members …");
  await fund(server.service.port, business.caller);
  return { server, business };
}

const ofMany = `quotes for a member with ${closedLots} closed lots`;

async function compareQuotes(bench: Bench, { server, business }: Shop) {
  const { caller, locationIds } = business;
  const client = new Client(server.service.port, caller);
  const [fresh, seasoned] = [await newMember(client, 1), await newMember(client, 2)];
  const sale = { location_id: locationIds[0] as number, amount: 2500 };
  for (let lot = 0; lot < closedLots; lot++) {
    await client.write("/sp/sales/record", { ...sale, contact_id: seasoned, amount: 100 });
    await client.write("/sp/reward-points/redeem", { contact_id: seasoned, points: 1 });
  }
  client.close();
  const reading = (path: string, body: object, contactIds: readonly number[]) =>
    targetOf(server, {
      kind: "fixed",
      path: basePath + path,
      authorization: caller.authorization,
      bodies: contactIds.map((contact_id) => ({ contact_id, ...body })),
    } satisfies Workload);
  const everyone = Array.from({ length: funded }, (_, index) => caller.firstContactId + index);
  bench.say("quotes …");
  return cpuInTurns(bench, {
    ...turns,
    targets: {
      "members/get": await reading("/sp/members/get", {}, everyone),
      quotes: await reading("/sp/sales/quote", sale, everyone),
      "quotes for a new member": await reading("/sp/sales/quote", sale, [fresh]),
      [ofMany]: await reading("/sp/sales/quote", sale, [seasoned]),
    },
  });
}

/** Calls as a caller, one request after the other. */
class Client {
  readonly #connection: HttpConnection;
  readonly #authorization: string;
  static #keys = 0;

  constructor(port: number, { authorization }: Caller) {
    this.#connection = new HttpConnection(port, patience);
    this.#authorization = authorization;
  }

  /** Writes with a new key. @throws unless it succeeds */
  async write<Data>(path: string, fields: object): Promise<Data> {
    Client.#keys += 1;
    const body = JSON.stringify({ idempotency_key: `client-${Client.#keys}`, ...fields });
    const outcome = await this.#connection.post(basePath + path, body, this.#authorization);
    return read<Data>(succeeded(path, outcome)).data;
  }

  close(): void {
    this.#connection.close();
  }
}

/** Credits money and points to the first members of a caller. */
async function fund(port: number, caller: Caller): Promise<void> {
  const { firstContactId, locationIds } = caller;
  const contactIds = Array.from({ length: funded }, (_, index) => firstContactId + index).values();
  const work = async () => {
    const client = new Client(port, caller);
    for (const contact_id of contactIds) {
      const credit = { contact_id, adjustment_type: "credit" };
      await client.write("/sp/wallet/adjust", {
        ...credit,
        location_id: locationIds[0],
        amount: 100_000_000,
      });
      await client.write("/sp/reward-points/adjust", { ...credit, points: 1_000_000 });
    }
    client.close();
  };
  await Promise.all(Array.from({ length: 16 }, work));
}

/** Creates a member who has bought nothing. @returns the contact_id */
async function newMember(client: Client, number: number): Promise<number> {
  const person = { first_name: "New", last_name: "Member", phone_number: `+9991234567${number}` };
  return (await client.write<{ contact_id: number }>("/sp/members/create", person)).contact_id;
}
