/** Copies the rows of a business in passes while it accepts writes, and the last ones while it rejects them. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Session } from "../database/connection.ts";
import { findRunningImport } from "../database/imports/jobs.ts";
import { holdMoveLock, setMoveState } from "../database/moving.ts";
import { beginLoad } from "../database/statistics.ts";
import { OperatorError } from "../domain/access/operator-error.ts";
import type { Ends } from "./move-ends.ts";
import { type Moved, RowCopy } from "./move-rows.ts";
import { untilTransactionsEnd } from "./move-waits.ts";

/** Passes are repeated until one is as short as this, or hardly shorter than the one before. */
const shortPassMilliseconds = 1000;
const hardlyShorter = 0.7;
/** How often others that write are waited for before writes are rejected. Another pass follows each wait. */
const mostWaits = 10;
/** For others that still write when writes are rejected. */
const longestWaitMilliseconds = 10_000;

export interface Copied {
  readonly moved: Moved;
  /** When writes were rejected, as performance.now(). */
  readonly rejectingSince: number;
}

/** Copies all rows, and then those that change meanwhile, the last ones while writes are rejected. */
export async function copyBusiness(ends: Ends): Promise<Copied> {
  const { installations, inPlace, options, waits } = ends;
  const { businessId, onProgress, onRows, beforePause } = options;
  const cachedUntil = performance.now() + waits.cachesMilliseconds;
  await requireReady(ends);
  return inPlace("to", async (to) => {
    await beginLoad(to);
    const copying = async (from: Session) => {
      const rows = new RowCopy({ from, to, businessId, onRows });
      await rows.pass();
      await rows.pass(() => {
        onProgress("Comparing all rows …");
        return rows.compare();
      });
      const last = await catchUp(ends, rows, cachedUntil);
      const askedAt = performance.now();
      await beforePause?.(last / 1000).catch(async (error) => {
        await undo(ends, ["copying", null]);
        throw error;
      });
      if (performance.now() - askedAt > shortPassMilliseconds) await catchUp(ends, rows, askedAt);
      await requireReady(ends);
      return copyInPause(ends, rows, waits.pauseMilliseconds + 3 * last);
    };
    const copied = await inPlace("from", copying, { isSession: true });
    await setMoveState(to, businessId, ["leaving", "arriving"], installations.from);
    return copied;
  });
}

/** Checks what may fail in the pause. An import would, and its file does not move. @throws OperatorError */
export async function requireReady(ends: Ends): Promise<void> {
  await ends.options.checkRoutes();
  await requireNoImport(ends);
}

async function requireNoImport({ inPlace, options: { businessId } }: Ends): Promise<void> {
  const running = await inPlace("from", (tx) => findRunningImport(tx, businessId));
  if (running === undefined) return;
  throw new OperatorError(
    `Import ${running} of business ${businessId} is under way. Wait until it has ended, or cancel it: ` +
      `loyalty import cancel ${running} --business ${businessId}`,
  );
}

/**
 * Copies changes until few are left, until no process has an integration in its cache, and until no transaction of others writes for
 * longer than a pass takes.
 * @returns how long a pass takes
 */
async function catchUp(ends: Ends, copy: RowCopy, cachedUntil: number): Promise<number> {
  const { onProgress } = ends.options;
  let [before, waits] = [Number.POSITIVE_INFINITY, 0];
  for (;;) {
    const { rows, milliseconds } = await copy.pass();
    onProgress(`Copied ${rows} rows that had changed, in ${Math.ceil(milliseconds)} ms …`);
    const isShort = milliseconds <= shortPassMilliseconds || milliseconds > before * hardlyShorter;
    const left = cachedUntil - performance.now();
    if (isShort && left <= 0) {
      // So that the pause waits only for those that begin now.
      const waitsSince = performance.now();
      const running = await untilOthersEnd(ends, 60_000);
      if (performance.now() - waitsSince <= shortPassMilliseconds) return milliseconds;
      // Otherwise, the next pass copies what they have written.
      if (++waits === mostWaits) throw stillRuns(running ?? "one transaction after the other");
    } else if (isShort) await sleep(left);
    before = milliseconds;
  }
}

const untilOthersEnd = ({ inPlace, options }: Ends, withinMilliseconds: number) =>
  inPlace("from", (tx) => untilTransactionsEnd(tx, withinMilliseconds, options.onProgress));

const stillRuns = (running: string) =>
  new OperatorError(
    `The command has waited for ${running}, which writes in the old database. Repeat the command when that has ended, or add --cancel to it.`,
  );

/** Sets a state after a failure, also after an interruption. */
function undo(ends: Ends, states: Parameters<Ends["set"]>[0]): Promise<void> {
  return ends.set(states, { signal: new AbortController().signal }).catch(() => undefined);
}

/**
 * Rejects writes, and copies the last rows. If that fails, writes are accepted again, because nothing is committed there. PostgreSQL
 * ends the session of the lock when it is idle for longer than the pause may last. Then services accept writes again.
 */
async function copyInPause(ends: Ends, rows: RowCopy, withinMilliseconds: number): Promise<Copied> {
  const { businessId, onProgress } = ends.options;
  onProgress("3 of 6: Rejecting writes, and copying the last rows …");
  let rejectingSince = Number.POSITIVE_INFINITY;
  const reject = async (pause: Session) => {
    await holdMoveLock(pause, "pause", businessId);
    await ends.set(["copying", "leaving"]);
    rejectingSince = performance.now();
    const running = await untilOthersEnd(ends, longestWaitMilliseconds);
    if (running !== undefined) throw stillRuns(running);
    // One can have been started in the last moment.
    await requireNoImport(ends);
    await rows.pass();
    return { moved: await rows.end(), rejectingSince };
  };
  const serverSettings = { idle_in_transaction_session_timeout: String(Math.ceil(withinMilliseconds)) };
  try {
    return await ends.inPlace("from", reject, { serverSettings });
  } catch (error) {
    await undo(ends, ["leaving", "copying"]);
    if (performance.now() - rejectingSince < withinMilliseconds) throw error;
    throw new OperatorError(
      `The last rows took longer than ${Math.round(withinMilliseconds / 1000)} s, so writes are accepted again. Repeat the command.`,
    );
  }
}
