/** The short form of `npm run chaos -- --only overload`: a rush of seconds, against a limit that is soon reached. */
import { expect, it } from "vitest";
import { overload } from "../../chaos/scenarios/overload.ts";
import { nextKey, useWorld } from "../support/world.ts";

const world = useWorld({ LOYALTY_RATE_LIMIT: "10" });

it("sheds what is too much, responds to the rest, and is itself again at once", async () => {
  const contact_id = await world.member();
  const target = {
    port: Number(new URL(world.baseUrl).port),
    path: `${world.config.basePath}/sp/reward-points/adjust`,
    authorization: `Bearer ${await world.token()}`,
    body: () =>
      JSON.stringify({ idempotency_key: nextKey(), contact_id, points: 1, adjustment_type: "credit" }),
    obedient: false,
    pids: [],
  };
  const size = { seconds: 1, connections: 300, idleConnections: 300, slowConnections: 0 };
  const { violations, figures } = await overload({ say: () => undefined }, target, size);
  expect(violations).toEqual([]);
  const figure = (what: string) => figures.find((each) => each.what === what)?.value ?? Number.NaN;
  expect(figure("accepted in the overload")).toBeGreaterThan(0);
  expect(figure("rejected in the overload")).toBeGreaterThan(0);
  expect(figure("rejected without Retry-After")).toBe(0);
  expect(figure("lost or without a response")).toBe(0);
  expect(figure("idle connections")).toBe(300);
  expect(figure("requests per second right after")).toBeGreaterThan(0);
});
