/** A business for a run, made through the operator's operations. */
import { randomUUID } from "node:crypto";
import { scopesInRealTime } from "../src/contract/scopes.ts";
import { Caller, read } from "./load/caller.ts";
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

const patience = 60_000;

/** Calls the operator's operations. */
export class Operator {
  readonly #caller: Caller;
  readonly #name = randomUUID();
  #writes = 0;
  #before: Promise<unknown> = Promise.resolve();

  constructor(port: number) {
    this.#caller = new Caller(port, patience);
  }

  /** Asks until the service answers, one after the other. @throws when it refuses */
  ask<Data>(path: string, body: object): Promise<Data> {
    const asked = this.#before.then(() => this.#ask<Data>(path, JSON.stringify(body)));
    this.#before = asked.catch(() => undefined);
    return asked;
  }

  async #ask<Data>(path: string, text: string): Promise<Data> {
    for (const deadline = performance.now() + patience; ; ) {
      const answer = await this.#caller.post(`${basePath}${path}`, text, `Bearer ${operatorKey}`);
      if (typeof answer === "object" && answer.status < 300) return read<Data>(answer).data;
      const passing = typeof answer === "string" || answer.status === 503;
      if (!passing || performance.now() > deadline) {
        throw new Error(`${path}: ${typeof answer === "string" ? answer : answer.body}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  write<Data>(path: string, body: object): Promise<Data> {
    this.#writes += 1;
    return this.ask<Data>(path, { idempotency_key: `${this.#name}-${this.#writes}`, ...body });
  }

  close(): void {
    this.#caller.close();
  }
}

export interface BusinessSize {
  readonly locations: number;
  readonly tiers: number;
  readonly programs: number;
  readonly vouchers: number;
}

/** Makes a business with an integration that may do everything. */
export async function makeBusiness(
  operator: Operator,
  size: BusinessSize,
  timeZone = "UTC",
): Promise<Business> {
  const { business_id } = await operator.write<{ business_id: number }>("/op/businesses/create", {
    name: "Chaos",
    time_zone: timeZone,
    currency: "EUR",
  });
  const make = async (path: string, id: string, count: number, body: (nth: number) => object) => {
    const ids: number[] = [];
    for (let nth = 1; nth <= count; nth++) {
      const made = await operator.write<Record<string, number>>(path, { business_id, ...body(nth) });
      ids.push(made[id] as number);
    }
    return ids;
  };
  const period = { expiry: 12, expiry_period: "month" };
  const locationIds = await make("/op/locations/create", "location_id", size.locations, (nth) => ({
    name: `Location ${nth}`,
  }));
  const tierIds = await make("/op/tiers/create", "tier_id", size.tiers, (nth) => ({
    name: `Tier ${nth}`,
    ...period,
  }));
  const programIds = await make("/op/programs/create", "program_id", size.programs, (nth) => ({
    membership_name: `Program ${nth}`,
    maximum_points_per_order: 100,
    earn_points: 1,
    earn_amount: 100,
  }));
  await operator.write("/op/reward-settings/rules/update", {
    business_id,
    default_program_id: programIds[0],
    value_points: 1,
    value_amount: 5,
    points_validity: 1,
    points_validity_period: "year",
  });
  const voucherIds = await make("/op/vouchers/create", "voucher_id", size.vouchers, (nth) => ({
    campaign_name: "Chaos",
    coupon_code: `CHAOS${nth}`,
    coupon_value: 100 * nth,
  }));
  const integration = await operator.write<Credentials>("/op/integrations/create", {
    business_id,
    name: "Chaos",
    scopes: scopesInRealTime,
    all_locations: true,
  });
  const { client_id, client_secret } = integration;
  const credentials = { client_id, client_secret };
  return { businessId: business_id, timeZone, locationIds, tierIds, programIds, voucherIds, credentials };
}

/** Gets a token, waiting for the service where it must. @returns the Authorization header */
export async function authorize(port: number, credentials: Credentials): Promise<string> {
  const caller = new Caller(port, patience);
  try {
    for (const deadline = performance.now() + patience; ; ) {
      const answer = await caller.post(`${basePath}/sp/auth/token`, JSON.stringify(credentials));
      if (typeof answer === "object" && answer.status === 200) {
        return `Bearer ${read<{ access_token: string }>(answer).data.access_token}`;
      }
      if (performance.now() > deadline) throw new Error(`no token: ${JSON.stringify(answer)}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  } finally {
    caller.close();
  }
}
