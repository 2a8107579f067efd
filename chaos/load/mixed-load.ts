/**
 * A mixed load: many writers that write to shared accounts and to records of their own, until they are told to stop. It is
 * of several businesses, whose postings come at once, and whose writers use the same idempotency keys.
 */
import type { Outcome } from "../../test/support/http-connection.ts";
import { randomFrom } from "../../test/support/random.ts";
import { type Chaos, eventually, type Figure, none, Violations } from "../chaos.ts";
import type { Operator } from "../operator.ts";
import { comparePartners, Partner } from "./partner.ts";
import { Tally, Writer } from "./writer.ts";

/** A request that is not answered within this time is given up, and counted as overdue. */
export const overdueMilliseconds = 20_000;
/** A write of an unknown outcome is asked for again until the service answers it, which it does sooner than this. */
const writersEndWithinMilliseconds = 60_000;
/** The shared accounts of a business are those of so many members. */
const members = 40;

export interface LoadSize {
  readonly businesses: number;
  /** How many there are in all; each business gets as many as the others, and at least one. */
  readonly writers: number;
}

export class MixedLoad {
  readonly tally = new Tally();
  readonly violations = new Violations();
  readonly #operator: Operator;
  readonly #port: number;
  readonly #partners: Partner[] = [];
  #working: Promise<unknown>[] = [];
  #stopped = 0;
  #running = true;

  private constructor(operator: Operator, port: number) {
    this.#operator = operator;
    this.#port = port;
  }

  /** Makes the businesses, the members whose accounts are shared, and starts the writers. */
  static async start(
    chaos: Chaos,
    operator: Operator,
    port: number,
    { businesses, writers }: LoadSize,
  ): Promise<MixedLoad> {
    const load = new MixedLoad(operator, port);
    const writersEach = Math.ceil(writers / businesses);
    const size = { locations: 3, tiers: writersEach, programs: writersEach, vouchers: 3 };
    const all: Writer[] = [];
    for (let nth = 0; nth < businesses; nth++) {
      const partner = await Partner.open(chaos, operator, port, size, overdueMilliseconds);
      load.#partners.push(partner);
      const contactIds: number[] = [];
      for (let count = 0; count < members; count++) {
        contactIds.push(await partner.member(port, `shared-${count}`));
      }
      const shared = { partner, port, contactIds, tally: load.tally, violations: load.violations };
      for (let number = 0; number < writersEach; number++) {
        all.push(new Writer(number, randomFrom(chaos.seed + nth * writersEach + number), shared));
      }
    }
    load.#working = all.map((writer) => load.#work(writer));
    return load;
  }

  async #work(writer: Writer): Promise<void> {
    try {
      while (this.#running) await writer.step();
    } finally {
      this.#stopped += 1;
    }
  }

  /** Gets new tokens: ones that a restarted service issued. */
  async renewTokens(): Promise<void> {
    for (const partner of this.#partners) await partner.renewToken();
  }

  /** Reads a list of one of the businesses, beside the writers. */
  listMembers(): Promise<Outcome> {
    return (this.#partners[0] as Partner).send(this.#port, { path: "/sp/members/list", body: {} });
  }

  /** Waits until no write succeeds any more, for longer than some time. */
  async untilRefused(quietMilliseconds: number, withinMilliseconds: number): Promise<void> {
    await eventually("writes are refused", withinMilliseconds, () => {
      const { lastWriteAt, lastUnavailableAt } = this.tally;
      return performance.now() - lastWriteAt > quietMilliseconds && lastUnavailableAt > lastWriteAt;
    });
  }

  /** Waits until a write succeeds that ended after a moment. */
  async untilWritten(after: number): Promise<void> {
    await eventually("writes succeed", 60_000, () => this.tally.lastWriteAt > after);
  }

  /**
   * Lets every writer know the outcome of what it has sent, and ends.
   * @throws when they don't get to know it, because the service is not there
   */
  async stop(): Promise<void> {
    this.#running = false;
    await eventually("the writers end", writersEndWithinMilliseconds, () => {
      return this.#stopped === this.#working.length;
    });
    await Promise.all(this.#working);
  }

  /**
   * After it has stopped, compares what it was told with what the service says.
   * @param aim how many writes were to be acknowledged
   */
  async figures(aim?: number): Promise<Figure[]> {
    const found = await comparePartners(this.#partners, this.violations, this.#operator);
    const { acknowledged, unknown, unknownButDone, repeats, overdue } = this.tally;
    return [
      { what: "writes acknowledged", value: acknowledged, ...(aim !== undefined && { aim }) },
      ...found.figures(),
      { what: "entries compared", value: found.entries },
      { what: "records compared", value: found.records },
      { what: "tries without a known outcome", value: unknown },
      { what: "of these done all the same", value: unknownButDone },
      { what: "acknowledged writes asked for again", value: repeats },
      none("requests not answered in 20 s", overdue),
    ];
  }
}
