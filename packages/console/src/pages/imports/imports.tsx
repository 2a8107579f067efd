/** Uploads a file of members, sales or vouchers, and lists the imports. The service reads the files. */
import { Button, FileInput, Group } from "@mantine/core";
import { useState } from "react";
import { useLocation } from "wouter";
import { type ImportName, mostFileBytes, mostPartBytes } from "../../../../../src/domain/imports/jobs.ts";
import { callUntilKnown } from "../../api/index.ts";
import { ListPage, Note, Segments, State, useBusiness, useWork, WorkProgress } from "../../components.ts";
import { base64Of } from "../../files/contents.ts";
import { labelOf, importTexts as t } from "../../texts/index.ts";
import { lineFields } from "./line-fields.ts";

export function ImportsPage() {
  return (
    <ListPage
      {...{ path: "/op/imports/list", words: t, notice: <UploadForm /> }}
      linkTo={({ import_id }) => `/imports/${import_id}`}
      cells={{ state: ({ state }) => <State value={`import_${state}`} /> }}
    />
  );
}

function UploadForm() {
  const { business_id } = useBusiness();
  const [, navigate] = useLocation();
  const { work, start, onStop, isRunning } = useWork<number>();
  const [kind, setKind] = useState<ImportName>("members");
  const [file, setFile] = useState<File | null>(null);
  const begin = () =>
    file &&
    start(0, async (tell, signal) => {
      const id = await upload(file, { business_id, kind }, tell, signal);
      if (!signal.aborted) navigate(`/imports/${id}`);
    });
  const isTooLarge = file !== null && file.size > mostFileBytes;
  const accepted = Object.keys(lineFields(kind)).map((field) => labelOf(field, "import_"));
  return (
    <>
      <Group align="flex-end">
        <Segments label={t.what} names={t.names} value={kind} onChange={setKind} disabled={isRunning} />
        <FileInput
          {...{ label: t.file, placeholder: t.choose, flex: "1 1 16rem", miw: 0, maw: "32rem" }}
          {...{ value: file, onChange: setFile, disabled: isRunning }}
          accept=".csv,.txt,.tsv,.gz,.zip,text/csv,text/plain"
          error={isTooLarge && t.tooLarge(mostFileBytes / 1e9)}
        />
        <Button {...{ disabled: !file || isTooLarge || isRunning, onClick: begin, children: t.upload }} />
      </Group>
      <Note my="sm">{t.accepted(accepted.join(", "))}</Note>
      {work && <WorkProgress {...{ work, onStop }} share={work.done} label={t.uploading} onRetry={begin} />}
    </>
  );
}

type Chosen = Readonly<{ business_id: number; kind: ImportName }>;

/** A part that can't be compressed becomes longer. */
const partBytes = mostPartBytes - 10_000;

/** @param tell gets how much was sent, from 0 to 1 @returns the import */
async function upload(file: File, of: Chosen, tell: (share: number) => void, signal: AbortSignal) {
  const { business_id, kind } = of;
  let import_id = 0;
  try {
    for (let [part, last] = [0, false]; !last; part++) {
      const bytes = file.slice(part * partBytes, (part + 1) * partBytes).stream();
      last = (part + 1) * partBytes >= file.size;
      const named = import_id === 0 ? { file_name: file.name } : { import_id };
      // Together, the compressed parts are one file.
      const content = await base64Of(bytes.pipeThrough(new CompressionStream("gzip")));
      const request = { business_id, ...named, part, content, last };
      signal.throwIfAborted();
      import_id = (await callUntilKnown("/op/imports/upload", request)).data.import_id;
      tell(((part + 1) * partBytes) / file.size);
    }
    await callUntilKnown("/op/imports/preview", { business_id, import_id, kind });
    return import_id;
  } catch (error) {
    // If this fails, too, the service deletes the parts later.
    if (import_id > 0)
      callUntilKnown("/op/imports/cancel", { business_id, import_id }).catch(() => undefined);
    throw error;
  }
}
