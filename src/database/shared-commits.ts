/**
 * Batches of several businesses that share a commit. A commit waits for the disk, and where many businesses have a
 * posting or two each, there would be one commit for each posting. So batches that are decided together, or while
 * commits are under way, are recorded in one transaction. Each statement in it still names one business.
 */
import postgres, { type ReservedSql } from "postgres";
import { faultOf } from "./connection.ts";
import { type Recording, recordBatch, recordBatches } from "./ledger-recording.ts";

interface Waiting {
  readonly businessId: number;
  readonly recording: Recording;
  readonly resolve: (countedThrough: number | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/** While so many commits are under way, what comes waits for the next one. */
const commitsAtOnce = 2;
/** The most batches that share one: they fail together. */
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
   * @returns what that returns; undefined, too, when it was rolled back with others
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

  /**
   * The connection, for statements about a business that must come after all that was given to be recorded of it
   * before. What others wait for goes on waiting: sent each time that one of many businesses reads, it would share no
   * commit.
   */
  inOrder(businessId: number): ReservedSql {
    while (this.#waiting.some((waiting) => waiting.businessId === businessId)) this.#sendNext();
    return this.#connection;
  }

  #sendNext(): void {
    const group = this.#waiting.splice(0, batchesInCommit);
    const [first, ...others] = group;
    if (first === undefined) return;
    this.#underWay += 1;
    const sent = others.length === 0 ? this.#sendAlone(first) : this.#sendTogether(group);
    void sent.finally(() => {
      this.#underWay -= 1;
      if (this.#underWay < commitsAtOnce) this.#sendNext();
    });
  }

  async #sendAlone({ businessId, recording, resolve, reject }: Waiting): Promise<void> {
    await recordBatch(this.#connection, businessId, recording).then(resolve, reject);
  }

  async #sendTogether(group: readonly Waiting[]): Promise<void> {
    try {
      const recorded = await recordBatches(this.#connection, group);
      for (const [index, { resolve }] of group.entries()) resolve(recorded[index]);
    } catch (error) {
      // What the server itself says of a statement, it says when it has rolled all of them back.
      const isLost = faultOf(error) === "unavailable" && !(error instanceof postgres.PostgresError);
      for (const { resolve, reject } of group) {
        // Nobody knows what was recorded.
        if (isLost) reject(error);
        // Whosever statement it was that failed, or could not be sent, or has no answer that can be read: each looks
        // again by itself, under the lock, and finds its keys if it was recorded.
        else resolve(undefined);
      }
    }
  }
}
