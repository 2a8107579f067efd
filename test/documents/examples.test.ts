/** The examples of the documents are one story: what a response says of a field is what its request said. */
import { describe, expect, it } from "vitest";
import { operatorOperations, partnerOperations } from "../../src/operations/operations.ts";
import { operationExample } from "../../tools/docs/examples.ts";
import type { Json, JsonObject } from "../../tools/docs/schemas.ts";

const operations = [...partnerOperations, ...operatorOperations];

/** The records of a response: its data, or the items of its list. */
const recordsOf = (data: Json) => (Array.isArray(data) ? data : [data]) as JsonObject[];

describe.each(operations)("the example of $path", (operation) => {
  const { request, response } = operationExample(operation);
  const records = recordsOf(response.data);

  it("is a success with content", () => {
    expect(response.success).toBe(true);
    expect(records.length).toBeGreaterThan(0);
  });

  it("returns the values that were sent", () => {
    for (const record of records) {
      // The card that replaces another one has another code, and the referrals of a member are those of others, too.
      const isOther = (name: string) =>
        (name === "card_code" && request.new_card_code !== undefined) ||
        (name === "contact_id" && record.referrer_contact_id === request.contact_id);
      const same = Object.keys(request).filter((name) => name in record && !isOther(name));
      expect(pick(record, same)).toEqual(pick(request, same));
    }
  });
});

const searches = operations.filter((operation) => "search" in operationExample(operation).request);

it.each(searches)("the example of $path finds what it searches for", (operation) => {
  const { request, response } = operationExample(operation);
  for (const record of recordsOf(response.data)) {
    const plain = JSON.stringify(record).normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();
    expect(plain).toContain(request.search);
  }
});

const pick = (record: JsonObject, names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, record[name]]));

it("is of one member, whose number, names and balances agree from request to request", () => {
  const of = (path: string) => {
    const operation = operations.find((each) => each.path === path);
    if (operation === undefined) throw new Error(`${path} is no operation`);
    return operationExample(operation);
  };
  // biome-ignore lint/suspicious/noExplicitAny: the test looks at responses of every shape
  const data = (path: string) => of(path).response.data as Record<string, any>;
  const found = data("/sp/members/find");
  // A merge needs a second member.
  const ofMember = operations
    .filter(({ path }) => !path.endsWith("/merge"))
    .map(({ path }) => of(path).request.contact_id)
    .filter((id) => id !== undefined);
  const joined = ["/sp/members/create", "/op/members/create"].map((path) => data(path).contact_id);
  expect(new Set(ofMember)).toEqual(new Set([found.contact_id, ...joined]));

  const [recorded, refunded] = [data("/sp/sales/record"), data("/sp/sales/refund")];
  expect(recorded.amount).toBe(recorded.wallet_used + recorded.amount_due);
  expect(refunded.refunded).toBe(refunded.wallet_back + refunded.money_back);
  expect(refunded.refunded + refunded.refundable).toBe(recorded.amount);
  expect(refunded.balances).toEqual({
    ...recorded.balances,
    wallet: recorded.balances.wallet + refunded.wallet_back,
    points: recorded.balances.points - refunded.points_clawed,
    sales: recorded.balances.sales - refunded.refunded,
  });
  const got = data("/sp/sales/get");
  expect(got.refunds.map(({ amount }: { amount: number }) => amount)).toEqual([refunded.refunded]);
  expect(got.refundable).toBe(refunded.refundable);
  const reversed = data("/sp/reward-points/reverse");
  expect(data("/sp/reward-points/redeem").points).toBe(reversed.points_back);
  const { wallet, points, sales } = data("/sp/members/balances");
  expect(reversed.balances).toMatchObject({ wallet, points, sales });
  const left = recordsOf(of("/sp/reward-points/list").response.data).map((lot) => Number(lot.left));
  expect(left.reduce((sum, each) => sum + each, 0)).toBe(points);
});
