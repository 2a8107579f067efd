/** One call of one operation, independent of the transport. */
export interface OperationRequest {
  readonly id: string;
  readonly contentType: string | undefined;
  readonly contentEncoding: string | undefined;
  readonly hasQuery: boolean;
  readonly authorization: string | undefined;
  /** The name that an operator gives, for the audit log only. */
  readonly actor: string | undefined;
  /** The caller's network address, for limits on failed credentials. */
  readonly address: string;
  /** Reads the body; called at most once, after the caller is authenticated. */
  readBody(limitBytes: number): Promise<Buffer | "too_large" | "aborted">;
}

/** The response to a call, independent of the transport. */
export interface OperationResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** For logs and metrics; never part of the response. */
  readonly errorCode: string | undefined;
  /** Why credentials were rejected, for the log. */
  readonly reason: string | undefined;
  /** Who sent the request; undefined without valid credentials. */
  readonly sender: Sender | undefined;
}

/** Who sent a request: an integration, or an operator, who has none. */
export interface Sender {
  readonly integrationId: number | undefined;
  /** 0: no business, as for an operator. */
  readonly businessId: number;
}
