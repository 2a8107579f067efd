/** Both databases of a move: opens and checks them, and keeps other commands from moving the business meanwhile. */
import { findInstallation, type Installation } from "../database/cell.ts";
import type { Session } from "../database/connection.ts";
import { requireEqualSchemas } from "../database/migrate.ts";
import { findStanding, holdMoveLock, type States, setMoveState } from "../database/moving.ts";
import { readDatabaseRights } from "../database/server.ts";
import { OperatorError } from "../domain/access/operator-error.ts";
import type { MoveStandings } from "../domain/moving.ts";
import {
  explained,
  inDatabaseOf,
  type Place,
  type Progress,
  requireDatabase,
  requireTemporaryTables,
  type TransactionOptions,
} from "./copy.ts";

export interface MoveOptions extends Progress {
  readonly businessId: number;
  readonly from: Place;
  readonly to: Place;
  /** Called before the business rejects anything. @throws when its requests can't be sent to the other place */
  readonly checkRoutes: () => Promise<void>;
  /** Sends the requests of the business and its integrations to one of the places from now on. */
  readonly route: (to: "from" | "to", clientIds: readonly string[]) => Promise<void>;
  /** Writes the routes of all businesses, by what the databases have, for the next start of the proxies. */
  readonly writeRoutes: () => Promise<void>;
  /** Called before writes are rejected, with an estimate for how long. If it throws, the move is forgotten. */
  readonly beforePause?: (seconds: number) => Promise<void>;
  readonly waits?: Waits;
}

/** Shorter only in tests. */
export interface Waits {
  /** From the announcement of the move to the rejection of writes. By then, no process has an integration in its cache. */
  readonly cachesMilliseconds: number;
  /** From the rejection of reads to the deletion. By then, reads under way have ended: an operator's may take 60 s. */
  readonly readsMilliseconds: number;
  /** For a lock of others, such as that of an earlier command that moves the same business. */
  readonly locksMilliseconds: number;
  /** For the last rows, beside the time that they should take. Then services accept writes again, whatever the command does. */
  readonly pauseMilliseconds: number;
}

const usualWaits: Waits = {
  cachesMilliseconds: 6000,
  readsMilliseconds: 61_000,
  locksMilliseconds: 20_000,
  pauseMilliseconds: 20_000,
};

type End = "from" | "to";
type InPlace = <Value>(
  end: End,
  work: (tx: Session) => Promise<Value>,
  more?: Partial<TransactionOptions>,
) => Promise<Value>;

/** Both databases of a move, while no other command moves the business. */
export interface Ends {
  readonly options: MoveOptions;
  readonly waits: Waits;
  readonly installations: Readonly<Record<End, Installation>>;
  /** Runs a transaction in one of them. */
  readonly inPlace: InPlace;
  readonly standings: () => Promise<MoveStandings>;
  /** Sets the state in the old place. */
  readonly set: (states: States, more?: Partial<TransactionOptions>) => Promise<void>;
}

/**
 * Works with both databases.
 * @param what can't be done if it fails
 * @throws OperatorError with a line for the operator
 */
export async function withBothPlaces<Value>(
  options: MoveOptions,
  what: string,
  work: (ends: Ends) => Promise<Value>,
): Promise<Value> {
  const { businessId, signal, onProgress, waits = usualWaits } = options;
  const own = { applicationName: `loyalty move ${businessId}`, signal, startsDatabase: false };
  const inPlace: InPlace = (end, work, more) => {
    const serverSettings = { lock_timeout: `${waits.locksMilliseconds}ms`, ...more?.serverSettings };
    const given = { ...own, onProgress: undefined, ...more, serverSettings };
    return inDatabaseOf({ ...options, ...options[end] }, given, work);
  };
  try {
    await Promise.all([requireDatabase(options.from), requireDatabase(options.to)]);
    const inBoth = async (from: Session, to: Session) => {
      const installations = await checkPlaces(from, to);
      for (const session of [from, to]) await holdMoveLock(session, "move", businessId);
      const standingIn = async (end: End) => ({
        database: installations[end].database_id,
        business: await inPlace(end, (tx) => findStanding(tx, businessId)),
      });
      return work({
        ...{ options, waits, installations, inPlace },
        standings: async () => ({ from: await standingIn("from"), to: await standingIn("to") }),
        set: (states, more) =>
          inPlace("from", (tx) => setMoveState(tx, businessId, states, installations.to), more),
      });
    };
    // These two sessions tell for whose locks all sessions of the move wait. They are in no transaction, for which it would wait, too.
    const holding = { isSession: true, onProgress };
    return await inPlace("from", (from) => inPlace("to", (to) => inBoth(from, to), holding), holding);
  } catch (error) {
    throw explained(error, signal, what);
  }
}

/** Checks that the two places are installations of the same schema and the same secret, and what the roles may do there. */
async function checkPlaces(from: Session, to: Session): Promise<Record<End, Installation>> {
  const find = async (name: string, session: Session) => {
    const { foreign_tables } = await readDatabaseRights(session);
    if (foreign_tables > 0) {
      throw new OperatorError(
        `In the database of the ${name} place, ${foreign_tables} tables belong to another role. Name the role of its service in the URL.`,
      );
    }
    const found = await findInstallation(session);
    if (found !== undefined) return found;
    throw new OperatorError(
      `No service has started on the database of the ${name} place yet. Start it there first.`,
    );
  };
  await requireTemporaryTables(to);
  await requireEqualSchemas(from, to);
  const [here, there] = [await find("old", from), await find("new", to)];
  if (here.database_id === there.database_id) throw new OperatorError("Both places are the same database.");
  if (here.secret_check === there.secret_check) return { from: here, to: there };
  throw new OperatorError(
    "The services have different secrets, so tokens and retries would become invalid. Start both with the same LOYALTY_SECRET.",
  );
}
