/** The events of tiers: each says what happened, in the order in which it did, and none says what did not. */
import { beforeEach, expect, it } from "vitest";
import { followEvents, type ListedEvent } from "../support/events.ts";
import { operatorWrite } from "../support/operator-requests.ts";
import { makeSandbox, type Sandbox } from "../support/sandbox.ts";
import { useWorld } from "../support/world.ts";

const world = useWorld();
let shop: Sandbox;
let [silver, gold] = [0, 0];

const operator = (path: string, body: object) =>
  operatorWrite(world, path, { business_id: shop.businessId, ...body });
const sell = (contact_id: number, amount: number) =>
  shop.write("/sp/sales/record", { contact_id, location_id: shop.locationId, amount });
const makeTier = async (name: string, qualifying_sales: number): Promise<number> =>
  (await operator("/op/tiers/create", { name, qualifying_sales, expiry: 3, expiry_period: "month" })).tier_id;

const types = ["tier.*", "member.merged", "member.erased", "sale.*"];
const eventsAfter = (after: number) =>
  followEvents((body) => shop.ask("/sp/events/list", body), after, { types });
const briefly = ({ type, data }: ListedEvent) =>
  `${type} ${data.contact_id ?? ""}${type.startsWith("tier.") ? ` ${data.from} to ${data.to}` : ""}`;

/** Silver by 100.00 and Gold by 300.00 in two months, for three months. */
beforeEach(async () => {
  shop = await makeSandbox(world, "2026-01-10");
  await shop.write("/sp/reward-settings/update", { rp_sales_calculation_period: 2 });
  [silver, gold] = [await makeTier("Silver", 10_000), await makeTier("Gold", 30_000)];
  await operator("/op/businesses/update", { events_enabled: true });
});

it("a member that is merged or erased has lost no tier, and the tier of the other one follows its merge", async () => {
  const [from, to, alone] = [await shop.member(), await shop.member(), await shop.member()];
  for (const contact_id of [from, to, alone]) await sell(contact_id, 16_000);
  const last = (await eventsAfter(0)).at(-1)?.data.sequence as number;
  await shop.write("/sp/members/merge", { from_contact_id: from, contact_id: to });
  await operator("/op/members/erase", { contact_id: alone, reason: "asked for" });
  expect((await eventsAfter(last)).map(briefly)).toEqual([
    `member.merged ${to}`,
    `tier.upgraded ${to} ${silver} to ${gold}`,
    `member.erased ${alone}`,
  ]);
});

it("a merge comes after what was due before it", async () => {
  const [from, to] = [await shop.member(), await shop.member()];
  for (const contact_id of [from, to]) await sell(contact_id, 30_000);
  await shop.advance("2026-04-09");
  await world.sql`DELETE FROM member_due WHERE business_id = ${shop.businessId}`;
  await shop.advance("2026-04-20");
  const last = (await eventsAfter(0)).at(-1)?.data.sequence as number;
  await shop.write("/sp/members/merge", { from_contact_id: from, contact_id: to });
  const [first, second, ...others] = (await eventsAfter(last)).map(briefly);
  expect([first, second].toSorted()).toEqual(
    [from, to].map((id) => `tier.downgraded ${id} ${gold} to null`).toSorted(),
  );
  expect(others).toEqual([`member.merged ${to}`]);
});

it("a fall from a deleted tier is a downgrade, also to a tier that was promised", async () => {
  const contact_id = await shop.member();
  await sell(contact_id, 30_000);
  await shop.advance("2026-02-01");
  const last = (await eventsAfter(0)).at(-1)?.data.sequence as number;
  await operator("/op/tiers/delete", { tier_id: gold });
  await operator("/op/members/settle", { contact_id });
  expect(await eventsAfter(last)).toMatchObject([
    {
      type: "tier.downgraded",
      data: { contact_id, from: gold, to: silver, since: "2026-02-01", valid_through: "2026-05-01" },
    },
  ]);
});

it("a refund that undoes a renewal renews nothing, and one that leaves a lower tier is a downgrade", async () => {
  await shop.rules({ tier_grace_days: 10, expiring_notice_days: 0 });
  const contact_id = await shop.member();
  await sell(contact_id, 10_000);
  await shop.advance("2026-04-15");
  const { sale_id } = await sell(contact_id, 10_000);
  const more = await sell(contact_id, 25_000);
  const refund = (id: number) =>
    shop.write("/sp/sales/refund", { sale_id: id, location_id: shop.locationId });
  await refund(more.sale_id);
  await refund(sale_id);
  expect((await eventsAfter(0)).map(briefly)).toEqual([
    ...[`sale.recorded ${contact_id}`, `tier.upgraded ${contact_id} null to ${silver}`],
    ...[`sale.recorded ${contact_id}`, `tier.renewed ${contact_id} ${silver} to ${silver}`],
    ...[`sale.recorded ${contact_id}`, `tier.upgraded ${contact_id} ${silver} to ${gold}`],
    ...[`sale.refunded ${contact_id}`, `tier.downgraded ${contact_id} ${gold} to ${silver}`],
    `sale.refunded ${contact_id}`,
  ]);
});

it("the notice of a deleted tier names the day of the tier that follows, and none its old one", async () => {
  await shop.rules({ expiring_notice_days: 60 });
  const [fallen, lost] = [await shop.member(), await shop.member()];
  await sell(fallen, 30_000);
  await operator("/op/tiers/update", { tier_id: silver, expiry: 1 });
  await operator("/op/members/assign-tier", { contact_id: lost, tier_id: gold });
  await shop.advance("2026-02-01");
  await operator("/op/tiers/delete", { tier_id: gold });
  await shop.advance("2026-02-25");
  const notices = (await eventsAfter(0)).filter(({ type }) => type === "tier.expiring");
  expect(notices.map(({ data }) => [data.valid_through, data.members])).toEqual([
    [
      "2026-03-01",
      [
        {
          contact_id: fallen,
          tier_id: silver,
          since: "2026-02-01",
          by_hand: false,
          sales_missing: 0,
          from: expect.any(String),
          until: "2026-03-01",
        },
      ],
    ],
  ]);
  await shop.advance("2026-07-01");
  const later = (await eventsAfter(0)).filter(({ type }) => type === "tier.expiring");
  expect(later.map(({ data }) => data.valid_through)).not.toContain("2026-04-10");
});
