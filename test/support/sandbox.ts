/** A sandbox business behind the running service, with rules of its own and a clock to advance. */

import type { Body } from "./engine-requests.ts";
import { operatorWrite } from "./operator-requests.ts";
import { type Credentials, newPerson, nextKey, untilServed, type World } from "./world.ts";

export interface Sandbox {
  readonly businessId: number;
  readonly locationId: number;
  readonly programId: number;
  readonly credentials: Credentials;
  /** Calls as the sandbox's integration; fails the test when the response is an error. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look at responses of every shape
  readonly ask: (path: string, body: object) => Promise<any>;
  /** The same for a write, under a key of its own. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look at responses of every shape
  readonly write: (path: string, body: object) => Promise<any>;
  /** @returns the code and the details of the error that a call gets */
  readonly rejected: (path: string, body: object) => Promise<{ code: string; details: unknown }>;
  readonly member: () => Promise<number>;
  readonly rules: (rules: Body) => Promise<void>;
  readonly advance: (to: string) => Promise<number>;
}

/** One point for each 1.00, up to 50 a sale; a point is worth 0.05. */
const program = { membership_name: "Club", maximum_points_per_order: 50, earn_points: 1, earn_amount: 100 };

export async function makeSandbox(
  world: World,
  clock_at: string,
  timeZone = "Europe/Madrid",
): Promise<Sandbox> {
  const operator = (path: string, body: Body) => operatorWrite(world, path, body);
  const { business_id } = await operator("/op/businesses/create", {
    name: "Sandbox",
    time_zone: timeZone,
    currency: "EUR",
    sandbox: true,
    clock_at,
  });
  const { location_id } = await operator("/op/locations/create", { business_id, name: "Shop" });
  const { program_id } = await operator("/op/programs/create", { business_id, ...program });
  const { integration_id, client_id, client_secret } = await operator("/op/integrations/create", {
    business_id,
    name: "Till",
    scopes: [
      ...[
        "wa.members.read",
        "wa.members.write",
        "wa.members.merge",
        "wa.wallet.read",
        "wa.wallet.write",
        "wa.rewards.read",
      ],
      ...["wa.rewards.write", "wa.sales.read", "wa.sales.write", "wa.sandbox.write"],
      ...["wa.vouchers.read", "wa.vouchers.write", "wa.events.read", "wa.webhooks.write"],
    ],
    all_locations: true,
  });
  const credentials = { integrationId: integration_id, client_id, client_secret };
  const ask = async (path: string, body: object) => {
    const response = await untilServed(() => world.ask(path, body, credentials));
    if (response.body.success !== true) throw new Error(`${path}: ${response.text}`);
    return response.body.data;
  };
  const write = (path: string, body: object) => ask(path, { idempotency_key: nextKey(), ...body });
  const sandbox: Sandbox = {
    businessId: business_id,
    locationId: location_id,
    programId: program_id,
    credentials,
    ask,
    write,
    rejected: async (path, body) => (await world.write(path, body, credentials)).body.error,
    member: () => world.member(newPerson(), credentials),
    rules: async (rules) =>
      void (await operator("/op/reward-settings/rules/update", { business_id, ...rules })),
    advance: async (to) => (await write("/sp/sandbox/clock/advance", { to })).entries,
  };
  await sandbox.write("/sp/reward-settings/update", { enable_rp: true, rp_name: "Stars" });
  await sandbox.rules({
    default_program_id: program_id,
    value_points: 1,
    value_amount: 5,
    points_validity: 6,
    points_validity_period: "month",
  });
  return sandbox;
}
