/** What a runner reads before it decides, and when. */
import { expect, it } from "vitest";
import { numbers } from "../../test/support/numbers.ts";
import { usePostings } from "../../test/support/postings.ts";
import { useWorld } from "../../test/support/world.ts";
import type { Database } from "../database/connection.ts";
import { setActive } from "../database/member-standing.ts";

const world = useWorld();

const { newRunner, adjustment, pointsAdjustment, run, balancesOf } = usePostings(world);
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

/** Look-ups, how many there were, and when the next one is answered. */
function tellingLookUps() {
  let answered = () => {};
  let reads = 0;
  const lookUps = new Proxy(world.database.lookUps, {
    get: (pool, name) =>
      name === "unsafe"
        ? (...words: Parameters<Database["unsafe"]>) => ({
            execute: () =>
              pool
                .unsafe(...words)
                .execute()
                .finally(() => {
                  reads += 1;
                  answered();
                }),
          })
        : Reflect.get(pool, name),
  });
  const next = () =>
    new Promise<void>((resolve) => {
      answered = resolve;
    });
  return { lookUps, next, reads: () => reads };
}

/** A member whose accounts are not read along with those of the members before. */
async function farMember(): Promise<number> {
  await world.sql`SELECT nextval(pg_get_serial_sequence('member', 'contact_id')) FROM generate_series(1, 64)`;
  return world.member();
}

/** Members enrolled one after the other, far from those before. */
async function enrolled(count: number): Promise<number[]> {
  const members = [await farMember()];
  while (members.length < count) members.push(await world.member());
  return members;
}

/** Does something while nothing that moves an account of a member can be recorded. */
function whileHeldUp<Result>(contactId: number, work: () => Promise<Result>): Promise<Result> {
  return world.sql.begin(async (tx) => {
    await tx`SELECT 1 FROM account WHERE contact_id = ${contactId} FOR UPDATE`;
    return work();
  }) as Promise<Result>;
}

it("reads an account that it does not know while a batch before is held up", async () => {
  const [known, stranger] = [await world.member(), await farMember()];
  const { lookUps, next } = tellingLookUps();
  const runner = newRunner(world.sql, 1000, lookUps);
  await run(runner, adjustment(known, 1));
  const { outcomes } = await whileHeldUp(known, async () => {
    const batches = [run(runner, adjustment(known, 1)), run(runner, adjustment(stranger, 1))];
    await next();
    return { outcomes: Promise.all(batches) };
  });
  expect(await outcomes).toMatchObject([[{ status: 200 }], [{ status: 200 }]]);
  expect(await balancesOf(known)).toEqual(upTo(2));
});

it("reads accounts of neighbours along, and again those of members who are not active", async () => {
  const [first, second, left] = [await farMember(), await world.member(), await world.member()];
  await world.sql.begin((tx) => setActive(tx, world.home.businessId, left, false));
  const { lookUps, reads } = tellingLookUps();
  const runner = newRunner(world.sql, 1000, lookUps);
  expect(await run(runner, adjustment(first, 1))).toMatchObject([{ status: 200 }]);
  expect(await run(runner, adjustment(second, 1))).toMatchObject([{ status: 200 }]);
  expect(reads()).toBe(1);
  expect(await run(runner, adjustment(left, 1))).toMatchObject([{ code: "member_inactive" }]);
  expect(reads()).toBe(2);
});

it("reads no neighbours along when what it may remember is nearly taken, nor of a ledger that was forgotten for want of room", async () => {
  const members = await enrolled(32);
  const [far, neighbour] = [await farMember(), await world.member()];
  const { lookUps, reads } = tellingLookUps();
  const runner = newRunner(world.sql, 33, lookUps);
  const readsFor = async (...contactIds: number[]) => {
    const before = reads();
    await run(runner, ...contactIds.map((contactId) => adjustment(contactId, 1)));
    return reads() - before;
  };
  expect(await readsFor(...members)).toBe(1);
  expect(await readsFor(far)).toBe(1);
  // Is one too many: the whole ledger is forgotten.
  expect(await readsFor(neighbour)).toBe(1);
  expect([await readsFor(far), await readsFor(neighbour)]).toEqual([1, 1]);
  expect([await balancesOf(far), await balancesOf(neighbour)]).toEqual([upTo(2), upTo(2)]);
});

