/** Passwords of members, and what hashing them costs everyone else. */
import { verify } from "@node-rs/argon2";
import { expect, it } from "vitest";
import { newPerson, type Reply, useWorld } from "../support/world.ts";

const world = useWorld();

const hashOf = async (contactId: number) => {
  const [row] = await world.sql<{ password_hash: string | null }[]>`
    SELECT password_hash FROM member WHERE contact_id = ${contactId}`;
  return row?.password_hash;
};

it("stores a member's password as an Argon2id hash, and another when it is changed", async () => {
  expect(await hashOf(await world.member())).toBeNull();
  const contact_id = await world.member({ password: "the first password" });
  const first = await hashOf(contact_id);
  expect(first).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(await verify(first ?? "", "the first password")).toBe(true);
  await world.write("/sp/members/password/change", { contact_id, new_password: "the second password" });
  const second = await hashOf(contact_id);
  expect(second).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(await verify(second ?? "", "the second password")).toBe(true);
  expect(await verify(second ?? "", "the first password")).toBe(false);
});

it("does not let adjustments wait for a burst of member creations", async () => {
  const contact_id = await world.member();
  const creations = 100;
  let hashing = true;
  const burst: Promise<Reply[]> = Promise.all(
    Array.from({ length: creations }, () =>
      world.write("/sp/members/create", { ...newPerson(), password: "a password of one of many" }),
    ),
  ).finally(() => {
    hashing = false;
  });
  let adjusted = 0;
  for (; hashing; adjusted++) {
    const adjustment = { contact_id, points: 1, adjustment_type: "credit" };
    expect((await world.write("/sp/reward-points/adjust", adjustment)).status).toBe(200);
  }
  expect((await burst).filter(({ status }) => status !== 201)).toEqual([]);
  // An adjustment waits for the database twice. If hashes blocked the event loop, at least two would come between.
  expect(adjusted).toBeGreaterThan(creations / 2);
});
