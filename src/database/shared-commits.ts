/**
 * Batches of several businesses that share a commit. A commit waits for the disk, and where many businesses have a
 * posting or two each, there would be one commit for each posting. So batches that are decided together, or while
 * commits are under way, are recorded in one transaction. Each statement in it still names one business.
 */
import type { ReservedSql } from "postgres";
import { faultOf } from "./connection.ts";
import { type Recording, recordBatch } from "./ledger.ts";

interface Waiting {
  readonly businessId: number;
  readonly recording: Recording;
  readonly resolve: (countedThrough: number | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/** While so many commits are under way, what comes waits for the next one. */
const commitsAtOnce = 2;
/** The most batches that share one: they fail together, and are then recorded one by one. */
const batchesInCommit = 32;

/** Records batches over one connection, in the order in which they come. */
export class SharedCommits {
  readonly #connection: ReservedSql;
  #waiting: Waiting[] = [];
  #underWay = 0;
  #startsSoon = false;

  constructor(connection: ReservedSql) {
    this.#connection = connection;
  }

  /**
   * Records a batch by `recordBatch`, and commits it.
   * @returns what that returns
   * @throws when it was not recorded, or nobody knows whether it was
   */
  record(businessId: number, recording: Recording): Promise<number | undefined> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ businessId, recording, resolve, reject });
      if (this.#startsSoon) return;
      this.#startsSoon = true;
      // After the promises that are settled by now: what is decided in the same turn goes together.
      process.nextTick(() => {
        this.#startsSoon = false;
        if (this.#underWay < commitsAtOnce) this.#sendNext();
      });
    });
  }

  /** The connection, for statements that must come after all that was given to be recorded before. */
  inOrder(): ReservedSql {
    while (this.#waiting.length > 0) this.#sendNext();
    return this.#connection;
  }

  #sendNext(): void {
    const group = this.#waiting.splice(0, batchesInCommit);
    if (group.length === 0) return;
    this.#underWay += 1;
    const sent = group.length === 1 ? this.#sendAlone(group) : this.#sendTogether(group);
    void sent.finally(() => {
      this.#underWay -= 1;
      if (this.#underWay < commitsAtOnce) this.#sendNext();
    });
  }

  /** Each commits by itself. */
  async #sendAlone(group: readonly Waiting[]): Promise<void> {
    const sent = group.map(({ businessId, recording, resolve, reject }) =>
      recordBatch(this.#connection, businessId, recording).then(resolve, reject),
    );
    await Promise.all(sent);
  }

  async #sendTogether(group: readonly Waiting[]): Promise<void> {
    const begun = this.#connection`BEGIN`.execute();
    const recorded = group.map(({ businessId, recording }) =>
      recordBatch(this.#connection, businessId, recording),
    );
    const committed = this.#connection`COMMIT`.execute();
    const [frame, outcomes] = await Promise.all([
      Promise.allSettled([begun, committed]),
      Promise.allSettled(recorded),
    ]);
    const failure = [...outcomes, ...frame].find((outcome) => outcome.status === "rejected");
    if (failure === undefined) {
      for (const [index, { resolve }] of group.entries()) {
        resolve((outcomes[index] as PromiseFulfilledResult<number | undefined>).value);
      }
      return;
    }
    // After a failed statement COMMIT rolls back; what failed by itself must not fail the others. When the connection
    // is lost, or COMMIT fails, nobody knows what was recorded.
    const rolledBack = frame.every(({ status }) => status === "fulfilled");
    if (rolledBack && faultOf(failure.reason) !== "unavailable") await this.#sendAlone(group);
    else for (const { reject } of group) reject(failure.reason);
  }
}
