/** What a caller may not see: the records of another business, and the locations that it was not given. */

import { beforeAll, describe, expect, it } from "vitest";
import type { Operation } from "../../src/contract/operation.ts";
import { holdBackgroundWrites } from "../support/background-writes.ts";
import { sumDue } from "../support/due.ts";
import type { Body, Records } from "../support/engine-requests.ts";
import { operatorWrite } from "../support/operator-requests.ts";
import { makeRecords, operationsInRealTime, validBody } from "../support/requests.ts";
import { makeSandbox } from "../support/sandbox.ts";
import { tableDigests } from "../support/table-digests.ts";
import { type Business, type Credentials, nextKey, type Reply, useWorld } from "../support/world.ts";

const world = useWorld();
beforeAll(() => holdBackgroundWrites(world.sql));

let ours: Records;
let theirs: Records;
beforeAll(async () => {
  ours = await makeRecords(world, world.home);
  theirs = await makeRecords(world, world.away);
});

const absent = 9_007_199_254_740_000;
const idFields = [
  ...(["contact_id", "location_id", "benefit_id", "program_id", "tier_id", "voucher_id"] as const),
  "endpoint_id" as const,
];

/** Every operation with each of the fields by which it names a record. */
const namings = operationsInRealTime.flatMap((operation) =>
  idFields.filter((field) => field in operation.input.properties).map((field) => ({ operation, field })),
);

/** All that the other business has, to see that nothing of it changed. */
const everythingOfTheirs = () => tableDigests(world.sql, [], world.away.businessId);

describe("a record of another business", () => {
  it.each(namings)(
    "is as absent as one that never was: $field of $operation.path",
    async ({ operation, field }) => {
      const before = await everythingOfTheirs();
      const send = async (value: number): Promise<Reply> =>
        world.ask(operation.path, { ...validBody(operation, world.home, ours), [field]: value });
      const [foreign, none] = [await send(theirs[field]), await send(absent)];
      expect(foreign.status).toBe(none.status);
      // A rejected location is named in the details; nothing else may differ.
      expect(foreign.text.replaceAll(String(theirs[field]), "…")).toBe(
        none.text.replaceAll(String(absent), "…"),
      );
      expect(await everythingOfTheirs()).toEqual(before);
    },
  );

  it("is there for its own business all the same", async () => {
    // A tier or an endpoint is deleted once, and a voucher redeemed once.
    const once = new Set(["/sp/member-tiers/delete", "/sp/webhook-endpoints/delete"]);
    for (const { operation, field } of namings) {
      if (once.has(operation.path)) continue;
      if (operation.path === "/sp/vouchers/redeem") once.add(operation.path);
      const body = validBody(operation, world.away, theirs);
      const reply = await world.ask(operation.path, body, world.away.everywhere);
      expect(reply.body.success, `${operation.path} ${field}`).toBe(true);
    }
  });

  it("is in no list", async () => {
    const { home } = world;
    const tiers = await world.ask("/sp/member-tiers/list", {});
    expect(tiers.body.data.map(({ tier_id }: { tier_id: number }) => tier_id)).toEqual([
      ...home.tierIds,
      ours.tier_id,
    ]);
    const search = "mine alone";
    await world.member({ first_name: search }, world.away.everywhere);
    expect((await world.ask("/sp/members/list", { search })).body.data).toEqual([]);
    const adjustment = { points: 5, adjustment_type: "credit", reference_id: "theirs" };
    const { contact_id } = theirs;
    await world.write("/sp/reward-points/adjust", { contact_id, ...adjustment }, world.away.everywhere);
    const { body } = await world.ask("/sp/transactions/list", { per_page: 100 });
    const references = body.data.map(({ reference_id }: { reference_id: string }) => reference_id);
    expect(references).not.toContain("theirs");
    expect(body.meta.pagination.total).toBe(references.length);
  });
});

describe("two businesses", () => {
  it("have reward settings of their own", async () => {
    const path = "/sp/reward-settings/update";
    await world.write(path, { rp_name: "Ours", rp_sales_calculation_period: 3 });
    const { body } = await world.write(path, { rp_name: "Theirs" }, world.away.everywhere);
    expect(body.data).toMatchObject({
      rp_name: "Theirs",
      rp_sales_calculation_period: 12,
    });
    const again = await world.write(path, { rp_sales_calculation_period: 4 });
    expect(again.body.data.rp_name).toBe("Ours");
  });

  it("may use the same idempotency key, and so may two integrations of one", async () => {
    const idempotency_key = nextKey();
    const names = [world.home.everywhere, world.home.limited, world.away.everywhere].map(
      async (credentials, index) => {
        const title = `Benefit ${index}`;
        const location_id = (index === 2 ? theirs : ours).location_id;
        const body = { idempotency_key, title, amount: 1, location_id };
        const reply = await world.ask("/sp/wallet/topup-benefits/create", body, credentials);
        expect(reply.status).toBe(201);
        return reply.body.data.title;
      },
    );
    expect(await Promise.all(names)).toEqual(["Benefit 0", "Benefit 1", "Benefit 2"]);
  });
});

