/** Wrong passwords from very many networks at once, more than can be verified in time. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, vi } from "vitest";
import { makeOperator, testPassword } from "../support/operators.ts";
import { useWorld } from "../support/world.ts";

const wrong = "wrong password";
vi.mock("@node-rs/argon2", () => ({
  hash: async () => "$argon2id$",
  verify: async (_hash: string, password: string) => {
    // So long that the crowd takes more time than a sign-in has.
    if (password === wrong) await sleep(200);
    return password !== wrong;
  },
}));

const world = useWorld({ LOYALTY_TRUSTED_PROXIES: "127.0.0.1" });

it("don't keep a person waiting who signs in from a browser of an earlier time", async () => {
  const { name } = await makeOperator(world);
  const signIn = (password: string, address: string, more: Record<string, string> = {}) =>
    world.call(
      "/op/session/create",
      { name, password },
      { headers: { "x-forwarded-for": address, ...more } },
    );
  const first = await signIn(testPassword, "192.0.2.1");
  const device = first.headers.getSetCookie().find((cookie) => cookie.includes("console_device="));
  let responses = 0;
  const crowd = Array.from({ length: 700 }, async (_, nth) => {
    const { status } = await signIn(wrong, `10.${nth >> 8}.${nth & 255}.1`);
    responses += 1;
    return status;
  });
  await vi.waitFor(() => expect(responses).toBeGreaterThan(2), { timeout: 60_000 });
  const browser = { host: "localhost", "sec-fetch-site": "same-origin", cookie: device?.split(";")[0] ?? "" };
  expect((await signIn(testPassword, "198.51.100.1", browser)).status).toBe(200);
  // The others were still waiting, and some of them in vain.
  expect(responses).toBeLessThan(600);
  const statuses = new Set(await Promise.all(crowd));
  expect([...statuses].filter((status) => ![401, 429, 503].includes(status))).toEqual([]);
  expect(statuses).toContain(503);
});
