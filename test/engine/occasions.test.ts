/** Occasions: birthdays, anniversaries and members who stopped buying, on the sandbox clock and by the job. */
import { beforeEach, describe, expect, it } from "vitest";
import type { Body } from "../support/engine-requests.ts";
import { followEvents } from "../support/events.ts";
import { importTools } from "../support/imports.ts";
import { asOperator, operatorWrite } from "../support/operator-requests.ts";
import { makeSandbox, type Sandbox } from "../support/sandbox.ts";
import { newPerson, useWorld } from "../support/world.ts";

const world = useWorld();
const { expectValidLedger } = importTools(world);

let shop: Sandbox;
const operator = (path: string, body: Body) =>
  operatorWrite(world, path, { business_id: shop.businessId, ...body });
const born = (date_of_birth: string | null) =>
  world.member({ ...newPerson(), ...(date_of_birth !== null && { date_of_birth }) }, shop.credentials);
const give = async (occasion: Body) =>
  (await operator("/op/occasions/create", { name: "Occasion", points: 100, ...occasion }))
    .occasion_id as number;
const birthday = (more: Body = {}) =>
  give({ name: "Birthday", kind: "birthday", minimum_membership_days: 0, ...more });

interface Grant {
  readonly contact_id: number;
  readonly occasion_id: number;
  readonly occurrence: string;
  readonly granted_on: string;
}
const grants = (contactId?: number) =>
  world.sql<Grant[]>`
    SELECT contact_id, occasion_id, occurrence, granted_on::text FROM occasion_grant
    WHERE business_id = ${shop.businessId} AND contact_id = coalesce(${contactId ?? null}::bigint, contact_id)
    ORDER BY granted_on, contact_id, occasion_id`;
const daysOf = async (contactId: number) => (await grants(contactId)).map(({ granted_on }) => granted_on);
const pointsOf = async (contact_id: number) =>
  ((await shop.ask("/sp/members/balances", { contact_id })) as Body).points;
const lotsOf = async (contact_id: number) =>
  (await shop.ask("/sp/reward-points/list", { contact_id, include_closed: true })) as Body[];
const eventsOf = () =>
  followEvents((body) => shop.ask("/sp/events/list", body), 0, { types: ["occasion.granted"] });

beforeEach(async () => {
  shop = await makeSandbox(world, "2026-01-13 15:30:00");
  await operator("/op/businesses/update", { events_enabled: true });
});

