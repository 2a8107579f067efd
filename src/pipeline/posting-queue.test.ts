import { expect, it, vi } from "vitest";
import { Refusal } from "../contract/errors.ts";
import type { PostingCommand, WriteOutcome } from "./posting-batch.ts";
import { createPostingQueue, type PostingQueueSettings } from "./posting-queue.ts";

/** What a batch was asked to do, and the means to end it. */
interface Batch {
  readonly businessId: number;
  readonly keys: readonly string[];
  succeed(): Promise<void>;
  fail(error: Error): Promise<void>;
}

/** Batches start when what has arrived already has been read, and go on when those in flight have ended. */
const settled = async () => {
  for (let turn = 0; turn < 2; turn++) await new Promise<void>((done) => setImmediate(done));
};

/** A queue whose batches are under way until the test ends them. */
function queueUnderTest(settings: Partial<PostingQueueSettings> = {}) {
  const batches: Batch[] = [];
  const recorded: number[] = [];
  const run = (businessId: number, commands: readonly PostingCommand[]) => {
    return new Promise<WriteOutcome[]>((resolve, reject) => {
      batches.push({
        businessId,
        keys: commands.map(({ key }) => key),
        succeed: () => {
          resolve(commands.map(({ key }) => answerTo(key)));
          return settled();
        },
        fail: (error) => {
          reject(error);
          return settled();
        },
      });
    });
  };
  const queue = createPostingQueue(
    run,
    {
      batchSize: 256,
      fullBatch: 256,
      batchesOfBusiness: 1,
      capacity: 10_000,
      capacityOfBusiness: 10_000,
      batchesAtOnce: 8,
      longestWaitMilliseconds: 2000,
      turnMilliseconds: 500,
      longestRetryAfterSeconds: 3,
      ...settings,
    },
    { batchRecorded: (size) => recorded.push(size) },
  );
  /** Ends one batch after the other, each with success, until none is under way. */
  const drain = async () => {
    await settled();
    for (const batch of batches) await batch.succeed();
  };
  return { queue, batches, recorded, drain };
}

const answerTo = (key: string) => ({ status: 200, body: key, replayed: false });
const command = (key: string) => ({ key }) as PostingCommand;
const failure = (code: string) => Object.assign(new Error(code), { code });
const keysOf = (batches: readonly Batch[]) => batches.map(({ keys }) => keys.join(" "));

