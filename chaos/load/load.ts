/** Writers that write without a break until they are stopped, and the comparison of what they were told. */
import { setTimeout as sleep } from "node:timers/promises";
import { type HttpResponse, isReplay, type Outcome, read } from "../../test/support/http-connection.ts";
import { type Random, randomFrom } from "../../test/support/random.ts";
import { type Fields, Operator } from "../../test/support/runs/operator.ts";
import { type Figure, milliseconds, none, percentile, times } from "../../test/support/runs/report.ts";
import { eventually, type Span, Violations } from "../../test/support/runs/run.ts";
import type { Chaos } from "../chaos.ts";
import { Author } from "./author.ts";
import {
  type Command,
  comparePartners,
  isReplayOf,
  isRetryable,
  nameOf,
  overdueMilliseconds,
  Partner,
  type Request,
} from "./partner.ts";

export interface LoadSize {
  readonly businesses: number;
  /** In all. Every business has the same number, and at least one. */
  readonly writers: number;
}

export interface LoadShape {
  /** The writers of a business use them in turn. */
  readonly ports: readonly number[];
  readonly partners: readonly Partner[];
  readonly operator: Operator;
  readonly writersEach: number;
  readonly seed: number;
  /** The number of members whose accounts the writers of a business share. */
  readonly members?: number;
  /** Everything by default. `money`: debits and credits. `credits`: small credits, of which none may fail. */
  readonly writes?: "all" | "money" | "credits";
  /** The share of credits that are replaced by creations of members. */
  readonly creations?: number;
  /** How long a writer waits after each request. */
  readonly pauseMilliseconds?: number;
}

/** A request that is over, and its outcome. */
export interface Completed extends Span {
  readonly outcome: "success" | "retryable" | "rejected" | "failed";
}

const pauseMilliseconds = 50;
const rememberedWrites = 200;
/** A writer knows the outcome of its last write by then. */
const endWithinMilliseconds = 60_000;
/** Rejections that a valid write may get, by its path. */
const expectedRejections: Readonly<Record<string, readonly string[]>> = {
  "/sp/wallet/adjust": ["insufficient_balance"],
  "/sp/reward-points/adjust": ["insufficient_balance"],
  "/sp/sales/record": ["insufficient_balance", "rewards_disabled"],
  "/sp/wallet/pay": ["insufficient_balance"],
  "/sp/wallet/reverse": ["insufficient_balance"],
};
let loads = 0;

export class Load {
  readonly violations: Violations;
  readonly shape: LoadShape;
  acknowledged = 0;
  /** Requests with an unknown outcome: lost connections, no response in time, 503. */
  unknown = 0;
  /** The unknown ones that took effect: the retry got the stored response. */
  unknownButDone = 0;
  /** Acknowledged writes that were repeated later, and got the same response. */
  repeats = 0;
  lastSuccessAt = 0;
  lastWriteAt = 0;
  lastUnavailableAt = 0;
  readonly #writers: Writer[] = [];
  #running = true;
  #working: Promise<void>[] = [];
  #ended = 0;

  private constructor(shape: LoadShape, violations: Violations) {
    this.shape = shape;
    this.violations = violations;
  }

  /** Makes members with accounts to share, then starts the writers. */
  static async start(shape: LoadShape, violations = new Violations()): Promise<Load> {
    const { partners, ports, writersEach, seed, members = 1 } = shape;
    const load = new Load(shape, violations);
    loads += 1;
    for (const [nth, partner] of partners.entries()) {
      const contactIds: number[] = [];
      for (let count = 0; count < members; count++) {
        contactIds.push(await partner.member(ports[0] as number, `load-${loads}-${count}`));
      }
      for (let number = 0; number < writersEach; number++) {
        const random = randomFrom(seed + nth * writersEach + number);
        const port = ports[number % ports.length] as number;
        const author = new Author(`${loads}-${number}`, number, random, partner, contactIds);
        load.#writers.push(new Writer(load, partner, port, random, author));
      }
    }
    load.#working = load.#writers.map((writer) => load.#work(writer));
    return load;
  }

