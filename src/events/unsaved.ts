/** What has happened to an endpoint and is not stored yet. */
import type { EndpointProgress, FinishedRetry, NewAttempt, NewRetry } from "../database/webhooks/attempts.ts";
import type { EventDelivery } from "./messages.ts";

type Stored = Pick<EndpointProgress, "attempts" | "retries" | "finished">;

export class Unsaved {
  #attempts: NewAttempt[] = [];
  #retries = new Map<number, NewRetry>();
  #finished = new Map<number, FinishedRetry>();
  /** Retries that are being stored, or were since the read in progress began: it may have read their previous times. */
  readonly #stored = new Set<number>();
  #isSaving = false;

  get isEmpty(): boolean {
    return this.#attempts.length + this.#retries.size + this.#finished.size === 0;
  }

  get deliveries(): number {
    return Math.max(this.#attempts.length, this.#finished.size);
  }

  /** Whether many retries are done and that is not stored, or is being stored. A read would find them again. */
  hidesRetries(many: number): boolean {
    return this.#isSaving || this.#finished.size >= many;
  }

  /** Whether a retry that was read is done, or has a later time than it had. */
  knows(eventNo: number): boolean {
    return this.#finished.has(eventNo) || this.#retries.has(eventNo) || this.#stored.has(eventNo);
  }

  add(attempt: NewAttempt): void {
    this.#attempts.push(attempt);
  }

  /** An event is to be sent again. */
  retry(retry: NewRetry): void {
    this.#retries.set(retry.event_no, retry);
  }

  /** A retry, a replay or a test is done. */
  finish({ event_no, dueAt: due_at }: EventDelivery): void {
    this.#finished.set(event_no, { event_no, due_at });
  }

  /** Takes everything, to store it. */
  take(): Stored {
    const attempts = this.#attempts;
    const [retries, finished] = [[...this.#retries.values()], [...this.#finished.values()]];
    this.#attempts = [];
    this.#retries = new Map();
    this.#finished = new Map();
    this.#isSaving = true;
    for (const { event_no } of [...retries, ...finished]) this.#stored.add(event_no);
    return { attempts, retries, finished };
  }

  /** What was taken is stored, or is put back. @param isReading whether retries are being read */
  endSaving(isReading: boolean): void {
    this.#isSaving = false;
    if (!isReading) this.#stored.clear();
  }

  endReading(): void {
    if (!this.#isSaving) this.#stored.clear();
  }

  /** Takes back what could not be stored. What has happened since is newer. */
  putBack({ attempts, retries, finished }: Stored): void {
    this.#attempts.unshift(...attempts);
    for (const one of retries) {
      if (!this.#finished.has(one.event_no) && !this.#retries.has(one.event_no)) this.retry(one);
    }
    for (const one of finished) this.#finished.set(one.event_no, one);
  }
}
