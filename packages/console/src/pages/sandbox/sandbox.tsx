/** The clock of a sandbox, which people advance to see what becomes of points, vouchers and tiers. */
import { Alert, Button, Group, Text } from "@mantine/core";
import { useState } from "react";
import { call, Rejection } from "../../api/client.ts";
import { Figure, OperationButton, PageTitle, useBusiness, useSession } from "../../components.ts";
import { Dialog, Read, type Run, useWork, WorkProgress } from "../../feedback/index.ts";
import { dayAfter, daysBetween, dayText, decimalText, momentText, texts } from "../../texts/index.ts";

const path = "/op/sandbox/clock/advance";
const steps = { day: 1, month: 30, year: 365 } as const;
const daysAtOnce = 30;

/** `at` is the day that is reached. */
type Journey = Readonly<{ from: string; to: string; at: string; entries: number }>;

export function SandboxPage() {
  const { sandbox } = useBusiness();
  const t = texts.sandbox;
  return (
    <>
      <PageTitle title={t.title} subtitle={t.explanation} />
      {sandbox ? (
        <Read path="/op/sandbox/clock/get" request={{}}>
          {({ clock_at }) => <Clock time={clock_at} />}
        </Read>
      ) : (
        <Alert>{t.notASandbox}</Alert>
      )}
    </>
  );
}

function Clock({ time }: { readonly time: string }) {
  const { business_id } = useBusiness();
  const { may } = useSession();
  const { work, start, onStop, isRunning } = useWork<Journey>();
  const t = texts.sandbox;
  const today = time.slice(0, 10);
  const [asked, setAsked] = useState<string>();
  const travel = (to: string) => {
    setAsked(undefined);
    const journey = { from: today, to, at: today, entries: 0 };
    start(journey, advance(business_id, journey));
  };
  const done = work?.done;
  const step = { variant: "default", disabled: isRunning };
  return (
    <>
      <Figure label={t.now} value={momentText(time)} />
      {may(path) && (
        <Group mt="md">
          {Object.entries(steps).map(([name, days]) => (
            <Button key={name} {...step} onClick={() => setAsked(dayAfter(today, days))}>
              {t.steps[name as keyof typeof steps]}
            </Button>
          ))}
          <OperationButton path={path} label={t.to} submitLabel={t.advance} />
        </Group>
      )}
      {asked && (
        <Dialog title={t.ask(dayText(asked))} onClose={() => setAsked(undefined)}>
          <Text mb="md">{t.explanation}</Text>
          <Button onClick={() => travel(asked)}>{t.advance}</Button>
        </Dialog>
      )}
      {work && done && (
        <WorkProgress
          {...{ work, onStop }}
          label={t.progress}
          share={daysBetween(done.from, done.at) / daysBetween(done.from, done.to)}
          onRetry={() => travel(done.to)}
        />
      )}
      {done && <Text mt="md">{t.entries(decimalText(done.entries, 0))}</Text>}
    </>
  );
}

/** Advances the clock in steps, so that the page can show how far it is. A step with too much to do becomes shorter. */
const advance =
  (business_id: number, journey: Journey): Run<Journey> =>
  async (tell, signal) => {
    let { at, entries } = journey;
    const next = () => (dayAfter(at, daysAtOnce) < journey.to ? dayAfter(at, daysAtOnce) : journey.to);
    for (let to = next(); at < journey.to && !signal.aborted; ) {
      try {
        // The same step of the same clock has the same key, so a retry does not move the clock again.
        const idempotencyKey = `clock ${business_id} ${at} ${to}`;
        entries += (await call(path, { business_id, to }, { idempotencyKey })).data.entries;
        at = to;
        tell({ ...journey, at, entries });
        to = next();
      } catch (error) {
        if (!(error instanceof Rejection && error.code === "clock_step_too_large")) throw error;
        to = String(error.details.to);
      }
    }
  };
