import { verify } from "@node-rs/argon2";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { createPasswords, hashesAtOnce, isCommonPassword } from "./passwords.ts";

/** How many hash now, and how many at most did. */
const observed = vi.hoisted(() => ({ running: 0, most: 0, expected: 0, failNext: false }));
vi.mock("@node-rs/argon2", async (importOriginal) => {
  const argon2 = await importOriginal<typeof import("@node-rs/argon2")>();
  const hash: typeof argon2.hash = async (...parameters) => {
    observed.running += 1;
    observed.most = Math.max(observed.most, observed.running);
    try {
      if (observed.failNext) throw new Error("no memory");
      // Otherwise, a busy machine could finish one before it starts the next.
      while (observed.most < observed.expected) await new Promise(setImmediate);
      return await argon2.hash(...parameters);
    } finally {
      observed.running -= 1;
      observed.failNext = false;
    }
  };
  return { ...argon2, hash };
});
beforeEach(() => {
  observed.most = 0;
  observed.expected = 0;
});

describe("a hash", () => {
  it("is Argon2id with 19 MiB, two passes and one lane, under a salt of its own", async () => {
    const passwords = createPasswords(1);
    const hashes = await Promise.all(
      ["a password", "a password"].map((password) => passwords.hash(1, password)),
    );
    for (const hash of hashes) {
      expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
      expect(await verify(hash, "a password")).toBe(true);
      expect(await verify(hash, "a Password")).toBe(false);
    }
    expect(new Set(hashes).size).toBe(2);
  });

  it("is of the whole password, in the form in which every keyboard types it", async () => {
    const long = "x".repeat(127);
    const passwords = createPasswords(1);
    const hash = await passwords.hash(1, `${long}a`);
    expect(await verify(hash, `${long}b`)).toBe(false);
    expect(await verify((await passwords.hash(1, "cafe\u0301 ｆｕｌｌ"))!, "caf\u00e9 full")).toBe(true);
  });
});

describe("many at the same time", () => {
  it.each([1, 3])("are hashed %i at once, and all in the end", async (atOnce) => {
    observed.expected = atOnce;
    const passwords = createPasswords(atOnce, 10);
    const order: number[] = [];
    const all = Array.from({ length: 10 }, (_, index) =>
      passwords.hash(1, `password ${index}`).then((hash) => {
        order.push(index);
        return hash;
      }),
    );
    const hashes = await Promise.all(all);
    expect(observed.most).toBe(atOnce);
    expect(new Set(hashes).size).toBe(10);
    if (atOnce === 1) expect(order).toEqual([...order].sort((a, b) => a - b));
  });

  it("wait up to a number, are turned away past it, and wait again when there is room", async () => {
    const passwords = createPasswords(1, 2);
    const many = Array.from({ length: 5 }, (_, index) => passwords.hash(1, `password ${index}`));
    const other = passwords.hash(2, "of somebody else");
    const outcomes = await Promise.allSettled(many);
    expect(outcomes.map(({ status }) => status)).toEqual([
      ...["fulfilled", "fulfilled", "fulfilled"],
      ...["rejected", "rejected"],
    ]);
    expect(outcomes.at(-1)).toMatchObject({ reason: { retryAfterSeconds: 5 } });
    expect(await other).toBeDefined();
    expect(await passwords.hash(1, "later")).toBeDefined();
  });

  it("go on when one fails", async () => {
    const passwords = createPasswords(1);
    observed.failNext = true;
    const outcomes = await Promise.allSettled(["a", "b", "c"].map((password) => passwords.hash(1, password)));
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled"]);
    await passwords.hash(1, "d");
    expect(observed.most).toBe(1);
  });

  it("leave a core to the requests and threads of the pool to other work", () => {
    const table = [
      [1, 1, 4, 1],
      [2, 1, 4, 1],
      [2, 2, 4, 1],
      [3, 1, 4, 2],
      [64, 1, 4, 2],
      [64, 1, 16, 14],
      [8, 1, 128, 7],
      [8, 2, 128, 3],
      [8, 3, 128, 1],
      [8, 1, 1, 1],
    ] as const;
    for (const [cores, workers, threads, atOnce] of table) {
      const found = hashesAtOnce(cores, workers, threads);
      expect([cores, workers, threads, found]).toEqual([cores, workers, threads, atOnce]);
    }
  });
});

it("knows the most used passwords, in any case", () => {
  for (const password of ["password", "PassWord", "12345678", "qwertyuiop"]) {
    expect([password, isCommonPassword(password)]).toEqual([password, true]);
  }
  expect(isCommonPassword("correct horse battery staple")).toBe(false);
});
