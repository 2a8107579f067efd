/**
 * Moves a business to another database, with all its ids. The next step follows from what both databases store, so a move that was
 * interrupted continues. The rows are copied while the business accepts writes (move-rows.ts). For the last rows, it accepts only reads.
 */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { insertAuditEntries, ownActor } from "../database/access/audit.ts";
import { findInstallation, type Installation } from "../database/cell.ts";
import type { Connection, Session } from "../database/connection.ts";
import { deleteBusiness, deleteSome } from "../database/engine/sandbox.ts";
import { lockLedger } from "../database/ledger/ledger.ts";
import { requireEqualSchemas } from "../database/migrate.ts";
import {
  findIntegrationsToMove,
  findStanding,
  findTakenIntegration,
  listRoutedBusinesses,
  moverOf,
  pauseOf,
  type RoutedBusiness,
  setMoveState,
} from "../database/moving.ts";
import { beginLoad } from "../database/statistics.ts";
import { memberTables } from "../database/tables.ts";
import { OperatorError } from "../domain/access/operator-error.ts";
import type { ServiceEvent } from "../domain/audit-events.ts";
import { canCancelMove, type MoveStandings, type MoveStep, nextMoveStep } from "../domain/moving.ts";
import {
  explained,
  inDatabaseOf,
  type Place,
  type Progress,
  requireDatabase,
  requireTemporaryTables,
  type TransactionOptions,
} from "./copy.ts";
import { type Moved, RowCopy } from "./move-rows.ts";
import { untilEarlierEnds, untilTransactionsEnd, usualWaits, type Waits } from "./move-waits.ts";

export interface MoveOptions extends Progress {
  readonly businessId: number;
  readonly from: Place;
  readonly to: Place;
  /** Sends the requests of the business and its integrations to one of the places from now on. */
  readonly route: (to: "from" | "to", clientIds: readonly string[]) => Promise<void>;
  /** Writes the routes of all businesses, by what the databases have, for the next start of the proxies. */
  readonly writeRoutes: () => Promise<void>;
  /** Called before writes are rejected, with an estimate for how long. If it throws, the move is forgotten. */
  readonly beforePause?: (seconds: number) => Promise<void>;
  readonly waits?: Waits;
}

/** Passes are repeated until one is as short as this, or hardly shorter than the one before. */
const shortPassMilliseconds = 1000;
const hardlyShorter = 0.7;
/** For transactions of others, before writes are rejected and afterwards. */
const minuteMilliseconds = 60_000;
const longestWaitMilliseconds = 10_000;
/** For the locks of others. */
const serverSettings = { lock_timeout: "20s" };

type States = Parameters<typeof setMoveState>[2];

export interface MoveResult {
  /** What was copied; undefined when an earlier run has copied it. */
  readonly moved: Moved | undefined;
  /** How long writes were rejected, as far as this run saw it. */
  readonly pausedMilliseconds: number;
}

interface Ends {
  readonly from: Installation;
  readonly to: Installation;
}

/** Moves a business. @throws OperatorError with a line for the operator. The same call continues. */
export async function moveBusiness(options: MoveOptions): Promise<MoveResult> {
  const { businessId, onProgress, waits = usualWaits } = options;
  const move = new Move(options);
  try {
    const ends = await move.open();
    let moved: Moved | undefined;
    let rejectingSince = performance.now();
    let [leftAt, pausedMilliseconds] = [rejectingSince, 0];
    for (;;) {
      const standings = await move.standings(ends);
      const step = nextMoveStep(standings);
      if (step === "done") return { moved, pausedMilliseconds };
      onProgress(`${texts[step as MoveStep] ?? ""}`);
      if (step === "begin") await move.begin(ends, standings);
      else if (step === "discard") await move.discard(ends);
      else if (step === "copy") ({ moved, rejectingSince } = await move.copy(ends));
      else if (step === "leave") {
        await move.leave(ends);
        leftAt = performance.now();
      } else if (step === "arrive") {
        await move.arrive(ends);
        pausedMilliseconds = performance.now() - rejectingSince;
      } else if (step === "delete") {
        await options.writeRoutes();
        await sleep(Math.max(0, leftAt + waits.readsMilliseconds - performance.now()));
        await move.delete(ends);
      } else throw rejections[step](businessId);
    }
  } catch (error) {
    throw explained(error, options.signal, `Business ${businessId} can't be moved`);
  }
}

