import { expect, it, vi } from "vitest";
import { Rejection } from "../../contract/errors.ts";
import type { PostingCommand } from "./group-state.ts";
import type { Outcome } from "./outcome.ts";
import { PostingQueue, type PostingQueueSettings } from "./posting-queue.ts";

/** What a group was asked to do, and the means to end it. */
interface Group {
  readonly held: "wait" | "skip";
  readonly keys: readonly string[];
  /** @param locked businesses whose ledger another transaction has locked */
  succeed(...locked: number[]): Promise<void>;
  fail(error: Error): Promise<void>;
}

/** Groups start when the requests that have arrived are read, and go on when those in flight have ended. */
const settled = async () => {
  for (let turn = 0; turn < 3; turn++) await new Promise<void>((done) => setImmediate(done));
};

/** A queue whose groups are in flight until the test ends them. */
function queueUnderTest(settings: Partial<PostingQueueSettings> = {}) {
  const groups: Group[] = [];
  const recorded: number[] = [];
  const commit = (commands: readonly PostingCommand[], held: "wait" | "skip") => {
    return new Promise<(Outcome | undefined)[]>((resolve, reject) => {
      groups.push({
        held,
        keys: commands.map(({ idempotencyKey }) => idempotencyKey?.key as string),
        succeed: (...locked) => {
          resolve(
            commands.map(({ idempotencyKey, businessId }) =>
              locked.includes(businessId) ? undefined : responseTo(idempotencyKey?.key as string),
            ),
          );
          return settled();
        },
        fail: (error) => {
          reject(error);
          return settled();
        },
      });
    });
  };
  const queue = new PostingQueue(
    commit,
    {
      groupsAtOnce: 1,
      waitingGroupsAtOnce: 1,
      groupSize: 256,
      groupSizeOfBusiness: 256,
      capacity: 10_000,
      capacityOfBusiness: 10_000,
      longestWaitMilliseconds: 2000,
      suspectsApartMilliseconds: 100,
      retryMilliseconds: 500,
      longestRetryAfterSeconds: 3,
      ...settings,
    },
    (size) => recorded.push(size),
  );
  const post = (businessId: number, key: string, contactId = 1) => {
    const operation = { path: "/sp/test" };
    return queue.post({ businessId, contactId, operation, idempotencyKey: { key } } as PostingCommand);
  };
  /** Ends one group after the other, each with success, until none is in flight. */
  const drain = async () => {
    await settled();
    for (const group of groups) await group.succeed();
  };
  return { queue, post, groups, recorded, drain };
}

const responseTo = (key: string) => ({ status: 200, body: key, replayed: false });
const failure = (code: string) => Object.assign(new Error(code), { code });
const keysOf = (groups: readonly Group[]) => groups.map(({ keys }) => keys.join(" "));

