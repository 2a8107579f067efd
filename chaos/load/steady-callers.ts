/** Callers that post to businesses, and keep how each request was answered. */
import { setTimeout as sleep } from "node:timers/promises";
import { percentile } from "../../bench/report.ts";
import { retryAfterSeconds } from "../../test/support/http-connection.ts";
import type { Violations } from "../chaos.ts";
import type { Command, Partner } from "./partner.ts";

export interface Answered {
  readonly sentAt: number;
  readonly milliseconds: number;
  /** 0 when the connection was lost, or the response took too long. */
  readonly status: number;
  readonly hasRetryAfter: boolean;
}

const pauseMilliseconds = 50;
/** Longer than anything stands still. */
const outcomeWithinMilliseconds = 60_000;
let callers = 0;

export class SteadyCallers {
  readonly ofEach: Answered[][] = [];
  #working: Promise<void>[] = [];
  #running = true;
  readonly #breakMilliseconds: number;

  private constructor(breakMilliseconds: number) {
    this.#breakMilliseconds = breakMilliseconds;
  }

  /**
   * Starts a caller for each business and port. Each posts to a new member.
   * @param breakMilliseconds between a success and the next posting
   */
  static async start(
    partners: readonly Partner[],
    ports: readonly number[],
    breakMilliseconds = 0,
  ): Promise<SteadyCallers> {
    const all = new SteadyCallers(breakMilliseconds);
    const begins: (() => Promise<void>)[] = [];
    for (const partner of partners) {
      for (const port of ports) {
        callers += 1;
        const name = `steady-${callers}`;
        const member = await partner.member(port, `${name}-member`);
        begins.push(() => all.#work(partner, port, member, name));
      }
    }
    all.#working = begins.map((begin) => begin());
    return all;
  }

  get answers(): Answered[] {
    return this.ofEach.flat();
  }

  /** Ends once the outcome of each caller's last command is known. */
  async stop(): Promise<void> {
    this.#running = false;
    await Promise.all(this.#working);
  }

  /** Requests without success, each of which is a violation. */
  failed(violations: Violations): number {
    const failed = this.answers.filter((each) => !isSuccess(each));
    for (const { status, milliseconds } of failed) {
      violations.add(`another business got ${status} after ${Math.round(milliseconds)} ms`);
    }
    return failed.length;
  }

  /** A command without success is sent again, with its key. */
  async #work(partner: Partner, port: number, member: number, name: string): Promise<void> {
    const answers: Answered[] = [];
    this.ofEach.push(answers);
    for (let nth = 0; this.#running; nth++) {
      const command = partner.adjustment(`${name}-${nth}`, member, 1);
      const deadline = performance.now() + outcomeWithinMilliseconds;
      for (;;) {
        const answered = await send(partner, port, command);
        answers.push(answered);
        if (isSuccess(answered)) break;
        if (performance.now() > deadline) throw new Error(`${name}-${nth} has no success`);
        await sleep(pauseMilliseconds);
      }
      if (this.#breakMilliseconds > 0) await sleep(this.#breakMilliseconds);
    }
  }
}

async function send(partner: Partner, port: number, command: Command): Promise<Answered> {
  const sentAt = performance.now();
  const outcome = await partner.send(port, command);
  const milliseconds = performance.now() - sentAt;
  if (typeof outcome === "string") return { sentAt, milliseconds, status: 0, hasRetryAfter: false };
  const hasRetryAfter = retryAfterSeconds(outcome) !== undefined;
  return { sentAt, milliseconds, status: outcome.status, hasRetryAfter };
}

export const isSuccess = ({ status }: Answered) => status > 0 && status < 300;

/** A response that asks for a retry, as it should. */
export const isRetryable = ({ status, hasRetryAfter }: Answered) => status === 503 && hasRetryAfter;

export function longestOf(answers: readonly Answered[], share = 1): number {
  return percentile(
    answers.map(({ milliseconds }) => milliseconds),
    share,
  );
}
