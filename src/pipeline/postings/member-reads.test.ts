import { expect, it } from "vitest";
import type { Share } from "../../database/connection.ts";
import type { FoundMember, findMembersAndRules, WantedMember } from "../../database/engine/members.ts";
import { OverloadedError } from "../../domain/fair-queue.ts";
import { MemberReads } from "./member-reads.ts";

const lookUps = {} as Share;

/** Reads whose statements end when the test says so. A member is found with the number of the wanted one. */
function makeReads() {
  const statements: { readonly wanted: readonly WantedMember[]; end: (error?: Error) => void }[] = [];
  const read: typeof findMembersAndRules = (_, wanted) =>
    new Promise((resolve, reject) => {
      const found = wanted.map(({ contactId }) =>
        contactId < 0 ? undefined : ({ today: `member ${contactId}` } as FoundMember),
      );
      statements.push({ wanted, end: (error) => (error === undefined ? resolve(found) : reject(error)) });
    });
  const reads = new MemberReads(read);
  const find = (contactId: number, businessId = 1) =>
    reads.find(lookUps, { businessId, contactId }).then((member) => member?.today);
  const sizes = () => statements.map(({ wanted }) => wanted.length);
  return { statements, find, sizes };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

it("reads together what is wanted while a statement is in flight, and gives each its own member", async () => {
  const { statements, find, sizes } = makeReads();
  const first = find(1);
  const others = [2, -3, 4, 4].map((contactId) => find(contactId));
  expect(sizes()).toEqual([1]);
  statements[0]?.end();
  expect(await first).toBe("member 1");
  await settled();
  expect(sizes()).toEqual([1, 4]);
  statements[1]?.end();
  expect(await Promise.all(others)).toEqual(["member 2", undefined, "member 4", "member 4"]);
  void find(5);
  expect(sizes()).toEqual([1, 4, 1]);
});

it("does not let a read join a statement that began before it", async () => {
  const { statements, find, sizes } = makeReads();
  void find(1);
  void find(2);
  statements[0]?.end();
  await settled();
  void find(3);
  expect(sizes()).toEqual([1, 1]);
  statements[1]?.end();
  await settled();
  expect(sizes()).toEqual([1, 1, 1]);
});

it("lets no business wait for another one", () => {
  const { find, sizes } = makeReads();
  void find(1, 1);
  void find(2, 2);
  expect(sizes()).toEqual([1, 1]);
});

it("rejects all that shared a statement when the database was gone, and reads on", async () => {
  const { statements, find } = makeReads();
  const first = find(1);
  const failed = [2, 3].map((contactId) => find(contactId));
  statements[0]?.end();
  await first;
  await settled();
  statements[1]?.end(Object.assign(new Error("gone"), { code: "57P01" }));
  for (const one of failed) await expect(one).rejects.toThrow("gone");
  const next = find(4);
  statements[2]?.end();
  expect(await next).toBe("member 4");
});

it("rejects only the read of a member that can't be read", async () => {
  const { statements, find, sizes } = makeReads();
  const first = find(1);
  const others = Promise.allSettled([2, 3, 4].map((contactId) => find(contactId)));
  statements[0]?.end();
  await first;
  for (const error of [new Error("as a whole"), undefined, new Error("only this one"), undefined]) {
    await settled();
    statements.at(-1)?.end(error);
  }
  expect(sizes()).toEqual([1, 3, 1, 1, 1]);
  expect(await others).toEqual([
    { status: "fulfilled", value: "member 2" },
    { status: "rejected", reason: new Error("only this one") },
    { status: "fulfilled", value: "member 4" },
  ]);
});

it("reads at most 64 at once, and rejects what more than a thousand would wait for", async () => {
  const { statements, find, sizes } = makeReads();
  const all = Array.from({ length: 1001 }, (_, index) => find(index));
  await expect(find(2000)).rejects.toThrow(OverloadedError);
  for (let ended = 0; ended < statements.length; ended += 1) {
    statements[ended]?.end();
    await settled();
  }
  await Promise.all(all);
  expect(sizes()).toEqual([1, ...Array(15).fill(64), 40]);
});
