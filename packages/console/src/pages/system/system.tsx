/** The state of the service, and the check of all ledgers. */
import { Alert, Text } from "@mantine/core";
import { everyPage, everyPart, type Fields, outputOf, type RequestOf, reads } from "../../api/index.ts";
import { Details, PageTitle, PlainButton, Read, type Row, Section, useSession } from "../../components.ts";
import { useWork, WorkProgress } from "../../feedback/work.tsx";
import { labelOf, serviceTexts } from "../../texts/index.ts";

const path = "/op/status/get";
const fields = outputOf(path);
const single = (all: Fields) =>
  Object.keys(all).filter((name) => !["object", "array"].includes(all[name]?.type ?? ""));

export function SystemPage() {
  const parts = Object.entries(fields).filter(([, { type }]) => type === "object");
  return (
    <Read path={path} request={{}} refreshSeconds={30}>
      {(status) => (
        <>
          <PageTitle title={serviceTexts.system.title} />
          <Details record={status} fields={fields} show={single(fields)} notes={serviceTexts.system.notes} />
          {parts.map(([name, { properties = {} }]) => (
            <Section key={name} title={labelOf(name)}>
              <Details
                {...{ fields: properties, show: single(properties), notes: serviceTexts.system.notes }}
                record={(status as unknown as Readonly<Record<string, Row>>)[name] ?? {}}
              />
            </Section>
          ))}
          <Section title={serviceTexts.system.verify}>
            <Verification entries={status.entries} />
          </Section>
        </>
      )}
    </Read>
  );
}

type Part = RequestOf<"/op/ledger/verify">["part"];
/** The parts that go through all entries. */
const longParts = 3;

type Checked = Readonly<{ entries: number; mismatches: number }>;

function Verification({ entries }: { readonly entries: number }) {
  const { may } = useSession();
  const { work, start, onStop, isRunning } = useWork<Checked>();
  if (!may("/op/ledger/verify")) return null;
  const verify = () => start({ entries: 0, mismatches: 0 }, verifyAll);
  const t = serviceTexts.system;
  return (
    <>
      <Text {...{ c: "dimmed", mb: "md", children: t.verifyHelp }} />
      <PlainButton {...{ onClick: verify, disabled: isRunning }}>{t.verifyStart}</PlainButton>
      {work && (
        <WorkProgress
          {...{ work, onStop, label: t.verify, onRetry: verify }}
          share={work.done.entries / Math.max(1, longParts * entries)}
        />
      )}
      {work && work.done.mismatches > 0 && <Alert color="red">{t.wrong(work.done.mismatches)}</Alert>}
      {work?.state === "ended" && work.done.mismatches === 0 && <Alert color="teal">{t.right}</Alert>}
    </>
  );
}

async function verifyAll(tell: (checked: Checked) => void, signal: AbortSignal): Promise<void> {
  const parts = (reads["/op/ledger/verify"].input.part?.enum ?? []) as readonly Part[];
  let [entries, mismatches] = [0, 0];
  for await (const data of everyPage("/op/businesses/list", {}, signal)) {
    for (const part of data.flatMap(({ business_id }) => parts.map((one) => ({ business_id, part: one })))) {
      for await (const { data: slice } of everyPart("/op/ledger/verify", part, signal)) {
        entries += slice.checked.entries;
        mismatches += slice.mismatch_count;
        tell({ entries, mismatches });
      }
    }
  }
}
