/** An operation has one reference: the caller's, or else a generated one. Its entries, its record, its event and its response have it. */

import { beforeAll, describe, expect, it } from "vitest";
import { lastEventNo } from "../../src/database/events.ts";
import { lastEntryNo } from "../../src/database/ledger/ledger.ts";
import { partnerOperations } from "../../src/operations/operations.ts";
import type { Body } from "../support/engine-requests.ts";
import { asOperator, operatorWrite } from "../support/operator-requests.ts";
import { makeSandbox, type Sandbox } from "../support/sandbox.ts";
import { nextKey, useWorld } from "../support/world.ts";

const world = useWorld();
let shop: Sandbox;
let gift: number;
let coffee: number;
let locationId: number;

beforeAll(async () => {
  shop = await makeSandbox(world, "2026-01-10 09:00:00");
  ({ locationId } = shop);
  const { businessId: business_id } = shop;
  await operatorWrite(world, "/op/businesses/update", { business_id, events_enabled: true });
  const define = async (coupon_code: string, coupon_value: number) => {
    const definition = { campaign_name: "Test", coupon_code, coupon_value, points_price: 10 };
    return (await operatorWrite(world, "/op/vouchers/create", { business_id, ...definition })).voucher_id;
  };
  gift = await define("GIFT", 500);
  coffee = await define("COFFEE", 0);
});

const write = (path: string, body: Body) => shop.write(path, body);
const erase = (contact_id: number) =>
  operatorWrite(world, "/op/members/erase", {
    business_id: shop.businessId,
    contact_id,
    reason: "Asked",
  });
const own = () => ({ reference_id: nextKey() });

interface Case {
  readonly path: string;
  readonly of: string;
  /** Prepares the request. */
  readonly make: (contactId: number) => Promise<Body> | Body;
  /** Whether it adds no entries. */
  readonly isSilent?: true;
}

const topUp = (contact_id: number, more: Body = {}) =>
  write("/sp/wallet/topup", { contact_id, location_id: locationId, amount: 1000, ...more });
const sell = (contact_id: number, amount: number, more: Body = {}) =>
  write("/sp/sales/record", { contact_id, location_id: locationId, amount, ...own(), ...more });
const issue = async (contact_id: number, voucher_id: number): Promise<number> =>
  (await write("/sp/vouchers/issue", { contact_id, voucher_id, ...own() })).held_voucher_id;
const credit = (contact_id: number) =>
  write("/sp/reward-points/adjust", { contact_id, points: 100, adjustment_type: "credit" });

