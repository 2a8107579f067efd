/**
 * The synchronous standby freezes, and commits that wait for it are cancelled. The primary keeps these commits, and the
 * standby may never get them, so they must not be acknowledged.
 */
import type { Outcome } from "../../test/support/http-connection.ts";
import { randomFrom } from "../../test/support/random.ts";
import { Operator } from "../../test/support/runs/operator.ts";
import { none, type Result, times } from "../../test/support/runs/report.ts";
import { eventually, Violations } from "../../test/support/runs/run.ts";
import { Service } from "../../test/support/runs/service.ts";
import type { Chaos } from "../chaos.ts";
import { type Command, comparePartners, isRetryable, Partner } from "../load/partner.ts";
import { type Server, startReplicated, urlOfPrimary } from "../replication.ts";

export interface LostStandbySize {
  /** How often the standby freezes. */
  readonly times: number;
  /** Writes at the same time. */
  readonly writes: number;
}

export async function lostStandby(chaos: Chaos, size: LostStandbySize): Promise<Result> {
  const servers = await startReplicated(chaos);
  if ("figures" in servers) return servers;
  const { primary, standby } = servers;
  const environment = { DATABASE_URL: urlOfPrimary([primary]) };
  const { port } = await Service.start(chaos, { environment });
  chaos.atEnd(() => standby.thaw());
  const violations = new Violations();
  const random = randomFrom(chaos.seed);
  const operator = new Operator(chaos, port);
  const partner = await Partner.open(chaos, operator, port);
  const contactId = await partner.member(port, "standby-member");
  let [done, cancelled, acknowledged, unavailable, replayed] = [0, 0, 0, 0, 0];
  while (chaos.goesOn(done >= size.times)) {
    const commands: Command[] = Array.from({ length: size.writes }, (_, nth) => {
      const key = `standby-${done}-${nth}`;
      return random.chance(0.5) ? partner.creation(key) : partner.adjustment(key, contactId, 1);
    });
    const send = () => partner.sendAll(port, commands);
    await standby.freeze();
    const first = await cancelCommitsOf(primary, send);
    for (const [nth, outcome] of first.outcomes.entries()) {
      if (isRetryable(outcome)) {
        unavailable += 1;
        continue;
      }
      acknowledged += 1;
      violations.add(`${commands[nth]?.path} got ${JSON.stringify(outcome)} without the standby`);
    }
    const again = await cancelCommitsOf(primary, send);
    replayed += again.outcomes.filter((outcome) => !isRetryable(outcome)).length;
    cancelled += first.cancelled + again.cancelled;
    await standby.thaw();
    for (const command of commands) {
      const { status, body } = await partner.settle(port, command);
      if (status >= 300) violations.add(`the retry of ${command.path} got ${body}`);
    }
    done += 1;
    chaos.say(`${done} times, ${cancelled} cancelled, ${violations.count} violations`);
  }
  return {
    violations: violations.list(),
    figures: [
      times("times the standby was lost", done, size.times),
      times("commits that stopped waiting for it", cancelled),
      times("writes that got 503 and Retry-After", unavailable),
      none("writes with another response", acknowledged),
      // The key was committed on the primary, where a retry finds it. Nothing is promised for these.
      times("retries with another response, without the standby", replayed),
      ...(await comparePartners([partner], violations, operator)).figures(),
    ],
  };
}

/** Sends, and cancels commits that wait for the standby until all requests have responses. */
function cancelCommitsOf(primary: Server, send: () => Promise<Outcome[]>) {
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
