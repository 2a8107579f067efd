/** A mixed load: many lanes that write to shared accounts and to records of their own, until they are told to stop. */
import { authorize, type Business } from "../business.ts";
import { eventually, Violations } from "../chaos.ts";
import { randomFrom } from "../random.ts";
import { basePath } from "../service.ts";
import { Books } from "./books.ts";
import { Caller, type Outcome, read } from "./caller.ts";
import { Lane, type LoadTarget } from "./lane.ts";

export interface MixedLoad {
  readonly books: Books;
  readonly violations: Violations;
  /** Gets a new token: one that a restarted service issued. */
  renewToken(): Promise<void>;
  /** Reads a list, beside the lanes. */
  listMembers(): Promise<Outcome>;
  /**
   * Lets every lane know the outcome of what it has sent, and ends.
   * @throws when they don't get to know it, because the service is not there
   */
  stop(): Promise<void>;
}

/** A write of an unknown outcome is asked for again until the service answers it, which it does sooner than this. */
const lanesEndWithinMilliseconds = 60_000;

export interface MixedLoadSettings {
  readonly port: number;
  readonly business: Business;
  readonly lanes: number;
  /** How many members the shared accounts are of. */
  readonly members: number;
  readonly seed: number;
  /** A request that is not answered within this time is given up, and counted as overdue. */
  readonly overdueMilliseconds: number;
}

/** How a business must be made, for each lane to have a tier and a program of its own. */
export function sizeFor(lanes: number) {
  return { locations: 3, tiers: lanes, programs: lanes, vouchers: 3 };
}

/** Makes the members whose accounts are shared, and starts the lanes. */
export async function startMixedLoad(settings: MixedLoadSettings): Promise<MixedLoad> {
  const { port, business, lanes, seed, overdueMilliseconds } = settings;
  const books = new Books();
  const violations = new Violations();
  const authorization = await authorize(port, business.credentials);
  const contactIds = await makeMembers(settings, books, authorization);
  const { locationIds, voucherIds, tierIds, programIds } = business;
  const target: LoadTarget = { books, violations, contactIds, locationIds, voucherIds, authorization };
  const callers = Array.from({ length: lanes }, () => new Caller(port, overdueMilliseconds));
  let running = true;
  let working = lanes;
  const work = callers.map(async (caller, number) => {
    const records = {
      tierId: tierIds[number] as number,
      programId: programIds[number] as number,
      settings: number === 0,
    };
    const lane = new Lane(number, caller, randomFrom(seed + number), target, records);
    try {
      while (running) await lane.step();
    } finally {
      caller.close();
      working -= 1;
    }
  });
  return {
    books,
    violations,
    renewToken: async () => {
      target.authorization = await authorize(port, business.credentials);
    },
    listMembers: async () => {
      const caller = new Caller(port, overdueMilliseconds);
      const outcome = await caller.post(`${basePath}/sp/members/list`, "{}", target.authorization);
      caller.close();
      return outcome;
    },
    stop: async () => {
      running = false;
      await eventually("the lanes end", lanesEndWithinMilliseconds, () => working === 0);
      await Promise.all(work);
    },
  };
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