it("sends what is at hand together, without a timer", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "setInterval"] });
  try {
    const { queue, batches } = queueUnderTest();
    for (const key of ["a", "b"]) void queue.post(1, command(key));
    expect(batches).toEqual([]);
    await settled();
    expect(keysOf(batches)).toEqual(["a b"]);
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

it("sends a full batch at once", () => {
  const { queue, batches } = queueUnderTest({ fullBatch: 2 });
  for (const key of ["a", "b", "c"]) void queue.post(1, command(key));
  expect(keysOf(batches)).toEqual(["a b"]);
});

it("makes the next batch of all that came while one was in flight, in their order", async () => {
  const { queue, batches, recorded } = queueUnderTest();
  const first = queue.post(1, command("a"));
  await settled();
  const answers = [first, ...["b", "c", "d"].map((key) => queue.post(1, command(key)))];
  await settled();
  expect(keysOf(batches)).toEqual(["a"]);
  await batches[0]?.succeed();
  expect(keysOf(batches)).toEqual(["a", "b c d"]);
  await batches[1]?.succeed();
  expect(await Promise.all(answers)).toEqual(["a", "b", "c", "d"].map(answerTo));
  expect(recorded).toEqual([1, 3]);
});

it("keeps as many batches of a business in flight as it may", async () => {
  const { queue, batches, drain } = queueUnderTest({ fullBatch: 1, batchSize: 1, batchesOfBusiness: 2 });
  const answers = ["a", "b", "c"].map((key) => queue.post(1, command(key)));
  expect(keysOf(batches)).toEqual(["a", "b"]);
  await batches[1]?.succeed();
  expect(keysOf(batches)).toEqual(["a", "b", "c"]);
  await drain();
  await Promise.all(answers);
});

it("answers nothing before its batch has ended", async () => {
  const { queue, batches } = queueUnderTest();
  let answered = false;
  const answer = queue.post(1, command("a")).finally(() => {
    answered = true;
  });
  await settled();
  expect(answered).toBe(false);
  await batches[0]?.succeed();
  expect(answered).toBe(true);
  await answer;
});

it("takes no more into a batch than its size", async () => {
  const { queue, batches, drain } = queueUnderTest({ batchSize: 2 });
  const answers = ["a", "b", "c", "d", "e", "f"].map((key) => queue.post(1, command(key)));
  await drain();
  expect(keysOf(batches)).toEqual(["a b", "c d", "e f"]);
  await Promise.all(answers);
});

it("runs the batches of several businesses side by side, as many as it may", async () => {
  const { queue, batches, drain } = queueUnderTest({ batchesAtOnce: 2 });
  const answers = [1, 2, 3].map((business) => queue.post(business, command(`of ${business}`)));
  await settled();
  expect(keysOf(batches)).toEqual(["of 1", "of 2"]);
  await batches[1]?.succeed();
  expect(keysOf(batches)).toEqual(["of 1", "of 2", "of 3"]);
  await drain();
  await Promise.all(answers);
});

it("lets businesses take turns, however much one of them sends", async () => {
  const { queue, batches, drain } = queueUnderTest({ batchSize: 1, batchesAtOnce: 1 });
  const answers = ["a1", "a2", "a3", "a4"].map((key) => queue.post(1, command(key)));
  answers.push(...["b1", "b2"].map((key) => queue.post(2, command(key))), queue.post(3, command("c1")));
  await drain();
  expect(keysOf(batches)).toEqual(["a1", "b1", "c1", "a2", "b2", "a3", "a4"]);
  await Promise.all(answers);
});

it("refuses what does not fit, with the time of a retry, and takes it again once there is room", async () => {
  const { queue, batches, drain } = queueUnderTest({ capacity: 2 });
  const answers = [queue.post(1, command("a")), queue.post(1, command("b"))];
  expect(queue.depth()).toBe(2);
  const refusal = await queue.post(2, command("c"));
  expect(refusal).toBeInstanceOf(Refusal);
  expect(refusal).toMatchObject({ code: "service_unavailable", retryAfterSeconds: 1 });
  await settled();
  await batches[0]?.succeed();
  expect(queue.depth()).toBe(0);
  answers.push(queue.post(2, command("d")));
  await drain();
  await Promise.all(answers);
  expect(queue.depth()).toBe(0);
});

it("refuses what is too much of one business, and takes that of others", async () => {
  const { queue, drain } = queueUnderTest({ capacityOfBusiness: 2 });
  const answers = ["a", "b"].map((key) => queue.post(1, command(key)));
  expect(queue.overload(1)).toMatchObject({ code: "service_unavailable" });
  expect(await queue.post(1, command("c"))).toBeInstanceOf(Refusal);
  answers.push(queue.post(2, command("d")));
  await settled();
  expect(queue.overload(1)).toBeUndefined();
  await drain();
  await Promise.all(answers);
});

it("tells those whom it refuses to come again one after the other", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  try {
    const { queue, drain } = queueUnderTest({ capacityOfBusiness: 1 });
    const answer = queue.post(1, command("a"));
    const told = (times: number) => Array.from({ length: times }, () => queue.overload(1)?.retryAfterSeconds);
    expect(told(8)).toEqual([1, 1, 2, 2, 3, 3, 3, 3]);
    const other = queue.post(2, command("b"));
    expect(queue.overload(2)?.retryAfterSeconds).toBe(1);
    vi.advanceTimersByTime(2000);
    expect(told(2)).toEqual([2, 2]);
    vi.advanceTimersByTime(60_000);
    expect(told(1)).toEqual([1]);
    await drain();
    await Promise.all([answer, other]);
  } finally {
    vi.useRealTimers();
  }
});

