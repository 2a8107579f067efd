/** Every field of every operation that reads, at both of its bounds: none makes the service fail. */
import { beforeAll, describe, expect, it } from "vitest";
import { bodyOf, errorsOf, type Operation } from "../../src/contract/operation.ts";
import { operatorOperations } from "../../src/operations/operations.ts";
import type { Body } from "../support/engine-requests.ts";
import {
  makeOperatorRecords,
  type OperatorRecords,
  soundOperatorBody,
} from "../support/operator-requests.ts";
import { operationsInRealTime, validBody } from "../support/requests.ts";
import { type Reply, testOperatorKey, useWorld } from "../support/world.ts";

const world = useWorld();
let records: OperatorRecords;
beforeAll(async () => {
  records = await makeOperatorRecords(world, world.home);
});

interface Field {
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly items?: Field;
  readonly anyOf?: readonly Field[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
}

/** The least and the most that a field takes, by its declaration. */
function boundsOf({ anyOf, ...own }: Field): unknown[] {
  const { type, format, enum: values, items, minimum, maximum, maxLength = 0, maxItems } = anyOf?.[0] ?? own;
  if (values !== undefined) return [values[0], values.at(-1)];
  if (type === "boolean") return [false, true];
  if (type === "integer") return [minimum, maximum];
  if (type === "array") {
    const [first, last] = boundsOf(items as Field);
    return [[first], items?.enum ?? Array.from({ length: maxItems ?? 1 }, () => last)];
  }
  if (format === "date") return ["0001-01-01", "9999-12-31"];
  if (format === "moment") return ["0001-01-01", "9999-12-31 23:59:59"];
  if (format === "e164") return ["+1234567", "+999999999999999"];
  if (format === "email") return ["a@b.co", `${"a".repeat(64)}@${"b".repeat(63)}.${"c".repeat(63)}.co`];
  if (format === "plain-text")
    return ["a", "😀".repeat(maxLength), "+1 ".repeat(maxLength / 3).trim(), "%_\\'"];
  return ["a", "a".repeat(maxLength)];
}

const reading = [...operationsInRealTime, ...operatorOperations].filter(
  ({ kind }) => kind === "list" || kind === "read",
);

const isOperator = ({ path }: Operation) => path.startsWith("/op/");

async function send(operation: Operation, body: Body): Promise<Reply> {
  const token = isOperator(operation) ? testOperatorKey : await world.token(world.home.everywhere);
  return world.call(operation.path, body, { token });
}

const sound = (operation: Operation): Body =>
  isOperator(operation) ? soundOperatorBody(operation, records) : validBody(operation, world.home, records);

/** The request succeeds, or is rejected by one of the errors of the operation. */
function expectResponse(operation: Operation, body: Body, reply: Reply): void {
  const told = `${JSON.stringify(body).slice(0, 300)}: ${reply.text.slice(0, 300)}`;
  expect(reply.status, told).toBeLessThan(500);
  if (!reply.body.success) expect(errorsOf(operation), told).toContain(reply.body.error.code);
  // A cursor at the bounds of its length is none that the service has made.
  else expect("after" in body && operation.kind === "list", told).toBe(false);
  if (reply.body.success && operation.kind === "list") {
    const { page = 1, per_page = 15 } = body as { page?: number; per_page?: number };
    const { total, ...pagination } = reply.body.meta.pagination;
    expect(reply.body.meta.next === null, told).toBe(page * per_page >= total);
    const [from, rows] = [(page - 1) * per_page, reply.body.data.length];
    expect(rows, told).toBe(Math.max(0, Math.min(per_page, total - from)));
    expect(pagination, told).toEqual({
      current_page: page,
      per_page,
      last_page: Math.max(1, Math.ceil(total / per_page)),
      from: rows === 0 ? 0 : from + 1,
      to: rows === 0 ? 0 : from + rows,
    });
  }
}

describe.each(reading)("$path", (operation) => {
  const fields = Object.entries(bodyOf(operation).properties as Record<string, Field>);

  it.each(fields)("takes %s at its bounds", async (name, field) => {
    for (const bound of boundsOf(field)) {
      const body: Record<string, unknown> = { ...sound(operation), [name]: bound };
      if (name === "start_date") delete body.end_date;
      if (name === "end_date") delete body.start_date;
      expectResponse(operation, body, await send(operation, body));
    }
  });

  it("takes all fields at their bounds, and each page as a page that is far or near", async () => {
    const least = Object.fromEntries(fields.map(([name, field]) => [name, boundsOf(field)[0]]));
    const most = Object.fromEntries(fields.map(([name, field]) => [name, boundsOf(field)[1]]));
    for (const body of [{}, least, most, { ...most, page: 1 }, { ...least, page: most.page ?? 1 }]) {
      const known = Object.fromEntries(Object.entries(body).filter(([name]) => name in least));
      expectResponse(operation, known, await send(operation, known));
    }
    if (operation.kind !== "list") return;
    // No filter but the ones that are required, and the pages at both bounds.
    const { required = [] } = bodyOf(operation) as { required?: readonly string[] };
    const body = Object.fromEntries(
      Object.entries(sound(operation)).filter(([name]) => required.includes(name)),
    );
    for (const page of [1, 2, Number.MAX_SAFE_INTEGER]) {
      for (const per_page of [1, 100]) {
        const reply = await send(operation, { ...body, page, per_page });
        expect(reply.status, reply.text).toBe(200);
        expectResponse(operation, { ...body, page, per_page }, reply);
      }
    }
  });
});

it("is about every list", () => {
  expect(reading.filter(({ kind }) => kind === "list").length).toBeGreaterThan(10);
});
