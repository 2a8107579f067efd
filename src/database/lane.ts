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
  /** @param broken the connection failed: who comes next gets another one */
  leave(broken: boolean): void;
}

/**
 * How long a connection that nobody uses is kept. Who posts one at a time comes back within that: it meets the server
 * process that it met before, which has at hand what it needs, and no other has to be woken.
 */
const keptMilliseconds = 20;

interface Held {
  readonly connection: Promise<ReservedSql>;
  readonly commits: Promise<SharedCommits>;
  users: number;
  /** Gives the connection back, once nobody has used it for a while. */
  release: NodeJS.Timeout | undefined;
}

function hold(sql: Database): Held {
  const connection = sql.reserve();
  const commits = connection.then((reserved) => new SharedCommits(reserved));
  return { connection, commits, users: 0, release: undefined };
}

/** @param sql the pool that connections are taken from */
export function createLane(sql: Database): Lane {
  let held: Held | undefined;
  const giveBack = async (from: Held) => {
    if (held === from) held = undefined;
    (await from.connection).release();
  };
  const leave = (from: Held, broken: boolean) => {
    from.users -= 1;
    if (broken && held === from) held = undefined;
    if (from.users > 0) return;
    if (held === from) from.release = setTimeout(() => void giveBack(from), keptMilliseconds);
    else void giveBack(from);
  };
  return {
    async enter() {
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
