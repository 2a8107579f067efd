import { beforeEach, describe, expect, it } from "vitest";
import { Rejection, reject } from "../../contract/errors.ts";
import type { IntegrationRow } from "../../database/access/integrations.ts";
import { cachedIntegrations, type Integrations } from "./authentication.ts";

const row: IntegrationRow = {
  integration_id: 7,
  business_id: 3,
  enabled: true,
  scopes: ["wa.wallet.read"],
  all_locations: false,
  closed_location_ids: [],
  location_ids: [1, 2],
  token_generation: 1,
  time_zone: "UTC",
  sandbox: false,
  country: null,
  move_state: null,
};

let stored: IntegrationRow | undefined;
let reads: number;
/** When set, a read waits for it. */
let held: Promise<void> | undefined;
let failure: Error | undefined;
let now: number;
let integrations: Integrations;

const get = async (id: number) => integrations.decide(id, (known) => known);

beforeEach(() => {
  stored = row;
  reads = 0;
  held = undefined;
  failure = undefined;
  now = 0;
  integrations = cachedIntegrations(
    async () => {
      reads += 1;
      const seen = stored;
      await held;
      if (failure !== undefined) throw failure;
      return seen;
    },
    () => now,
  );
});

/** Lets what is under way come to its end. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

it("decides about a cached row without a wait, and reads it again before a rejection", async () => {
  const decide = () =>
    integrations.decide(7, (row) => (row?.enabled ? row.integration_id : reject("sp_integration_not_found")));
  expect(await decide()).toBe(7);
  expect(decide()).toBe(7);
  stored = { ...row, enabled: false };
  now = 5001;
  expect(await decide()).toBeInstanceOf(Rejection);
  stored = row;
  expect([await decide(), reads]).toEqual([7, 3]);
});

describe("what is known of an integration", () => {
  it("is what the database says", async () => {
    expect(await get(7)).toEqual({
      ...row,
      scopes: new Set(["wa.wallet.read"]),
      location_ids: new Set([1, 2]),
    });
  });

  it("is read once for many who ask at the same time", async () => {
    await Promise.all(Array.from({ length: 20 }, () => get(7)));
    await get(7);
    expect(reads).toBe(1);
  });

  it("is never more than five seconds old", async () => {
    await get(7);
    stored = { ...row, enabled: false };
    now = 5001;
    expect((await get(7))?.enabled).toBe(false);
  });

  it("is as old as its read was when it began", async () => {
    let release: () => void = () => undefined;
    held = new Promise((resolve) => {
      release = resolve;
    });
    const first = get(7);
    now = 4000;
    release();
    await first;
    now = 5001;
    await get(7);
    expect(reads).toBe(2);
  });

  it("serves on while the database is away, but not past five seconds", async () => {
    await get(7);
    failure = new Error("away");
    now = 4999;
    expect(await get(7)).toMatchObject({ enabled: true });
    await settle();
    now = 5001;
    await expect(get(7)).rejects.toThrow("away");
    failure = undefined;
    expect(await get(7)).toMatchObject({ enabled: true });
  });

  it("may be that there is none", async () => {
    stored = undefined;
    expect(await get(7)).toBeUndefined();
    expect(await get(7)).toBeUndefined();
    expect(reads).toBe(1);
  });

  it("is read anew when it is asked to be, whatever its age", async () => {
    await get(7);
    stored = { ...row, location_ids: [1, 2, 3] };
    expect((await integrations.refresh(7))?.location_ids).toEqual(new Set([1, 2, 3]));
    expect(await get(7)).toMatchObject({ location_ids: new Set([1, 2, 3]) });
  });

  it("is read anew even when a read that may have missed the change is under way", async () => {
    let release: () => void = () => undefined;
    held = new Promise((resolve) => {
      release = resolve;
    });
    const early = get(7);
    stored = { ...row, enabled: false };
    const late = [integrations.refresh(7), integrations.refresh(7)];
    release();
    expect((await early)?.enabled).toBe(true);
    for (const refreshed of await Promise.all(late)) expect(refreshed?.enabled).toBe(false);
    expect(reads).toBe(2);
  });

  it("is nothing once everything was forgotten", async () => {
    await get(7);
    stored = { ...row, enabled: false };
    integrations.forget();
    expect(await get(7)).toMatchObject({ enabled: false });
  });
});

it("forgets the integration that was asked for longest ago, once it knows ten thousand", async () => {
  for (let id = 0; id < 10_000; id++) await get(id);
  await get(0);
  await get(10_000);
  expect(reads).toBe(10_001);
  await get(0);
  expect(reads).toBe(10_001);
  await get(1);
  expect(reads).toBe(10_002);
});
