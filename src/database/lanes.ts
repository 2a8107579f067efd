/**
 * A few connections for statements that must be sent in an order and are not waited for one by one: whoever sends
 * through a lane gets its answers in the order in which it sent. A lane holds a connection of the pool while somebody
 * uses it.
 */
import type { ReservedSql } from "postgres";
import type { Database } from "./connection.ts";

export interface Lane {
  /**
   * Enters the lane: its connection, until `leave` is called. Those who entered get it in that order.
   * @throws when no connection can be had
   */
  enter(): Promise<Passenger>;
  /** How many are in it. */
  readonly users: number;
}

export interface Passenger {
  readonly connection: ReservedSql;
  /** @param broken the connection failed: who comes next gets another one */
  leave(broken: boolean): void;
}

export interface Lanes {
  /** The lane with the fewest users. */
  freest(): Lane;
}

/** @param count how many lanes there are, and so how many connections they hold at most */
export function createLanes(sql: Database, count: number): Lanes {
  const lanes = Array.from({ length: count }, () => createLane(sql));
  return {
    freest: () => lanes.reduce((best, lane) => (lane.users < best.users ? lane : best)),
  };
}

interface Held {
  readonly connection: Promise<ReservedSql>;
  users: number;
}

function createLane(sql: Database): Lane {
  let held: Held | undefined;
  const leave = async (from: Held, broken: boolean) => {
    from.users -= 1;
    if (held === from && (broken || from.users === 0)) held = undefined;
    if (from.users === 0) (await from.connection).release();
  };
  return {
    get users() {
      return held?.users ?? 0;
    },
    async enter() {
      held ??= { connection: sql.reserve(), users: 0 };
      const mine = held;
      mine.users += 1;
      try {
        const connection = await mine.connection;
        return { connection, leave: (broken) => void leave(mine, broken) };
      } catch (error) {
        if (held === mine) held = undefined;
        throw error;
      }
    },
  };
}