describe("an integration that is limited to some locations", () => {
  const withLocation = operationsInRealTime.filter(
    (operation) => "location_id" in operation.input.properties,
  );
  /** A payment can be reversed only once, and a voucher redeemed once. */
  const newRecord = async ({ path }: Operation) => {
    const { buyer_contact_id: contact_id, location_id, voucher_id } = ours;
    if (path === "/sp/wallet/reverse") {
      const paid = await world.write("/sp/wallet/pay", { contact_id, location_id, amount: 1 });
      return { movement_id: paid.body.data.movement_id };
    }
    if (path === "/sp/vouchers/redeem") {
      const issued = await world.write("/sp/vouchers/issue", { contact_id, voucher_id });
      return { held_voucher_id: issued.body.data.held_voucher_id };
    }
    return {};
  };
  const send = async (operation: Operation, location_id: number, as: "limited" | "everywhere") => {
    const body = { ...validBody(operation, world.home, ours), location_id };
    return world.ask(operation.path, { ...body, ...(await newRecord(operation)) }, world.home[as]);
  };

  it.each(withLocation)("may name those, and no others: $path", async (operation) => {
    const [first, second, third] = world.home.locationIds;
    for (const allowed of [first, second]) {
      expect((await send(operation, allowed, "limited")).body.success).toBe(true);
    }
    for (const rejected of [third, absent, theirs.location_id]) {
      const reply = await send(operation, rejected, "limited");
      expect(reply.status).toBe(403);
      expect(reply.body.error).toEqual({
        code: "sp_location_not_allowed",
        details: { location_id: rejected },
      });
    }
    expect((await send(operation, third, "everywhere")).body.success).toBe(true);
  });

  it.each(withLocation)("may name one as soon as it was given to it: $path", async (operation) => {
    const [location] = await world.sql<[{ location_id: number }]>`
      INSERT INTO location (business_id, name) VALUES (${world.home.businessId}, 'New') RETURNING location_id`;
    const { location_id } = location;
    expect((await send(operation, location_id, "everywhere")).body.success).toBe(true);
    expect((await send(operation, location_id, "limited")).status).toBe(403);
    await world.sql`
      UPDATE integration SET location_ids = location_ids || ${location_id}::bigint
      WHERE integration_id = ${world.home.limited.integrationId}`;
    expect((await send(operation, location_id, "limited")).body.success).toBe(true);
  });

  it("sees that a voucher was used, and not in which sale elsewhere", async () => {
    const { home } = world;
    const { contact_id, voucher_id } = await makeRecords(world, home);
    const [first, , third] = home.locationIds;
    const used: number[] = [];
    for (const location_id of [first, third]) {
      const issued = await world.write("/sp/vouchers/issue", { contact_id, voucher_id });
      const use_vouchers = [issued.body.data.held_voucher_id];
      const sale = { contact_id, location_id, amount: 100, use_vouchers };
      used.push((await world.write("/sp/sales/record", sale)).body.data.sale_id);
    }
    const sales = async (as: "limited" | "everywhere") => {
      const { body } = await world.ask("/sp/vouchers/list", { contact_id }, home[as]);
      return body.data.map(({ status, sale_id }: Body) => [status, sale_id]);
    };
    expect(await sales("everywhere")).toEqual([
      ["redeemed", used[1]],
      ["redeemed", used[0]],
    ]);
    expect(await sales("limited")).toEqual([
      ["redeemed", null],
      ["redeemed", used[0]],
    ]);
  });

  it("sees the entries of those and the ones that have no location", async () => {
    const { home } = world;
    const { contact_id } = await makeRecords(world, home);
    const [first, second, third] = home.locationIds;
    for (const [index, location_id] of [first, second, third].entries()) {
      const adjustment = { contact_id, location_id, amount: index + 1, adjustment_type: "credit" };
      expect((await world.write("/sp/wallet/adjust", adjustment)).status).toBe(200);
    }
    await world.write("/sp/reward-points/adjust", { contact_id, points: 9, adjustment_type: "credit" });
    const amounts = async (as: "limited" | "everywhere", filter = {}) => {
      const { body } = await world.ask("/sp/transactions/list", { contact_id, ...filter }, home[as]);
      expect(body.meta.pagination.total).toBe(body.data.length);
      return body.data.map(({ amount }: { amount: number }) => amount);
    };
    expect(await amounts("everywhere")).toEqual([9, 3, 2, 1]);
    expect(await amounts("limited")).toEqual([9, 2, 1]);
    expect(await amounts("limited", { location_id: second })).toEqual([2]);
    expect(await amounts("everywhere", { location_id: third })).toEqual([3]);
  });

  it("sees the vouchers of those and the ones that have no location", async () => {
    const { vouchers, locationIds, limited } = world.home;
    const get = (voucher_id: number) => world.ask("/sp/vouchers/get", { voucher_id }, limited);
    expect((await get(vouchers.everywhere)).status).toBe(200);
    expect((await get(vouchers.first)).status).toBe(200);
    const { status, body } = await get(vouchers.third);
    expect(status).toBe(403);
    expect(body.error).toEqual({
      code: "sp_location_not_allowed",
      details: { location_id: locationIds[2] },
    });
    expect((await world.ask("/sp/vouchers/get", { voucher_id: vouchers.third })).status).toBe(200);
  });

  it("sees the points of all locations, but not which sale earned them elsewhere", async () => {
    // The program of a sandbox earns; that of the other businesses does not.
    const shop = await makeSandbox(world, "2026-01-10 09:00:00");
    const { businessId: business_id, locationId: here } = shop;
    const { location_id: there } = await operatorWrite(world, "/op/locations/create", {
      business_id,
      name: "Elsewhere",
    });
    const limited = await world.integration({ businessId: business_id } as Business, { locationIds: [here] });
    const contact_id = await shop.member();
    const sales: number[] = [];
    for (const [location_id, reference_id] of [
      [here, "receipt-here"],
      [there, "receipt-there"],
    ]) {
      const sale = { contact_id, location_id, amount: 1000, reference_id };
      sales.push((await shop.write("/sp/sales/record", sale)).sale_id);
    }
    const list = async (as?: Credentials) =>
      (await world.ask("/sp/reward-points/list", { contact_id }, as ?? shop.credentials)).body;
    const [seenHere, seenThere] = [
      { sale_id: sales[0], reference_id: "receipt-here", left: 10 },
      { sale_id: sales[1], reference_id: "receipt-there", left: 10 },
    ];
    expect((await list()).data).toMatchObject([seenThere, seenHere]);
    const seen = await list(limited);
    expect(seen.data).toMatchObject([
      { source: "sale", sale_id: null, reference_id: null, left: 10 },
      seenHere,
    ]);
    expect(seen.meta.pagination.total).toBe(2);
    expect(JSON.stringify(seen)).not.toContain("receipt-there");

    // Lots that are due and not settled come from another part of the statement.
    await world.sql`
      UPDATE points_lot SET expires_on = '2026-01-10' WHERE business_id = ${business_id}`;
    await sumDue(world.sql, business_id);
    const request = { contact_id, include_closed: true };
    const due = await world.ask("/sp/reward-points/list", request, limited);
    expect(due.body.data).toMatchObject([
      { sale_id: null, reference_id: null, expired: 10 },
      { sale_id: sales[0], reference_id: "receipt-here", expired: 10 },
    ]);
  });

  it("may change the benefits of those, and no others", async () => {
    const { locationIds, limited } = world.home;
    const change = async (location_id: number) => {
      const made = await world.write("/sp/wallet/topup-benefits/create", {
        title: "Before",
        amount: 5,
        location_id,
      });
      const { benefit_id } = made.body.data;
      const body = { benefit_id, title: "After" };
      const reply = await world.write("/sp/wallet/topup-benefits/update", body, limited);
      const [row] = await world.sql`SELECT title FROM topup_benefit WHERE benefit_id = ${benefit_id}`;
      return [reply.status, row!.title];
    };
    expect(await change(locationIds[0])).toEqual([200, "After"]);
    expect(await change(locationIds[2])).toEqual([403, "Before"]);
  });

  it("may not look at an earlier response about a location that was taken from it", async () => {
    const [first, second] = world.home.locationIds;
    const moved = await world.integration(world.home, { locationIds: [first] });
    const made = await world.write("/sp/wallet/topup-benefits/create", {
      title: "A",
      amount: 5,
      location_id: first,
    });
    const { benefit_id } = made.body.data;
    const body = { idempotency_key: nextKey(), benefit_id, title: "B" };
    expect((await world.ask("/sp/wallet/topup-benefits/update", body, moved)).status).toBe(200);
    const change = {
      integration_id: moved.integrationId,
      business_id: world.home.businessId,
      location_ids: [second],
    };
    await operatorWrite(world, "/op/integrations/update", change);
    for (const again of [body, { ...body, title: "C" }]) {
      const reply = await world.ask("/sp/wallet/topup-benefits/update", again, moved);
      expect(reply.body.error).toEqual({ code: "sp_location_not_allowed", details: { location_id: first } });
    }
  });

  it("may use none when it was given none", async () => {
    const none = await world.integration(world.home, { locationIds: [] });
    const { contact_id } = ours;
    const adjustment = { contact_id, amount: 5, adjustment_type: "credit" };
    for (const location_id of world.home.locationIds) {
      const reply = await world.write("/sp/wallet/adjust", { ...adjustment, location_id }, none);
      expect(reply.body.error.code).toBe("sp_location_not_allowed");
    }
    const points = { contact_id, points: 5, adjustment_type: "credit" };
    expect((await world.write("/sp/reward-points/adjust", points, none)).status).toBe(200);
  });
});
