/**
 * A mixed load: many writers that write to shared accounts and to records of their own, until they are told to stop. It is
 * of several businesses, whose postings come at once, and whose writers use the same idempotency keys.
 */
import { authorize, type Business, makeBusiness, type Operator } from "../business.ts";
import { eventually, type Figure, Violations } from "../chaos.ts";
import { randomFrom } from "../random.ts";
import { basePath } from "../service.ts";
import { Books, Tally } from "./books.ts";
import { Caller, type Outcome, read } from "./caller.ts";
import { type Comparison, compareBooks } from "./comparison.ts";
import { type LoadTarget, Writer } from "./writer.ts";

export interface MixedLoad {
  readonly tally: Tally;
  readonly violations: Violations;
  /** Gets new tokens: ones that a restarted service issued. */
  renewTokens(): Promise<void>;
  /** Reads a list of one of the businesses, beside the writers. */
  listMembers(): Promise<Outcome>;
  /**
   * Lets every writer know the outcome of what it has sent, and ends.
   * @throws when they don't get to know it, because the service is not there
   */
  stop(): Promise<void>;
  /** Holds the books of the service against what the load was told, after it has stopped: all businesses together. */
  compare(): Promise<Comparison>;
}

/** A write of an unknown outcome is asked for again until the service answers it, which it does sooner than this. */
const writersEndWithinMilliseconds = 60_000;

export interface MixedLoadSettings {
  readonly port: number;
  readonly operator: Operator;
  readonly businesses: number;
  /** How many there are in all; each business gets as many as the others, and at least one. */
  readonly writers: number;
  /** How many members the shared accounts of a business are of. */
  readonly members: number;
  readonly seed: number;
  /** A request that is not answered within this time is given up, and counted as overdue. */
  readonly overdueMilliseconds: number;
}

interface Home {
  readonly business: Business;
  readonly target: LoadTarget;
}

/** Makes the businesses, the members whose accounts are shared, and starts the writers. */
export async function startMixedLoad(settings: MixedLoadSettings): Promise<MixedLoad> {
  const { port, operator, businesses, seed, overdueMilliseconds } = settings;
  const writersEach = Math.ceil(settings.writers / businesses);
  const tally = new Tally();
  const violations = new Violations();
  const homes: Home[] = [];
  for (let count = 0; count < businesses; count++) {
    const size = { locations: 3, tiers: writersEach, programs: writersEach, vouchers: 3 };
    const business = await makeBusiness(operator, size);
    const books = new Books();
    const authorization = await authorize(port, business.credentials);
    const contactIds = await makeMembers(settings, books, authorization);
    const { locationIds, voucherIds } = business;
    homes.push({
      business,
      target: { books, tally, violations, contactIds, locationIds, voucherIds, authorization },
    });
  }
  const writers = homes.flatMap(({ business, target }, home) =>
    Array.from({ length: writersEach }, (_, number) => {
      const caller = new Caller(port, overdueMilliseconds);
      const records = {
        tierId: business.tierIds[number] as number,
        programId: business.programIds[number] as number,
        settings: number === 0,
      };
      const random = randomFrom(seed + home * writersEach + number);
      return { caller, writer: new Writer(number, caller, random, target, records) };
    }),
  );
  let running = true;
  let working = writers.length;
  const work = writers.map(async ({ caller, writer }) => {
    try {
      while (running) await writer.step();
    } finally {
      caller.close();
      working -= 1;
    }
  });
  return {
    tally,
    violations,
    renewTokens: async () => {
      for (const { business, target } of homes) {
        target.authorization = await authorize(port, business.credentials);
      }
    },
    listMembers: async () => {
      const caller = new Caller(port, overdueMilliseconds);
      const outcome = await caller.post(`${basePath}/sp/members/list`, "{}", homes[0]?.target.authorization);
      caller.close();
      return outcome;
    },
    stop: async () => {
      running = false;
      await eventually("the writers end", writersEndWithinMilliseconds, () => working === 0);
      await Promise.all(work);
    },
    compare: async () => {
      const total: Comparison = { lost: 0, doubled: 0, wrong: 0, entries: 0, records: 0 };
      for (const { business, target } of homes) {
        const found = await compareBooks(operator, business, target.books, violations);
        for (const what of Object.keys(total) as (keyof Comparison)[]) total[what] += found[what];
      }
      return total;
    },
  };
}

/** What a load met with and what a comparison found, as figures: nothing lost, doubled or wrong is promised. */
export function loadFigures(tally: Tally, found: Comparison): Figure[] {
  const none = { promised: { exactly: 0 } };
  return [
    { what: "acknowledged writes lost", value: found.lost, ...none },
    { what: "writes done twice", value: found.doubled, ...none },
    { what: "done otherwise than acknowledged", value: found.wrong, ...none },
    { what: "entries compared", value: found.entries },
    { what: "records compared", value: found.records },
    { what: "tries without a known outcome", value: tally.unknown },
    { what: "of these done all the same", value: tally.unknownButDone },
    { what: "acknowledged writes asked for again", value: tally.repeats },
    { what: "requests not answered in 20 s", value: tally.overdue, ...none },
  ];
}

async function makeMembers(
  { port, members, overdueMilliseconds }: MixedLoadSettings,
  books: Books,
  authorization: string,
): Promise<number[]> {
  const caller = new Caller(port, overdueMilliseconds);
  const contactIds: number[] = [];
  for (let number = 0; number < members; number++) {
    const fields = {
      first_name: "Shared",
      last_name: `Member ${number}`,
      phone_number: `+33${600_000_000 + number}`,
    };
    const text = JSON.stringify({ idempotency_key: `shared-${number}`, ...fields });
    const answer = await caller.post(`${basePath}/sp/members/create`, text, authorization);
    if (typeof answer === "string" || answer.status !== 201) throw new Error(`no member: ${answer}`);
    const { contact_id } = read<{ contact_id: number }>(answer).data;
    contactIds.push(contact_id);
    books.members.set(contact_id, { ...fields, email: null, active: true });
  }
  caller.close();
  return contactIds;
}
