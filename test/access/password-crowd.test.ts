/** More passwords than can be hashed in time: those that would wait too long are told when to come again. */
import { expect, it, vi } from "vitest";
import { newPerson, nextKey, useWorld } from "../support/world.ts";

const hashing = vi.hoisted(() => ({ goOn: () => {}, until: Promise.resolve() }));
vi.mock("@node-rs/argon2", () => ({
  hash: async () => {
    await hashing.until;
    return "$argon2id$";
  },
}));

const world = useWorld();

it("sheds what would wait too long, and takes the same request when there is room again", async () => {
  hashing.until = new Promise((resolve) => {
    hashing.goOn = resolve;
  });
  const token = await world.token();
  const contact_id = await world.member();
  const requests = Array.from({ length: 400 }, () => ({
    idempotency_key: nextKey(),
    ...newPerson(),
    password: "a password of one of many",
  }));
  let shed = 0;
  const crowd = requests.map(async (body) => {
    const reply = await world.call("/sp/members/create", body, { token });
    if (reply.status === 503) shed += 1;
    return reply;
  });
  await vi.waitFor(() => expect(shed).toBeGreaterThan(0), { timeout: 60_000 });
  const change = { contact_id, new_password: "another password" };
  expect((await world.write("/sp/members/password/change", change)).body.error.code).toBe(
    "service_unavailable",
  );
  // Other businesses, requests without a password, and requests for unknown members don't wait for them.
  const elsewhere = world.write(
    "/sp/members/create",
    { ...newPerson(), password: "of another business" },
    world.away.everywhere,
  );
  const nobody = { contact_id: 1, new_password: "another password" };
  expect((await world.write("/sp/members/password/change", nobody)).body.error.code).toBe("member_not_found");
  expect((await world.write("/sp/members/create", newPerson())).status).toBe(201);
  const adjustment = { contact_id, points: 1, adjustment_type: "credit" };
  expect((await world.write("/sp/reward-points/adjust", adjustment)).status).toBe(200);
  hashing.goOn();
  expect((await elsewhere).status).toBe(201);
  const replies = await Promise.all(crowd);
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201, 503]));
  const turnedAway = replies.findIndex(({ status }) => status === 503);
  expect(replies[turnedAway]?.body.error.code).toBe("service_unavailable");
  expect(Number(replies[turnedAway]?.headers.get("retry-after"))).toBeGreaterThan(0);
  expect((await world.call("/sp/members/create", requests[turnedAway], { token })).status).toBe(201);
});

it("hashes once for one key, however often it comes at once, and turns none of them away", async () => {
  hashing.until = Promise.resolve();
  const token = await world.token();
  const contact_id = await world.member();
  const body = { idempotency_key: nextKey(), contact_id, new_password: "one of many times" };
  const copies = Array.from({ length: 250 }, () =>
    world.call("/sp/members/password/change", body, { token }),
  );
  const replies = await Promise.all(copies);
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
  expect(replies.filter(({ headers }) => headers.get("idempotent-replayed") === null)).toHaveLength(1);
});
