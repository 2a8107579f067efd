/** Calls operations. Rejected credentials ask the person to sign in, and the call continues afterwards. */
import type { Pagination } from "../generated/operations.ts";
import type { DataOf, ListPath, Path, RequestOf } from "./declarations.ts";
import { basePath } from "./place.ts";

type Meta = Readonly<{ pagination?: Pagination; next?: string | null }>;
export type ApiResponse<Data> = Readonly<{ message: string; data: Data; meta: Meta }>;

export type ResponseOf<P extends Path> = ApiResponse<P extends ListPath ? readonly DataOf<P>[] : DataOf<P>>;

type FieldProblem = Readonly<{ field: string; code: string; message: string }>;

/** The service rejected a request, or failed. */
export class Rejection extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly requestId: string | null;
  readonly path: string;

  constructor(path: string, response: Response, body: ErrorBody | undefined) {
    super(body?.message ?? `${response.status} ${response.statusText}`);
    this.path = path;
    this.status = response.status;
    this.code = body?.error?.code ?? "no_response";
    this.details = body?.error?.details ?? {};
    this.requestId = response.headers.get("x-request-id");
  }

  /** The problems of fields. */
  get problems(): readonly FieldProblem[] {
    return this.code === "validation_failed" ? (this.details.errors as FieldProblem[]) : [];
  }
}

/** There was no response, so nobody knows whether a write took effect. */
export class NoResponse extends Error {}

/** Whether a write may have taken effect although it failed. */
export const isUnknown = (error: unknown): boolean =>
  error instanceof NoResponse || (error instanceof Rejection && error.status >= 500);

/** Why credentials are needed. "expired": there is no session. "confirm": the password was confirmed too long ago. */
export type SignInReason = "expired" | "confirm";

/** Asks the person to sign in; false: the person cancelled. The session sets it. */
let askToSignIn: (reason: SignInReason) => Promise<boolean> = async () => false;

export function whenSignInIsNeeded(ask: typeof askToSignIn): void {
  askToSignIn = ask;
}

/**
 * @param options the key is that of a write: the same on each retry
 * @throws Rejection, NoResponse, or the reason of the signal
 */
export async function call<P extends Path>(
  path: P,
  request: RequestOf<P>,
  { signal, idempotencyKey }: { readonly signal?: AbortSignal; readonly idempotencyKey?: string } = {},
): Promise<ResponseOf<P>> {
  const body = idempotencyKey === undefined ? request : { ...request, idempotency_key: idempotencyKey };
  for (;;) {
    try {
      return await send<ResponseOf<P>>(path, body, signal);
    } catch (error) {
      const reason = error instanceof Rejection ? signInReasons[error.code] : undefined;
      if (reason === undefined || !(await askToSignIn(reason))) throw error;
    }
  }
}

/** The responses of an operation that returns all in parts. Each says after what the next one begins. @throws as `call` does */
export async function* everyPart<P extends Path>(path: P, request: RequestOf<P>, signal?: AbortSignal) {
  for (let after: object | undefined = {}; after !== undefined; ) {
    const response: ResponseOf<P> = await call(path, { ...request, ...after }, signal && { signal });
    yield response;
    const told = Object.entries({ ...response.meta, ...response.data });
    const [name, place] = told.find(([one]) => /^next(?:_after|$)/.test(one)) ?? [];
    after = name && place !== null ? { [name.slice("next_".length) || "after"]: place } : undefined;
  }
}

/** Every page of a list, each item once, also if others are added meanwhile. */
export async function* everyPage<P extends ListPath>(path: P, request: RequestOf<P>, signal?: AbortSignal) {
  for await (const { data } of everyPart(path, { ...request, per_page: 100 }, signal))
    yield data as readonly DataOf<P>[];
}

const signInReasons: Readonly<Record<string, SignInReason | undefined>> = {
  unauthorized: "expired",
  reauthentication_required: "confirm",
};

/** Sends a request once. */
export async function send<Result>(path: string, body: object, signal?: AbortSignal): Promise<Result> {
  let response: Response;
  let parsed: ErrorBody | undefined;
  try {
    response = await fetch(basePath + path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
      signal: signal ?? null,
    });
    const text = await response.text();
    // A proxy can respond with a page of its own.
    parsed = text.startsWith("{") ? (JSON.parse(text) as ErrorBody) : undefined;
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new NoResponse("no response");
  }
  if (response.ok && parsed !== undefined) return parsed as Result;
  throw new Rejection(path, response, parsed);
}

type ErrorBody = { readonly message?: string; readonly error?: Partial<Pick<Rejection, "code" | "details">> };
