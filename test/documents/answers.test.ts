/** Live answers of every operation are what the documents promise. */
import { beforeAll, describe, expect, it } from "vitest";
import type { Operation } from "../../src/contract/operation.ts";
import { operatorOperations } from "../../src/operations/operator.ts";
import { departures } from "../support/document.ts";
import type { Records } from "../support/engine-requests.ts";
import {
  makeOperatorRecords,
  type OperatorRecords,
  soundOperatorBody,
} from "../support/operator-requests.ts";
import { isWrite, makeRecords, operationsInRealTime, validBody } from "../support/requests.ts";
import { type CallOptions, type Reply, testOperatorKey, useWorld } from "../support/world.ts";

const world = useWorld({ LOYALTY_RATE_LIMIT: "1000" });
/** Two requests at once, then one a second. */
const limited = useWorld({ LOYALTY_RATE_LIMIT: "1" });

let records: Records;
let operatorRecords: OperatorRecords;

beforeAll(async () => {
  records = await makeRecords(world, world.home);
  operatorRecords = await makeOperatorRecords(world, world.home);
});

async function expectAsDocumented(path: string, reply: Reply, status: number): Promise<void> {
  expect(reply.status, reply.text).toBe(status);
  expect(departures(path, reply)).toEqual([]);
}

interface Probe {
  readonly when: string;
  readonly status: number;
  readonly only?: (operation: Operation) => boolean;
  readonly send: (path: string, body: object, options: CallOptions) => Promise<Reply>;
}

const hasToken = (operation: Operation) => operation.kind !== "token";

/** What can be wrong with a request to any operation. */
const probes: readonly Probe[] = [
  {
    when: "there is a query string",
    status: 400,
    send: (path, body, options) => world.call(`${path}?a=1`, body, options),
  },
  {
    when: "the body is no JSON",
    status: 400,
    send: (path, _body, options) => world.call(path, "{", options),
  },
  {
    when: "a legacy field is sent",
    status: 400,
    send: (path, body, options) => world.call(path, { ...body, api_key: "1" }, options),
  },
  {
    when: "the key is missing",
    status: 400,
    only: isWrite,
    send: (path, body, options) => world.call(path, { ...body, idempotency_key: undefined }, options),
  },
  { when: "there is no token", status: 401, only: hasToken, send: (path, body) => world.call(path, body) },
  {
    when: "the token is none",
    status: 401,
    only: hasToken,
    send: (path, body) => world.call(path, body, { token: "none" }),
  },
  {
    when: "the body is too large",
    status: 413,
    send: (path, _body, options) => world.call(path, " ".repeat(5_000_000), options),
  },
  {
    when: "the content type is another",
    status: 415,
    send: (path, body, options) =>
      world.call(path, body, { ...options, headers: { "content-type": "text/plain" } }),
  },
  {
    when: "a field is unknown",
    status: 422,
    send: (path, body, options) => world.call(path, { ...body, unheard_of: 1 }, options),
  },
];

describe.each([
  ["partner", operationsInRealTime],
  ["operator", operatorOperations],
] as const)("the answers to %s operations", (audience, operations) => {
  const body = (operation: Operation) =>
    audience === "partner"
      ? validBody(operation, world.home, records)
      : soundOperatorBody(operation, operatorRecords);
  const options = async (): Promise<CallOptions> => ({
    token: audience === "partner" ? await world.token() : testOperatorKey,
  });

  describe.each(operations.map((operation) => [operation.path, operation] as const))(
    "%s",
    (path, operation) => {
      it.each(probes.filter(({ only }) => only?.(operation) ?? true))(
        "when $when: $status",
        async (probe) => {
          const reply = await probe.send(path, body(operation), await options());
          await expectAsDocumented(path, reply, probe.status);
        },
      );

      it("when all is well", async () => {
        // Whatever a request before this one deleted is there again.
        records = await makeRecords(world, world.home);
        operatorRecords = await makeOperatorRecords(world, world.home);
        const sent = body(operation);
        const status = "status" in operation ? operation.status : 200;
        await expectAsDocumented(path, await world.call(path, sent, await options()), status);
        if (!isWrite(operation)) return;
        const again = await world.call(path, sent, await options());
        expect(again.headers.get("idempotent-replayed")).toBe("true");
        await expectAsDocumented(path, again, status);
      });
    },
  );
});

it("documents the answer to one request too many", async () => {
  const path = "/sp/member-tiers/list";
  await limited.token();
  const replies = await Promise.all(Array.from({ length: 4 }, () => limited.ask(path, {})));
  const refused = replies.find(({ status }) => status === 429);
  await expectAsDocumented(path, refused as Reply, 429);
});

it("tells of what a document does not say", async () => {
  const path = "/sp/member-tiers/list";
  const reply = await world.ask(path, {});
  const { data } = reply.body;
  const answers: [what: string, answer: Partial<Reply>][] = [
    ["additional properties", { body: { ...reply.body, more: 1 } }],
    ["additional properties", { body: { ...reply.body, data: [{ ...data[0], more: 1 }] } }],
    ["required property", { body: { ...reply.body, data: [{ ...data[0], tier_id: undefined }] } }],
    ["which the document does not know", { status: 418 }],
    ["the header X-Request-Id is missing", { headers: new Headers() }],
    [
      "the header retry-after is not declared",
      { headers: new Headers([...reply.headers, ["retry-after", "1"]]) },
    ],
  ];
  for (const [what, answer] of answers) {
    expect(departures(path, { ...reply, ...answer }).join()).toContain(what);
  }
});
