/** The report of tiers says on every past day how many members had each tier then, also after merges, erasures and ends of tiers. */
import { expect, it } from "vitest";
import { addDays } from "../../src/domain/dates.ts";
import { importTools } from "../support/imports.ts";
import { asOperator, operatorWrite } from "../support/operator-requests.ts";
import { randomFrom } from "../support/random.ts";
import { runs, seed } from "../support/random-cases.ts";
import { makeSandbox } from "../support/sandbox.ts";
import { useWorld } from "../support/world.ts";

const world = useWorld();
const { expectValidLedger } = importTools(world);

interface Row {
  readonly tier_id: number | null;
  readonly members: number;
  readonly reached: number | null;
  readonly lost: number | null;
}

it("the members of each tier, and who reached and lost it, in random histories", {
  timeout: 120_000,
}, async () => {
  for (let run = 0; run < runs(2); run++) {
    const random = randomFrom(seed + run);
    const first = "2026-01-05";
    const shop = await makeSandbox(world, `${first} 10:00:00`);
    const { businessId: business_id, locationId: location_id } = shop;
    const operator = (path: string, body: object) => operatorWrite(world, path, { business_id, ...body });
    const report = async (range: object): Promise<Row[]> => {
      const { body } = await asOperator(world, "/op/reports/tiers", { business_id, ...range });
      return body.data;
    };
    expect(await report({})).toEqual([]);
    await shop.write("/sp/reward-settings/update", { rp_sales_calculation_period: 2 });
    const tiers: number[] = [];
    for (const [name, qualifying_sales] of [
      ["Silver", 10_000],
      ["Gold", 30_000],
      ["Friends", null],
    ] as const)
      tiers.push(
        (await operator("/op/tiers/create", { name, qualifying_sales, expiry: 20, expiry_period: "day" }))
          .tier_id,
      );
    const members: number[] = [];
    /** How many members have each tier, by what is stored of them. */
    const holders = async () => {
      const rows = await world.sql<{ tier_id: number | null; members: number }[]>`
        SELECT s.tier_id, count(*) AS members FROM member m LEFT JOIN tier_standing s USING (business_id, contact_id)
        WHERE business_id = ${business_id} AND (active OR tier_id IS NOT NULL) GROUP BY 1`;
      return new Map(rows.map((one) => [one.tier_id, one.members]));
    };
    const known = new Map<string, ReadonlyMap<number | null, number>>();
    let today = first;
    for (let step = 0; step < 60; step++) {
      if (members.length < 3 || random.chance(0.2)) members.push(await shop.member());
      const contact_id = random.pick(members);
      const act = random.below(8);
      if (act < 4)
        await shop.write("/sp/sales/record", {
          contact_id,
          location_id,
          amount: 5000 * (1 + random.below(5)),
        });
      if (act === 4)
        await operator("/op/members/assign-tier", {
          contact_id,
          tier_id: random.pick([...tiers, null]),
        });
      if (act === 5 && members.length > 3) {
        members.splice(members.indexOf(contact_id), 1);
        if (random.chance(0.5)) await operator("/op/members/erase", { contact_id, reason: "Test" });
        else
          await shop.write("/sp/members/merge", {
            from_contact_id: contact_id,
            contact_id: random.pick(members),
          });
      }
      // An inactive member keeps its tier.
      if (act === 6 && members.length > 3 && random.chance(0.5)) {
        members.splice(members.indexOf(contact_id), 1);
        await operator("/op/members/deactivate", { contact_id });
      }
      known.set(today, await holders());
      if (act < 6) continue;
      today = addDays(today, 1 + random.below(12));
      await shop.advance(`${today} 10:00:00`);
      known.set(today, await holders());
    }
    for (const [through, held] of known) {
      const rows = await report({ from: first, through });
      const found = new Map(rows.map((row) => [row.tier_id, row.members]));
      for (const tier of tiers)
        expect([through, tier, found.get(tier) ?? 0]).toEqual([through, tier, held.get(tier) ?? 0]);
      // Nobody had a tier before, so all of these have reached it since.
      for (const { tier_id, members, reached, lost } of rows)
        if (tier_id !== null) expect(Number(reached) - Number(lost)).toBe(members);
      expect(found.get(null)).toBe(through === today ? (held.get(null) ?? 0) : undefined);
    }
    const days = [...known.keys()];
    const [from, through] = [random.pick(days), today];
    for (const { tier_id, members, reached, lost } of await report({ from, through })) {
      if (tier_id === null) continue;
      const before = (await report({ from: "2026-01-01", through: addDays(from, -1) })).find(
        (one) => one.tier_id === tier_id,
      );
      expect(members).toBe((before?.members ?? 0) + Number(reached) - Number(lost));
    }
    // A tier that is deleted has no members any more, also before they are settled.
    await operator("/op/tiers/delete", { tier_id: tiers[1] as number });
    const held = await holders();
    const [former] = await world.sql<{ members: number }[]>`
      SELECT count(*) AS members FROM member m JOIN tier_standing s USING (business_id, contact_id)
      WHERE business_id = ${business_id} AND active AND s.tier_id = ${tiers[1] as number}`;
    const rows = await report({ from: today, through: today });
    const [silver, , friends] = tiers;
    expect(rows.filter(({ members }) => members > 0).map((one) => [one.tier_id, one.members])).toEqual(
      [silver, friends, null]
        .map((tier) => [tier, (held.get(tier as number) ?? 0) + (tier === null ? (former?.members ?? 0) : 0)])
        .filter(([, members]) => members !== 0),
    );
    const next = addDays(today, 1);
    await shop.advance(`${next} 10:00:00`);
    const found = (await report({ from: addDays(next, 1), through: addDays(next, 1) })).map(
      (one) => one.tier_id,
    );
    expect(found).toEqual([silver, friends, null]);
    await expectValidLedger({ businessId: business_id } as never);
  }
});