const cases: readonly Case[] = [
  {
    path: "/sp/wallet/adjust",
    of: "money",
    make: (contact_id) => ({ contact_id, location_id: locationId, amount: 5, adjustment_type: "credit" }),
  },
  {
    path: "/sp/reward-points/adjust",
    of: "points",
    make: (contact_id) => ({ contact_id, points: 5, adjustment_type: "credit" }),
  },
  {
    path: "/sp/wallet/topup",
    of: "money",
    make: (contact_id) => ({ contact_id, location_id: locationId, amount: 700 }),
  },
  {
    path: "/sp/wallet/pay",
    of: "money",
    make: async (contact_id) => {
      await topUp(contact_id);
      return { contact_id, location_id: locationId, amount: 300 };
    },
  },
  {
    path: "/sp/wallet/reverse",
    of: "a top-up",
    make: async (contact_id) => {
      const { movement_id } = await topUp(contact_id, own());
      return { movement_id, location_id: locationId };
    },
  },
  {
    path: "/sp/wallet/reverse",
    of: "a payment of an erased member",
    isSilent: true,
    make: async (contact_id) => {
      await topUp(contact_id);
      const payment = { contact_id, location_id: locationId, amount: 300, ...own() };
      const { movement_id } = await write("/sp/wallet/pay", payment);
      await erase(contact_id);
      return { movement_id, location_id: locationId };
    },
  },
  {
    path: "/sp/sales/record",
    of: "all that can pay",
    make: async (contact_id) => {
      await topUp(contact_id);
      await credit(contact_id);
      const use_vouchers = [await issue(contact_id, gift), await issue(contact_id, coffee)];
      const use = { use_vouchers, use_points: 20, use_wallet: 100 };
      return { contact_id, location_id: locationId, amount: 2000, ...use };
    },
  },
  {
    path: "/sp/sales/refund",
    of: "a sale with vouchers",
    make: async (contact_id) => {
      const use_vouchers = [await issue(contact_id, gift), await issue(contact_id, gift)];
      const { sale_id } = await sell(contact_id, 2000, { use_vouchers });
      return { sale_id, location_id: locationId };
    },
  },
  {
    path: "/sp/sales/refund",
    of: "one cent that nothing paid",
    isSilent: true,
    make: async (contact_id) => {
      const { sale_id } = await sell(contact_id, 1950, { use_vouchers: [await issue(contact_id, gift)] });
      return { sale_id, location_id: locationId, amount: 1 };
    },
  },
  {
    path: "/sp/reward-points/redeem",
    of: "points",
    make: async (contact_id) => {
      await credit(contact_id);
      return { contact_id, points: 30 };
    },
  },
  {
    path: "/sp/reward-points/redeem",
    of: "a voucher",
    make: async (contact_id) => {
      await credit(contact_id);
      return { contact_id, voucher_id: gift };
    },
  },
  {
    path: "/sp/reward-points/reverse",
    of: "a voucher",
    make: async (contact_id) => {
      await credit(contact_id);
      const { redemption_id } = await write("/sp/reward-points/redeem", {
        contact_id,
        voucher_id: gift,
        ...own(),
      });
      return { redemption_id };
    },
  },
  {
    path: "/sp/reward-points/reverse",
    of: "points of an erased member",
    isSilent: true,
    make: async (contact_id) => {
      await credit(contact_id);
      const redeemed = { contact_id, points: 30, ...own() };
      const { redemption_id } = await write("/sp/reward-points/redeem", redeemed);
      await erase(contact_id);
      return { redemption_id };
    },
  },
  {
    path: "/sp/vouchers/claim",
    of: "a voucher of a value",
    make: async (contact_id) => {
      const body = { business_id: shop.businessId };
      await operatorWrite(world, "/op/vouchers/create-codes", { ...body, voucher_id: gift, count: 1 });
      const { codes } = (await asOperator(world, "/op/exports/codes", body)).body.data;
      return { contact_id, code: codes.at(-1).code };
    },
  },
  ...([true, false] as const).flatMap((isSilent): Case[] => {
    const [voucher_id, of] = isSilent ? [() => coffee, "a coffee"] : [() => gift, "a voucher of a value"];
    const silent = isSilent ? { isSilent } : {};
    return [
      {
        path: "/sp/vouchers/issue",
        of,
        ...silent,
        make: (contact_id) => ({ contact_id, voucher_id: voucher_id() }),
      },
      {
        path: "/sp/vouchers/redeem",
        of,
        ...silent,
        make: async (contact_id) => {
          const held_voucher_id = await issue(contact_id, voucher_id());
          return { contact_id, location_id: locationId, held_voucher_id };
        },
      },
      {
        path: "/sp/vouchers/reverse",
        of,
        ...silent,
        make: async (contact_id) => {
          const held_voucher_id = await issue(contact_id, voucher_id());
          const use = { contact_id, location_id: locationId, held_voucher_id, ...own() };
          await write("/sp/vouchers/redeem", use);
          return { held_voucher_id };
        },
      },
    ];
  }),
  {
    path: "/sp/vouchers/reverse",
    of: "a voucher of an erased member",
    isSilent: true,
    make: async (contact_id) => {
      const held_voucher_id = await issue(contact_id, gift);
      await write("/sp/vouchers/redeem", { contact_id, location_id: locationId, held_voucher_id });
      await erase(contact_id);
      return { held_voucher_id };
    },
  },
];

const postings = partnerOperations.filter((operation) => operation.kind === "posting");
const takesReference = (path: string) => {
  const operation = postings.find((one) => one.path === path);
  return operation !== undefined && "reference_id" in operation.input.properties;
};

/** What the ledger and the log of events have after a number. */
async function added(contactId: number, entryNo: number, eventNo: number) {
  const entries = await world.sql<{ event_type: string; reference_id: string }[]>`
    SELECT event_type, reference_id FROM ledger_entry
    WHERE business_id = ${shop.businessId} AND contact_id = ${contactId} AND entry_no > ${entryNo} ORDER BY entry_no`;
  const events = await world.sql<{ type: string; data: { reference_id?: string } }[]>`
    SELECT type, data FROM event
    WHERE business_id = ${shop.businessId} AND contact_ids @> ARRAY[${contactId}]::bigint[] AND event_no > ${eventNo}`;
  return { entries, events };
}