it("reads no neighbours along until it has been alone with the ledger for some batches", async () => {
  const [first, second, third, fourth, fifth, sixth] = (await enrolled(6)) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const { lookUps, reads } = tellingLookUps();
  const runner = newRunner(world.sql, 1000, lookUps, 2);
  const readsFor = async (contactId: number) => {
    const before = reads();
    expect(await run(runner, adjustment(contactId, 1))).toMatchObject([{ status: 200 }]);
    return reads() - before;
  };
  expect([await readsFor(first), await readsFor(second), await readsFor(third)]).toEqual([1, 1, 1]);
  expect(await readsFor(fourth)).toBe(0);
  await run(newRunner(), adjustment(first, 1));
  // Finds that somebody else has written, locks until it is alone again, and begins anew.
  await readsFor(first);
  await readsFor(first);
  expect([await readsFor(fifth), await readsFor(sixth)]).toEqual([1, 1]);
});

it("takes no account for what it was before the batches under way, though it reads others of the member", async () => {
  const [member, other] = [await world.member(), await farMember()];
  for (const [before, meanwhile, after, outcome] of [
    [100, -100, -100, { code: "insufficient_balance" }],
    [0, 100, -100, { status: 200 }],
  ] as const) {
    const { lookUps, next } = tellingLookUps();
    const runner = newRunner(world.sql, 1000, lookUps);
    await run(runner, pointsAdjustment(member, 1), pointsAdjustment(member, before - 1));
    const { outcomes } = await whileHeldUp(member, async () => {
      const first = run(runner, pointsAdjustment(member, meanwhile));
      // Reads the wallets and the points of both, of which it knows the member's points: other, far away, is not known.
      const second = run(runner, adjustment(member, 1), pointsAdjustment(other, 1));
      await next();
      return { outcomes: Promise.all([first, second, run(runner, pointsAdjustment(member, after))]) };
    });
    expect(await outcomes).toMatchObject([[{ status: 200 }], [{ status: 200 }, { status: 200 }], [outcome]]);
  }
});

it("keeps every account in line while members and kinds of accounts come in that it does not know", async () => {
  const contactIds: number[] = [];
  for (let number = 0; number < 30; number++) {
    contactIds.push(await (number % 3 === 0 ? farMember() : world.member()));
  }
  const random = numbers(7);
  const runner = newRunner();
  const postings = async () => {
    for (let batch = 0; batch < 60; batch++) {
      const known = contactIds.slice(0, 2 + Math.ceil(batch / 2));
      const commands = upTo(1 + random(6)).map(() => {
        const make = random(2) === 0 ? adjustment : pointsAdjustment;
        return make(
          known[random(known.length)] as number,
          random(3) === 0 ? -1 - random(20) : 1 + random(20),
        );
      });
      for (const outcome of await run(runner, ...commands)) {
        expect("status" in outcome || outcome.code === "insufficient_balance").toBe(true);
      }
    }
  };
  await Promise.all([postings(), postings(), postings()]);
  const outOfLine = await world.sql`
    SELECT contact_id, account, entry_no FROM (
      SELECT *, sum(amount) OVER (PARTITION BY contact_id, account ORDER BY entry_no) AS should FROM ledger_entry
      WHERE contact_id = ANY (${contactIds})
    ) AS entry WHERE balance_after <> should OR balance_after < 0`;
  expect(outOfLine).toEqual([]);
  const wrong = await world.sql`
    SELECT contact_id, account, balance FROM account AS a WHERE contact_id = ANY (${contactIds})
      AND balance <> coalesce((SELECT sum(amount) FROM ledger_entry AS e
        WHERE e.contact_id = a.contact_id AND e.account = a.account), 0)`;
  expect(wrong).toEqual([]);
});
