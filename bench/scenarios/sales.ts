/** Sales a second against wallet adjustments, and quotes against reading a member. */

import { programs } from "../../src/database/catalog.ts";
import { updateSettings } from "../../src/database/engine/rules.ts";
import { createMember } from "../../src/operations/partner/members/create.ts";
import { adjustRewardPoints } from "../../src/operations/partner/reward-points/adjust.ts";
import { recordSale } from "../../src/operations/partner/sales/record.ts";
import { adjustWallet } from "../../src/operations/partner/wallet/adjust.ts";
import {
  adjusting,
  type Bench,
  checkLedgers,
  compiledAfterSeconds,
  type FilledBusiness,
  fillBusiness,
  measure,
  type Scenario,
  startOnNewDatabase,
  usualConnections,
} from "../bench.ts";
import { callerOf } from "../business.ts";
import type { LoadResult } from "../load/generator.ts";
import type { Caller, Traffic } from "../load/traffic.ts";
import { type Figure, median } from "../report.ts";
import { type BenchService, basePath } from "../service.ts";

const database = "sales";
const members = 20_000;
/** Those who have money and points to pay with. */
const funded = 2000;
const closedLots = 1000;

export const sales: Scenario = async (bench) => {
  const service = await startOnNewDatabase(bench, database);
  try {
    const business = await fillBusiness(bench, database, { members, entries: 0 });
    await setRules(bench, business);
    const caller = await callerOf(service, business, business);
    const payer = { ...caller, members: funded };
    bench.say("money and points for the members …");
    await fund(service, payer);
    const adjustments = adjusting(caller);
    const selling = { ...adjustments, path: basePath + recordSale.path, rest: "" };
    const redeeming = { rest: ',"use_points":25,"use_wallet":10' };
    const paying = { ...adjusting(payer), path: selling.path, ...redeeming };
    for (const traffic of [adjustments, selling, paying]) {
      await measure(bench, service, traffic, { seconds: compiledAfterSeconds });
    }
    const against = { of: "adjustments", traffic: adjustments };
    const postings = [
      await compare(bench, service, "sales that earn", selling, { ...against, least: 0.6 }),
      await compare(bench, service, "sales that earn and redeem", paying, { ...against, least: 0.4 }),
    ];
    const reading = (path: string, body: object, contactIds: readonly number[]): Traffic => ({
      kind: "fixed",
      path: basePath + path,
      authorization: caller.authorization,
      bodies: contactIds.map((contact_id) => ({ contact_id, ...body })),
    });
    const everyone = Array.from({ length: funded }, (_, index) => business.firstContactId + index);
    const sale = { location_id: business.locationIds[0], amount: 2500 };
    const quoting = reading("/sp/sales/quote", sale, everyone);
    const getting = reading("/sp/members/get", {}, everyone);
    const [fresh, seasoned] = [await newMember(service, caller, 1), await newMember(service, caller, 2)];
    await closeLots(service, caller, seasoned);
    const closed = reading("/sp/sales/quote", sale, [seasoned]);
    const reads = [
      await compare(bench, service, "quotes", quoting, { of: "members/get", traffic: getting, least: 0.8 }),
      await compare(bench, service, `quotes for a member with ${closedLots} closed lots`, closed, {
        of: "quotes for a new member",
        traffic: reading("/sp/sales/quote", sale, [fresh]),
        least: 0.9,
      }),
    ];
    await checkLedgers(bench, database, [business]);
    return [...postings, ...reads];
  } finally {
    await service.stop();
  }
};

/** A point for each 1.00, worth 0.05, good for a year. */
async function setRules({ server }: Bench, { businessId }: FilledBusiness): Promise<void> {
  await server.use(database, (sql) =>
    sql.begin(async (tx) => {
      const [program] = await tx<{ program_id: number }[]>`
        INSERT INTO reward_program (business_id, membership_name, maximum_points_per_order)
        VALUES (${businessId}, 'Club', 1000000) RETURNING program_id`;
      const { program_id } = program as { program_id: number };
      await programs.update(tx, businessId, program_id, { earn_points: 1 });
      await updateSettings(tx, businessId, {
        enable_rp: true,
        default_program_id: program_id,
        value_amount: 5,
        points_validity: 1,
        points_validity_period: "year",
      });
    }),
  );
}

/** Credits money and points to the members of a caller. */
async function fund(
  service: BenchService,
  { authorization, firstContactId, locationIds, members: count }: Caller,
) {
  const credit = { adjustment_type: "credit" };
  const [location_id] = locationIds;
  const contactIds = Array.from({ length: count }, (_, index) => firstContactId + index).values();
  const worker = async () => {
    for (const contact_id of contactIds) {
      const key = { idempotency_key: `fund-${contact_id}`, contact_id, ...credit };
      await service.post(adjustWallet.path, { ...key, location_id, amount: 100_000_000 }, authorization);
      const points = { ...key, idempotency_key: `points-${contact_id}`, points: 1_000_000 };
      await service.post(adjustRewardPoints.path, points, authorization);
    }
  };
  await Promise.all(Array.from({ length: 16 }, worker));
}

/** Creates a member who has bought nothing. @returns the contact_id */
async function newMember(service: BenchService, { authorization }: Caller, number: number): Promise<number> {
  const person = { first_name: "New", last_name: "Member", phone_number: `+9991234567${number}` };
  const body = { idempotency_key: `member-${number}`, ...person };
  const { data } = await service.post<{ contact_id: number }>(createMember.path, body, authorization);
  return data.contact_id;
}

/** Gives a member lots that are used up. */
async function closeLots(service: BenchService, { authorization, locationIds }: Caller, contact_id: number) {
  const sale = { contact_id, location_id: locationIds[0], amount: 100 };
  for (let lot = 0; lot < closedLots; lot++) {
    await service.post(recordSale.path, { idempotency_key: `lot-${lot}`, ...sale }, authorization);
    const use = { idempotency_key: `use-${lot}`, contact_id, points: 1 };
    await service.post("/sp/reward-points/redeem", use, authorization);
  }
}

/** Measures one load against another, in turn. */
async function compare(
  bench: Bench,
  service: BenchService,
  what: string,
  traffic: Traffic,
  against: { readonly of: string; readonly traffic: Traffic; readonly least: number },
): Promise<Figure> {
  const rounds: { one: LoadResult; other: LoadResult }[] = [];
  for (let round = 0; round < bench.options.rounds; round++) {
    const other = await measure(bench, service, against.traffic);
    rounds.push({ other, one: await measure(bench, service, traffic) });
  }
  const ratio = median(rounds.map(({ one, other }) => one.perSecond / other.perSecond));
  const value = median(rounds.map(({ one }) => one.perSecond));
  bench.say(`${what}: ${Math.round(value)} a second, ${ratio.toFixed(2)} of ${against.of}`);
  return {
    what: `${what}, ${usualConnections} connections`,
    value,
    unit: "/s",
    against: against.of,
    ratio,
    target: { atLeast: against.least },
    details: { rounds },
  };
}
