/** A record that an operator names with the wrong business is as absent as one that never was. */

import { beforeAll, describe, expect, it } from "vitest";
import { operatorOperations } from "../../src/operations/operations.ts";
import { holdBackgroundWrites } from "../support/background-writes.ts";
import type { Body } from "../support/engine-requests.ts";
import {
  asOperator,
  makeOperatorRecords,
  type OperatorRecords,
  operatorWrite,
  soundOperatorBody,
  validMemberLine,
  validSaleLine,
} from "../support/operator-requests.ts";
import { tableDigests } from "../support/table-digests.ts";
import { newPerson, useWorld } from "../support/world.ts";

const world = useWorld();
beforeAll(() => holdBackgroundWrites(world.sql));

let ours: OperatorRecords;
let theirs: OperatorRecords;
beforeAll(async () => {
  ours = await makeOperatorRecords(world, world.home);
  theirs = await makeOperatorRecords(world, world.away);
});

const absent = 9_007_199_254_740_000;
const idFields = ["contact_id", "location_id", "tier_id", "voucher_id", "integration_id"] as const;

/** Every operation with each of the fields by which it names a record of the business that it names. */
const namings = operatorOperations.flatMap((operation) =>
  idFields.filter((field) => field in operation.input.properties).map((field) => ({ operation, field })),
);

const filters = new Set([
  ...["/op/transactions/list", "/op/sales/list", "/op/audit/list", "/op/businesses/find"],
  ...["/op/events/list", "/op/requests/list", "/op/requests/counts"],
]);

/** All that the other business has, to see that nothing of it changed. */
const everythingOfTheirs = () => tableDigests(world.sql, [], world.away.businessId);

describe("a record of another business", () => {
  it.each(namings)("is absent: $field of $operation.path", async ({ operation, field }) => {
    const before = await everythingOfTheirs();
    const send = async (value: number) => {
      const body: Body = { ...soundOperatorBody(operation, ours), [field]: value };
      if ("location_ids" in body) body.location_ids = [ours.location_id];
      const { exactlyOneOf = [] } = operation;
      for (const other of exactlyOneOf.includes(field) ? exactlyOneOf : [])
        if (other !== field) delete body[other];
      return asOperator(world, operation.path, body);
    };
    const [foreign, none] = [await send(theirs[field]), await send(absent)];
    expect(foreign.status).toBe(none.status);
    expect(foreign.text.replaceAll(String(theirs[field]), "…")).toBe(
      none.text.replaceAll(String(absent), "…"),
    );
    // The list filters by what is named, and the search finds no business that has all of it; everything else rejects it.
    const responses = filters.has(operation.path);
    expect(foreign.status).toBe(responses ? 200 : 404);
    expect(await everythingOfTheirs()).toEqual(before);
  });

  it.each(["/op/integrations/create", "/op/integrations/update"])(
    "is no location that an integration could be given: %s",
    async (path) => {
      const operation = operatorOperations.find((known) => known.path === path)!;
      const location_ids = [ours.location_id, theirs.location_id];
      const reply = await asOperator(world, path, { ...soundOperatorBody(operation, ours), location_ids });
      expect(reply.body.error).toEqual({
        code: "location_not_found",
        details: { location_ids: [theirs.location_id] },
      });
    },
  );

  it("is nobody to whom a sale could be imported, nor a place of one", async () => {
    const phone_number = newPerson().phone_number;
    await world.member({ phone_number }, world.away.everywhere);
    const line = validMemberLine(1, { external_ref: "only theirs" });
    await operatorWrite(world, "/op/imports/members", { business_id: theirs.business_id, lines: [line] });
    const before = await everythingOfTheirs();
    const { contact_id, business_id } = ours;
    const result = await operatorWrite(world, "/op/imports/sales", {
      business_id,
      lines: [
        validSaleLine(1, { contact_id: theirs.contact_id }),
        validSaleLine(2, { phone_number }),
        validSaleLine(3, { external_ref: "only theirs" }),
        validSaleLine(4, { contact_id, location_id: theirs.location_id }),
      ],
    });
    expect(result.imported).toBe(0);
    expect(result.rejected.map(({ field, code }: Body) => [field, code])).toEqual([
      ["contact_id", "member_not_found"],
      ["phone_number", "member_not_found"],
      ["external_ref", "member_not_found"],
      ["location_id", "location_not_found"],
    ]);
    expect(await everythingOfTheirs()).toEqual(before);
  });

  it("keeps neither phone number, nor e-mail address, nor digest from being used here", async () => {
    const line = validMemberLine(1);
    for (const business_id of [theirs.business_id, ours.business_id]) {
      const result = await operatorWrite(world, "/op/imports/members", { business_id, lines: [line] });
      expect(result).toEqual({ imported: 1, skipped: 0, rejected: [] });
    }
  });
});

/** Lists and exports, with the name of what they list, but for those of one member or endpoint. */
const lists = operatorOperations.filter(
  ({ path, input }) =>
    /(list|exports\/\w+)$/.test(path) &&
    "business_id" in input.properties &&
    !["contact_id", "endpoint_id"].some((name) => input.required?.includes(name)),
);

it.each(lists)("a list holds nothing of another business: $path", async (operation) => {
  const { path, kind } = operation;
  const everything = async (records: OperatorRecords) => {
    const { business_id } = records;
    await operatorWrite(world, "/op/locations/create", { business_id, name: "Another" });
    await operatorWrite(world, "/op/businesses/update", { business_id, events_enabled: true });
    const { location_id, contact_id } = records;
    const adjustment = { location_id, contact_id, amount: 5, adjustment_type: "credit" };
    const own = records === ours ? world.home.everywhere : world.away.everywhere;
    await world.write("/sp/wallet/adjust", adjustment, own);
    await world.write("/sp/wallet/adjust", {}, own);
    const { body } = await asOperator(
      world,
      path,
      kind === "list" ? { business_id, per_page: 100 } : { business_id },
    );
    return (Array.isArray(body.data) ? body.data : Object.values(body.data)[0]) as Body[];
  };
  const id = /transactions|sales|exports.vouchers/.test(path)
    ? "contact_id"
    : new Map<string, string>([
        ["/op/events/list", "timestamp"],
        ["/op/requests/list", "request_id"],
      ]).get(path);
  const [mine, other] = [await everything(ours), await everything(theirs)];
  expect(mine.length).toBeGreaterThan(0);
  expect(other.length).toBeGreaterThan(0);
  const idOf = (row: Body) => row[id ?? Object.keys(row)[0]!];
  const ids = new Set(mine.map(idOf));
  expect(other.filter((row) => ids.has(idOf(row)))).toEqual([]);
});