/** What routes need to know about the businesses of a place. @param businessId only of this one */
export async function readRoutesOf(
  place: Place,
  progress: Progress,
  businessId?: number,
): Promise<RoutedBusiness[]> {
  const options = { applicationName: "loyalty move", signal: progress.signal, startsDatabase: false };
  try {
    await requireDatabase(place);
    return await inDatabaseOf({ ...place, ...progress }, options, (tx) =>
      listRoutedBusinesses(tx, businessId),
    );
  } catch (error) {
    throw explained(error, progress.signal, "The database can't be read");
  }
}

/** Cancels a move that has not arrived: the business stays where it was. */
export async function cancelMove(options: MoveOptions): Promise<void> {
  const { businessId, signal } = options;
  const move = new Move(options);
  try {
    const ends = await move.open();
    const standings = await move.standings(ends);
    if (!canCancelMove(standings))
      throw new OperatorError(
        ["delete", "done"].includes(nextMoveStep(standings))
          ? `Business ${businessId} is accepted in the new place already. Repeat the command without --cancel, and then move it back.`
          : `Business ${businessId} is not being moved there.`,
      );
    await move.cancel(ends, standings);
  } catch (error) {
    throw explained(error, signal, `The move of business ${businessId} can't be cancelled`);
  }
}

const texts: Readonly<Partial<Record<MoveStep, string>>> = {
  begin: "1 of 6: Announcing the move …",
  discard: "Deleting the copy of an earlier command, which is out of date …",
  copy: "2 of 6: Copying the rows of the business …",
  leave: "4 of 6: Rejecting its reads, too …",
  arrive: "5 of 6: Accepting its requests in the new place …",
  delete: "6 of 6: Waiting for the last reads, and deleting its rows in the old place …",
};

const rejections = {
  not_here: (id: number) =>
    new OperatorError(`Business ${id} not found. See which there are: loyalty business list`),
  exists_there: (id: number) =>
    new OperatorError(
      `The other place has a business ${id} of its own, or this one was imported there. It can't be moved.`,
    ),
  moves_elsewhere: (id: number) =>
    new OperatorError(
      `Business ${id} is being moved to another place already. Repeat that command with its --to, or add --cancel to it.`,
    ),
} as const;

/** The steps, each in transactions of its own. */
class Move {
  readonly #options: MoveOptions;

  constructor(options: MoveOptions) {
    this.#options = options;
  }

