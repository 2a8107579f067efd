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

// The one test here that looks at time. It compares two medians on the same machine, with much room between
// what is usual (a few milliseconds) and what it refuses.
it("lets a burst of member creations not hold up an adjustment, compared with none", async () => {
  const contact_id = await world.member();
  const adjust = () =>
    world.write("/sp/reward-points/adjust", { contact_id, points: 1, adjustment_type: "credit" });
  /** Milliseconds that adjustments take, one after the other, for as long as they are wanted. */
  const adjustments = async (wanted: (count: number) => boolean) => {
    const times: number[] = [];
    while (wanted(times.length)) {
      const startedAt = performance.now();
      expect((await adjust()).status).toBe(200);
      times.push(performance.now() - startedAt);
    }
    return times;
  };
  const median = (times: readonly number[]) => [...times].sort((a, b) => a - b)[times.length >> 1] ?? 0;

  await adjustments((count) => count < 30);
  const alone = await adjustments((count) => count < 60);
  let hashing = true;
  const burst: Promise<Reply[]> = Promise.all(
    Array.from({ length: 100 }, () =>
      world.write("/sp/members/create", { ...newPerson(), password: "a password of one of many" }),
    ),
  ).finally(() => {
    hashing = false;
  });
  const beside = await adjustments(() => hashing);
  expect((await burst).filter(({ status }) => status !== 201)).toEqual([]);
  expect(beside.length).toBeGreaterThan(30);
  expect(median(beside) - median(alone)).toBeLessThan(50);
}, 120_000);