  async #work(writer: Writer): Promise<void> {
    const { pauseMilliseconds: pause } = this.shape;
    try {
      while (this.#running) {
        await writer.step();
        if (pause !== undefined) await sleep(pause);
      }
    } finally {
      this.#ended += 1;
    }
  }

  /** The responses that each writer got. */
  get responsesOfEach(): readonly (readonly Completed[])[] {
    return this.#writers.map(({ responses }) => responses);
  }

  get responses(): Completed[] {
    return this.responsesOfEach.flat();
  }

  /** Gets new tokens, from a service that was restarted. */
  async renewTokens(): Promise<void> {
    for (const partner of this.shape.partners) await partner.renewToken();
  }

  /** Waits until no write has succeeded for some time. */
  async untilRejected(quietMilliseconds: number, withinMilliseconds: number): Promise<void> {
    await eventually("writes are rejected", withinMilliseconds, () => {
      return (
        performance.now() - this.lastWriteAt > quietMilliseconds && this.lastUnavailableAt > this.lastWriteAt
      );
    });
  }

  /** Waits until a write has succeeded after a moment. */
  async untilWritten(after: number): Promise<void> {
    await eventually("writes succeed", 60_000, () => this.lastWriteAt > after);
  }

  /** Stops each writer once it knows the outcome of its last write. */
  async stop(): Promise<void> {
    this.#running = false;
    await eventually("the writers end", endWithinMilliseconds, () => this.#ended === this.#working.length);
    await Promise.all(this.#working);
  }

  /** Requests without a success, each of which is a violation. */
  failed(): number {
    const failed = this.responses.filter(({ outcome }) => outcome !== "success");
    for (const { outcome, sentAt, respondedAt } of failed) {
      this.violations.add(`another business got ${outcome} after ${Math.round(respondedAt - sentAt)} ms`);
    }
    return failed.length;
  }

  /** Compares what the writers were told with what the service stores. @param aim the acknowledged writes wanted */
  async figures(aim?: number): Promise<Figure[]> {
    const { partners, operator } = this.shape;
    const compared = await comparePartners(partners, this.violations, operator);
    const overdue = this.responses.filter((each) => millisecondsOf(each) >= overdueMilliseconds);
    return [
      times("writes acknowledged", this.acknowledged, aim),
      ...compared.figures(),
      times("requests with unknown outcome", this.unknown),
      times("of these done", this.unknownButDone),
      times("acknowledged writes repeated", this.repeats),
      times(
        "debits rejected",
        partners.reduce((sum, { books }) => sum + books.rejections, 0),
      ),
      none("requests without a response in 20 s", overdue.length),
      milliseconds("longest request", longestOf(this.responses)),
    ];
  }
}

export const millisecondsOf = ({ sentAt, respondedAt }: Span) => respondedAt - sentAt;

/** The longest time, or the one that a share of requests does not exceed. */
export function longestOf(responses: readonly Span[], share = 1): number {
  return percentile(responses.map(millisecondsOf), share);
}

/** Makes businesses and starts a load of everything, or of debits and credits, on one service. */
export async function startLoad(
  chaos: Chaos,
  port: number,
  { businesses, writers }: LoadSize,
  more: Pick<LoadShape, "members" | "writes"> = { members: 40 },
): Promise<Load> {
  const operator = new Operator(chaos, port);
  const writersEach = Math.ceil(writers / businesses);
  const size = { locations: 3, tiers: writersEach, programs: writersEach, vouchers: 2, promotions: true };
  const partners = await openPartners(chaos, operator, port, businesses, size);
  return Load.start({ ports: [port], partners, operator, writersEach, seed: chaos.seed, ...more });
}

export async function openPartners(
  chaos: Pick<Chaos, "atEnd">,
  operator: Operator,
  port: number,
  count: number,
  size = { locations: 1 },
): Promise<Partner[]> {
  const partners: Partner[] = [];
  for (let nth = 0; nth < count; nth++) partners.push(await Partner.open(chaos, operator, port, size));
  return partners;
}

/** Applies faults to a load one after the other, stops it, and compares. */
export async function underLoad(
  { goesOn, say }: Chaos,
  load: Load,
  order: { readonly what: string; readonly times: number; readonly writes?: number },
  fault: (done: number) => Promise<void>,
): Promise<Figure[]> {
  let done = 0;
  try {
    for (; goesOn(done >= order.times); ) {
      await fault(done);
      done += 1;
      say(`${done} ${order.what}, ${load.acknowledged} acknowledged, ${load.violations.count} violations`);
    }
  } catch (error) {
    // Without the service, the writers don't end either.
    say(`ended by ${error}`);
    throw error;
  } finally {
    await load.stop();
  }
  return [times(order.what, done, order.times), ...(await load.figures(order.writes))];
}

interface Acknowledged {
  readonly command: Command;
  readonly response: HttpResponse;
}

/** One caller. It repeats a request until it knows the outcome. */
class Writer {
  readonly responses: Completed[] = [];
  readonly #load: Load;
  readonly #partner: Partner;
  readonly #port: number;
  readonly #random: Random;
  readonly #author: Author;
  readonly #remembered: Acknowledged[] = [];
  #last: Acknowledged | undefined;

  constructor(load: Load, partner: Partner, port: number, random: Random, author: Author) {
    this.#load = load;
    this.#partner = partner;
    this.#port = port;
    this.#random = random;
    this.#author = author;
  }

  async step(): Promise<void> {
    const { writes = "all", creations = 0 } = this.#load.shape;
    const [random, author] = [this.#random, this.#author];
    if (writes === "credits") return this.#write(author.credit(random.chance(creations)));
    const dice = random.below(100);
    if (dice < 4) return this.#repeat(random.pick(this.#remembered));
    if (dice < 8) return this.#read(author.read());
    return this.#write(author.write(writes === "money" ? "adjustment" : author.nextKind()));
  }

  async #read(request: Request): Promise<void> {
    const { status, body } = (await this.#settle(request)).response;
    if (status !== 200) this.#load.violations.add(`${request.path} got ${status}: ${body}`);
  }

  async #write(command: Command): Promise<void> {
    const load = this.#load;
    const { response, tries } = await this.#settle(command);
    load.unknown += tries - 1;
    if (response.status >= 300) {
      if (expectedRejections[command.path]?.includes(nameOf(response))) return;
      return load.violations.add(`${JSON.stringify(command)} got ${response.status} ${response.body}`);
    }
    const replayed = isReplay(response);
    if (tries === 1 && replayed) load.violations.add(`replayed a new key: ${JSON.stringify(command)}`);
    if (tries > 1 && replayed) load.unknownButDone += 1;
    load.acknowledged += 1;
    load.lastWriteAt = performance.now();
    this.#author.learn(command, read<Fields>(response).data);
    // A crash would lose the last acknowledged write first.
    if (tries > 1) await this.#repeat(this.#last);
    this.#last = { command, response };
    if (this.#remembered.length < rememberedWrites) this.#remembered.push(this.#last);
    else if (this.#random.chance(0.1)) this.#remembered[this.#random.below(rememberedWrites)] = this.#last;
  }

  /** Sends an acknowledged write again: it must get the same response, and do nothing. */
  async #repeat(write: Acknowledged | undefined): Promise<void> {
    if (write === undefined) return;
    const { response } = await this.#settle(write.command, false);
    this.#load.repeats += 1;
    if (isReplayOf(response, write.response)) return;
    const [before, now] = [JSON.stringify(write.response), JSON.stringify(response)];
    this.#load.violations.add(`${JSON.stringify(write.command)} got ${before}, then ${now}`);
  }

  /**
   * Sends a request until it is known whether it took effect.
   * @param keeps whether the books note a success; not for earlier writes, which later ones may have changed
   */
  async #settle(request: Request, keeps = true): Promise<{ response: HttpResponse; tries: number }> {
    for (let tries = 1; ; tries++) {
      const outcome = await this.#send(request, keeps);
      if (typeof outcome === "object" && outcome.status < 500) return { response: outcome, tries };
      await sleep(pauseMilliseconds);
    }
  }

  async #send(request: Request, keeps: boolean): Promise<Outcome> {
    const load = this.#load;
    const sentAt = performance.now();
    const outcome = await this.#partner.send(this.#port, request, keeps);
    const respondedAt = performance.now();
    const status = typeof outcome === "object" ? outcome.status : 0;
    const isSuccess = status > 0 && status < 300;
    const retryable = isRetryable(outcome);
    const kind = isSuccess
      ? "success"
      : retryable
        ? "retryable"
        : status > 0 && status < 500
          ? "rejected"
          : "failed";
    this.responses.push({ sentAt, respondedAt, outcome: kind });
    if (isSuccess) load.lastSuccessAt = respondedAt;
    if (retryable) load.lastUnavailableAt = respondedAt;
    else if (typeof outcome === "object" && status >= 500) {
      load.violations.add(`${request.path} got ${status}: ${outcome.body}`);
    }
    return outcome;
  }
}
