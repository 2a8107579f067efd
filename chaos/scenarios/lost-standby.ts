/**
 * The synchronous standby stops answering, and commits that wait for it are cancelled: the primary keeps them, and the
 * standby may never get them. Such a commit must not be acknowledged.
 */
import { type Outcome, retryAfterSeconds } from "../../test/support/http-connection.ts";
import { randomFrom } from "../../test/support/random.ts";
import { type Chaos, eventually, none, type Result, Violations } from "../chaos.ts";
import { type Command, Partner } from "../load/partner.ts";
import { Operator } from "../operator.ts";
import { type Server, startReplicated, urlOfPrimary } from "../replication.ts";
import { Service } from "../service.ts";

export interface LostStandbySize {
  /** How often the standby is frozen, and all commits that wait for it are cancelled. */
  readonly times: number;
  /** Writes at the same time. */
  readonly writes: number;
}

export async function lostStandby(chaos: Chaos, size: LostStandbySize): Promise<Result> {
  const servers = await startReplicated(chaos);
  if ("figures" in servers) return servers;
  const { primary, standby } = servers;
  const { port } = await Service.start(chaos, { databaseUrl: urlOfPrimary([primary]) });
  chaos.atEnd(() => standby.thaw());
  const violations = new Violations();
  const random = randomFrom(chaos.seed);
  const partner = await Partner.open(chaos, new Operator(chaos, port), port);
  const contactId = await partner.member(port, "standby-member");
  let [done, cancelled, acknowledged, unavailable, replayed] = [0, 0, 0, 0, 0];
  while (chaos.goesOn(done >= size.times)) {
    const commands: Command[] = Array.from({ length: size.writes }, (_, nth) => {
      const key = `standby-${done}-${nth}`;
      return random.chance(0.5) ? partner.creation(key) : partner.adjustment(key, contactId, 1);
    });
    await standby.freeze();
    const first = await sendWithout(primary, () => partner.sendAll(port, commands));
    for (const [nth, outcome] of first.outcomes.entries()) {
      if (isUnavailable(outcome)) {
        unavailable += 1;
        continue;
      }
      acknowledged += 1;
      violations.add(`${commands[nth]?.path} got ${JSON.stringify(outcome)} without its standby`);
    }
    const again = await sendWithout(primary, () => partner.sendAll(port, commands));
    replayed += again.outcomes.filter((outcome) => !isUnavailable(outcome)).length;
    cancelled += first.cancelled + again.cancelled;
    await standby.thaw();
    for (const command of commands) {
      const { status, body } = await partner.settle(port, command);
      if (status >= 300) violations.add(`${command.path}, sent again, was refused with ${body}`);
    }
    done += 1;
    chaos.say(`${done} times, ${cancelled} cancelled, ${violations.count} violations`);
  }
  const found = await partner.compare(violations);
  return {
    violations: violations.list(),
    figures: [
      { what: "times the standby was gone", value: done, aim: size.times },
      { what: "commits that stopped waiting for it", value: cancelled },
      { what: "writes answered with 503 and Retry-After", value: unavailable },
      none("writes answered otherwise", acknowledged),
      // The key was committed on the primary, where a retry finds it; nothing is promised of these so far.
      { what: "retries answered otherwise, while it was still gone", value: replayed },
      ...found.figures(),
    ],
  };
}

function isUnavailable(outcome: Outcome): boolean {
  return typeof outcome === "object" && outcome.status === 503 && retryAfterSeconds(outcome) !== undefined;
}

/** Sends, and cancels the commits that wait for the standby, until all is answered. */
function sendWithout(
  primary: Server,
  send: () => Promise<Outcome[]>,
): Promise<{ readonly outcomes: readonly Outcome[]; readonly cancelled: number }> {
  return primary.ask(async (sql) => {
    let outcomes: Outcome[] | undefined;
    let cancelled = 0;
    const sending = send().then((all) => {
      outcomes = all;
    });
    await eventually("all commits are cancelled", 60_000, async () => {
      const rows = await sql`
        SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`;
      cancelled += rows.length;
      return outcomes !== undefined;
    });
    await sending;
    return { outcomes: outcomes ?? [], cancelled };
  });
}
