import { describe, expect, it } from "vitest";
import type { EndpointProgress } from "../database/webhooks/attempts.ts";
import type { LeasedEndpoint } from "../database/webhooks/leases.ts";
import { EndpointRun, type RunParts } from "./endpoint-run.ts";
import type { EventBatch, EventDelivery } from "./messages.ts";
import type { Response } from "./request.ts";
import type { Sent } from "./sending.ts";

const endpoint: LeasedEndpoint = {
  business_id: 1,
  endpoint_id: 3,
  lease: "process 1",
  url: "https://example.com/",
  types: ["*"],
  headers: null,
  max_in_flight: 8,
  ordered: false,
  status: "enabled",
  disabled_reason: null,
  failures: 0,
  failing_seconds: null,
  cursor_event_no: 9,
  location_ids: null,
  secrets: [],
};

const noEvents: EventBatch = { deliveries: [], readTo: 9, hasMore: false };
const rejected: Response = { status: 500, error: null, body: "" };
const accepted: Response = { status: 204, error: null, body: "" };

/** A retry as it is stored. @param attempts that have failed */
const retry = (event_no: number, attempts: number): EventDelivery => ({
  event_no,
  attempts,
  kind: "retry",
  id: `evt_1_${event_no}`,
  body: "{}",
  recordedAt: 0,
});
const event = (event_no: number): EventDelivery => ({ ...retry(event_no, 0), kind: "delivery" });

/** What was asked for, and how the one who asked gets the result. */
interface Asked<Result> {
  resolve(result: Result): Promise<void>;
  reject(error: Error): Promise<void>;
}

const turn = () => new Promise((done) => setImmediate(done));

function later<Result>() {
  let [resolve, reject]: [(result: Result) => void, (error: Error) => void] = [
    () => undefined,
    () => undefined,
  ];
  const promise = new Promise<Result>((...given) => {
    [resolve, reject] = given;
  });
  const asked: Asked<Result> = {
    resolve: async (result) => {
      resolve(result);
      await turn();
    },
    reject: async (error) => {
      reject(error);
      await turn();
    },
  };
  return { promise, asked };
}

/** A run whose reads, requests and transactions end when the test says so. */
async function makeRun(batch = noEvents, changes: Partial<LeasedEndpoint> = {}) {
  const state = { now: 0 };
  const reads: Asked<readonly EventDelivery[]>[] = [];
  const sends: (Asked<Response> & { readonly delivery: EventDelivery })[] = [];
  const stores: (Asked<boolean> & { readonly progress: EndpointProgress })[] = [];
  const parts: RunParts = {
    messages: {
      readEvents: async () => batch,
      readNewest: async () => undefined,
      readOthers: () => {
        const { promise, asked } = later<readonly EventDelivery[]>();
        reads.push(asked);
        return promise;
      },
    },
    send: async (_endpoint, delivery): Promise<Sent> => {
      const { promise, asked } = later<Response>();
      sends.push({ ...asked, delivery });
      return { response: await promise, startedAt: 0, milliseconds: 1 };
    },
    store: (progress) => {
      const { promise, asked } = later<boolean>();
      stores.push({ ...asked, progress });
      return promise;
    },
    reportSkipped: async () => undefined,
    reportFault: (error) => {
      throw error;
    },
    clock: () => state.now,
    chance: () => 0.5,
  };
  const run = new EndpointRun({ ...endpoint, ...changes }, 0, parts);
  const over = run.serve();
  /** Lets time pass, and wakes the run. */
  const pass = async (milliseconds: number) => {
    state.now += milliseconds;
    run.notice({ has_events: false, has_others: false });
    await turn();
  };
  return { run, over, reads, sends, stores, pass };
}

const hasRetries = { has_events: false, has_others: true };
const hasEvents = { has_events: true, has_others: false };
const numbersOf = (sends: readonly { readonly delivery: EventDelivery }[]) =>
  sends.map(({ delivery }) => delivery.event_no);

/** A run with a retry in flight. */
async function retrying() {
  const made = await makeRun();
  made.run.notice(hasRetries);
  await turn();
  await made.reads[0]?.resolve([retry(5, 1)]);
  expect(numbersOf(made.sends)).toEqual([5]);
  return made;
}

describe.each([
  ["failed", rejected],
  ["was delivered", accepted],
])("a retry that %s", (_outcome, response) => {
  it("is stored before retries are read again", async () => {
    const { run, reads, sends, stores } = await retrying();
    await sends[0]?.resolve(response);
    run.notice(hasRetries);
    await turn();
    expect([reads.length, stores.length]).toEqual([1, 1]);
    const { retries, finished } = (stores[0] as (typeof stores)[0]).progress;
    expect([...retries, ...finished].map(({ event_no }) => event_no)).toEqual([5]);
    await stores[0]?.resolve(true);
    expect(reads).toHaveLength(2);
  });

  it("is not sent again if it ends while retries are read", async () => {
    const { run, reads, sends } = await retrying();
    run.notice(hasRetries);
    await turn();
    expect(reads).toHaveLength(2);
    await sends[0]?.resolve(response);
    // The read began before, so it returns the row as it was.
    await reads[1]?.resolve([retry(5, 1), retry(6, 3)]);
    expect(numbersOf(sends)).toEqual([5, 6]);
  });
});

