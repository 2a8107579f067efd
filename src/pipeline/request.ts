/** One call of one operation, free of any transport. */
export interface OperationRequest {
  readonly id: string;
  readonly contentType: string | undefined;
  readonly contentEncoding: string | undefined;
  readonly hasQuery: boolean;
  readonly authorization: string | undefined;
  /** Whom an operator says to be, for the audit log; nothing rests on it. */
  readonly actor: string | undefined;
  /** The caller's network address, for limits on failed credentials. */
  readonly address: string;
  /** Reads the body; called at most once, and only after the caller was let in. */
  readBody(limitBytes: number): Promise<Buffer | "too_large" | "aborted">;
}

/** What the pipeline answers with, free of any transport. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** For logs and metrics; never part of the answer. */
  readonly errorCode: string | undefined;
  /** Whether the request had valid credentials. */
  readonly authenticated: boolean;
  readonly integrationId: number | undefined;
}
