/** A clock that is advanced further than one step can go: by the client, and on the command line. */
import { type ClockStep, LoyaltyClient } from "loyalty-sdk";
import { expect, it } from "vitest";
import { useCli } from "../support/cli.ts";
import { sumDue } from "../support/due.ts";
import { startFaultyProxy } from "../support/faulty-proxy.ts";
import { makeSandbox } from "../support/sandbox.ts";
import { useWorld } from "../support/world.ts";

const world = useWorld();
const cli = useCli(world);

/** A sandbox in which 6,000 lots mature on each of three days, which no two steps can settle together. */
async function makeBusySandbox() {
  const sandbox = await makeSandbox(world, "2026-01-15 09:00:00");
  const contact_id = await sandbox.member();
  await world.sql`
    INSERT INTO points_lot (business_id, contact_id, lot_id, reference_id, earned_on, matures_on, expires_on, matured,
      points, clawed, used, expired)
    SELECT ${sandbox.businessId}, ${contact_id}, n, 'r' || n, '2026-01-15', '2026-02-01'::date + n % 3, NULL, false,
      1, 0, 0, 0
    FROM generate_series(1, 18000) AS n`;
  await sumDue(world.sql, sandbox.businessId);
  const points = async () => (await sandbox.ask("/sp/members/balances", { contact_id })).points;
  return { sandbox, points };
}

it("is advanced by the client in several steps, each of them once, to the wanted time", async () => {
  const { sandbox, points } = await makeBusySandbox();
  // Every second response is lost, after the commit if there is one.
  let advances = 0;
  const proxy = await startFaultyProxy(world.baseUrl, ({ path }) =>
    path === "/sp/sandbox/clock/advance" && ++advances % 2 === 0 ? "lose_response" : "pass",
  );
  const { client_id: clientId, client_secret: clientSecret } = sandbox.credentials;
  const client = new LoyaltyClient({ baseUrl: proxy.baseUrl, clientId, clientSecret });
  const steps: ClockStep[] = [];
  const wanted = { idempotency_key: "clock-1", to: "2026-03-01 12:00:00" };
  const options = { onStep: (step: ClockStep) => steps.push(step) };
  const advanced = await client.sandbox.clock.advance(wanted, options).withResponse();
  expect(advanced).toMatchObject({
    data: { clock_at: "2026-03-01 12:00:00", entries: 18_000 },
    idempotencyKey: "clock-1",
  });
  expect(steps).toEqual([
    { clock_at: "2026-02-01 00:00:00", entries: 6000 },
    { clock_at: "2026-02-02 00:00:00", entries: 12_000 },
  ]);
  expect(await points()).toBe(18_000);
  expect((await client.sandbox.clock.get()).clock_at).toBe("2026-03-01 12:00:00");
  await expect(client.sandbox.clock.advance({ to: "2026-02-28" })).rejects.toMatchObject({
    code: "validation_failed",
  });
  await proxy.close();
});

it("is advanced on the command line, which says how far it is", async () => {
  const { sandbox, points } = await makeBusySandbox();
  const { client_id, client_secret } = sandbox.credentials;
  const words = ["call", "/sp/sandbox/clock/advance", '{"to": "2026-03-01"}', "--client-id", client_id];
  const { code, out, err } = await cli.run(words, {
    environment: { LOYALTY_CLIENT_SECRET: client_secret },
  });
  expect({ code, err }).toEqual({
    code: 0,
    err:
      "The clock is at 2026-02-01 00:00:00, after 6,000 entries. It goes on.\n" +
      "The clock is at 2026-02-02 00:00:00, after 12,000 entries. It goes on.\n",
  });
  expect(JSON.parse(out).data).toEqual({ clock_at: "2026-03-01 00:00:00", entries: 18_000 });
  expect(await points()).toBe(18_000);
});
