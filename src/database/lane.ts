/**
 * The connection for statements that must be sent in an order and are not waited for one by one: whoever sends through
 * the lane gets its answers in the order in which it sent. It holds a connection of the pool while somebody uses it,
 * and a moment longer.
 */
import type { ReservedSql } from "postgres";
import type { Database } from "./connection.ts";
import { SharedCommits } from "./shared-commits.ts";

export interface Lane {
  /**
   * Enters the lane: what goes over its connection, until `leave` is called. Those who entered get it in that order.
   * @throws when no connection can be had
   */
  enter(): Promise<Passenger>;
}

export interface Passenger {
  readonly commits: SharedCommits;
  /**
   * To be called once.
   * @param broken the connection failed: who comes next gets another one
   */
  leave(broken: boolean): void;
}

/**
 * How long a connection that nobody uses is kept. Who posts one at a time comes back within that: it meets the server
 * process that it met before, which has at hand what it needs, and no other has to be woken.
 */
const keptMilliseconds = 20;

/** What scripts/patch-postgres.mjs adds. */
interface MendedReservation extends ReservedSql {
  /** Whether its connection is gone, or given back. */
  lost(): boolean;
}

interface Held {
  readonly commits: Promise<SharedCommits>;
  /** The connection, once there is one. */
  reserved: MendedReservation | undefined;
  users: number;
  /** Gives the connection back, once nobody has used it for a while. */
  release: NodeJS.Timeout | undefined;
}

function hold(sql: Database): Held {
  const commits = sql.reserve().then((reserved) => {
    held.reserved = reserved as MendedReservation;
    return new SharedCommits(reserved);
  });
  const held: Held = { commits, reserved: undefined, users: 0, release: undefined };
  return held;
}

/** @param sql the pool that connections are taken from */
export function createLane(sql: Database): Lane {
  let held: Held | undefined;
  const giveBack = (from: Held) => {
    if (held === from) held = undefined;
    from.reserved?.release();
  };
  const leave = (from: Held, broken: boolean) => {
    from.users -= 1;
    if (broken && held === from) held = undefined;
    if (from.users > 0) return;
    if (held === from) from.release = setTimeout(() => giveBack(from), keptMilliseconds);
    else giveBack(from);
  };
  return {
    async enter() {
      // It may have been lost while nobody used it.
      if (held?.reserved?.lost()) held = undefined;
      held ??= hold(sql);
      const mine = held;
      mine.users += 1;
      clearTimeout(mine.release);
      try {
        const commits = await mine.commits;
        return { commits, leave: (broken) => leave(mine, broken) };
      } catch (error) {
        if (held === mine) held = undefined;
        throw error;
      }
    },
  };
}