it("goes on with what is full while others are still being read", async () => {
  const { queue, batches, drain } = queueUnderTest({ fullBatch: 2, batchSize: 2 });
  const answers = ["a", "b", "c", "d", "e"].map((key) => queue.post(1, command(key)));
  expect(keysOf(batches)).toEqual(["a b"]);
  const ended = batches[0]?.succeed();
  // Only promises have had their turn: the event loop is still where it was.
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  expect(keysOf(batches)).toEqual(["a b", "c d"]);
  await ended;
  await drain();
  await Promise.all(answers);
});

it("takes nothing for a business whose postings wait too long, until they no longer do", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  try {
    const { queue, batches } = queueUnderTest({ batchSize: 1 });
    const answers = ["a", "b"].map((key) => queue.post(1, command(key)));
    await settled();
    vi.advanceTimersByTime(2000);
    expect(queue.overload(1)).toBeUndefined();
    vi.advanceTimersByTime(1);
    expect(queue.overload(1)).toMatchObject({ code: "service_unavailable", retryAfterSeconds: 1 });
    expect(await queue.post(1, command("c"))).toBeInstanceOf(Refusal);
    expect(queue.overload(2)).toBeUndefined();
    await batches[0]?.succeed();
    expect(queue.overload(1)).toBeUndefined();
    await batches[1]?.succeed();
    expect(await Promise.all(answers)).toEqual(["a", "b"].map(answerTo));
  } finally {
    vi.useRealTimers();
  }
});

it("lets one bad posting fail alone: what failed together is tried one by one", async () => {
  const { queue, batches } = queueUnderTest();
  const answers = ["good", "bad", "fine"].map((key) => queue.post(1, command(key)));
  const outcomes = Promise.allSettled(answers);
  await settled();
  await batches[0]?.fail(new Error("as a whole"));
  await batches[1]?.succeed();
  await batches[2]?.fail(new Error("only this one"));
  await batches[3]?.succeed();
  expect(keysOf(batches)).toEqual(["good bad fine", "good", "bad", "fine"]);
  expect(await outcomes).toEqual([
    { status: "fulfilled", value: answerTo("good") },
    { status: "rejected", reason: new Error("only this one") },
    { status: "fulfilled", value: answerTo("fine") },
  ]);
  expect(queue.depth()).toBe(0);
});

it("does not try one by one while the database is away", async () => {
  const { queue, batches } = queueUnderTest();
  const outcomes = Promise.allSettled(["a", "b"].map((key) => queue.post(1, command(key))));
  await settled();
  await batches[0]?.fail(failure("57P01"));
  expect(batches).toHaveLength(1);
  expect((await outcomes).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
});

it.each(["40001", "40P01", "23505"])("tries a batch again after %s, which leaves no trace", async (code) => {
  const { queue, batches } = queueUnderTest();
  const answer = queue.post(1, command("a"));
  await settled();
  await batches[0]?.fail(failure(code));
  await batches[1]?.succeed();
  expect(keysOf(batches)).toEqual(["a", "a"]);
  expect(await answer).toEqual(answerTo("a"));
});

it("gives up after some tries, and serves the business afterwards", async () => {
  const { queue, batches } = queueUnderTest();
  const outcome = Promise.allSettled([queue.post(1, command("a"))]);
  await settled();
  for (let ended = 0; ended < batches.length; ended++) await batches[ended]?.fail(failure("40001"));
  expect(await outcome).toMatchObject([{ status: "rejected", reason: { code: "40001" } }]);
  expect(batches.length).toBeGreaterThan(1);
  const tries = batches.length;
  const next = queue.post(1, command("b"));
  await settled();
  await batches[tries]?.succeed();
  expect(await next).toEqual(answerTo("b"));
});