it("makes a group of what is ready together, over businesses, without a timer", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "setInterval"] });
  try {
    const { post, groups } = queueUnderTest();
    void post(1, "a");
    void post(2, "b");
    void post(1, "c");
    expect(groups).toEqual([]);
    await settled();
    expect(keysOf(groups)).toEqual(["a c b"]);
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

it("makes the next group of all that came while one was in flight, in their order", async () => {
  const { post, groups, recorded } = queueUnderTest();
  const responses = [post(1, "a")];
  await settled();
  responses.push(post(1, "b"), post(1, "c"), post(1, "d"));
  await settled();
  expect(keysOf(groups)).toEqual(["a"]);
  await groups[0]?.succeed();
  expect(keysOf(groups)).toEqual(["a", "b c d"]);
  await groups[1]?.succeed();
  expect(await Promise.all(responses)).toEqual(["a", "b", "c", "d"].map(responseTo));
  expect(recorded).toEqual([1, 3]);
});

it("keeps a business to one group in flight, and other businesses in the next one", async () => {
  const { post, groups, drain } = queueUnderTest({ groupsAtOnce: 2 });
  const responses = [post(1, "a")];
  await settled();
  responses.push(post(1, "b"), post(2, "c"));
  await settled();
  expect(keysOf(groups)).toEqual(["a", "c"]);
  await drain();
  expect(keysOf(groups)).toEqual(["a", "c", "b"]);
  await Promise.all(responses);
});

it("responds to nothing before its group has ended", async () => {
  const { post, groups } = queueUnderTest();
  let responded = false;
  const response = post(1, "a").finally(() => {
    responded = true;
  });
  await settled();
  expect(responded).toBe(false);
  await groups[0]?.succeed();
  expect(responded).toBe(true);
  await response;
});

it("takes no more into a group than its size, and no more of a business than its share", async () => {
  const { post, groups, drain } = queueUnderTest({ groupSize: 3, groupSizeOfBusiness: 2 });
  const responses = ["a", "b", "c", "d"].map((key) => post(1, key));
  responses.push(post(2, "x"), post(2, "y"));
  await drain();
  expect(keysOf(groups)).toEqual(["a b x", "c d y"]);
  await Promise.all(responses);
});

it("is fair: a business that sends much waits for those that have waited longer", async () => {
  const { post, groups, drain } = queueUnderTest({ groupSize: 1 });
  const responses = ["a1", "a2", "a3", "a4"].map((key) => post(1, key));
  responses.push(post(2, "b1"), post(2, "b2"), post(3, "c1"));
  await drain();
  expect(keysOf(groups)).toEqual(["a1", "b1", "c1", "a2", "b2", "a3", "a4"]);
  await Promise.all(responses);
});

it("lets a group of its own wait for a ledger that is locked, and delays nobody else", async () => {
  const { post, groups, drain } = queueUnderTest();
  const responses = [post(1, "a"), post(2, "b")];
  await settled();
  await groups[0]?.succeed(1);
  expect(await responses[1]).toEqual(responseTo("b"));
  responses.push(post(1, "later"), post(2, "c"));
  await settled();
  expect(groups.map(({ held, keys }) => [held, ...keys])).toEqual([
    ["skip", "a", "b"],
    ["wait", "a"],
    ["skip", "c"],
  ]);
  // The lock was not had in time: it is waited for again, in the order of arrival.
  await groups[1]?.succeed(1);
  expect(groups.at(-1)).toMatchObject({ held: "wait", keys: ["a", "later"] });
  await drain();
  expect(await Promise.all(responses)).toEqual(["a", "b", "later", "c"].map(responseTo));
});

it("waits for ledgers that were locked together in one group, and alone for one that stays locked", async () => {
  const { post, groups, drain } = queueUnderTest();
  const responses = [post(1, "a"), post(2, "b"), post(3, "c")];
  await settled();
  await groups[0]?.succeed(1, 2, 3);
  // The lock of the first was not had in time, so nothing of the group was done.
  await groups[1]?.succeed(1, 2, 3);
  expect(groups.map(({ held, keys }) => [held, ...keys])).toEqual([
    ["skip", "a", "b", "c"],
    ["wait", "a", "b", "c"],
    ["skip", "b", "c"],
    ["wait", "a"],
  ]);
  await drain();
  expect(await Promise.all(responses)).toEqual(["a", "b", "c"].map(responseTo));
});

it("rejects what has waited too long for a lock, with the time of a retry", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  try {
    const { queue, post, groups } = queueUnderTest();
    const response = post(1, "a");
    await settled();
    await groups[0]?.succeed(1);
    vi.advanceTimersByTime(2001);
    await groups[1]?.succeed(1);
    expect(await response).toMatchObject({ code: "service_unavailable", retryAfterSeconds: 1 });
    expect([queue.depth(), groups.length]).toEqual([0, 2]);
  } finally {
    vi.useRealTimers();
  }
});

it("rejects what does not fit, with the time of a retry, and takes it once there is room", async () => {
  const { queue, post, groups, drain } = queueUnderTest({ capacity: 2 });
  const responses = [post(1, "a"), post(1, "b")];
  expect(queue.depth()).toBe(2);
  const rejection = await post(2, "c");
  expect(rejection).toBeInstanceOf(Rejection);
  expect(rejection).toMatchObject({ code: "service_unavailable", retryAfterSeconds: 1 });
  await settled();
  await groups[0]?.succeed();
  expect(queue.depth()).toBe(0);
  responses.push(post(2, "d"));
  await drain();
  await Promise.all(responses);
  expect(queue.depth()).toBe(0);
});

it("rejects what is too much of one business, and takes that of others", async () => {
  const { queue, post, drain } = queueUnderTest({ capacityOfBusiness: 2 });
  const responses = [post(1, "a"), post(1, "b")];
  expect(queue.overload(1)).toMatchObject({ code: "service_unavailable" });
  expect(await post(1, "c")).toBeInstanceOf(Rejection);
  responses.push(post(2, "d"));
  await settled();
  expect(queue.overload(1)).toBeUndefined();
  await drain();
  await Promise.all(responses);
});

