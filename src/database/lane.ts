/**
 * The connection for statements that must be sent in an order and are not waited for one by one: whoever sends through
 * the lane gets its answers in the order in which it sent. It holds a connection of the pool while somebody uses it.
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

interface Held {
  readonly connection: Promise<ReservedSql>;
  readonly commits: Promise<SharedCommits>;
  users: number;
}

function hold(sql: Database): Held {
  const connection = sql.reserve();
  return { connection, commits: connection.then((reserved) => new SharedCommits(reserved)), users: 0 };
}

export function createLane(sql: Database): Lane {
  let held: Held | undefined;
  const leave = async (from: Held, broken: boolean) => {
    from.users -= 1;
    if (held === from && (broken || from.users === 0)) held = undefined;
    if (from.users === 0) (await from.connection).release();
  };
  return {
    async enter() {
      held ??= hold(sql);
      const mine = held;
      mine.users += 1;
      try {
        const commits = await mine.commits;
        return { commits, leave: (broken) => void leave(mine, broken) };
      } catch (error) {
        if (held === mine) held = undefined;
        throw error;
      }
    },
  };
}
