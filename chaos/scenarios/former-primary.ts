/**
 * A standby has taken over, and some connections of the service still reach the former primary, which answers reads
 * and takes itself for the primary. A member that was created since must never be called unknown.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { type Random, randomFrom } from "../../test/support/random.ts";
import { type Chaos, eventually, none, type Result, Violations } from "../chaos.ts";
import { type Command, nameOf, Partner } from "../load/partner.ts";
import { Operator } from "../operator.ts";
import { openProxy, urlOf } from "../pair.ts";
import { startReplicated } from "../replication.ts";
import { Service } from "../service.ts";

export interface FormerPrimarySize {
  /** Members that are created and used at once. */
  readonly members: number;
  /**
   * Which connections still reach the former primary: those on which the service has only read, or any. Writes on one
   * of those wait until the server or the service gives up.
   */
  readonly left: "read connections" | "any";
}

/** What keeps connections of every kind open, so that there are some to leave behind. */
const warmUps = 60;
const overdueMilliseconds = 60_000;

export async function formerPrimary(chaos: Chaos, size: FormerPrimarySize): Promise<Result> {
  const servers = await startReplicated(chaos);
  if ("figures" in servers) return servers;
  const { primary, standby } = servers;
  const proxy = await openProxy(chaos, primary.connection);
  const { port } = await Service.start(chaos, { databaseUrl: urlOf(proxy) });
  const violations = new Violations();
  const random = randomFrom(chaos.seed);
  const partner = await Partner.open(chaos, new Operator(chaos, port), port);
  await warmUp(partner, port);
  await standby.promote();
  await eventually("the standby takes writes", 60_000, () =>
    standby
      .ask((sql) => sql<{ standby: boolean }[]>`SELECT pg_is_in_recovery() AS standby`)
      .then(
        ([row]) => row?.standby === false,
        // Our connections are for a primary only.
        () => false,
      ),
  );
  proxy.retarget(standby.connection);
  proxy.reset(({ hasWritten }) => (size.left === "any" ? random.chance(0.5) : hasWritten));
  const left = proxy.connections().filter(({ target }) => target.port === primary.port).length;
  const outcomes: string[] = [];
  let created = 0;
  for (; chaos.goesOn(created >= size.members); created++) {
    const contactId = await partner.member(port, `new-member-${created}`);
    for (const command of usesOf(partner, contactId, created, random)) {
      const name = nameOf(await partner.settle(port, command, overdueMilliseconds));
      outcomes.push(name);
      if (name !== "ok") violations.add(`${command.path} of a new member was answered ${name}`);
    }
    if ((created + 1) % 50 === 0) chaos.say(`${created + 1} members, ${violations.count} violations`);
  }
  const count = (name: string) => outcomes.filter((outcome) => outcome === name).length;
  return {
    violations: violations.list(),
    figures: [
      { what: "connections left at the former primary", value: left },
      { what: "members created", value: created, aim: size.members },
      { what: "uses of new members that succeeded", value: count("ok") },
      none("new members called unknown", count("member_not_found")),
    ],
  };
}

/** Writes and reads at once, over as many connections as the service opens for that. */
async function warmUp(partner: Partner, port: number): Promise<void> {
  const contactId = await partner.member(port, "known-member");
  await Promise.all(
    Array.from({ length: warmUps }, async (_, nth) => {
      await partner.settle(port, partner.creation(`warm-up-member-${nth}`));
      await partner.settle(port, partner.adjustment(`warm-up-${nth}`, contactId, 1));
      await partner.settle(port, { path: "/sp/transactions/list", body: { contact_id: contactId } });
    }),
  );
  await sleep(200);
}

function usesOf(partner: Partner, contactId: number, nth: number, random: Random): Command[] {
  const update = partner.renaming(`update-${nth}`, contactId);
  const uses = [partner.adjustment(`use-${nth}`, contactId, 1), update];
  return random.chance(0.5) ? uses : uses.reverse();
}