it("spreads retries", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  try {
    const { queue, post, drain } = queueUnderTest({ capacityOfBusiness: 1 });
    const response = post(1, "a");
    const told = (times: number) => Array.from({ length: times }, () => queue.overload(1)?.retryAfterSeconds);
    expect(told(8)).toEqual([1, 1, 2, 2, 3, 3, 3, 3]);
    const other = post(2, "b");
    expect(queue.overload(2)?.retryAfterSeconds).toBe(1);
    vi.advanceTimersByTime(2000);
    expect(told(2)).toEqual([2, 2]);
    vi.advanceTimersByTime(60_000);
    expect(told(1)).toEqual([1]);
    await drain();
    await Promise.all([response, other]);
  } finally {
    vi.useRealTimers();
  }
});

it("takes nothing for a business whose postings wait too long, until they no longer do", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  try {
    const { queue, post, groups } = queueUnderTest({ groupSize: 1 });
    const responses = [post(1, "a"), post(1, "b")];
    await settled();
    vi.advanceTimersByTime(2000);
    expect(queue.overload(1)).toBeUndefined();
    vi.advanceTimersByTime(1);
    expect(queue.overload(1)).toMatchObject({ code: "service_unavailable", retryAfterSeconds: 1 });
    expect(await post(1, "c")).toBeInstanceOf(Rejection);
    expect(queue.overload(2)).toBeUndefined();
    await groups[0]?.succeed();
    expect(queue.overload(1)).toBeUndefined();
    await groups[1]?.succeed();
    expect(await Promise.all(responses)).toEqual(["a", "b"].map(responseTo));
  } finally {
    vi.useRealTimers();
  }
});

it("lets one bad posting fail alone: the halves of a failed group run one after the other", async () => {
  const { queue, post, groups } = queueUnderTest();
  const outcomes = Promise.allSettled([post(1, "good"), post(2, "bad"), post(1, "fine"), post(3, "fair")]);
  await settled();
  await groups[0]?.fail(new Error("as a whole"));
  await groups[1]?.succeed();
  await groups[2]?.fail(new Error("as a half"));
  await groups[3]?.fail(new Error("only this one"));
  await groups[4]?.succeed();
  expect(keysOf(groups)).toEqual(["good fine bad fair", "good fine", "bad fair", "bad", "fair"]);
  expect(await outcomes).toEqual([
    { status: "fulfilled", value: responseTo("good") },
    { status: "rejected", reason: new Error("only this one") },
    { status: "fulfilled", value: responseTo("fine") },
    { status: "fulfilled", value: responseTo("fair") },
  ]);
  expect(queue.depth()).toBe(0);
});

it("finds a bad posting among many in few groups", async () => {
  const { post, groups } = queueUnderTest();
  const keys = Array.from({ length: 128 }, (_, index) => (index === 77 ? "bad" : `good ${index}`));
  const outcomes = Promise.allSettled(keys.map((key) => post(1, key)));
  await settled();
  for (let ended = 0; ended < groups.length; ended += 1) {
    const group = groups[ended] as Group;
    await (group.keys.includes("bad") ? group.fail(new Error("bad")) : group.succeed());
  }
  const rejected = (await outcomes).flatMap(({ status }, index) =>
    status === "rejected" ? keys[index] : [],
  );
  expect(rejected).toEqual(["bad"]);
  expect(groups.length).toBeLessThan(17);
});

it("serves others between the halves of a failed group", async () => {
  const { post, groups, drain } = queueUnderTest();
  const responses = [post(1, "a"), post(1, "b"), post(2, "x")];
  await settled();
  responses.push(post(3, "y"), post(1, "c"));
  await groups[0]?.fail(new Error("as a whole"));
  await drain();
  expect(keysOf(groups)).toEqual(["a b x", "y a", "x b", "c"]);
  expect(await Promise.all(responses)).toEqual(["a", "b", "x", "y", "c"].map(responseTo));
});

