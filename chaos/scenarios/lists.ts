/**
 * Lists while writes go on: every page must be what a naive reading of one state of the books gives, and a walk
 * through all pages must come by all that was there when it began.
 */

import { scopesInRealTime } from "../../src/contract/scopes.ts";
import { memberIdsInBlock } from "../../src/database/members/blocks.ts";
import { authorize, makeBusiness, Operator } from "../business.ts";
import { type Chaos, type Result, Violations } from "../chaos.ts";
import { Ledger, type LedgerEntry } from "../lists/ledger-reads.ts";
import { ListTraffic, type Walk } from "../lists/traffic.ts";
import type { Caller } from "../load/caller.ts";
import { exportedEntries } from "../load/comparison.ts";
import { type Random, randomFrom } from "../random.ts";

export interface ListsSize {
  /** Pages read of both lists. */
  readonly reads: number;
  readonly walks: number;
  readonly writers: number;
  readonly readers: number;
}

const contacts = 6;
/** What searches find is remembered where there are members in many ranges of ids; so others' lie between these. */
const membersApart = 20;
/** No daylight saving time, and off by a quarter of an hour: days begin where nobody expects it. */
const timeZone = "Asia/Kathmandu";
const writerPauseMilliseconds = 10;
/** A walk must come to an end while entries come in before it. */
const importPauseMilliseconds = 200;

/** @param port of a service with several processes */
export async function lists(chaos: Chaos, port: number, size: ListsSize): Promise<Result> {
  const operator = new Operator(port);
  const violations = new Violations();
  try {
    const traffic = await prepare(port, operator, violations);
    await readOn(chaos, size, traffic, violations);
    const entries: LedgerEntry[] = [];
    for await (const entry of exportedEntries<LedgerEntry>(operator, traffic.business.businessId))
      entries.push(entry);
    const ledger = new Ledger(entries, traffic.spans);
    for (const ledgerRead of traffic.ledgerReads) ledger.check(ledgerRead, violations);
    for (const memberRead of traffic.memberReads) traffic.members.check(memberRead, violations);
    const pagesAmiss = violations.count;
    const { skipped, repeated } = checkWalks(traffic.walks, ledger, violations);
    const none = { promised: { exactly: 0 } };
    return {
      violations: violations.list(),
      figures: [
        { what: "pages of transactions", value: traffic.ledgerReads.length },
        { what: "pages of members", value: traffic.memberReads.length },
        { what: "pages", value: traffic.ledgerReads.length + traffic.memberReads.length, aim: size.reads },
        { what: "entries written meanwhile", value: ledger.size },
        { what: "of these sales of the past", value: traffic.imported },
        { what: "changes of members meanwhile", value: traffic.members.changes },
        { what: "walks through all pages", value: traffic.walks.length, aim: size.walks },
        { what: "entries that a walk passed over", value: skipped, ...none },
        { what: "entries that a walk gave again", value: repeated, ...none },
        { what: "pages that are no state of the books", value: pagesAmiss, ...none },
      ],
    };
  } finally {
    operator.close();
  }
}

async function prepare(port: number, operator: Operator, violations: Violations): Promise<ListTraffic> {
  const size = { locations: 3, tiers: 0, programs: 0, vouchers: 0 };
  const business = await makeBusiness(operator, size, timeZone);
  const locations = business.locationIds.slice(0, 2);
  const limited = await operator.write<{ client_id: string; client_secret: string }>(
    "/op/integrations/create",
    {
      business_id: business.businessId,
      name: "Limited",
      scopes: scopesInRealTime,
      location_ids: locations,
    },
  );
  const { client_id, client_secret } = limited;
  const readers = [
    { authorization: await authorize(port, business.credentials), locations: undefined },
    { authorization: await authorize(port, { client_id, client_secret }), locations },
  ];
  const traffic = new ListTraffic({ port, operator, business }, readers, violations);
  const caller = traffic.open();
  const random = randomFrom(1);
  const others = await makeBusiness(operator, { locations: 1, tiers: 0, programs: 0, vouchers: 0 });
  for (let number = 0; number < membersApart; number++) {
    await importStrangers(operator, others.businessId, number);
    if (number < contacts) await traffic.makeContact(caller, random);
    else await traffic.makeMember(caller, random);
  }
  caller.close();
  return traffic;
}

/** As many members of another business as a range of ids has that members are counted by. */
async function importStrangers(operator: Operator, businessId: number, nth: number): Promise<void> {
  const lines = Array.from({ length: memberIdsInBlock }, (_, index) => {
    const number = nth * memberIdsInBlock + index;
    return {
      line: index + 1,
      digest: number.toString(16).padStart(32, "0"),
      first_name: "Ana",
      last_name: "García",
      phone_number: `+33${600_000_000 + number}`,
    };
  });
  await operator.write("/op/imports/members", { business_id: businessId, lines });
}

/** Cycles of two halves: one in which walks go on, and one in which sales of the past come in. */
async function readOn(
  { seed, goesOn, say }: Chaos,
  size: ListsSize,
  traffic: ListTraffic,
  violations: Violations,
): Promise<void> {
  const callers: Caller[] = [];
  const writer = (work: (caller: Caller, random: Random) => Promise<void>, pauseMilliseconds: number) => {
    const caller = traffic.open();
    callers.push(caller);
    const random = randomFrom(seed + callers.length);
    return traffic.over(() => work(caller, random), pauseMilliseconds);
  };
  const times = (count: number) => Array.from({ length: count });
  const stops = [
    ...times(size.writers).map(() => writer((...given) => traffic.post(...given), writerPauseMilliseconds)),
    ...times(size.readers).map(() =>
      writer(
        (caller, random) =>
          random.chance(0.7) ? traffic.readLedger(caller, random) : traffic.readMembers(caller, random),
        0,
      ),
    ),
    writer((...given) => traffic.changeMember(...given), writerPauseMilliseconds),
  ];
  const walker = traffic.open();
  const random = randomFrom(seed);
  const done = () => traffic.ledgerReads.length + traffic.memberReads.length;
  while (violations.count === 0 && goesOn(done() >= size.reads && traffic.walks.length >= size.walks)) {
    await traffic.walkByClient(random);
    await traffic.walkByPages(walker, random);
    await traffic.importSales(random);
    const stopImporting = traffic.over(() => traffic.importSales(random), importPauseMilliseconds);
    await traffic.walkByPages(walker, random);
    await stopImporting();
    say(`${done()} pages, ${traffic.walks.length} walks`);
  }
  for (const stop of stops) await stop();
  for (const caller of [...callers, walker]) caller.close();
}

function checkWalks(walks: readonly Walk[], ledger: Ledger, violations: Violations) {
  const places = ledger.placesInList();
  let [skipped, repeated] = [0, 0];
  for (const { startedAt, filter, references, once } of walks) {
    const seen = new Set(references);
    const missing = ledger
      .referencesUpTo(ledger.acknowledgedBefore(startedAt), filter)
      .filter((reference) => !seen.has(reference));
    skipped += missing.length;
    if (missing.length > 0)
      violations.add(`a walk passed over ${missing.slice(0, 5)} (${missing.length} in all)`);
    if (!once) continue;
    repeated += references.length - seen.size;
    if (seen.size < references.length) violations.add(`a walk gave ${references.length - seen.size} again`);
    const order = references.map((reference) => places.get(reference) ?? -1);
    if (order.some((place, index) => place <= (order[index - 1] ?? -1))) {
      violations.add("a walk went forth and back in time");
    }
  }
  return { skipped, repeated };
}