describe("a birthday", () => {
  it("gives points that the member's list explains, from 06:00, with an event", async () => {
    const occasion_id = await birthday({ validity: 1, validity_period: "month" });
    const contact_id = await born("1990-02-10");
    await shop.advance("2026-02-10 05:59:59");
    expect(await pointsOf(contact_id)).toBe(0);
    expect(await shop.advance("2026-02-10 06:00:00")).toBe(1);
    expect(await pointsOf(contact_id)).toBe(100);
    const reference_id = `occasion-${occasion_id}-2026`;
    expect(await lotsOf(contact_id)).toEqual([
      {
        ...{ source: "occasion", sale_id: null, occasion_id, reference_id, earned_on: "2026-02-10" },
        ...{ points: 100, clawed: 0, used: 0, expired: 0, left: 100, status: "available" },
        ...{ matures_on: "2026-02-10", valid_through: "2026-03-10" },
      },
    ]);
    const entries = (await shop.ask("/sp/transactions/list", { contact_id })) as Body[];
    expect(entries).toMatchObject([{ event_type: "reward_points_earned", amount: 100, reference_id }]);
    const [event, ...others] = await eventsOf();
    expect(others).toEqual([]);
    expect(event).toMatchObject({
      timestamp: "2026-02-10T05:00:00.000000Z",
      data: {
        ...{
          contact_id,
          occasion_id,
          kind: "birthday",
          occurrence: "2026",
          points: 100,
          held_voucher_id: null,
        },
        ...{ valid_through: "2026-03-10", reference_id, balances: { points: 100 } },
        entries: [{ event_type: "reward_points_earned", amount: 100 }],
      },
    });
    await shop.advance("2026-03-11 00:00:00");
    expect(await pointsOf(contact_id)).toBe(0);
    await expectValidLedger(shop);
  });

  it("gives a voucher some days before, also to those whose day is near when it begins, and none for days that have passed", async () => {
    const { voucher_id } = await operator("/op/vouchers/create", {
      ...{
        campaign_name: "Cake",
        coupon_code: "CAKE",
        coupon_value: 400,
        validity: 2,
        validity_period: "month",
      },
    });
    const [past, near, later] = [
      await born("1990-01-12"),
      await born("1990-01-15"),
      await born("1990-02-10"),
    ];
    await world.sql`UPDATE member SET joined_at = joined_at - interval '1 month' WHERE contact_id = ${near}`;
    await birthday({ points: null, voucher_id, days_before: 7 });
    await shop.advance("2026-02-09 12:00:00");
    expect(await Promise.all([past, near, later].map(daysOf))).toEqual([[], ["2026-01-13"], ["2026-02-03"]]);
    const held = (await shop.ask("/sp/vouchers/list", { contact_id: later })) as Body[];
    expect(held).toMatchObject([{ coupon_code: "CAKE", valid_through: "2026-04-03" }]);
    const [event] = (await eventsOf()).filter(({ data }) => data.contact_id === later);
    expect(event?.data).toMatchObject({
      ...{ points: null, held_voucher_id: held[0]?.held_voucher_id, voucher_id, coupon_value: 400 },
      entries: [{ event_type: "voucher_issued", amount: 400 }],
    });
    await expectValidLedger(shop);
  });

  it("of 29 February is on the 28th in other years", async () => {
    await birthday();
    const [leap, last, first] = [
      await born("1992-02-29"),
      await born("1990-02-28"),
      await born("1990-03-01"),
    ];
    for (const to of ["2027-12-31 12:00:00", "2028-12-31 12:00:00"]) await shop.advance(to);
    expect(await daysOf(leap)).toEqual(["2026-02-28", "2027-02-28", "2028-02-29"]);
    expect(await daysOf(last)).toEqual(["2026-02-28", "2027-02-28", "2028-02-28"]);
    expect(await daysOf(first)).toEqual(["2026-03-01", "2027-03-01", "2028-03-01"]);
  });

  it("waits for a year with those who have just joined, and with those whose date of birth changed after one", async () => {
    const occasion_id = await give({ name: "Birthday", kind: "birthday" });
    const { body } = await asOperator(world, "/op/occasions/get", {
      business_id: shop.businessId,
      occasion_id,
    });
    expect(body.data).toMatchObject({ minimum_membership_days: 7 });
    const [tooNew, changed, inactive] = [
      await born("1990-01-19"),
      await born("1990-01-20"),
      await born("1990-01-21"),
    ];
    await operator("/op/members/deactivate", { contact_id: inactive });
    await shop.advance("2026-01-25 12:00:00");
    await shop.write("/sp/members/profile/update", { contact_id: changed, date_of_birth: "1990-02-20" });
    await shop.advance("2026-12-31 12:00:00");
    await shop.write("/sp/members/profile/update", { contact_id: changed, date_of_birth: "1990-10-20" });
    await shop.advance("2027-12-31 12:00:00");
    expect(await daysOf(tooNew)).toEqual(["2027-01-19"]);
    expect(await daysOf(changed)).toEqual(["2026-01-20", "2027-10-20"]);
    expect(await daysOf(inactive)).toEqual([]);
  });

  it("is one in 300 days, also for a member whose date of birth changes each week", async () => {
    await give({ name: "Birthday", kind: "birthday" });
    const changing = await born("1990-01-20");
    for (let week = 1; week < 44; week += 1) {
      const day = new Date(Date.UTC(2026, 0, 14 + 7 * week)).toISOString().slice(0, 10);
      await shop.advance(`${day} 12:00:00`);
      const birthday = new Date(Date.parse(day) + 3 * 86_400_000).toISOString().slice(5, 10);
      const date_of_birth = `1990-${birthday}`;
      await shop.write("/sp/members/profile/update", { contact_id: changing, date_of_birth });
    }
    expect(await daysOf(changing)).toEqual(["2026-01-20"]);
  });

  it("is one in 300 days, also if another one replaces the occasion, and one of each of two that are active", async () => {
    const first = await birthday();
    const also = await birthday({ name: "Birthday cake" });
    const contact_id = await born("1990-01-20");
    await shop.advance("2026-01-21 12:00:00");
    await operator("/op/occasions/end", { occasion_id: first });
    await operator("/op/occasions/pause", { occasion_id: also });
    const second = await birthday({ name: "Birthday 2" });
    await shop.write("/sp/members/profile/update", { contact_id, date_of_birth: "1990-03-20" });
    await shop.advance("2027-03-21 12:00:00");
    const given = (await grants(contact_id)).map((one) => [one.occasion_id, one.granted_on]);
    expect(given).toEqual([
      [first, "2026-01-20"],
      [also, "2026-01-20"],
      [second, "2027-03-20"],
    ]);
  });

  it("gives nothing while it is paused, while points are off, or outside of its days, also not later", async () => {
    const occasion_id = await birthday({ last_day: "2026-05-31" });
    const contactIds = await Promise.all(
      ["02", "03", "04", "05", "06"].map((month) => born(`1990-${month}-10`)),
    );
    await shop.advance("2026-02-11 12:00:00");
    await operator("/op/occasions/pause", { occasion_id });
    await shop.advance("2026-03-11 12:00:00");
    await operator("/op/occasions/resume", { occasion_id });
    await shop.write("/sp/reward-settings/update", { enable_rp: false });
    await shop.advance("2026-04-11 12:00:00");
    await shop.write("/sp/reward-settings/update", { enable_rp: true });
    await shop.advance("2026-07-11 12:00:00");
    expect(await Promise.all(contactIds.map(daysOf))).toEqual([["2026-02-10"], [], [], ["2026-05-10"], []]);
  });

  it("first pays what the member owes", async () => {
    await birthday();
    const contact_id = await born("1990-02-10");
    const at = { contact_id, location_id: shop.locationId };
    const sale = await shop.write("/sp/sales/record", { ...at, amount: 3000 });
    await shop.write("/sp/reward-points/redeem", { contact_id, points: 30 });
    await shop.write("/sp/sales/refund", { sale_id: sale.sale_id, location_id: shop.locationId });
    await shop.advance("2026-02-10 12:00:00");
    expect(await shop.ask("/sp/members/balances", { contact_id })).toMatchObject({
      points: 70,
      points_owed: 0,
    });
    await expectValidLedger(shop);
  });
});

