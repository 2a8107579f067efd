/** The operator of a service, and the businesses that it makes. */
import { randomUUID } from "node:crypto";
import { scopesInRealTime } from "../src/domain/access.ts";
import { HttpConnection, type Outcome, read } from "../test/support/http-connection.ts";
import { type Chaos, eventually, type Violations } from "./chaos.ts";
import { basePath, operatorKey } from "./service.ts";

export interface Credentials {
  readonly client_id: string;
  readonly client_secret: string;
}

export interface Business {
  readonly businessId: number;
  readonly timeZone: string;
  readonly locationIds: readonly number[];
  readonly tierIds: readonly number[];
  readonly programIds: readonly number[];
  readonly voucherIds: readonly number[];
  readonly credentials: Credentials;
}

/** How many a business has of what operators make. */
export interface BusinessSize {
  readonly locations: number;
  readonly tiers?: number;
  readonly programs?: number;
  readonly vouchers?: number;
}

export type Fields = Record<string, string | number | boolean | null>;

/** An entry as the operator's export gives it. */
export interface ExportedEntry {
  readonly entry_no: number;
  readonly contact_id: number;
  readonly account: string;
  readonly event_type: string;
  readonly reference_id: string;
  readonly amount: number;
  readonly balance_after: number;
  readonly created_at: string;
  readonly location_id: number | null;
  readonly reason: string | null;
}

const patience = 60_000;

/** Calls the operator's operations, until the scenario ends. */
export class Operator {
  readonly #connection: HttpConnection;
  readonly #name = randomUUID();
  #writes = 0;
  #before: Promise<unknown> = Promise.resolve();

  constructor(chaos: Pick<Chaos, "atEnd">, port: number) {
    this.#connection = new HttpConnection(port, patience);
    chaos.atEnd(() => this.#connection.close());
  }

  /** Asks until the service answers, one after the other. @throws when it refuses */
  ask<Data>(path: string, body: object): Promise<Data> {
    const post = () => this.#connection.post(basePath + path, JSON.stringify(body), `Bearer ${operatorKey}`);
    const asked = this.#before.then(() => untilSuccess<Data>(path, post));
    this.#before = asked.catch(() => undefined);
    return asked;
  }

  write<Data>(path: string, body: object): Promise<Data> {
    this.#writes += 1;
    return this.ask<Data>(path, { idempotency_key: `${this.#name}-${this.#writes}`, ...body });
  }

  /** The whole ledger of a business, in the order of recording. */
  entries(businessId: number): AsyncGenerator<ExportedEntry, void> {
    return this.#exported("transactions", "entry_no", businessId);
  }

  /** Every member of a business. */
  async members(businessId: number): Promise<Fields[]> {
    const members: Fields[] = [];
    for await (const one of this.#exported<Fields>("members", "member_id", businessId)) members.push(one);
    return members;
  }

  async *#exported<Row>(kind: string, id: string, business_id: number): AsyncGenerator<Row, void> {
    for (let after: unknown = 0; after !== null; ) {
      const body = { business_id, [`after_${id}`]: after, limit: 5000 };
      const page: Record<string, unknown> = await this.ask(`/op/exports/${kind}`, body);
      yield* page[kind] as Row[];
      after = page[`next_after_${id}`];
    }
  }

  /** Every record of one of the operator's lists. */
  async list(path: string, business_id: number): Promise<Fields[]> {
    const records: Fields[] = [];
    for (let page = 1; ; page++) {
      const more = await this.ask<Fields[]>(path, { business_id, page, per_page: 100 });
      records.push(...more);
      if (more.length < 100) return records;
    }
  }

  /** Has the service recompute the ledger of a business. */
  async verify(business_id: number, violations: Violations): Promise<void> {
    for (const part of ["accounts", "points", "entries"]) {
      for (let after: number | null = 0; after !== null; ) {
        const slice: { mismatches: object[]; next: number | null } = await this.ask("/op/ledger/verify", {
          business_id,
          part,
          after,
        });
        for (const mismatch of slice.mismatches) violations.add(`verify: ${JSON.stringify(mismatch)}`);
        after = slice.next;
      }
    }
  }

  /** Makes a business with an integration that may do everything. */
  async makeBusiness(size: BusinessSize, timeZone = "UTC"): Promise<Business> {
    const { locations, tiers = 0, programs = 0, vouchers = 0 } = size;
    const { business_id } = await this.write<{ business_id: number }>("/op/businesses/create", {
      name: "Chaos",
      time_zone: timeZone,
      currency: "EUR",
    });
    const make = async (path: string, id: string, count: number, body: (nth: number) => object) => {
      const ids: number[] = [];
      for (let nth = 1; nth <= count; nth++) {
        const made = await this.write<Record<string, number>>(path, { business_id, ...body(nth) });
        ids.push(made[id] as number);
      }
      return ids;
    };
    const locationIds = await make("/op/locations/create", "location_id", locations, (nth) => ({
      name: `Location ${nth}`,
    }));
    const tierIds = await make("/op/tiers/create", "tier_id", tiers, (nth) => ({
      name: `Tier ${nth}`,
      expiry: 12,
      expiry_period: "month",
    }));
    const programIds = await make("/op/programs/create", "program_id", programs, (nth) => ({
      membership_name: `Program ${nth}`,
      maximum_points_per_order: 100,
      earn_points: 1,
      earn_amount: 100,
    }));
    await this.write("/op/reward-settings/rules/update", {
      business_id,
      default_program_id: programIds[0],
      value_points: 1,
      value_amount: 5,
      points_validity: 1,
      points_validity_period: "year",
    });
    const voucherIds = await make("/op/vouchers/create", "voucher_id", vouchers, (nth) => ({
      campaign_name: "Chaos",
      coupon_code: `CHAOS${nth}`,
      coupon_value: 100 * nth,
    }));
    const credentials = await this.makeIntegration(business_id, {});
    return { businessId: business_id, timeZone, locationIds, tierIds, programIds, voucherIds, credentials };
  }

  /** Makes an integration that may do everything, unless the body says otherwise. */
  async makeIntegration(
    business_id: number,
    body: object,
  ): Promise<Credentials & { integration_id: number }> {
    return this.write("/op/integrations/create", {
      business_id,
      name: "Chaos",
      scopes: scopesInRealTime,
      ...("location_ids" in body ? {} : { all_locations: true }),
      ...body,
    });
  }
}

/** Sends a request until there is an answer that is final. @throws when it is no success */
async function untilSuccess<Data>(what: string, send: () => Promise<Outcome>): Promise<Data> {
  let outcome: Outcome | undefined;
  const answer = await eventually(
    what,
    patience,
    async () => {
      outcome = await send();
      return typeof outcome === "object" && outcome.status !== 503 && outcome;
    },
    () => outcome,
  );
  if (answer.status >= 300) throw new Error(`${what}: ${answer.body}`);
  return read<Data>(answer).data;
}

/** Gets a token, waiting for the service where it must. @returns the Authorization header */
export async function authorize(port: number, { client_id, client_secret }: Credentials): Promise<string> {
  const connection = new HttpConnection(port, patience);
  const body = JSON.stringify({ client_id, client_secret });
  const post = () => connection.post(`${basePath}/sp/auth/token`, body);
  const { access_token } = await untilSuccess<{ access_token: string }>("/sp/auth/token", post).finally(() =>
    connection.close(),
  );
  return `Bearer ${access_token}`;
}