it("runs what may fail again alone, and not more often than every so many milliseconds", async () => {
  vi.useFakeTimers({ toFake: ["performance", "setTimeout"] });
  try {
    const { post, groups } = queueUnderTest();
    const first = Promise.allSettled([post(1, "bad")]);
    await settled();
    await groups[0]?.fail(new Error("bad"));
    expect(await first).toMatchObject([{ status: "rejected" }]);
    const again = Promise.allSettled(["bad again", "bad later"].map((key) => post(1, key)));
    const good = [post(1, "good", 2), post(2, "elsewhere")];
    await settled();
    await groups[1]?.fail(new Error("bad"));
    expect(keysOf(groups).slice(1)).toEqual(["bad again", "elsewhere good"]);
    good.push(post(1, "well", 2));
    await groups[2]?.succeed();
    await groups[3]?.succeed();
    expect(keysOf(groups).slice(3)).toEqual(["well"]);
    vi.advanceTimersByTime(100);
    await settled();
    expect(keysOf(groups).slice(4)).toEqual(["bad later"]);
    await groups[4]?.succeed();
    expect(await Promise.all(good)).toEqual(["good", "elsewhere", "well"].map(responseTo));
    expect(await again).toMatchObject([{ status: "rejected" }, { value: responseTo("bad later") }]);
  } finally {
    vi.useRealTimers();
  }
});

it("takes only as many of what may fail again as have their turn in time", async () => {
  vi.useFakeTimers({ toFake: ["performance", "setTimeout"] });
  try {
    const { queue, post, groups } = queueUnderTest();
    const first = Promise.allSettled([post(1, "bad")]);
    await settled();
    await groups[0]?.fail(new Error("bad"));
    await first;
    const many = Array.from({ length: 30 }, (_, index) => post(1, `bad ${index}`));
    expect(queue.depth()).toBe(22);
    expect(await many[22]).toMatchObject({ code: "service_unavailable" });
    expect(queue.overload(1)).toBeUndefined();
  } finally {
    vi.useRealTimers();
  }
});

it("keeps the order of a business whose ledger is locked, however often it is put back", async () => {
  const { post, groups, drain } = queueUnderTest();
  const responses = ["a", "b", "c"].map((key) => post(1, key));
  await settled();
  await groups[0]?.fail(failure("55P03"));
  await groups[1]?.succeed(1);
  await groups[2]?.succeed(1);
  await drain();
  expect(keysOf(groups)).toEqual(["a b c", "a", "a", "a", "b", "c"]);
  expect(await Promise.all(responses)).toEqual(["a", "b", "c"].map(responseTo));
});

it("rejects nobody for a business whose postings fail again and again", async () => {
  const { post, groups } = queueUnderTest();
  const outcomes = Promise.allSettled([post(1, "bad"), post(2, "good")]);
  await settled();
  for (let tries = 0; tries < 4; tries++) await groups[tries]?.fail(failure("23505"));
  await groups[4]?.succeed();
  expect(await outcomes).toMatchObject([{ reason: { code: "23505" } }, { value: responseTo("good") }]);
});

it("holds up nobody else for a key that a running write has claimed", async () => {
  const { post, groups, drain } = queueUnderTest();
  const responses = [post(1, "claimed"), post(2, "other")];
  await settled();
  await groups[0]?.fail(failure("55P03"));
  await groups[1]?.fail(failure("55P03"));
  await groups[2]?.succeed();
  expect(await responses[1]).toEqual(responseTo("other"));
  expect(groups.slice(1).map(({ held, keys }) => [held, ...keys])).toEqual([
    ["skip", "claimed"],
    ["skip", "other"],
    ["wait", "claimed"],
  ]);
  await drain();
  expect(await responses[0]).toEqual(responseTo("claimed"));
});

it("does not try one by one while the database is away", async () => {
  const { post, groups } = queueUnderTest();
  const outcomes = Promise.allSettled([post(1, "a"), post(2, "b")]);
  await settled();
  await groups[0]?.fail(failure("57P01"));
  expect(groups).toHaveLength(1);
  expect((await outcomes).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
});

it.each(["40001", "40P01", "23505"])("tries a group again after %s, which leaves no trace", async (code) => {
  const { post, groups } = queueUnderTest();
  const response = post(1, "a");
  await settled();
  await groups[0]?.fail(failure(code));
  await groups[1]?.succeed();
  expect(keysOf(groups)).toEqual(["a", "a"]);
  expect(await response).toEqual(responseTo("a"));
});

it("gives up after some tries, and serves the business afterwards", async () => {
  const { post, groups } = queueUnderTest();
  const outcome = Promise.allSettled([post(1, "a")]);
  await settled();
  for (let ended = 0; ended < groups.length; ended++) await groups[ended]?.fail(failure("40001"));
  expect(await outcome).toMatchObject([{ status: "rejected", reason: { code: "40001" } }]);
  expect(groups.length).toBeGreaterThan(1);
  const tries = groups.length;
  const next = post(1, "b");
  await settled();
  await groups[tries]?.succeed();
  expect(await next).toEqual(responseTo("b"));
});