describe("other occasions", () => {
  it("are the anniversary of joining, and some days without a sale", async () => {
    const anniversary = await give({ name: "Anniversary", kind: "anniversary" });
    const away = await give({ name: "Away", kind: "inactive", inactive_days: 30 });
    const [buyer, other] = [await shop.member(), await shop.member()];
    const sell = () =>
      shop.write("/sp/sales/record", { contact_id: buyer, location_id: shop.locationId, amount: 100 });
    await sell();
    await shop.advance("2026-02-01 12:00:00");
    await sell();
    await shop.advance("2027-06-01 12:00:00");
    await sell();
    await shop.advance("2028-03-01 12:00:00");
    const of = async (contact_id: number) =>
      (await grants(contact_id)).map((one) => [one.occasion_id, one.occurrence, one.granted_on]);
    expect(await of(buyer)).toEqual([
      [away, "2026", "2026-03-03"],
      [anniversary, "2027", "2027-01-13"],
      [away, "2027", "2027-07-01"],
      [anniversary, "2028", "2028-01-13"],
    ]);
    expect(await of(other)).toEqual([
      [anniversary, "2027", "2027-01-13"],
      [anniversary, "2028", "2028-01-13"],
    ]);
    await expectValidLedger(shop);
  });

  it.each(["America/Havana", "Atlantic/Azores"])(
    "are the anniversary of who joined at a midnight that comes twice: %s",
    async (timeZone) => {
      shop = await makeSandbox(world, "2026-01-13 15:30:00", timeZone);
      await give({ name: "Anniversary", kind: "anniversary" });
      const [first, second] = [await shop.member(), await shop.member()];
      const [day, at] =
        timeZone === "America/Havana" ? ["11-02", "2025-11-02 04:30"] : ["10-26", "2025-10-26 00:30"];
      await world.sql`UPDATE member SET joined_at = ${`${at}+00`} WHERE contact_id = ${first}`;
      await world.sql`
        UPDATE member SET joined_at = ${`${at}+00`}::timestamptz + interval '1 hour' WHERE contact_id = ${second}`;
      await shop.advance("2026-12-01 12:00:00");
      expect(await daysOf(first)).toEqual([`2026-${day}`]);
      expect(await daysOf(second)).toEqual([`2026-${day}`]);
    },
  );

  it("are not those of an anonymous card, until a person has it", async () => {
    await give({ name: "Anniversary", kind: "anniversary" });
    await give({ name: "Away", kind: "inactive", inactive_days: 30 });
    const issue = () => shop.write("/sp/cards/issue", { location_id: shop.locationId, kind: "plastic" });
    const [card, claimed] = [await issue(), await issue()];
    for (const { contact_id } of [card, claimed])
      await shop.write("/sp/sales/record", { contact_id, location_id: shop.locationId, amount: 100 });
    const contact_id = await shop.member();
    await shop.write("/sp/cards/claim", { card_code: claimed.card_code, contact_id });
    await shop.advance("2027-02-01 12:00:00");
    expect((await grants()).map((one) => [one.contact_id, one.granted_on])).toEqual([
      [contact_id, "2026-02-12"],
      [contact_id, "2027-01-13"],
    ]);
  });

  it.each([
    [{ kind: "anniversary", days_before: 3 }, "days_before"],
    [{ kind: "inactive" }, "inactive_days"],
    [{ kind: "birthday", inactive_days: 3 }, "inactive_days"],
    [{ kind: "birthday", points: null }, "points"],
    [
      { kind: "birthday", points: null, voucher_id: 1, validity: 1, validity_period: "day" },
      "voucher_not_found",
    ],
    [{ kind: "birthday", validity: 1 }, "validity_period"],
    [{ kind: "birthday", first_day: "2026-02-01", last_day: "2026-01-31" }, "last_day"],
  ])("are rejected if they make no sense: %j", async (wrong, field) => {
    await expect(give(wrong)).rejects.toThrow(field);
  });

  it("have names of their own, and end for good", async () => {
    const occasion_id = await birthday();
    await expect(birthday({ name: " birthday" })).rejects.toThrow("must differ");
    await operator("/op/occasions/end", { occasion_id });
    await expect(operator("/op/occasions/resume", { occasion_id })).rejects.toThrow("occasion_ended");
    await birthday({ name: "birthday" });
  });
});

