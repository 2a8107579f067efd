/** What a business accepts while it moves to another database. */
import { type Rejection, reject } from "./rejection.ts";

/**
 * copying: its rows are copied. Everything is accepted, but no process may cache the row. leaving: the last rows are copied, so only
 * reads are accepted. left, arriving: the other database may have newer rows.
 */
export type MoveState = "copying" | "leaving" | "left" | "arriving";

/**
 * The seconds to wait while a business moves: 2 to 8, so that callers which were rejected one after the other don't all retry at once,
 * and that the four retries of the client last longer than a pause for which nobody was asked.
 * @param chance from 0 to 1
 */
export const retryWhileMoving = (chance: number) => 2 + Math.round(chance * 6);

/**
 * @param writes whether the request can change something
 * @param chance from 0 to 1, for the time to wait
 * @returns undefined when the request is accepted
 */
export function rejectWhileMoving(
  state: MoveState | null | undefined,
  writes: boolean,
  chance = 0,
): Rejection<"service_unavailable"> | undefined {
  if (!state || state === "copying" || (state === "leaving" && !writes)) return undefined;
  return reject("service_unavailable", {}, retryWhileMoving(chance));
}

/** A business in one of the two databases of a move. */
export interface Standing {
  readonly state: MoveState | null;
  /** The other database of its move. */
  readonly database: string | null;
}

/** The two databases of a move, and the business in each; undefined: it is not there. */
export interface MoveStandings {
  readonly from: { readonly database: string; readonly business: Standing | undefined };
  readonly to: { readonly database: string; readonly business: Standing | undefined };
}

/**
 * begin: accept everything, but cache nothing. discard: delete a copy in the new place that is out of date. copy: copy the rows, and reject writes for the last ones. leave: reject reads, too.
 * arrive: send requests to the new place, and accept them there. delete: delete the rows in the old place.
 */
export type MoveStep = "begin" | "discard" | "copy" | "leave" | "arrive" | "delete" | "done";
type NoStep = "not_here" | "exists_there" | "moves_elsewhere";

/** The next step of a move. It follows from what the databases store, so a move that was interrupted continues. */
export function nextMoveStep({ from, to }: MoveStandings): MoveStep | NoStep {
  const [here, there] = [from.business, to.business];
  if (here === undefined && there === undefined) return "not_here";
  if (here === undefined) return there?.state === null ? "done" : "moves_elsewhere";
  if (here.state === null) return there === undefined ? "begin" : "exists_there";
  const isThisMove = here.state !== "arriving" && here.database === to.database;
  const comesFromHere = there?.state !== "arriving" || there.database === from.database;
  if (!isThisMove || !comesFromHere) return "moves_elsewhere";
  // An interrupted copy is lost, so writes are accepted again.
  if (there === undefined && here.state === "leaving") return "begin";
  if (there === undefined) return here.state === "copying" ? "copy" : "moves_elsewhere";
  // The old place has accepted writes since the copy, because the command was killed.
  if (there.state === "arriving" && here.state === "copying") return "discard";
  if (there.state === "arriving") return here.state === "leaving" ? "leave" : "arrive";
  return there.state === null && here.state === "left" ? "delete" : "exists_there";
}

/** Whether a move can be cancelled: the new place has accepted nothing yet. */
export function canCancelMove(standings: MoveStandings): boolean {
  const isBegun = (standings.from.business?.state ?? null) !== null;
  return isBegun && ["begin", "discard", "copy", "leave", "arrive"].includes(nextMoveStep(standings));
}