it("sends a retry again when a later read finds it due", async () => {
  const { run, reads, sends, stores } = await retrying();
  await sends[0]?.resolve(rejected);
  run.notice(hasRetries);
  await turn();
  await stores[0]?.resolve(true);
  await reads[1]?.resolve([retry(5, 2)]);
  expect(sends.map(({ delivery }) => delivery.attempts)).toEqual([1, 2]);
});

it("does not read waiting rows again that are not sent any more, until that is stored", async () => {
  const { run, reads, stores } = await makeRun();
  run.notice(hasRetries);
  await turn();
  await reads[0]?.resolve(
    Array.from({ length: 100 }, (_, nth) => ({ ...retry(nth + 1, 0), body: undefined })),
  );
  expect([reads.length, stores.length]).toEqual([1, 1]);
  expect(stores[0]?.progress.finished).toHaveLength(100);
  await stores[0]?.resolve(true);
  expect(reads).toHaveLength(2);
});

/** A run with one event in flight, while retries are read. */
async function sending() {
  const made = await makeRun({ deliveries: [event(10)], readTo: 10, hasMore: false });
  made.run.notice(hasEvents);
  await turn();
  expect(numbersOf(made.sends)).toEqual([10]);
  made.run.notice(hasRetries);
  await turn();
  expect(made.reads).toHaveLength(1);
  return made;
}

it("does not send an event again that is asked for while it is in flight", async () => {
  const { sends, stores, reads, pass } = await sending();
  await reads[0]?.resolve([retry(10, 0), retry(11, 0)]);
  await pass(1000);
  expect(stores[0]?.progress.finished.map(({ event_no }) => event_no)).toEqual([10, 11]);
  await sends[0]?.resolve(accepted);
  expect(sends).toHaveLength(1);
});

it("sends an event again that is asked for after it was delivered, and before that is stored", async () => {
  const { sends, reads } = await sending();
  await sends[0]?.resolve(accepted);
  await reads[0]?.resolve([retry(10, 0)]);
  expect(sends.map(({ delivery }) => delivery.kind)).toEqual(["delivery", "retry"]);
});

describe("the events of an endpoint", () => {
  const many = Array.from({ length: 100 }, (_, nth) => event(10 + nth));
  /** A run with many events. The first ones got responses. */
  async function responded(count: number) {
    const made = await makeRun({ deliveries: many, readTo: 109, hasMore: false });
    made.run.notice(hasEvents);
    await turn();
    for (let nth = 0; nth < count; nth += 1) await made.sends[nth]?.resolve(accepted);
    return made;
  }

  it("go on while one request hangs, and while what was sent is stored", async () => {
    const { sends, stores } = await responded(1);
    // The second one hangs. The others get responses.
    for (let nth = 2; nth < sends.length; nth += 1) await sends[nth]?.resolve(accepted);
    expect(stores).toHaveLength(1);
    // Half of what may not be stored was taken by the transaction; the next ones are sent meanwhile, up to the same limit.
    expect(sends.length).toBeGreaterThan(26);
    expect(sends.length).toBeLessThanOrEqual(100);
    expect(stores[0]?.progress).toMatchObject({ cursor_event_no: 10, is_released: false });
  });

  it("are not sent further if what was sent can't be stored, and it is stored later", async () => {
    const { sends, stores, run, over } = await responded(200);
    expect(sends.length).toBeLessThanOrEqual(75);
    const taken = stores[0]?.progress.attempts.length as number;
    await stores[0]?.reject(new Error("no database"));
    run.stop();
    // It tries again a second later.
    await expect.poll(() => stores.length, { timeout: 30_000 }).toBe(2);
    expect(stores[1]?.progress.attempts.length).toBeGreaterThanOrEqual(taken);
    expect(stores[1]?.progress.is_released).toBe(true);
    await stores[1]?.resolve(true);
    await over;
  });

  it("end with the lease, of which the next process begins after the cursor", async () => {
    const { sends, stores, over } = await responded(24);
    await sends[24]?.resolve(accepted);
    await stores[0]?.resolve(false);
    const sent = sends.length;
    for (let nth = 25; nth < sent; nth += 1) await sends[nth]?.resolve(accepted);
    // Nothing more is sent, and the attempts are stored.
    expect(sends).toHaveLength(sent);
    expect(stores[1]?.progress.is_released).toBe(true);
    await stores[1]?.resolve(false);
    await over;
  });
});

it("gives the lease back when there was nothing to do for a while", async () => {
  const { stores, pass, over } = await makeRun();
  await pass(1000);
  expect(stores).toEqual([]);
  await pass(2000);
  expect(stores.map(({ progress }) => progress.is_released)).toEqual([true]);
  await stores[0]?.resolve(true);
  await over;
});

it("sends nothing when the lease could not be renewed in time", async () => {
  const { run, sends, pass } = await makeRun({ deliveries: [event(10)], readTo: 10, hasMore: false });
  // The transaction that renews it does not end.
  await pass(5000);
  run.notice(hasEvents);
  await turn();
  expect(sends).toEqual([]);
});