it("is one birthday in 300 days after a merge of members who got it on different days", async () => {
  await birthday();
  const [contact_id, other] = [await born("1990-01-20"), await born("1990-12-20")];
  await shop.advance("2026-12-28 12:00:00");
  await shop.write("/sp/members/merge", { from_contact_id: other, contact_id });
  expect(await daysOf(contact_id)).toEqual(["2026-12-20"]);
  await shop.advance("2028-02-01 12:00:00");
  expect(await daysOf(contact_id)).toEqual(["2026-12-20", "2028-01-20"]);
});

it("is one birthday after a merge, and verify finds a grant that is gone", async () => {
  await birthday();
  const [contact_id, other, third] = [
    await born("1990-02-10"),
    await born("1990-02-10"),
    await born("1990-06-10"),
  ];
  await shop.advance("2026-02-11 12:00:00");
  await shop.write("/sp/members/merge", { from_contact_id: other, contact_id });
  expect(await pointsOf(contact_id)).toBe(200);
  await shop.write("/sp/members/merge", { from_contact_id: contact_id, contact_id: third });
  await shop.advance("2026-12-31 12:00:00");
  expect(await grants()).toMatchObject([{ contact_id: third, granted_on: "2026-02-10" }]);
  await expectValidLedger(shop);
  await world.sql`DELETE FROM occasion_grant WHERE business_id = ${shop.businessId}`;
  const slice = { business_id: shop.businessId, part: "points", limit: 100 };
  const { body } = await asOperator(world, "/op/ledger/verify", slice);
  expect(body.data).toMatchObject({
    mismatches: [{ kind: "occasion_grant" }, { kind: "occasion_grant" }].map((one) =>
      expect.objectContaining(one),
    ),
  });
});
