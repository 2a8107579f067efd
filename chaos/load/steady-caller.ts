/** A caller that posts to one business without a break, and keeps how each request was answered. */
import { percentile } from "../chaos.ts";
import type { Partner } from "./partner.ts";

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

export class SteadyCaller {
  readonly answers: Answered[] = [];
  readonly partner: Partner;
  readonly #working: Promise<void>;
  #running = true;

  /** Starts at once. A command without success is sent again, with its key. */
  constructor(partner: Partner, port: number, contactId: number) {
    this.partner = partner;
    callers += 1;
    this.#working = this.#work(port, contactId, `steady-${callers}`);
  }

  /** Ends once the outcome of the last command is known. */
  async stop(): Promise<void> {
    this.#running = false;
    await this.#working;
  }

  async #work(port: number, contactId: number, name: string): Promise<void> {
    for (let nth = 0; this.#running; nth++) {
      const command = this.partner.adjustment(`${name}-${nth}`, contactId, 1);
      const deadline = performance.now() + outcomeWithinMilliseconds;
      while (!(await this.#send(port, command))) {
        if (performance.now() > deadline) throw new Error(`${name}-${nth} has no success`);
        await new Promise((resolve) => setTimeout(resolve, pauseMilliseconds));
      }
    }
  }

  async #send(port: number, command: ReturnType<Partner["adjustment"]>): Promise<boolean> {
    const sentAt = performance.now();
    const outcome = await this.partner.send(port, command);
    const milliseconds = performance.now() - sentAt;
    const { status, hasRetryAfter } =
      typeof outcome === "string" ? { status: 0, hasRetryAfter: false } : outcome;
    this.answers.push({ sentAt, milliseconds, status, hasRetryAfter });
    return status > 0 && status < 300;
  }
}

/** Starts callers of a new member each. */
export async function startSteadyCallers(
  partner: Partner,
  ports: readonly number[],
): Promise<SteadyCaller[]> {
  const members: number[] = [];
  for (const port of ports) {
    callers += 1;
    members.push(await partner.member(port, `steady-member-${callers}`));
  }
  return ports.map((port, nth) => new SteadyCaller(partner, port, members[nth] as number));
}

export async function stopAll(callers: readonly SteadyCaller[]): Promise<void> {
  await Promise.all(callers.map((caller) => caller.stop()));
}

export const answersOf = (callers: readonly SteadyCaller[]) => callers.flatMap(({ answers }) => answers);

export const isSuccess = ({ status }: Answered) => status > 0 && status < 300;

/** A response that asks for a retry, as it should. */
export const isRetryable = ({ status, hasRetryAfter }: Answered) => status === 503 && hasRetryAfter;

export function longestOf(answers: readonly Answered[], share = 1): number {
  return percentile(
    answers.map(({ milliseconds }) => milliseconds),
    share,
  );
}
