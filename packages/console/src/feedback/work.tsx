/** Work that takes many requests: how far it is, a way to stop it, and what to do if it fails. */
import { Box, Button, Group, Progress, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { texts } from "../texts/en/texts.ts";
import { FailureAlert } from "./failure.tsx";

/** `done`: what is done so far. */
export type Work<Done> = Readonly<{ done: Done; state: "running" | "ended" | Error }>;

export type Run<Done> = (tell: (done: Done) => void, signal: AbortSignal) => Promise<void>;

/** @returns the work; undefined before it starts, and after a person has stopped it */
export function useWork<Done>() {
  const client = useQueryClient();
  const [work, setWork] = useState<Work<Done>>();
  const controller = useRef<AbortController>(undefined);
  useEffect(() => () => controller.current?.abort(), []);
  const start = (done: Done, run: Run<Done>) => {
    controller.current = new AbortController();
    const { signal } = controller.current;
    const change = (next: Partial<Work<Done>>) =>
      setWork((now) => (signal.aborted ? undefined : { done, state: "running", ...now, ...next }));
    change({ done, state: "running" });
    run((next) => change({ done: next }), signal)
      .then(() => change({ state: "ended" }))
      .catch((error: Error) => change({ state: error }))
      .finally(() => client.invalidateQueries());
  };
  return { work, start, onStop: () => controller.current?.abort(), isRunning: work?.state === "running" };
}

/** How far something is. @param share from 0 to 1, or NaN for a part of nothing */
export const JobProgress = ({ text, share }: Readonly<{ text: string; share: number }>) => (
  <Box flex={1} miw="8rem">
    <Text size="sm">{text}</Text>
    <Progress animated value={Math.min(100, 100 * (share || 0))} aria-label={text} />
  </Box>
);

type WorkProgressProps = Readonly<{ work: Work<unknown>; label: string; share: number }> &
  Readonly<Record<"onStop" | "onRetry", () => void>>;

export function WorkProgress({ work, label, share, onStop, onRetry }: WorkProgressProps) {
  const { state } = work;
  if (state instanceof Error) return <FailureAlert error={state} onRetry={onRetry} />;
  if (state === "ended") return null;
  return (
    <Group mt="md" w="100%">
      <JobProgress text={label} share={share} />
      <Button {...{ variant: "subtle", onClick: onStop, children: texts.forms.cancel }} />
    </Group>
  );
}
