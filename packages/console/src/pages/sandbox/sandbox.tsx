/** The clock of a sandbox, which people advance to see what becomes of points, vouchers and tiers. */
import { Group } from "@mantine/core";
import { useState } from "react";
import { callUntilKnown } from "../../api/index.ts";
import { Figure, OperationButton, OperationTable, PageTitle, useBusiness } from "../../components.ts";
import { PlainButton, Read, useWork, WorkProgress } from "../../feedback/index.ts";
import { Missing } from "../../shell/missing.tsx";
import { dayAfter, dayText, momentText, serviceTexts } from "../../texts/index.ts";

const path = "/op/sandbox/clock/advance";
const steps = { day: 1, month: 30, year: 365 } as const;
const t = serviceTexts.sandbox;

export function SandboxPage() {
  if (!useBusiness().sandbox) return <Missing />;
  return (
    <>
      <PageTitle title={t.title} subtitle={t.explanation} />
      <Read path="/op/sandbox/clock/get" request={{}}>
        {({ clock_at }) => <Clock time={clock_at} />}
      </Read>
    </>
  );
}

function Clock({ time }: { readonly time: string }) {
  const { business_id } = useBusiness();
  const today = time.slice(0, 10);
  const [{ from, until }, begin] = useState({ from: time, until: time });
  const { work, start, onStop, isRunning } = useWork<Record<"share" | "entries", number>>();
  const advance = (end: string) => {
    begin({ from: dayAfter(today, 1), until: end });
    const partTo = (day: string) => Date.parse(day) - Date.parse(today);
    start({ share: 0, entries: 0 }, async (tell, signal) => {
      // In parts of a month, which show how far it is.
      for (let [day, entries] = [today, 0]; day < end; tell({ share: partTo(day) / partTo(end), entries })) {
        signal.throwIfAborted();
        [day = end] = [dayAfter(day, steps.month), end].toSorted();
        entries += (await callUntilKnown(path, { business_id, to: `${day} 00:00:00` })).data.entries;
      }
    });
  };
  const onRetry = () => advance(until);
  const { share = 0, entries = 0 } = work?.done ?? {};
  return (
    <>
      <Figure label={t.now} value={momentText(time)} />
      <Group my="md">
        {Object.entries(steps).map(([name, days]) => (
          <PlainButton key={name} disabled={isRunning} onClick={() => advance(dayAfter(today, days))}>
            {t.steps[name as keyof typeof steps]}
          </PlainButton>
        ))}
        <OperationButton {...{ path, label: t.to, submitLabel: t.advance }} />
      </Group>
      {work && <WorkProgress {...{ work, share, onStop, onRetry, label: t.advancing(entries) }} />}
      {work?.state === "ended" && (
        <OperationTable
          {...{ path: "/op/transactions/list", request: { start_date: from, end_date: until } }}
          {...{ title: t.happened(entries, dayText(from), dayText(until)), empty: t.nothing }}
        />
      )}
    </>
  );
}
