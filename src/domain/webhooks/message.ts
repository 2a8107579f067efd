/** The message by which an event is sent, by the Standard Webhooks specification. */

/** The id of the message of an event. It is the same on each attempt, so that the receiver can ignore a repetition. */
export const messageId = (businessId: number, eventNo: number) => `evt_${businessId}_${eventNo}`;

/** The id of the message of a test. @param now the time in milliseconds */
export const testId = (now: number) => `evt_test_${now}`;

/** What is signed. @param timestamp of the attempt, in seconds since 1970 */
export const signedText = (id: string, timestamp: number, body: string) => `${id}.${timestamp}.${body}`;

const succeeds = (status: number) => status >= 200 && status < 300;

/** What a receiver did with a message. */
export interface WebhookResponse {
  /** Null when there was no response. */
  readonly status: number | null;
  readonly retryAfterSeconds?: number | undefined;
}

/** `gone`: the receiver asks never to be called again. Redirects are failures. */
export type Outcome = "delivered" | "failed" | "gone";

export function outcomeOf({ status }: WebhookResponse): Outcome {
  if (status === null) return "failed";
  if (succeeds(status)) return "delivered";
  return status === 410 ? "gone" : "failed";
}
