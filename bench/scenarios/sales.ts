/** Sales compared with wallet adjustments, and quotes compared with reading a member. */

import { HttpConnection, read, succeeded } from "../../test/support/http-connection.ts";
import type { Figure } from "../../test/support/runs/report.ts";
import { basePath } from "../../test/support/runs/service.ts";
import {
  adjusting,
  type Bench,
  checkLedgers,
  compiledAfterSeconds,
  figure,
  fill,
  inTurn,
  measure,
  startServer,
} from "../bench.ts";
import type { Caller, Workload } from "../workload.ts";

const members = 20_000;
/** Members with money and points. */
const funded = 2000;
const closedLots = 1000;
const patience = 60_000;

export async function sales(bench: Bench): Promise<Figure[]> {
  const server = await startServer(bench);
  const { port } = server.service;
  const business = await fill(server, { members, entries: 0 });
  const { caller } = business;
  const client = new Client(port, caller);
  bench.atEnd(() => client.close());
  await client.write("/sp/reward-settings/update", { enable_rp: true });
  bench.say("money and points for the members …");
  await fund(port, caller);
  const adjust = adjusting(business);
  const sell = { ...adjust, path: `${basePath}/sp/sales/record`, rest: "" };
  const payer = { ...business, caller: { ...caller, members: funded } };
  const pay = { ...adjusting(payer), path: sell.path, rest: ',"use_points":25,"use_wallet":10' };
  const compare = async (
    what: string,
    workload: Workload,
    name: string,
    other: Workload,
    atLeast: number,
  ) => {
    const { first, second } = await inTurn(bench, {
      first: () => measure(bench, port, other),
      second: () => measure(bench, port, workload),
    });
    return figure(what, second, { against: [name, first], target: { atLeast } });
  };
  for (const workload of [adjust, sell, pay])
    await measure(bench, port, workload, { seconds: compiledAfterSeconds });
  const postings = [
    await compare("sales that earn points", sell, "adjustments", adjust, 0.6),
    await compare("sales that also use points and wallet", pay, "adjustments", adjust, 0.4),
  ];
  const reading = (path: string, body: object, contactIds: readonly number[]): Workload => ({
    kind: "fixed",
    path: basePath + path,
    authorization: caller.authorization,
    bodies: contactIds.map((contact_id) => ({ contact_id, ...body })),
  });
  const sale = { location_id: business.locationIds[0] as number, amount: 2500 };
  const quoting = (contactIds: readonly number[]) => reading("/sp/sales/quote", sale, contactIds);
  const everyone = Array.from({ length: funded }, (_, index) => caller.firstContactId + index);
  const getting = reading("/sp/members/get", {}, everyone);
  const [fresh, seasoned] = [await newMember(client, 1), await newMember(client, 2)];
  for (let lot = 0; lot < closedLots; lot++) {
    await client.write("/sp/sales/record", { ...sale, contact_id: seasoned, amount: 100 });
    await client.write("/sp/reward-points/redeem", { contact_id: seasoned, points: 1 });
  }
  const ofMany = `quotes for a member with ${closedLots} closed lots`;
  const quotes = [
    await compare("quotes", quoting(everyone), "members/get", getting, 0.6),
    await compare(ofMany, quoting([seasoned]), "quotes for a new member", quoting([fresh]), 0.9),
  ];
  await checkLedgers(server, [business]);
  return [...postings, ...quotes];
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
