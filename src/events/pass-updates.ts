/**
 * Tells the services of wallets that passes have changed. It follows the log of events, as webhooks do, and marks the passes of the
 * members of new events. Postings know nothing of it. What is to be told is stored, so a crash loses nothing.
 */
import type { Logger } from "pino";
import { placeOfWallet, type ServiceKeys } from "../credentials/keys.ts";
import type { Database } from "../database/connection.ts";
import { describeFault } from "../database/faults.ts";
import {
  findSignature,
  listWalletHealth,
  type PassSignature,
  type WalletHealth,
  type WalletKind,
} from "../database/wallets/issuers.ts";
import {
  type DuePass,
  listPassWork,
  markChangedPasses,
  markShown,
  noteShown,
  type PassWork,
  storeTold,
  type Told,
  takeDuePasses,
} from "../database/wallets/updates.ts";

const everyMilliseconds = 1000;
/** Whether all passes of a business show something else, and how wallets do, is asked at each tenth look. */
const looksForShown = 10;
/** How many businesses a process serves at the same time. */
const mostBusinesses = 20;
const firstPauseSeconds = 10;
const longestPauseSeconds = 300;

/** A wallet of a business, with what signs its passes. */
export interface OpenWallet extends PassSignature {
  readonly business_id: number;
  readonly secret: unknown;
}

/** What tells of passes for one kind of wallet. It never fails: it says what was accepted. */
export interface WalletService {
  readonly passesAtOnce: number;
  tell(wallet: OpenWallet, due: readonly DuePass[]): Promise<Told>;
  stop(): void;
}

export interface PassUpdateParts {
  readonly sql: Database;
  readonly keys: Pick<ServiceKeys, "unseal">;
  readonly wallets: Readonly<Record<WalletKind, WalletService>>;
  readonly metrics: { walletsLooked(wallets: readonly WalletHealth[]): void };
  readonly log: Logger;
}

const nameOf = ({ business_id, kind }: PassWork) => `${kind} ${business_id}`;

export function startPassUpdates({ sql, keys, wallets, metrics, log }: PassUpdateParts) {
  /** The wallets that are served now. One whose service does not respond holds up no other. */
  const serving = new Map<string, Promise<void>>();
  const pauses = createPauses();
  const warned = new Set<string>();
  /** Each look begins after the wallet that was served last, so that those that come back at once leave room for the others. */
  let last: Pick<PassWork, "business_id" | "kind"> = { business_id: 0, kind: "apple" };
  let looks = 0;
  let stopped = false;

  const warnOnce = (kind: string, facts: object, message: string) => {
    if (stopped || warned.has(kind)) return;
    warned.add(kind);
    log.warn(facts, message);
  };
  const tell = async (work: PassWork): Promise<void> => {
    const { business_id, kind } = work;
    if (pauses.isPaused(work)) return;
    const facts = { business_id, wallet: kind };
    const found = await findSignature(sql, business_id, kind);
    if (found?.is_usable !== true) return;
    const secret = secretIn(found.sealed, placeOfWallet(business_id, kind), keys);
    if (secret === undefined)
      return warnOnce(`sealed ${nameOf(work)}`, facts, "what signs passes can't be read");
    if (stopped) return;
    const service = wallets[kind];
    const due = await takeDuePasses(sql, business_id, kind, service.passesAtOnce);
    const outcome = await service.tell({ ...found, business_id, secret }, due);
    const { isRefused, problem, fault } = outcome;
    const retrySeconds = pauses.note(work, isRefused);
    if (fault !== undefined)
      warnOnce(`pass ${nameOf(work)}`, { ...facts, fault: describeFault(fault) }, "a pass can't be made");
    if (isRefused)
      warnOnce(`refused ${nameOf(work)}`, { ...facts, problem }, "changes of passes are not accepted");
    else warned.delete(`refused ${nameOf(work)}`);
    if (due.length > 0 || problem !== null || outcome.classShown !== null)
      await sql.begin((tx) => storeTold(tx, work, outcome, { retrySeconds, isStopped: stopped }));
  };
  const serve = async (work: PassWork): Promise<void> => {
    const { business_id, kind, has_marks } = work;
    try {
      if (has_marks) {
        await markChangedPasses(sql, business_id, kind);
        await markShown(sql, business_id, kind);
      }
      await tell(work);
      warned.delete(`fault ${nameOf(work)}`);
    } catch (error) {
      const facts = { business_id, wallet: kind, fault: describeFault(error) };
      warnOnce(`fault ${nameOf(work)}`, facts, "changes of passes can't be told");
    } finally {
      serving.delete(nameOf(work));
    }
  };
  const poll = async (): Promise<void> => {
    try {
      if (looks++ % looksForShown === 0) {
        await noteShown(sql);
        metrics.walletsLooked(await listWalletHealth(sql));
      }
      const work = await listPassWork(sql);
      const isNext = ({ business_id: id, kind }: PassWork) =>
        id > last.business_id || (id === last.business_id && kind > last.kind);
      const inTurn = [...work.filter(isNext), ...work.filter((one) => !isNext(one))];
      for (const one of inTurn) {
        if (stopped || serving.size >= mostBusinesses) break;
        if (serving.has(nameOf(one)) || (pauses.isPaused(one) && !one.has_marks)) continue;
        serving.set(nameOf(one), serve(one));
        last = one;
      }
      warned.delete("poll");
    } catch (error) {
      warnOnce("poll", { fault: describeFault(error) }, "changes of passes can't be told");
    }
    if (!stopped) timer = later();
  };
  // Processes that were started together should not poll together.
  const later = () => setTimeout(() => void poll(), everyMilliseconds * (0.8 + 0.2 * Math.random())).unref();
  let timer = later();
  return {
    /** Ends what is under way. What was not told yet is told later, or by another process. */
    async stop(): Promise<void> {
      stopped = true;
      clearTimeout(timer);
      for (const service of Object.values(wallets)) service.stop();
      await Promise.all(serving.values());
    },
  };
}

/** After a refusal, a wallet pauses for longer each time. */
function createPauses() {
  /** How often in a row a set-up was refused, and until when it pauses, in monotonic milliseconds. */
  const failures = new Map<string, { readonly count: number; readonly until: number; readonly of: string }>();
  const failureOf = (work: PassWork) => {
    const found = failures.get(nameOf(work));
    // Another set-up is tried at once.
    return found?.of === work.set_up ? found : undefined;
  };
  return {
    isPaused: (work: PassWork) => (failureOf(work)?.until ?? 0) > performance.now(),
    /** @returns for how many seconds what was not accepted waits */
    note(work: PassWork, isRefused: boolean): number {
      const count = isRefused ? (failureOf(work)?.count ?? 0) + 1 : 0;
      const seconds = Math.min(firstPauseSeconds * 2 ** Math.max(0, count - 1), longestPauseSeconds);
      const until = performance.now() + seconds * 1000;
      if (isRefused) failures.set(nameOf(work), { count, until, of: work.set_up });
      else failures.delete(nameOf(work));
      return seconds;
    },
  };
}

function secretIn(sealed: string, place: string, { unseal }: Pick<ServiceKeys, "unseal">): unknown {
  try {
    return JSON.parse(unseal(sealed, place));
  } catch {
    return undefined;
  }
}
