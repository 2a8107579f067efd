/** The short form of `npm run chaos -- --only fuzz`: some thousand wrong requests. */
import { expect, it } from "vitest";
import { type FuzzTarget, fuzz } from "../../chaos/scenarios/fuzz.ts";
import { holdBackgroundWrites } from "../support/background-writes.ts";
import { runs, seed } from "../support/random-cases.ts";
import { makeRecords } from "../support/requests.ts";
import { testOperatorKey, useWorld } from "../support/world.ts";

const world = useWorld();

it("responds to anything in the envelope, and changes nothing by what it rejects", async () => {
  // It compares tables, which webhooks would change.
  await holdBackgroundWrites(world.sql);
  const records = await makeRecords(world, world.home);
  const { integrationId } = await world.integration(world.home);
  const known = { ...records, business_id: world.home.businessId, integration_id: integrationId };
  const target: FuzzTarget = {
    port: Number(new URL(world.baseUrl).port),
    basePath: world.config.basePath,
    partner: `Bearer ${await world.token()}`,
    operator: `Bearer ${testOperatorKey}`,
    ids: Object.fromEntries(
      Object.entries(known).flatMap(([name, id]) => (typeof id === "number" ? [[name, [id]]] : [])),
    ),
    sql: world.sql,
  };
  const chaos = { seed, goesOn: (reached: boolean) => !reached, say: () => undefined };
  const { violations, figures } = await fuzz(chaos, target, { requests: runs(6000), connections: 8 });
  expect(violations, `seed ${seed}`).toEqual([]);
  const figure = (what: string) => figures.find((each) => each.what === what)?.value;
  for (const what of [
    "responses of 500 and more",
    "requests without a response",
    "responses in another format",
  ]) {
    expect(figure(what)).toBe(0);
  }
  // It got past the door, and beyond the fields.
  expect(figure("accepted, because they were valid")).toBeGreaterThan(100);
  expect(figure("different error codes")).toBeGreaterThan(12);
});
