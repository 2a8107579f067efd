import { availableParallelism } from "node:os";
import { hash, type Options } from "@node-rs/argon2";
import { FairQueue } from "../domain/fair-queue.ts";

/** Argon2id with the parameters of the OWASP password storage cheat sheet: 19 MiB, two passes, one lane. */
// Argon2id is number 2 of the package's Algorithm, a const enum that isolated modules can't read.
const argon2id = 2 as NonNullable<Options["algorithm"]>;
const parameters: Options = { algorithm: argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 };

export interface Passwords {
  /**
   * @param owner who has it hashed; owners take turns
   * @throws OverloadedError, at once, when too many of the owner's wait already
   */
  hash(owner: number, password: string): Promise<string>;
}

/** How many threads the runtime has for work off the event loop. */
const poolThreads = Number(process.env.UV_THREADPOOL_SIZE) || 4;

/**
 * How many passwords hash at the same time. One less than there are cores, so that hashing never takes the processor
 * time that the requests beside it need; and two less than there are threads in the pool, since tokens are verified
 * and files are read there too.
 */
export function hashesAtOnce(cores: number, threads: number): number {
  return Math.max(1, Math.min(cores - 1, threads - 2));
}

/**
 * How many of one owner wait for each that hashes; of all together twice as many. One takes 20 to 40 ms, so that the last
 * waits some seconds: whoever would wait longer is better told to come again than left to the time limit of its request.
 */
const waitingForEach = 100;
/** By when half of those have been hashed, on a small machine. */
const retryAfterSeconds = 5;

/**
 * Hashes passwords on the runtime's thread pool.
 * @param atOnce how many hash at the same time, which bounds memory too; the others wait for their turn
 * @param mostWaiting past so many of one owner's they are turned away
 */
export function createPasswords(
  atOnce = hashesAtOnce(availableParallelism(), poolThreads),
  mostWaiting = atOnce * waitingForEach,
): Passwords {
  const queue = new FairQueue({ atOnce, mostWaiting, mostInAll: 2 * mostWaiting, retryAfterSeconds });
  return {
    // NFKC, so that the same password typed on two keyboards is the same (NIST SP 800-63B 3.1.1.2).
    hash: (owner, password) => queue.run(owner, () => hash(password.normalize("NFKC"), parameters)),
  };
}