/** The references of the records that an operation made. */
async function recordsMade(path: string, data: Body): Promise<string[]> {
  const tables: Readonly<Record<string, readonly [table: string, key: string]>> = {
    "/sp/sales/record": ["sale", "sale_id"],
    "/sp/sales/refund": ["sale_refund", "sale_id"],
    "/sp/wallet/topup": ["wallet_movement", "movement_id"],
    "/sp/wallet/pay": ["wallet_movement", "movement_id"],
    "/sp/reward-points/redeem": ["points_redemption", "redemption_id"],
    "/sp/vouchers/issue": ["held_voucher", "held_voucher_id"],
    "/sp/vouchers/claim": ["held_voucher", "held_voucher_id"],
  };
  const [table, key = ""] = tables[path] ?? [];
  if (table === undefined) return [];
  const found = await world.sql.query(
    `SELECT reference_id FROM ${table} WHERE business_id = ${shop.businessId} AND ${key} = ${data[key]}`,
  );
  return (found as unknown as { reference_id: string }[]).map(({ reference_id }) => reference_id);
}

const lastNumbers = async () => {
  const [row] = await world.sql<{ entry_no: number; event_no: number }[]>`
    SELECT ${lastEntryNo(shop.businessId)} AS entry_no, ${lastEventNo(shop.businessId)} AS event_no`;
  return row as { entry_no: number; event_no: number };
};

describe.each(cases)("$path of $of", ({ path, make, isSilent = false }) => {
  const given = takesReference(path) ? [nextKey(), undefined] : [undefined];
  it.each(given)("has one reference everywhere (%s)", async (reference) => {
    const contactId = await shop.member();
    const request = { ...(await make(contactId)), ...(reference && { reference_id: reference }) };
    const { entry_no, event_no } = await lastNumbers();
    const data = await write(path, request);
    const { entries, events } = await added(contactId, entry_no, event_no);
    expect(entries.length === 0).toBe(isSilent);
    expect(events).toHaveLength(1);
    const reference_id = events[0]?.data.reference_id;
    expect(reference_id).toMatch(/./);
    if (reference !== undefined) expect(reference_id).toBe(reference);
    expect(new Set(entries.map((entry) => entry.reference_id))).toEqual(
      new Set(isSilent ? [] : [reference_id]),
    );
    for (const recorded of await recordsMade(path, data)) expect(recorded).toBe(reference_id);
    if ("reference_id" in data) expect(data.reference_id).toBe(reference_id);
  });
});

it("is tried for every operation that adds entries", () => {
  expect([...new Set(cases.map(({ path }) => path))].sort()).toEqual(postings.map(({ path }) => path).sort());
});

it("gives a voucher of an erased member back to nobody", async () => {
  const contact_id = await shop.member();
  const held_voucher_id = await issue(contact_id, gift);
  await write("/sp/vouchers/redeem", { contact_id, location_id: locationId, held_voucher_id });
  await erase(contact_id);
  expect(await write("/sp/vouchers/reverse", { held_voucher_id })).toMatchObject({
    member_erased: true,
    balance_after: 0,
  });
  const [voucher] = await world.sql`
    SELECT status, (SELECT balance FROM account a WHERE a.contact_id = v.contact_id AND account = 'vouchers') AS balance
    FROM held_voucher v WHERE business_id = ${shop.businessId} AND held_voucher_id = ${held_voucher_id}`;
  expect(voucher).toEqual({ status: "lapsed", balance: 0 });
});

it("returns vouchers in the order in which the sale used them, whatever was posted at the same time", async () => {
  const contact_id = await shop.member();
  const ids = [await issue(contact_id, gift), await issue(contact_id, coffee), await issue(contact_id, gift)];
  const used = [ids[2], ids[0], ids[1]];
  const { sale_id } = await sell(contact_id, 2000, { use_vouchers: used });
  const other = await issue(contact_id, gift);
  const [, refunded] = await Promise.all([
    sell(contact_id, 900, { use_vouchers: [other] }),
    write("/sp/sales/refund", { sale_id, location_id: locationId }),
  ]);
  expect(refunded.vouchers_back).toEqual(used);
});