  #in<Value>(
    end: "from" | "to",
    work: (tx: Session) => Promise<Value>,
    more: Partial<TransactionOptions> = {},
  ): Promise<Value> {
    const { businessId, signal, onProgress, onRows } = this.#options;
    const applicationName = moverOf(businessId);
    const options = { applicationName, signal, startsDatabase: false, serverSettings, ...more };
    return inDatabaseOf({ ...this.#options[end], signal, onProgress, onRows }, options, work);
  }

  /** Checks that the two places are installations of the same schema and the same secret. */
  async open(): Promise<Ends> {
    const { from, to } = this.#options;
    await Promise.all([requireDatabase(from), requireDatabase(to)]);
    for (const end of ["from", "to"] as const)
      await this.#in(end, (tx) => untilEarlierEnds(tx, this.#options));
    const find = (from: Session) =>
      this.#in("to", async (to) => {
        await requireTemporaryTables(to);
        await requireEqualSchemas(from, to);
        return { here: await findInstallation(from), there: await findInstallation(to) };
      });
    const { here, there } = await this.#in("from", find);
    if (here === undefined || there === undefined) {
      throw new OperatorError("No service has started on one of the databases yet. Start it there first.");
    }
    if (here.database_id === there.database_id) throw new OperatorError("Both places are the same database.");
    if (here.secret_check !== there.secret_check) {
      throw new OperatorError(
        "The services have different secrets, so tokens and retries would become invalid. Start both with the same LOYALTY_SECRET.",
      );
    }
    return { from: here, to: there };
  }

  async standings({ from, to }: Ends): Promise<MoveStandings> {
    const find = (tx: Session) => findStanding(tx, this.#options.businessId);
    return {
      from: { database: from.database_id, business: await this.#in("from", find) },
      to: { database: to.database_id, business: await this.#in("to", find) },
    };
  }

  async begin({ to }: Ends, { from }: MoveStandings): Promise<void> {
    const { businessId } = this.#options;
    const before = from.business?.state ?? null;
    const integrations = await this.#in("from", (tx) => findIntegrationsToMove(tx, businessId));
    const taken = await this.#in("to", (tx) => findTakenIntegration(tx, integrations));
    if (taken !== undefined) {
      throw new OperatorError(
        `The other place has an integration ${taken.integration_id} of its own. It can't be moved: give each cell a LOYALTY_CELL.`,
      );
    }
    await this.#set(to, [before, "copying"]);
  }

  /** Copies all rows, and then those that change meanwhile, the last ones while writes are rejected. */
  async copy(ends: Ends): Promise<{ moved: Moved; rejectingSince: number }> {
    const { businessId, onProgress, onRows, beforePause, waits = usualWaits } = this.#options;
    const cachedUntil = performance.now() + waits.cachesMilliseconds;
    return this.#in("to", async (to) => {
      await beginLoad(to);
      const copied = await this.#in("from", async (from) => {
        const rows = new RowCopy({ from, to, businessId, onRows });
        const pass = async (andThen?: () => Promise<void>) => {
          const startedAt = performance.now();
          await rows.begin();
          const changed = await rows.pass();
          const milliseconds = performance.now() - startedAt;
          await andThen?.();
          await from.commit();
          return { changed, milliseconds };
        };
        // Outside a transaction, which this command would wait for.
        await from.commit();
        await pass();
        await pass(() => {
          onProgress("Comparing all rows …");
          return rows.compare();
        });
        const last = await this.#catchUp(pass, cachedUntil);
        const askedAt = performance.now();
        await beforePause?.(last / 1000).catch(async (error) => {
          await this.#undo(ends.to, ["copying", null]);
          throw error;
        });
        if (performance.now() - askedAt > shortPassMilliseconds) await this.#catchUp(pass, askedAt);
        return this.#inPause(ends, rows, waits.pauseMilliseconds + 3 * last);
      });
      await setMoveState(to, businessId, ["leaving", "arriving"], ends.from);
      return copied;
    });
  }

  /** Copies changes until few are left, and until no process has an integration in its cache. @returns how long a pass takes */
  async #catchUp(
    pass: () => Promise<{ changed: number; milliseconds: number }>,
    cachedUntil: number,
  ): Promise<number> {
    for (let before = Number.POSITIVE_INFINITY; ; ) {
      const { changed, milliseconds } = await pass();
      this.#options.onProgress(`Copied ${changed} rows that had changed, in ${Math.ceil(milliseconds)} ms …`);
      const isShort = milliseconds <= shortPassMilliseconds || milliseconds > before * hardlyShorter;
      const left = cachedUntil - performance.now();
      if (isShort && left <= 0) {
        // So that the pause waits only for those that begin now.
        const waitsSince = performance.now();
        await this.#untilTransactionsEnd(minuteMilliseconds);
        // Otherwise, the next pass copies what they have written.
        if (performance.now() - waitsSince <= shortPassMilliseconds) return milliseconds;
      } else if (isShort) await sleep(left);
      before = milliseconds;
    }
  }

  #untilTransactionsEnd(withinMilliseconds: number): Promise<void> {
    return this.#in("from", (tx) => untilTransactionsEnd(tx, withinMilliseconds, this.#options.onProgress));
  }

  /** Sets the state in the old place. */
  #set(to: Installation, states: States, more?: Partial<TransactionOptions>): Promise<void> {
    return this.#in("from", (tx) => setMoveState(tx, this.#options.businessId, states, to), more);
  }

  /** Sets it after a failure, also after an interruption. */
  #undo(to: Installation, states: States): Promise<void> {
    return this.#set(to, states, { signal: new AbortController().signal }).catch(() => undefined);
  }

  /**
   * Rejects writes, and copies the last rows. If that fails, writes are accepted again, because nothing is committed there. PostgreSQL
   * ends the session when it is idle for longer than the pause may last, and there is no second one. Then services accept writes again.
   */
  async #inPause({ to }: Ends, rows: RowCopy, withinMilliseconds: number) {
    const { businessId, onProgress } = this.#options;
    onProgress("3 of 6: Rejecting writes, and copying the last rows …");
    const rejectingSince = performance.now();
    const reject = async () => {
      await this.#set(to, ["copying", "leaving"]);
      await this.#untilTransactionsEnd(longestWaitMilliseconds);
      await rows.begin();
      await rows.pass();
      return { moved: await rows.end(), rejectingSince };
    };
    const serverSettings = { idle_in_transaction_session_timeout: String(Math.ceil(withinMilliseconds)) };
    try {
      const more = { applicationName: pauseOf(businessId), serverSettings, onProgress: undefined };
      return await this.#in("from", reject, more);
    } catch (error) {
      await this.#undo(to, ["leaving", "copying"]);
      if (performance.now() - rejectingSince < withinMilliseconds) throw error;
      throw new OperatorError(
        `The last rows took longer than ${Math.round(withinMilliseconds / 1000)} s, so writes are accepted again. Repeat the command.`,
      );
    }
  }

  leave({ to }: Ends): Promise<void> {
    return this.#set(to, ["leaving", "left"]);
  }

  /** Both places reject all requests when the route changes. So none is accepted twice, and no read is out of date. */
  async arrive(ends: Ends): Promise<void> {
    const { businessId } = this.#options;
    await this.#route("to");
    await this.#in("to", async (tx) => {
      await setMoveState(tx, businessId, ["arriving", null], ends.from);
      await this.#audit(tx, ends);
    });
  }

  async delete(ends: Ends): Promise<void> {
    const { businessId } = this.#options;
    await this.#in("from", async (tx) => {
      for (const { name } of memberTables.filter(({ outlives }) => outlives !== true)) {
        for (let isMore = true; isMore; await tx.begin()) {
          isMore = await deleteSome(tx, businessId, name);
          await tx.commit();
        }
      }
      await lockLedger(tx, businessId);
      await deleteBusiness(tx, businessId);
      await this.#audit(tx, ends);
    });
  }

  /** Deletes the copy in the new place. Fails if the business was accepted there meanwhile. */
  async discard({ from }: Pick<Ends, "from">): Promise<void> {
    const { businessId } = this.#options;
    await this.#in("to", async (tx) => {
      await setMoveState(tx, businessId, ["arriving", "arriving"], from);
      await deleteBusiness(tx, businessId);
    });
  }

  async cancel({ from, to }: Ends, { from: here, to: there }: MoveStandings): Promise<void> {
    await this.#route("from");
    if (there.business !== undefined) {
      await this.discard({ from }).catch(async (error: unknown) => {
        // Another command may have accepted the business there meanwhile.
        await this.#route("to");
        throw error;
      });
    }
    const before = here.business?.state ?? null;
    await this.#set(to, [before, null]);
    await this.#options.writeRoutes();
  }

  async #route(to: "from" | "to"): Promise<void> {
    const { businessId, route } = this.#options;
    const found = await this.#in("from", (tx) => findIntegrationsToMove(tx, businessId));
    const clientIds = found.map(({ client_id }) => client_id);
    await route(to, clientIds);
  }

  #audit(tx: Connection, { from, to }: Ends): Promise<void> {
    const { businessId: business_id } = this.#options;
    const actor = ownActor("root", randomUUID());
    const event = "business.moved" satisfies ServiceEvent;
    const at = ({ cell }: Installation) => ({ business_id, cell });
    return insertAuditEntries(tx, [{ business_id, actor, event, before: at(from), after: at(to) }]);
  }
}
