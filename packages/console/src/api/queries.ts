/** Reads for pages, and writes for forms, on top of the client. */
import { keepPreviousData, QueryClient, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { useMaybeBusiness, useRequest } from "../business.tsx";
import { call, everyPage, isUnknown, Rejection, type ResponseOf } from "./client.ts";
import type { Asked, DataOf, ListPath, ReadPath, RequestOf, WritePath } from "./declarations.ts";

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      refetchOnWindowFocus: true,
      // A rejection is final. Without a response, or if the service is busy, two more attempts follow.
      retry: (failures, error) => failures < 2 && (isUnknown(error) || isBusy(error)),
      // A lost connection is an error to show, and not a reason to wait silently.
      networkMode: "always",
    },
    mutations: { networkMode: "always" },
  },
});

/** Whether what was read before is not to be shown any more: the service has rejected the request. */
export const isFinal = (error: unknown): boolean =>
  error instanceof Rejection && !isUnknown(error) && !isBusy(error);

const isBusy = (error: unknown) => error instanceof Rejection && error.status === 429;

/**
 * `enabled`: whether to read at all. `all`: all items of a list that has few. `keepPrevious`: show the previous response while the next
 * one loads, such as the previous page of a list. `once`: not to read it again after the write that it is about, which changes the
 * response. `refreshSeconds`: read again after so many seconds, while the page is looked at. It ends, because a session that is used
 * does not end.
 */
export type ReadOptions = Readonly<Partial<Record<"enabled" | "all" | "keepPrevious" | "once", boolean>>> &
  Readonly<{ refreshSeconds?: number }>;

const mostRefreshes = 60;

/** The states of a job that is under way. What was read is then read again each second. */
const running = /^(?:checking|importing|running)$/;
const hasJob = (data: unknown) => [data].flat().some((one) => running.test(Object(one).state));

/** Reads what an operation returns, or what a dry run of a write does, as `{ message, data, meta }`. */
export function useRead<P extends ReadPath | ListPath | WritePath>(
  path: P,
  asked: Asked<P>,
  { enabled = true, all = false, keepPrevious = false, once = false, refreshSeconds = 0 }: ReadOptions = {},
) {
  const request = useRequest(path, asked);
  return useQuery({
    queryKey: [path, request, all],
    queryFn: ({ signal }) =>
      all
        ? (readAll(path as ListPath, request as never, signal) as Promise<unknown> as Promise<ResponseOf<P>>)
        : call(path, request, {
            signal,
            ...("dry_run" in request && { idempotencyKey: crypto.randomUUID() }),
          }),
    enabled,
    ...(keepPrevious && { placeholderData: keepPreviousData }),
    ...(once && { staleTime: "static" as const, gcTime: 0 }),
    refetchInterval: ({ state: { data, dataUpdateCount } }) =>
      hasJob(data?.data) ? 1000 : dataUpdateCount < mostRefreshes && refreshSeconds * 1000,
  });
}

/**
 * A write. While its outcome is unknown, a retry has the same idempotency key, so that it can't take effect twice. After it, all
 * that pages show is read again.
 * @param onDone runs after that, also if the form has gone meanwhile, because its button is not for the record as it is now
 */
export function useWrite<P extends WritePath>(path: P, onDone: (response: ResponseOf<P>) => void) {
  const client = useQueryClient();
  const unknown = useRef<{ key: string; body: string }>(undefined);
  return useMutation({
    mutationFn: async (request: RequestOf<P>): Promise<ResponseOf<P>> => {
      const body = JSON.stringify(request);
      const key = unknown.current?.body === body ? unknown.current.key : crypto.randomUUID();
      unknown.current = { key, body };
      try {
        const response = await call(path, request, { idempotencyKey: key });
        unknown.current = undefined;
        return response;
      } catch (error) {
        if (!isUnknown(error)) unknown.current = undefined;
        throw error;
      }
    },
    onSettled: async (response, error) => {
      // After a conflict, the page shows the fresh state, too.
      if (error === null || (error instanceof Rejection && [404, 409].includes(error.status)))
        await client.invalidateQueries();
      if (response !== undefined) onDone(response);
    },
  });
}

const mostAttempts = 5;

/** Sends a write that has no form. While its outcome is unknown, it is sent again with the same key. */
export function callUntilKnown<P extends WritePath>(path: P, request: RequestOf<P>) {
  const idempotencyKey = crypto.randomUUID();
  return queryClient.fetchQuery({
    queryKey: [path, idempotencyKey],
    queryFn: ({ signal }) => call(path, request, { idempotencyKey, signal }),
    retry: (failures, error) => failures < mostAttempts && isUnknown(error),
    gcTime: 0,
  });
}

/** All items of a list. @throws as `call` does */
export async function readAll<P extends ListPath>(path: P, request: RequestOf<P>, signal?: AbortSignal) {
  const data: DataOf<P>[] = [];
  for await (const page of everyPage(path, request, signal)) data.push(...page);
  return { message: "", data, meta: {} };
}

/** All items of a list that has few, such as the tiers of a business. */
export const useAll = <P extends ListPath>(path: P, asked: Asked<P>, options: ReadOptions = {}) =>
  useRead(path, asked, { ...options, all: true });

/** The decimals of amounts: those of the business; without one, those that all businesses have, or else two. */
export function useDecimals(): number {
  const business = useMaybeBusiness();
  const { data } = useAll("/op/businesses/list", {}, { enabled: business === undefined });
  const [first, ...others] = new Set(data?.data.map(({ currency_decimals }) => currency_decimals));
  return business?.currency_decimals ?? (others.length > 0 ? 2 : (first ?? 2));
}
