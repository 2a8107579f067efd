import { describe, expect, it } from "vitest";
import type { LeasedEndpoint } from "../database/webhooks/leases.ts";
import { EndpointRun, type RunPorts, storeAfterDeliveries } from "./endpoint-run.ts";
import type { EventBatch, EventDelivery } from "./messages.ts";
import type { Response } from "./request.ts";

const endpoint: LeasedEndpoint = {
  ...{
    business_id: 1,
    endpoint_id: 3,
    lease: "process 1",
    url: "https://example.com/",
    types: ["*"],
    headers: null,
  },
  ...{ max_in_flight: 8, ordered: false, status: "enabled", disabled_reason: null, failures: 0 },
  ...{ failing_seconds: null, cursor_event_no: 9, location_ids: null, secrets: [] },
};

const noEvents: EventBatch = { deliveries: [], readTo: 9, hasMore: false };
const refused: Response = { status: 500, error: null, body: "" };
const accepted: Response = { status: 204, error: null, body: "" };

/** A retry as it is stored. @param attempts that have failed */
const retry = (event_no: number, attempts: number): EventDelivery => ({
  ...{ event_no, attempts, kind: "retry", id: `evt_1_${event_no}`, body: "{}", recordedAt: 0 },
});

/** What was asked of a port, and how its caller gets the result. */
interface Asked<Result> {
  readonly resolve: (result: Result) => Promise<void>;
}

/** A run whose reads and requests end when the test says so. */
function makeRun(batch = noEvents) {
  const reads: Asked<readonly EventDelivery[]>[] = [];
  const sends: (Asked<Response> & { readonly delivery: EventDelivery })[] = [];
  const later = <Result>() => {
    let resolve: (result: Result) => void = () => undefined;
    const promise = new Promise<Result>((resolved) => {
      resolve = resolved;
    });
    const settled = async (result: Result) => {
      resolve(result);
      await new Promise((done) => setImmediate(done));
    };
    return { promise, resolve: settled };
  };
  const ports: RunPorts = {
    readEvents: async () => batch,
    readOthers: () => {
      const { promise, resolve } = later<readonly EventDelivery[]>();
      reads.push({ resolve });
      return promise;
    },
    send: (_endpoint, delivery) => {
      const { promise, resolve } = later<Response>();
      sends.push({ delivery, resolve });
      return promise;
    },
    hasRoom: () => true,
    changed: () => undefined,
    readNewest: async () => undefined,
    skipped: async () => undefined,
    failed: (_run, error) => {
      throw error;
    },
    clock: () => 0,
    chance: () => 0.5,
  };
  const run = new EndpointRun(endpoint, 30_000, ports);
  return { run, reads, sends };
}

const hasRetries = { has_events: false, has_others: true };

/** A run that sends a retry for the second time, while it reads again what is due. */
async function overlapping() {
  const { run, reads, sends } = makeRun();
  run.notice(hasRetries);
  await reads[0]?.resolve([retry(5, 1)]);
  expect(sends.map(({ delivery }) => delivery.attempts)).toEqual([1]);
  run.notice(hasRetries);
  expect(reads).toHaveLength(2);
  return { run, reads, sends };
}

describe.each([
  ["failed", refused],
  ["was delivered", accepted],
])("a retry that %s while the retries that are due are read", (_outcome, response) => {
  it("is not sent again if it was stored before the read ended", async () => {
    const { run, reads, sends } = await overlapping();
    await sends[0]?.resolve(response);
    run.saved(run.takeProgress());
    // The read began before the commit, so it returns the row as it was.
    await reads[1]?.resolve([retry(5, 1)]);
    expect(sends).toHaveLength(1);
  });

  it("is not sent again if it is being stored when the read ends", async () => {
    const { run, reads, sends } = await overlapping();
    await sends[0]?.resolve(response);
    const progress = run.takeProgress();
    await reads[1]?.resolve([retry(5, 1)]);
    run.saved(progress);
    run.advance();
    expect(sends).toHaveLength(1);
  });

  it("is not sent again if it could not be stored", async () => {
    const { run, reads, sends } = await overlapping();
    await sends[0]?.resolve(response);
    run.putBack(run.takeProgress());
    await reads[1]?.resolve([retry(5, 1)]);
    expect(sends).toHaveLength(1);
  });
});

it("sends a retry again when a later read finds it due", async () => {
  const { run, reads, sends } = await overlapping();
  await sends[0]?.resolve(refused);
  run.saved(run.takeProgress());
  await reads[1]?.resolve([retry(5, 1)]);
  run.notice(hasRetries);
  await reads[2]?.resolve([retry(5, 2)]);
  expect(sends.map(({ delivery }) => delivery.attempts)).toEqual([1, 2]);
});

it("does not read waiting rows again that are not sent any more, until that is stored", async () => {
  const { run, reads } = makeRun();
  const rows = Array.from({ length: 100 }, (_, index) => ({ ...retry(index + 1, 0), body: undefined }));
  run.notice(hasRetries);
  await reads[0]?.resolve(rows);
  expect(reads).toHaveLength(1);
  // So many are stored at once.
  expect(run.unsavedDeliveries).toBeGreaterThanOrEqual(storeAfterDeliveries);
  const progress = run.takeProgress();
  run.advance();
  expect(reads).toHaveLength(1);
  run.saved(progress);
  run.advance();
  expect(reads).toHaveLength(2);
});

/** A run with one event, which is in flight. */
async function sending() {
  const event = { ...retry(10, 0), kind: "delivery" } as const;
  const made = makeRun({ deliveries: [event], readTo: 10, hasMore: false });
  made.run.notice({ has_events: true, has_others: false });
  await new Promise((done) => setImmediate(done));
  expect(made.sends.map(({ delivery }) => delivery.kind)).toEqual(["delivery"]);
  made.run.notice(hasRetries);
  expect(made.reads).toHaveLength(1);
  return made;
}

it("does not send an event again that is asked for while it is in flight", async () => {
  const { run, reads, sends } = await sending();
  await reads[0]?.resolve([retry(10, 0), retry(11, 0)]);
  expect(run.takeProgress().finished.map(({ event_no }) => event_no)).toEqual([10, 11]);
  await sends[0]?.resolve(accepted);
  expect(sends).toHaveLength(1);
});

it("sends an event again that is asked for after it was delivered, and before that is stored", async () => {
  const { reads, sends } = await sending();
  await sends[0]?.resolve(accepted);
  await reads[0]?.resolve([retry(10, 0)]);
  expect(sends.map(({ delivery }) => delivery.kind)).toEqual(["delivery", "retry"]);
});

it("sends other retries that the same read finds", async () => {
  const { run, reads, sends } = await overlapping();
  await sends[0]?.resolve(accepted);
  run.saved(run.takeProgress());
  await reads[1]?.resolve([retry(5, 1), retry(6, 3)]);
  expect(sends.map(({ delivery }) => delivery.event_no)).toEqual([5, 6]);
});
