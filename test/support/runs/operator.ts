/** The operator of a service, and the businesses that it makes. */
import { randomUUID } from "node:crypto";
import { scopesInRealTime } from "../../../src/domain/access/access.ts";
import { HttpConnection, type Outcome, read } from "../http-connection.ts";
import { eventually, type Run, type Violations } from "./run.ts";
import { basePath, operatorKey } from "./service.ts";

export interface Credentials {
  readonly client_id: string;
  readonly client_secret: string;
  readonly integration_id: number;
}

export interface Business {
  readonly businessId: number;
  readonly locationIds: readonly number[];
  readonly tierIds: readonly number[];
  readonly programIds: readonly number[];
  readonly voucherIds: readonly number[];
  /** Whether it has the public codes of `publicCodes`. */
  readonly hasCodes: boolean;
  /** Of an integration with all rights. */
  readonly credentials: Credentials;
}

/** Codes that every member may use: for a share of a sale, and for a coffee. */
export const publicCodes = { share: "CHAOS-SHARE", coffee: "CHAOS-COFFEE" } as const;

/** How many records of each kind a business has. */
export interface BusinessSize {
  readonly locations: number;
  readonly tiers?: number;
  readonly programs?: number;
  readonly vouchers?: number;
  /** Promotions with limits and a budget, stamp cards, and public codes, for sales with lines. */
  readonly promotions?: boolean;
  readonly timeZone?: string;
}

export type Fields = Record<string, string | number | boolean | null | readonly (number | string | object)[]>;

/** An entry of the operator's export. */
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

/** Calls the operator's operations, one after the other. */
export class Operator {
  readonly #connection: HttpConnection;
  readonly #name = randomUUID();
  #writes = 0;
  #before: Promise<unknown> = Promise.resolve();

  constructor({ atEnd }: Pick<Run, "atEnd">, port: number) {
    this.#connection = new HttpConnection(port, patience);
    atEnd(() => this.#connection.close());
  }

  /** Repeats a request until the service responds. @throws if it rejects the request */
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

  /** All entries of a business, in the order of recording. */
  entries(businessId: number): AsyncGenerator<ExportedEntry, void> {
    return this.#exported("transactions", "entry_no", businessId);
  }

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

  /** All records of one of the operator's lists. */
  async list(path: string, business_id: number): Promise<Fields[]> {
    const records: Fields[] = [];
    for (let page = 1; ; page++) {
      const more = await this.ask<Fields[]>(path, { business_id, page, per_page: 100 });
      records.push(...more);
      if (more.length < 100) return records;
    }
  }

  /** Makes the service recompute the ledger of a business. */
  async verify(business_id: number, violations: Violations): Promise<void> {
    for (const part of ["accounts", "points", "entries", "reports"]) {
      for (let after: number | null = 0; after !== null; ) {
        const body = { business_id, part, after };
        const slice: { mismatches: object[]; next: number | null } = await this.ask(
          "/op/ledger/verify",
          body,
        );
        for (const mismatch of slice.mismatches) violations.add(`verify: ${JSON.stringify(mismatch)}`);
        after = slice.next;
      }
    }
  }

  /** Makes a business with an integration that has all rights. */
  async makeBusiness(size: BusinessSize): Promise<Business> {
    const { locations, tiers = 0, programs = 0, vouchers = 0, timeZone: time_zone = "UTC" } = size;
    const fields = { name: "Chaos", time_zone, currency: "EUR" };
    const { business_id } = await this.write<{ business_id: number }>("/op/businesses/create", fields);
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
      qualifying_sales: 5000 * nth,
      expiry: 12,
      expiry_period: "month",
    }));
    const programIds = await make("/op/programs/create", "program_id", programs, (nth) => ({
      membership_name: `Program ${nth}`,
      maximum_points_per_order: 1_000_000,
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
    const codes = [
      { coupon_code: "SHARE", kind: "percent", percent: 10, public_code: publicCodes.share },
      { coupon_code: "COFFEE", kind: "item", categories: ["coffee"], public_code: publicCodes.coffee },
    ];
    const hasCodes = size.promotions === true;
    if (hasCodes)
      await make("/op/vouchers/create", "voucher_id", codes.length, (nth) => ({
        campaign_name: "Code",
        ...{ most_amount: 150, ...codes[nth - 1] },
      }));
    const promotions = [
      { name: "Double coffee", categories: ["coffee"], multiply: 200, budget_points: 2000 },
      { name: "Twice a day", points: 5, most_per_member_day: 2, most_per_member: 50 },
      { name: "Triple cake", categories: ["cake"], multiply: 300, minimum_amount: 500 },
    ];
    if (size.promotions)
      await make(
        "/op/promotions/create",
        "promotion_id",
        promotions.length,
        (nth) => promotions[nth - 1] ?? {},
      );
    const [voucher_id] = voucherIds;
    const cards = [
      { name: "Coffee card", counts: "unit", categories: ["coffee"], stamps_needed: 5, voucher_id },
      { name: "Visits", counts: "visit", most_per_day: 3, stamps_needed: 4, voucher_id, minimum_amount: 300 },
    ];
    if (size.promotions && voucher_id !== undefined)
      await make("/op/stamp-cards/create", "stamp_card_id", cards.length, (nth) => cards[nth - 1] ?? {});
    const credentials = await this.makeIntegration(business_id, { all_locations: true });
    return { businessId: business_id, locationIds, tierIds, programIds, voucherIds, hasCodes, credentials };
  }

  /** Makes an integration with all scopes, unless the body names others. */
  makeIntegration(business_id: number, body: object): Promise<Credentials> {
    const fields = { business_id, name: "Chaos", scopes: scopesInRealTime, ...body };
    return this.write("/op/integrations/create", fields);
  }
}

/** Sends a request until the outcome is known. @throws if that is no success */
async function untilSuccess<Data>(what: string, send: () => Promise<Outcome>): Promise<Data> {
  let outcome: Outcome | undefined;
  const attempt = async () => {
    outcome = await send();
    return typeof outcome === "object" && outcome.status !== 503 && outcome;
  };
  const response = await eventually(what, patience, attempt, () => outcome);
  if (response.status >= 300) throw new Error(`${what}: ${response.body}`);
  return read<Data>(response).data;
}

/** Gets a token. Waits until the service is ready, if necessary. @returns the Authorization header */
export async function authorize(port: number, credentials: Credentials): Promise<string> {
  const connection = new HttpConnection(port, patience);
  const { client_id, client_secret } = credentials;
  const body = JSON.stringify({ client_id, client_secret });
  const post = () => connection.post(`${basePath}/sp/auth/token`, body);
  const token = untilSuccess<{ access_token: string }>("/sp/auth/token", post);
  const { access_token } = await token.finally(() => connection.close());
  return `Bearer ${access_token}`;
}
