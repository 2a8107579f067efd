/** Recomputes the balances and counts of all businesses from their ledgers, slice by slice. */
import { Alert, Button, Group, Progress, Stack, Text } from "@mantine/core";
import { useRef, useState } from "react";
import { call } from "../../api/client.ts";
import { declarationOf, type RequestOf } from "../../api/declarations.ts";
import { FailureAlert } from "../../feedback/failure.tsx";
import { useSession } from "../../session/session.tsx";
import { texts } from "../../texts/en.ts";

type Part = RequestOf<"/op/ledger/verify">["part"];
/** The parts that go through all entries. */
const longParts = 3;

interface Check {
  readonly checked: number;
  readonly mismatches: number;
  readonly state: "running" | "done" | Error;
}

export function Verification({ entries }: { readonly entries: number }) {
  const { may } = useSession();
  const [check, setCheck] = useState<Check>();
  const stop = useRef<AbortController>(undefined);
  if (!may("/op/ledger/verify")) return null;
  const start = () => {
    const controller = new AbortController();
    stop.current = controller;
    let found = { checked: 0, mismatches: 0 };
    const tell = (checked: number, mismatches: number) => {
      found = { checked: found.checked + checked, mismatches: found.mismatches + mismatches };
      setCheck({ ...found, state: "running" });
    };
    tell(0, 0);
    verifyAll(controller.signal, tell).then(
      () => setCheck({ ...found, state: "done" }),
      (error: Error) => setCheck(controller.signal.aborted ? undefined : { ...found, state: error }),
    );
  };
  const isRunning = check?.state === "running";
  const share = Math.min(100, ((check?.checked ?? 0) / Math.max(1, longParts * entries)) * 100);
  return (
    <Stack>
      <Text c="dimmed">{texts.system.verifyHelp}</Text>
      <Group>
        <Button variant="default" onClick={start} disabled={isRunning}>
          {texts.system.verifyStart}
        </Button>
        {isRunning && (
          <Button variant="subtle" onClick={() => stop.current?.abort()}>
            {texts.forms.cancel}
          </Button>
        )}
      </Group>
      {isRunning && <Progress value={share} aria-label={texts.system.verify} animated />}
      {check?.state instanceof Error && <FailureAlert error={check.state} />}
      {check !== undefined && check.mismatches > 0 && (
        <Alert color="red">{texts.system.wrong(check.mismatches)}</Alert>
      )}
      {check?.state === "done" && check.mismatches === 0 && <Alert color="teal">{texts.system.right}</Alert>}
    </Stack>
  );
}

async function verifyAll(signal: AbortSignal, tell: (checked: number, mismatches: number) => void) {
  const parts = (declarationOf("/op/ledger/verify").input.part?.enum ?? []) as readonly Part[];
  for (let page = 1, last = 1; page <= last; page += 1) {
    const { data, meta } = await call("/op/businesses/list", { page, per_page: 100 }, { signal });
    last = meta.pagination?.last_page ?? 1;
    for (const { business_id } of data) {
      for (const part of parts) {
        for (let after: number | null = 0; after !== null; ) {
          const slice: Slice = (await call("/op/ledger/verify", { business_id, part, after }, { signal }))
            .data;
          tell(slice.checked.entries, slice.mismatch_count);
          after = slice.next;
        }
      }
    }
  }
}

interface Slice {
  readonly checked: { readonly entries: number };
  readonly mismatch_count: number;
  readonly next: number | null;
}
