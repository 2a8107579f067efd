/**
 * Lists while writes go on: every page must be what a naive reading of one state of the books gives, and a walk
 * through all pages must come by all that was there when it began.
 */
import { memberIdsInBlock } from "../../src/database/members/list.ts";
import type { HttpConnection } from "../../test/support/http-connection.ts";
import { type Random, randomFrom } from "../../test/support/random.ts";
import { type Chaos, none, type Result, Violations } from "../chaos.ts";
import { Ledger } from "../lists/reads.ts";
import { ListTraffic, type Walk } from "../lists/traffic.ts";
import { authorize, type ExportedEntry, Operator } from "../operator.ts";

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
  const operator = new Operator(chaos, port);
  const violations = new Violations();
  const traffic = await prepare(port, operator, violations);
  await readOn(chaos, size, traffic, violations);
  const entries: ExportedEntry[] = [];
  for await (const entry of operator.entries(traffic.business.businessId)) entries.push(entry);
  const ledger = new Ledger(entries, traffic.spans);
  const { ledgerReads, memberReads, members, walks } = traffic;
  for (const ledgerRead of ledgerReads) ledger.check(ledgerRead, violations);
  for (const memberRead of memberReads) members.check(memberRead, violations);
  const pagesAmiss = violations.count;
  const { skipped, repeated } = checkWalks(walks, ledger, violations);
  return {
    violations: violations.list(),
    figures: [
      { what: "pages of transactions", value: ledgerReads.length },
      { what: "pages of members", value: memberReads.length },
      { what: "pages", value: ledgerReads.length + memberReads.length, aim: size.reads },
      { what: "entries written meanwhile", value: ledger.size },
      { what: "of these sales of the past", value: traffic.imported },
      { what: "changes of members meanwhile", value: members.changes },
      { what: "walks through all pages", value: walks.length, aim: size.walks },
      none("entries that a walk passed over", skipped),
      none("entries that a walk gave again", repeated),
      none("pages that are no state of the books", pagesAmiss),
    ],
  };
}

async function prepare(port: number, operator: Operator, violations: Violations): Promise<ListTraffic> {
  const business = await operator.makeBusiness({ locations: 3 }, timeZone);
  const locations = business.locationIds.slice(0, 2);
  const limited = await operator.makeIntegration(business.businessId, { location_ids: locations });
  const readers = [
    { authorization: await authorize(port, business.credentials), locations: undefined },
    { authorization: await authorize(port, limited), locations },
  ];
  const traffic = new ListTraffic({ port, operator, business }, readers, violations);
  const caller = traffic.open();
  const random = randomFrom(1);
  const others = await operator.makeBusiness({ locations: 1 });
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
  const callers: HttpConnection[] = [];
  const writer = (
    work: (caller: HttpConnection, random: Random) => Promise<void>,
    pauseMilliseconds: number,
  ) => {
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
