/**
 * Tells phones that passes for Apple Wallet have changed. It follows the log of events, as webhooks do, and marks the passes of the
 * members of new events. Postings know nothing of it. What is to be told is stored, so a crash loses nothing.
 */
import type { Logger } from "pino";
import { placeOfWallet, type ServiceKeys } from "../credentials/keys.ts";
import type { PassCertificate } from "../credentials/pass-certificates.ts";
import type { Database } from "../database/connection.ts";
import { describeFault } from "../database/faults.ts";
import {
  type DuePass,
  findSignature,
  listPassWork,
  markChangedPasses,
  type PushOutcome,
  storePushes,
  takeDuePasses,
} from "../database/wallet-passes.ts";
import type { ApplePushes, PushResult } from "./apple-pushes.ts";

const everyMilliseconds = 1000;
const passesAtOnce = 100;
/** How many businesses a process serves at the same time. */
const mostBusinesses = 20;
const firstPauseSeconds = 10;
const longestPauseSeconds = 300;

export interface PassUpdateParts {
  readonly sql: Database;
  readonly keys: Pick<ServiceKeys, "unseal">;
  readonly pushes: ApplePushes;
  readonly log: Logger;
}

export function startPassUpdates({ sql, keys, pushes, log }: PassUpdateParts) {
  /** The businesses that are served now. One whose push service does not respond holds up no other. */
  const serving = new Map<number, Promise<void>>();
  /** How often in a row the pushes of a business failed, and until when it pauses, in monotonic milliseconds. */
  const failures = new Map<number, { readonly count: number; readonly until: number }>();
  const warned = new Set<string>();
  /** Each look begins after the business that was served last, so that those that come back at once leave room for the others. */
  let last = 0;
  let stopped = false;

  const warnOnce = (kind: string, facts: object, message: string) => {
    if (stopped || warned.has(kind)) return;
    warned.add(kind);
    log.warn(facts, message);
  };
  const isPaused = (businessId: number) => (failures.get(businessId)?.until ?? 0) > performance.now();
  const push = async (businessId: number): Promise<void> => {
    if (isPaused(businessId)) return;
    const found = await findSignature(sql, businessId);
    if (found === undefined || Date.parse(found.ends_at) <= Date.now()) return;
    const certificate = certificateIn(found.sealed, businessId, keys);
    if (certificate === undefined)
      return warnOnce(
        `sealed ${businessId}`,
        { business_id: businessId },
        "the certificate of passes can't be read",
      );
    if (stopped) return;
    const due = await takeDuePasses(sql, businessId, passesAtOnce);
    const tokens = [...new Set(due.flatMap(({ push_tokens }) => push_tokens))];
    const results = await pushes.send(certificate, found.pass_type, tokens);
    const isRefused = tokens.length > 0 && tokens.every((one) => (results.get(one) ?? "failed") === "failed");
    const count = isRefused ? (failures.get(businessId)?.count ?? 0) + 1 : 0;
    const retrySeconds = Math.min(firstPauseSeconds * 2 ** Math.max(0, count - 1), longestPauseSeconds);
    if (isRefused) failures.set(businessId, { count, until: performance.now() + retrySeconds * 1000 });
    else failures.delete(businessId);
    if (isRefused)
      warnOnce(
        `push ${businessId}`,
        { business_id: businessId },
        "Apple's push service does not accept pushes",
      );
    else warned.delete(`push ${businessId}`);
    if (due.length > 0)
      await sql.begin((tx) => storePushes(tx, businessId, { ...outcomeOf(due, results), retrySeconds }));
  };
  const serve = async (businessId: number, hasEvents: boolean): Promise<void> => {
    try {
      if (hasEvents) await markChangedPasses(sql, businessId);
      await push(businessId);
      warned.delete(`fault ${businessId}`);
    } catch (error) {
      const facts = { business_id: businessId, fault: describeFault(error) };
      warnOnce(`fault ${businessId}`, facts, "phones can't be told of changed passes");
    } finally {
      serving.delete(businessId);
    }
  };
  const poll = async (): Promise<void> => {
    try {
      const work = await listPassWork(sql);
      const next = work.findIndex(({ business_id }) => business_id > last);
      const inTurn = [...work.slice(Math.max(0, next)), ...work.slice(0, Math.max(0, next))];
      for (const { business_id, has_events } of inTurn) {
        if (stopped || serving.size >= mostBusinesses) break;
        if (serving.has(business_id) || (isPaused(business_id) && !has_events)) continue;
        serving.set(business_id, serve(business_id, has_events));
        last = business_id;
      }
      warned.delete("poll");
    } catch (error) {
      warnOnce("poll", { fault: describeFault(error) }, "phones can't be told of changed passes");
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
      pushes.stop();
      await Promise.all(serving.values());
    },
  };
}

function certificateIn(
  sealed: string,
  businessId: number,
  { unseal }: Pick<ServiceKeys, "unseal">,
): PassCertificate | undefined {
  try {
    return JSON.parse(unseal(sealed, placeOfWallet(businessId))) as PassCertificate;
  } catch {
    return undefined;
  }
}

/** A pass of which some phones were told is told to the others when its pause is over, and then to all. */
function outcomeOf(
  due: readonly DuePass[],
  results: ReadonlyMap<string, PushResult>,
): Omit<PushOutcome, "retrySeconds"> {
  const of = ({ push_tokens }: DuePass) => push_tokens.map((token) => results.get(token) ?? "failed");
  return {
    told: due.filter((pass) => !of(pass).includes("failed")),
    failed: due
      .filter((pass) => of(pass).includes("failed") && !of(pass).includes("told"))
      .map(({ serial_number }) => serial_number),
    deadTokens: [...results].filter(([, result]) => result === "dead").map(([token]) => token),
  };
}
