/** Shows what a write would do. It is sent as a dry run, which changes nothing. */
import { Alert } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { call, type RequestOf, type ResponseOf, type WritePath } from "../api/index.ts";
import { FailureAlert, Loading } from "../feedback/index.ts";

interface DryRunProps<P extends WritePath> {
  readonly path: P;
  readonly request: Partial<RequestOf<P>>;
  readonly title: string;
  readonly children: (data: ResponseOf<P>["data"]) => ReactNode;
}

export function DryRun<P extends WritePath>({ path, request, title, children }: DryRunProps<P>) {
  const tried = { ...request, dry_run: true } as unknown as RequestOf<P>;
  const read = useQuery({
    queryKey: [path, tried],
    queryFn: ({ signal }) => call(path, tried, { signal, idempotencyKey: crypto.randomUUID() }),
    retry: false,
    gcTime: 0,
    // After the write, it would be tried once more.
    staleTime: "static",
  });
  if (read.isPending) return <Loading />;
  if (read.error) return <FailureAlert error={read.error} />;
  return <Alert title={title}>{children(read.data.data)}</Alert>;
}
