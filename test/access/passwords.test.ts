/** Passwords of members, and that nobody waits for their hashes. */
import { verify } from "@node-rs/argon2";
import { expect, it } from "vitest";
import { createPasswords } from "../../src/credentials/passwords.ts";
import { useWorld } from "../support/world.ts";

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

it("hashes beside the event loop, so that other requests go on", async () => {
  const { hash } = createPasswords(1);
  // The first hash loads the package.
  await hash(1, "the first password");
  let turned = false;
  setImmediate(() => {
    turned = true;
  });
  await hash(1, "the second password");
  expect(turned).toBe(true);
});
