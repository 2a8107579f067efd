/** Shows what an operation returns, as soon as it is there. If it can't be read again, it stays, with the forms inside. */
import type { ComponentProps, ReactNode } from "react";
import type { Asked, ListPath, ReadOptions, ReadPath, ResponseOf, WritePath } from "../api/index.ts";
import { isFinal, useRead } from "../api/index.ts";
import { FailureAlert } from "./failure.tsx";
import { Loading } from "./loading.tsx";

type AnyPath = ReadPath | ListPath | WritePath;
type ReadProps<P extends AnyPath> = Readonly<{ path: P; request: Asked<P> }> &
  Pick<ComponentProps<typeof Loading>, "height"> &
  Readonly<{ children: (data: ResponseOf<P>["data"]) => ReactNode }>;

export function Read<P extends AnyPath>(props: ReadProps<P> & ReadOptions) {
  const { path, request, height, children, ...options } = props;
  const read = useRead(path, request, options);
  const failure = read.error && <FailureAlert error={read.error} onRetry={() => void read.refetch()} />;
  if (read.data === undefined || isFinal(read.error)) return failure ?? <Loading height={height} />;
  return (
    <>
      {failure}
      {children(read.data.data)}
    </>
  );
}
