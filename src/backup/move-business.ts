/**
 * Moves a business to another database, with all its ids. The next step follows from what both databases store, so a move that was
 * interrupted continues. The rows are copied while the business accepts writes (move-copy.ts). For the last rows, it accepts only reads.
 */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { insertAuditEntries, ownActor } from "../database/access/audit.ts";
import type { Installation } from "../database/cell.ts";
import type { Connection, Session } from "../database/connection.ts";
import { deleteBusiness, deleteSome } from "../database/engine/sandbox.ts";
import { lockLedger } from "../database/ledger/ledger.ts";
import {
  findIntegrationsToMove,
  findTakenIntegration,
  listRoutedBusinesses,
  type RoutedBusiness,
  setMoveState,
} from "../database/moving.ts";
import { largeTables } from "../database/tables.ts";
import { OperatorError } from "../domain/access/operator-error.ts";
import type { ServiceEvent } from "../domain/audit-events.ts";
import { canCancelMove, type MoveStandings, type MoveStep, nextMoveStep } from "../domain/moving.ts";
import { explained, inDatabaseOf, type Place, type Progress, requireDatabase } from "./copy.ts";
import { copyBusiness, requireReady } from "./move-copy.ts";
import { type Ends, type MoveOptions, withBothPlaces } from "./move-ends.ts";
import type { Moved } from "./move-rows.ts";

export interface MoveResult {
  /** What was copied; undefined when an earlier run has copied it. */
  readonly moved: Moved | undefined;
  /** How long writes were rejected, as far as this run saw it. */
  readonly pausedMilliseconds: number;
}

/** Moves a business. @throws OperatorError with a line for the operator. The same call continues. */
export function moveBusiness(options: MoveOptions): Promise<MoveResult> {
  const { businessId, onProgress } = options;
  return withBothPlaces(options, `Business ${businessId} can't be moved`, async (ends) => {
    let moved: Moved | undefined;
    let rejectingSince = performance.now();
    let [leftAt, pausedMilliseconds] = [rejectingSince, 0];
    for (;;) {
      const standings = await ends.standings();
      const step = nextMoveStep(standings);
      if (step === "done") return { moved, pausedMilliseconds };
      onProgress(`${texts[step as MoveStep] ?? ""}`);
      if (step === "begin") await begin(ends, standings);
      else if (step === "discard") await discard(ends);
      else if (step === "copy") ({ moved, rejectingSince } = await copyBusiness(ends));
      else if (step === "leave") {
        await ends.set(["leaving", "left"]);
        leftAt = performance.now();
      } else if (step === "arrive") {
        await arrive(ends);
        pausedMilliseconds = performance.now() - rejectingSince;
      } else if (step === "delete") {
        await options.writeRoutes();
        await sleep(Math.max(0, leftAt + ends.waits.readsMilliseconds - performance.now()));
        await deleteFromOld(ends);
      } else throw rejections[step](businessId);
    }
  });
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
export function cancelMove(options: MoveOptions): Promise<void> {
  const { businessId, onProgress } = options;
  return withBothPlaces(options, `The move of business ${businessId} can't be cancelled`, async (ends) => {
    const standings = await ends.standings();
    if (!canCancelMove(standings))
      throw new OperatorError(
        ["delete", "done"].includes(nextMoveStep(standings))
          ? `Business ${businessId} is accepted in the new place already. Repeat the command without --cancel, and then move it back.`
          : `Business ${businessId} is not being moved there.`,
      );
    const { from, to } = standings;
    const before = from.business?.state ?? null;
    await route(ends, "from");
    if (to.business !== undefined) {
      // A copy that is deleted in part is not accepted any more.
      await ends.inPlace("to", async (tx) => {
        await setMoveState(tx, businessId, ["arriving", "arriving"], ends.installations.from);
        await ends.set([before, "copying"]);
      });
      await discard(ends);
    }
    await ends.set([to.business === undefined ? before : "copying", null]);
    await options.writeRoutes().catch(({ message }: Error) => onProgress(`Warning: ${message}`));
  });
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

async function begin(ends: Ends, { from }: MoveStandings): Promise<void> {
  const { inPlace, set, options } = ends;
  const { businessId } = options;
  await requireReady(ends);
  const integrations = await inPlace("from", (tx) => findIntegrationsToMove(tx, businessId));
  const taken = await inPlace("to", (tx) => findTakenIntegration(tx, integrations));
  if (taken !== undefined) {
    throw new OperatorError(
      `The other place has an integration ${taken.integration_id} of its own. It can't be moved: give each cell a LOYALTY_CELL.`,
    );
  }
  await set([from.business?.state ?? null, "copying"]);
}

/** Both places reject all requests when the route changes. So none is accepted twice, and no read is out of date. */
async function arrive(ends: Ends): Promise<void> {
  const { inPlace, set, installations, options } = ends;
  await route(ends, "to");
  await inPlace("to", async (tx) => {
    await setMoveState(tx, options.businessId, ["arriving", null], installations.from);
    // Not if the move was cancelled meanwhile.
    await set(["left", "left"]);
    await audit(tx, ends);
  });
}

async function deleteFromOld(ends: Ends): Promise<void> {
  const { businessId } = ends.options;
  await deleteRows(ends, "from");
  await ends.inPlace("from", async (tx) => {
    await lockLedger(tx, businessId);
    await deleteBusiness(tx, businessId);
    await audit(tx, ends);
  });
}

/** Deletes the copy in the new place. Fails if another command, which did not see the lock of this one, has copied anew. */
async function discard(ends: Ends): Promise<void> {
  const { inPlace, installations, options } = ends;
  const isCopy = async (tx: Session) => {
    await setMoveState(tx, options.businessId, ["arriving", "arriving"], installations.from);
    await ends.set(["copying", "copying"]);
  };
  await deleteRows(ends, "to", isCopy);
  await inPlace("to", async (tx) => {
    await isCopy(tx);
    await deleteBusiness(tx, options.businessId);
  });
}

/** Deletes the rows of the large tables in short transactions. @param check is called in each of them */
async function deleteRows(
  { inPlace, options }: Ends,
  end: "from" | "to",
  check?: (tx: Session) => Promise<void>,
): Promise<void> {
  for (const table of largeTables) {
    const some = async (tx: Session) => {
      await check?.(tx);
      return deleteSome(tx, options.businessId, table);
    };
    for (let isMore = true; isMore; ) isMore = await inPlace(end, some);
  }
}

async function route({ inPlace, options }: Ends, to: "from" | "to"): Promise<void> {
  const found = await inPlace("from", (tx) => findIntegrationsToMove(tx, options.businessId));
  await options.route(
    to,
    found.map(({ client_id }) => client_id),
  );
}

function audit(tx: Connection, { installations: { from, to }, options }: Ends): Promise<void> {
  const { businessId: business_id } = options;
  const actor = ownActor("root", randomUUID());
  const event = "business.moved" satisfies ServiceEvent;
  const at = ({ cell }: Installation) => ({ business_id, cell });
  return insertAuditEntries(tx, [{ business_id, actor, event, before: at(from), after: at(to) }]);
}
