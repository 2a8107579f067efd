/**
 * Members join, and the clock of a sandbox passes two years, while the service is killed. Each member gets one welcome, and one
 * birthday and one anniversary in the second year.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { type Random, randomFrom } from "../../test/support/random.ts";
import { Operator } from "../../test/support/runs/operator.ts";
import { none, type Result, times } from "../../test/support/runs/report.ts";
import { Violations } from "../../test/support/runs/run.ts";
import { Service } from "../../test/support/runs/service.ts";
import type { Chaos } from "../chaos.ts";

export interface OccasionsSize {
  readonly members: number;
  /** How many of them join at once. */
  readonly callers: number;
  /** The longest time between two kills. */
  readonly calmMilliseconds: number;
}

const kinds = ["joined", "birthday", "anniversary"] as const;
/** They join on so many days of the first year. */
const joiningDays = 50;
const stepDays = 7;
const start = Date.UTC(2026, 0, 1);
const dayAfter = (days: number) => new Date(start + days * 86_400_000).toISOString().slice(0, 10);

export async function occasions(chaos: Chaos, size: OccasionsSize): Promise<Result> {
  const service = await Service.start(chaos);
  const random = randomFrom(chaos.seed);
  const operator = new Operator(chaos, service.port);
  const business = { name: "Occasions", time_zone: "UTC", currency: "EUR", sandbox: true };
  const { business_id } = await operator.write<{ business_id: number }>("/op/businesses/create", {
    ...business,
    clock_at: `${dayAfter(0)} 12:00:00`,
  });
  for (const kind of kinds)
    await operator.write("/op/occasions/create", { business_id, name: kind, kind, points: 10 });
  await operator.write("/op/reward-settings/update", { business_id, enable_rp: true });
  const work = live(chaos, service.port, { business_id, operator, random, size });
  const kills = await killUntil(work, service, random, size.calmMilliseconds);
  const violations = new Violations();
  await operator.verify(business_id, violations);
  const sql = await service.openDatabase();
  // In 2027, all of them were members all the time.
  const wrong = await sql<{ contact_id: number; kind: string; given: number }[]>`
    SELECT m.contact_id, wanted.kind, given.times AS given FROM member m CROSS JOIN unnest(${kinds}::text[]) AS wanted (kind)
    CROSS JOIN LATERAL (
      SELECT count(*) AS times FROM occasion_grant g JOIN occasion o USING (business_id, occasion_id)
      WHERE g.business_id = m.business_id AND g.contact_id = m.contact_id AND o.kind = wanted.kind
        AND g.occurrence = CASE wanted.kind WHEN 'joined' THEN '2026' ELSE '2027' END
    ) AS given
    WHERE m.business_id = ${business_id} AND given.times <> 1`;
  for (const one of wrong) violations.add(`member ${one.contact_id} got ${one.kind} ${one.given} times`);
  const [made] = await sql<{ members: number; granted: number; entries: number }[]>`
    SELECT (SELECT count(*) FROM member WHERE business_id = ${business_id}) AS members,
      (SELECT count(*) FROM occasion_grant WHERE business_id = ${business_id}) AS granted,
      (SELECT count(*) FROM ledger_entry WHERE business_id = ${business_id}) AS entries`;
  const { members = 0, granted = 0, entries = 0 } = made ?? {};
  if (members !== size.members) violations.add(`${members} members instead of ${size.members}`);
  return {
    violations: violations.list(),
    figures: [
      times("members", members, size.members),
      times("kills", kills),
      times("grants", granted),
      none("grants without an entry, or entries without a grant", Math.abs(granted - entries)),
      none("members who got something twice or not at all", wrong.length),
    ],
  };
}

interface Life {
  readonly business_id: number;
  readonly operator: Operator;
  readonly random: Random;
  readonly size: OccasionsSize;
}

/** Lets members join, and the clock pass two years. Each request is repeated until its response has come. */
async function live(chaos: Chaos, port: number, { business_id, operator, random, size }: Life) {
  const callers = Array.from({ length: size.callers }, () => new Operator(chaos, port));
  const join = (nth: number) => {
    const date_of_birth = new Date(Date.UTC(1992, 0, 1 + random.below(366))).toISOString().slice(0, 10);
    const person = { first_name: "Ana", last_name: "García", phone_number: `+34${600_000_000 + nth}` };
    const caller = callers[nth % callers.length] as Operator;
    return caller.write("/op/members/create", { business_id, ...person, date_of_birth });
  };
  let joined = 0;
  for (let day = stepDays; day <= 2 * 365; day += stepDays) {
    const share = Math.ceil((size.members * Math.min(joiningDays, day / stepDays)) / joiningDays);
    const wanted = Math.max(0, share - joined);
    await Promise.all(Array.from({ length: wanted }, (_, nth) => join(joined + nth)));
    joined += wanted;
    await operator.write("/op/sandbox/clock/advance", { business_id, to: `${dayAfter(day)} 12:00:00` });
  }
  await operator.write("/op/sandbox/clock/advance", { business_id, to: "2027-12-31 12:00:00" });
}

/** Kills the service at random moments until some work is done. @returns how often */
async function killUntil(work: Promise<void>, service: Service, random: Random, calm: number) {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  let kills = 0;
  const kill = async () => {
    while (!isDone) {
      // The first kill is at once, so that there is one, however fast the machine is.
      const pause = kills === 0 ? 0 : calm / 4 + random.below(calm);
      await Promise.race([done.catch(() => undefined), sleep(pause)]);
      if (isDone) return;
      await service.kill();
      service.launch();
      await service.ready();
      kills++;
    }
  };
  await Promise.all([done, kill()]);
  return kills;
}
