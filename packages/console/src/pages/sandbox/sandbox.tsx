/** The clock of a sandbox, which people advance to see what becomes of points, vouchers and tiers. */

import { Alert, Group, Text } from "@mantine/core";
import { useState } from "react";
import { Figure, OperationButton, PageTitle, Read, useBusiness } from "../../components.ts";
import { dayAfter, decimalText, momentText, texts } from "../../texts/index.ts";

const steps = { day: 1, month: 30, year: 365 } as const;
const t = texts.sandbox;

export function SandboxPage() {
  const { sandbox } = useBusiness();
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
  const [entries, setEntries] = useState<number>();
  const advance = (label: string, days: number) => (
    <OperationButton
      key={label}
      {...{ path: "/op/sandbox/clock/advance", label, submitLabel: t.advance }}
      suggested={{ to: days > 0 ? `${dayAfter(time.slice(0, 10), days)} 00:00:00` : "" }}
      onDone={({ data }) => setEntries(data.entries)}
    />
  );
  return (
    <>
      <Figure label={t.now} value={momentText(time)} />
      <Group my="md">
        {Object.entries(steps).map(([name, days]) => advance(t.steps[name as keyof typeof steps], days))}
        {advance(t.to, 0)}
      </Group>
      {entries !== undefined && <Text>{t.entries(decimalText(entries, 0))}</Text>}
    </>
  );
}
